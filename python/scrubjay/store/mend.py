"""A single flipped bit in an event is found from its checksum, and flipped back.

CRC-32 has a distance of 4 up to 11,450 bytes: there no two events that differ in up to three bits have one checksum. So
an event of that size whose checksum fits after one flip had one bit damaged, or four and more. Above that too no two
flips of one bit have one syndrome (the polynomial is primitive), so the place is found; but other damage looks like one
flip in one of 2 ** 29 / bytes cases. So a longer event must also pass what is asked of every event that is written.
"""

from __future__ import annotations

from typing import Final

from scrubjay.errors import ArgumentError, StoreFormatError
from scrubjay.store.guard import check
from scrubjay.store.view import event_crc, read_event

SURE: Final = 11_000
"""Bytes up to which the checksum alone tells one flip from two or three."""
MAX_BODY: Final = 1 << 22
"""Bytes of the longest event that is mended (chosen): what is no flip of one bit would look like one in 1 of 128."""
_POLYNOMIAL: Final = 0xEDB88320


def _row(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE: Final = tuple(_row(byte) for byte in range(256))
_BACK: Final = {entry >> 24: byte for byte, entry in enumerate(_TABLE)}
"""The byte of each entry, by the entry's highest byte: no two have the same."""
_LAST: Final = {_TABLE[1 << bit]: 1 << bit for bit in range(8)}
"""The mask of the flip in the last byte that changes a checksum by each of these."""


def mended(seq: int, body: bytes, crc: int, dim: int) -> tuple[bytes, int] | None:
    """(body, crc) with the one damaged bit put right, None where it is not one bit.

    >>> crc = event_crc(7, b"no event")
    >>> mended(7, b"no event", crc ^ 1, 2) is None
    True
    """
    if len(body) > MAX_BODY or not 0 <= crc <= 0xFFFFFFFF:
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
        event = read_event(seq, *candidate)
        if event is None:
            return None
        if len(body) > SURE:
            check([event], dim)
    except (StoreFormatError, ArgumentError):
        return None
    return candidate


def _flipped(syndrome: int, length: int) -> tuple[int, int] | None:
    """(byte, mask) of the one bit whose flip changes the checksum of `length` bytes by `syndrome`."""
    # the syndrome is followed back through the bytes that came after the flip: they have moved it as zeros would
    for at in range(length - 1, -1, -1):
        mask = _LAST.get(syndrome)
        if mask is not None:
            return at, mask
        byte = _BACK[syndrome >> 24]
        syndrome = (syndrome ^ _TABLE[byte]) << 8 & 0xFFFFFFFF | byte
    return None
