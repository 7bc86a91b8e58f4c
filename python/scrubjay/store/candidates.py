"""The index of candidates on disk: a cache beside the log, in a folder of its own, that nothing else is derived from.

The file holds the arrays of `ARRAYS`, one behind the other. All of it is read and compared with its SHA-256 before any
of it is used, and what is used is what was compared. The manifest names store, epoch, embedder and file, under a
checksum of its own. A file is written under a name that nobody else uses, synced and renamed; the manifest is put in
place under the log's write lock, never over one of a larger index of the same epoch. What cannot be used is as good as
absent.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import StoreError
from scrubjay.store.connect import sync_folder
from scrubjay.store.log import EventLog
from scrubjay.store.manifest import File, origin
from scrubjay.store.schema import CANDIDATES_NAME

FORMAT: Final = 5
FOLDER: Final = CANDIDATES_NAME
MANIFEST: Final = "manifest.json"
_NAME: Final = re.compile(r"(graph|slots|index)-([0-9a-f]{16})\.bin(\.part)?")
ARRAYS: Final = (
    ("keys", "<i8", ("slots",)),
    ("digests", "<u8", ("slots",)),
    ("counts", "<i8", ("lists",)),
    ("squares", "<f8", ("lists",)),
    ("apart", "<f4", ("lists",)),
    ("basis", "<f4", ("axes", "dim")),
    ("next", "<i4", ("slots",)),
    ("ends", "<i4", ("lists",)),
    ("heads", "<i4", ("lists",)),
    ("centres", "|u1", ("lists", "width")),
    ("codes", "|u1", ("slots", "width")),
)
"""Name, type and sizes of what the file holds; the largest numbers first, so that each lies where it may."""
ABSENT: Final = "absent"
FOREIGN: Final = "it is another store's, or of a log that was rewritten since"
FINE: Final = (ABSENT, FOREIGN)
"""Reasons for not using an index that are no damage."""
_LONGEST: Final = 1 << 16
_HEX: Final = 64
_BLOCK: Final = 1 << 22
Natural = Annotated[int, msgspec.Meta(ge=0)]


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What an index says of itself."""

    wide: bool
    """Whether it knows contexts."""
    slots: Natural
    arranged: Natural
    """Slots that lie list by list."""
    lists: Annotated[int, msgspec.Meta(ge=1)]
    width: Annotated[int, msgspec.Meta(ge=1, le=1 << 16)]
    """Numbers of a slot."""
    last_key: Natural
    drift: Annotated[float, msgspec.Meta(ge=0.0, le=4.0)]
    reach: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]
    lost: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)]
    usual: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)]
    axes: Annotated[int, msgspec.Meta(ge=1, le=1 << 16)]
    """Rows of its basis, and one for the middle; the numbers of each are as many as those of a vector."""
    axes_lost: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)]
    axes_shift: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)]
    axes_radius: Annotated[float, msgspec.Meta(gt=0.0, le=4.0)] = 1.0


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: int
    uuid: str
    epoch: Natural
    embedder: str
    dim: Natural
    shape: Shape
    index: File


class Kept(NamedTuple):
    """An index as it was kept; every byte was compared with its checksum."""

    shape: Shape
    arrays: dict[str, NDArray[Any]]
    """By the names of `ARRAYS`."""


def load(log: EventLog) -> tuple[Kept | None, str]:
    """The index that is kept for this log, or None and the reason in words."""
    folder = _folder(log)
    if folder is None:
        return None, ABSENT
    manifest, why = _manifest(folder)
    if manifest is None:
        return None, why
    if origin(manifest) != origin(log.meta, log.epoch):
        return None, FOREIGN
    try:
        data = _bytes(folder, manifest.index)
    except OSError as error:
        return None, f"it cannot be read: {error.strerror}"
    sizes = msgspec.structs.asdict(manifest.shape) | {"dim": manifest.dim}
    shapes = [(name, np.dtype(kind), tuple(int(sizes[size]) for size in wanted)) for name, kind, wanted in ARRAYS]
    ends = np.cumsum([kind.itemsize * math.prod(shape) for _, kind, shape in shapes]).tolist()
    if data is None or len(data) != ends[-1]:
        return None, "it does not match its checksum"
    parts = np.split(data, ends[:-1])
    arrays = {name: part.view(kind).reshape(shape) for part, (name, kind, shape) in zip(parts, shapes, strict=True)}
    return Kept(manifest.shape, arrays), ""


def save(
    log: EventLog,
    shape: Shape,
    arrays: Mapping[str, NDArray[Any]],
    *,
    epoch: int,
    distrusted: bool = False,
) -> bool:
    """Keep an index that was made of the columns of `epoch`: as much of `arrays` as `shape` says.

    One that is there gives way where it knows fewer memories, or takes more room for them, or is `distrusted`. False
    where ours was not kept: another process's is as good, or the log was rewritten meanwhile.
    """
    folder = _folder(log)
    if folder is None or log.read_only:
        return False
    token = os.urandom(8).hex()
    try:
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"index-{token}.bin")
        with open(f"{path}.part", "xb") as file:
            for name, kind, wanted in ARRAYS:
                part = arrays[name][: shape.slots] if wanted[0] == "slots" else arrays[name]
                file.write(np.ascontiguousarray(part, kind).data)
        manifest = _Manifest(format=FORMAT, **origin(log.meta, epoch), shape=shape, index=_finished(path))
        return _publish(log, folder, manifest, token, distrusted)
    except BaseException as error:
        _sweep(folder, lambda found: found[2] == token)
        if isinstance(error, FileNotFoundError):
            return False
        if isinstance(error, OSError):
            raise StoreError(f"store {log.path!r}: the index cannot be kept: {error.strerror}") from error
        raise


def discard(log: EventLog) -> None:
    """Remove what is kept; for a store in memory nothing is."""
    folder = _folder(log)
    if folder is None or not os.path.isdir(folder):
        return
    with log.exclusive():
        _empty(folder)


def discard_foreign(log: EventLog) -> None:
    """Remove what cannot be used for this log: it may hold what the log no longer does."""
    folder = _folder(log)
    if folder is None or log.read_only or not os.path.isdir(folder):
        return
    with suppress(OSError, StoreError), log.write() as tx:
        manifest, _ = _manifest(folder)
        if manifest is None or origin(manifest) != origin(log.meta, tx.epoch()):
            _empty(folder)


def _folder(log: EventLog) -> str | None:
    return None if log.in_memory else os.path.join(log.path, FOLDER)


def _manifest(folder: str) -> tuple[_Manifest | None, str]:
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            data = file.read(_LONGEST + 1)
    except FileNotFoundError:
        return None, ABSENT
    except OSError as error:
        return None, f"its manifest cannot be read: {error.strerror}"
    body = data[_HEX:]
    if len(data) > _LONGEST or hashlib.sha256(body).hexdigest().encode() != data[:_HEX]:
        return None, "its manifest does not match its checksum"
    try:
        manifest = msgspec.json.decode(body, type=_Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None, "its manifest is of another version"
    if manifest.format != FORMAT or not _NAME.fullmatch(manifest.index.name):
        return None, "its manifest is of another version"
    return manifest, ""


def _bytes(folder: str, file: File) -> NDArray[np.uint8] | None:
    """A file's bytes; None where they are not those that the manifest tells of."""
    with open(os.path.join(folder, file.name), "rb") as opened:
        if os.fstat(opened.fileno()).st_size != file.size:
            return None
        data = np.empty(file.size, np.uint8)
        got, room = 0, memoryview(data.data)
        while got < file.size and (n := opened.readinto(room[got : got + _BLOCK])):
            got += n
    return data if got == file.size and hashlib.sha256(data.data).hexdigest() == file.sha256 else None


def _finished(path: str) -> File:
    """Sync a `.part` file, give it its name, and say what is in it."""
    digest, size = hashlib.sha256(), 0
    with open(f"{path}.part", "rb+") as file:
        os.fsync(file.fileno())
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    os.rename(f"{path}.part", path)
    return File(os.path.basename(path), size, digest.hexdigest())


def _publish(log: EventLog, folder: str, manifest: _Manifest, token: str, distrusted: bool) -> bool:
    sync_folder(folder)
    with log.write() as tx:
        held, _ = _manifest(folder)
        better = held is None or distrusted or not _as_good(held, manifest) or not _there(folder, held)
        if tx.epoch() != manifest.epoch or not better or not _there(folder, manifest):
            _sweep(folder, lambda found: found[2] == token)
            return False
        body = msgspec.json.encode(manifest)
        part = os.path.join(folder, f"{MANIFEST}.part")
        with open(part, "wb") as file:
            file.write(hashlib.sha256(body).hexdigest().encode() + body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, os.path.join(folder, MANIFEST))
        with suppress(OSError):
            sync_folder(folder)
        # what others have in hand goes too: they find it gone, and keep nothing
        _sweep(folder, lambda found: found[2] != token)
    return True


def _as_good(held: _Manifest, made: _Manifest) -> bool:
    """True when an index that is there knows as many memories in as little room."""
    if origin(held) != origin(made):
        return False
    return (held.shape.last_key, -held.shape.slots) >= (made.shape.last_key, -made.shape.slots)


def _there(folder: str, manifest: _Manifest) -> bool:
    with suppress(OSError):
        return os.path.getsize(os.path.join(folder, manifest.index.name)) == manifest.index.size
    return False


def _sweep(folder: str, doomed: Callable[[re.Match[str]], bool]) -> None:
    with suppress(OSError):
        for name in os.listdir(folder):
            found = _NAME.fullmatch(name)
            if found is not None and doomed(found):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def _empty(folder: str) -> None:
    for name in os.listdir(folder):
        if name.startswith(MANIFEST) or _NAME.fullmatch(name) is not None:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))
    sync_folder(folder)
