"""The arrays of the trained head (`scrubjay.encode.head`) and their file: what each is, and how few bits it is kept in.

A file is an .npz without objects. Heads of every earlier format are read: what they lack says nothing.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.curves import DICTIONARY
from scrubjay.encode.features import NAMES
from scrubjay.errors import CorruptionError

FORMAT: Final = 3
"""Of files; those of format 1, with a hidden layer of tanh, and 2, without members for facts, are read too."""
_HALF: Final = ("bias", "output_bias", "trust", "plain_bias", "plain_output_bias", "factual", "tilts")
_BYTES: Final = {
    "basis": 0, "input": 0, "feature": 0, "prototypes": None, "output": 1, "plain_feature": 0, "plain_output": 1,
    "tilt": 0,
}  # fmt: skip
"""Arrays that a file keeps in 8 bits, and the axis that shares a scale (None: all)."""
_LEVELS: Final = 63.0
"""Steps in which a file keeps the square roots of a memory."""
_OWN_PACE: Final = np.array([1.0, 0.0], np.float32)
_WHOLE: Final = np.ones(1, np.float32)
_NEVER_FAINT: Final = np.array([0.0, 1.0, 1.0, 0.0], np.float32)
_RECTIFIED: Final = np.ones(1, np.float32)
_NO_FEATURE: Final = np.zeros((len(NAMES), 0), np.float32)
_NO_ROW: Final = np.zeros(0, np.float32)
_NO_TILT: Final = np.zeros((0, 0), np.float32)
_NO_MEMBER: Final = np.zeros((0, 0, DICTIONARY.size), np.float32)
_NO_LOGITS: Final = np.zeros((0, DICTIONARY.size), np.float32)
_KNOWN_AT: Final = np.array([1.0, 1.0], np.float32)
_EXACT: Final = ("recall", "prior", "familiar", "spread", "pace", "faint", "rectified", "known")
_FIELDS: Final = (*_HALF, *_BYTES, "memory", *_EXACT)
_LATER: Final = (
    "pace", "trust", "plain_feature", "plain_bias", "plain_output", "plain_output_bias", "factual", "tilt", "tilts",
    "known",
)  # fmt: skip
"""Arrays that files of earlier formats need not have."""


class Weights(NamedTuple):
    """A head's arrays, float32; M members of h hidden units, K components, P prototypes, F features, d the embedder's
    length, r directions of it that are read (both 0 for the head that reads the text alone)."""

    basis: NDArray[np.float32]
    """(d, r): orthonormal columns, the directions in which prototypes are compared."""
    input: NDArray[np.float32]
    """(d, M h): vector to hidden."""
    bias: NDArray[np.float32]
    """(M h)."""
    feature: NDArray[np.float32]
    """(F, M h): text features to hidden."""
    output: NDArray[np.float32]
    """(M, h, K): hidden to the logits of the mixture."""
    output_bias: NDArray[np.float32]
    """(M, K)."""
    prototypes: NDArray[np.float32]
    """(P, r + time expressions, or F): rows of norm at most 1, what the training data looks like (`look`)."""
    memory: NDArray[np.float32]
    """(P, K): the mixture that the training data nearest to each prototype shows."""
    recall: NDArray[np.float32]
    """(5): cosine to the nearest prototype at which the memory counts half of its most, the logistic's width, the
    most, how much a prototype counts less by e for each unit of cosine that it lies behind the nearest (0: the
    nearest alone counts), and how much nearer a text with a time expression counts: what bounds it is the same.
    The memory sharpens what is well known and leaves the rest to the network."""
    prior: NDArray[np.float32]
    """(K): the mean mixture of the training data."""
    familiar: NDArray[np.float32]
    """(3): cosine to the nearest prototype at which head and prior count half each, the logistic's width, and how much
    less near a text counts beside what is wholly trusted: what facts show of a text unlike them is mostly their own."""
    spread: NDArray[np.float32]
    """(3), standard deviations in logits: factor on the members' disagreement, that of text far from the data, and a
    floor."""
    pace: NDArray[np.float32] = _OWN_PACE
    """(2): slope and shift of the logarithm of every horizon (`curves.stretched`), for a domain whose memories last
    longer or shorter than those of the training data, or differ less."""
    trust: NDArray[np.float32] = _WHOLE
    """(P), or (1) for all: how much of a prototype's memory counts, in [0, 1]: 1 beside real facts and time
    expressions, 0 beside other sentences, which are found by the names that they share and not by how long they
    hold."""
    faint: NDArray[np.float32] = _NEVER_FAINT
    """(4): cosine to the nearest prototype at which a text is half novel, the logistic's width, how much the vector of
    what is wholly novel counts (what an unfamiliar text is about says less than its features do; 1: never less), and
    how far that holds by the trust in what is near alone: of what is unlike all facts the vector says most."""
    rectified: NDArray[np.float32] = _RECTIFIED
    """(1): 1 where a hidden unit is max(0, z), 0 where it is tanh(z), as in heads of format 1."""
    plain_feature: NDArray[np.float32] = _NO_FEATURE
    """(F, p h): text features to the hidden units (rectified) of p members that read the text alone. What facts of one
    wording share is told by how they are said; what they are about is left to the `tilt`."""
    plain_bias: NDArray[np.float32] = _NO_ROW
    """(p h)."""
    plain_output: NDArray[np.float32] = _NO_MEMBER
    """(p, h, K): hidden to the logits of the mixture."""
    plain_output_bias: NDArray[np.float32] = _NO_LOGITS
    """(p, K)."""
    factual: NDArray[np.float32] = _NO_ROW
    """(P): how much those members answer beside each prototype, in [0, 1]: 1 beside real facts."""
    tilt: NDArray[np.float32] = _NO_TILT
    """(P, q): times `tilts`, what the facts near a prototype add to the logits of those members."""
    tilts: NDArray[np.float32] = _NO_LOGITS
    """(q, K)."""
    known: NDArray[np.float32] = _KNOWN_AT
    """(2): cosine to the nearest prototype at which those members answer half as much, and the logistic's width."""


def read_weights(path: str | Path | BinaryIO) -> tuple[Weights, str | None, str]:
    """Arrays, embedder (None: the text alone) and name of a head's .npz file, by name or open.

    Raises CorruptionError where it is no head of a format that is known.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, NDArray[Any]] = {key: file[key] for key in file.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise CorruptionError(f"{path}: not a readable head ({error})") from error
    arrays.setdefault("rectified", np.zeros(1, np.float32))
    if "recall" in arrays:
        arrays.setdefault("faint", np.append(arrays["recall"][:2], 1.0))
    for field in _LATER:
        arrays.setdefault(field, Weights._field_defaults[field])
    needed = {*_FIELDS, "format", "name", "embedder", "features"}
    readable = not needed - arrays.keys() and int(arrays["format"]) in range(1, FORMAT + 1)
    if not readable or not set(arrays["features"].tolist()) <= frozenset(NAMES):
        raise CorruptionError(f"{path}: a head of another format or of other features; train it again")
    arrays["prototypes_scale"] = arrays.pop("prototype_scale", arrays.get("prototypes_scale", np.float32(1.0)))
    for field in _BYTES:
        arrays[field] = arrays[field].astype(np.float32) * arrays.get(f"{field}_scale", np.float32(1.0))
    for field, size in (("recall", 5), ("familiar", 3), ("faint", 4)):
        # a head from before a law of these goes on without it
        arrays[field] = np.append(arrays[field], np.zeros(max(0, size - arrays[field].size)))
    names = arrays["features"].tolist()
    if names != list(NAMES):
        # a head of fewer features goes on as it was: the new ones say nothing to it
        place = [NAMES.index(name) for name in names]
        for field in ("feature", "plain_feature"):
            if arrays[field].size:
                arrays[field] = _spread_out(arrays[field], place, 0)
        if not arrays["basis"].shape[0]:
            arrays["prototypes"] = _spread_out(arrays["prototypes"], place, 1)
    # The file keeps square roots in steps, or half precision: every mixture is made to sum to 1 again.
    roots = arrays["memory"].dtype == np.uint8
    arrays["memory"] = arrays["memory"].astype(np.float32) ** (2 if roots else 1)
    arrays["memory"] /= np.maximum(arrays["memory"].sum(axis=1, keepdims=True), np.float32(1e-6))
    weights = Weights(**{field: np.asarray(arrays[field], np.float32) for field in _FIELDS})
    return weights, str(arrays["embedder"]) or None, str(arrays["name"])


def write_weights(path: str | Path | BinaryIO, weights: Weights, embedder: str | None, name: str) -> None:
    """A head's .npz file, by name or open: large arrays in 8 bits, others in half precision. Overwrites."""
    arrays: dict[str, NDArray[Any]] = {field: getattr(weights, field).astype(np.float16) for field in _HALF}
    arrays |= {field: getattr(weights, field) for field in _EXACT}
    for field, axis in _BYTES.items():
        rows: NDArray[np.float32] = getattr(weights, field)
        scale = np.abs(rows).max(axis=axis, initial=0.0, keepdims=True)
        scale = np.maximum(scale, np.float32(1e-12)) / np.float32(127.0)
        arrays |= {field: np.round(rows / scale).astype(np.int8), f"{field}_scale": scale}
    arrays |= {
        "memory": np.round(np.sqrt(np.clip(weights.memory, 0.0, 1.0)) * _LEVELS).astype(np.uint8),
        "format": np.asarray(FORMAT, np.int32),
        "embedder": np.asarray(embedder or "", np.str_),
        "name": np.asarray(name, np.str_),
        "features": np.asarray(NAMES, np.str_),
    }
    if isinstance(path, (str, Path)):
        with open(path, "wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
    else:
        np.savez_compressed(path, allow_pickle=False, **arrays)


def _spread_out(rows: NDArray[Any], place: list[int], axis: int) -> NDArray[Any]:
    """Zeros for all `NAMES` along the axis, with these rows at their places."""
    shape = list(rows.shape)
    shape[axis] = len(NAMES)
    out = np.zeros(shape, rows.dtype)
    out[(slice(None),) * axis + (place,)] = rows
    return out
