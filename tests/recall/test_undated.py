"""Two of the first hits that contradict each other at one time: a note says that neither is known to be newer."""

from __future__ import annotations

import numpy as np

import scrubjay
from scrubjay.recall.rivals import undated
from toys import WordHash


def _notes(*said: tuple[str, str]) -> list[str]:
    with scrubjay.open(":memory:", embedder=WordHash(64)) as store:
        for text, when in said:
            store.add(text, namespace="n", when=when)
        return [
            note for note in store.search("the gate code", namespace="n", now="2026-03-12").notes if "newer" in note
        ]


def test_what_contradicts_at_one_time_is_named() -> None:
    (note,) = _notes(
        ("The gate code is 4471.", "2026-03-02"),
        ("The gate code is 9920.", "2026-03-02"),
        ("Ana likes tea.", "2026-03-02"),
    )
    assert note.startswith("hits 1 and ")
    assert "neither is known to be newer" in note


def test_what_is_newer_or_the_same_is_not() -> None:
    assert _notes(("The gate code is 4471.", "2026-03-02"), ("The gate code is 9920.", "2026-03-03")) == []
    assert _notes(("The gate code is 4471.", "2026-03-02"), ("The gate is green.", "2026-03-02")) == []
    assert _notes(("The gate code is 4471.", "2026-03-20"), ("The gate code is 9920.", "2026-03-20")) == []


def test_pairs_are_of_the_hits_alone() -> None:
    rivals, when = np.array([7, 3, 5]), np.array([1.0, 1.0, 1.0])
    same = np.array([[0, 0.9, 1.0], [0.9, 0, 0.2], [1.0, 0.2, 0]], np.float32)
    hits = np.array([3, 7, 5])
    assert undated(hits, rivals, same, when, np.ones(3)) == ((3, 7),)
    assert undated(hits[1:], rivals, same, when, np.ones(3)) == ()
    assert undated(hits, rivals, same, when, np.array([0.0, 1.0, 1.0])) == ()
    assert undated(hits[:0], rivals, same, when, np.ones(3)) == ()
