"""The first hits of a search, asked whether they answer, and put in order by what they say.

The best `WINDOW` memories by all other terms get one more term, the weight of "answer" times the probability that the
memory answers (`scrubjay.recall.answers`) and that it still holds, and are put in order anew; the others stay behind
them. So a list that is proved to begin with the right ones stays so. What a newer statement has replaced hands its
probability on to that one. Where "when" has no weight, whether a memory still holds is not asked.
Turns of a conversation are not asked: they lean on what was said around them, and the model knows statements alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.recall.answers import WINDOW, AnswerModel, handed_on
from scrubjay.recall.pool import ANSWER, WHEN, Question, with_all_terms
from scrubjay.recall.ranking import Ranked, Texts, rank
from scrubjay.recall.standing import present, validity


def rank_and_ask(
    columns: Columns,
    questions: Sequence[Question],
    k: int,
    *,
    model: AnswerModel | None,
    texts: Texts,
    **options: Any,
) -> list[Ranked]:
    """The k best rows for each question as `scrubjay.recall.ranking.rank` finds them, the first asked by the model.

    Without a model, and where no question is put to it (`Question.asked`, the weight of "answer"), what that finds.
    """
    weighed = [question.asked is not None and with_all_terms(question).weights[ANSWER] > 0.0 for question in questions]
    if model is None or not any(weighed):
        return rank(columns, questions, k, texts=texts, **options)
    known = _once(texts)
    found = rank(columns, questions, max(k, WINDOW), texts=known, **options)
    return [
        _ordered(columns, question, answer, k, model, known) if some else _taken(answer, np.arange(len(answer.rows)), k)
        for question, answer, some in zip(questions, found, weighed, strict=True)
    ]


def _ordered(columns: Columns, question: Question, found: Ranked, k: int, model: AnswerModel, texts: Texts) -> Ranked:
    first = found.rows[:WINDOW]
    place = np.flatnonzero(~_turns(first, question))
    if question.asked is None or not len(place):
        return _taken(found, np.arange(len(found.rows)), k)
    rows = first[place]
    share = model.shares(question.asked, texts(rows), columns.vectors[rows])
    after = None if found.successor is None else found.successor[place]
    answers = np.full(len(found.rows), np.nan)
    answers[place] = handed_on(share, found.superseded[place], _places(rows, after))
    parts = found.contributions.copy()
    parts[place, ANSWER] = question.weights[ANSWER] * answers[place] * _holds(columns, rows, question)
    scores = parts.sum(axis=1)
    order = np.concatenate([np.lexsort((first, -scores[: len(first)])), np.arange(len(first), len(scores))])
    asked = msgspec.structs.replace(
        found,
        scores=scores,
        contributions=parts,
        answers=answers,
        answered=float(share.sum()) if len(rows) == len(first) else None,
        plan=f"{found.plan}+answer",
    )
    return _taken(asked, order, k)


def _holds(columns: Columns, rows: NDArray[np.int64], question: Question) -> NDArray[np.float64]:
    """(m,): the probability that each memory holds at the question's time, by itself."""
    still = present(columns, rows, question.now)
    return still * validity(columns, rows, question.now) if question.weights[WHEN] > 0.0 else still


def _turns(rows: NDArray[np.int64], question: Question) -> NDArray[np.bool_]:
    """(m,) True for turns of a conversation with others beside them."""
    if question.neighbours is None:
        return np.zeros(len(rows), bool)
    before, after = question.neighbours(rows)
    return (before >= 0) | (after >= 0)


def _taken(answer: Ranked, order: NDArray[np.int64], k: int) -> Ranked:
    """The first k rows of an answer in this order."""

    def of(part: NDArray[np.generic] | None) -> NDArray[np.generic] | None:
        return None if part is None else part[order[:k]]

    per_row = ("rows", "scores", "contributions", "valid", "superseded", "successor", "answers")
    return msgspec.structs.replace(answer, **{name: of(getattr(answer, name)) for name in per_row})


def _places(rows: NDArray[np.int64], wanted: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The place among `rows` of each of the first of `wanted`, -1 where it has none."""
    if wanted is None:
        return np.full(len(rows), -1, np.int64)
    place = {row: i for i, row in enumerate(rows.tolist())}
    return np.array([place.get(row, -1) for row in wanted[: len(rows)].tolist()], np.int64)


def _once(texts: Texts) -> Texts:
    """The same texts, each read once."""
    known: dict[int, str] = {}

    def told(rows: NDArray[np.int64]) -> Sequence[str]:
        new = [row for row in dict.fromkeys(rows.tolist()) if row not in known]
        if new:
            known.update(zip(new, texts(np.array(new, np.int64)), strict=True))
        return [known[row] for row in rows.tolist()]

    return told
