"""Texts to vectors, once: the embedders that have a head, with an optional cache on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import ArgumentError, shown
from scrubjay.protocols import Embedder

TEXT: Final = "text"
"""Stands for "no embedder": the head that reads the text's features alone."""
EMBEDDERS: Final[dict[str, type[UniversalEncoder] | type[MiniLMEncoder]]] = {
    UniversalEncoder.name: UniversalEncoder,
    MiniLMEncoder.name: MiniLMEncoder,
}
_BATCH: Final = 1024


class Vectors:
    """Unit vectors of texts for one embedder (or none: rows of length 0), remembered in memory and in `cache`."""

    def __init__(self, name: str, cache: Path | None = None) -> None:
        if name != TEXT and name not in EMBEDDERS:
            raise ArgumentError(f"embedder = {shown(name)}: expected one of {', '.join([*EMBEDDERS, TEXT])}")
        self.name = name
        self._file = cache / f"{name}.npz" if cache is not None and name != TEXT else None
        self._embedder: Embedder | None = None
        self._row: dict[bytes, int] = {}
        self._rows: NDArray[np.float32] | None = None
        if self._file is not None and self._file.exists():
            with np.load(self._file, allow_pickle=False) as saved:
                self._rows = saved["vectors"].astype(np.float32)
                self._row = {bytes(key): i for i, key in enumerate(saved["digests"])}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d) float32 unit rows."""
        if self.name == TEXT:
            return np.zeros((len(texts), 0), np.float32)
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._row}
        if fresh:
            self._add(list(fresh), list(fresh.values()))
        if self._rows is None:
            return np.zeros((0, 0), np.float32)
        return self._rows[[self._row[key] for key in keys]]

    def _add(self, keys: Sequence[bytes], texts: Sequence[str]) -> None:
        if self._embedder is None:
            self._embedder = EMBEDDERS[self.name]()
        parts = [self._embedder.embed(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
        rows = np.concatenate(parts).astype(np.float32)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        for key in keys:
            self._row[key] = len(self._row)
        self._rows = rows if self._rows is None else np.concatenate([self._rows, rows])
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            digests = np.frombuffer(b"".join(self._row), np.uint8).reshape(-1, 32)
            np.savez(self._file, vectors=self._rows, digests=digests)
