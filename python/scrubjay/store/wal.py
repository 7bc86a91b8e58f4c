"""What a write-ahead file holds: was an acknowledged transaction lost in it, and what goes from it into the log?

After a sudden end SQLite recovers the WAL up to the first frame that does not match its checksum and drops the rest
without a word. Frames of an unfinished transaction may rightly lie there. But where a frame marks a commit and the next
one continues its checksum, the writer had gone on, so that commit was acknowledged: something before it is damaged.

`lost_commits` opens the WAL alone: closing any handle on the log or its index would drop SQLite's locks on them.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from typing import BinaryIO, Final

import apsw

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_BIG, _LITTLE = 0x377F0683, 0x377F0682
_MASK: Final = 0xFFFFFFFF


def lost_commits(log_file: str, connection: apsw.Connection) -> str | None:
    """What the WAL beside an opened log shows to be lost, in words; None when there is no sign of it.

    To be called when SQLite has opened and recovered the log, before anything is written.
    """
    try:
        with open(log_file + "-wal", "rb") as wal:
            if os.fstat(wal.fileno()).st_size <= _HEADER.size:
                return None
            head = wal.read(_HEADER.size)
            if not _sound(head):
                return _NO_HEADER
            recovered = _recovered(connection)
            lost = 0 if recovered is None else _acknowledged(wal, head, recovered)
    except (OSError, apsw.Error):
        return None
    if not lost or _recovered(connection) != recovered:
        # no sign, or another process is writing, and it has recovered the file before us
        return None
    return _told(lost)


def headless(log_file: str) -> str | None:
    """What a WAL has lost whose header is damaged, in words; SQLite removes one beside a log that it does not open."""
    with suppress(OSError), open(log_file + "-wal", "rb") as wal:
        head = wal.read(_HEADER.size)
        return _NO_HEADER if len(head) == _HEADER.size and not _sound(head) else None
    return None


def unreadable_commits(log_file: str) -> str | None:
    """What `lost_commits` says, of a log that SQLite does not open. Where nobody has it open."""
    with suppress(FileNotFoundError), open(log_file + "-wal", "rb") as wal:
        head = wal.read(_HEADER.size)
        if len(head) < _HEADER.size or not _sound(head):
            return headless(log_file)
        lost = _acknowledged(wal, head, _committed(wal, head)[2])
        return _told(lost) if lost else None
    return None


def settle(log_file: str) -> None:
    """Move what the WAL has committed into its log and remove it, as SQLite does where it can open the two. Where
    nobody has them open.
    """
    with suppress(FileNotFoundError):
        with open(log_file + "-wal", "rb") as wal:
            head = wal.read(_HEADER.size)
            if len(head) == _HEADER.size and _sound(head):
                pages, count, _ = _committed(wal, head)
                _move(wal, pages, count, _HEADER.unpack(head)[2], log_file)
        os.unlink(log_file + "-wal")


def _committed(wal: BinaryIO, head: bytes) -> tuple[dict[int, int], int, int]:
    """(where the newest copy of each page begins, pages that the log has with them, frames up to the last commit)."""
    size, salts, order = _HEADER.unpack(head)[2], head[16:24], _order(head)
    seed: tuple[int, ...] = _HEADER.unpack(head)[6:]
    pages: dict[int, int] = {}
    begun: dict[int, int] = {}
    count = frames = number = 0
    while len(frame := wal.read(_FRAME.size + size)) == _FRAME.size + size and frame[8:16] == salts:
        seed = _checksum(frame[:8] + frame[_FRAME.size :], order, seed)
        if seed != struct.unpack(">2I", frame[16:24]):
            break
        number += 1
        page, commits = struct.unpack(">2I", frame[:8])
        begun[page] = wal.tell() - size
        if commits:
            pages |= begun
            begun, count, frames = {}, commits, number
    return pages, count, frames


def _move(wal: BinaryIO, pages: dict[int, int], count: int, size: int, log_file: str) -> None:
    if not pages:
        return
    with open(log_file, "r+b") as log:
        for page, at in pages.items():
            wal.seek(at)
            log.seek((page - 1) * size)
            log.write(wal.read(size))
        log.truncate(count * size)
        log.flush()
        os.fsync(log.fileno())


_NO_HEADER: Final = "the header of the write-ahead file is damaged: the commits since the last checkpoint are lost"


def _told(lost: int) -> str:
    return f"the write-ahead file is damaged: at least {lost} committed transactions, the last ones, cannot be read"


def _recovered(connection: apsw.Connection) -> int | None:
    """Number of frames that SQLite takes as good."""
    if connection.in_transaction:
        return None
    return connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)[0]


def _acknowledged(wal: BinaryIO, head: bytes, recovered: int) -> int:
    """Commits behind the frames that are good which were followed by another transaction."""
    page, salts, order = _HEADER.unpack(head)[2], head[16:24], _order(head)
    step = _FRAME.size + page
    frames = (os.fstat(wal.fileno()).st_size - _HEADER.size) // step
    count, commits = 0, 0
    previous = b""
    for i in range(recovered, frames):
        wal.seek(_HEADER.size + i * step)
        frame = wal.read(_FRAME.size)
        if frame[8:16] != salts:
            previous = b""
            continue
        if previous and _FRAME.unpack(previous)[1] and _follows(previous, frame, wal.read(page), order):
            count = commits
        commits += _FRAME.unpack(frame)[1] != 0
        previous = frame
    return count


def _follows(previous: bytes, frame: bytes, page: bytes, order: str) -> bool:
    """True when a frame's checksum continues the one of the frame before it."""
    seed = struct.unpack(">2I", previous[16:24])
    return _checksum(frame[:8] + page, order, seed) == struct.unpack(">2I", frame[16:24])


def _sound(head: bytes) -> bool:
    """True when the WAL's header matches its own checksum."""
    magic = _HEADER.unpack(head)[0]
    return magic in (_BIG, _LITTLE) and _checksum(head[:24], _order(head), (0, 0)) == _HEADER.unpack(head)[6:]


def _order(head: bytes) -> str:
    return ">" if _HEADER.unpack(head)[0] == _BIG else "<"


def _checksum(data: bytes, order: str, seed: tuple[int, ...]) -> tuple[int, int]:
    """SQLite's sum over pairs of 32-bit words (file format, section 4.2)."""
    a, b = seed
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for x, y in zip(words, words, strict=True):
        a = (a + x + b) & _MASK
        b = (b + y + a) & _MASK
    return a, b
