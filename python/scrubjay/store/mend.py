"""A single flipped bit in an event is found from its checksum, and flipped back.

CRC-32 has a distance of 4 up to 11,450 bytes: there no two events that differ in up to three bits have one checksum. So
an event of that size whose checksum fits after one flip had one bit damaged, or four and more.
"""

from __future__ import annotations

from typing import Final

from scrubjay.errors import StoreFormatError
from scrubjay.store.view import event_crc, read_event

MAX_BODY: Final = 11_000
_POLYNOMIAL: Final = 0xEDB88320


def _row(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE: Final = tuple(_row(byte) for byte in range(256))


def mended(seq: int, body: bytes, crc: int) -> tuple[bytes, int] | None:
    """(body, crc) with the one damaged bit put right, None where it is not one bit.

    >>> crc = event_crc(7, b"no event")
    >>> mended(7, b"no event", crc ^ 1) is None
    True
    """
    if len(body) > MAX_BODY:
        return None
    syndrome = event_crc(seq, body) ^ crc
    if syndrome.bit_count() == 1:
        # the checksum itself was hit
        candidate = (body, crc ^ syndrome)
    else:
        place = _flipped(syndrome, len(body))
        if place is None:
            return None
        changed = bytearray(body)
        changed[place[0]] ^= place[1]
        candidate = (bytes(changed), crc)
    try:
        return candidate if read_event(seq, *candidate) is not None else None
    except StoreFormatError:
        return None


def _flipped(syndrome: int, length: int) -> tuple[int, int] | None:
    """(byte, mask) of the one bit whose flip changes the checksum of `length` bytes by `syndrome`."""
    deltas = [_TABLE[1 << bit] for bit in range(8)]
    for at in range(length - 1, -1, -1):
        if syndrome in deltas:
            return at, 1 << deltas.index(syndrome)
        deltas = [_TABLE[d & 255] ^ d >> 8 for d in deltas]
    return None
