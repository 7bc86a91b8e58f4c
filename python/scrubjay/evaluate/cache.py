"""Embeddings cached by content: a text is embedded once per embedder, whatever run, dataset or order it appears in.

Layout: `<folder>/embeddings/<embedder>/<digest>.npy`, each file a NumPy record array of (key, vector) where the key is
the BLAKE2b-128 of the text and the file's name is the BLAKE2b-128 of its bytes. A file that does not match its name is
dropped with a warning and its texts are embedded again. Files are written under another name and moved into place, and
new texts are stored chunk by chunk, so a run that was ended resumes where it was, and processes may share a folder.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError, EmbeddingError
from scrubjay.protocols import Embedder, Progress

CHUNK: Final = 1024
"""Texts that are embedded between two writes."""
FILES: Final = 64
"""More files than this are joined into one when they are read."""


def default_folder() -> Path:
    """`$SCRUBJAY_CACHE`, else the platform's cache folder for scrubjay."""
    given = os.environ.get("SCRUBJAY_CACHE")
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "scrubjay"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))) / "scrubjay" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "scrubjay"


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class CachedEmbedder:
    """An embedder whose vectors are kept on disk; it is an `Embedder` itself and gives float32 rows of unit norm.

    `progress` is called with (done, total) over the texts that were not there yet.
    """

    def __init__(
        self, embedder: Embedder, folder: str | Path | None = None, *, progress: Progress | None = None
    ) -> None:
        self._embedder = embedder
        self._progress = progress
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", embedder.name)[:60]
        root = default_folder() if folder is None else Path(folder)
        self._folder = root / "embeddings" / f"{slug}-{_digest(embedder.name.encode())[:8]}-{embedder.dim}"
        self._record = np.dtype([("key", "V16"), ("vector", "<f4", (embedder.dim,))])
        self._vectors: dict[bytes, NDArray[np.float32]] = {}
        self._read: set[str] = set()

    @property
    def name(self) -> str:
        """The wrapped embedder's name: a cache changes nothing about what was embedded."""
        return self._embedder.name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._embedder.dim

    def _load(self) -> None:
        paths = sorted(self._folder.glob("*.npy"))
        for path in paths:
            if path.name in self._read:
                continue
            self._read.add(path.name)
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            if _digest(data) != path.stem:
                warnings.warn(f"{path}: bytes do not match the checksum; its texts are embedded again", stacklevel=3)
                path.unlink(missing_ok=True)
                continue
            records = np.load(io.BytesIO(data), allow_pickle=False)
            if records.dtype != self._record:
                continue
            vectors = np.ascontiguousarray(records["vector"])
            self._vectors.update((bytes(key), row) for key, row in zip(records["key"].tolist(), vectors, strict=True))
        if len(paths) > FILES:
            # what another process adds meanwhile is in files that are not in the list, and stays
            joined = self._save(list(self._vectors), np.stack(list(self._vectors.values())))
            for path in paths:
                if path != joined:
                    path.unlink(missing_ok=True)

    def _save(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> Path:
        records = np.empty(len(keys), self._record)
        records["key"], records["vector"] = np.array(keys, "V16"), vectors
        stream = io.BytesIO()
        np.save(stream, records, allow_pickle=False)
        data = stream.getvalue()
        self._folder.mkdir(parents=True, exist_ok=True)
        name, draft = f"{_digest(data)}.npy", self._folder / f".{uuid4().hex}.draft"
        try:
            draft.write_bytes(data)
            os.replace(draft, self._folder / name)
        finally:
            draft.unlink(missing_ok=True)
        self._read.add(name)
        return self._folder / name

    def _embed_new(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.asarray(self._embedder.embed(texts), np.float32)
        if rows.shape != (len(texts), self.dim):
            raise EmbeddingError(f"{self.name} gave {rows.shape} for {len(texts)} texts of dimension {self.dim}")
        norms = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        if not bool(np.isfinite(norms).all()):
            raise EmbeddingError(f"{self.name} gave a vector with NaN or infinity")
        return (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dim) float32, unit rows (a row of zeros stays zero)."""
        if isinstance(texts, str):
            raise ArgumentError("texts: one string was given; give a list of texts")
        keys = [_key(text) for text in texts]
        if any(key not in self._vectors for key in keys):
            self._load()
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        # by length: a batch of like lengths wastes the least padding
        todo = sorted(missing.items(), key=lambda item: len(item[1]))
        for begin in range(0, len(todo), CHUNK):
            part = todo[begin : begin + CHUNK]
            vectors = self._embed_new([text for _, text in part])
            part_keys = [key for key, _ in part]
            self._save(part_keys, vectors)
            self._vectors.update(zip(part_keys, vectors, strict=True))
            if self._progress is not None:
                self._progress(begin + len(part), len(todo))
        if not keys:
            return np.zeros((0, self.dim), np.float32)
        return np.stack([self._vectors[key] for key in keys])
