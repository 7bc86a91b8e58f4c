"""Results on disk, one JSON file per unit of work, so that a run which was ended resumes where it was.

A unit is named by everything that its result depends on: the task, its options, the system, the embedder, and the
digest of the data. The file holds that name beside the result and a checksum of both; one that does not match is
computed again.
"""

from __future__ import annotations

import hashlib
import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

import msgspec

from scrubjay.errors import ArgumentError, shown

T = TypeVar("T")

VERSION: Final = 1
"""Raised when a change of the code changes results: then nothing stored before counts."""


def digest(data: bytes) -> str:
    """BLAKE2b-128 in hexadecimal."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def files_digest(paths: Sequence[str | Path]) -> str:
    """Digest of the contents of files, in order."""
    return digest("".join(digest(Path(path).read_bytes()) for path in paths).encode())


class Runs:
    """A folder of results; None keeps nothing."""

    def __init__(self, folder: str | Path | None) -> None:
        self._folder = None if folder is None else Path(folder)

    def once(self, name: Mapping[str, Any], kind: type[T], work: Callable[[], T]) -> T:
        """The stored result of this unit, or the work's, which is stored."""
        if self._folder is None:
            return work()
        key = msgspec.json.encode({"version": VERSION, **name}, order="deterministic")
        path = self._folder / f"{digest(key)}.json"
        found = self._read(path, key, kind)
        if found is not None:
            return found
        result = work()
        body = msgspec.json.encode(_spelled(msgspec.to_builtins(result)))
        page = msgspec.json.encode({"name": msgspec.Raw(key), "sum": digest(key + body), "result": msgspec.Raw(body)})
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = self._folder / f".{uuid4().hex}.draft"
        try:
            draft.write_bytes(page)
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        return result

    def _read(self, path: Path, key: bytes, kind: type[T]) -> T | None:
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            page = msgspec.json.decode(data, type=_Page)
            if bytes(page.name) == key and page.sum == digest(key + bytes(page.result)):
                return msgspec.json.decode(page.result, type=kind, strict=False)
        except ValueError:
            pass
        warnings.warn(f"{path}: damaged or of another version; its result is computed again", stacklevel=4)
        return None


def _spelled(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are spelled out, and read back by `strict=False`."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _spelled(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spelled(v) for v in value]
    return value


class _Page(msgspec.Struct):
    name: msgspec.Raw
    sum: str
    result: msgspec.Raw


def check_names(names: Sequence[str], known: Sequence[str], argument: str) -> list[str]:
    """Names in the order given, each once. Raises ArgumentError for an unknown one."""
    for name in names:
        if name not in known:
            raise ArgumentError(f"{argument}: {shown(name)} is unknown; known are {', '.join(known)}")
    return list(dict.fromkeys(names))
