"""Lists about centres: read far enough they give the exact answer, and what joins them is found like the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay import _core, isa
from scrubjay.columns import FIELDS, LIVE, Columns
from scrubjay.errors import ArgumentError, ArgumentTypeError
from scrubjay.recall.lists import FAR, Lists, arranged, empty, joined, nearest
from scrubjay.recall.near_index import NearIndex

WIDTH = 64


def grouped(rng: np.random.Generator, n: int, groups: int = 40, width: int = WIDTH) -> np.ndarray:
    middles = np.random.default_rng(5).integers(-80, 81, (groups, width))
    return (middles[rng.integers(0, groups, n)] + rng.integers(-40, 41, (n, width))).astype(np.int8)


def numbers(lists: Lists) -> np.ndarray:
    return lists.codes[: lists.n].astype(np.int64) - 128


def best(codes: np.ndarray, asked: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """The m rows of the largest product with each question, then the lowest number, and the products."""
    products = asked.astype(np.int64) @ codes.T
    order = np.lexsort((np.broadcast_to(np.arange(codes.shape[0]), products.shape), -products), axis=1)[:, :m]
    return order, np.take_along_axis(products, order, 1)


def check(lists: Lists) -> None:
    """Every row lies in one list, and what is told of the lists is so."""
    members: list[list[int]] = []
    starts = np.r_[0, lists.ends[:-1]]
    for start, end, head in zip(starts.tolist(), lists.ends.tolist(), lists.heads.tolist(), strict=True):
        mine, at = list(range(start, end)), head
        while at >= 0:
            mine.append(at)
            assert lists.next[at] < at
            at = int(lists.next[at])
        members.append(mine)
    assert sorted(row for mine in members for row in mine) == list(range(lists.n))
    assert [len(mine) for mine in members] == lists.counts.tolist()
    rows, centres = numbers(lists), lists.centres.astype(np.int64) - 128
    for mine, centre, squares in zip(members[1:], centres[1:], lists.squares[1:].tolist(), strict=True):
        assert squares == pytest.approx(((rows[mine] - centre) ** 2).sum())
    assert lists.squares[0] == 0.0


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 300])
@pytest.mark.parametrize("width", [64, 192])
@pytest.mark.parametrize("m", [1, 7, 400])
def test_rows_without_centres_are_all_read(each_isa: str, n: int, width: int, m: int) -> None:
    rng = np.random.default_rng(n + width)
    codes, asked = (
        rng.integers(-127, 128, (n, width)).astype(np.int8),
        rng.integers(-127, 128, (3, width)).astype(np.int8),
    )
    lists = joined(empty(width), codes)
    check(lists)
    found = nearest(lists, asked, m, 0.5)
    rows, products = best(codes, asked, m)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(found.products, products)
    assert found.counts.tolist() == [min(n, m)] * 3
    assert found.read.tolist() == [n] * 3


@pytest.mark.parametrize("threads", [1, 3])
def test_lists_that_all_reach_give_the_exact_answer(each_isa: str, threads: int) -> None:
    rng = np.random.default_rng(1)
    lists, order = arranged(joined(empty(WIDTH), grouped(rng, 3000)), np.arange(3000))
    lists = joined(joined(lists, grouped(rng, 500)), grouped(rng, 1))
    check(lists)
    assert len(order) == 3000
    asked = grouped(rng, 30)
    found = nearest(lists, asked, 20, 10.0, threads=threads)
    rows, products = best(numbers(lists), asked, 20)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(found.products, products)


def test_few_lists_hold_nearly_all_that_is_near() -> None:
    rng = np.random.default_rng(2)
    lists, _ = arranged(joined(empty(WIDTH), grouped(rng, 20_000)), np.arange(20_000))
    asked = grouped(rng, 100)
    right = best(numbers(lists), asked, 10)[0]
    read, recall = [], []
    for reach in (0.2, 0.4, 0.8):
        found = nearest(lists, asked, 64, reach)
        read.append(float(found.read.mean()))
        recall.append(float(np.mean([np.isin(a, b).mean() for a, b in zip(right, found.rows, strict=True)])))
    assert read == sorted(read)
    assert recall == sorted(recall)
    assert recall[1] > 0.98
    assert read[1] < 0.15 * lists.n
    assert recall[2] == 1.0


@settings(max_examples=40)
@given(st.data())
def test_rows_that_join_and_go_are_where_they_belong(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 16)))
    lists, codes = empty(WIDTH), np.empty((0, WIDTH), np.int8)
    for count in data.draw(st.lists(st.integers(0, 150), max_size=5)):
        fresh = grouped(rng, count, groups=3) if data.draw(st.booleans()) else np.zeros((count, WIDTH), np.int8)
        before = lists
        kept = before.n, before.heads.copy(), before.counts.copy()
        lists, codes = joined(lists, fresh), np.concatenate([codes, fresh])
        assert before.n == kept[0]
        np.testing.assert_array_equal(before.heads, kept[1])
        np.testing.assert_array_equal(before.counts, kept[2])
        if data.draw(st.booleans()):
            some = np.flatnonzero(rng.random(lists.n) < 0.8)
            lists, order = arranged(lists, some)
            assert sorted(order.tolist()) == some.tolist()
            codes = codes[order]
        np.testing.assert_array_equal(numbers(lists), codes)
        check(lists)


def test_the_same_rows_are_arranged_alike() -> None:
    lists = joined(empty(WIDTH), grouped(np.random.default_rng(3), 3000))
    one, other = arranged(lists, np.arange(3000)), arranged(lists, np.arange(3000))
    np.testing.assert_array_equal(one[1], other[1])
    np.testing.assert_array_equal(one[0].centres, other[0].centres)


def test_work_that_is_stopped_leaves_an_index_as_it_was() -> None:
    rng = np.random.default_rng(9)
    columns = Columns(64)
    given = {f.name: 0 for f in FIELDS} | {"key": np.arange(1, 1001), "flags": LIVE, "context": -1}
    columns.append(given, rng.standard_normal((1000, 64), np.float32) / 8)
    index = NearIndex(64, wide=False)
    index.enter(index.entries(columns, np.arange(1000)))
    before, calls = index.slots, []

    class EnoughError(Exception):
        pass

    def check() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        index.arrange(check)
    assert index.slots is before
    index.arrange()
    assert len(index) == 1000
    assert not index.crowded


def test_a_group_that_comes_after_the_centres_is_found_at_once_and_has_centres_soon() -> None:
    rng = np.random.default_rng(4)
    lists, _ = arranged(joined(empty(WIDTH), grouped(rng, 3000)), np.arange(3000))
    middle = np.where(np.arange(WIDTH) % 2, 110, -110)
    fresh = (middle + rng.integers(-10, 11, (100, WIDTH))).astype(np.int8)
    assert ((fresh - middle) ** 2).sum(axis=1).max() < (FAR * lists.usual) ** 2
    lists = joined(lists, fresh)
    assert lists.counts[0] - lists.ends[0] == 100
    assert lists.crowded
    found = nearest(lists, fresh[:1], 64, 0.05)
    assert (found.rows >= 3000).all()
    lists, order = arranged(lists, np.arange(lists.n))
    assert not lists.crowded
    assert lists.counts[0] < 50
    assert (order[nearest(lists, fresh[:1], 64, 0.05).rows] >= 3000).all()


def test_more_rows_than_the_lists_were_drawn_for_are_a_crowd() -> None:
    rng = np.random.default_rng(6)
    lists = joined(empty(WIDTH), grouped(rng, 20, groups=10))
    assert not lists.crowded
    lists = joined(lists, grouped(rng, 1000, groups=10))
    assert lists.crowded
    lists, _ = arranged(lists, np.arange(lists.n))
    assert not lists.crowded
    lists = joined(lists, grouped(rng, 1000, groups=10))
    assert not lists.crowded
    assert joined(lists, grouped(rng, 100, groups=10)).crowded


WRONG: list[tuple[str, Any]] = [
    ("queries", np.zeros((1, 128), np.int8)),
    ("centres", np.zeros((1, 128), np.uint8)),
    ("apart", np.zeros(2, np.float32)),
    ("reach", 0.0),
    ("reach", float("nan")),
    ("ends", np.array([6], np.int32)),
    ("ends", np.array([-1], np.int32)),
    ("ends", np.zeros(2, np.int32)),
    ("heads", np.array([5], np.int32)),
    ("heads", np.array([-2], np.int32)),
    ("next", np.zeros(4, np.int32)),
    ("m", 0),
]
RIGHT: dict[str, Any] = {
    "queries": np.zeros((1, 64), np.int8),
    "rows": np.zeros((5, 64), np.uint8),
    "centres": np.zeros((1, 64), np.uint8),
    "apart": np.zeros(1, np.float32),
    "ends": np.array([5], np.int32),
    "heads": np.array([-1], np.int32),
    "next": np.full(5, -1, np.int32),
    "m": 3,
    "reach": 0.5,
}


@pytest.mark.parametrize(("name", "value"), WRONG, ids=[f"{i}-{name}" for i, (name, _) in enumerate(WRONG)])
def test_lists_that_do_not_fit_are_refused_by_name(name: str, value: object) -> None:
    assert _core.nearest(**RIGHT)[2].tolist() == [3]
    with pytest.raises(ArgumentError, match=name[:4]):
        _core.nearest(**RIGHT | {name: value})


def test_rows_of_other_types_and_widths_are_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="rows"):
        _core.nearest(**RIGHT | {"rows": np.zeros((5, 64), np.float32)})
    with pytest.raises(ArgumentError, match="multiple of 64"):
        _core.nearest(**RIGHT | {name: np.zeros((1, 60), RIGHT[name].dtype) for name in ("queries", "rows", "centres")})


def test_a_chain_that_does_not_fall_ends() -> None:
    wrong = RIGHT | {"ends": np.array([0], np.int32), "heads": np.array([3], np.int32)}
    for chain in ([3] * 5, [4, 4, 4, 4, 4], [-9] * 5, [1 << 30] * 5):
        assert _core.nearest(**wrong | {"next": np.array(chain, np.int32)})[0].tolist() == [[3, -1, -1]]


def test_every_menu_gives_the_same_rows() -> None:
    rng = np.random.default_rng(7)
    lists, _ = arranged(joined(empty(WIDTH), grouped(rng, 2000)), np.arange(2000))
    asked = grouped(rng, 5)
    answers = []
    for name in isa.available():
        with isa.using(name):
            answers.append([part.tolist() for part in nearest(lists, asked, 30, 0.3)])
    assert all(answer == answers[0] for answer in answers)
