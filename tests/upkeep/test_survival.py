"""What a store has seen of how long memories hold, against worked examples and a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.upkeep.survival import SAME, of_chains, of_rivals, subjects

TIMES = st.lists(st.floats(0.0, 1000.0).map(lambda x: round(x, 1)), min_size=1, max_size=8)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6),
    st.lists(st.sampled_from("abcdefgh"), min_size=10, max_size=10),
)
def test_a_subject_is_all_that_ties_and_words_reach(ties: list[tuple[int, int]], texts: list[str]) -> None:
    reach = np.array(
        [[a == b or texts[a] == texts[b] or (a, b) in ties or (b, a) in ties for b in range(10)] for a in range(10)]
    )
    for _ in range(4):
        reach = reach @ reach
    names = subjects(list(range(10)), texts, ties)
    assert names == [min(text for text, near in zip(texts, row, strict=True) if near) for row in reach]
    assert all((names[a] == names[b]) == reach[a, b] for a in range(10) for b in range(10))


@given(TIMES, st.data())
def test_chains_equal_a_plain_loop(when: list[float], data: st.DataObject) -> None:
    n = len(when)
    successor = {
        row: data.draw(st.integers(-1, n - 1).filter(lambda s, row=row: s != row))
        for row in data.draw(st.sets(st.integers(0, n - 1), max_size=n - 1))
    }
    now = data.draw(st.floats(0.0, 2000.0))
    wanted = {(r, when[s] - when[r], True) for r, s in successor.items() if s >= 0 and when[s] >= when[r]}
    live = {r: s for r, s in successor.items() if s >= 0}
    wanted |= {(s, now - when[s], False) for s in live.values() if s not in live and now >= when[s]}
    seen = of_chains(list(successor), list(successor.values()), when, now)
    found = set(zip(seen.row.tolist(), seen.seconds.tolist(), seen.ended.tolist(), strict=True))
    assert found == wanted


def test_nothing_is_seen_of_nothing() -> None:
    assert of_chains([], [], [], 0.0).row.size == 0
    assert of_rivals([0.0], [5.0], 10.0) is None


@given(TIMES, st.data())
def test_rivals_equal_a_plain_loop(when: list[float], data: st.DataObject) -> None:
    same = [0.0] + [data.draw(st.sampled_from([0.0, 0.5, SAME, 0.95, 1.0])) for _ in when[1:]]
    now = data.draw(st.floats(0.0, 1500.0))
    rivals = [(t, c) for t, c in zip(when[1:], same[1:], strict=True) if t <= now]
    replaced = [t for t, c in rivals if SAME <= c < 1.0 and t > when[0]]
    older = [t for t, c in rivals if SAME <= c < 1.0 and t < when[0]]
    again = [t for t, c in rivals if c == 1.0 and t > when[0]]
    if replaced:
        wanted = (min(replaced) - when[0], True)
    elif older:
        wanted = (max(0.0, now - when[0]), False)
    elif again:
        wanted = (max(again) - when[0], False)
    else:
        wanted = None
    assert of_rivals(same, when, now) == (None if wanted is None else (pytest.approx(wanted[0]), wanted[1]))


def test_the_first_of_several_successors_ends_it() -> None:
    assert of_rivals(np.array([0, 0.9, 0.9]), [0.0, 30.0, 20.0], 100.0) == (20.0, True)
