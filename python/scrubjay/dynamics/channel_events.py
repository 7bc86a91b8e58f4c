"""How events of the three channels enter the columns: runs of one type, as `scrubjay.fold` gives them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.dynamics.channels import UNIT, Channels, counted, experienced, turns
from scrubjay.events import Configured, Outcome, Outcomes, PeerMerged, Purged, Rated, Session, Summarised, Void


def _spread(
    columns: Columns, events: Sequence[Outcome] | Sequence[Rated], signals: Sequence[float]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Rows that are there, with signal, weight, moment and time: one entry per event and memory, in order."""
    n = len(events)
    lengths = np.fromiter((len(e.keys) for e in events), np.int64, n)
    rows = columns.found([key for e in events for key in e.keys])
    there = rows >= 0
    told = (
        np.asarray(signals, np.float64),
        np.fromiter((e.weight for e in events), np.float64, n),
        np.fromiter((e.at if e.moment is None else e.moment for e in events), np.float64, n),
        np.fromiter((e.at for e in events), np.float64, n),
    )
    signal, weight, moment, at = (np.repeat(x, lengths)[there] for x in told)
    return rows[there], signal, weight, moment, at


def outcomes(columns: Columns, events: Sequence[Outcome]) -> None:
    """Fold outcomes in: evidence, stability, difficulty."""
    rows, signal, weight, moment, at = _spread(columns, events, [e.signal for e in events])
    experienced(_channels(columns), rows, signal, weight, moment, columns.settings)
    columns.writable("updated")[rows] = at


def gathered(columns: Columns, events: Sequence[Outcomes]) -> None:
    """Fold gathered outcomes in, as if each stood by itself."""
    rows, signal, weight, moment, at = (
        np.concatenate(parts) for parts in zip(*map(_shares, [columns] * len(events), events), strict=True)
    )
    experienced(_channels(columns), rows, signal, weight, moment, columns.settings)
    columns.writable("updated")[rows] = at


def _shares(
    columns: Columns, e: Outcomes
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    rows = columns.found(e.keys)[np.frombuffer(e.which, "<i4")]
    there = rows >= 0
    signal, weight, moment, at = (
        np.frombuffer(held, "<f8").astype(np.float64)[there] for held in (e.signals, e.weights, e.moments, e.times)
    )
    return rows[there], signal, weight, moment, at


def summaries(columns: Columns, events: Sequence[Summarised]) -> None:
    """Fold in what dropped outcomes came to."""
    for e in events:
        rows = columns.found(e.keys)
        there = rows >= 0
        rows = rows[there]
        for name, held in (("a", e.good), ("b", e.bad)):
            columns.writable(name)[rows] += np.frombuffer(held, "<f8")[there]
        for name in ("stability", "difficulty", "reviewed", "updated"):
            columns.writable(name)[rows] = np.frombuffer(getattr(e, name), "<f8")[there]


def merges(columns: Columns, events: Sequence[PeerMerged]) -> None:
    """Fold in what peers know."""
    for e in events:
        rows = columns.found(e.keys)
        there = rows >= 0
        rows = rows[there]
        for name, held in (("a", e.good_step), ("b", e.bad_step)):
            column = columns.writable(name)
            # where old evidence is forgotten, a view that is replaced may have counted for more than is left
            column[rows] = np.maximum(column[rows] + np.frombuffer(held, "<f8")[there], UNIT)
        stability = columns.writable("stability")
        stability[rows] = np.maximum(stability[rows], np.frombuffer(e.stability, "<f8")[there])
        reviewed = columns.writable("reviewed")
        reviewed[rows] = np.maximum(reviewed[rows], e.at if e.moment is None else e.moment)
        columns.writable("updated")[rows] = e.at


def void(columns: Columns, events: Sequence[Void | Purged]) -> None:
    """Nothing: what was here is folded in elsewhere, or is to have never been."""


def _channels(columns: Columns) -> Channels:
    return Channels(*(columns.writable(name) for name in Channels._fields))


def ratings(columns: Columns, events: Sequence[Rated]) -> None:
    """Fold ratings in: importance and evidence."""
    rows, rating, weight, moment, at = _spread(columns, events, [e.rating for e in events])
    good, bad = counted(rating, weight)
    a, b = columns.writable("a"), columns.writable("b")
    keep = columns.settings.keep
    if keep == 1.0:
        np.add.at(a, rows, good)
        np.add.at(b, rows, bad)
    else:
        for turn in turns(rows):
            a[rows[turn]] = keep * a[rows[turn]] + good[turn]
            b[rows[turn]] = keep * b[rows[turn]] + bad[turn]
    # of several ratings of one row the last one stays
    columns.writable("importance")[rows] = rating
    np.maximum.at(columns.writable("reviewed"), rows, moment)
    columns.writable("updated")[rows] = at


def configured(columns: Columns, events: Sequence[Configured]) -> None:
    """Put laws in force."""
    columns.settings = events[-1]


def sessions(columns: Columns, events: Sequence[Session]) -> None:
    """Start or stop the clock of active time."""
    columns.session = events[-1]
