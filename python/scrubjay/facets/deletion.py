"""The verbs of deletion: out of sight at once, or gone for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

from scrubjay.encode.intake import check_flag, check_ids, check_namespace, check_scope
from scrubjay.errors import ArgumentError
from scrubjay.memory import Subtree
from scrubjay.verbs import delete
from scrubjay.verbs import purge as purging
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.purge import Purge


class DeletionVerbs:
    """delete and delete_all. What is purged is in no file of the store any more, and no snapshot of the past has it."""

    _engine: Engine

    @overload
    def delete(
        self, ids: str | Sequence[str], *, namespace: str | Sequence[str] | None = None, purge: Literal[False] = False
    ) -> int: ...

    @overload
    def delete(
        self, ids: str | Sequence[str], *, namespace: str | Sequence[str] | None = None, purge: Literal[True]
    ) -> Purge: ...

    def delete(
        self, ids: str | Sequence[str], *, namespace: str | Sequence[str] | None = None, purge: bool = False
    ) -> int | Purge:
        """Delete memories by id, all or none; returns how many. Their events stay in the history.

        On a disk too full for all of them at once they are deleted in several commits, and StoreFullError tells how
        many where even that does not do.

        With `purge` they are removed for good, and a receipt is returned: the log is rewritten as if they had never
        been added, so that texts, vectors, words, metadata, edges, what was made of them (summaries, and what they did
        to other memories as evidence) and the past that `as_of` shows are without them; then every file is made anew.
        `history` of a purged id says that it was purged and when, and nothing else. Memories that were deleted before
        can be purged too. It costs a pass over the whole store however many ids there are, and other writers wait for
        it: purge many at once. A call that ends in the middle is finished by the next open; so is what `Purge.left`
        names, such as pages that another process was still reading.

        Args:
            ids: one id or several.
            namespace: they must be of this one.
            purge: remove them for good; cannot be taken back.

        Raises:
            MemoryNotFoundError: one of them does not exist (in `namespace`, where given); nothing was deleted.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> tea, code = store.add("Ada likes tea."), store.add("The door code is 4711.")
            >>> store.delete(tea.id)
            1
            >>> receipt = store.delete(code.id, purge=True)
            >>> receipt.memories, receipt.done, [entry.event for entry in store.history(code.id)]
            (1, True, ['purged'])
        """
        labels = None if namespace is None else check_namespace(namespace)
        if check_flag(purge, argument="purge"):
            return purging.purge(self._engine, check_ids(ids), labels)
        return delete.delete(self._engine, check_ids(ids), labels)

    @overload
    def delete_all(
        self, namespace: str | Sequence[str] | Subtree, *, root: bool = False, purge: Literal[True] = True
    ) -> Purge: ...

    @overload
    def delete_all(
        self, namespace: str | Sequence[str] | Subtree, *, root: bool = False, purge: Literal[False]
    ) -> int: ...

    def delete_all(
        self, namespace: str | Sequence[str] | Subtree, *, root: bool = False, purge: bool = True
    ) -> int | Purge:
        """Remove all that exactly this namespace, or a whole `Subtree`, holds or ever held; returns a receipt.

        It is the end of a tenant: what was deleted before is purged too, and the namespace's labels with it (see
        `delete` for what purging means and costs). With `purge=False` its memories are deleted only: their events stay
        in the history, it is quick, and the number of memories is returned. Other namespaces are not touched.

        The root namespace (), and the subtree of everything, are refused unless `root=True`, so that a missing scope
        cannot empty them.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> _ = store.add("Ada likes tea.", namespace=("acme", "ada"))
            >>> store.delete_all(("acme", "ada")).memories, len(store)
            (1, 0)
        """
        where = check_scope(namespace)
        if not (where.labels if isinstance(where, Subtree) else where) and not root:
            raise ArgumentError(
                "namespace: empty; name the namespace to delete, or pass root=True for the root's memories"
            )
        if check_flag(purge, argument="purge"):
            return purging.purge_all(self._engine, where)
        return delete.delete_all(self._engine, where)
