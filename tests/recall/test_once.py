"""What is asked of rows again is found once for each row, and is what all would be asked at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.recall.once import Once


@given(st.lists(st.lists(st.integers(0, 30), max_size=12), max_size=6))
def test_each_row_is_asked_once(rounds):
    asked = []

    def found(rows):
        asked.extend(rows.tolist())
        return rows * 2.5, np.stack([rows, -rows], axis=1)

    once = Once(found)
    for some in rounds:
        rows = np.array(some, np.int64)
        one, two = once(rows)
        np.testing.assert_array_equal(one, rows * 2.5)
        np.testing.assert_array_equal(two, np.stack([rows, -rows], axis=1))
    assert sorted(asked) == sorted({row for some in rounds for row in some})
