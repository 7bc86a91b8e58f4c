"""Segment files: a snapshot's vectors, their codes and the contexts as they lie in memory, with checksums by block.

::

    0           the header: magic, length, JSON (format, block, dim, rows, contexts, sections); zeros up to BLOCK
    BLOCK ..    each section at a multiple of BLOCK: what, contexts, and where codes are kept high, low, meta
    ..          a CRC-32 of every block of every section, little-endian
    end

The manifest holds the file's size and a SHA-256 over header and checksums, which is verified when the file is opened; a
block is verified when one of its rows is first looked at (`scrubjay.matrix`). A file gets its name when it is whole and
on the disk, and is never written again; who maps it keeps it, also when a newer one has taken its place.

>>> [(s.name, s.offset // BLOCK, s.size) for s in sections(dim=2, rows=3, contexts=1, coded=False)]
[('what', 1, 24), ('contexts', 2, 8)]
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.codes import CODED_ROWS, WIDEST, RowCodes
from scrubjay.columns import Columns, Held
from scrubjay.errors import SegmentError
from scrubjay.matrix import BLOCK, Matrix, Segment, wrong_blocks
from scrubjay.store.manifest import FILE_NAME, File, Manifest, UnusableError

FORMAT: Final = 2
MAPPED_BYTES: Final = 64 << 20
"""From so many bytes of vectors on codes are kept with them, and the file is mapped unless told otherwise (chosen)."""
_MAGIC: Final = b"SCRUBJAY"
_ROWS: Final = 1 << 13


class Section(NamedTuple):
    """One matrix of a segment file."""

    name: str
    rows: int
    stride: int
    """Bytes of a row."""
    offset: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.rows * self.stride

    @property
    def blocks(self) -> int:
        """Number of checksums."""
        return -(-self.size // BLOCK)

    @property
    def end(self) -> int:
        """Where the next section begins."""
        return self.offset + self.blocks * BLOCK


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    block: int
    dim: int
    rows: int
    contexts: int
    sections: list[Section]


def sections(*, dim: int, rows: int, contexts: int, coded: bool) -> list[Section]:
    """What a segment file consists of, in order."""
    half = (dim + 127) // 128 * 64
    parts = [("what", rows, 4 * dim), ("contexts", contexts, 4 * dim)]
    if coded:
        parts += [("high", rows, half), ("low", rows, half), ("meta", 4, 4 * rows)]
    out: list[Section] = []
    at = BLOCK
    for name, count, stride in parts:
        out.append(Section(name, count, stride, at))
        at = out[-1].end
    return out


def _coded(columns: Columns, rows: int) -> bool:
    return 4 * columns.dim * rows >= MAPPED_BYTES and rows >= CODED_ROWS and columns.dim <= WIDEST


# -- writing


class _Sums:
    """Bytes of one section, written in order; their checksums."""

    def __init__(self, file: int, section: Section) -> None:
        self._file, self._at = file, section.offset
        self._crc, self._held = 0, 0
        self.sums: list[int] = []

    def write(self, values: NDArray[np.generic]) -> None:
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        done = 0
        while done < len(data):
            done += os.pwrite(self._file, data[done : done + (1 << 24)], self._at + done)
        self._at += len(data)
        done = 0
        while done < len(data):
            some = data[done : done + BLOCK - self._held]
            self._crc = zlib.crc32(some, self._crc)
            self._held += len(some)
            done += len(some)
            if self._held == BLOCK:
                self._cut()

    def _cut(self) -> None:
        self.sums.append(self._crc)
        self._crc = self._held = 0

    def end(self) -> list[int]:
        if self._held:
            self._cut()
        return self.sums


def write(folder: str, name: str, columns: Columns) -> File:
    """Write the vectors of the living rows as a segment file of that name, whole and synced; raises OSError."""
    keep = np.flatnonzero(columns.live())
    coded = _coded(columns, len(keep))
    parts = sections(dim=columns.dim, rows=len(keep), contexts=len(columns.contexts), coded=coded)
    path = os.path.join(folder, name)
    with open(path + ".part", "xb") as opened:
        file = opened.fileno()
        written = {part.name: _Sums(file, part) for part in parts}
        written["contexts"].write(columns.contexts)
        meta = np.empty((4, len(keep) if coded else 0), np.float32)
        for start in range(0, len(keep), _ROWS):
            some = keep[start : start + _ROWS]
            dense = some[-1] - some[0] + 1 == len(some)
            what = columns.vectors[int(some[0]) : int(some[-1]) + 1] if dense else columns.vectors[some]
            written["what"].write(what)
            if coded:
                high, low, meta[:, start : start + len(some)] = _core.codes(what)
                written["high"].write(high)
                written["low"].write(low)
        if coded:
            written["meta"].write(meta)
        columns.must_hold()
        header = _header(columns.dim, len(keep), len(columns.contexts), parts)
        sums = np.array([crc for part in parts for crc in written[part.name].end()], "<u4").tobytes()
        at = parts[-1].end
        for data, place in ((header, 0), (sums, at)):
            if os.pwrite(file, data, place) != len(data):
                raise OSError(None, "a short write")
        os.ftruncate(file, at + len(sums))
        os.fsync(file)
    os.rename(path + ".part", path)
    return File(name, at + len(sums), hashlib.sha256(header + sums).hexdigest())


def _header(dim: int, rows: int, contexts: int, parts: list[Section]) -> bytes:
    body = msgspec.json.encode(_Header(FORMAT, BLOCK, dim, rows, contexts, parts))
    return (_MAGIC + struct.pack("<I", len(body)) + body).ljust(BLOCK, b"\0")


# -- reading


def held(folder: str, manifest: Manifest, *, capacity: int, mapped: bool | None) -> Held:
    """The vectors of a snapshot, mapped or read; `mapped=None` maps a large file. `capacity` rows have room.

    Header and checksums are verified now; what is read is as well, what is mapped when it is first looked at. Raises
    UnusableError, and OSError where the file is not there.
    """
    file = manifest.vectors_file
    if FILE_NAME.fullmatch(file.name) is None:
        raise UnusableError("damaged", "the manifest names a file that no snapshot has")
    with open(os.path.join(folder, file.name), "rb", buffering=0) as opened:
        if os.fstat(opened.fileno()).st_size != file.size:
            raise UnusableError("damaged", f"{file.name} does not have the {file.size} bytes of the manifest")
        parts, sums = _opened(opened.fileno(), manifest)
        if mapped if mapped is not None else parts[0].size >= MAPPED_BYTES:
            try:
                return _mapped(opened.fileno(), manifest, parts, sums, capacity)
            except SegmentError as error:
                raise UnusableError("damaged", str(error)) from error
        return _read(opened.fileno(), manifest, parts, sums, capacity)


def _opened(file: int, manifest: Manifest) -> tuple[list[Section], list[NDArray[np.uint32]]]:
    """Sections and their checksums, once both were found to be what was written."""
    name = manifest.vectors_file.name
    shape = {"dim": manifest.dim, "rows": manifest.rows, "contexts": manifest.contexts}
    for coded in (False, True):
        parts = sections(**shape, coded=coded)
        many = sum(part.blocks for part in parts)
        if parts[-1].end + 4 * many == manifest.vectors_file.size:
            break
    else:
        raise UnusableError("damaged", f"{name} has not the size of {manifest.rows} rows")
    header, sums = bytearray(BLOCK), bytearray(4 * many)
    _fill(file, memoryview(header), 0, name)
    _fill(file, memoryview(sums), parts[-1].end, name)
    if hashlib.sha256(header + sums).hexdigest() != manifest.vectors_file.sha256:
        raise UnusableError("damaged", f"the checksums of {name} do not match their own")
    if header != _header(manifest.dim, manifest.rows, manifest.contexts, parts):
        ours = header.startswith(_MAGIC) and f'"format":{FORMAT},"block":{BLOCK},'.encode() in header[:64]
        raise UnusableError("damaged" if ours else "format", f"{name} is not of the manifest's rows and format")
    ends = np.cumsum([part.blocks for part in parts])
    every = np.frombuffer(sums, "<u4").astype(np.uint32)
    return parts, np.split(every, ends[:-1])


def _fill(file: int, room: memoryview, at: int, name: str) -> None:
    done = 0
    while done < len(room):
        got = os.preadv(file, [room[done : done + (1 << 24)]], at + done)
        if not got:
            raise UnusableError("damaged", f"{name} ends too early")
        done += got


def _mapped(file: int, manifest: Manifest, parts: list[Section], sums: list[NDArray[np.uint32]], capacity: int) -> Held:
    segment = Segment(file, manifest.vectors_file.name)

    def matrix(i: int, kind: type[np.generic], room: int) -> Matrix:
        part = parts[i]
        width = part.stride // np.dtype(kind).itemsize
        return Matrix.mapped(segment, part.offset, part.rows, width, kind, sums[i], room)

    contexts = matrix(1, np.float32, manifest.contexts + manifest.contexts // 8)
    codes = RowCodes()
    if len(parts) > 2:
        meta = np.empty((4, manifest.rows), np.float32)
        _read_section(file, parts[4], sums[4], meta.reshape(-1).view(np.uint8).data, segment.name)
        codes = RowCodes.held(matrix(2, np.uint8, capacity), matrix(3, np.uint8, capacity), meta, manifest.rows)
    return Held(matrix(0, np.float32, capacity), contexts, manifest.contexts, codes, segment)


def _read(file: int, manifest: Manifest, parts: list[Section], sums: list[NDArray[np.uint32]], capacity: int) -> Held:
    name = manifest.vectors_file.name

    def matrix(i: int, kind: type[np.generic], room: int) -> Matrix:
        part = parts[i]
        out = Matrix(part.stride // np.dtype(kind).itemsize, kind, max(room, part.rows))
        _read_section(file, part, sums[i], out.room(part.rows), name)
        return out

    contexts = matrix(1, np.float32, manifest.contexts)
    codes = RowCodes()
    if len(parts) > 2:
        meta = np.empty((4, manifest.rows), np.float32)
        _read_section(file, parts[4], sums[4], meta.reshape(-1).view(np.uint8).data, name)
        codes = RowCodes.held(matrix(2, np.uint8, 0), matrix(3, np.uint8, 0), meta, manifest.rows)
    return Held(matrix(0, np.float32, capacity), contexts, manifest.contexts, codes, None)


def _read_section(file: int, part: Section, sums: NDArray[np.uint32], room: memoryview, name: str) -> None:
    _fill(file, room, part.offset, name)
    rest = bytearray(part.end - part.offset - part.size)
    _fill(file, memoryview(rest), part.offset + part.size, name)
    if any(rest):
        raise UnusableError("damaged", f"{name} has something between its sections")
    if wrong_blocks(np.frombuffer(room, np.uint8), sums, np.arange(part.blocks)):
        raise UnusableError("damaged", f"{name} does not match its checksums ({part.name})")
