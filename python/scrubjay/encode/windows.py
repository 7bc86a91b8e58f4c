"""Long texts: cut into windows, embedded window by window, averaged.

A sentence encoder either refuses or blurs a long text, and its cost and memory grow with it. So a text of more than
`WINDOW` characters is cut at white space into windows of at most that many; where there are more than `MAX_WINDOWS`,
that many evenly spaced ones stand for it, the first and the last always among them (the vector is then of a sample:
full-text search still sees every word). Its vector is the mean of the windows' unit vectors, scaled to unit norm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

WINDOW: Final = 2048
"""Characters of a window at most (chosen)."""
MAX_WINDOWS: Final = 64
"""Windows of a text at most: what a text costs is bounded (chosen)."""


def split_windows(text: str, window: int = WINDOW, limit: int = MAX_WINDOWS) -> list[str]:
    """The windows of `text`, in order; the text itself where it is short.

    >>> split_windows("one two three four", window=10)
    ['one two', 'three four']
    """
    if len(text) <= window:
        return [text]
    pieces: list[str] = []
    start = 0
    while start < len(text):
        stop = _cut(text, start, window)
        piece = text[start:stop].strip()
        if piece:
            pieces.append(piece)
        start = stop
    if not pieces:
        return [text[:window]]
    if len(pieces) > limit:
        chosen = np.unique(np.linspace(0, len(pieces) - 1, limit).round().astype(np.intp))
        pieces = [pieces[i] for i in chosen]
    return pieces


def _cut(text: str, start: int, window: int) -> int:
    """End of the window that starts at `start`: after the last white space of its second half, or hard."""
    stop = start + window
    if stop >= len(text) or text[stop].isspace():
        return min(stop, len(text))
    for end in range(stop, start + window // 2, -1):
        if text[end - 1].isspace():
            return end
    return stop


def embed_windows(
    encode: Callable[[list[str]], NDArray[np.float32]],
    texts: Sequence[str],
    dim: int,
    *,
    window: int = WINDOW,
    limit: int = MAX_WINDOWS,
) -> NDArray[np.float32]:
    """(n, dim) float32: `encode` over all windows of all texts at once, then the mean per text.

    Short texts pass through untouched; where a long text's windows cancel out, its row is zeros.
    """
    pieces: list[str] = []
    starts = np.empty(len(texts) + 1, dtype=np.intp)
    for i, text in enumerate(texts):
        starts[i] = len(pieces)
        pieces += split_windows(text, window, limit)
    starts[len(texts)] = len(pieces)
    rows = np.asarray(encode(pieces), dtype=np.float32)
    counts = np.diff(starts)
    if (counts == 1).all():
        return rows
    out = np.empty((len(texts), dim), dtype=np.float32)
    single = counts == 1
    out[single] = rows[starts[:-1][single]]
    for long in np.flatnonzero(~single).tolist():
        mean = rows[starts[long] : starts[long + 1]].astype(np.float64).mean(axis=0)
        norm = float(np.sqrt(mean @ mean))
        out[long] = mean / norm if norm > 0.0 else 0.0
    return out
