"""The verbs of peers: stores that tell one another what proved useful."""

from __future__ import annotations

import os
from collections.abc import Sequence

from scrubjay.encode.intake import check_flag, check_namespace, check_path
from scrubjay.verbs import peers
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.peers import Merge


class PeerVerbs:
    """Evidence that stores share. A file is data: it names no memory, namespace or path of this store."""

    _engine: Engine

    def export_peer(
        self, path: str | os.PathLike[str], *, namespace: str | Sequence[str] = (), texts: bool = False
    ) -> int:
        """Write what this store has learned about a namespace's memories to a file; returns how many.

        Only its own outcomes and ratings: what it merged from others stays out, so that nothing comes back to them.

        Args:
            path: the file, JSON; one that is there is replaced.
            namespace: whose memories.
            texts: write their texts too, so that a peer can add what it does not have. Without, the file holds digests.

        Raises:
            StoreFullError: there is no room for the file; what was there is left as it was.
            FileError: the file cannot be written for another reason, such as a folder that is not there.

        Example:
            >>> import scrubjay, tempfile, os
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store, tempfile.TemporaryDirectory() as folder:
            ...     _ = store.add("the deploy needs the VPN")
            ...     store.export_peer(os.path.join(folder, "mine.json"))
            1
        """
        return peers.export(
            self._engine, check_path(path), check_namespace(namespace), check_flag(texts, argument="texts")
        )

    def merge_peer(
        self,
        path: str | os.PathLike[str],
        trust: float,
        *,
        namespace: str | Sequence[str] = (),
        peer: str | None = None,
        add: bool = False,
    ) -> Merge:
        """Take over what a peer knows of the memories that this namespace has too, as far as it is trusted.

        Evidence adds up, within a cap per memory and peer (100 observations); stability is raised to the peer's times
        trust, never lowered. Files may be merged in any order and again: each of the peer's events counts once, and a
        newer file takes the place of what an older one counted for. See `scrubjay.upkeep.merge`.

        Args:
            path: a file of `export_peer`.
            trust: in [0, 1]. The same file merged again with a higher one counts the rest; with a lower one it changes
                nothing: leave the peer out by `replay(without=peer)` to see the store without it.
            namespace: whose memories may be changed; no others are.
            peer: whom the file is from, where you know better than the file: a file can claim any identity.
            add: add memories that this namespace does not have, where the file has their text and `trust` is above 0.
                They are known again by that text, not by a key that the peer may have given them, and are dated no
                later than now.

        Raises:
            ArgumentError: no peer's file, one of this store itself, or an argument out of range; nothing was written.
            FileError: the file is not there or cannot be read.

        Example:
            >>> import scrubjay, tempfile, os
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     file = os.path.join(folder, "theirs.json")
            ...     with scrubjay.open(":memory:", clock=lambda: 1.7e9) as theirs:
            ...         _ = theirs.outcome(theirs.add("the deploy needs the VPN"), 1.0, 4.0)
            ...         _ = theirs.export_peer(file)
            ...     with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...         memory = store.add("the deploy needs the VPN")
            ...         _ = store.merge_peer(file, trust=0.5)
            ...         round(store.get(memory.id).usefulness, 3)
            0.833
        """
        return peers.merge(
            self._engine,
            check_path(path),
            trust=trust,
            namespace=check_namespace(namespace),
            peer=peer,
            add=check_flag(add, argument="add"),
        )
