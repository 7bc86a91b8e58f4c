"""The verbs through the facade, as a caller uses them."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, NewMemory, Perishability, errors
from scrubjay.encode.when import to_seconds
from scrubjay.verbs import read
from toys import NOW, Clock, WordHash

DAY = 86400.0


def texts(hits: scrubjay.Hits) -> list[str]:
    return [hit.memory.text for hit in hits]


def test_what_was_added_is_found_and_taken_apart(store: MemoryStore) -> None:
    store.add("the deploy key is in the vault", context="release")
    store.add("the office cat is called Miso", context="office")
    hits = store.search("where is the deploy key", context="release", k=2)
    assert texts(hits)[0] == "the deploy key is in the vault"
    for hit in hits:
        assert sum(hit.factors.values()) == pytest.approx(hit.score, abs=1e-12)
        assert 0.0 <= hit.valid <= 1.0
        assert "\n" not in str(hit)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits.exact


def test_factors_equal_the_law(store: MemoryStore, clock: Clock) -> None:
    chosen = Perishability(label="task_specific", pi=0.6, tau=DAY)
    store.add("alpha beta", context="here", perishability=chosen, value=2.0, when=NOW - DAY)
    (hit,) = store.search(
        "alpha gamma", context="here", weights={"what": 0.5, "where": 0.2, "when": 0.3}, scoring="paper"
    )
    embed = WordHash().embed(["alpha beta", "alpha gamma"]).astype(np.float64)
    unit = embed / np.linalg.norm(embed, axis=1, keepdims=True)
    assert hit.factors["what"] == pytest.approx(0.5 * unit[0] @ unit[1], abs=1e-6)
    assert hit.factors["where"] == pytest.approx(0.2, abs=1e-6)
    assert hit.valid == pytest.approx(np.exp(-0.6), rel=1e-6)
    assert hit.factors["when"] == pytest.approx(0.3 * 2.0 * np.exp(-0.6), rel=1e-6)
    assert hit.factors["graph"] == 0.0


def test_adding_again_grows_evidence_and_embeds_nothing(clock: Clock) -> None:
    embedder = WordHash()
    with scrubjay.open(":memory:", embedder=embedder, clock=clock) as store:
        first = store.add("tea, not coffee")
        calls = len(embedder.calls)
        clock.now += DAY
        again = store.add("  tea,   not coffee\n")
        assert again.id == first.id
        assert again.text == "tea, not coffee"
        assert again.evidence == 2
        assert again.when == NOW + DAY
        assert len(embedder.calls) == calls
        assert len(store) == 1


def test_a_key_is_an_identity_of_its_own(store: MemoryStore) -> None:
    a = store.add("version 1", key="release")
    b = store.add("version 2", key="release")
    c = store.add("version 1")
    assert a.id == b.id
    assert b.text == store.get(a.id).text == "version 2"
    assert c.id != a.id


def test_bug_02_storing_what_was_recalled_keeps_one_memory(store: MemoryStore) -> None:
    store.add("the build runs on Fridays")
    for _ in range(30):
        store.add(store.search("when does the build run")[0].memory.text)
    assert len(store) == 1
    assert store.list()[0].evidence == 31


DOOR = (
    {"text": "The door code is 1111.", "when": "2025-06-01", "metadata": {"page": 1, "by": "ada"}, "context": "desk"},
    {"text": "The door code is 2222.", "when": "2026-02-01", "metadata": {"page": 2}},
    {"text": "The door code is 3333.", "when": "2026-03-01"},
)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_what_is_imported_out_of_order_under_a_key_ends_as_in_order(
    store: MemoryStore, order: tuple[int, ...], at_once: bool
) -> None:
    items = [{**DOOR[i], "key": "door"} for i in order]
    if at_once:
        units = store.add_many(items)
        assert units.added == 1
    else:
        for item in items:
            units = store.add_many([item])
        assert units.added == 0
    (unit,) = store.list()
    assert units[-1] == unit, "what is returned is what holds"
    assert (unit.text, unit.evidence, unit.context) == ("The door code is 3333.", 3, "desk")
    assert unit.when == to_seconds("2026-03-01")
    assert (unit.metadata["by"], store.search("door code")[0].memory.text) == ("ada", unit.text)
    assert store.add("The door code is 4444.", key="door", when="2026-03-01").text == "The door code is 4444."


def test_another_text_holds_from_the_update_on(store: MemoryStore) -> None:
    unit = store.add("The standup is in room 3.", when="2020-01-01", key="standup")
    for same in ({"value": 0.5}, {"metadata": {"page": 1}}, {"text": "The standup  is in room 3."}, {"context": "c"}):
        assert store.update(unit.id, **same).when == unit.when
    after = store.update(unit.id, text="The standup is in room 5.")
    assert after.when == after.updated > unit.when
    assert store.add("The standup is in room 4.", key="standup", when="2021-01-01").text == after.text
    assert store.update(unit.id, text="The standup is in room 6.", when="2020-02-01").when == to_seconds("2020-02-01")


def test_bug_04_update_keeps_what_it_is_not_told(store: MemoryStore) -> None:
    chosen = Perishability(label="procedural", pi=0.25, tau=9 * DAY)
    before = store.add("old text", context="c", metadata={"owner": "ada", "tags": [1], "gone": 1}, perishability=chosen)
    after = store.update(before.id, text="new text")
    assert after.text == "new text"
    assert after.metadata == {"owner": "ada", "tags": [1], "gone": 1}
    assert (after.perishability.pi, after.perishability.tau) == (0.25, 9 * DAY)
    assert (after.created, after.context) == (before.created, "c")
    assert store.update(before.id, value=0.5).when == after.when, "another text holds from its own time on"
    assert store.update(before.id, metadata={"gone": None, "new": "x"}).metadata == {
        "owner": "ada",
        "tags": [1],
        "new": "x",
    }
    assert texts(store.search("new text")) == ["new text"]
    assert [entry.event for entry in store.history(before.id)] == ["learned", "updated", "updated", "updated"]


def test_bug_05_deleting_a_namespace_takes_all_of_it_and_nothing_else(store: MemoryStore) -> None:
    store.add_many([NewMemory(text=f"note {i}", namespace="u1") for i in range(150)])
    store.add("note of another", namespace="u2")
    assert store.delete_all("*").memories == 0
    for scope in ("", (), None):
        with pytest.raises(errors.ArgumentError):
            store.delete_all(scope)  # type: ignore[arg-type]
    assert store.delete_all("u1").memories == 150
    assert store.list(namespace="u1") == []
    assert not store.search("note", namespace="u1")
    assert len(store.list(namespace="u2")) == 1


@pytest.mark.parametrize("scope", ["", (), None, [], ("",)])
def test_bug_24_an_empty_scope_deletes_nothing(store: MemoryStore, scope: object) -> None:
    for labels in ((), "a", "b"):
        store.add("a note", namespace=labels)
    with pytest.raises(errors.ArgumentError, match="namespace"):
        store.delete_all(scope)  # type: ignore[arg-type]
    assert store.delete_all("*", purge=False) == 0
    assert [len(store.list(namespace=labels)) for labels in ((), "a", "b")] == [1, 1, 1]
    assert store.delete_all("a", purge=False) == 1
    assert [len(store.list(namespace=labels)) for labels in ((), "a", "b")] == [1, 0, 1]
    assert store.delete_all((), root=True).memories == 1
    assert [len(store.list(namespace=labels)) for labels in ((), "a", "b")] == [0, 0, 1]


def test_bug_19_readers_see_every_acknowledged_memory_while_columns_grow(clock: Clock) -> None:
    with scrubjay.open(":memory:", embedder=WordHash(8), clock=clock) as store:
        capacity, acknowledged = 64, [store.add("first").id]
        done = threading.Event()

        def write(name: str) -> None:
            for i in range(2 * capacity):
                acknowledged.append(store.add(f"{name} {i}").id)

        def look() -> None:
            while not done.is_set():
                wanted = list(acknowledged)
                found = {unit.id for unit in store.list(limit=10_000)}
                assert found.issuperset(wanted)
                hits = store.search("left 1", k=50, scoring="paper")
                assert len({hit.memory.id for hit in hits}) == len(hits) >= min(50, len(wanted))

        with ThreadPoolExecutor(4) as pool:
            readers = [pool.submit(look) for _ in range(2)]
            try:
                for writer in [pool.submit(write, name) for name in ("left", "right")]:
                    writer.result(120)
            finally:
                done.set()
            for reader in readers:
                reader.result(120)
        assert {unit.id for unit in store.list(limit=10_000)} == set(acknowledged)
        assert len(acknowledged) == 1 + 4 * capacity


def test_bug_09_namespaces_are_compared_label_by_label(store: MemoryStore) -> None:
    spaces = [("u", "john_doe"), ("u", "john-doe"), ("a", "b:c"), ("a", "b", "c"), ("use",), ("users",), ("%",), ("u",)]
    for labels in spaces:
        store.add("one and the same text", namespace=labels, metadata={"labels": list(labels)})
    assert len(store) == len(spaces)
    for labels in spaces:
        (hit,) = store.search("one and the same text", namespace=labels, k=50)
        assert hit.memory.namespace == labels
        assert [unit.namespace for unit in store.list(namespace=labels)] == [labels]
        other = spaces[0] if labels != spaces[0] else spaces[1]
        with pytest.raises(errors.MemoryNotFoundError):
            store.get(hit.memory.id, namespace=other)


def test_delete_is_all_or_none(store: MemoryStore) -> None:
    units = store.add_many(["a", "b"])
    with pytest.raises(errors.MemoryNotFoundError):
        store.delete([units[0].id, "nope"])
    assert len(store) == 2
    assert store.delete([u.id for u in units]) == 2
    assert len(store) == 0
    assert store.add("a").id != units[0].id


def test_what_was_added_is_there_after_opening_again(tmp_path: Path, clock: Clock) -> None:
    embedder = WordHash()
    with scrubjay.open(tmp_path / "s", embedder=embedder, clock=clock) as store:
        store.add_many([NewMemory(text=f"fact {i}", context=f"c{i % 3}", namespace=str(i % 2)) for i in range(50)])
        wanted = store.search("fact 7", namespace="1", context="c1", k=20)
    calls = len(embedder.calls)
    with scrubjay.open(tmp_path / "s", embedder=embedder, clock=clock) as store:
        assert len(embedder.calls) == calls
        assert store.search("fact 7", namespace="1", context="c1", k=20) == wanted
        assert store.verify().ok


def test_bug_11_ten_thousand_texts_are_embedded_in_batches(clock: Clock) -> None:
    embedder = WordHash(16)
    done: list[tuple[int, int]] = []
    with scrubjay.open(":memory:", embedder=embedder, clock=clock) as store:
        items = [f"text number {i}" for i in range(10_000)]
        store.add_many(items, progress=lambda d, t: done.append((d, t)))
        assert sum(embedder.calls) == 10_000
        assert len(embedder.calls) <= 10_000 // 100
        assert done[-1] == (10_000, 10_000)
        assert [d for d, _ in done] == sorted({d for d, _ in done})
        store.add_many(items)
        assert sum(embedder.calls) == 10_000
        assert len(store) == 10_000


def test_a_namespace_is_as_good_as_alone(clock: Clock) -> None:
    """A namespace's hits do not depend on what others hold."""
    alone = scrubjay.open(":memory:", embedder=WordHash(), clock=clock)
    crowd = scrubjay.open(":memory:", embedder=WordHash(), clock=clock)
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(40)]
    mine = [" ".join(rng.choice(words, 5)) + f" {i}" for i in range(60)]
    for i, text in enumerate(mine):
        alone.add(text, namespace="me")
        crowd.add_many([f"{text} {j}" for j in range(i % 4)])
        crowd.add(text, namespace="me")
        crowd.add(text, namespace=f"other {i % 7}")
    for query in ("w1 w2", "w30", "w5 w6 w7"):
        a, b = alone.search(query, namespace="me", k=10), crowd.search(query, namespace="me", k=10)
        assert texts(a) == texts(b)
        assert [h.score for h in a] == [h.score for h in b]
    alone.close()
    crowd.close()


def test_threads_share_a_store(clock: Clock) -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as store:
        failures: list[BaseException] = []

        def work(name: str) -> None:
            try:
                for i in range(25):
                    unit = store.add(f"{name} says {i}")
                    hits = store.search(f"{name} says {i}", k=100, scoring="paper" if i % 5 else None)
                    assert unit.id in {hit.memory.id for hit in hits}
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not failures
        assert len(store) == 100


def test_pages_cover_a_namespace_once(store: MemoryStore) -> None:
    ids = [unit.id for unit in store.add_many([NewMemory(text=f"m{i}", namespace="n") for i in range(23)])]
    store.delete(ids[5])
    seen: list[str] = []
    after = None
    while page := store.list(namespace="n", limit=7, after=after):
        seen += [unit.id for unit in page]
        after = page[-1].id
    assert seen == ids[:5] + ids[6:]
    assert store.list(namespace="n", after=ids[5])[0].id == ids[6]


def test_a_long_list_says_that_its_end_is_not_proved(store: MemoryStore) -> None:
    store.add_many([f"shelf{i} holds jar{i} and lid{i}" for i in range(700)])
    short, long = store.search("shelf3 holds jar3", k=10), store.search("shelf3 holds jar3", k=400)
    assert short.exact
    assert len(long) == 400
    assert not long.exact
    assert any("not proved exact" in note for note in long.notes)
    assert store.search("shelf3 holds jar3", k=400, scoring="paper", weights={"what": 0.7, "when": 0.3}).exact


def test_of_two_statements_about_one_day_the_one_written_later_holds(store: MemoryStore, clock: Clock) -> None:
    store.add("The gate code is 1.", when=NOW - DAY)
    clock.now += 60.0
    store.add("The gate code is 2.", when=NOW - DAY)
    hits = store.search("gate code")
    assert texts(hits) == ["The gate code is 2.", "The gate code is 1."]
    assert hits[1].superseded > 0.6
    assert hits[0].superseded == 0.0


def test_a_memory_tells_the_key_under_which_it_was_added(tmp_path: Path) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(64), clock=Clock()) as store:
        keyed = store.add("the room is 4.12", key="room")
        plain = store.add("tea is at four")
        many = store.add_many([{"text": "a", "key": "a"}, "b"])
        assert [unit.key for unit in (keyed, plain, *many)] == ["room", None, "a", None]
        assert store.add("the room is 4.13", key="room").key == "room"
        assert store.search("room", k=1)[0].memory.key == "room"
    with scrubjay.open(tmp_path / "s", embedder=WordHash(64), clock=Clock()) as store:
        store.rebuild()
        assert [unit.key for unit in store.list()] == ["room", None, "a", None]
        store.delete(keyed.id, purge=True)
    assert b"4.13" not in (tmp_path / "s" / "log.sqlite").read_bytes()


def test_a_purge_between_a_search_and_its_notes_changes_nothing_of_them(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_many([NewMemory(text=f"tea in another house {i}", namespace="junk", when=NOW + 9e6) for i in range(30)])
    mine = [store.add(f"tea number {i}", namespace="mine").id for i in range(5)]
    notes_on = read.notes_on

    def late(*given: Any) -> list[str]:
        store.delete_all("junk", purge=True)
        store.compact()
        return notes_on(*given)

    monkeypatch.setattr(read, "notes_on", late)
    hits = store.search("tea", namespace="mine", k=5, now=NOW)
    assert sorted(hit.memory.id for hit in hits) == sorted(mine)
    assert not any("begin" in note for note in hits.notes)
