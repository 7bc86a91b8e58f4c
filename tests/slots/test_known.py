"""What was found for pairs is told again, never another pair's, within a number of places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.remembered import forget_all
from scrubjay.slots.known import KnownPairs


@given(st.integers(0, 2**32 - 1), st.sampled_from([8, 16, 64, 4096]), st.integers(1, 300))
def test_a_pair_is_told_as_it_was_found_or_not_at_all(seed, room, n):
    rng = np.random.default_rng(seed)
    names = rng.integers(0, 2**63, 20, dtype=np.uint64)
    known, value = KnownPairs(room), {}
    for _ in range(4):
        i, j = rng.integers(0, 20, (2, n))
        pairs = np.unique(known.names(names[i], names[j]))
        found = known.get(pairs)
        for pair, told in zip(pairs.tolist(), found.tolist(), strict=True):
            assert np.isnan(told) or told == value[pair]
        new = np.isnan(found)
        fresh = rng.random(int(new.sum())).astype(np.float32)
        known.keep(pairs[new], fresh)
        value.update(zip(pairs[new].tolist(), fresh.tolist(), strict=True))
    if room == 4096:
        assert not np.isnan(known.get(np.array(list(value), np.uint64))).any()
    forget_all()
    assert np.isnan(known.get(np.array(list(value), np.uint64))).all()


def test_no_pair_is_found_where_nothing_was_kept():
    known = KnownPairs(64)
    names = np.array([0, 0, 2**64 - 1], np.uint64)
    assert np.isnan(known.get(known.names(names, names[::-1]))).all()
    known.keep(np.empty(0, np.uint64), np.empty(0, np.float32))
    assert known.get(np.empty(0, np.uint64)).shape == (0,)
