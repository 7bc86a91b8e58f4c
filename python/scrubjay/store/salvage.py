"""A log whose pages are damaged, as when its end was cut off: a new one is made of what the others hold.

An event is known by its checksum wherever it lies, so neither the tree above the pages nor the other pages are needed,
the first one with the header among them (SQLite file format, sections 1.5 and 2.1).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, pairwise
from typing import BinaryIO, Final

import apsw
import msgspec

from scrubjay.errors import CorruptionError, StoreLockedError
from scrubjay.store import forks, projection
from scrubjay.store.connect import as_ours, connect, fetch, translated
from scrubjay.store.mend import mended
from scrubjay.store.meta import StoreMeta
from scrubjay.store.opening import create, log_file
from scrubjay.store.schema import LOG_NAME, PAGE_SIZE
from scrubjay.store.view import View, event_crc

NEW: Final = LOG_NAME + "-salvaged"
_TABLE_NODE, _TABLE_LEAF, _INDEX_LEAF = 0x05, 0x0D, 0x0A
_WIDTH: Final = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}


@contextmanager
def alone(folder: str, timeout: float) -> Iterator[None]:
    """A block in which nobody else has the log open; StoreLockedError where somebody has.

    SQLite leaves the mode with a write-ahead file only to who is alone, and moves into the log what that file holds.
    """
    _nobody_here(folder)
    try:
        _mode(folder, "DELETE", timeout)
    except (apsw.BusyError, apsw.LockedError) as error:
        raise as_ours(error, folder) from error
    except apsw.Error:
        # a log that SQLite does not open is nobody's
        pass
    try:
        yield
    finally:
        with suppress(apsw.Error):
            _mode(folder, "WAL", timeout)


def _nobody_here(folder: str) -> None:
    """SQLite's locks are the process's: whoever opens and closes the file here would lose those of other handles."""
    for handle in forks.watched():
        if not (handle.closed or handle.in_memory) and os.path.realpath(handle.path) == os.path.realpath(folder):
            raise StoreLockedError(f"store {folder!r} is open in this process: close it, and verify it then")


def _mode(folder: str, mode: str, timeout: float) -> None:
    db = connect(log_file(folder), durability="full", timeout=timeout)
    try:
        db.pragma("journal_mode", mode)
    finally:
        db.close()


def salvage(folder: str, to: str) -> int:
    """Write a new log to the file `to` with the events that can still be read in the store's; returns how many.

    They keep their numbers, one of which a bit was flipped is mended, and the tables are derived from them. In the
    place of each that is missing lies one that is damaged, and one more where the end of the log is lost.
    CorruptionError: what the store is cannot be read, or no event. To be called where nobody has the log open.
    """
    _nobody_here(folder)
    with open(log_file(folder), "rb") as held:
        pages = _Pages(held)
        records = {name: (body, crc) for name, body, crc in pages.meta()}
        if "store" not in records:
            raise CorruptionError(f"store {folder!r}: what it is can be read no more: restore log.sqlite from a backup")
        meta = msgspec.msgpack.decode(records["store"][0], type=StoreMeta)
        with translated(folder):
            db = connect(to, durability="full", timeout=5.0)
            try:
                # state that was folded of the old one is void
                create(db, msgspec.structs.replace(meta, epoch=meta.epoch + 1))
                db.execute("BEGIN IMMEDIATE")
                cursor = db.cursor()
                cursor.executemany(
                    "INSERT OR IGNORE INTO events (seq, body, crc) VALUES (?, ?, ?)", pages.events(meta.dim)
                )
                others = ((name, *rest) for name, rest in records.items() if name != "store")
                cursor.executemany("INSERT INTO meta (name, body, crc) VALUES (?, ?, ?)", others)
                found = [seq for (seq,) in fetch(db, "SELECT seq FROM events ORDER BY seq")]
                if not found:
                    raise CorruptionError(f"store {folder!r}: no event can be read: restore log.sqlite from a backup")
                # what came behind the last one and is lost stays known as one event
                count, last = len(found), found[-1] + (pages.last() != found[-1])
                missing = ((seq, b"", event_crc(seq, b"") ^ 0xFFFFFFFF) for seq in _gaps([*found, last + 1]))
                cursor.executemany("INSERT INTO events (seq, body, crc) VALUES (?, ?, ?)", missing)
                view, after = View(db, folder, meta.dim, last), 0
                while after < last:
                    batch = view.batch(after)
                    projection.fill(db, [batch])
                    after = batch.upto
                db.execute("COMMIT")
            finally:
                db.close()
    return count


def _gaps(rising: list[int]) -> Iterator[int]:
    """The numbers from 1 on that are missing between others."""
    return chain.from_iterable(range(a + 1, b) for a, b in pairwise([0, *rising]))


class _Pages:
    """The leaf pages of an SQLite file, one after the other, whatever became of the others."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        # a page of which the end is missing is one
        self._count = -(-os.fstat(file.fileno()).st_size // PAGE_SIZE)

    def events(self, dim: int) -> Iterator[tuple[int, bytes, int]]:
        """(seq, body, crc) of every event whose bytes match their checksum, or do so but for one bit."""
        for page in self._leaves(_TABLE_LEAF):
            for at in _cells(page):
                try:
                    size, at = _varint(page, at)
                    seq, at = _varint(page, at)
                    values = _record(self._payload(page, at, size, PAGE_SIZE - 35))
                except (IndexError, ValueError):
                    continue
                if len(values) != 3 or not 0 < seq < 1 << 63:
                    continue
                alias, body, crc = values
                if alias is None and isinstance(body, bytes) and isinstance(crc, int):
                    right = (body, crc) if event_crc(seq, body) == crc else mended(seq, body, crc, dim)
                    if right is not None:
                        yield seq, *right

    def meta(self) -> Iterator[tuple[str, bytes, int]]:
        """(name, body, crc) of every record of what the store is."""
        for page in self._leaves(_INDEX_LEAF):
            for at in _cells(page):
                try:
                    size, at = _varint(page, at)
                    most = (PAGE_SIZE - 12) * 64 // 255 - 23
                    values = _record(self._payload(page, at, size, most))
                except (IndexError, ValueError):
                    continue
                if len(values) != 3:
                    continue
                name, body, crc = values
                if isinstance(name, str) and isinstance(body, bytes) and zlib.crc32(body) == crc:
                    yield name, body, zlib.crc32(body)

    def last(self) -> int | None:
        """Number of the last event that the tree above the pages names; None where that is lost or damaged.

        The events are the first table that was made: its tree begins on page 2.
        """
        number = 2
        try:
            for _ in range(20):
                page = self._page(number)
                if page[0] == _TABLE_LEAF:
                    cells = int.from_bytes(page[3:5], "big")
                    at = int.from_bytes(page[6 + 2 * cells : 8 + 2 * cells], "big") if cells else len(page)
                    return _varint(page, _varint(page, at)[1])[0]
                if page[0] != _TABLE_NODE:
                    return None
                number = int.from_bytes(page[8:12], "big")
        except (IndexError, ValueError):
            pass
        return None

    def _leaves(self, kind: int) -> Iterator[bytes]:
        for number in range(2, self._count + 1):
            page = self._page(number)
            if page[:1] == bytes([kind]):
                yield page

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= self._count:
            raise ValueError("the page is lost")
        self._file.seek((number - 1) * PAGE_SIZE)
        return self._file.read(PAGE_SIZE)

    def _payload(self, page: bytes, at: int, size: int, most: int) -> bytes:
        if size <= most:
            return page[at : at + size]
        if size > self._count * PAGE_SIZE:
            raise ValueError("longer than the file")
        least = (PAGE_SIZE - 12) * 32 // 255 - 23
        local = least + (size - least) % (PAGE_SIZE - 4)
        local = local if local <= most else least
        parts, left = [page[at : at + local]], size - local
        following = int.from_bytes(page[at + local : at + local + 4], "big")
        while left > 0:
            page = self._page(following)
            following = int.from_bytes(page[:4], "big")
            parts.append(page[4 : 4 + min(left, PAGE_SIZE - 4)])
            left -= PAGE_SIZE - 4
        return b"".join(parts)


def _cells(page: bytes) -> Iterator[int]:
    """Where the cells of a leaf begin."""
    for i in range(int.from_bytes(page[3:5], "big")):
        at = int.from_bytes(page[8 + 2 * i : 10 + 2 * i], "big")
        if 8 <= at < len(page):
            yield at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and where it ends."""
    value = 0
    for i in range(8):
        byte = data[at + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1
    return value << 8 | data[at + 8], at + 9


def _record(data: bytes) -> list[object]:
    """The values of a record, of the kinds that this file holds; ValueError for others."""
    end, at = _varint(data, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(data, at)
        kinds.append(kind)
        if len(kinds) > 3:
            raise ValueError("a row of another table")
    values: list[object] = []
    for kind in kinds:
        width = (kind - 12) // 2 if kind >= 12 else _WIDTH.get(kind, -1)
        if width < 0 or at + width > len(data):
            raise ValueError("no record")
        part = data[at : at + width]
        at += width
        if kind >= 12:
            values.append(part.decode() if kind % 2 else part)
        else:
            values.append(None if kind == 0 else kind - 8 if kind >= 8 else int.from_bytes(part, "big", signed=True))
    return values
