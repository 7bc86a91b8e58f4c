"""The one door through which an embedder is called (bug rows 11, 13, 20, 21, 26)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from scrubjay.encode.embedding import check_embedder, embed_query, embed_texts, normalise_rows
from scrubjay.errors import ArgumentError, ArgumentTypeError, DimensionError, EmbeddingError


class Counting:
    """Deterministic vectors of a text's bytes; remembers its calls."""

    name = "counting"

    def __init__(self, dim: int = 8, answer: Callable[[np.ndarray], Any] = lambda rows: rows) -> None:
        self.dim = dim
        self.calls: list[list[str]] = []
        self._answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls.append(list(texts))
        rows = np.stack([np.random.default_rng(list(text.encode()) or [0]).normal(size=self.dim) for text in texts])
        return self._answer(rows.astype(np.float32))


@given(st.lists(st.text(max_size=3)), st.integers(1, 5))
def test_order_batches_and_repeats(texts: list[str], batch: int) -> None:
    embedder = Counting()
    done: list[tuple[int, int]] = []
    vectors, norms = embed_texts(embedder, texts, batch=batch, progress=lambda *pair: done.append(pair))
    assert vectors.shape == (len(texts), 8)
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    asked = [text for call in embedder.calls for text in call]
    assert asked == list(dict.fromkeys(texts))
    assert len(embedder.calls) == -(-len(asked) // batch)
    for text, vector, norm in zip(texts, vectors, norms, strict=True):
        raw = Counting().embed([text])[0].astype(np.float64)
        np.testing.assert_allclose(vector, raw / np.linalg.norm(raw), rtol=3e-7, atol=1e-12)
        assert norm == pytest.approx(np.linalg.norm(raw), rel=1e-12)
    assert done == sorted(done)
    assert not texts or done[-1] == (len(texts), len(texts))


def test_bug_11_a_thousand_texts_take_four_calls() -> None:
    embedder = Counting()
    embed_texts(embedder, [f"text {i}" for i in range(1000)])
    assert len(embedder.calls) == 4


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_bug_13_nan_and_infinity_name_the_position(value: float) -> None:
    def spoil(rows: np.ndarray) -> np.ndarray:
        rows[1, 3] = value
        return rows

    texts = ["top secret one", "top secret one", "two", "three"]
    with pytest.raises(EmbeddingError, match=r"texts\[2\] with NaN or infinity") as caught:
        embed_texts(Counting(answer=spoil), texts)
    assert "secret" not in str(caught.value)


def test_the_position_counts_over_batches() -> None:
    def spoil(rows: np.ndarray) -> np.ndarray:
        rows[-1] = 0.0 if len(rows) == 1 else rows[-1]
        return rows

    with pytest.raises(EmbeddingError, match=r"items\[4\] with a vector of zeros"):
        embed_texts(Counting(answer=spoil), list("abcde"), batch=2, argument="items")


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [[]],
        None,
        "vector",
        {"a": 1},
        [[1, "x"]],
        [[0.1] * 8, [0.2] * 7],
        np.ones((2, 8), dtype=complex),
        np.ones((2, 8), dtype=bool),
        np.full((2, 8), None),
        np.ones((1, 8)),
        np.ones((3, 8)),
        np.ones(8),
        np.ones((2, 8, 1)),
        np.float32(1),
    ],
    ids=lambda answer: repr(answer)[:40],
)
def test_bug_13_an_unusable_answer_is_a_typed_error(answer: object) -> None:
    with pytest.raises(EmbeddingError, match="counting answered for texts"):
        embed_texts(Counting(answer=lambda rows: answer), ["one", "two"])


def test_bug_26_another_length_is_a_dimension_error() -> None:
    with pytest.raises(DimensionError, match="7 dimensions; expected 8"):
        embed_texts(Counting(answer=lambda rows: rows[:, :7]), ["one"])


def test_bug_20_zeros_are_refused_for_a_text_and_kept_for_a_query() -> None:
    embedder = Counting(answer=np.zeros_like)
    with pytest.raises(EmbeddingError, match="zeros"):
        embed_texts(embedder, ["one"])
    vectors, norms = embed_query(embedder, "one")
    assert not vectors.any()
    assert norms.tolist() == [0.0]
    with pytest.raises(EmbeddingError, match="query"):
        embed_query(Counting(answer=lambda rows: rows * np.nan), "one")


@pytest.mark.parametrize("scale", [1e-45, 1e-30, 1.0, 1e30, 3e38])
def test_bug_20_huge_and_subnormal_vectors_keep_their_direction(scale: float) -> None:
    raw = np.array([[1.0, -1.0, 0.0, 1.0]], dtype=np.float32) * np.float32(scale)
    vectors, norms = normalise_rows(raw, 1, 4, source="x", name=str)
    np.testing.assert_allclose(vectors, np.array([[1, -1, 0, 1]]) / np.sqrt(3), rtol=1e-6)
    assert norms[0] == pytest.approx(float(raw[0, 0]) * np.sqrt(3))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", ">f8", "i1", "i8", "u2"])
def test_bug_21_real_dtypes_and_layouts_are_converted(dtype: str) -> None:
    values = np.arange(1, 13).reshape(3, 4)
    expected = values / np.linalg.norm(values, axis=1, keepdims=True)
    laid_out = values.astype(dtype)
    frozen = laid_out.copy()
    frozen.setflags(write=False)
    strided = np.ascontiguousarray(laid_out[::-1, ::-1])[::-1, ::-1]
    for given_array in (laid_out, np.asfortranarray(laid_out), frozen, strided, laid_out.tolist()):
        vectors, _ = normalise_rows(given_array, 3, 4, source="x", name=str)
        np.testing.assert_allclose(vectors, expected, rtol=2e-7)


@given(npst.arrays(np.float64, (3, 5), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_rows_are_of_unit_norm_or_zero(raw: np.ndarray) -> None:
    vectors, norms = normalise_rows(raw, 3, 5, source="x", name=str, allow_zero=True)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, raw.any(axis=1), atol=1e-6)
    assert np.isfinite(norms).all()


def test_the_answer_is_copied() -> None:
    kept: list[np.ndarray] = []
    embedder = Counting(answer=lambda rows: kept.append(rows) or rows)
    vectors, _ = embed_texts(embedder, ["one"])
    before = vectors.copy()
    kept[0][:] = 7.0
    assert (vectors == before).all()


def test_an_embedder_is_checked_before_use() -> None:
    assert check_embedder(Counting()).dim == 8
    for wrong in (object(), lambda texts: texts, type("E", (), {"embed": len, "name": "", "dim": 3})()):
        with pytest.raises(ArgumentTypeError, match="embedder"):
            check_embedder(wrong)
    for dim, error in ((0, ArgumentError), (-1, ArgumentError), (10**6, ArgumentError), (True, ArgumentTypeError)):
        with pytest.raises(error, match="dim"):
            check_embedder(Counting(dim=dim))


def test_arguments_are_checked() -> None:
    for batch in (0, -1, True, 2.0):
        with pytest.raises(ArgumentError, match="batch"):
            embed_texts(Counting(), ["one"], batch=batch)
    with pytest.raises(ArgumentTypeError, match="one str"):
        embed_texts(Counting(), "one")
    with pytest.raises(ArgumentTypeError, match=r"texts\[1\]"):
        embed_texts(Counting(), ["one", 2])
