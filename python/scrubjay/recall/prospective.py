"""The prospective buffer: the few memories that a task will most likely need, looked at before all others.

    P(m | T) = sigmoid(v . what + u . where + b),    buffer = top-K of P(m | T) U(m, t0)

v = s e_T, u = s c_T and b = -s / 2 with s = `SHARPNESS` until `PreparedBuffer.learn` has fitted them to what was asked.
A query is scored against the buffer first; where the best reaches `theta` that is the answer, otherwise everything is
searched. With N memories and a share p of queries answered from it, a query costs K + (1 - p) N rows (Proposition 2);
the buffer counts what really ran.

Source: "Caching for the Future", section 3.6, eq. 13; K, theta and the default encoder are chosen here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.errors import ArgumentError

SIZE: Final = 32
"""K (chosen)."""
THETA: Final = 0.55
"""Least score at which the buffer answers (chosen); `MemoryStore.prepare` says what it is compared with."""
SHARPNESS: Final = 8.0
"""s (chosen)."""
BOUND: Final = 16.0
"""Largest |v|, |u| and |b| that `learn` may reach (chosen)."""
MOST_EXAMPLES: Final = 256
"""Latest answers that `learn` looks at (chosen)."""
GROWTH: Final = 4
"""A buffer is outgrown once its namespace has so many times K new memories (chosen)."""
_STEPS: Final = 200
_PRIOR: Final = 1e-2


class Encoder(msgspec.Struct, frozen=True):
    """The task encoder's parameters."""

    v: NDArray[np.float64]
    """(d,)."""
    u: NDArray[np.float64]
    """(d,)."""
    b: float

    @classmethod
    def of_task(
        cls, task: NDArray[np.float32], context: NDArray[np.float32] | None, sharpness: float = SHARPNESS
    ) -> Encoder:
        """The default: unit vectors of the task and of its context.

        >>> import numpy as np
        >>> Encoder.of_task(np.float32([1, 0]), None).probability(np.float32([[1, 0], [0, 1]]), None).round(3).tolist()
        [0.982, 0.018]
        """
        none = np.zeros(len(task))
        where = none if context is None else context.astype(np.float64)
        return cls(sharpness * task.astype(np.float64), sharpness * where, -sharpness / 2)

    def probability(self, what: ArrayLike, where: ArrayLike | None) -> NDArray[np.float64]:
        """P(m | T) (n,) of rows of vectors (n, d)."""
        z = np.asarray(what, np.float64) @ self.v + self.b
        if where is not None:
            z = z + np.asarray(where, np.float64) @ self.u
        return sigmoid(z)


def sigmoid(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-z)), without overflow."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(z, -500.0, 500.0))), np.float64)


class Fit(msgspec.Struct, frozen=True):
    """What `PreparedBuffer.learn` did."""

    examples: int
    """Answers that it looked at; without any, nothing is changed."""
    before: float
    """Mean logistic loss of the parameters it started from."""
    after: float
    """The same of the fitted ones; never above `before`."""


class Costs(msgspec.Struct, frozen=True):
    """What queries through a buffer have cost."""

    queries: int
    hits: int
    """Answered from the buffer."""
    misses: int
    buffer_rows: int
    """Rows of the buffer that were scored."""
    full_rows: int
    """Rows that the fallback has scanned."""

    @property
    def rows(self) -> int:
        """All rows scored."""
        return self.buffer_rows + self.full_rows

    @property
    def hit_rate(self) -> float:
        """P_hit of Proposition 2; 0 before the first query."""
        return self.hits / self.queries if self.queries else 0.0


class Content(msgspec.Struct, frozen=True):
    """What a buffer holds, from its last filling."""

    keys: NDArray[np.int64]
    """Row keys, the likeliest first."""
    ids: list[str]
    texts: list[str]
    probability: NDArray[np.float64]
    """P(m | T)."""
    utility: NDArray[np.float64]
    """U(m, t0) by the store's law."""
    seq: int
    """The store's event as of which it was filled."""
    last_key: int
    """Highest key of the store at that event."""
    rows: int
    """Memories of the namespace among which it chose."""


class PreparedBuffer:
    """The memories that a task will most likely need. Made by `MemoryStore.prepare`; give it to `search`.

    Memories that were added since are looked at beside it. It no longer answers, and everything is searched, once there
    are more than `GROWTH` times `size` of them, one of its memories was changed, superseded, archived or deleted, or an
    older one beside it was updated or restored: `refill` it.
    Threads may share one.
    """

    def __init__(
        self,
        *,
        task: str,
        context: str | None,
        namespace: tuple[str, ...],
        size: int,
        theta: float,
        now: float,
        encoder: Encoder,
        fill: Callable[[PreparedBuffer, float | None], Content],
    ) -> None:
        self.task = task
        self.context = context
        self.namespace = namespace
        self.size = size
        self.theta = theta
        self.now = now
        self.encoder = encoder
        self._fill = fill
        self._turn = threading.Lock()
        self._counts = [0, 0, 0, 0]
        self._examples: list[tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]] = []
        self.checked = 0
        """The store's event up to which `stale` is known."""
        self.stale: set[int] = set()
        """Keys of memories that changed since it was filled; while there are any it does not answer."""
        self.content = fill(self, now)
        self.checked = self.content.seq

    def __len__(self) -> int:
        return len(self.content.keys)

    def __repr__(self) -> str:
        costs = self.costs
        return f"<PreparedBuffer {self.task!r:.40} memories={len(self)} hits={costs.hits} misses={costs.misses}>"

    @property
    def ids(self) -> list[str]:
        """Ids of the memories, the likeliest first."""
        return list(self.content.ids)

    @property
    def costs(self) -> Costs:
        """What queries through it have cost so far."""
        with self._turn:
            hits, misses, buffered, full = self._counts
        return Costs(hits + misses, hits, misses, buffered, full)

    def refill(self, now: float | None = None) -> None:
        """Choose again by the encoder as it is, as of `now` (None: the store's clock); counts and examples are kept."""
        content = self._fill(self, now)
        with self._turn:
            self.content, self.stale, self.checked = content, set(), content.seq

    def count(self, *, hit: bool, buffered: int, full: int) -> None:
        """One query was answered."""
        with self._turn:
            self._counts[0 if hit else 1] += 1
            self._counts[2] += buffered
            self._counts[3] += full

    def mark(self, keys: set[int], upto: int) -> None:
        """Those memories have changed, as of the store's event `upto`."""
        with self._turn:
            self.stale |= keys
            self.checked = max(self.checked, upto)

    def observe(self, what: NDArray[np.float32], where: NDArray[np.float32], asked: NDArray[np.float64]) -> None:
        """What a query wanted: vectors (m, d) of candidates, and 1 for the answer, 0 for the others."""
        with self._turn:
            self._examples.append((what, where, asked))
            del self._examples[:-MOST_EXAMPLES]

    def learn(self) -> Fit:
        """Fit v, u and b to the answers that were given while this buffer was in use; `refill` then chooses by them.

        Logistic regression of "was the answer" on (what, where) of the buffer's memories, with a prior at the present
        parameters; |v|, |u| and |b| stay within `BOUND`, and parameters that fit worse are not taken.
        """
        with self._turn:
            examples = list(self._examples)
            start = self.encoder
        if not examples:
            return Fit(0, 0.0, 0.0)
        what, where, asked = (np.concatenate([e[i] for e in examples]).astype(np.float64) for i in range(3))
        encoder, before, after = fit(start, what, where, asked)
        with self._turn:
            self.encoder = encoder
        return Fit(len(examples), before, after)


def fit(
    start: Encoder, what: NDArray[np.float64], where: NDArray[np.float64], asked: NDArray[np.float64]
) -> tuple[Encoder, float, float]:
    """Logistic regression from `start` by accelerated gradient steps: (encoder, mean loss before, mean loss after).

    Both classes weigh the same. Deterministic; the answer's loss is never above the start's.
    """
    if len(what) != len(asked) or len(where) != len(asked):
        raise ArgumentError(f"asked: {len(asked)} values for {len(what)} memories; give one each")
    d = what.shape[1]
    x = np.concatenate([what, where, np.ones((len(asked), 1))], axis=1)
    yes, no = max(float(asked.sum()), 1.0), max(float((1.0 - asked).sum()), 1.0)
    weight = np.where(asked > 0.5, 0.5 / yes, 0.5 / no)

    def loss(p: NDArray[np.float64]) -> float:
        z = np.clip(x @ p, -500.0, 500.0)
        return float((weight * (np.logaddexp(0.0, z) - asked * z)).sum())

    first = np.concatenate([start.v, start.u, [start.b]])
    # rows are at most of norm sqrt(3), so that 1 / (3 / 4 + prior) is a step that never overshoots
    step = 1.0 / (0.75 * float(weight.sum()) + _PRIOR)
    p, ahead, speed = first, first, 1.0
    best, least = first, loss(first)
    for _ in range(_STEPS):
        slope = x.T @ (weight * (sigmoid(x @ ahead) - asked)) + _PRIOR * (ahead - first)
        moved = _within(ahead - step * slope, d)
        quicker = 0.5 * (1.0 + (1.0 + 4.0 * speed * speed) ** 0.5)
        ahead, p, speed = moved + (speed - 1.0) / quicker * (moved - p), moved, quicker
        now = loss(p)
        if now < least:
            best, least = p, now
    return Encoder(np.asarray(best[:d]), np.asarray(best[d : 2 * d]), float(best[-1])), loss(first), least


def _within(p: NDArray[np.float64], d: int) -> NDArray[np.float64]:
    out = p.copy()
    for part in (slice(0, d), slice(d, 2 * d), slice(2 * d, None)):
        size = float(np.linalg.norm(out[part]))
        if size > BOUND:
            out[part] *= BOUND / size
    return np.asarray(out, np.float64)
