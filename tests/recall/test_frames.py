"""Frames are rows of weights; a mixture's score is the mean of its frames' scores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import MemoryStore, errors
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.frames import FRAMES, frame
from toys import Clock

DAY = 86400.0


def test_the_frames_are_those_of_the_survey() -> None:
    order = ("what", "usefulness", "retrievability", "importance", "exploration")
    table = {
        "SELF": (0.30, 0.10, 0.15, 0.40, 0.05),
        "ATTENTION": (0.55, 0.15, 0.20, 0.05, 0.05),
        "TASK": (0.40, 0.30, 0.15, 0.10, 0.05),
        "SIMULATE": (0.45, 0.15, 0.20, 0.15, 0.05),
    }
    for name, wanted in table.items():
        # SIMULATE has a graph term beside it, and its scale
        scale = 1.0 - FRAMES[name].graph
        assert tuple(getattr(FRAMES[name], factor) / scale for factor in order) == pytest.approx(wanted)
        assert (FRAMES[name].graph > 0) == (name == "SIMULATE")
    for row in FRAMES.values():
        assert row.to_array().sum() <= 1.0 + 1e-12


@given(st.dictionaries(st.sampled_from(sorted(FRAMES)), st.floats(0, 1e6), min_size=1))
def test_a_mixture_is_a_mean_of_frames(shares: dict[str, float]) -> None:
    total = sum(shares.values())
    if total == 0.0:
        with pytest.raises(errors.ArgumentError, match="shares sum to 0"):
            frame(shares)
        return
    row = frame(shares)
    assert row.to_array().sum() <= 1.0 + 1e-9
    for i, factor in enumerate(FACTORS):
        rows = [FRAMES[name].to_array()[i] for name in shares]
        assert min(rows) - 1e-12 <= getattr(row, factor) <= max(rows) + 1e-12


def test_scores_under_a_frame_are_taken_apart_and_lie_in_the_unit_interval(store: MemoryStore, clock: Clock) -> None:
    for i in range(20):
        memory = store.add(f"alpha beta {i}")
        store.rate(memory, i / 19)
        store.outcome(memory, (i % 3) / 2)
        clock.now += DAY * i
    for name in FRAMES:
        for scoring in ("paper", "competitive"):
            hits = store.search("alpha beta", frame=name, k=20, scoring=scoring)
            assert len(hits) == 20
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)
            for hit in hits:
                # the graph term of the law as printed is a sum over neighbours; words and neighbours come on top
                own = hit.score - hit.factors["lexical"] - hit.factors["thread"]
                assert 0.0 <= own <= 1.0 or (scoring == "paper" and FRAMES[name].graph > 0)
                assert sum(hit.factors.values()) == pytest.approx(hit.score, abs=1e-12)
                row = FRAMES[name]
                for factor, value in (
                    ("usefulness", hit.memory.usefulness),
                    ("importance", hit.memory.importance),
                    ("exploration", hit.memory.uncertainty),
                ):
                    assert hit.factors[factor] == pytest.approx(getattr(row, factor) * value, abs=1e-6)


def test_a_frames_list_is_exact(store: MemoryStore, clock: Clock) -> None:
    """The k best of a search are the k best of all."""
    units = store.add_many([f"word{i % 7} other{i % 11} {i}" for i in range(300)])
    for i, unit in enumerate(units):
        if i % 2:
            store.outcome(unit, (i % 5) / 4, 1 + i % 3)
        if i % 3:
            store.rate(unit, (i % 10) / 9)
    clock.now += 3 * DAY
    for name in ("SELF", "TASK", "ATTENTION"):
        every = store.search("word3 other5", frame=name, k=300, scoring="paper")
        some = store.search("word3 other5", frame=name, k=10, scoring="paper")
        assert [h.memory.id for h in some] == [h.memory.id for h in every][:10]
        assert [h.score for h in some] == pytest.approx([h.score for h in every][:10], abs=1e-12)


def test_simulate_lifts_the_neighbours_of_what_matches(store: MemoryStore) -> None:
    near, far = store.add_many(["zzz unrelated one", "yyy unrelated two"])
    hub = store.add("alpha beta gamma")
    store.link(hub.id, near.id, weight=1.0)
    hits = store.search("alpha beta gamma", frame="SIMULATE", k=3)
    by_id = {hit.memory.id: hit for hit in hits}
    assert by_id[near.id].factors["graph"] > 0.01
    assert by_id[near.id].factors["graph"] > by_id[far.id].factors["graph"]
    assert all(hit.score <= 1.0 for hit in hits)


def test_a_mixtures_score_is_the_mean_of_the_frames_scores(store: MemoryStore) -> None:
    for i in range(8):
        store.rate(store.add(f"alpha {i}"), i / 7)
    shares = {"SELF": 0.25, "TASK": 0.75}
    by_frame = {n: {h.memory.id: h.score for h in store.search("alpha", frame=n, k=8)} for n in shares}
    for hit in store.search("alpha", frame=shares, k=8):
        wanted = sum(share * by_frame[n][hit.memory.id] for n, share in shares.items())
        assert hit.score == pytest.approx(wanted, abs=1e-9)


def test_a_small_namespace_beside_a_large_one_is_ranked_by_its_channels(store: MemoryStore) -> None:
    store.add_many([{"text": f"noise {i}", "namespace": "big"} for i in range(50)])
    low, high = store.add("same words a", namespace="me"), store.add("same words b", namespace="me")
    store.add_many([{"text": f"more {i}", "namespace": "big"} for i in range(50)])
    store.rate(high, 1.0)
    store.rate(low, 0.0)
    assert [h.memory.id for h in store.search("same words", namespace="me", frame="SELF")] == [high.id, low.id]


def test_custom_frames(store: MemoryStore) -> None:
    store.add("x")
    store.define_frame("mine", {"importance": 1.0})
    assert store.search("x", frame="mine")[0].score == 0.5
    assert store.search("x", frame=scrubjay.Weights(importance=0.5))[0].score == 0.25
    with pytest.raises(errors.ArgumentError, match=r"sum to 1\.5"):
        store.define_frame("greedy", [1.0, 0.5, 0, 0])
    with pytest.raises(errors.ArgumentError, match="built-in"):
        store.define_frame("self", [1.0, 0, 0, 0])
    with pytest.raises(errors.ArgumentError, match="no frame 'other'; known are SELF"):
        store.search("x", frame="other")
    with pytest.raises(errors.ArgumentError, match="one of frame and weights"):
        store.search("x", frame="SELF", weights={"what": 1.0})
    for bad in ({}, {"SELF": -1.0}, {"SELF": float("nan")}, {"SELF": "1"}, 3, {"SELF": True}):
        with pytest.raises(errors.ArgumentError, match="frame"):
            store.search("x", frame=bad)  # type: ignore[arg-type]
