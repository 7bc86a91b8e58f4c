"""The first hits of a search, asked whether they answer, and put in order by what they say.

The best `WINDOW` memories by all other terms get one more term, the weight of "answer" times the probability that the
memory answers (`scrubjay.recall.answers`) and that it still holds, and are put in order anew; the others stay behind
them. So a list that is proved to begin with the right ones stays so. What a newer statement has replaced hands its
probability on to that one. Where "when" has no weight, whether a memory still holds is not asked. Of a text of several
sentences the one that shares most words with the question is asked as well, and the likelier of the two counts: a fact
among other remarks answers as it does alone.
What answered the question until a newer memory did is known there as well (`scrubjay.recall.succession`): it loses as
much of its when-term, and comes behind what took its place.
A question may mean one of a series by its order word: "the last backup" (`scrubjay.recall.series`).
Turns of a conversation are not asked: they lean on what was said around them, and the model knows statements alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.dynamics.term import remaining
from scrubjay.recall.answer_features import Query
from scrubjay.recall.answers import WINDOW, AnswerModel, handed_on, shares_of
from scrubjay.recall.order import Order, order_of
from scrubjay.recall.past import of_the_past
from scrubjay.recall.pool import ANSWER, WHEN, Question, with_all_terms
from scrubjay.recall.ranking import Ranked, Texts, rank, taken
from scrubjay.recall.scope import Scope
from scrubjay.recall.series import put_first, series
from scrubjay.recall.standing import SKEW, present, taking, validity
from scrubjay.recall.succession import Succession, SuccessionModel, handed_down, none_lost, outlasting, paid
from scrubjay.recall.succession_features import Seen
from scrubjay.slots.competition import SlotModel, newer
from scrubjay.slots.plans import arrived
from scrubjay.slots.statements import statement, told_of
from scrubjay.slots.vocabulary import content_of

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to their unit vectors (m, d)."""
_BREAK: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_WORD: Final = re.compile(r"[^\W_]+")
_BEGIN: Final = 5
"""Letters by which a word is known in another form."""
_APART: Final = 0.1
"""By how much more a memory scores that weighs e times as much in the choice of a series (chosen)."""
_YEAR: Final = 365.0 * 86400.0
_READ: Final = 20_000
"""Characters of a text that are looked for sentences at either end: it is asked of 16 texts at every search,"""
_LONGEST: Final = 600
"""and of a sentence; a longer one is left to the whole text."""


def rank_and_ask(
    columns: Columns,
    questions: Sequence[Question],
    k: int,
    *,
    model: AnswerModel | None,
    texts: Texts,
    vectors: Vectors,
    scope: Scope,
    scoring: str,
    slots: SlotModel | None,
    succession: SuccessionModel | None = None,
    **options: Any,
) -> list[Ranked]:
    """The k best rows for each question as `scrubjay.recall.ranking.rank` finds them, the first asked by the model;
    `vectors` gives those of sentences.

    Without a model, and where no question is put to it (`Question.asked`, the weight of "answer"), what that finds; the
    order word of a question counts there too, but not for scoring="paper".
    """
    told = [
        model if question.asked is not None and with_all_terms(question).weights[ANSWER] > 0.0 else None
        for question in questions
    ]
    orders = [
        None if scoring == "paper" or question.asked is None else order_of(question.asked.text)
        for question in questions
    ]
    if not any(told) and not any(orders):
        return rank(columns, questions, k, texts=texts, scope=scope, scoring=scoring, slots=slots, **options)
    # one more than are asked: none of those falls behind it
    depth = max(k, WINDOW + 1)
    found = rank(columns, questions, depth, texts=texts, scope=scope, scoring=scoring, slots=slots, **options)
    out = []
    for question, answer, by, order in zip(questions, found, told, orders, strict=True):
        # an order word says itself which one is meant
        held = None if order is not None or scoring == "paper" else succession
        hits = answer if by is None else _asked(columns, question, answer, by, texts, vectors, held)
        if order is not None:
            hits = _in_order(columns, question, hits, order, texts, scope, slots)
        out.append(taken(hits, np.arange(min(k, len(hits.rows)))))
    return out


def _in_order(
    columns: Columns,
    question: Question,
    found: Ranked,
    order: Order,
    texts: Texts,
    scope: Scope,
    slots: SlotModel | None,
) -> Ranked:
    """The hits with the one first that an order word means, where it means one of a series."""
    first = min(WINDOW, len(found.rows))
    place = np.flatnonzero(~_turns(found.rows[:first], question))
    scores = found.scores[:first]
    weight = np.exp((scores - scores.max(initial=-np.inf)) / _APART)
    of = series(columns, question, order, found.rows[place], weight[place], texts, scope, slots) if len(place) else None
    return found if of is None else put_first(columns, question, found, of._replace(places=place[of.places]), first)


def _asked(
    columns: Columns,
    question: Question,
    found: Ranked,
    model: AnswerModel,
    texts: Texts,
    vectors: Vectors,
    succession: SuccessionModel | None,
) -> Ranked:
    """The first hits asked whether they answer, and put in order by it; without `succession` none yields to a newer one
    that no words show."""
    first = found.rows[:WINDOW]
    place = np.flatnonzero(~_turns(first, question))
    if question.asked is None or not len(place):
        return found
    rows = first[place]
    said = texts(rows)
    share = _shares(model, question.asked, said, columns.vectors[rows], vectors)
    after = _places(rows, None if found.successor is None else found.successor[place])
    answers = np.full(len(found.rows), np.nan)
    answers[place] = handed_on(share, found.superseded[place], after)
    told, age = none_lost(len(rows)), np.arange(len(rows))
    if succession is not None and question.weights[WHEN] > 0.0 and not of_the_past(question.asked.text):
        told, since = _succeeded(columns, question, question.asked, found, answers, place, after, said, succession)
        age = np.lexsort((columns.created[rows], since))
    answers[place] = handed_down(answers[place], told, age)
    parts, lost = found.contributions.copy(), np.zeros(len(found.rows))
    lost[place] = told.lost
    parts[place, ANSWER] = question.weights[ANSWER] * answers[place] * _holds(columns, rows, question, answers[place])
    scores = parts[place].sum(axis=1)
    loss = paid(scores, told.lost * np.maximum(parts[place, WHEN], 0.0), told, age)
    # what is behind the first was not compared, and none of them falls behind it
    last = found.scores[WINDOW] if len(found.rows) > WINDOW else -np.inf
    parts[place, WHEN] -= np.minimum(loss, np.maximum(scores - last, 0.0))
    scores = parts.sum(axis=1)
    order = np.concatenate([np.lexsort((first, -scores[: len(first)])), np.arange(len(first), len(scores))])
    asked = msgspec.structs.replace(
        found,
        scores=scores,
        contributions=parts,
        valid=found.valid * (1.0 - lost),
        superseded=1.0 - (1.0 - found.superseded) * (1.0 - lost),
        successor=_after(found.successor, place, rows, told),
        answers=answers,
        answered=float(share.sum()) if len(rows) == len(first) else None,
        plan=f"{found.plan}+answer",
    )
    return taken(asked, order)


def _succeeded(
    columns: Columns,
    question: Question,
    asked: Query,
    found: Ranked,
    answers: NDArray[np.float64],
    place: NDArray[np.intp],
    after: NDArray[np.int64],
    texts: Sequence[str],
    model: SuccessionModel,
) -> tuple[Succession, NDArray[np.float64]]:
    """What each hit at `place` has lost to newer ones of them that answer the question, and since when each holds."""
    rows, known = found.rows[place], question.now + SKEW
    said, since, planned = arrived(texts, columns.when[rows], known)
    later = newer(since, known, order=columns.created[rows]) & ~planned[:, None] & ~planned
    later &= columns.space[rows][:, None] == columns.space[rows]
    plain = found.contributions[place].sum(axis=1) - found.contributions[place, ANSWER]
    seen = Seen(
        query=asked,
        texts=said,
        stored=texts,
        vectors=columns.vectors[rows],
        scores=plain / (question.weights[0] or 1.0),
        shares=answers[place],
        valid=found.valid[place],
        lost=found.superseded[place],
        after=after,
        present=taking(remaining(columns, rows, question.now), said, question.appointed),
        newer=later,
    )
    return outlasting(model.find(seen), validity(columns, rows, question.now + _YEAR)), since


def _after(
    known: NDArray[np.int64] | None, place: NDArray[np.intp], rows: NDArray[np.int64], told: Succession
) -> NDArray[np.int64] | None:
    """The successors that are known (k,), and where none is, the question's among `rows`, which are at `place`."""
    if known is None:
        return None
    out: NDArray[np.int64] = known.copy()
    new = np.flatnonzero((told.by >= 0) & (out[place] < 0))
    out[place[new]] = rows[told.by[new]]
    return out


def _shares(
    model: AnswerModel, asked: Query, texts: Sequence[str], what: NDArray[np.float32], vectors: Vectors
) -> NDArray[np.float64]:
    """(m,) in [0, 1]: the probability that each text, or the sentence of it that is likeliest to, answers."""
    begin = beginnings(asked.text)
    near = {i: sentence for i, text in enumerate(texts) if (sentence := nearest_sentence(text, begin))}
    if not near:
        return model.shares(asked, texts, what)
    logits = model.logits(asked, [*texts, *near.values()], np.concatenate([what, vectors(list(near.values()))]))
    whole = logits[: len(texts)]
    np.maximum.at(whole, list(near), logits[len(texts) :])
    return shares_of(whole)


def nearest_sentence(text: str, begin: Sequence[str]) -> str:
    """The sentence of a text of several that has most of the words that begin so, the first of equals; "" where none
    has any.

    >>> nearest_sentence("It was cold. The safe opens with 88-12-45.", beginnings("How does the safe open?"))
    'The safe opens with 88-12-45.'
    >>> nearest_sentence("The safe opens with 88-12-45.", beginnings("How does the safe open?"))
    ''
    """
    read = text if len(text) <= 2 * _READ else f"{text[:_READ]}\n{text[-_READ:]}"
    parts = [part for part in _BREAK.split(read) if part.strip() and len(part) <= _LONGEST]
    if not parts or parts == [text]:
        return ""
    shared = [sum(word in folded for word in begin) for folded in map(str.casefold, parts)]
    return parts[shared.index(max(shared))] if max(shared) else ""


def beginnings(question: str) -> list[str]:
    """How the words, names and numbers of a question begin, so that "opens" is found by "open".

    >>> beginnings("How does the safe open?")
    ['safe', 'open']
    """
    content = content_of(statement(question))
    words = (word for word in _WORD.findall(question.casefold()) if told_of(word) in content)
    return list(dict.fromkeys(word[:_BEGIN] for word in words))


def _holds(
    columns: Columns, rows: NDArray[np.int64], question: Question, answers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(m,): what is left of each memory's answer at the question's time.

    How probably it still holds counts as far as one that holds more probably may answer as well: age takes nothing from
    the only answer. What is over by its own words answers no more.
    """
    still = present(columns, rows, question.now)
    if question.weights[WHEN] <= 0.0:
        return still
    holds = validity(columns, rows, question.now)
    rival = np.where(holds[None, :] > holds[:, None], answers[None, :], 0.0).max(axis=1, initial=0.0)
    share = rival / np.maximum(answers + rival, np.finfo(np.float64).tiny)
    return still * np.where(holds > 0.0, 1.0 - share * (1.0 - holds), 0.0)


def _turns(rows: NDArray[np.int64], question: Question) -> NDArray[np.bool_]:
    """(m,) True for turns of a conversation with others beside them."""
    if question.neighbours is None:
        return np.zeros(len(rows), bool)
    before, after = question.neighbours(rows)
    return (before >= 0) | (after >= 0)


def _places(rows: NDArray[np.int64], wanted: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The place among `rows` of each of the first of `wanted`, -1 where it has none."""
    if wanted is None:
        return np.full(len(rows), -1, np.int64)
    place = {row: i for i, row in enumerate(rows.tolist())}
    return np.array([place.get(row, -1) for row in wanted[: len(rows)].tolist()], np.int64)
