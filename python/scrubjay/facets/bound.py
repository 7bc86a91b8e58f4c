"""A handle that is bound to a namespace: the verbs of one tenant, and no way to another's rows.

What a bound handle can do is a table. A verb is in `SCOPED` when it takes a namespace and looks at nothing outside of
it, or in `SPECIAL` when this module sees to that; all others are refused, also those that are made tomorrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from types import TracebackType
from typing import Any, Final, TypeVar, cast

import msgspec

from scrubjay.encode.intake import check_namespace
from scrubjay.errors import ArgumentError, ScopeError
from scrubjay.memory import MemoryUnit, NewMemory, Subtree
from scrubjay.recall.hits import Hit
from scrubjay.verbs.candidates import CandidateStats
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.read import HistoryEntry
from scrubjay.verbs.stats import Stats, stats

S = TypeVar("S", bound="BoundVerbs")

SCOPED: Final = frozenset(
    {
        "add", "binding", "condense", "consolidate", "delete", "descend", "due", "forgotten", "get", "integrate",
        "link", "list", "neighbors", "outcome", "prepare", "rate", "reclassify", "rescore", "restore", "search",
        "search_many", "undo", "unlink", "update", "validity",
    }
)  # fmt: skip
"""Verbs that are called with the handle's namespace."""
SPECIAL: Final = frozenset({"add_many", "close", "closed", "delete_all", "history", "namespace", "observe", "stats"})
"""Verbs that a bound handle has of its own."""
WHOLE: Final = {
    **dict.fromkeys(("backup", "compact", "rebuild", "replay", "verify"), "it is about the whole log"),
    **dict.fromkeys(("begin_session", "end_session", "session"), "the clock of active time is everyone's"),
    **dict.fromkeys(
        (
            "configure", "define_frame", "fit_fsrs", "fit_perishability", "fit_weights", "quarantine", "release",
            "set_taxonomy", "taxonomy",
            "unfit_perishability", "weighting",
        ),
        "it is a setting of the whole store",
    ),
    **dict.fromkeys(
        ("export_peer", "import_elfmem", "import_mem0", "merge_peer"), "it reads or writes a file by its path"
    ),
    "bound": "it is bound already",
}  # fmt: skip
"""Verbs that it does not have, and why not."""


class BoundVerbs:
    """`bound`: a handle for one namespace."""

    _engine: Engine

    def bound(self: S, namespace: str | Sequence[str]) -> S:
        """A handle on this store for one namespace alone: no argument of it reaches a memory of another.

        It has the verbs of a store, without `namespace`; giving another one is an error, and an id of another
        namespace is as unknown as one that never was. What is about the whole store (`verify`, `compact`, `configure`,
        ..) or names a file raises ScopeError. It shares everything with this handle and ends with it; closing it
        closes nothing. `scrubjay.open(path, namespace=...)` gives one that owns its store.

        It guards against wrong arguments, a model's among them, not against code that runs in your process.

        Raises:
            ArgumentError: an empty namespace.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> secret = store.add("The door code is 4711.", namespace=("acme", "bob"))
            >>> ada = store.bound(("acme", "ada"))
            >>> _ = ada.add("Ada likes tea.")
            >>> [hit.memory.text for hit in ada.search("door code")]
            ['Ada likes tea.']
            >>> ada.get(secret.id)
            Traceback (most recent call last):
                ...
            scrubjay.errors.MemoryNotFoundError: id '...': no such memory in this namespace
        """
        return cast("S", BoundStore(self, namespace))


def bound_labels(namespace: object) -> tuple[str, ...]:
    """The labels to bind a handle to; ArgumentError for none, so that a missing scope is no scope.

    >>> bound_labels("ada")
    ('ada',)
    """
    labels = check_namespace(namespace)
    if not labels:
        raise ArgumentError("namespace: empty; name the namespace that the handle is for")
    return labels


class BoundStore:
    """A store's verbs for one namespace. Made by `MemoryStore.bound` and `scrubjay.open(namespace=...)`."""

    def __init__(self, store: Any, namespace: str | Sequence[str], *, owns: bool = False) -> None:
        self._store, self._labels, self._owns = store, bound_labels(namespace), owns

    @property
    def namespace(self) -> tuple[str, ...]:
        """The labels that it is bound to."""
        return self._labels

    def __getattr__(self, name: str) -> Any:
        if name in SCOPED:
            return self._scoped(getattr(self._store, name))
        if name.startswith("_") or not hasattr(type(self._store), name):
            raise AttributeError(f"a store has no {name!r}")
        why = WHOLE.get(name, "nobody has said that it stays within one namespace")
        raise ScopeError(f"{name}: not on a handle that is bound to a namespace: {why}; use the store's own handle")

    def __dir__(self) -> list[str]:
        return sorted({*SCOPED, *SPECIAL})

    def _scoped(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(verb)
        def call(*args: Any, namespace: Any = None, **options: Any) -> Any:
            self._mine(namespace)
            return verb(*args, namespace=self._labels, **options)

        return call

    def _mine(self, namespace: Any, argument: str = "namespace") -> None:
        """Refuse a namespace that is given and another one."""
        if isinstance(namespace, Subtree):
            raise ArgumentError(
                f"{argument}: this handle is bound to {self._labels!r} and takes no Subtree; leave it out, or ask the "
                "store's own handle"
            )
        if namespace is not None and check_namespace(namespace, argument=argument) not in ((), self._labels):
            raise ArgumentError(f"{argument}: this handle is bound to {self._labels!r}; leave it out")

    # -- verbs of its own

    def add_many(
        self, items: Iterable[str | Mapping[str, Any] | NewMemory], *, namespace: Any = None, **options: Any
    ) -> Any:
        """See `MemoryStore.add_many`; all items are of this namespace."""
        self._mine(namespace)
        if isinstance(items, (str, bytes, Mapping, NewMemory)) or not isinstance(items, Iterable):
            return self._store.add_many(items, **options)
        return self._store.add_many(list(self._items(items)), **options)

    def _items(self, items: Iterable[Any]) -> Iterator[Any]:
        for i, item in enumerate(items):
            if isinstance(item, NewMemory):
                self._mine(item.namespace, f"items[{i}].namespace")
                yield msgspec.structs.replace(item, namespace=self._labels)
            elif isinstance(item, Mapping):
                self._mine(item.get("namespace"), f"items[{i}].namespace")
                yield {**item, "namespace": self._labels}
            else:
                yield {"text": item, "namespace": self._labels} if isinstance(item, str) else item

    def delete_all(self, namespace: Any = None, **options: Any) -> Any:
        """See `MemoryStore.delete_all`: all of this namespace."""
        self._mine(namespace)
        if namespace is not None and not check_namespace(namespace) and options.get("root") is not True:
            raise ArgumentError(
                f"namespace: empty, and this handle is bound to {self._labels!r}; leave it out to empty that, or pass "
                "root=True"
            )
        return self._store.delete_all(self._labels, **options)

    def history(self, id: str, *, namespace: Any = None) -> list[HistoryEntry]:
        """See `MemoryStore.history`; without what an event says of several memories at once."""
        self._mine(namespace)
        entries: list[HistoryEntry] = self._store.history(id, namespace=self._labels)
        return [
            msgspec.structs.replace(
                entry, changes={name: x for name, x in entry.changes.items() if not _of_several(name, x)}
            )
            for entry in entries
        ]

    def observe(self, answer: str, hits: Sequence[Hit], **options: Any) -> Any:
        """See `MemoryStore.observe`; the hits must be of this namespace."""
        for i, hit in enumerate(hits if isinstance(hits, Sequence) else ()):
            memory = getattr(hit, "memory", None)
            if isinstance(memory, MemoryUnit) and memory.namespace != self._labels:
                raise ArgumentError(
                    f"hits[{i}]: of another namespace than {self._labels!r}, to which this handle is bound; give hits "
                    "of its own searches"
                )
        return self._store.observe(answer, hits, **options)

    def stats(self, namespace: Any = None) -> Stats:
        """See `MemoryStore.stats`; counts are of this namespace, and what is the whole store's is left out."""
        self._mine(namespace)
        engine: Engine = self._store._engine
        own = stats(engine, self._labels)
        space = engine.space(self._labels)
        with engine.log.read() as view:
            events = 0 if space is None else view.events_of(space)
        return msgspec.structs.replace(
            own,
            namespaces=int(own.memories > 0),
            events=events,
            column_bytes=own.column_bytes // max(1, len(engine.columns)) * own.memories,
            mapped_bytes=0,
            resident_bytes=0,
            model_calls=0,
            model_refusals={},
            damaged_events=0,
            unread_events=0,
            candidates=CandidateStats(state=own.candidates.state),
            quarantined=(),
            path="",
        )

    def __len__(self) -> int:
        return self.stats().memories

    # -- opening and closing

    def close(self) -> None:
        """Close the store where this handle owns it, and nothing otherwise."""
        if self._owns:
            self._store.close()

    @property
    def closed(self) -> bool:
        """True after the store was closed."""
        return bool(self._store.closed)

    def __enter__(self) -> BoundStore:
        self._store.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<BoundStore {self._labels!r}{' closed' if self.closed else ''}>"

    def __reduce__(self) -> Any:
        raise TypeError("a store's handle cannot be pickled: open the store again where it is needed")


def _of_several(name: str, value: object) -> bool:
    """Bytes are columns over all memories of an event; numbers of rows and of integers in lists name other rows."""
    if isinstance(value, bytes) or name in ("into", "upto"):
        return True
    return isinstance(value, (list, tuple)) and name not in ("metadata",) and all(isinstance(x, int) for x in value)
