"""prepare, and what a search does with the buffer that it made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.columns import Columns
from scrubjay.dynamics.term import remaining
from scrubjay.encode.intake import check_context
from scrubjay.encode.normal import check_text
from scrubjay.encode.scheduled import appointed
from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.events import (
    Linked,
    Outcome,
    Outcomes,
    Rated,
    Reinforced,
    Rescored,
    Restored,
    Summarised,
    Undone,
    Unlinked,
    Updated,
    touched,
)
from scrubjay.memory import Subtree
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.hop import GRAPH
from scrubjay.recall.pool import WHEN, Question
from scrubjay.recall.prospective import GROWTH, Content, Encoder, PreparedBuffer, sigmoid
from scrubjay.recall.ranking import LARGEST_POOL, Ranked, Texts, rank
from scrubjay.recall.scope import Scope
from scrubjay.recall.standing import SKEW, present, replaced, taking, validity
from scrubjay.sets import distinct
from scrubjay.slots.competition import supersession, when_term
from scrubjay.slots.plans import arrived
from scrubjay.store.ids import to_text
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.quarantine import trusted

_CHUNK: Final = 1 << 16
_HARMLESS: Final = (Reinforced, Outcome, Outcomes, Summarised, Rated, Rescored, Linked, Unlinked)
"""Events after which a memory is still what the buffer chose."""
_BETTERS: Final = (Updated, Restored, Undone)
"""Events after which a memory that the buffer did not choose may be one that it would."""


def prepare(
    engine: Engine,
    task: str,
    *,
    k: int,
    theta: float,
    context: str | None,
    namespace: tuple[str, ...],
    now: float,
) -> PreparedBuffer:
    """The memories of the namespace that the task will most likely need."""
    text = check_text(task, argument="task")
    where = check_context(context)
    if isinstance(theta, bool) or not isinstance(theta, (int, float)):
        raise ArgumentTypeError(f"theta: expected a number, got {type(theta).__name__}")
    if not 0.0 <= theta <= 1e6:
        raise ArgumentError(f"theta = {shown(theta)}: expected a number >= 0")
    vector = engine.embed([text], argument="task").vectors[0]
    place = None if where is None else engine.embed_known([where])[where][0]
    return PreparedBuffer(
        task=text,
        context=where,
        namespace=namespace,
        size=k,
        theta=float(theta),
        now=now,
        encoder=Encoder.of_task(vector, place),
        fill=lambda buffer, at: fill(engine, buffer, engine.clock() if at is None else at),
    )


def fill(engine: Engine, buffer: PreparedBuffer, now: float) -> Content:
    """The top K of P U, under the store's law of the when-term."""
    engine.refresh()
    encoder = buffer.encoder
    buffer.now = now
    with engine.gate.reading():
        columns = engine.columns
        scope, _ = trusted(engine, engine.scope(buffer.namespace), buffer.namespace)
        rows = scope.listed(columns)
        rows = rows[~replaced(columns, rows, now)]
        p = sigmoid(_affinity(columns, rows, encoder))
        value = columns.value[rows].astype(np.float64)
        held = validity(columns, rows, now)
        paper = engine.scoring == "paper" or engine.slots is None
        if not paper:
            value = value * present(columns, rows, now)
        use = value * held if paper else when_term(value, np.zeros(len(rows)), held)
        pool = buffer.size if paper else min(2 * buffer.size, max(buffer.size, LARGEST_POOL))
        best = _top(p * use, pool)
        rows, p, use, held, value = rows[best], p[best], use[best], held[best], value[best]
        keys, vectors = columns.key[rows].copy(), columns.vectors[rows].copy()
        when, seq = columns.when[rows].copy(), columns.seq
        sure = remaining(columns, rows, now)
        last = int(columns.key[-1]) if len(columns) else 0
    with engine.log.read() as view:
        known = view.rows(keys.tolist())
    there = np.array([key in known for key in keys.tolist()], np.bool_)
    if not paper and engine.slots is not None and len(keys):
        texts = [known[key].text if key in known else "" for key in keys.tolist()]
        said, when, planned = arrived(texts, when, now + SKEW)
        same = np.where(planned[:, None] | planned, np.float32(0.0), engine.slots.same_slot(said, vectors))
        past = np.where(when <= now + SKEW, when, -np.inf)
        use = when_term(value, supersession(same, past, now + SKEW, sure=taking(sure, said, appointed)), held)
    chosen = np.flatnonzero(there)
    chosen = chosen[_top((p * use)[chosen], buffer.size)]
    names = keys[chosen].tolist()
    texts = [known[key].text for key in names]
    return Content(
        keys=keys[chosen],
        ids=[to_text(known[key].id) for key in names],
        texts=texts,
        probability=p[chosen],
        utility=use[chosen],
        seq=seq,
        last_key=last,
        rows=scope.count,
    )


def _top(score: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Places of the k largest, falling; among equals the earlier first."""
    if len(score) > k:
        floor = np.partition(score, -k)[-k]
        some = np.flatnonzero(score >= floor)
    else:
        some = np.arange(len(score))
    return np.asarray(some[np.argsort(-score[some], kind="stable")[:k]], np.int64)


def _affinity(columns: Columns, rows: NDArray[np.int64], encoder: Encoder) -> NDArray[np.float64]:
    """v . what + u . where + b of each row: one pass over the rows, one product per distinct context."""
    z = np.empty(len(rows))
    v = encoder.v.astype(np.float32)
    if len(rows) == len(columns):
        z[:] = _core.dot(columns.what, v)
    else:
        for start in range(0, len(rows), _CHUNK):
            z[start : start + _CHUNK] = _core.dot(columns.vectors[rows[start : start + _CHUNK]], v)
    if len(columns.contexts) and encoder.u.any():
        by = np.append(columns.contexts.astype(np.float64) @ encoder.u, 0.0)
        z += by[columns.context[rows]]
    return z + encoder.b


# -- searching through a buffer


class Consulted(msgspec.Struct, frozen=True):
    """What looking into a buffer brought."""

    answer: Ranked | None
    """None: it does not answer this query."""
    scored: int
    """Rows of it that were scored."""
    note: str = ""


def check_buffer(buffer: object, namespace: tuple[str, ...] | Subtree) -> PreparedBuffer:
    """A buffer of this namespace."""
    if not isinstance(buffer, PreparedBuffer):
        raise ArgumentTypeError(f"buffer: expected what prepare returned, got {type(buffer).__name__}")
    if buffer.namespace != namespace:
        raise ArgumentError("buffer: it was prepared for another namespace; give that one, or prepare another")
    return buffer


def consult(
    engine: Engine, buffer: PreparedBuffer, question: Question, k: int, *, scoring: str, scope: Scope, texts: Texts
) -> Consulted:
    """Look into the buffer. The caller holds the gate, and has refreshed."""
    columns, content = engine.columns, buffer.content
    if columns.seq > buffer.checked:
        buffer.mark(_changed(engine, buffer), columns.seq)
    rows = columns.rows(content.keys)
    left = bool((rows < 0).any()) or not columns.visible(rows).all() or replaced(columns, rows, question.now).any()
    if buffer.stale or left:
        return Consulted(None, 0, "what the buffer chose from has changed: refill it")
    added = _added(engine, buffer)
    if len(added) > GROWTH * buffer.size:
        return Consulted(None, 0, "the buffer is outgrown: refill it")
    rows = distinct(np.concatenate([rows, added]))
    rows = rows[scope.holds(rows)]
    if len(rows) < min(k, scope.count):
        return Consulted(None, 0)
    weights = question.weights.copy()
    weights[GRAPH] = 0.0
    weights[len(FACTORS) :] = 0.0
    known = dict(zip(content.keys.tolist(), content.texts, strict=True))

    def cached(some: NDArray[np.int64]) -> Sequence[str]:
        keys = columns.key[some].tolist()
        if all(key in known for key in keys):
            return [known[key] for key in keys]
        return texts(some)

    asked = msgspec.structs.replace(question, weights=weights)
    narrow = Scope(count=len(rows), rows=rows, newest=scope.newest)
    (answer,) = rank(columns, [asked], k, scope=narrow, scoring=scoring, texts=cached, slots=engine.slots)
    if not len(answer.rows) or _confidence(answer, question, scoring) < buffer.theta:
        return Consulted(None, len(rows))
    return Consulted(msgspec.structs.replace(answer, plan="buffer", exact=False), len(rows))


def _changed(engine: Engine, buffer: PreparedBuffer) -> set[int]:
    """Keys of what it chose, and of what it could have chosen, that are not as they were when it was last checked."""
    content, columns = buffer.content, engine.columns
    held = set(content.keys.tolist())
    changed: set[int] = set()
    older: set[int] = set()
    after = buffer.checked
    with engine.log.read() as view:
        while after < columns.seq:
            batch = view.batch(after, columns.seq)
            if batch.damaged:
                # what a damaged event was about nobody knows
                return held
            for event in batch.events:
                if isinstance(event, _HARMLESS):
                    continue
                keys = set(touched(event))
                changed |= keys & held
                if isinstance(event, _BETTERS):
                    older |= {key for key in keys - held if key <= content.last_key}
            after = batch.upto
    names = np.array(sorted(older), np.int64)
    rows = columns.rows(names)
    names, rows = names[rows >= 0], rows[rows >= 0]
    return changed | set(names[columns.space[rows] == engine.space(buffer.namespace)].tolist())


def _added(engine: Engine, buffer: PreparedBuffer) -> NDArray[np.int64]:
    """Rows of the namespace that are newer than the buffer: what they say must not be missed."""
    columns = engine.columns
    start = int(np.searchsorted(columns.key, buffer.content.last_key, side="right"))
    if start == len(columns):
        return np.empty(0, np.int64)
    number = engine.space(buffer.namespace)
    rows = start + np.flatnonzero(columns.space[start:] == number)
    return np.asarray(rows[columns.visible(rows)], np.int64)


def _confidence(answer: Ranked, question: Question, scoring: str) -> float:
    """What is compared with theta: the best score; under "competitive" the lesser of two shares of what is in play.

    The score over the weights that this query uses, and what and where alone over theirs, less what the best has lost:
    the when-term by itself can exceed any threshold for whatever is fresh.
    """
    score = float(answer.scores[0])
    if scoring == "paper":
        return score
    likeness = float(question.weights[0]) + (float(question.weights[1]) if question.context is not None else 0.0)
    others = float(question.weights[GRAPH + 1 : len(FACTORS)].sum() + question.weights[WHEN])
    if not likeness:
        return score / others
    fits = float(answer.contributions[0, :2].sum()) / likeness * (1.0 - float(answer.superseded[0]))
    return min(score / (likeness + others), fits)


def observe(engine: Engine, buffer: PreparedBuffer, answer: Ranked) -> None:
    """Tell the buffer what the query wanted. The caller holds the gate."""
    if not len(answer.rows):
        return
    columns = engine.columns
    held = columns.rows(buffer.content.keys)
    others = held[(held >= 0) & ~np.isin(held, answer.rows)]
    rows = np.concatenate([answer.rows[:1], others])
    asked = np.zeros(len(rows))
    asked[0] = 1.0
    buffer.observe(columns.vectors[rows].copy(), columns.where(rows), asked)


Ask = Callable[[Sequence[int]], list[Ranked]]
"""Places of questions to their answers from everything."""


def through(
    engine: Engine,
    buffer: PreparedBuffer,
    questions: Sequence[Question],
    k: int,
    *,
    scoring: str,
    scope: Scope,
    texts: Texts,
    ask: Ask,
) -> tuple[list[Ranked], list[str]]:
    """Every question through the buffer, those it does not answer by `ask`: answers and notes. Under the gate."""
    looked = [consult(engine, buffer, q, k, scoring=scoring, scope=scope, texts=texts) for q in questions]
    missed = [i for i, one in enumerate(looked) if one.answer is None]
    full = dict(zip(missed, ask(missed), strict=True)) if missed else {}
    answers, notes = [], []
    for i, one in enumerate(looked):
        answer = full[i] if one.answer is None else one.answer
        buffer.count(hit=one.answer is not None, buffered=one.scored, full=answer.scanned if i in full else 0)
        observe(engine, buffer, answer)
        if i in full:
            answer = msgspec.structs.replace(answer, plan=f"buffer>{answer.plan}")
        answers.append(answer)
        notes.append(f"from the {one.scored} memories that were prepared" if one.answer is not None else one.note)
    return answers, notes
