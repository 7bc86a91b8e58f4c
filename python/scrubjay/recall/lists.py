"""Rows of small whole numbers in lists about centres, and the search that reads as few of the lists as it pays to.

Each row lies in the list of the centre that it is nearest to (Sivic and Zisserman, "Video Google", 2003; Jégou, Douze
and Schmid, "Product quantization for nearest neighbor search", 2011). The product of a question q with a row x of the
list with the centre c is q.c + q.(x - c), and the second part is |q| |x - c| at most: in many dimensions a fraction of
that, which hardly varies. So lists are read by falling q.c + reach |q| r, where r is the root mean square of |x - c| in
the list, until the next one promises less than the m-th best row so far: a question that lies between the centres reads
many lists and one that lies at one reads few. `reach` 1 is nearly the exact search.

List 0 has no centre and is always read: it holds what lies far from all centres, and everything until there are enough
rows for centres. `arranged` draws the centres anew: k-means (Lloyd, "Least squares quantization in PCM", 1982) from
rows that are drawn in `ROUNDS` rounds, each with a chance in proportion to its squared distance to the nearest that was
drawn (Bahmani et al., "Scalable k-means++", 2012), so that a small group far from all others has a centre too.

>>> rng = np.random.default_rng(0)
>>> codes = rng.integers(-90, 91, (4096, 64)).astype(np.int8)
>>> lists, order = arranged(joined(empty(64), codes), np.arange(4096))
>>> found = nearest(lists, codes[7:8], 1, 0.5)
>>> order[found.rows[0]].tolist(), len(lists.centres)
([7], 257)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core

PER_ROOT: Final = 10.0
"""Lists for each row of the root of all rows (measured: from 6 to 14 make little difference to a search)."""
FEWEST: Final = 16
"""Fewest rows a list on average."""
TRAINED: Final = 16
"""Rows a list that centres are drawn and moved by (chosen)."""
DRAWN: Final = 4
"""Rows a list that the first centres are drawn from."""
TURNS: Final = 2
"""Times that centres are moved to the middle of their rows (measured: more do not help)."""
ROUNDS: Final = 8
FAR: Final = 1.5
"""A row that lies further from all centres than so many times the usual distance goes to list 0 (chosen)."""
CROWDED: Final = 2.0
"""Lists are drawn anew when there are so many times the rows that there were."""
STRAYS: Final = 0.02
"""Share of the rows in list 0 from which on lists are drawn anew, too."""
_MULTIPLE: Final = 64
_ZERO: Final = 128
_BLOCK: Final = 1 << 12
_SEED: Final = 7
Codes = NDArray[np.uint8]
Numbers = NDArray[np.float32]


class Lists(NamedTuple):
    """Rows in lists. Nothing of it changes, but that others write behind the first `n` rows."""

    codes: Codes
    """(at least n, width) 128 and the number."""
    n: int
    arranged: int
    """How many rows there were when the centres were drawn; they lie list by list."""
    centres: Codes
    """(lists, width), of list 0 all 128."""
    ends: NDArray[np.int32]
    """(lists,) where the arranged rows of each list end."""
    heads: NDArray[np.int32]
    """(lists,) the last of the other rows of each list, -1 for none."""
    next: NDArray[np.int32]
    """(at least n,) of each of those the one before it in its list, -1 for none."""
    counts: NDArray[np.int64]
    """(lists,) rows."""
    squares: NDArray[np.float64]
    """(lists,) their squared distances to the centre, together; 0 for list 0."""
    apart: Numbers
    """(lists,) root mean square of those distances; infinite for list 0."""

    @property
    def nbytes(self) -> int:
        """Bytes held, slack included."""
        return sum(part.nbytes for part in self if isinstance(part, np.ndarray))

    @property
    def crowded(self) -> bool:
        """True where there are more rows than the lists were drawn for, or too many that lie near no centre."""
        if self.n < 2 * FEWEST:
            return False
        # what was a stray among the rows that are arranged is one again
        strays = int(self.counts[0]) - int(self.ends[0])
        return self.n > CROWDED * self.arranged or strays > STRAYS * self.n

    @property
    def usual(self) -> float:
        """Root mean square of the distance of a row from its centre."""
        return math.sqrt(float(self.squares.sum()) / max(1, int(self.counts[1:].sum())))


class Found(NamedTuple):
    """The nearest rows of each question."""

    rows: NDArray[np.int64]
    """(q, m), the largest product first; -1 beyond the count."""
    products: Numbers
    """(q, m)"""
    counts: NDArray[np.int64]
    """(q,)"""
    read: NDArray[np.int64]
    """(q,) rows that were looked at."""


def width(numbers: int) -> int:
    """Numbers a row takes, those that fill it up included.

    >>> width(192), width(820)
    (192, 832)
    """
    return -(-numbers // _MULTIPLE) * _MULTIPLE


def empty(width: int) -> Lists:
    """No rows."""
    return Lists(
        codes=np.empty((0, width), np.uint8),
        n=0,
        arranged=0,
        centres=np.full((1, width), _ZERO, np.uint8),
        ends=np.zeros(1, np.int32),
        heads=np.full(1, -1, np.int32),
        next=np.empty(0, np.int32),
        counts=np.zeros(1, np.int64),
        squares=np.zeros(1),
        apart=_apart(np.zeros(1), np.zeros(1, np.int64)),
    )


def joined(lists: Lists, codes: NDArray[np.int8]) -> Lists:
    """The lists with k more rows behind the others; `lists` stays as it was, and is joined by no others."""
    first, k = lists.n, len(codes)
    kept, chain = lists.codes, lists.next
    if first + k > len(kept):
        size = max(first + k, first + first // 2)
        kept, chain = _longer(kept, first, size), _longer(chain, first, size)
    kept[first : first + k] = _coded(codes)
    of, squares = _nearest_centres(lists, codes)
    order = np.argsort(of, kind="stable")
    mine = of[order]
    same = np.r_[False, mine[1:] == mine[:-1]]
    before = np.r_[0, order[:-1]] + first
    chain[first + order] = np.where(same, before, lists.heads[mine])
    heads = lists.heads.copy()
    # of several of one list the last counts
    heads[mine] = first + order
    counts = lists.counts + np.bincount(of, minlength=len(lists.counts))
    squares = lists.squares + _totals(of, squares, len(counts))
    return lists._replace(
        codes=kept,
        next=chain,
        n=first + k,
        heads=heads,
        counts=counts,
        squares=squares,
        apart=_apart(squares, counts),
    )


def arranged(
    lists: Lists, rows: NDArray[np.int64], check: Callable[[], None] = lambda: None
) -> tuple[Lists, NDArray[np.int64]]:
    """These rows about centres that are drawn for them, and which of `rows` lies where now; the same rows give the
    same. `check` is called each fraction of a second: what it raises ends the work."""
    n, wide = len(rows), lists.codes.shape[1]
    count = min(int(PER_ROOT * math.sqrt(n)), n // FEWEST)
    made = empty(wide)
    if count > 1:
        some = rows[np.linspace(0, n - 1, min(n, TRAINED * count)).astype(np.int64)]
        drawn = _centres(_numbers(lists.codes[some]), count, check)
        made = made._replace(centres=np.concatenate([made.centres, _coded(drawn.astype(np.int8))]))
    blocks = [_nearest_centres(made, lists.codes[rows[i : i + _BLOCK]]) for i in _blocks(n, check)]
    of = np.concatenate([np.empty(0, np.int64), *(block[0] for block in blocks)])
    squares = np.concatenate([np.empty(0), *(block[1] for block in blocks)])
    if count > 1:
        far = squares > FAR**2 * float(squares.mean())
        of[far], squares[far] = 0, 0.0
    order = np.argsort(of, kind="stable")
    many = len(made.centres)
    counts, totals = np.bincount(of, minlength=many), _totals(of, squares, many)
    return made._replace(
        codes=lists.codes[rows[order]],
        n=n,
        arranged=n,
        ends=np.cumsum(counts).astype(np.int32),
        heads=np.full(many, -1, np.int32),
        next=np.full(n, -1, np.int32),
        counts=counts,
        squares=totals,
        apart=_apart(totals, counts),
    ), rows[order]


def nearest(lists: Lists, asked: NDArray[np.int8], m: int, reach: float, *, threads: int = 1) -> Found:
    """The m rows of the largest product with each of (q, width) questions, as far as the lists that are read know."""
    n = lists.n
    return Found(
        *_core.nearest(
            asked,
            lists.codes[:n],
            lists.centres,
            lists.apart,
            ends=lists.ends,
            heads=lists.heads,
            next=lists.next[:n],
            m=m,
            reach=reach,
            threads=threads,
        )
    )


def spread(vectors: Numbers, most: int) -> NDArray[np.int64]:
    """At most `most` of n rows, ascending, spread over their groups; the same rows give the same.

    >>> rows = np.repeat(np.eye(40, dtype=np.float32), 30, axis=0)
    >>> len(np.unique(spread(rows, 64) // 30))
    40
    """
    n = len(vectors)
    if n <= most:
        return np.arange(n)
    rng = np.random.default_rng(_SEED)
    drawn = rng.choice(n, max(1, most // ROUNDS), replace=False)
    lengths = np.einsum("ij,ij->i", vectors, vectors)
    apart = np.full(n, np.inf)
    fresh = drawn
    while True:
        products = vectors @ vectors[fresh].T
        apart = np.minimum(apart, (lengths[:, None] + lengths[fresh] - 2.0 * products).min(axis=1))
        # what rounding leaves of a distance of 0 draws nobody
        apart[apart <= 1e-5 * lengths] = 0.0
        apart[drawn] = 0.0
        count = min(max(1, most // ROUNDS), most - len(drawn), int(np.count_nonzero(apart)))
        if not count:
            return np.sort(drawn)
        fresh = rng.choice(n, count, replace=False, p=apart / apart.sum())
        drawn = np.concatenate([drawn, fresh])


def _centres(some: Numbers, count: int, check: Callable[[], None]) -> Numbers:
    """At most `count` middles of groups of these rows, in whole numbers."""
    few = some[np.linspace(0, len(some) - 1, min(len(some), DRAWN * count)).astype(np.int64)]
    centres = few[spread(few, count)]
    for _ in range(TURNS):
        of = np.concatenate([_closest(some[i : i + _BLOCK], centres) for i in _blocks(len(some), check)])
        order = np.argsort(of, kind="stable")
        held, starts = np.unique(of[order], return_index=True)
        middles = np.add.reduceat(some[order], starts, axis=0)
        centres[held] = middles / np.diff(np.append(starts, len(some)))[:, None].astype(np.float32)
    return np.rint(centres)


def _blocks(n: int, check: Callable[[], None]) -> Iterator[int]:
    """Where each block of n rows begins."""
    for start in range(0, n, _BLOCK):
        check()
        yield start


def _nearest_centres(lists: Lists, codes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The list of each row, and its squared distance to the centre."""
    if len(lists.centres) == 1:
        return np.zeros(len(codes), np.int64), np.zeros(len(codes))
    rows, centres = _numbers(codes), _numbers(lists.centres[1:])
    of = _closest(rows, centres)
    apart = rows - centres[of]
    squares = np.einsum("ij,ij->i", apart, apart, dtype=np.float64)
    far = squares > FAR**2 * lists.usual**2 if lists.n else np.zeros(len(codes), np.bool_)
    squares[far] = 0.0
    return np.where(far, 0, of + 1), squares


def _closest(rows: Numbers, centres: Numbers) -> NDArray[np.int64]:
    products = rows @ centres.T
    products -= 0.5 * np.einsum("ij,ij->i", centres, centres)
    of: NDArray[np.int64] = products.argmax(axis=1)
    return of


def _totals(of: NDArray[np.int64], values: NDArray[np.float64], many: int) -> NDArray[np.float64]:
    return np.bincount(of, weights=values, minlength=many).astype(np.float64)


def _apart(squares: NDArray[np.float64], counts: NDArray[np.int64]) -> Numbers:
    apart: Numbers = np.sqrt(squares / np.maximum(counts, 1)).astype(np.float32)
    apart[0] = np.inf
    return apart


def _numbers(codes: NDArray[Any]) -> Numbers:
    numbers: Numbers = codes.astype(np.float32)
    if codes.dtype == np.uint8:
        numbers -= np.float32(_ZERO)
    return numbers


def _coded(numbers: NDArray[np.int8]) -> Codes:
    codes: Codes = numbers.view(np.uint8) ^ np.uint8(_ZERO)
    return codes


def _longer(some: NDArray[Any], n: int, size: int) -> NDArray[Any]:
    out = np.empty((size, *some.shape[1:]), some.dtype)
    out[:n] = some[:n]
    return out
