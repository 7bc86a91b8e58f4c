"""Another history: a log's events with some left out, as if they had never been.

What is left out takes with it whatever names memories that were then never learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
import numpy as np

from scrubjay.events import (
    AnyEvent,
    Condensed,
    Configured,
    ContextSeen,
    Forgotten,
    Integrated,
    Learned,
    NamespaceSeen,
    Outcome,
    Outcomes,
    PeerMerged,
    Pruned,
    Rated,
    Relabelled,
    Restored,
    Summarised,
    Undone,
    touched,
)
from scrubjay.upkeep.compaction import gathered, shares

_PLAIN: Final = (Outcome, Rated, Forgotten, Restored)
"""Events that may simply name fewer memories."""


class Without:
    """A filter over a log's events, in order."""

    def __init__(self, *, sources: frozenset[str], seqs: frozenset[int], settings: Configured | None) -> None:
        self.settings = settings
        self._sources = sources
        self._seqs = seqs
        self._gone: set[int] = set()
        self.summarised = 0
        """Outcomes of which only a summary was met: nothing of it can be left out."""

    def __call__(self, pairs: Iterable[tuple[int, AnyEvent]]) -> Iterator[AnyEvent]:
        """What is left of numbered events."""
        for seq, event in pairs:
            left = self._left(seq, event)
            if left is not None:
                yield left

    def _left(self, seq: int, event: AnyEvent) -> AnyEvent | None:
        if isinstance(event, Configured) and self.settings is not None:
            return None
        if isinstance(event, Outcomes):
            return self._outcomes(event)
        if isinstance(event, NamespaceSeen | ContextSeen):
            # the numbers that others go by
            return event
        if seq in self._seqs or _source(event) in self._sources:
            if isinstance(event, Learned):
                self._gone.add(event.key)
            return None
        if isinstance(event, Summarised) and not event.source:
            self.summarised += sum(event.counts)
        if self._gone.isdisjoint(touched(event)):
            return event
        return trimmed(event, self._gone)

    def _outcomes(self, event: Outcomes) -> AnyEvent | None:
        told = [
            share
            for share in shares(0, event)
            if share[6] not in self._sources and share[1] not in self._seqs and share[0] not in self._gone
        ]
        return gathered(told, at=event.at) if told else None


def until(event: Outcomes, seq: int) -> AnyEvent | None:
    """Those outcomes of a gathered event that were recorded up to event `seq`."""
    told = [share for share in shares(0, event) if share[1] <= seq]
    return gathered(told, at=event.at) if told else None


def trimmed(event: AnyEvent, gone: set[int]) -> AnyEvent | None:
    """The event without the memories that are gone; None where nothing is left of it.

    >>> trimmed(Forgotten(at=0.0, keys=[3, 4]), {3}).keys
    [4]
    """
    if isinstance(event, _PLAIN):
        kept = [key for key in event.keys if key not in gone]
        return msgspec.structs.replace(event, keys=kept) if kept else None
    if isinstance(event, Integrated):
        if event.key in gone:
            return None
        keep = _mask(event.keys, gone)
        return msgspec.structs.replace(
            event,
            keys=_picked(event.keys, keep),
            affinities=np.frombuffer(event.affinities, "<f4")[keep].tobytes(),
            superseded=[key for key in event.superseded if key not in gone],
        )
    if isinstance(event, Pruned):
        told = [(k, u, p) for k, u, p in zip(event.keys, event.utilities, event.support, strict=True) if k not in gone]
        keys, utilities, support = ([row[i] for row in told] for i in range(3))
        return msgspec.structs.replace(event, keys=keys, utilities=utilities, support=support) if told else None
    if isinstance(event, Condensed):
        kept = [key for key in event.keys if key not in gone]
        return msgspec.structs.replace(event, keys=kept) if event.into not in gone and len(kept) > 1 else None
    if isinstance(event, Summarised):
        keep = _mask(event.keys, gone)
        ends = {
            name: np.frombuffer(getattr(event, name), "<f8")[keep].tobytes()
            for name in ("good", "bad", "stability", "difficulty", "reviewed", "updated")
        }
        counts = _picked(event.counts, keep)
        return msgspec.structs.replace(event, keys=_picked(event.keys, keep), counts=counts, **ends)
    if isinstance(event, PeerMerged):
        keep = _mask(event.keys, gone)
        views = {
            name: np.frombuffer(getattr(event, name), "<f8")[keep].tobytes()
            for name in ("good", "bad", "good_step", "bad_step", "stability")
        }
        return msgspec.structs.replace(event, keys=_picked(event.keys, keep), **views)
    if isinstance(event, Relabelled):
        keep = _mask(event.keys, gone)
        n = len(event.keys)
        columns_of = {
            name: np.frombuffer(getattr(event, name), np.uint8).reshape(n, -1)[keep].tobytes()
            for name in ("pi", "tau", "shape", "label")
        }
        return msgspec.structs.replace(event, keys=_picked(event.keys, keep), **columns_of)
    if isinstance(event, Undone):
        keep = _mask(event.keys, gone)
        n = len(event.keys)
        columns = {
            name: np.frombuffer(getattr(event, name), np.uint8).reshape(n, -1)[keep].tobytes()
            for name in event.__struct_fields__
            if isinstance(getattr(event, name), bytes) and getattr(event, name)
        }
        by = [0 if key in gone else key for key in _picked(event.superseded_by, keep)]
        return msgspec.structs.replace(event, keys=_picked(event.keys, keep), superseded_by=by, **columns)
    return None


def _source(event: AnyEvent) -> str | None:
    return getattr(event, "source", "") or getattr(event, "peer", "") or None


def _mask(keys: Sequence[int], gone: set[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([key not in gone for key in keys], np.bool_)


def _picked(keys: Sequence[int], keep: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[int]:
    return [key for key, kept in zip(keys, keep.tolist(), strict=True) if kept]
