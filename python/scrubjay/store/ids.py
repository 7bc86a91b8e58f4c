"""UUIDv7 (RFC 9562): 48 bits of milliseconds, then 74 random bits; text outside, 16 bytes inside.

>>> ids = IdSource(lambda: 1700000000.0)
>>> a, b = ids.next(), ids.next()
>>> a < b, len(a), to_text(a)[14]
(True, 16, '7')
>>> to_bytes(to_text(a)) == a
True
"""

from __future__ import annotations

import os
import re
import threading
from typing import Final

from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.protocols import Clock

_RANDOM_BITS: Final = 74
_MAX_MS: Final = (1 << 48) - 1
_MAX: Final = (1 << 122) - 1
_TEXT: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class IdSource:
    """Ids that rise strictly, also within a millisecond and when the clock jumps back. May be shared by threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = -1

    def next(self) -> bytes:
        """One new id, 16 bytes."""
        return self.many(1)[0]

    def many(self, n: int) -> list[bytes]:
        """`n` new ids, rising."""
        steps = os.urandom(4 * n)
        fresh = int.from_bytes(os.urandom(10), "big") & ((1 << (_RANDOM_BITS - 1)) - 1)
        ms = min(max(int(self._clock() * 1000), 0), _MAX_MS)
        out = []
        with self._lock:
            value = max(ms << _RANDOM_BITS | fresh, self._last)
            for i in range(n):
                # a random step keeps ids hard to guess; a carry into the milliseconds keeps them rising
                value = min(value + 1 + int.from_bytes(steps[4 * i : 4 * i + 4], "big"), _MAX)
                out.append(_pack(value))
            self._last = value
        return out


def _pack(value: int) -> bytes:
    head, random = value >> _RANDOM_BITS, value & ((1 << _RANDOM_BITS) - 1)
    high, low = random >> 62, random & ((1 << 62) - 1)
    return (head << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low).to_bytes(16, "big")


def to_text(id: bytes) -> str:
    """16 bytes as the usual text of 36 characters."""
    h = id.hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def to_bytes(text: str) -> bytes:
    """The text of a UUID as 16 bytes; ArgumentError for anything else."""
    if not isinstance(text, str):
        raise ArgumentTypeError(f"id must be a string such as {to_text(bytes(16))!r}, not {type(text).__name__}")
    if _TEXT.fullmatch(text.lower()) is None:
        raise ArgumentError(f"id {shown(text)} is not the text of a UUID, such as {to_text(bytes(16))!r}")
    return bytes.fromhex(text.replace("-", ""))
