"""Which events can be gathered into fewer without a bit of difference, and what takes their place.

Outcomes of different memories do not depend on one another, and what happens to one memory keeps its order. So
outcomes may move to the place of a later one as long as nothing else about their memories, and no change of the laws,
lies between. `groups` finds such stretches; `gather` writes one as an event that keeps every outcome, `summary` as one
that keeps only what they came to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from scrubjay.columns import Columns
from scrubjay.dynamics.channels import counted
from scrubjay.events import AnyEvent, Outcome, Outcomes, Summarised, touched

LARGEST_GROUP: Final = 8192
"""Most outcomes in one gathered event."""

Numbered: TypeAlias = tuple[int, AnyEvent]
Share: TypeAlias = tuple[int, int, float, float, float, float, str]
"""(key, seq, signal, weight, moment, at, source): one outcome of one memory."""


def shares(seq: int, event: Outcome | Outcomes) -> list[Share]:
    """An event's outcomes, one by one.

    >>> shares(7, Outcome(at=2.0, keys=[1, 4], signal=1.0))
    [(1, 7, 1.0, 1.0, 2.0, 2.0, ''), (4, 7, 1.0, 1.0, 2.0, 2.0, '')]
    """
    if isinstance(event, Outcome):
        moment = event.at if event.moment is None else event.moment
        return [(key, seq, event.signal, event.weight, moment, event.at, event.source) for key in event.keys]
    columns = (
        np.frombuffer(held, "<f8").tolist() for held in (event.signals, event.weights, event.moments, event.times)
    )
    keys = (event.keys[i] for i in np.frombuffer(event.which, "<i4").tolist())
    sources = (event.sources[i] for i in np.frombuffer(event.by, "<i4").tolist())
    return list(zip(keys, np.frombuffer(event.seqs, "<i8").tolist(), *columns, sources, strict=True))


def groups(
    events: Iterable[Numbered], kind: Callable[[AnyEvent], str | None], alone: Callable[[AnyEvent], bool]
) -> list[tuple[str, list[Numbered]]]:
    """Stretches of events of one kind that may be gathered in the place of their last one, with their kind.

    `kind` names what may be gathered with what, None: stays where it is; nothing moves across what is `alone`.

    >>> told = [(i, Outcome(at=0.0, keys=[key], signal=1.0)) for i, key in enumerate([1, 2, 1])]
    >>> [[seq for seq, _ in group] for _, group in groups(told, lambda e: "outcome", lambda e: False)]
    [[0, 1, 2]]
    """
    out: list[tuple[str, list[Numbered]]] = []
    held: list[Numbered] = []
    keys: set[int] = set()
    current: str | None = None
    size = 0

    def flush() -> None:
        nonlocal held, keys, size
        if held and current is not None:
            out.append((current, held))
        held, keys, size = [], set(), 0

    for seq, event in events:
        name = kind(event)
        about = touched(event)
        if name is None:
            if held and (alone(event) or not keys.isdisjoint(about)):
                flush()
            continue
        if name != current or size + len(about) > LARGEST_GROUP:
            flush()
            current = name
        held.append((seq, event))
        keys.update(about)
        size += len(about)
    flush()
    return out


def gather(group: Sequence[Numbered]) -> Outcomes:
    """The outcomes of a group as one event.

    >>> one, two = (Outcome(at=t, keys=[3], signal=s, source="me") for t, s in ((1.0, 0.0), (2.0, 1.0)))
    >>> both = gather([(5, one), (6, two)])
    >>> both.keys, shares(6, both) == shares(5, one) + shares(6, two)
    ([3], True)
    """
    told = [share for seq, event in group for share in shares(seq, _known(event))]
    return gathered(told, at=group[-1][1].at)


def gathered(told: Sequence[Share], *, at: float) -> Outcomes:
    """Outcomes, in order, as one event.

    >>> gathered([(3, 5, 0.5, 1.0, 2.0, 2.0, "me")], at=2.0).sources
    ['me']
    """
    keys = sorted({share[0] for share in told})
    place = {key: i for i, key in enumerate(keys)}
    sources = sorted({share[6] for share in told})
    by = {source: i for i, source in enumerate(sources)}

    def column(i: int, form: str = "<f8") -> bytes:
        return np.array([share[i] for share in told], form).tobytes()

    return Outcomes(
        at=at,
        keys=keys,
        which=np.array([place[share[0]] for share in told], "<i4").tobytes(),
        seqs=column(1, "<i8"),
        signals=column(2),
        weights=column(3),
        moments=column(4),
        times=column(5),
        by=np.array([by[share[6]] for share in told], "<i4").tobytes(),
        sources=sources,
    )


def summary(group: Sequence[Numbered], state: Columns) -> Summarised:
    """What the outcomes of a group came to, given the state behind its last event.

    Evidence must be kept whole (keep = 1). Memories that are gone by then are left out.
    """
    told = [share for seq, event in group for share in shares(seq, _known(event))]
    keys = np.array(sorted({share[0] for share in told}), np.int64)
    rows = state.rows(keys)
    keys, rows = keys[rows >= 0], rows[rows >= 0]
    place = {key: i for i, key in enumerate(keys.tolist())}
    told = [share for share in told if share[0] in place]
    which = np.array([place[share[0]] for share in told], np.int64)
    good, bad = (np.zeros(len(keys)) for _ in range(2))
    for total, part in zip(
        (good, bad), counted(*(np.array([s[i] for s in told], np.float64) for i in (2, 3))), strict=True
    ):
        np.add.at(total, which, part)

    def column(values: Any) -> bytes:
        return np.ascontiguousarray(values, "<f8").tobytes()

    return Summarised(
        at=group[-1][1].at,
        keys=keys.tolist(),
        counts=np.bincount(which, minlength=len(keys)).tolist(),
        good=column(good),
        bad=column(bad),
        stability=column(state.stability[rows]),
        difficulty=column(state.difficulty[rows]),
        reviewed=column(state.reviewed[rows]),
        updated=column(state.updated[rows]),
    )


def _known(event: AnyEvent) -> Outcome | Outcomes:
    assert isinstance(event, Outcome | Outcomes)
    return event
