"""Fewer and shorter numbers a vector: what an index of candidates keeps in the place of the vectors themselves.

Embeddings lie along far fewer directions than they have numbers, and often all to one side. A unit vector v is kept as

    round(S [B (v - m) / R, rest]),   S = 127 sqrt(p) / 4.5

in 8 bits a number, where m is the middle of a sample of the store's own vectors and R about the greatest distance from
it: what all have in common adds the same to every product with a question, and takes no bits. The p rows of B are
orthonormal: the leading principal directions of the sample about its middle, turned among themselves at random, so that
each tells as much as another and a number seldom leaves its range. `rest` is what v has outside of them, spread over a
few numbers of its own, so that all that is kept is of one length; a question has 0 there. The product of a question
with what is kept is then, times R and with its product with m added, that with the vector but for what both have
outside, which `Axes.shift` tells for near ones. As few directions are taken as leave `LOST` of the squared length
outside; vectors that lie along no fewer directions than they have numbers keep all of them.

>>> import numpy as np
>>> flat = np.random.default_rng(0).standard_normal((500, 3)) @ np.eye(3, 400)
>>> axes = learn((flat / np.linalg.norm(flat, axis=1, keepdims=True)).astype(np.float32))
>>> axes.basis.shape, round(axes.lost, 3)
((60, 400), 0.0)
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

SAMPLE: Final = 1 << 14
"""Most vectors that directions are learned from."""
LOST: Final = 0.08
"""Most of the squared length that lies outside of the directions on average, where fewer than all are taken
(measured)."""
NUMBERS: Final = (60, 120, 180, 240, 360, 480)
"""How many directions are taken, or all of them: with the numbers for the rest they fill whole cache lines."""
RANGE: Final = 4.5
"""Standard deviations of a number that 8 bits reach."""
PER_REST: Final = 15
"""Directions for each number of the rest: with more its numbers would leave the range."""
PEERS: Final = 16
"""Nearest of the sample's vectors whose products tell the shift."""
Numbers = NDArray[np.float64]
FARTHEST: Final = 2.0
"""R in root mean squares of the distance from the middle, where some lie further: a number of those leaves its range
more often."""
NARROWEST: Final = 1e-3
"""Least R: what lies nearer together differs by little more than the rounding of float32."""
_WHOLE: Final = 1024
"""Most numbers of a vector for which all principal directions are computed."""
_TURNS: Final = 2
_SEED: Final = 20


class Axes(NamedTuple):
    """Directions by which vectors are kept."""

    basis: NDArray[np.float32]
    """(p, d), orthonormal rows."""
    lost: float
    """Share of the squared length outside of them, the mean over the sample."""
    shift: float
    """How much more near vectors have in common than their kept forms, the mean over the sample."""
    centre: NDArray[np.float32]
    """(d,) m."""
    radius: float
    """R."""

    @property
    def scale(self) -> float:
        """S."""
        return 127.0 * math.sqrt(len(self.basis)) / RANGE

    @property
    def rest(self) -> int:
        """Numbers that the rest is spread over."""
        return -(-len(self.basis) // PER_REST)


def learn(vectors: NDArray[np.float32], contexts: NDArray[np.float32] | None = None) -> Axes:
    """Directions for vectors like these (n, d), n >= 1, and contexts (m, d), which are kept as they are; the same ones
    give the same directions.

    >>> learn(np.eye(4, dtype=np.float32)).basis.shape
    (4, 4)
    """
    d = vectors.shape[1]
    centre = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    about = vectors - centre
    apart = np.sqrt(np.einsum("ij,ij->i", about, about, dtype=np.float64))
    radius = max(NARROWEST, min(float(apart.max()), FARTHEST * math.sqrt(float((apart**2).mean()))))
    about /= np.float32(radius)
    some = about if contexts is None else np.concatenate([about, contexts])
    # what directions leave is seen on vectors that they were not learned from
    one, other = some[::2], some[1::2] if len(some) > 1 else some
    found, lengths = _principal(_moment(one)), _moment(other)
    outside = np.trace(lengths) - np.cumsum(np.einsum("ij,jk,ik->i", found, lengths, found, optimize=True))
    most = LOST * float(np.trace(lengths))
    p = next((p for p in NUMBERS if p < d and p <= len(found) and outside[p - 1] <= most), len(found))
    turn = np.linalg.qr(np.random.default_rng(_SEED).standard_normal((p, p)))[0]
    basis = np.ascontiguousarray(turn @ _principal(_moment(some))[:p], np.float32)
    if p == d:
        return Axes(basis, 0.0, 0.0, centre, radius)
    lost = max(0.0, float(outside[p - 1] / max(np.trace(lengths), 1e-30)))
    shift = _shift(vectors, basis, centre)
    if contexts is not None:
        shift = max(shift, _shift(contexts, basis, np.zeros_like(centre)))
    return Axes(basis, lost, shift, centre, radius)


def sample(n: int) -> NDArray[np.int64]:
    """Which of n rows directions are learned from: at most SAMPLE, evenly apart.

    >>> sample(3).tolist()
    [0, 1, 2]
    """
    return np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.int64)


def _moment(vectors: NDArray[np.float32]) -> Numbers:
    moment: Numbers = (vectors.T @ vectors).astype(np.float64) / len(vectors)
    return moment


def _principal(moment: Numbers) -> Numbers:
    """Leading directions, a row each; all of them up to _WHOLE numbers."""
    d = len(moment)
    if d <= _WHOLE:
        whole: Numbers = np.linalg.eigh(moment)[1].T[::-1]
        return whole
    # subspace iteration (Halko, Martinsson and Tropp, "Finding structure with randomness", 2011)
    some = np.random.default_rng(_SEED).standard_normal((d, NUMBERS[-1]))
    for _ in range(_TURNS):
        some = np.linalg.qr(moment @ some)[0]
    found: Numbers = (some @ np.linalg.eigh(some.T @ moment @ some)[1]).T[::-1]
    return found


def _shift(vectors: NDArray[np.float32], basis: NDArray[np.float32], centre: NDArray[np.float32]) -> float:
    asked = vectors[np.linspace(0, len(vectors) - 1, min(len(vectors), 256)).astype(np.int64)]
    whole = asked @ vectors.T
    near = np.argpartition(-whole, min(PEERS, len(vectors) - 1), axis=1)[:, : PEERS + 1]
    kept = (asked @ basis.T) @ ((vectors - centre) @ basis.T).T + (asked @ centre)[:, None]
    return max(0.0, float(np.mean(np.take_along_axis(whole - kept, near, axis=1))))
