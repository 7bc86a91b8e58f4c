"""Which edges a new memory gets: its nearest neighbours by similarity, by context and in time.

    e = .40 e_S + .30 e_C + .30 e_T

e_S and e_C are the cosines of what/what and where/where where they reach `LEAST`, else 0; e_T = exp(-|dt| / day) within
seven days, else 0. A new memory offers edges to the `WIDTH` best of each class among a bounded number of candidates
(`scrubjay.graph.recent`); among equals to those nearest to it in the order of writing. Phi of a memory is the sum over
its neighbours of e times what they bring, so it lies in [0, WIDTH] times their most, plus the edges by hand.

Source: "Caching for the Future", section 3.4, eqs. 7 and 8; thresholds, rate and window are chosen here.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.links import CLASSES, WIDTH, Alive, Links
from scrubjay.sets import distinct

SHARES: Final = np.array([0.4, 0.3, 0.3], np.float32)
"""Share of each class in an edge's weight, in the order of `links.CLASSES`."""
LEAST: Final = 0.6
"""Least cosine of an edge by similarity or context."""
RATE: Final = 1 / 86400.0
"""Per second: how fast an edge in time weakens."""
SPAN: Final = 7 * 86400.0
"""Seconds beyond which there is none."""
FEW: Final = 8
"""Up to so many memories at once a scan each is faster than a product of matrices."""
_SLOT_SHARES: Final = np.repeat(SHARES, WIDTH)
_SIMILARITY, _CONTEXT, _TIME = range(len(CLASSES))


class Fresh(msgspec.Struct, frozen=True):
    """Memories for which neighbours are looked for, or candidates to be such: m of them."""

    what: NDArray[np.float32]
    """(m, d) unit rows."""
    context: NDArray[np.int64]
    """(m,) number of the context, -1 for none."""
    when: NDArray[np.float64]
    """(m,) seconds."""


class Offers(msgspec.Struct, frozen=True):
    """Edges that new memories offer."""

    sources: NDArray[np.int64]
    """Places among the new."""
    targets: NDArray[np.int64]
    """Places among candidates and, behind them, the new."""
    classes: NDArray[np.uint8]
    values: NDArray[np.float32]


def offers(
    new: Fresh, near: Fresh, where: NDArray[np.float32], further: list[NDArray[np.int64]] | None = None
) -> Offers:
    """The edges of `new` to their best among `near` and one another.

    `near` are the candidates in the order of writing, all before the new; `where` (c, d) holds a unit row for each
    number of a context. `further` may give, for each of the new, the
    places of those candidates that only it is compared with by similarity; candidates named there are compared with no
    other.
    """
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], int, NDArray[np.float64]]] = []
    c, m = len(near.what), len(new.what)
    shared = np.arange(c)
    if further is not None and any(len(f) for f in further):
        apart = np.zeros(c, np.bool_)
        apart[np.concatenate(further)] = True
        shared = np.flatnonzero(~apart)
    places = np.concatenate([shared, c + np.arange(m)])
    cosine = np.empty((m, len(places)), np.float32)
    # most often those apart come first, and nothing is copied
    tail = c - len(shared)
    held = near.what[tail:] if not len(shared) or shared[0] == tail else near.what[shared]
    if m <= FEW:
        for i in range(m):
            cosine[i, : len(shared)] = _core.dot(held, new.what[i])
    else:
        np.matmul(new.what, held.T, out=cosine[:, : len(shared)])
    cosine[:, len(shared) :] = new.what @ new.what.T
    cosine[np.arange(m), len(shared) + np.arange(m)] = -2.0
    width = min(WIDTH, cosine.shape[1])
    best = np.argpartition(-cosine, width - 1, axis=1)[:, :width]
    value = np.take_along_axis(cosine, best, 1)
    at, slot = np.nonzero(value >= LEAST)
    found.append((at, places[best[at, slot]], _SIMILARITY, value[at, slot].astype(np.float64)))
    for i, others in enumerate(further or ()):
        if len(others):
            value = near.what[others] @ new.what[i]
            keep = np.flatnonzero(value >= LEAST)
            keep = keep[np.argsort(-value[keep], kind="stable")[:WIDTH]]
            found.append((np.full(len(keep), i), others[keep], _SIMILARITY, value[keep].astype(np.float64)))
    found += _mates(new, near, where)
    found.append(_contemporaries(new, near, shared))
    values = np.clip(np.concatenate([f[3] for f in found]), 0.0, 1.0).astype(np.float32)
    keep = np.flatnonzero(values > 0)
    return Offers(
        sources=np.concatenate([f[0] for f in found]).astype(np.int64)[keep],
        targets=np.concatenate([f[1] for f in found]).astype(np.int64)[keep],
        classes=np.repeat(np.array([f[2] for f in found], np.uint8), [len(f[0]) for f in found])[keep],
        values=values[keep],
    )


def _mates(
    new: Fresh, near: Fresh, where: NDArray[np.float32]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], int, NDArray[np.float64]]]:
    """Edges by context: to those before it of the same context, newest first, then of similar ones."""
    context, c = np.concatenate([near.context, new.context]), len(near.what)
    order = np.argsort(context, kind="stable")
    names, starts = np.unique(context[order], return_index=True)
    members = dict(zip(names.tolist(), np.split(order, starts[1:]), strict=True))
    names = names[names >= 0]
    out = []
    for k in distinct(new.context[new.context >= 0]).tolist():
        alike = np.where(names == k, 1.0, np.clip(where[names].astype(np.float64) @ where[k], -1.0, 1.0))
        by = np.argsort(-alike, kind="stable")
        close = [(members[names[j]], float(alike[j])) for j in by.tolist() if alike[j] >= LEAST]
        for i in np.flatnonzero(new.context == k).tolist():
            targets: list[int] = []
            values: list[float] = []
            for pool, value in close:
                end = int(np.searchsorted(pool, c + i))
                mine = pool[max(0, end - WIDTH + len(targets)) : end].tolist()
                targets += mine
                values += [value] * len(mine)
                if len(targets) >= WIDTH:
                    break
            out.append((np.full(len(targets), i), np.array(targets, np.int64), _CONTEXT, np.array(values)))
    return out


def _contemporaries(
    new: Fresh, near: Fresh, shared: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, NDArray[np.float64]]:
    """Edges in time: the nearest in `when`, among equals in the order of writing."""
    c, m = len(near.what), len(new.what)
    when = np.concatenate([near.when[shared], new.when])
    order = np.argsort(when, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    around = np.concatenate([np.arange(-WIDTH, 0), np.arange(1, WIDTH + 1)])
    at = place[len(shared) + np.arange(m)][:, None] + around
    inside = (at >= 0) & (at < len(order))
    target = order[np.clip(at, 0, len(order) - 1)]
    apart = np.abs(when[target] - new.when[:, None])
    value = np.where(inside & (apart < SPAN), np.exp(-RATE * apart), 0.0)
    best = np.argsort(-value + 1e-9 * np.abs(around), axis=1, kind="stable")[:, :WIDTH]
    value, target = np.take_along_axis(value, best, 1), np.take_along_axis(target, best, 1)
    row, slot = np.nonzero(value > 0)
    places = np.concatenate([shared, c + np.arange(m)])
    return row, places[target[row, slot]], _TIME, value[row, slot]


def weights(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """(k, SLOTS) class values to weights: each times its class's share."""
    return values.astype(np.float64) * _SLOT_SHARES


class Neighbours(msgspec.Struct, frozen=True):
    """The edges of k memories, one list: edge n goes from `at[n]` (a place in the k) to row `rows[n]`."""

    at: NDArray[np.int64]
    rows: NDArray[np.int64]
    weights: NDArray[np.float64]


def neighbours(
    links: Links,
    rows: NDArray[np.int64],
    alive: NDArray[np.bool_] | Alive,
    keys: NDArray[np.int64],
    near: tuple[NDArray[np.int64], NDArray[np.float32]] | None = None,
) -> Neighbours:
    """All edges of those rows to rows that are `alive` (n,); `keys` (n,) are the rows' keys, rising. `near` is what
    `Links.near` tells of them, where that is known already."""
    other, value = links.near(rows, alive) if near is None else near
    at, slot = np.nonzero(other >= 0)
    target, weight = other[at, slot], weights(value)[at, slot]
    if links.hand:
        sources: list[int] = []
        names: list[int] = []
        strengths: list[float] = []
        for i, key in enumerate(keys[rows].tolist()):
            held = links.hand.get(key)
            if held:
                sources += [i] * len(held)
                names += held
                strengths += [w for w, _ in held.values()]
        ends = np.array(names, np.int64)
        found = np.minimum(np.searchsorted(keys, ends), len(keys) - 1)
        there = (keys[found] == ends) & alive[found]
        at = np.concatenate([at, np.array(sources, np.int64)[there]])
        target = np.concatenate([target, found[there]])
        weight = np.concatenate([weight, np.array(strengths, np.float64)[there]])
    return Neighbours(at, target, weight)
