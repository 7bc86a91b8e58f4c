"""The faults that users of this field's systems report, rows 1 to 30: each is a test that carries its row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NAMED = {
    int(row)
    for file in HERE.rglob("test_*.py")
    for row in re.findall(r"^ *(?:async )?def test_bug_(\d{2})_\w+\(", file.read_text(), re.MULTILINE)
}


@pytest.mark.parametrize("row", range(1, 31))
def test_a_row_is_a_test(row: int) -> None:
    assert row in NAMED, f"no test is named test_bug_{row:02}_..."
