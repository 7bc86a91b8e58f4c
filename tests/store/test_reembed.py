"""Another embedder for a store: the old one or the new one, whole, whoever is killed, writes or fails meanwhile."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

import scrubjay
from scrubjay import Perishability, errors, fold
from scrubjay.columns import FIELDS, Columns
from scrubjay.events import Fitted, Integrated
from scrubjay.memorystore import MemoryStore
from scrubjay.store import EventLog, snapshot, staging
from scrubjay.store import verify as checks
from scrubjay.verbs import reembed as verb
from tests.store import workers
from tests.store.test_opening import as_nobody, shared  # noqa: F401
from tests.toys import Clock, WordHash

OLD, NEW = 64, 48
TEXTS = [
    "the deploy key lives in the vault",
    "Ada is allergic to peanuts",
    "会議は火曜日です 🌧",
    "the retro is in room Heron",
    "naïve façade \u202e reversed",
    "tea is at four",
]


def old() -> WordHash:
    return WordHash(OLD, "old-1")


def new(dim: int = NEW, name: str = "new-1") -> WordHash:
    return WordHash(dim, name)


def opened(path: Path, embedder: Any = None, **given: Any) -> MemoryStore:
    return scrubjay.open(path, embedder=embedder or old(), clock=Clock(), **given)


def filled(path: Path, more: int = 0) -> list[str]:
    """A store in which everything has happened that holds a vector."""
    with opened(path) as store:
        ids = [
            unit.id for unit in store.add_many([{"text": t, "context": f"work {i % 2}"} for i, t in enumerate(TEXTS)])
        ]
        store.update(ids[5], text="tea is at five", context="kitchen")
        store.update(ids[5], metadata={"speaker": "Ada"})
        store.update(ids[5], metadata={"page": 3})
        gone = store.add("forget me not")
        store.delete(gone.id)
        first = store.integrate("the retro has moved to room Wren")
        store.integrate("the retro has moved to room Plover")
        store.undo(first.event)
        store.outcome(ids[0], 1.0)
        store.link(ids[0], ids[1])
        store.add_many([f"note number {i}" for i in range(more)])
    return ids


def settle(path: Path, embedder: WordHash) -> None:
    """The store is sound, its state is the fold of its log, and it has the embedder's vectors of its texts."""
    with opened(path, embedder) as store:
        assert store.verify().ok, str(store.verify())
        assert store.rebuild().same
        columns = store._engine.columns
        assert columns.dim == embedder.dim
        for unit in store.list(limit=10_000)[:40]:
            key = store._engine.key_of(unit.id, None)
            said = scrubjay.memory.spoken(unit.text, unit.metadata)
            wanted = embedder.embed([said])[0]
            found = columns.what[columns.row(key)]
            np.testing.assert_allclose(found, wanted / np.linalg.norm(wanted), atol=2e-6)
            assert store.search(unit.text, k=3, weights={"what": 1.0})[0].memory.text == unit.text


def scalars(path: Path) -> dict[str, list[Any]]:
    with EventLog.open(path) as log:
        columns = fold.rebuild(log)
    return {f.name: getattr(columns, f.name).tolist() for f in FIELDS}


@pytest.mark.parametrize("target", [new(), new(OLD, "new-1"), new(200)], ids=["shorter", "same dim", "longer"])
def test_bug_07_a_reembed_mends_a_store_whose_embedder_changed(tmp_path: Path, target: WordHash) -> None:
    path = tmp_path / "s"
    ids = filled(path)
    before = scalars(path)
    log = (path / "log.sqlite").read_bytes()
    with pytest.raises((errors.EmbedderMismatchError, errors.DimensionError), match=r"scrubjay\.reembed"):
        opened(path, target)
    assert (path / "log.sqlite").read_bytes() == log
    told: list[tuple[int, int]] = []
    done = scrubjay.reembed(path, embedder=target, batch=4, progress=lambda *at: told.append(at))
    assert (done.before, done.before_dim, done.embedder, done.dim) == ("old-1", OLD, target.name, target.dim)
    assert (done.changed, done.resumed, done.memories) == (True, 0, 7)
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
    assert max(target.calls) <= 4
    assert scalars(path) == before
    settle(path, target)
    with pytest.raises((errors.EmbedderMismatchError, errors.DimensionError)):
        opened(path, old())
    with opened(path, target) as store:
        assert store.get(ids[5]).text == "tea is at five"
        assert [h.memory.id for h in store.search("peanuts allergic", k=1)] == [ids[1]]
        assert len(store.history(ids[5])) == 4
    assert not (path / staging.NAME).exists()


def test_the_rebuild_never_calls_an_embedder(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    scrubjay.reembed(path, embedder=new())
    silent = new()
    with opened(path, silent) as store:
        store.rebuild()
        assert len(store) == 7
    assert silent.calls == []


def test_nothing_to_do_and_force(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    idle = old()
    done = scrubjay.reembed(path, embedder=idle)
    assert (done.texts, done.changed, done.memories, idle.calls) == (0, False, 7, [])
    with opened(path) as store:
        forced = scrubjay.reembed(path, embedder=old(), force=True)
        assert forced.changed
        assert forced.texts > 7
        # the embedder is the same by name, so this handle goes on with the new vectors
        assert len(store.search("tea")) > 0
        assert store.verify().ok
    settle(path, old())


@pytest.mark.parametrize("dim", [NEW, OLD])
def test_a_handle_of_the_old_embedder_is_told_at_its_next_use(
    tmp_path: Path, dim: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    # a handle that closes would keep a snapshot
    monkeypatch.setattr(snapshot, "MIN_EVENTS", 50)
    ids = filled(path, more=60)
    store, reader = opened(path), opened(path, read_only=True)
    scrubjay.reembed(path, embedder=new(dim))
    with EventLog.open(path) as log:
        last = log.seq
    for use in (
        lambda: store.add("more"),
        lambda: store.search("tea"),
        lambda: reader.search("tea"),
        lambda: reader.search("tea", as_of=1.7e9),
        lambda: store.get(ids[0]),
        lambda: store.delete(ids[0]),
        lambda: store.outcome(ids[0], 1.0),
        lambda: store.integrate("tea is late"),
        lambda: store.compact(),
        lambda: store.replay(),
        lambda: store.list(),
        lambda: len(store),
        lambda: store.verify(),
        lambda: store.history(ids[0]),
    ):
        with pytest.raises(errors.EmbedderMismatchError, match="re-embedded with 'new-1'"):
            use()
    store.close()
    reader.close()
    with EventLog.open(path) as log:
        assert log.seq == last
        assert snapshot.load(log)[1].good
    settle(path, new(dim))


def test_a_search_in_flight_ends_in_one_of_the_two(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path, more=300)
    store = opened(path)
    seen: list[errors.EmbedderMismatchError] = []
    answers = []

    def look() -> None:
        try:
            while True:
                answers.append(store.search("deploy key", k=1)[0].memory.text)
        except errors.EmbedderMismatchError as error:
            seen.append(error)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    scrubjay.reembed(path, embedder=new(OLD, "new-1"))
    for thread in threads:
        thread.join(30)
    store.close()
    assert set(answers) <= {TEXTS[0]}
    assert len(seen) == 3


class Beside(WordHash):
    """Lets another handle add while it embeds."""

    def __init__(self, path: Path, times: int) -> None:
        super().__init__(NEW, "new-1")
        self.path, self.times = path, times

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.times:
            self.times -= 1
            with opened(self.path) as store:
                store.add(f"added meanwhile {self.times}", context=f"context {self.times}")
                assert store.search(TEXTS[1], k=1)[0].memory.text == TEXTS[1]
        return super().embed(texts)


def test_what_others_add_meanwhile_is_embedded_too(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    done = scrubjay.reembed(path, embedder=Beside(path, 5), batch=3)
    assert done.memories == 12
    settle(path, new())


def test_what_comes_between_the_last_look_and_the_swap_is_embedded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    ids = filled(path)
    prepare = verb._Work.prepare

    def late(self: Any, log: EventLog, progress: Any) -> int:
        seq = prepare(self, log, progress)
        with opened(path) as store:
            store.add("at the last moment")
            store.update(ids[0], text="the deploy key is lost")
            store.delete(ids[1])
        return seq

    monkeypatch.setattr(verb._Work, "prepare", late)
    assert scrubjay.reembed(path, embedder=new()).memories == 7
    settle(path, new())


class Failing(WordHash):
    """Answers a few times well, then as told."""

    def __init__(self, good: int, answer: Any) -> None:
        super().__init__(NEW, "new-1")
        self.good, self.answer = good, answer

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.good -= 1
        if self.good >= 0:
            return super().embed(texts)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(len(texts))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda n: np.full((n, NEW), np.nan, np.float32), errors.EmbeddingError),
        (lambda n: np.zeros((n, NEW), np.float32), errors.EmbeddingError),
        (lambda n: np.ones((n + 1, NEW), np.float32), errors.EmbeddingError),
        (lambda n: np.ones((n, NEW + 1), np.float32), errors.DimensionError),
        (lambda n: [], errors.EmbeddingError),
        (RuntimeError("out of quota"), errors.EmbeddingError),
    ],
    ids=["nan", "zeros", "rows", "length", "nothing", "raises"],
)
@pytest.mark.parametrize("good", [0, 2])
def test_an_embedder_that_fails_leaves_the_old_store(
    tmp_path: Path, answer: Any, error: type[Exception], good: int
) -> None:
    path = tmp_path / "s"
    filled(path)
    with pytest.raises(error):
        scrubjay.reembed(path, embedder=Failing(good, answer), batch=3)
    settle_old(path)
    done = scrubjay.reembed(path, embedder=new(), batch=3)
    assert (done.resumed > 0) == (good > 0)
    settle(path, new())


def settle_old(path: Path) -> None:
    with opened(path) as store:
        assert store.verify().ok
        assert store.rebuild().same
        assert store.search(TEXTS[1], k=1)[0].memory.text == TEXTS[1]
        assert store._engine.columns.dim == OLD


def test_another_target_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    with pytest.raises(errors.EmbeddingError):
        scrubjay.reembed(path, embedder=Failing(2, RuntimeError("no")), batch=3)
    other = new(NEW, "new-2")
    assert scrubjay.reembed(path, embedder=other, batch=3).resumed == 0
    settle(path, other)


@pytest.mark.parametrize("harm", ["flip", "garbage", "empty"])
def test_a_damaged_file_of_vectors_is_made_anew_as_far_as_needed(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "s"
    filled(path)
    with pytest.raises(errors.EmbeddingError):
        scrubjay.reembed(path, embedder=Failing(2, RuntimeError("no")), batch=3)
    file = path / staging.NAME
    if harm == "flip":
        with apsw.Connection(str(file)) as db:
            ((vector,),) = db.execute("SELECT vector FROM vectors LIMIT 1").fetchall()
            turned = bytes([vector[0], vector[1], vector[2], vector[3] ^ 0x80]) + vector[4:]
            db.execute("UPDATE vectors SET vector = ? WHERE vector = ?", (turned, vector))
        db.close()
    else:
        file.write_bytes(b"" if harm == "empty" else os.urandom(20_000))
    scrubjay.reembed(path, embedder=new(), batch=3)
    settle(path, new())


def test_two_at_once_one_waits_in_vain(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    with EventLog.open(path) as log:
        held = staging.open_staged(str(path), log.meta, "new-1", NEW, timeout=1.0)
    with held, pytest.raises(errors.StoreLockedError, match="another re-embedding"):
        scrubjay.reembed(path, embedder=new(), timeout=0.1)
    settle_old(path)


def test_an_empty_store(tmp_path: Path) -> None:
    path = tmp_path / "s"
    opened(path).close()
    done = scrubjay.reembed(path, embedder=new())
    assert (done.texts, done.memories, done.changed) == (0, 0, True)
    with opened(path, new()) as store:
        store.add("tea")
    settle(path, new())


def test_the_past_is_searched_with_the_new_vectors(tmp_path: Path) -> None:
    path = tmp_path / "s"
    clock = Clock()
    with scrubjay.open(path, embedder=old(), clock=clock) as store:
        gone = store.add("the boat is red")
        kept = store.add("the house is blue")
        clock.now += 100
        store.delete(gone.id)
        store.update(kept.id, text="the house is green")
    scrubjay.reembed(path, embedder=new(), clock=clock)
    with scrubjay.open(path, embedder=new(), clock=clock) as store:
        hits = store.search("red boat", as_of=clock.now - 50)
        assert [hit.memory.text for hit in hits] == ["the boat is red", "the house is blue"]
        assert [hit.memory.text for hit in store.search("red boat")] == ["the house is green"]


def test_integrations_can_still_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with opened(path) as store:
        store.add_many(["the retro is in room Heron", "the retro needs a projector", "blue cup"])
        plain = [(unit.id, unit.value, unit.perishability, unit.current) for unit in store.list()]
        first = store.integrate("the retro is in room Wren")
        second = store.integrate("the retro is in room Plover")
        assert first.affected
        moved = [(unit.id, unit.value, unit.perishability, unit.current) for unit in store.list()]
    scrubjay.reembed(path, embedder=new())
    settle(path, new())
    with opened(path, new()) as store:
        assert [(unit.id, unit.value, unit.perishability, unit.current) for unit in store.list()] == moved
        store.undo(second.event)
        store.undo(first.event)
        assert [(unit.id, unit.value, unit.perishability, unit.current) for unit in store.list()] == plain
        assert store.integrate("the retro is in room Finch").affected
    settle_moved(path)


def settle_moved(path: Path) -> None:
    with opened(path, new()) as store:
        assert store.verify().ok
        assert store.rebuild().same


def test_a_fitted_head_is_the_old_embedders(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    with opened(path) as store, store._engine.log.write() as tx:
        tx.append([Fitted(at=1.7e9, name="fitted", head=b"of the old vectors")])
    with EventLog.open(path) as log:
        assert fold.rebuild(log).head == b"of the old vectors"
    scrubjay.reembed(path, embedder=new())
    with EventLog.open(path) as log:
        assert fold.rebuild(log).head == b""
        assert not any(e.head for b in log.tail() for e in b.events if isinstance(e, Fitted))
        assert all(e.what_step == 0.0 for b in log.tail() for e in b.events if isinstance(e, Integrated))
    settle(path, new())


def test_bug_27_a_read_only_folder_is_not_reembedded(shared: Path) -> None:  # noqa: F811
    path = shared / "s"
    filled(path)
    for file in path.rglob("*"):
        file.chmod(0o444 if file.is_file() else 0o555)
    path.chmod(0o555)
    before = (path / "log.sqlite").read_bytes()

    def check() -> None:
        with pytest.raises(errors.StoreReadOnlyError):
            scrubjay.reembed(path, embedder=new())

    as_nobody(check)
    assert (path / "log.sqlite").read_bytes() == before


def test_what_cannot_be_reembedded(tmp_path: Path) -> None:
    with pytest.raises(errors.ArgumentError, match="in memory"):
        scrubjay.reembed(":memory:", embedder=new())
    with pytest.raises(errors.StoreFormatError, match="does not exist"):
        scrubjay.reembed(tmp_path / "none", embedder=new())
    assert not (tmp_path / "none").exists()
    with pytest.raises(errors.ArgumentTypeError):
        scrubjay.reembed(tmp_path, embedder="minilm")  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="batch"):
        scrubjay.reembed(tmp_path, embedder=new(), batch=0)


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    with apsw.Connection(str(path / "log.sqlite")) as db:
        db.execute("UPDATE events SET body = zeroblob(20) WHERE seq = 4")
    db.close()
    with pytest.raises(errors.CorruptionError, match="event 4 is damaged"):
        scrubjay.reembed(path, embedder=new())
    assert not list(path.glob("reembed*"))
    with EventLog.open(path) as log:
        assert log.meta.embedder == "old-1"


def test_a_full_disk_leaves_the_old_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    filled(path, more=100)
    swap = verb._Work.swap

    def full(self: Any, log: EventLog, clock: Any) -> Columns:
        log._writer.connection.pragma("max_page_count", 20)
        return swap(self, log, clock)

    with monkeypatch.context() as patch:
        patch.setattr(verb._Work, "swap", full)
        with pytest.raises(errors.StoreError, match="disk is full"):
            scrubjay.reembed(path, embedder=new(2000))
    settle_old(path)
    assert scrubjay.reembed(path, embedder=new(2000)).texts == 0
    settle(path, new(2000))


def test_for_asyncio(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    assert asyncio.run(scrubjay.areembed(path, embedder=new())).memories == 7
    settle(path, new())


class Slow(WordHash):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        time.sleep(0.01)
        return super().embed(texts)


class Stuck(WordHash):
    """Tells that it begins the fortieth batch, and never ends it."""

    told: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(self.calls) == 39:
            Path(self.told).touch()
            time.sleep(3600)
        return super().embed(texts)


def reembed_for_ever(path: str, name: str, dim: int) -> None:
    embedder = Stuck(dim, name)
    embedder.told = f"{path}-stuck"
    scrubjay.reembed(path, embedder=embedder, batch=8)


def reembed_slowly(path: str, name: str, dim: int) -> None:
    scrubjay.reembed(path, embedder=Slow(dim, name), batch=8)


def test_killed_again_and_again_it_goes_on_and_is_never_a_mixture(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path, more=300)
    draw = random.Random(7)
    sides = {OLD: "old-1", NEW: "new-1"}
    killed, began = 0, time.monotonic()
    whole = workers.PROCESSES.Process(target=reembed_slowly, args=(str(path), sides[NEW], NEW))
    whole.start()
    whole.join()
    held, took = NEW, time.monotonic() - began
    for _ in range(10):
        target = NEW if held == OLD else OLD
        process = workers.PROCESSES.Process(target=reembed_slowly, args=(str(path), sides[target], target))
        process.start()
        time.sleep(draw.uniform(0.02, 1.2 * took))
        process.kill()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        with EventLog.open(path) as log:
            assert (log.meta.embedder, log.dim) in ((sides[held], held), (sides[target], target))
            now = log.dim
            report = checks.verify(log, fold.catch_up)
            assert all(f.what == "snapshot-outdated" for f in report.findings), str(report)
        if process.exitcode == 0:
            # the first one was slower than those that follow
            took = max(took / 2, 0.05)
        killed += process.exitcode != 0
        held = now
    assert killed > 0
    last = scrubjay.reembed(path, embedder=new(32, "last"))
    assert last.changed
    settle(path, new(32, "last"))


def test_killed_once_it_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path, more=800)
    process = workers.PROCESSES.Process(target=reembed_for_ever, args=(str(path), "new-1", NEW))
    process.start()
    # some batches are committed, and many are to come
    deadline = time.monotonic() + 120
    while not (tmp_path / "s-stuck").exists():
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    settle_old(path)
    target = new()
    done = scrubjay.reembed(path, embedder=target)
    assert done.resumed >= 8
    assert done.texts == sum(target.calls) < 800
    settle(path, new())


def reembed_until(path: str, step: str) -> None:
    """Re-embed, and end without a word at a step of the swap."""
    setattr(verb, step, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    scrubjay.reembed(path, embedder=new(), batch=8)


@pytest.mark.parametrize("step", ["with_vectors", "restate", "remade", "apply"])
def test_killed_within_the_swap(tmp_path: Path, step: str) -> None:
    path = tmp_path / "s"
    filled(path, more=50)
    process = workers.PROCESSES.Process(target=reembed_until, args=(str(path), step))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    settle_old(path)
    done = scrubjay.reembed(path, embedder=new())
    assert (done.texts, done.changed) == (0, True)
    assert done.resumed > 50
    settle(path, new())


@pytest.mark.parametrize("where", ["remove", "save"])
def test_killed_behind_the_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    path = tmp_path / "s"
    filled(path)
    with opened(path) as store:
        snapshot.save(store._engine.log, store._engine.columns)

    class Killed(BaseException):
        pass

    def kill(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        if where == "remove":
            patch.setattr(staging.Staged, "remove", kill)
        else:
            patch.setattr(verb, "save", kill)
        with pytest.raises(Killed):
            scrubjay.reembed(path, embedder=new())
    assert not scrubjay.reembed(path, embedder=new()).changed
    assert not (path / staging.NAME).exists()
    settle(path, new())


def test_what_an_agent_says_of_perishability_stays(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with opened(path) as store:
        unit = store.add("milk", perishability=Perishability(label="ephemeral", pi=0.9, tau=3600.0))
    scrubjay.reembed(path, embedder=new())
    with opened(path, new()) as store:
        assert store.get(unit.id).perishability == unit.perishability
