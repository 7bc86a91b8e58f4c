"""Questions against columns: the four-factor score, exactly, with every hit taken apart.

`scoring` names the law of the when-term:

- "paper": eq. 5 of "Caching for the Future" as printed: U = V exp(-(pi age / tau)^shape) for every memory by itself, 0
  behind the end that its words name.
- "competitive": a memory loses its when-term to a newer memory about the same subject and attribute, and next to
  nothing to age alone (`scrubjay.slots.competition` has the formulas); one of a time after `now` has none yet, one
  that is over by its own words none any more, a question `QUESTION` of it. The best `m` rows by the score with U = V
  are found exactly; since U can only be smaller, the list is exact once its k-th score reaches the next row's bound,
  and `m` is doubled until it does, up to LARGEST_POOL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.dynamics.term import remaining
from scrubjay.errors import ArgumentError, shown
from scrubjay.recall.candidates import Candidates
from scrubjay.recall.contest import NO_EDGES, Edges, contest
from scrubjay.recall.factors import TERMS
from scrubjay.recall.hop import GRAPH, Field, Surroundings, ceiling, degree, edges_among, field, phi
from scrubjay.recall.passages import Said, compare
from scrubjay.recall.pool import (
    WHEN,
    Pool,
    Question,
    Utility,
    contributions,
    gather,
    joined,
    with_all_terms,
)
from scrubjay.recall.rivals import NOTED, ROOM, Crowd, Search, crowd_of, undated
from scrubjay.recall.scan import alike, scan, scan_each
from scrubjay.recall.scope import Scope
from scrubjay.recall.standing import QUESTION, SKEW, asks, begun, present, replaced, taking, validity
from scrubjay.slots.competition import Rounds, SlotModel, newer, successors, supersession, when_term
from scrubjay.slots.plans import arrived

SCORINGS: Final = ("competitive", "paper")
FIRST_POOL: Final = 32
"""Fewest candidates among which competitors are looked for (chosen)."""
CANDIDATES: Final = "candidates"
"""Name of the plan that scores candidates alone."""
LARGEST_POOL: Final = 256
"""Most memories among which competitors are looked for (chosen): a list that needs more says that it is not exact."""

Texts = Callable[[NDArray[np.int64]], Sequence[str]]
"""Rows to the texts of their memories."""


def check_scoring(scoring: object) -> str:
    """One of SCORINGS, or ArgumentError.

    >>> check_scoring("paper")
    'paper'
    """
    if not isinstance(scoring, str) or scoring not in SCORINGS:
        raise ArgumentError(f"scoring: expected one of {', '.join(SCORINGS)}, got {shown(scoring)}")
    return scoring


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that answer one question, best first."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    contributions: NDArray[np.float64]
    """(k, len(TERMS)); each row sums to its score."""
    valid: NDArray[np.float64]
    superseded: NDArray[np.float64]
    plan: str
    exact: bool
    passages: Said | None = None
    """Of the scope, where it has any."""
    scanned: int = 0
    """Rows that the pass over the scope has scored."""
    probable: bool = False
    """True where rows that were not scored could change the list, if the index of candidates has missed one."""
    unsettled: frozenset[int] = frozenset()
    """Those of `rows` that may have newer competitors which were not looked at."""
    undated: tuple[tuple[int, int], ...] = ()
    """Pairs of `rows` that state one slot in two ways at the same time, so that neither is known to be newer."""
    successor: NDArray[np.int64] | None = None
    """(k,) the newest row that states the same slot as each of `rows`, -1 for none; None: nobody looked."""
    answers: NDArray[np.float64] | None = None
    """(k,) the probability that each answers, NaN for rows that were not asked; None: none was asked."""
    answered: float | None = None
    """The probability that any of those that were asked does; None: not all of the first were asked."""

    def share(self, i: int) -> float | None:
        """The probability that the i-th row answers, None where it was not asked."""
        return None if self.answers is None or np.isnan(self.answers[i]) else float(self.answers[i])


def taken(answer: Ranked, places: NDArray[np.intp]) -> Ranked:
    """An answer of the rows at these places, in their order."""
    per_row = ("rows", "scores", "contributions", "valid", "superseded", "successor", "answers")
    told = {name: getattr(answer, name) for name in per_row}
    return msgspec.structs.replace(
        answer, **{name: None if part is None else part[places] for name, part in told.items()}
    )


def rank(
    columns: Columns,
    questions: Sequence[Question],
    k: int,
    *,
    scope: Scope,
    scoring: str,
    texts: Texts,
    slots: SlotModel | None,
    candidates: Candidates | None = None,
) -> list[Ranked]:
    """The k best rows of `scope` for each question, by score descending, then row ascending.

    With `candidates` those are scored alone where they suffice, and `Ranked.probable` says so.
    """
    if not questions:
        return []
    if not scope.count:
        return [_nothing() for _ in questions]
    questions = _with_passages(columns, scope, [with_all_terms(question) for question in questions])
    compete = scoring != "paper" and slots is not None
    depth = max(LARGEST_POOL, k) if compete or any(_more(q) or _linked(columns, q) for q in questions) else k

    def settle(question: Question, best: NDArray[np.int64], scores: NDArray[np.float64], plan: str) -> Ranked:
        if compete and slots is not None:
            return _compete(columns, question, k, scope, best, scores, texts, slots, plan)
        plain = _spread if _linked(columns, question) else _plain
        return plain(columns, question, k, scope, best, scores, plan)

    answers: dict[int, Ranked] = {}
    again: dict[int, Ranked] = {}
    if candidates is not None:
        answers = _probable(columns, questions, k, scope, depth, candidates, timeless=compete, settle=settle)
        again = {i: answers.pop(i) for i in list(answers) if candidates.due()}
    left = [i for i in range(len(questions)) if i not in answers]
    if left:
        some = [questions[i] for i in left]
        rows, scores, counts, plan = scan(columns, some, depth, scope, timeless=compete)
        for i, best, found, count in zip(left, rows, scores, counts.tolist(), strict=True):
            answers[i] = settle(questions[i], best[:count], found[:count], plan)
    for i, guess in again.items():
        if candidates is not None and len(answers[i].rows):
            candidates.learn(float(np.isin(answers[i].rows, guess.rows).mean()))
    return [
        answers[i] if answers[i].scanned else msgspec.structs.replace(answers[i], scanned=scope.count)
        for i in range(len(questions))
    ]


def _probable(
    columns: Columns,
    questions: Sequence[Question],
    k: int,
    scope: Scope,
    depth: int,
    source: Candidates,
    *,
    timeless: bool,
    settle: Callable[[Question, NDArray[np.int64], NDArray[np.float64], str], Ranked],
) -> dict[int, Ranked]:
    """The answers that candidates suffice for, by the number of the question."""
    answers: dict[int, Ranked] = {}
    replace = msgspec.structs.replace
    pending = suited = source.suited(columns, questions, scope)
    for m in source.depths(k):
        if not pending:
            break
        some = [questions[i] for i in pending]
        found = source.find(columns, some, m, scope, timeless)
        # what comes behind the k best must be seen to come behind them
        each = [one.rows for one in found]
        best, scores, counts = scan_each(columns, some, max(depth, 2 * k), each, timeless=timeless)
        deeper = []
        for i, near, top, have, count in zip(pending, found, best, scores, counts.tolist(), strict=True):
            asked = replace(questions[i], unseen=near.rest)
            answer = settle(asked, top[:count], have[:count], CANDIDATES)
            if not answer.exact or len(answer.rows) < min(k, scope.count):
                deeper.append(i)
                continue
            proved = near.rest == -np.inf
            if not proved and answer.scores[-1] >= near.most:
                proved = settle(replace(asked, unseen=near.most), top[:count], have[:count], CANDIDATES).exact
            answers[i] = replace(answer, exact=proved, probable=not proved, scanned=len(near.rows))
        pending = deeper
    if suited:
        source.told(sufficed=len(pending) < len(suited))
    return answers


def _with_passages(columns: Columns, scope: Scope, questions: Sequence[Question]) -> list[Question]:
    """Questions that weigh what, with the scope's passages beside them."""
    said = compare(columns, scope, [question.vector for question in questions])
    if said is None:
        return [q if q.passages is None else msgspec.structs.replace(q, passages=None) for q in questions]
    return [
        msgspec.structs.replace(question, passages=said[i] if question.weights[0] else None)
        for i, question in enumerate(questions)
    ]


def _stages(question: Question) -> list[str]:
    """Terms beyond what the kernel knows that can count for this question."""
    can = {"lexical": len(question.lexical.rows), "thread": question.neighbours is not None}
    stages = [name for name, some in can.items() if some and question.weights[TERMS.index(name)]]
    return stages if question.passages is None else ["passages", *stages]


def _more(question: Question) -> bool:
    return bool(_stages(question))


def _decayed(columns: Columns, now: float) -> Utility:
    """The when-term of eq. 3: V times what age has left of it."""
    return lambda rows: columns.value[rows].astype(np.float64) * validity(columns, rows, now)


def _plain(
    columns: Columns,
    question: Question,
    k: int,
    scope: Scope,
    best: NDArray[np.int64],
    scores: NDArray[np.float64],
    plan: str,
) -> Ranked:
    """The k best by the law as printed."""
    decayed = _decayed(columns, question.now)
    m = k
    while True:
        pool = gather(columns, question, scope, best, scores, m, decayed)
        whole = question.unseen == -np.inf and not _more(question)
        exact = len(pool.rows) < k or whole or bool(pool.scores[k - 1] >= pool.bound)
        if exact or m >= len(best):
            lost = replaced(columns, pool.rows[:k], question.now).astype(np.float64)
            return _answer(columns, question, pool.rows[:k], pool.parts[:k], lost, plan, exact)
        m *= 2


def _compete(
    columns: Columns,
    question: Question,
    k: int,
    scope: Scope,
    best: NDArray[np.int64],
    scores: NDArray[np.float64],
    texts: Texts,
    slots: SlotModel,
    plan: str,
) -> Ranked:
    """The k best once each has lost to its newer competitors."""

    def undecayed(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return columns.value[rows].astype(np.float64)

    def nearest(vector: NDArray[np.float32], rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        return alike(columns, question, vector, Scope(count=len(rows), rows=rows), count)

    deepest = max(LARGEST_POOL, k)
    pool = gather(columns, question, scope, best, scores, deepest, undecayed)
    # what comes in takes the place of the pool's last, of which at least k stay
    room = min(ROOM, LARGEST_POOL - k)
    search = Search(columns, scope, question.now + SKEW, nearest, room=room)

    def held(some: NDArray[np.int64]) -> NDArray[np.float64]:
        return when_term(
            columns.value[some], replaced(columns, some, question.now), validity(columns, some, question.now)
        ) * present(columns, some, question.now)

    rounds = Rounds(slots)
    surroundings = Surroundings(columns, question, held) if _linked(columns, question) else None
    m = max(FIRST_POOL, 2 * k)
    while True:
        came = search.rows
        together = len(came) + int(np.count_nonzero(~np.isin(pool.rows[:m], came)))
        some = min(m, LARGEST_POOL - len(came)) if len(came) and together > LARGEST_POOL else m
        rest = float(pool.scores[some]) if some < len(pool.rows) else -np.inf
        part = joined(columns, question, pool, some, came, undecayed(came), max(rest, pool.bound))
        answer, limit, crowd = _settle(columns, question, k, part, scope, texts, rounds, surroundings, plan)
        worst = float(answer.scores[k - 1]) if len(answer.rows) >= k else -np.inf
        # competition only takes away: no row beyond the first m can do better than without it
        if worst >= rest or some < m:
            if len(part.rows) < scope.count and search.more(crowd.rows, crowd.like, part.rows):
                continue
            proved = worst >= rest and len(part.rows) <= LARGEST_POOL and (worst >= limit or part.bound == -np.inf)
            unsettled = frozenset(search.unsettled.tolist())
            return msgspec.structs.replace(answer, exact=proved and not unsettled, unsettled=unsettled)
        # the rows that can still do better, and some more for what they will take away
        m = min(2 * m, max(m, int(np.count_nonzero(pool.scores > worst))) + FIRST_POOL // 4)


def _settle(
    columns: Columns,
    question: Question,
    k: int,
    pool: Pool,
    scope: Scope,
    texts: Texts,
    rounds: Rounds,
    surroundings: Surroundings | None,
    plan: str,
) -> tuple[Ranked, float, Crowd]:
    """The k best of a pool once each of its rows has lost to its newer competitors there, what no other exceeds, and
    those that may have competitors elsewhere."""
    rows, parts, limit = pool.rows, pool.parts, pool.bound
    if not len(rows):
        return _nothing(), limit, Crowd(rows, np.empty(0))
    around: Field | None = None
    delta = float(question.weights[GRAPH])
    if delta > 0.0:
        # no row outside of the pool brings more, itself or by an edge
        limit += delta * ceiling(columns, pool.bound)
    if surroundings is not None:
        # competition can still take the when-term of everyone who is on the list
        room = float(question.weights[WHEN] * columns.value[rows].max())
        around = field(columns, question, scope, pool, k, known=surroundings, room=room, bounded=True)
        limit = max(around.missed, limit)
        rows = np.concatenate([rows, around.enter])
        parts = np.concatenate(
            [parts, contributions(columns, question, around.enter, surroundings.utility(around.enter))]
        )
        plan += "+graph"
    # those that came in by an edge are compared before the pool's last
    first = min(len(pool.rows), LARGEST_POOL - (len(rows) - len(pool.rows)))
    place = np.r_[np.arange(first), np.arange(len(pool.rows), len(rows))]
    rivals = rows[place]
    vectors = columns.vectors[rivals]
    known = question.now + SKEW
    said, when, planned = arrived(texts(rivals), columns.when[rivals], known)
    among = rounds.among(said, vectors)
    space = columns.space[rivals]
    # what is about a later time than the one asked about yields to whatever states the same thing by then
    past = np.where(when <= known, when, -np.inf)
    sure = taking(remaining(columns, rivals, question.now), said, question.appointed)
    lost = replaced(columns, rows, question.now).astype(np.float64)
    value, age = columns.value[rows].astype(np.float64), validity(columns, rows, question.now)
    there = present(columns, rows, question.now)
    # what only asks states nothing: it comes behind what would answer
    answers = np.ones(len(rows))
    answers[place] = [QUESTION if asks(text) else 1.0 for text in said]
    parts = parts.copy()
    rival = np.zeros(len(rows), np.intp)
    rival[place] = np.arange(len(place))

    def tell(some: NDArray[np.intp], wanted: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        c = among.rows(some, wanted)
        # a plan that has not come states nothing yet, and what one says is never about another's affairs
        c[planned[some][:, None] | planned | (space[some][:, None] != space)] = 0.0
        return c

    def taken(places: NDArray[np.intp]) -> NDArray[np.float64]:
        some, order = rival[places], columns.created[rivals]
        c = tell(some, newer(past, known, of=some, order=order))
        return supersession(c, past, known, of=some, sure=sure, order=order)

    def total(due: NDArray[np.bool_]) -> NDArray[np.float64]:
        term = when_term(value, lost, age) * there * answers
        parts[:, WHEN] = question.weights[WHEN] * term
        if delta > 0.0:
            parts[:, GRAPH] = 0.0
            brings = parts.sum(axis=1) * term
            # with less of its when-term what brings less than nothing brings more, at most nothing
            brings = np.where(due, np.maximum(brings, 0.0), brings)
            # without any edge the mean is of what each brings itself
            spread = brings if around is None else phi(around, rows, brings, bounded=True)
            parts[:, GRAPH] = delta * np.where(due, np.maximum(spread, 0.0), spread) * (1.0 - lost)
        return np.asarray(parts.sum(axis=1), np.float64)

    compared = np.zeros(len(rows), bool)
    compared[place] = True
    edges = NO_EDGES if around is None else Edges(*edges_among(around, rows))
    scores = contest(k, rows, lost, taken, total, compared=compared, edges=edges)
    compared |= len(place) < k
    if not compared.all():
        # what nobody compared has lost nothing: it would come before what has
        limit = max(limit, float(scores[~compared].max()))
        scores = np.where(compared, scores, -np.inf)
    order = np.lexsort((rows, -scores))[:k]
    same = np.zeros((len(rivals), len(rivals)), np.float32)
    hits = np.sort(rival[order[np.isin(order, place)]])
    same[hits] = tell(hits)
    crowd = crowd_of(rows[order], lost[order], rivals, same, vectors)
    answer = _answer(columns, question, rows[order], parts[order], lost[order], plan, True)
    top = rows[order[:NOTED]]
    after = np.full(len(rows), -1, np.int64)
    next_place = successors(same, past, known, order=columns.created[rivals])
    after[place] = np.where(next_place >= 0, rivals[next_place], -1)
    pairs = undated(top, rivals, same, past, sure)
    return msgspec.structs.replace(answer, undated=pairs, successor=after[order]), limit, crowd


def _linked(columns: Columns, question: Question) -> bool:
    return bool(question.weights[GRAPH] > 0.0) and not columns.links.empty


def _spread(
    columns: Columns,
    question: Question,
    k: int,
    scope: Scope,
    best: NDArray[np.int64],
    scores: NDArray[np.float64],
    plan: str,
) -> Ranked:
    """The k best by the law as printed, with its graph term."""
    decayed = _decayed(columns, question.now)
    delta = float(question.weights[GRAPH])
    lifts = delta * degree(columns)
    surroundings = Surroundings(columns, question, decayed)
    m = max(FIRST_POOL, 2 * k)
    # what edges may bring to others is seldom less than what the first are ahead by: a pool that cannot be enough
    # without what they bring to the first as well is passed over
    while m < len(best) and scores[k - 1] < scores[m] + lifts * ceiling(columns, float(scores[m])):
        m *= 2
    while True:
        pool = gather(columns, question, scope, best, scores, m, decayed)
        if not len(pool.rows):
            return _nothing()
        around = field(columns, question, scope, pool, k, known=surroundings, room=0.0, bounded=False)
        limit = max(around.missed, pool.bound + lifts * ceiling(columns, pool.bound))
        rows = np.concatenate([pool.rows, around.enter])
        term = decayed(rows)
        parts = np.concatenate([pool.parts, contributions(columns, question, around.enter, decayed(around.enter))])
        parts[:, GRAPH] = delta * phi(around, rows, parts.sum(axis=1) * term, bounded=False)
        total = parts.sum(axis=1)
        order = np.lexsort((rows, -total))[:k]
        exact = pool.bound == -np.inf or (len(order) == k and bool(total[order[-1]] >= limit))
        if exact or m >= len(best):
            lost = replaced(columns, rows[order], question.now).astype(np.float64)
            return _answer(columns, question, rows[order], parts[order], lost, plan + "+graph", exact)
        m *= 2


def _answer(
    columns: Columns,
    question: Question,
    rows: NDArray[np.int64],
    parts: NDArray[np.float64],
    lost: NDArray[np.float64],
    plan: str,
    exact: bool,
) -> Ranked:
    return Ranked(
        rows=rows,
        scores=parts.sum(axis=1),
        contributions=parts,
        valid=validity(columns, rows, question.now) * begun(columns, rows, question.now) * (1.0 - lost),
        superseded=lost,
        passages=question.passages,
        plan="+".join([plan, *_stages(question)]),
        exact=exact,
    )


def _nothing() -> Ranked:
    none = np.empty(0)
    return Ranked(
        rows=np.empty(0, np.int64),
        scores=none,
        contributions=np.empty((0, len(TERMS))),
        valid=none,
        superseded=none,
        plan="empty",
        exact=True,
    )
