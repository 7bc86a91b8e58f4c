"""Long texts: windows, and the mean over them (bug row 13)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.encode.windows import embed_windows, split_windows


def letters(texts: list[str]) -> np.ndarray:
    """Counts of a, b and other characters: a text's vector is known by looking."""
    counts = [[text.count("a"), text.count("b"), len(text) - text.count("a") - text.count("b")] for text in texts]
    return np.array(counts, dtype=np.float32)


@given(st.text(alphabet="ab \n成", max_size=300), st.integers(8, 40))
def test_windows_hold_every_character_once(text: str, window: int) -> None:
    pieces = split_windows(text, window=window, limit=1000)
    assert all(len(piece) <= window for piece in pieces)
    if text.strip():
        assert "".join("".join(pieces).split()) == "".join(text.split())
    if len(text) <= window:
        assert pieces == [text]


@given(st.lists(st.text(alphabet="abcdefghij", min_size=1, max_size=10), min_size=1, max_size=50))
def test_words_are_not_cut(words: list[str]) -> None:
    pieces = split_windows(" ".join(words), window=96)
    assert " ".join(pieces).split() == words


def test_bug_13_the_last_window_of_a_huge_text_is_kept_and_the_number_bounded() -> None:
    text = "word " * 200_000 + "the fact at the end"
    pieces = split_windows(text)
    assert len(pieces) == 64
    assert pieces[0].startswith("word")
    assert pieces[-1].endswith("the fact at the end")
    assert all(512 <= len(piece) <= 2048 for piece in pieces)
    assert len(split_windows("x" * 1_000_000)) == 64
    assert split_windows(" " * 5000) == [" " * 2048]


def test_the_mean_is_over_unit_rows_and_short_texts_pass_untouched() -> None:
    def unit(texts: list[str]) -> np.ndarray:
        return letters(texts) / np.linalg.norm(letters(texts), axis=1, keepdims=True)

    rows = embed_windows(unit, ["aa", "a" * 8 + "b" * 8], 3, window=12)
    np.testing.assert_allclose(rows, [[1, 0, 0], [2**-0.5, 2**-0.5, 0]], rtol=1e-6)


def test_windows_that_cancel_give_zeros() -> None:
    rows = embed_windows(lambda texts: np.array([[1.0], [-1.0]], dtype=np.float32), ["a" * 8 + "b" * 8], 1, window=12)
    assert rows.tolist() == [[0.0]]


@pytest.mark.parametrize("texts", [["a"], ["a", "aaaaaaaa aaaaaaaa", "b"], ["aaaaaaaa bbbbbbbb", "b", "a"]])
def test_rows_follow_the_texts(texts: list[str]) -> None:
    rows = embed_windows(letters, texts, 3, window=12)
    for text, row in zip(texts, rows, strict=True):
        alone = embed_windows(letters, [text], 3, window=12)[0]
        assert (row == alone).all()
