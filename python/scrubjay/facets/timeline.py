"""The verbs of time: the store as it was, as it would be, and its log in less space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from scrubjay.encode.when import When, to_seconds
from scrubjay.store.manifest import Status
from scrubjay.verbs import timeline
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.timeline import Compaction, Rebuilt

S = TypeVar("S", bound="TimelineVerbs")


class TimelineVerbs:
    """The event log is the only truth: state is folded from it, and can be folded otherwise."""

    _engine: Engine

    def rebuild(self) -> Rebuilt:
        """Fold the whole log anew, use the result, and say whether the state had been the same, bit for bit.

        Never calls a model. About five seconds per million events.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     _ = store.add("tea is at four")
            ...     store.rebuild().same
            True
        """
        return timeline.rebuild_columns(self._engine)

    def replay(
        self: S,
        *,
        until: When | None = None,
        upto: int | None = None,
        without: str | int | Sequence[str | int] | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> S:
        """What would have been: a store in memory, folded from a part of the log. This store is not touched.

        The new one shares the models and is a store like any other; what is written to it ends with it.

        Args:
            until: leave out what was recorded after this time. The order of the log decides where the clock, which was
                set, contradicts it.
            upto: leave out what comes after this event (see `history`).
            without: leave out what these sources said (`outcome(source=...)`), or these events. Where that takes a
                memory, what happened to it goes too.
            params: parameters of `configure` that hold from the beginning, in place of all that the log has.

        Raises:
            CorruptionError: the log is damaged.
            ArgumentError: an unknown parameter; an event that cannot be left out, as it numbers a namespace or context.
            MemoryNotFoundError: `without` names an event that is not there.

        Warns where `compact(summarise_before=...)` has dropped outcomes that this cannot replay.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     memory = store.add("the tests are flaky")
            ...     _ = store.outcome(memory, 0.0, source="bot")
            ...     store.get(memory.id).usefulness, store.replay(without="bot").get(memory.id).usefulness
            (0.25, 0.5)
        """
        at = None if until is None else to_seconds(until, argument="until")
        engine = timeline.what_if(self._engine, at=at, upto=upto, without=without, params=params)
        return cast("S", cast("Any", type(self))(engine, Status("absent")))

    def compact(self, *, summarise_before: When | None = None) -> Compaction:
        """Keep outcomes in fewer, smaller events; says what became of them.

        Without an argument nothing is lost: each outcome keeps its signal, weight, source and time; `replay` and
        `as_of` give what they gave. The log folds to the same state, bit for bit: checked before it is committed.

        Args:
            summarise_before: of outcomes that were recorded before this time, by what the clock said then, keep
                only what they came to: evidence, stability, difficulty. `Compaction.dropped` says what is lost.

        Raises:
            CorruptionError: the log is damaged.
            StoreReadOnlyError: the store was opened for reading.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     memory = store.add("tea is at four")
            ...     for _ in range(10):
            ...         _ = store.outcome(memory, 1.0)
            ...     done = store.compact()
            ...     done.gathered, done.events, store.get(memory.id).usefulness > 0.9
            (10, 1, True)
        """
        before = None if summarise_before is None else to_seconds(summarise_before, argument="summarise_before")
        return timeline.compact(self._engine, before)
