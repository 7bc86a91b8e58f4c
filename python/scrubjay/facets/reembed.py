"""`scrubjay.reembed`: a store with another embedder. A function beside `open`, which refuses such a store."""

from __future__ import annotations

import os
from time import time as wall_clock

from scrubjay.encode.embedding import DEFAULT_BATCH, check_embedder
from scrubjay.encode.intake import check_count, checked_clock
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import ArgumentError
from scrubjay.protocols import Clock, Embedder, Progress
from scrubjay.store.connect import checked_path
from scrubjay.verbs import reembed as verb
from scrubjay.verbs.reembed import Reembedded


def reembed(
    path: str | os.PathLike[str],
    *,
    embedder: Embedder | None = None,
    batch: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    force: bool = False,
    timeout: float = 30.0,
    clock: Clock = wall_clock,
) -> Reembedded:
    """Make every vector of the store in folder `path` anew with another embedder, and give the store to it.

    While vectors are made, in `reembed.sqlite` beside the log, the store is read and written as before. Then one
    transaction puts them in place, together with those of what was added meanwhile. It takes about two minutes per
    million memories, and room on the disk for the log once more; readers go on, a writer whose own timeout is shorter
    gets a StoreLockedError. Handles that are still open raise EmbedderMismatchError at their next use: open the store
    again. Killed at any moment, the store is the old one or the new one whole, and the same call goes on where it was;
    where it is given up instead, the file may be deleted.

    Texts, ids, times, perishability, evidence, edges and the history stay as they are, and so does what `replay` and
    `as_of` tell of the past, for which deleted texts are embedded too. Three things do not:

    - A memory's vector is its text's own. How far integrations had moved vectors is dropped, for it was measured by the
      old embedder; what they did to value, perishability, horizon and currency stays, and `undo` takes it back.
    - A perishability head that was fitted to the store reads the old vectors: the one that ships for the new embedder
      is in force.
    - Edges by similarity and by context are the old embedder's until their memories are written anew.

    Args:
        path: the store's folder.
        embedder: texts to vectors; None is the default one.
        batch: texts per call of the embedder and per commit.
        progress: called with (events of the log that are done, events in all).
        force: also where the store is this embedder's already.
        timeout: seconds to wait for another process's lock.
        clock: seconds since the epoch (UTC).

    Raises:
        EmbeddingError, DimensionError: the embedder's answer cannot be used; the store is as it was. What an embedder
            itself raises comes through, and leaves it so too.
        StoreFormatError: the folder is no store.
        StoreReadOnlyError: it cannot be written to.
        StoreLockedError: another process holds it, or re-embeds it, for longer than `timeout`.
        CorruptionError: the log is damaged.

    Example:
        >>> import tempfile, scrubjay
        >>> class Letters:
        ...     name, dim = "letters", 26
        ...     def embed(self, texts):
        ...         return [[text.lower().count(c) + 0.01 for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        >>> folder = tempfile.TemporaryDirectory()
        >>> with scrubjay.open(folder.name, clock=lambda: 1.7e9) as store:
        ...     _ = store.add_many(["tea is at four", "the code is green"])
        >>> done = scrubjay.reembed(folder.name, embedder=Letters())
        >>> done.texts, done.before_dim, done.dim
        (2, 512, 26)
        >>> with scrubjay.open(folder.name, embedder=Letters()) as store:
        ...     store.search("tea at four")[0].memory.text
        'tea is at four'
        >>> folder.cleanup()
    """
    encoder = UniversalEncoder() if embedder is None else check_embedder(embedder)
    told = checked_clock(clock)
    folder = checked_path(path)
    if folder == ":memory:":
        raise ArgumentError("path: a store in memory has no other handle; open a new one with the other embedder")
    return verb.reembed(
        folder,
        encoder,
        batch=check_count(batch, argument="batch", largest=65536),
        progress=progress,
        force=force,
        timeout=timeout,
        clock=told,
    )
