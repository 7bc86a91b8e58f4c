"""What a store is: one checksummed record, written when it is created."""

from __future__ import annotations

import zlib

import apsw
import msgspec

from scrubjay.errors import CorruptionError, DimensionError, EmbedderMismatchError, shown
from scrubjay.store.connect import fetch


class StoreMeta(msgspec.Struct, frozen=True, kw_only=True):
    """What a store is."""

    uuid: str
    embedder: str
    """Name of the embedder that made its vectors."""
    dim: int
    clock: str = "wall"
    """Kind of the clock that its times come from."""
    epoch: int = 0
    """Rises when events are rewritten (purge, new embedder): state folded before it is void."""


def write_meta(connection: apsw.Connection, meta: StoreMeta) -> None:
    """Store the record, within the caller's transaction."""
    body = msgspec.msgpack.encode(meta)
    connection.execute(
        "INSERT INTO meta (name, body, crc) VALUES ('store', ?1, ?2)"
        " ON CONFLICT (name) DO UPDATE SET body = ?1, crc = ?2",
        (body, zlib.crc32(body)),
    )


def read_meta(connection: apsw.Connection, folder: str) -> StoreMeta:
    """The record; CorruptionError when its bytes do not match their checksum."""
    found = fetch(connection, "SELECT body, crc FROM meta WHERE name = 'store'")
    if not found or not isinstance(found[0][0], bytes) or zlib.crc32(found[0][0]) != found[0][1]:
        raise CorruptionError(f"store {folder!r}: its meta record is damaged; restore log.sqlite from a backup")
    return msgspec.msgpack.decode(found[0][0], type=StoreMeta)


def match(meta: StoreMeta, embedder: str | None, dim: int | None, folder: str) -> None:
    """Raises DimensionError or EmbedderMismatchError when the store was made with another embedder."""
    if dim is not None and dim != meta.dim:
        raise DimensionError(
            f"store {shown(folder)} holds vectors of {meta.dim} numbers by {shown(meta.embedder)}, the embedder "
            f"{shown(embedder or 'given')} makes {dim}: open it with the embedder it was made with, or "
            "re-embed it with scrubjay.reembed"
        )
    if embedder is not None and embedder != meta.embedder:
        raise EmbedderMismatchError(
            f"store {folder!r} was made with the embedder {meta.embedder!r}, not {embedder!r}: open it with that one, "
            "or re-embed it with scrubjay.reembed"
        )


class Unchanged:
    """Is a store still of the embedder that a handle was opened with? Asked at each of its transactions."""

    def __init__(self, meta: StoreMeta, folder: str) -> None:
        self._meta, self._folder = meta, folder
        self._seen = b""

    def check(self, connection: apsw.Connection) -> None:
        """Raises EmbedderMismatchError where it was re-embedded meanwhile. Within the caller's transaction."""
        found = fetch(connection, "SELECT body FROM meta WHERE name = 'store'")
        if found and found[0][0] == self._seen:
            return
        now, then = read_meta(connection, self._folder), self._meta
        if (now.embedder, now.dim) != (then.embedder, then.dim):
            raise EmbedderMismatchError(
                f"store {self._folder!r} was re-embedded with {now.embedder!r} ({now.dim} numbers) after this handle "
                f"was opened with {then.embedder!r} ({then.dim}): close it, and open the store with the new embedder"
            )
        self._seen = found[0][0]
