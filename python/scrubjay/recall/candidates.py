"""Candidates: where there are too many rows to score them all, those that may be among the best, scored exactly.

A question's candidates are the rows that the index finds near it, those with the largest sum of its other factors, and
the rows that the index does not hold as they are; words, conversations and edges bring theirs to either plan. With the
similarity s of the last row that the index was asked for (as it is expected: the index knows vectors by their leading
directions alone) and the largest sum u of the other factors outside of their
list, no other row scores more than s + u (the threshold rule of `scrubjay.recall.pool`): where the k-th best reaches
that, the list is the full scan's unless the index has missed a row. More candidates are asked for until it does, up to
`DEPTHS`; a question that needs more is answered by the full scan.

What the index may have missed scores at most the weights of what and where (Cauchy and Schwarz) plus u. A list whose
k-th best reaches that too is proved. Tighter bounds for what was missed, by clusters or by short codes, prove next to
nothing in this many dimensions, or cost as much as the full scan. So most lists are probable, and what to expect of
them is measured on the rows themselves: sampled questions are asked both ways (`Candidates.sample`), and so is one
search in `AGAIN`.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.codes import CODED_ROWS
from scrubjay.codes import WIDEST as WIDEST_CODES
from scrubjay.columns import LIVE, Columns
from scrubjay.dynamics.term import aged
from scrubjay.recall.channels import CHANNELS, FIRST, channels_of
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.near_index import FURTHER, Entries, NearIndex
from scrubjay.recall.pool import WHEN, Question, moment_of
from scrubjay.recall.scan import stacked
from scrubjay.recall.scope import Scope
from scrubjay.sets import distinct, union

VALUES: Final = 1 << 27
"""Values of `what` from which on candidates are used where nobody chose: below, the scan of all rows takes less than
what else a search does (measured)."""
FEWEST: Final = 1024
"""Fewest rows of a scope that candidates are used for, whoever chose."""
SHARE: Final = 0.125
"""Least share of all rows that a scope has where candidates are used: a smaller one is scanned."""
DEPTHS: Final = (64, 256, 1024)
"""How many rows the index is asked for, one after the other (chosen)."""
TOP: Final = 256
"""About how many rows are candidates by their other factors (chosen)."""
OUTSIDE: Final = 16_384
"""Most rows that the index does not hold as they are; with more, all are scanned until it has caught up (chosen)."""
DRIFT: Final = 0.02
"""How far a row may move before it is entered anew: as far as it can change a similarity of unit vectors (chosen)."""
PAUSE: Final = 15
"""Most questions that are answered by the full scan at once after some for which no candidates sufficed: 1 after the
first, about twice as many after each that follows it (chosen)."""
AGAIN: Final = 512
"""Every so many questions one is answered by the full scan as well, and counted (chosen)."""
KINDS: Final = 4
"""Kinds of questions by which an index is measured; the recall that is expected is that of the worst."""
SAMPLES: Final = 24 * KINDS
"""Questions by which an index is measured."""
LATELY: Final = 64
"""Questions that were asked lately and are remembered, to measure by."""
FEW: Final = 16
"""Questions of a search that count as much as what was measured before."""
NOISE: Final = (0.3, 1.0)
"""Lengths of the noise that is added to a unit row where a question is made of it."""
GOOD: Final = 0.99
"""Recall up to which an index is made to reach further."""
POOR: Final = 0.9
"""Recall below which an index is not used: the rows do not suit it."""
RECENT: Final = 256
"""Measured questions that the expected recall is the mean of."""
K: Final = 10
"""Hits by which recall is measured."""
MANY: Final = 8
"""Questions from which on the index is searched by several threads."""

Rows = NDArray[np.int64]
_NONE: Final = np.empty(0, np.int64)


class Found(NamedTuple):
    """The candidates of one question."""

    rows: Rows
    """Ascending, all of the scope."""
    rest: float
    """No other row of the scope scores more by FACTORS, unless the index has missed it; -inf: there is no other."""
    most: float
    """No other row scores more by FACTORS, whatever the index has missed."""


class _Top(msgspec.Struct):
    """The rows whose other factors sum to more than `rest`."""

    seq: int
    now: float
    moment: float
    rows: Rows
    rest: float


_NO_TOP: Final = _Top(0, 0.0, 0.0, _NONE, 0.0)
"""Where the other factors have no weight."""


class Candidates:
    """An index with what it does not hold of the columns, and what is known of its recall.

    Searches in several threads may share it while no row changes; `note`, `next` and `entered` are for one thread.
    """

    def __init__(self, index: NearIndex) -> None:
        self.index = index
        self._lock = threading.Lock()
        self._turned: Rows = np.empty(0, np.int64)
        self._entering: Rows = np.empty(0, np.int64)
        self._tops: OrderedDict[tuple[object, ...], _Top] = OrderedDict()
        self._recalls: deque[float] = deque(maxlen=RECENT)
        self._sampled: list[float] = []
        self._lately: deque[Question] = deque(maxlen=LATELY)
        self._mean = 0.0
        self._asked = 0
        self._pause = 0
        self._last_pause = 0

    # -- what the index does not hold

    def note(self, keys: Rows) -> None:
        """These memories' directions have changed."""
        if len(keys):
            with self._lock:
                self._turned = union(self._turned, keys)

    def outside(self, columns: Columns) -> Rows:
        """Living rows that the index does not hold as they are."""
        with self._lock:
            keys = np.concatenate([self._turned, self._entering]) if len(self._turned) or len(self._entering) else _NONE
        key = columns.key
        if len(key) and key[-1] <= self.index.last_key:
            fresh = _NONE
        else:
            first = int(key.searchsorted(self.index.last_key, side="right"))
            fresh = first + np.flatnonzero(columns.flags[first:] & LIVE)
        if not len(keys):
            return fresh
        turned = columns.rows(keys)
        return union(fresh, turned[turned >= 0])

    def next(self, columns: Columns, count: int) -> Entries | None:
        """What is to be entered next, about `count` rows; None: the index holds everything."""
        first = int(np.searchsorted(columns.key, self.index.last_key, side="right"))
        with self._lock:
            self._entering, self._turned = self._turned, np.empty(0, np.int64)
        turned = columns.rows(self._entering)
        turned = self.index.moved(columns, turned[turned >= 0], DRIFT)
        last = min(first + count, len(columns))
        if last == first and not len(turned):
            with self._lock:
                self._entering = np.empty(0, np.int64)
            return None
        fresh = np.arange(first, last)
        rows = union(turned, fresh[columns.live()[first:last]])
        return self.index.entries(columns, rows, upto=int(columns.key[last - 1]) if last > first else 0)

    def entered(self) -> None:
        """What `next` gave is in the index."""
        with self._lock:
            self._entering = np.empty(0, np.int64)

    # -- answering

    def suited(self, columns: Columns, questions: Sequence[Question], scope: Scope) -> list[int]:
        """Which of the questions candidates may answer, by number."""
        if scope.count < max(FEWEST, SHARE * columns.live_count) or self._mean < POOR:
            return []
        with self._lock:
            if self._pause:
                self._pause -= 1
                return []
        return list(range(len(questions)))

    def depths(self, k: int) -> list[int]:
        """How many rows to ask the index for, one after the other, for `k` hits."""
        return [m for m in DEPTHS if m >= 2 * k]

    def told(self, *, sufficed: bool) -> None:
        """Whether candidates sufficed for the last questions."""
        with self._lock:
            self._last_pause = 0 if sufficed else min(PAUSE, 2 * self._last_pause + 1)
            self._pause = self._last_pause

    def due(self) -> bool:
        """True once in `AGAIN` calls: this question is to be answered by the full scan as well."""
        with self._lock:
            self._asked += 1
            return self._asked % AGAIN == 0

    def learn(self, recall: float) -> None:
        """A question was answered both ways; `recall` is the share of the full scan's rows that the other list has."""
        with self._lock:
            self._recalls.append(recall)
            self._mean = self._expected()

    def _expected(self) -> float:
        """The mean of the worst kind; the searches count as one where there are `FEW` of them, before in part."""
        kinds = [float(np.mean(self._sampled[i::KINDS])) for i in range(min(KINDS, len(self._sampled)))]
        worst = min(kinds, default=0.0)
        n = len(self._recalls)
        if not n:
            return worst
        mean = float(np.mean(self._recalls))
        share = min(1.0, n / FEW) if kinds else 1.0
        return min(worst, share * mean + (1.0 - share) * worst) if kinds else mean

    @property
    def recall(self) -> float:
        """Share of the exact list that is expected in a probable one: the mean of the worst kind of the `measured`
        questions."""
        return self._mean

    @property
    def measured(self) -> int:
        """How many questions `recall` is the mean of."""
        with self._lock:
            return len(self._sampled) + len(self._recalls)

    def find(
        self, columns: Columns, questions: Sequence[Question], m: int, scope: Scope, timeless: bool
    ) -> list[Found]:
        """The candidates of each question: the `m` nearest of the scope, the top by other factors, what is outside."""
        self._lately.extend(questions[:1])
        outside = self.outside(columns)
        every = scope.rows is None and scope.live is None
        wanted = min(len(self.index), -(-m * len(self.index) // max(1, scope.count))) if scope.count else m
        what = stacked([np.float32(q.weights[0]) * q.vector for q in questions])
        where = None
        if any(q.context is not None for q in questions):
            none = np.zeros(self.index.dim, np.float32)
            where = stacked([none if q.context is None else np.float32(q.weights[1]) * q.context for q in questions])
        asked = self.index.questions(what, where)
        shift = 0.0 if self.index.axes is None else self.index.axes.shift
        nears = self.index.near(columns, asked, wanted, threads=0 if len(questions) >= MANY else 1)
        out = []
        for question, about, vector, near in zip(questions, what, asked, nears, strict=True):
            weights = question.weights.tolist()
            by_context = 0.0 if question.context is None else weights[1]
            total = weights[WHEN] + sum(weights[FIRST : len(FACTORS)])
            top = self._top(columns, question, timeless) if total else _NO_TOP
            # the sums were of float32
            others = total * (top.rest + 1e-6)
            size = _length(vector)
            rows, rest = near.rows, near.last + size * self.index.drift + (weights[0] + by_context) * shift
            rest += self.index.common(about)
            if not size:
                # nothing is near a question without direction: what has no direction is all that counts
                rows, rest = rows[:0], 0.0
            hidden = 0.0 if self.index.wide else by_context
            # unit rows of float32 are a little longer or shorter; and what ties with the last is not behind it
            most = (_length(about) + by_context) * (1.0 + 1e-6)
            others_too = [part for part in (top.rows, outside) if len(part)]
            # slots of one row stand for it once: the former ones have no key
            rows = distinct(np.concatenate([rows, *others_too])) if others_too else np.sort(rows)
            out.append(Found(rows if every else rows[scope.holds(rows)], rest + hidden + others, most + others))
        return out

    def _top(self, columns: Columns, question: Question, timeless: bool) -> _Top:
        others = _others(question)
        share = others / float(others.sum())
        name = (timeless, columns.generation, *share.tolist())
        moment = moment_of(question)
        with self._lock:
            held = self._tops.get(name)
        still = timeless and not others[1:].any()
        falling = not others[1:].any() and held is not None and question.now >= held.now
        if held is not None and held.seq == columns.seq:
            same = held.now == question.now and held.moment == moment
            if same or still or falling:
                return held
        sums = _sums(columns, question, share, timeless)
        rest = np.inf if held is None else held.rest
        rows = np.flatnonzero(sums > rest)
        if held is None or not TOP // 4 <= len(rows) <= 4 * TOP:
            seen = columns.visible()
            place = max(0, len(sums) - TOP - 1)
            rest = float(np.partition(np.where(seen, sums, -np.inf), place)[place])
            if rest == -np.inf:
                rest = 0.0
            rows = np.flatnonzero(sums > rest)
        made = _Top(columns.seq, question.now, moment, rows[columns.visible(rows)], max(0.0, rest))
        with self._lock:
            self._tops[name] = made
            self._tops.move_to_end(name)
            while len(self._tops) > 8:
                self._tops.popitem(last=False)
        return made

    # -- measuring

    def sample(self, columns: Columns, seed: int) -> Sample | None:
        """A question of the kind `seed` % `KINDS` with the scores of its exact answer; None where there are no rows.

        It lies between two of the rows, or at a row with noise of one of two lengths, or was asked lately (until some
        were, it lies among three rows). The same rows, seed and searches give the same question.
        """
        rng = np.random.default_rng((seed, len(self.index)))
        rows = np.flatnonzero(columns.visible())
        if not len(rows):
            return None
        one, other, third = rows[rng.integers(0, len(rows), 3)]
        kind, lately = seed % KINDS, list(self._lately)
        if kind == KINDS - 1 and lately:
            vector = lately[(seed // KINDS) % len(lately)].vector
        elif 1 <= kind <= len(NOISE):
            noise = rng.standard_normal(columns.dim) * (NOISE[kind - 1] / math.sqrt(columns.dim))
            vector = columns.vectors[one] + noise.astype(np.float32)
        else:
            vector = columns.vectors[one] + np.float32(0.7) * columns.vectors[other]
            vector = vector if kind == 0 else vector + np.float32(0.5) * columns.vectors[third]
        vector = np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-6), np.float32)
        context = columns.where(np.array([other]))[0]
        where = _WHERE[seed // KINDS % len(_WHERE)] if self.index.wide and context.any() else 0.0
        weights = np.zeros(len(FACTORS))
        weights[:WHEN] = 1.0 - where, where
        asked = Question(vector=vector, context=context if where else None, weights=weights, now=0.0)
        exact = _best(columns, asked, Scope(count=len(rows), live=columns.visible()))
        return Sample(asked, exact)

    def recall_of(self, columns: Columns, sample: Sample) -> float:
        """Share of a sample's exact answer that its candidates hold."""
        scope = Scope(count=columns.live_count, live=columns.visible())
        (found,) = self.find(columns, [sample.question], DEPTHS[0], scope, True)
        if not len(found.rows):
            return 0.0
        scores = _best(columns, sample.question, Scope(count=len(found.rows), rows=found.rows))
        return float(np.mean(scores[: len(sample.scores)] >= sample.scores[: len(scores)] - 1e-9))

    def judge(self, recalls: Sequence[float]) -> bool:
        """Take what was measured of samples 0, 1, ...; True where the index now reaches further: measure again."""
        with self._lock:
            self._recalls.clear()
            self._sampled = list(recalls)
            self._mean = mean = self._expected()
        if not recalls or mean >= GOOD or self.index.reach >= 1.0:
            return False
        self.index.reach = min(1.0, FURTHER * self.index.reach)
        return True


class Sample(NamedTuple):
    """A question by which an index is measured."""

    question: Question
    scores: NDArray[np.float64]
    """Of its exact answer, falling."""


_WHERE: Final = (0.0, 0.3, 0.6)
"""Weights of where that samples have, one after the other; what has the rest."""


def _best(columns: Columns, question: Question, scope: Scope) -> NDArray[np.float64]:
    """Scores of the K best of a scope by what and where."""
    terms: dict[str, Any] = {}
    if question.context is not None:
        terms = {"contexts": question.context[None], "where": columns.contexts, "where_index": columns.context}
    if scope.rows is None and len(columns) >= CODED_ROWS and columns.dim <= WIDEST_CODES:
        terms["what_codes"] = columns.codes()
    _, scores, counts = _core.rank(
        question.vector[None],
        columns.what,
        question.weights[None],
        min(K, scope.count),
        live=scope.live,
        rows=scope.rows,
        **terms,
    )
    best: NDArray[np.float64] = scores[0, : counts[0]]
    return best


def _length(vector: NDArray[np.float32]) -> float:
    return math.sqrt(float(vector @ vector))


def _others(question: Question) -> NDArray[np.float64]:
    """Weights of the factors that a row has without a question: when, then the channels."""
    return np.append(question.weights[WHEN], question.weights[FIRST : len(FACTORS)])


def _sums(columns: Columns, question: Question, share: NDArray[np.float64], timeless: bool) -> NDArray[np.float32]:
    """(n,) what those factors come to, under weights that sum to 1."""
    out = np.zeros(len(columns), np.float32)
    if share[0]:
        value = columns.value
        if not timeless:
            value, when = aged(columns, question.now)
            value = _core.utility(value, columns.pi, columns.tau, when, question.now, shape=columns.shape)
        out += np.float32(share[0]) * value
    if share[1:].any():
        found = channels_of(columns, None, moment_of(question))
        for name, part in zip(CHANNELS, share[1:].tolist(), strict=True):
            if part:
                out += np.float32(part) * found[name]
    return out
