from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.sets import distinct, union, without

WHOLE = st.lists(st.integers(-(2**62), 2**62) | st.integers(-3, 3), max_size=30)


@given(WHOLE, WHOLE)
def test_sets_are_those_of_numpy(one: list[int], other: list[int]) -> None:
    a, b = np.array(one, np.int64), np.array(other, np.int64)
    before = a.copy(), b.copy()
    for ours, theirs in (
        (distinct(a), np.unique(a)),
        (union(a, b), np.union1d(a, b)),
        (without(a, b), np.setdiff1d(a, b)),
    ):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == np.int64
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(b, before[1])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
def test_sets_keep_their_type_at_its_ends(kind: type[np.integer]) -> None:
    ends = np.array([np.iinfo(kind).max, np.iinfo(kind).min, np.iinfo(kind).max], kind)
    assert distinct(ends).tolist() == [np.iinfo(kind).min, np.iinfo(kind).max]
    assert distinct(ends).dtype == without(ends, ends[:0]).dtype == kind
    assert without(ends, ends).tolist() == []
    assert distinct(ends.reshape(3, 1)).ndim == 1
