"""The verbs of the three channels: what was of use, what matters, what should be rehearsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from scrubjay.encode.intake import check_count, check_namespace
from scrubjay.encode.normal import check_text
from scrubjay.encode.when import When, to_seconds
from scrubjay.errors import ArgumentError, shown
from scrubjay.memory import MemoryUnit
from scrubjay.recall.factors import FACTORS, Weights
from scrubjay.recall.frames import FRAMES
from scrubjay.recall.hits import Hit
from scrubjay.verbs import outcome, read
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.outcome import Due

Some: TypeAlias = str | Hit | MemoryUnit | Iterable[str | Hit | MemoryUnit]
"""An id, a memory, a hit, or several: the hits of a search are."""


class ChannelVerbs:
    """What outcomes, ratings and time do to memories."""

    _engine: Engine

    def outcome(
        self,
        ids_or_hits: Some,
        signal: float | str,
        weight: float = 1.0,
        *,
        source: str = "",
        namespace: str | Sequence[str] | None = None,
    ) -> int:
        """Tell how it went with memories that were used; returns how many.

        Each gets evidence, a += signal weight and b += (1 - signal) weight, and a review by the store's law of
        forgetting: the signals of Again, Hard, Good and Easy (0, 1/3, 2/3, 1) are whole grades, those between lie on
        straight lines, so that stability rises with the signal and nothing jumps. A weight below 1 is that part of a
        review.

        A memory is learned with a stability of one day and a difficulty of 5, as no grade is given then: its first
        outcome is a review of that state, not FSRS's first grade, which would set both anew.

        Args:
            ids_or_hits: which; all or none are recorded.
            signal: in [0, 1], or "again", "hard", "good", "easy".
            weight: in [1e-6, 1e6]; 1 is one observation.
            source: who says so, for `replay(without=...)`.
            namespace: refuse memories of any other.

        Raises:
            MemoryNotFoundError: one of them does not exist; nothing was written.
            ArgumentError: a signal or weight out of range; nothing was written.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     memory = store.add("the deploy script needs VPN")
            ...     _ = store.outcome(store.search("how do I deploy?"), 1.0)
            ...     store.get(memory.id).usefulness
            0.75
        """
        return outcome.outcome(
            self._engine, ids_or_hits, signal, weight=weight, source=source, namespace=_scope(namespace)
        )

    def rate(
        self,
        ids_or_hits: Some,
        rating: float,
        weight: float = 1.0,
        *,
        source: str = "",
        namespace: str | Sequence[str] | None = None,
    ) -> int:
        """Judge how much memories matter; returns how many. Their importance becomes the rating, which is evidence too.

        Nothing of the earlier evidence is taken away: a += rating weight, b += (1 - rating) weight.

        Args:
            ids_or_hits: which; all or none are rated.
            rating: in [0, 1].
            weight, source, namespace: as in `outcome`.

        Raises:
            MemoryNotFoundError, ArgumentError: as in `outcome`.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     memory = store.add("Ada is allergic to peanuts")
            ...     _ = store.rate(memory, 0.9)
            ...     store.get(memory.id).importance
            0.9
        """
        return outcome.rate(
            self._engine, ids_or_hits, rating, weight=weight, source=source, namespace=_scope(namespace)
        )

    def rescore(
        self,
        ratings: Mapping[str, float] | Callable[[MemoryUnit], float | None],
        weight: float = 1.0,
        *,
        source: str = "",
        namespace: str | Sequence[str] | None = None,
    ) -> int:
        """Judge memories anew, each with its own rating; returns how many. See `rate`: outcomes stay.

        Args:
            ratings: {id: rating in [0, 1]}, or a function that is given every memory of `namespace` (None: the root's)
                and answers a rating, or None to leave it as it is.
            weight, source, namespace: as in `outcome`.

        Raises:
            MemoryNotFoundError, ArgumentError: as in `outcome`; nothing was written. What the function raises passes
                through as it is, and nothing was written then either.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     memory = store.add("the office is closed on Fridays")
            ...     _ = store.outcome(memory, 1.0, 3.0)
            ...     _ = store.rescore({memory.id: 0.2})
            ...     round(store.get(memory.id).usefulness, 2)
            0.74
        """
        scope = () if namespace is None else check_namespace(namespace)
        return outcome.rescore(
            self._engine,
            ratings,
            weight=weight,
            source=source,
            namespace=_scope(namespace),
            everything=lambda: list(_every(self._engine, scope)),
        )

    def due(self, now: When | None = None, *, namespace: str | Sequence[str] = (), limit: int = 100) -> list[Due]:
        """What should be rehearsed at `now`, the most forgotten first: memories whose retrievability has fallen to 0.9.

        Args:
            now: None: now, by the store's clock.
            namespace: whose memories.
            limit: how many at most, >= 1.

        Returns:
            The memory, its retrievability in [0, 1], and for how many days it has been due, each.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     _ = store.add("the launch code is 0000")
            ...     len(store.due()), len(store.due(1.7e9 + 2 * 86400))
            (0, 1)
        """
        at = self._engine.clock() if now is None else to_seconds(now, argument="now")
        return outcome.due(self._engine, check_namespace(namespace), at, check_count(limit, argument="limit"))

    def configure(self, **parameters: Any) -> None:
        """Change the laws by which outcomes change memories, from now on. It is an event like any other.

        Args:
            parameters: law ("fsrs-6", the default; "fsrs-5"; "survey"), weights (21, 19 or 8 numbers; none: the
                published ones), wanted (retrievability at which a memory is due, in [0.01, 0.999]), thresholds (signals
                of the four grades, from 0 to 1), same_day (days), most (cap of stability, in [1, 1e9] days), keep
                (what an outcome leaves of earlier evidence, in (0, 1]). What is not named stays.

        Raises:
            ArgumentError: an unknown or impossible parameter; nothing was written.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     store.configure(law="fsrs-5", wanted=0.8)
        """
        outcome.configure(self._engine, parameters)

    def define_frame(self, name: str, weights: Weights | Mapping[str, float] | Sequence[float]) -> Weights:
        """Give a row of weights a name for `search(frame=...)`, on this handle.

        Args:
            name: not one of the built-in frames'; case does not count, and a name given again takes the new weights.
            weights: of the factors; they must sum to at most 1, so that scores stay in [0, 1].

        Raises:
            ArgumentError: the name is taken, or the weights sum to more than 1.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     _ = store.define_frame("CALM", {"what": 0.5, "importance": 0.5})
            ...     _ = store.add("tea is at four")
            ...     store.search("tea", frame={"CALM": 1, "SELF": 1})[0].memory.text
            'tea is at four'
        """
        label = check_text(name, argument="name", max_bytes=256)
        row = Weights.of(weights)
        total = sum(getattr(row, factor) for factor in FACTORS)
        if label.upper() in FRAMES:
            raise ArgumentError(f"name: {shown(label)} is a built-in frame; choose another")
        if total > 1.0 + 1e-9:
            raise ArgumentError(f"weights: they sum to {total:g}; a frame's sum to at most 1")
        self._engine.frames[label.upper()] = row
        return row

    def begin_session(self) -> float:
        """Start the clock of a store with `time="active"`; returns the active seconds so far.

        A session that was never ended counts until the last event that was recorded in it.

        Raises:
            ArgumentError: the store keeps wall time.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9, time="active") as store:
            ...     store.begin_session()
            0.0
        """
        return outcome.session(self._engine, running=True)

    def end_session(self) -> float:
        """Stop the clock of active time; returns the active seconds so far.

        Raises:
            ArgumentError: the store keeps wall time.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9, time="active") as store:
            ...     _ = store.begin_session()
            ...     store.end_session()
            0.0
        """
        return outcome.session(self._engine, running=False)

    @contextmanager
    def session(self) -> Iterator[None]:
        """A with block in which the clock of active time runs.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9, time="active") as store, store.session():
            ...     _ = store.add("noted while awake")
        """
        self.begin_session()
        try:
            yield
        finally:
            self.end_session()


def _scope(namespace: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return None if namespace is None else check_namespace(namespace)


def _every(engine: Engine, namespace: tuple[str, ...]) -> Iterator[MemoryUnit]:
    after = None
    while page := read.listing(engine, namespace, 1000, after):
        yield from page
        after = page[-1].id
