"""Words' mentions as plain loops over texts see them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.toys import Clock, WordHash

import scrubjay
from scrubjay.store.lexical import PASSAGE

words = st.sampled_from(["oak", "elm", "ash", "fir", "yew"])
texts = st.one_of(
    st.lists(words, min_size=1, max_size=6),
    st.builds(
        lambda some, n: (some * (2 * PASSAGE))[:n], st.lists(words, min_size=2, max_size=9), st.integers(120, 450)
    ),
).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), texts), min_size=1, max_size=8, unique_by=lambda item: item))
def test_mentions_are_those_of_a_count_by_hand(items: list[tuple[str, str]]) -> None:
    """Every (word, memory, passage) once, with how often the passage has the word, passages overlapping by half."""
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(), graph=False) as store:
        store.add_many([{"text": text, "namespace": space} for space, text in items])
        engine = store._engine
        for spaces in ([("a",)], [("a",), ("b",)]):
            numbers = [number for labels in spaces if (number := engine.space(labels)) is not None]
            with engine.log.read() as view:
                found = view.mentions(numbers, "oak elm yew")
            assert found is not None
            names = ["oak", "elm", "yew"]
            expected: Counter[tuple[int, int, float, float]] = Counter()
            keys = engine.columns.key.tolist()
            for key, (space, text) in zip(keys, dict.fromkeys(items), strict=True):
                said = text.split()
                step = PASSAGE // 2
                long = len(said) > PASSAGE
                for part in range(-(-len(said) // step)) if long else [0]:
                    here = said[part * step : part * step + PASSAGE] if long else said
                    for name in names:
                        if (space,) in spaces and name in here:
                            size = float(min(len(said), PASSAGE))
                            expected[(key, part, float(here.count(name)), size)] += 1
            seen = Counter(zip(*(x.tolist() for x in (found.key, found.part, found.times, found.size)), strict=True))
            assert seen == expected
            triples = list(zip(found.word.tolist(), found.key.tolist(), found.part.tolist(), strict=True))
            assert triples == sorted(set(triples))
