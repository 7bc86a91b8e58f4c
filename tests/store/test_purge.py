"""What is purged is in no file any more, whoever else has the store open and whenever the process ends."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from scrubjay.store import EventLog, erase, to_text
from scrubjay.store.erase import read_intent
from scrubjay.store.manifest import Status
from tests.store.faults import Switch, failing
from tests.store.residue import found, needles
from tests.toys import Clock, WordHash

EMBEDDER = WordHash(64)
WORD = "Zanzibarquux"
ACCENTED = "Žofieövrük"
SECRET = f"{WORD} keeps the spare key of room B12 at {ACCENTED}"
WHERE = f"moving house with {WORD}"


def opened(path: Any, **options: Any) -> MemoryStore:
    # by the wall clock which memories are nearest in time would depend on how busy the machine is
    given = {"clock": Clock(1.8e9)} | options
    return scrubjay.open(str(path), embedder=EMBEDDER, durability="normal", **given)


def fill(store: MemoryStore, n: int, *, space: str = "a") -> list[str]:
    return [
        unit.id
        for unit in store.add_many([{"text": f"note {i} of room B{i % 9}", "namespace": space} for i in range(n)])
    ]


def summarise(texts: list[str]) -> str:
    return "summary of " + "; ".join(texts)


def all_of_it(store: MemoryStore) -> tuple[str, dict[str, bytes]]:
    """A memory that went through every verb which may copy a part of it; its id, and what must not be found."""
    engine = store._engine
    vectors = []

    def seen() -> None:
        engine.refresh()
        for row in engine.columns.rows([engine.key_of(unit.id, None)]).tolist():
            vectors.append(engine.columns.what[row].copy())
            vectors.append(engine.columns.contexts[engine.columns.context[row]].copy())

    unit = store.add(
        SECRET,
        namespace="a",
        context=WHERE,
        key=f"{WORD}-key",
        metadata={"who": WORD, "speaker": ACCENTED, "deep": {"list": [ACCENTED]}, "date": "8 May 2023"},
    )
    seen()
    store.update(unit.id, text=f"{SECRET} for now", metadata={"who": f"{WORD} 2"})
    seen()
    near = [store.add(f"{SECRET[13:-12]} {i}", namespace="a") for i in ("home", "work")]
    store.outcome([unit.id, near[0].id], 1.0, source="judge")
    store.outcome(unit.id, 0.0, source=WORD)
    store.rate(unit.id, 0.75, source=WORD)
    store.link(unit.id, near[1].id, kind=WORD)
    store.integrate("note 1 of room B1 is over", namespace="a")
    said = store.integrate(f"{SECRET} no longer", namespace="a")
    undone = store.integrate("note 2 of room B2 is over", namespace="a")
    store.undo(undone.event)
    assert said.memory is not None
    store.condense(namespace="a", summarise=summarise)
    store.compact()
    seen()
    where, what = EMBEDDER.embed([WHERE, f"{SECRET} no longer"])
    vectors += [v / np.linalg.norm(v) for v in (where, what)]
    # a snapshot is due when the handle is closed
    store._snapshot_status = Status("damaged")
    return unit.id, needles([WORD, ACCENTED, "zanzib"], vectors)


def ids_that_say(store: MemoryStore) -> list[str]:
    return [unit.id for unit in store.list(namespace="a", limit=1000) if WORD in unit.text]


def test_nothing_of_a_memory_is_left_in_any_file(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with opened(path) as store:
        fill(store, 60)
        id, wanted = all_of_it(store)
    assert any("vectors-" in place for place in found(path, wanted))
    assert any("log.sqlite: " in place for place in found(path, wanted))
    with opened(path) as store:
        before = len(store)
        doomed = ids_that_say(store)
        assert id in doomed
        receipt = store.delete(doomed, purge=True)
        assert receipt.done
        assert receipt.memories == len(doomed) + receipt.summaries
        assert receipt.summaries
        assert receipt.contexts == 1
        assert found(path, wanted) == []
        assert before - len(store) == receipt.memories
        assert [entry.event for entry in store.history(id)] == ["purged"]
        assert WORD not in str(store.history(id))
        assert all(WORD not in str(entry) for unit in store.list(namespace="a") for entry in store.history(unit.id))
        assert store.verify().ok
        assert store.rebuild().same
    assert found(path, wanted) == []
    with opened(path) as store:
        assert store.verify().ok
        assert not ids_that_say(store)


def test_the_index_of_candidates_is_made_anew_without_it(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with opened(path, candidates=True, graph=False) as store:
        fill(store, 1100)
        unit = store.add(SECRET, namespace="a")
        store._engine.refresh()
        vector = store._engine.columns.what[store._engine.columns.row(store._engine.key_of(unit.id, None))]
        wanted = needles([WORD], [vector])
        assert store.search(WORD, namespace="a")
        settle(store)
        assert store.stats().candidates.kept
        assert found(path, wanted)
        assert store.delete(unit.id, purge=True).done
        assert found(path, wanted) == []
        assert all(WORD not in hit.memory.text for hit in store.search(WORD, namespace="a"))
        settle(store)
    assert found(path, wanted) == []
    with opened(path, candidates=True) as store:
        assert len(store.search("note 7 of room B7", namespace="a")) == 10
        assert store.verify().ok


def settle(store: MemoryStore) -> None:
    keeper = store._engine.candidates
    assert keeper is not None
    keeper.settle()


def test_no_time_shows_what_was_purged(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path / "s", clock=clock) as store:
        kept = store.add("tea is at four", namespace="a")
        unit = store.add(SECRET, namespace="a")
        clock.now += 10
        told = store.search(WORD, namespace="a", as_of=clock.now - 5)
        assert told[0].memory.id == unit.id
        store.delete(unit.id, purge=True)
        for late in (-5, 0):
            assert [h.memory.id for h in store.search(WORD, namespace="a", as_of=clock.now + late)] == [kept.id]
            with pytest.raises(errors.MemoryNotFoundError):
                store.get(unit.id, as_of=clock.now + late)
        assert [u.id for u in store.replay().list(namespace="a")] == [kept.id]


def test_the_state_is_as_if_it_had_never_been_said() -> None:
    """What purged evidence did to other memories goes with it; what others did stays, bit for bit."""

    def told(*, secret: bool) -> MemoryStore:
        clock = Clock()
        store = scrubjay.open(":memory:", embedder=EMBEDDER, clock=clock)
        ids = fill(store, 30)
        clock.now += 1
        doomed = []
        if secret:
            done = store.integrate("note 3 of room B3 Zanzibarquux", namespace="a")
            assert done.affected
            assert done.memory is not None
            doomed = [done.memory.id]
        clock.now += 1
        store.outcome([*ids[:4], *doomed], 1.0)
        clock.now += 1
        last = store.integrate("note 4 of room B4 is over", namespace="a")
        if secret:
            store.undo(done.event)
            assert store.delete(doomed, purge=True).memories == 1
        else:
            clock.now += 0
        assert last.event
        return store

    one, other = told(secret=True), told(secret=False)
    for name in ("when", "value", "pi", "tau", "a", "b", "evidence"):
        ours, theirs = (getattr(s._engine.columns, name)[s._engine.columns.live()] for s in (one, other))
        assert ours.tolist() == theirs.tolist(), name


def test_a_deleted_memory_can_be_purged_and_twice_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with opened(path) as store:
        unit = store.add(SECRET, namespace="a")
        store.delete(unit.id)
        wanted = needles([WORD], [])
        assert found(path, wanted)
        with pytest.raises(errors.MemoryNotFoundError):
            store.delete(unit.id, namespace="b", purge=True)
        assert store.delete(unit.id, purge=True).memories == 1
        assert found(path, wanted) == []
        assert store.delete(unit.id, purge=True).memories == 0
        again = store.add(SECRET, namespace="a")
        assert again.id != unit.id
        assert [h.memory.id for h in store.search(WORD, namespace="a")] == [again.id]


def test_a_context_that_others_have_stays(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        unit = store.add(SECRET, namespace="a", context="moving house")
        kept = store.add("tea is at four", namespace="a", context="moving house")
        assert store.delete(unit.id, purge=True).contexts == 0
        assert store.get(kept.id).context == "moving house"
        assert store.verify().ok
        assert store.delete(kept.id, purge=True).contexts == 1
        assert store.add("coffee", namespace="a", context="moving house").context == "moving house"
        assert store.verify().ok


def test_a_namespace_goes_whole_with_what_was_deleted_before_and_with_its_name(tmp_path: Path) -> None:
    path, labels = tmp_path / "s", ("tenant", f"{WORD}@example.org")
    with opened(path) as store, opened(path) as other:
        fill(store, 20, space="a")
        gone = store.add(f"{ACCENTED} was here", namespace=labels)
        store.delete(gone.id)
        store.add(SECRET, namespace=labels, context=WHERE)
        assert other.search(WORD, namespace=labels)
        receipt = store.delete_all(labels)
        assert (receipt.memories, receipt.namespaces, receipt.done) == (2, 1, True)
        assert found(path, needles([WORD, ACCENTED, "example.org"], [])) == []
        assert store.stats().namespaces == 1
        assert not other.search(WORD, namespace=labels)
        assert len(other) == 20
        # a new tenant of the same name begins with nothing, for every handle
        new = store.add("hello", namespace=labels)
        assert [u.id for u in other.list(namespace=labels)] == [new.id]
        assert [h.memory.id for h in other.search("hello", namespace=labels)] == [new.id]
        assert store.verify().ok


@contextmanager
def another_process(path: Path, job: Any) -> Iterator[Any]:
    """Run `job(path, wait)` in a process that goes on when told to; ends it."""
    go, mine = os.pipe()
    theirs, told = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(120)
            job(path, lambda: (os.write(told, b"."), os.read(go, 1)))
            status = 0
        finally:
            os._exit(status)
    try:
        assert os.read(theirs, 1) == b"."
        yield lambda: (os.write(mine, b"."), os.read(theirs, 1))
        os.write(mine, b".")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        for end in (go, mine, theirs, told):
            os.close(end)


def holds_it_open(path: Path, wait: Any) -> None:
    with opened(path) as store:
        assert store.search(WORD, namespace="a")[0].memory.text.startswith(WORD)
        wait()
        assert not ids_that_say(store)
        assert all(WORD not in hit.memory.text for hit in store.search(WORD, namespace="a"))
        store.add("said by another process", namespace="a")
        store.close()


def purged_beside_another(folder: Path, rounds: range) -> None:
    for i in rounds:
        chance = random.Random(i)
        path = folder / f"{i}"
        with opened(path) as store:
            fill(store, chance.randint(0, 40))
            if chance.random() < 0.7:
                _, wanted = all_of_it(store)
            else:
                store.add(SECRET, namespace="a")
                wanted = needles([WORD, ACCENTED], EMBEDDER.embed([SECRET]))
        assert found(path, wanted)
        with another_process(path, holds_it_open), opened(path) as store:
            receipt = store.delete(ids_that_say(store), purge=True)
            assert receipt.done, receipt
            assert found(path, wanted) == []
        assert found(path, wanted) == []
        with opened(path) as store:
            assert store.verify().ok
        shutil.rmtree(path)


def test_twenty_purges_beside_another_process_leave_nothing(quick_path: Path, counted: Any) -> None:
    purged_beside_another(quick_path, range(20))
    counted("purges beside another process", purges=20, residues=0)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(40))
def test_a_thousand_purges_beside_another_process_leave_nothing(quick_path: Path, counted: Any, part: int) -> None:
    purged_beside_another(quick_path, range(25 * part, 25 * part + 25))
    counted("purges beside another process", purges=25, residues=0)


def reads_on(path: Path, wait: Any) -> None:
    with EventLog.open(str(path), read_only=True) as log, log.read() as view:
        assert view.rows([1])
        wait()


def test_pages_that_another_process_still_reads_are_told_and_cleaned_by_the_next_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    monkeypatch.setattr(erase, "PATIENCE", 0.2)
    with opened(path) as store:
        unit = store.add(SECRET, namespace="a")
    wanted = needles([WORD], EMBEDDER.embed([SECRET]))
    with another_process(path, reads_on), opened(path) as store:
        receipt = store.delete(unit.id, purge=True)
        assert not receipt.done
        assert "log.sqlite" in receipt.left[0]
        assert [entry.event for entry in store.history(unit.id)] == ["purged"]
        assert not store.verify().ok
    with opened(path) as store:
        assert found(path, wanted) == []
        assert store.verify().ok


def damage(path: Path, seq: int) -> None:
    """Change one letter of the words that an event holds."""
    db = apsw.Connection(str(path / "log.sqlite"))
    ((body,),) = db.execute("SELECT body FROM events WHERE seq = ?", (seq,)).fetchall()
    at = body.index(WORD.encode()) + len(WORD)
    db.execute("UPDATE events SET body = ? WHERE seq = ?", (body[:at] + b"??" + body[at + 2 :], seq))
    db.close()


@pytest.mark.parametrize("event", ["learned", "updated", "outcome"])
def test_a_damaged_event_about_it_goes_too(tmp_path: Path, event: str) -> None:
    path = tmp_path / "s"
    with opened(path) as store:
        fill(store, 5)
        unit = store.add(SECRET, namespace="a")
        store.update(unit.id, text=f"{SECRET} now")
        store.outcome(unit.id, 1.0, source=f"{WORD} bot")
        (seq,) = (entry.seq for entry in store.history(unit.id) if entry.event == event)
    damage(path, seq)
    with opened(path) as store:
        assert store.verify().damaged == [seq]
        assert store.delete(unit.id, purge=True).done
        assert found(path, needles([WORD], [])) == []
        assert [entry.event for entry in store.history(unit.id)] == ["purged"]
        assert len(store) == 5
        assert store.verify().ok


def test_a_store_in_memory_and_an_old_one_can_purge(tmp_path: Path) -> None:
    with scrubjay.open(":memory:", embedder=EMBEDDER) as store:
        unit = store.add(SECRET)
        assert store.delete(unit.id, purge=True).done
        assert not len(store)
        assert store.delete_all((), root=True).done
    path = tmp_path / "old"
    path.mkdir()
    golden = Path(__file__).parents[1] / "golden" / "facade-1.sqlite.gz"
    (path / "log.sqlite").write_bytes(gzip.decompress(golden.read_bytes()))
    with EventLog.open(str(path)) as log:
        meta = log.meta
    with scrubjay.open(path, embedder=WordHash(meta.dim, meta.embedder)) as store:
        every = [row.id for row in store._engine.log.rows(store._engine.columns.key.tolist()).values()]
        before = len(store)
        assert before > 1
        receipt = store.delete(to_text(every[0]), purge=True)
        assert receipt.done
        assert len(store) == before - receipt.memories
        assert store.verify().ok


# -- ended in the middle


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, bytes], int]:
    """A store with a secret in it, and the number of write steps of its purge."""
    path = tmp_path_factory.mktemp("made") / "s"
    with opened(path) as store:
        fill(store, 12)
        id, wanted = all_of_it(store)
    copy = path.with_name("copy")
    shutil.copytree(path, copy)
    with failing(Switch()) as switch:
        purge(copy)
    assert found(copy, wanted) == []
    return path, id, wanted, switch.steps


def purge(path: Path) -> None:
    with opened(path) as store:
        store.delete(ids_that_say(store), purge=True)


def ended_at(folder: Path, made: tuple[Path, str, dict[str, bytes], int], step: int) -> None:
    source, id, wanted, _ = made
    path = folder / f"{step}"
    shutil.copytree(source, path)
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            with failing(Switch(step, "exit")):
                purge(path)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 99
    whole_or_gone(path, id, wanted)
    shutil.rmtree(path)


def whole_or_gone(path: Path, id: str, wanted: dict[str, bytes]) -> None:
    """The next open finds the memory as it was, where the purge had not begun, or finishes it."""
    with opened(path) as store:
        with store._engine.log.read() as view:
            assert read_intent(view) is None
        events = [entry.event for entry in store.history(id)]
        if events != ["purged"]:
            assert id in ids_that_say(store)
            assert events[0] == "learned"
            assert "forgotten" not in events
            store.delete(ids_that_say(store), purge=True)
        assert found(path, wanted) == []
        assert store.verify().ok
        assert store.rebuild().same


def test_ended_at_every_third_step_the_next_open_finishes_it(quick_path: Path, made: Any) -> None:
    assert made[3] > 30
    for step in range(1, made[3] + 1, 3):
        ended_at(quick_path, made, step)


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_ended_at_every_step_the_next_open_finishes_it(quick_path: Path, made: Any) -> None:
    for step in range(1, made[3] + 1):
        ended_at(quick_path, made, step)


@pytest.mark.parametrize("kind", ["EIO", "ENOSPC"])
def test_a_disk_that_fails_in_the_middle_leaves_it_whole_or_gone(quick_path: Path, made: Any, kind: str) -> None:
    source, id, wanted, steps = made
    for step in range(2, steps, 7):
        path = quick_path / f"{kind}-{step}"
        shutil.copytree(source, path)
        try:
            with failing(Switch(step, kind, lasting=step % 2 == 0)):
                purge(path)
        except (errors.StoreError, OSError):
            pass
        whole_or_gone(path, id, wanted)
        shutil.rmtree(path)
