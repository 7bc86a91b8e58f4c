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

from scrubjay.sets import distinct

WINDOW: Final = 2048
"""Characters of a window at most (chosen)."""
MAX_WINDOWS: Final = 64
"""Windows of a text at most: what a text costs is bounded (chosen)."""


def split_windows(text: str, window: int = WINDOW, limit: int = MAX_WINDOWS) -> list[str]:
    """The windows of `text`, in order and of about equal length; the text itself where it is short.

    A cut is at the white space nearest to its place, if there is any within an eighth of a window, else hard.

    >>> split_windows("one two three four", window=16)
    ['one two', 'three four']
    """
    if len(text) <= window:
        return [text]
    # Three quarters of a window between the places leave room for both cuts to move by an eighth.
    count = -(-4 * len(text) // (3 * window))
    chosen = distinct(np.linspace(0, count - 1, min(count, limit)).round().astype(np.intp)).tolist()
    reach = window // 8
    cuts = [
        (_cut(text, len(text) * i // count, reach), _cut(text, len(text) * (i + 1) // count, reach)) for i in chosen
    ]
    pieces = [piece for start, stop in cuts if (piece := text[start:stop].strip())]
    return pieces or [text[:window]]


def _cut(text: str, place: int, reach: int) -> int:
    """Where to cut near `place`: after a white space that is within `reach`, or there."""
    if 0 < place < len(text):
        for step in range(reach):
            for end in (place - step, place + step):
                if 0 < end < len(text) and text[end - 1].isspace():
                    return end
    return place


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
