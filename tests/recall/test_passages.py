"""Passages of long memories: how texts are cut, what a search makes of them, and what keeps them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import scrubjay
from scrubjay import MemoryStore, errors
from scrubjay.encode.passages import LONG, LONGEST, MOST, split_passages
from scrubjay.events import Learned
from scrubjay.fold import rebuild
from scrubjay.memory import spoken
from scrubjay.passages import Passages, packed, places, unpacked
from scrubjay.store import snapshot
from scrubjay.store.log import EventLog
from toys import Clock, WordHash

WHAT = {"what": 1.0, "lexical": 0.0, "thread": 0.0}
VOCABULARY = [f"w{i}" for i in range(2000)]


def prose(rng: random.Random, words: int) -> str:
    """Sentences of twelve words that mean nothing."""
    return " ".join(" ".join(rng.choice(VOCABULARY) for _ in range(12)) + "." for _ in range(max(1, words // 12)))


def opened(path: Any = ":memory:", **more: Any) -> MemoryStore:
    more.setdefault("embedder", WordHash(48))
    return scrubjay.open(path, clock=Clock(), durability="normal", **more)


def filled(store: MemoryStore, seed: int = 0, long: int = 40, short: int = 60) -> list[str]:
    rng = random.Random(seed)
    texts = [f"{prose(rng, rng.randrange(150, 600))} The code of unit {i} is {7000 + i}." for i in range(long)]
    texts += [prose(rng, 12) for _ in range(short)]
    rng.shuffle(texts)
    store.add_many(texts)
    return texts


# -- cutting


@given(
    st.lists(
        st.sampled_from(["a fact. ", "word ", "\n\n", "说成语。", "x" * 900, "Is it? ", "  ", "é", "«Oui.» "]),
        max_size=400,
    ).map("".join)
)
@settings(deadline=None, max_examples=200)
def test_passages_cover_a_text_in_order_and_are_bounded(text: str) -> None:
    spans = split_passages(text)
    if len(text) <= LONG:
        assert spans == []
    at = 0
    for start, stop in spans:
        assert at <= start < stop <= len(text)
        assert not text[at:start].strip()
        assert stop - start <= LONGEST
        assert text[start:stop] == text[start:stop].strip()
        at = stop
    assert not spans or not text[at:].strip()
    assert len(spans) <= MOST
    assert len(spans) != 1


def test_the_largest_text_has_so_many_passages_and_its_end_among_them() -> None:
    text = "One more sentence that says a little. " * 220_000
    spans = split_passages(text)
    assert len(spans) == MOST
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text.rstrip())


def test_a_text_without_white_space_is_cut_hard() -> None:
    text = "成" * 5000
    spans = split_passages(text)
    assert "".join(text[a:b] for a, b in spans) == text
    assert max(b - a for a, b in spans) <= LONGEST


def test_sentences_stay_whole() -> None:
    text = " ".join(f"Sentence number {i} says that room {i} is free." for i in range(60))
    assert all(text[b - 1] == "." for _, b in split_passages(text))


# -- searching


def oracle(store: MemoryStore, texts: list[str], query: str, dim: int = 48) -> dict[str, float]:
    """what(m, q) of each text by plain NumPy."""
    embed = WordHash(dim).embed

    def unit(some: list[str]) -> Any:
        rows = embed(some).astype(np.float64)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32).astype(np.float64)

    (q,) = unit([query])
    return {text: float((unit([text, *(text[a:b] for a, b in split_passages(text))]) @ q).max()) for text in texts}


@pytest.mark.parametrize("scoring", ["paper", "competitive"])
def test_a_memory_scores_by_the_nearest_of_its_whole_and_its_passages(scoring: Any) -> None:
    with opened() as store:
        texts = filled(store)
        for query in ("code of unit 17", "w7 w8 w9", "unit is", texts[3][-150:]):
            wanted = oracle(store, texts, query)
            hits = store.search(query, k=7, weights=WHAT, scoring=scoring)
            assert hits.exact
            assert "passages" in hits.plan.split("+")
            best = sorted(wanted.values(), reverse=True)[:7]
            assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-6)
            assert [hit.score for hit in hits] == pytest.approx([wanted[hit.memory.text] for hit in hits], abs=1e-6)


def test_a_short_list_is_the_head_of_the_whole_one() -> None:
    with opened() as store:
        filled(store, long=500, short=300)
        for query in ("code of unit 17", "w7 w8", "the unit"):
            whole = store.search(query, k=800, context="w3", now=1.7e9)
            short = store.search(query, k=5, context="w3", now=1.7e9)
            assert short.exact
            assert [h.memory.id for h in short] == [h.memory.id for h in whole][:5]


def test_the_hit_names_the_passage() -> None:
    with opened() as store:
        filled(store)
        hit = store.search("code of unit 17 is 7017.", k=1)[0]
        assert hit.passage is not None
        assert hit.passage.text == hit.memory.text[hit.passage.start : hit.passage.stop]
        assert hit.passage.text.endswith("The code of unit 17 is 7017.")
        assert hit.passage.text[:60] in str(hit)


def test_bug_13_a_fact_at_the_end_of_30_000_words_is_found_and_named() -> None:
    rng = random.Random(3)
    with opened(embedder=WordHash(1024)) as store:
        tale = f"{prose(rng, 30_000)} The vault code is amber seven."
        assert len(tale.split()) > 30_000
        store.add_many([prose(rng, 40) for _ in range(200)])
        store.add(tale)
        store.add_many([prose(rng, 2000) for _ in range(5)])
        for weights in (None, WHAT):
            hit = store.search("the vault code is", k=1, weights=weights)[0]
            assert hit.memory.text == tale
            assert hit.passage is not None
            assert hit.passage.text.endswith("The vault code is amber seven.")


def test_short_texts_have_no_passages_and_their_plan_none() -> None:
    with opened() as store:
        store.add_many([f"note {i}" for i in range(20)])
        hits = store.search("note 3")
        assert all(hit.passage is None for hit in hits)
        assert "passages" not in hits.plan
        assert store._engine.columns.passages.nbytes == 0


def test_a_search_without_weight_on_what_looks_at_no_passage() -> None:
    with opened() as store:
        filled(store, long=3)
        hits = store.search("code", weights={"when": 1.0})
        assert all(hit.passage is None for hit in hits)
        assert "passages" not in hits.plan


def test_passages_of_other_namespaces_and_archived_ones_are_not_seen() -> None:
    with opened() as store:
        rng = random.Random(5)
        store.add(f"{prose(rng, 300)} The vault code is amber.", namespace="a")
        mine = store.add(f"{prose(rng, 300)} Nothing here.", namespace="b")
        hits = store.search("vault code amber", namespace="b", weights=WHAT)
        assert [hit.memory.id for hit in hits] == [mine.id]
        assert hits[0].passage is not None
        assert "amber" not in hits[0].passage.text
        store.delete(mine.id)
        assert len(store.search("vault code amber", namespace="b")) == 0


def test_speaker_and_date_are_part_of_each_passage() -> None:
    embedder = WordHash(48)
    with opened(embedder=embedder) as store:
        text, about = prose(random.Random(1), 400), {"speaker": "Ada", "date": "8 May"}
        store.add(text, metadata=about)
        spans, vectors = store._engine.columns.passages.of(1)
        first = embedder.embed([spoken(text[spans[0, 0] : spans[0, 1]], about)])[0]
        assert float(first @ vectors[0] / np.linalg.norm(first)) == pytest.approx(1.0, abs=1e-6)


# -- keeping


def state(store: MemoryStore) -> str:
    """The store's digest, after a fold of its log alone was found equal."""
    engine = store._engine
    engine.refresh()
    digest = engine.columns.digest()
    assert rebuild(engine.log).digest() == digest
    return digest


def test_a_change_of_text_renews_them_and_a_deletion_takes_them_away() -> None:
    rng = random.Random(2)
    with opened() as store:
        passages = lambda: store._engine.columns.passages  # noqa: E731
        memory = store.add(f"{prose(rng, 300)} The vault code is amber.")
        before = len(passages())
        store.update(memory.id, text=f"{prose(rng, 900)} The lamp is green.")
        assert len(passages()) > before
        hit = store.search("lamp green", k=1)[0]
        assert hit.passage is not None
        assert "lamp" in hit.passage.text
        state(store)
        store.update(memory.id, value=0.5)
        assert len(passages()) > before
        store.update(memory.id, text="short now")
        assert len(passages()) == 0
        assert store.search("short now", k=1)[0].passage is None
        state(store)
        store.update(memory.id, text=prose(rng, 400))
        other = store.add(prose(rng, 500))
        store.delete(memory.id)
        assert set(passages().table().key.tolist()) == {2}
        state(store)
        store.delete(other.id)
        assert len(passages()) == 0
        state(store)


def test_a_purge_leaves_none_of_them(tmp_path: Path) -> None:
    rng = random.Random(7)
    with opened(tmp_path / "s") as store:
        gone, kept = store.add(f"{prose(rng, 300)} The vault code is amber."), store.add(prose(rng, 300))
        vector = store._engine.columns.passages.of(1)[1][0].tobytes()
        snapshot.save(store._engine.log, store._engine.columns)
        files = [file for file in (tmp_path / "s").rglob("*") if file.is_file()]
        assert any(vector in file.read_bytes() for file in files)
        assert store.delete(gone.id, purge=True).done
        assert store.search("vault code amber", k=1)[0].memory.id == kept.id
        assert store._engine.columns.passages.table().key.tolist() == [2]
        state(store)
    assert not any(vector in file.read_bytes() for file in (tmp_path / "s").rglob("*") if file.is_file())


def test_a_new_speaker_renews_them() -> None:
    with opened() as store:
        memory = store.add(prose(random.Random(4), 300), metadata={"speaker": "Ada"})
        before = store._engine.columns.passages.of(1)[1].copy()
        store.update(memory.id, metadata={"speaker": "Bo"})
        assert not np.array_equal(before, store._engine.columns.passages.of(1)[1])
        state(store)


def test_evidence_moves_the_whole_and_leaves_the_passages(tmp_path: Path) -> None:
    rng = random.Random(6)
    with opened(tmp_path / "s") as store:
        text = prose(rng, 300)
        store.add(text)
        before = store._engine.columns.passages.digest()
        done = store.integrate(text[: len(text) // 2])
        spans, vectors = store._engine.columns.passages.of(1)
        assert len(spans) == len(vectors) > 1
        state(store)
        store.undo(done.event)
        assert store._engine.columns.passages.digest() == before
        state(store)


def test_snapshots_carry_them(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        filled(store)
        expected = state(store)
        wanted = [(h.memory.id, h.score, h.passage) for h in store.search("code of unit 5", now=1.7e9)]
        assert snapshot.save(store._engine.log, store._engine.columns).outcome == "written"
    with opened(tmp_path / "s") as again:
        assert again._snapshot_status.outcome == "loaded"
        assert state(again) == expected
        assert [(h.memory.id, h.score, h.passage) for h in again.search("code of unit 5", now=1.7e9)] == wanted
        again.add(prose(random.Random(9), 400))
        state(again)
        assert not again.verify().findings


@pytest.mark.parametrize("harm", ["missing", "flipped", "cut"])
def test_a_damaged_file_of_passages_is_not_used(tmp_path: Path, harm: str) -> None:
    with opened(tmp_path / "s") as store:
        filled(store, long=4, short=4)
        expected = state(store)
        snapshot.save(store._engine.log, store._engine.columns)
        folder = Path(str(store._engine.log.snapshot_folder))
    (file,) = folder.glob("passages-*.arrow")
    data = bytearray(file.read_bytes())
    if harm == "missing":
        file.unlink()
    else:
        data[len(data) // 2] ^= 1
        file.write_bytes(bytes(data) if harm == "flipped" else bytes(data[:-9]))
    with opened(tmp_path / "s") as again:
        assert again._snapshot_status.outcome == "damaged"
        assert state(again) == expected


def test_a_log_without_them_is_read_and_a_reembedding_makes_them(tmp_path: Path, monkeypatch: Any) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("scrubjay.verbs.texts.split_passages", lambda text: [])
        with opened(tmp_path / "old") as store:
            filled(store)
            assert len(store._engine.columns.passages) == 0
            old = store.search("code of unit 5", k=3)
            assert len(old) == 3
            assert all(hit.passage is None for hit in old)
    assert scrubjay.reembed(tmp_path / "old", embedder=WordHash(48), force=True).changed
    with opened(tmp_path / "old") as store, opened() as new:
        filled(new)
        assert [(h.memory.text, h.score, h.passage) for h in store.search("code of unit 5", now=1.7e9)] == [
            (h.memory.text, h.score, h.passage) for h in new.search("code of unit 5", now=1.7e9)
        ]
        state(store)


def test_another_embedder_gives_them_its_vectors(tmp_path: Path) -> None:
    rng = random.Random(8)
    with opened(tmp_path / "s") as store:
        kept = store.add(f"{prose(rng, 300)} The vault code is amber.")
        changed = store.add(prose(rng, 300))
        store.update(changed.id, text=f"{prose(rng, 300)} The lamp is green.")
    other = WordHash(96, "other-1")
    scrubjay.reembed(tmp_path / "s", embedder=other)
    with opened(tmp_path / "s", embedder=other) as store:
        assert store._engine.columns.passages.dim == 96
        for query, id in (("vault code amber", kept.id), ("lamp green", changed.id)):
            hit = store.search(query, k=1)[0]
            assert hit.memory.id == id
            assert hit.passage is not None
            assert query.split()[0] in hit.passage.text
        state(store)


def test_the_past_has_the_passages_of_then(tmp_path: Path) -> None:
    clock = Clock(1.7e9)
    with scrubjay.open(tmp_path / "s", embedder=WordHash(48), clock=clock) as store:
        memory = store.add(f"{prose(random.Random(8), 300)} The vault code is amber.")
        clock.now += 100
        store.update(memory.id, text="short")
        past = store.search("vault code amber", as_of=1.7e9 + 50)[0]
        assert past.score > 0.3


def test_many_changes_waste_no_room() -> None:
    rng = random.Random(1)
    with opened(embedder=WordHash(8)) as store:
        for _ in range(12):
            ids = [m.id for m in store.add_many([prose(rng, 3000) for _ in range(20)])]
            store.delete(ids)
        assert store._engine.columns.passages.nbytes < 60 * 20 * 40 * 3
        state(store)


@pytest.mark.parametrize(
    "spans",
    [[(0, 5), (3, 8)], [(-1, 4)], [(0, 99)], [(4, 4)]],
    ids=["overlapping", "before", "behind", "empty"],
)
def test_an_event_with_unsound_passages_is_refused(spans: list[tuple[int, int]]) -> None:
    log = EventLog.open(":memory:", embedder="e", dim=2)
    one = packed(spans, np.repeat(np.float32([[1, 0]]), len(spans), axis=0))
    event = Learned(
        at=0.0, key=1, id=bytes(16), space=0, text="0123456789", dedupe=bytes(16), vector=np.float32([1, 0]).tobytes(),
        when=0.0, perishability=scrubjay.Perishability(label="factual", pi=0.1, tau=1e6),
        spans=one[0], passages=one[1],
    )  # fmt: skip
    with log.write() as tx, pytest.raises(errors.ArgumentError, match="spans"):
        tx.append([event])
    log.close()


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 5)), max_size=40), st.integers(0, 3))
@settings(deadline=None)
def test_what_is_put_last_is_what_is_there(steps: list[tuple[int, int]], waste: int) -> None:
    import scrubjay.passages as module

    held: dict[int, Any] = {}
    passages = Passages(3)
    before, module.WASTE = module.WASTE, waste  # type: ignore[misc]
    try:
        for number, (key, count) in enumerate(steps):
            span = np.array([[2 * i, 2 * i + 1] for i in range(count)], np.int32).reshape(-1, 2)
            what = np.full((count, 3), number, np.float32)
            passages.put(key, span, what)
            held[key] = (span, what)
            if not count:
                del held[key]
            assert len(passages) == sum(len(span) for span, _ in held.values())
            for one, (span, what) in held.items():
                found = passages.of(one)
                assert np.array_equal(found[0], span)
                assert np.array_equal(found[1], what)
            table = passages.table()
            assert table.key.tolist() == sorted(held)
            at = places(table.first, table.size)
            assert np.array_equal(
                passages.what[at], np.concatenate([np.empty((0, 3)), *(held[k][1] for k in sorted(held))])
            )
    finally:
        module.WASTE = before  # type: ignore[misc]


def test_bytes_come_back() -> None:
    span, what = unpacked(*packed([(0, 3), (4, 9)], np.eye(2, dtype=np.float32)), 2)
    assert span.tolist() == [[0, 3], [4, 9]]
    assert np.array_equal(what, np.eye(2))
    with pytest.raises(ValueError, match="spans for"):
        unpacked(packed([(0, 3)], np.eye(2, dtype=np.float32))[0], np.eye(2, dtype=np.float32).tobytes(), 2)


@pytest.mark.parametrize("mark", [".", "!", "?!", "…", ". ", "。", '."', "\n"])
def test_a_long_run_of_marks_is_no_quadratic_work(mark: str) -> None:
    """A run of 2,000,000 characters ends in a moment; quadratic work on it would take days."""
    text = "a" + mark * (2_000_000 // len(mark)) + "b"
    spans = split_passages(text)
    assert 0 < len(spans) <= MOST
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
