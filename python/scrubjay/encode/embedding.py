"""The one door through which an embedder is called.

Behind it every vector is float32, finite, of unit norm and of the embedder's length. Equal texts of a call are
embedded once. An answer that is unusable is an error that names the text's position, never its words.

A zero vector has no direction: for a text to be stored it is an `EmbeddingError`; a query keeps it, with norm 0, so
that its similarity to everything is 0 and its scores stay finite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.normal import check_text
from scrubjay.errors import ArgumentError, ArgumentTypeError, DimensionError, EmbeddingError, ScrubjayError, shown
from scrubjay.protocols import Embedder, Progress

MAX_DIM: Final = 65536
"""Longest vector that is accepted (chosen)."""
MAX_NAME_BYTES: Final = 1024
"""Longest name, in bytes of UTF-8 (chosen)."""
DEFAULT_BATCH: Final = 256
"""Texts per call of the embedder."""


class Embedded(NamedTuple):
    """Unit vectors and the norms they had."""

    vectors: NDArray[np.float32]
    """(n, dim) float32, C-contiguous, unit rows; rows of zeros only where zeros were allowed."""
    norms: NDArray[np.float64]
    """(n,) float64: |e| before normalisation, which the query rule (eq. 6) weighs."""


def check_embedder(embedder: object) -> Embedder:
    """The embedder itself, if it has a name, a length and an `embed` method.

    Raises `ArgumentTypeError` or `ArgumentError` naming what is missing.
    """
    if isinstance(embedder, type):
        raise ArgumentTypeError(f"embedder: expected an embedder, got the class {embedder.__name__}; call it first")
    if not callable(getattr(embedder, "embed", None)):
        raise ArgumentTypeError(f"embedder: {type(embedder).__name__} has no method embed(texts)")
    name, dim = getattr(embedder, "name", None), getattr(embedder, "dim", None)
    if not isinstance(name, str) or not name.strip():
        raise ArgumentTypeError(f"embedder: {type(embedder).__name__}.name must be a non-empty str")
    check_text(name, argument="embedder.name", max_bytes=MAX_NAME_BYTES)
    if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)):
        raise ArgumentTypeError(f"embedder: {type(embedder).__name__}.dim must be an int")
    if not 1 <= dim <= MAX_DIM:
        raise ArgumentError(f"embedder.dim = {dim}: expected 1 to {MAX_DIM}")
    return embedder  # type: ignore[return-value]


def embed_texts(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    batch: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    allow_zero: bool = False,
    argument: str = "texts",
) -> Embedded:
    """Unit vectors of `texts`, in their order, by calls of at most `batch` distinct texts.

    `progress` is called with (texts done, texts in all) after each call. Raises `EmbeddingError` where an answer has
    the wrong number of rows, is no array of real numbers, or has NaN, infinity or (unless `allow_zero`) a row of zeros,
    and where the embedder raises, with its exception as the cause;
    `DimensionError` where its rows are not `embedder.dim` long.
    """
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise ArgumentError(f"batch = {shown(batch)}: expected an int >= 1")
    if isinstance(texts, str):
        raise ArgumentTypeError(f"{argument}: expected a sequence of str, got one str")
    dim, total = int(embedder.dim), len(texts)
    first: dict[str, int] = {}
    slots = np.empty(total, dtype=np.intp)
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise ArgumentTypeError(f"{argument}[{position}]: expected str, got {type(text).__name__}")
        slots[position] = first.setdefault(text, len(first))
    distinct = list(first)
    opens = np.full(len(distinct), total, dtype=np.intp)
    np.minimum.at(opens, slots, np.arange(total, dtype=np.intp))
    vectors = np.empty((len(distinct), dim), dtype=np.float32)
    norms = np.empty(len(distinct), dtype=np.float64)
    covered = np.cumsum(np.bincount(slots, minlength=len(distinct)))
    for start in range(0, len(distinct), batch):
        stop = min(start + batch, len(distinct))
        try:
            answer = embedder.embed(distinct[start:stop])
        except (ScrubjayError, MemoryError):
            raise
        except Exception as error:
            place, kind = f"{argument}[{opens[start]}]", type(error).__name__
            raise EmbeddingError(f"{embedder.name} raised {kind} for {stop - start} texts from {place} on") from error

        def name(row: int, start: int = start) -> str:
            return f"{argument}[{opens[start + row]}]"

        vectors[start:stop], norms[start:stop] = normalise_rows(
            answer, stop - start, dim, source=embedder.name, name=name, allow_zero=allow_zero
        )
        if progress is not None:
            progress(int(covered[stop - 1]), total)
    return Embedded(np.ascontiguousarray(vectors[slots]), norms[slots])


def embed_query(embedder: Embedder, text: str) -> Embedded:
    """The query's unit vector, (1, dim), and norm; a vector of zeros is kept as zeros with norm 0."""
    return embed_texts(embedder, [text], allow_zero=True, argument="query")


def normalise_rows(
    answer: Any, rows: int, dim: int, *, source: str, name: Callable[[int], str], allow_zero: bool = False
) -> Embedded:
    """Checks an embedder's answer and scales its rows to unit norm, in float64.

    Any array of real numbers does (float16 to float64, integers, any byte order and stride): it is copied.
    """
    try:
        raw = np.asarray(answer)
    except (ValueError, TypeError) as error:
        kind = type(error).__name__
        raise EmbeddingError(f"{source} answered for {name(0)} with no rectangular array ({kind})") from None
    if raw.dtype.kind not in "fiu" and raw.size:
        raise EmbeddingError(f"{source} answered for {name(0)} with dtype {raw.dtype}; expected float32")
    if raw.ndim != 2 or raw.shape[0] != rows:
        raise EmbeddingError(f"{source} answered for {name(0)} with shape {raw.shape}; expected ({rows}, {dim})")
    if raw.shape[1] != dim:
        raise DimensionError(f"{source} answered for {name(0)} with {raw.shape[1]} dimensions; expected {dim}")
    values = raw.astype(np.float64)
    peak = np.abs(values).max(axis=1)
    bad = np.flatnonzero(~np.isfinite(peak))
    if bad.size:
        raise EmbeddingError(f"{source} answered for {name(int(bad[0]))} with NaN or infinity")
    zero = peak == 0.0
    if zero.any() and not allow_zero:
        row = int(np.flatnonzero(zero)[0])
        raise EmbeddingError(f"{source} answered for {name(row)} with a vector of zeros, which has no direction")
    # Scaled by the largest part first, so that neither 1e300 nor a subnormal is lost in the squares.
    scale = np.where(zero, 1.0, peak)[:, None]
    values /= scale
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
    with np.errstate(over="ignore"):
        norms = np.minimum(lengths * scale[:, 0], np.finfo(np.float64).max)
    norms[zero] = 0.0
    values /= np.where(zero, 1.0, lengths)[:, None]
    return Embedded(values.astype(np.float32), norms)
