"""Validity of real facts, retrieval (RVT-R): does a memory return the version that is valid now?

A key is (source, kind, subject, attribute) whose value changed at least once. Each version is stored with p = .5 at its
start; the text carries no date. Questions are asked at checkpoints, oldest first, of a store that holds what had been
stored by then. Relevant are the stored versions that are valid at the time; "stale" is a stored version of the right
key that is not. Where nothing valid was stored, the question belongs to the abstention half: the best that a memory can
do is to know that its top hit no longer holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import metrics
from scrubjay.evaluate.bootstrap import Interval, interval
from scrubjay.evaluate.systems import DAY, Factory, Item, Ranking
from scrubjay.evaluate.validity import Facts, subject_key
from scrubjay.protocols import Progress

PHRASES: Final = {
    "latest": "the latest patch release",
    "eol": "the end of life date",
    "support": "the end of active support",
    "eoas": "the end of active support",
    "is married to": "the spouse",
    "works at": "the workplace",
    "owns": "the property",
    "plays for": "the team",
    "is affiliated to": "the affiliation",
}
"""How a question names an attribute; any other is named by itself."""

K: Final = 10


class Question(msgspec.Struct, frozen=True):
    """One question at one time."""

    text: str
    day: int
    subject: str
    kind: str
    relevant: tuple[int, ...]
    """Rows of the stored versions that are valid at the day; empty in the abstention half."""
    stale: tuple[int, ...]
    """Rows of the stored versions of the key that are not."""


@dataclass(frozen=True)
class Updates:
    """What is stored, by time, and what is asked, by time. Rows are positions in `stored`."""

    facts: Facts
    stored: NDArray[np.int64]
    """Row numbers of the stored facts, by start."""
    questions: tuple[Question, ...]


def question_text(attribute: str, subject: str) -> str:
    """ "What is ... of {subject}?" """
    return f"What is {PHRASES.get(attribute, 'the ' + attribute)} of {subject}?"


def _keys(facts: Facts) -> dict[tuple[str, str, str, str], list[int]]:
    rows: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    columns = zip(facts.source, facts.kind, facts.subject, facts.attribute, strict=True)
    for i, key in enumerate(columns):
        rows[key].append(i)
    return {key: own for key, own in rows.items() if len({facts.value[i] for i in own}) > 1}


def make_updates(facts: Facts, *, seed: int = 0, share: float = 0.5, checkpoints: int = 24, asks: int = 3) -> Updates:
    """Store versions with probability `share` and ask every key at up to `asks` random checkpoints between its first
    stored start and its censoring. Checkpoints are quantiles of all starts, and the last day of all."""
    rng = np.random.default_rng(seed)
    keys = _keys(facts)
    versions = np.array(sorted(i for own in keys.values() for i in own), np.int64)
    if versions.size == 0:
        raise ArgumentError("facts: no key has two values, so nothing is ever updated")
    kept = versions[rng.random(versions.size) < share]
    stored = kept[np.argsort(facts.start[kept], kind="stable")]
    place = {int(row): i for i, row in enumerate(stored)}
    days = np.unique(
        np.append(
            np.quantile(facts.start[versions], np.linspace(0.0, 1.0, checkpoints)).astype(np.int64),
            facts.censor[versions].max(),
        )
    )
    questions: list[Question] = []
    for (_, kind, subject, attribute), own in keys.items():
        mine = [i for i in own if i in place]
        if not mine:
            continue
        first, last = min(facts.start[i] for i in mine), min(facts.censor[i] for i in mine)
        possible = days[(days > first) & (days <= last)]
        for day in rng.permutation(possible)[:asks].tolist():
            known = [i for i in mine if facts.start[i] < day]
            good = tuple(place[i] for i in known if not facts.ended[i] or facts.end[i] > day)
            values = {facts.value[stored[r]] for r in good}
            # an old version with the value that holds again is no wrong answer
            same = tuple(place[i] for i in known if place[i] not in good and facts.value[i] in values)
            stale = tuple(place[i] for i in known if place[i] not in good + same)
            text = question_text(attribute, subject)
            questions.append(Question(text, day, subject, kind, good + same, stale))
    return Updates(facts, stored, tuple(sorted(questions, key=lambda q: q.day)))


class UpdateScore(msgspec.Struct, frozen=True):
    """Retrieval under updates; intervals by bootstrap over subjects."""

    system: str
    stored: int
    answerable: int
    abstain: int
    recall_at_1: Interval
    """R@1 over answerable questions: the top hit is a valid version."""
    recall_at_5: Interval
    mrr: Interval
    """Cut at 10."""
    stale_at_1: Interval
    """Over answerable questions: the top hit is an expired version of the right key."""
    abstention_auroc: float
    """Does P(valid) of the top hit tell answerable questions from those of the abstention half?"""
    abstention_brier: float
    """P(valid) of the top hit against "the top hit is a valid version of the right key", all questions."""
    by_kind: dict[str, dict[str, float]]
    top_right: tuple[float, ...] = ()
    """Per answerable question, 1 where the top hit is right (for paired tests)."""
    clusters: tuple[str, ...] = ()
    """Subject of each answerable question."""
    newest_at_1: float | None = None
    """R@1 of the newest stored version of the right key, which no memory is told: where that one is over and an older
    one holds, as after a loan to another club, only the world knows. What it lacks of 1 is expired."""


def _at_top(ranking: Ranking, rows: Sequence[int], k: int) -> list[int]:
    wanted = set(rows)
    return [i + 1 for i, row in enumerate(ranking.rows[:k].tolist()) if row in wanted]


def evaluate(
    factory: Factory,
    updates: Updates,
    *,
    draws: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
) -> UpdateScore:
    """Replay: store up to a checkpoint, ask, go on."""
    facts, questions = updates.facts, updates.questions
    starts = facts.start[updates.stored]
    system = factory()
    done = 0
    rankings: list[Ranking] = []
    days = sorted({q.day for q in questions})
    for number, day in enumerate(days, 1):
        upto = int(np.searchsorted(starts, day, side="left"))
        if upto > done:
            rows = updates.stored[done:upto]
            system.ingest([Item(str(facts.text[r]), float(facts.start[r]) * DAY) for r in rows])
            done = upto
        asked = [q for q in questions if q.day == day]
        rankings += system.rank([q.text for q in asked], [day * DAY] * len(asked), K)
        if progress is not None:
            progress(number, len(days))
    system.close()
    return _score(system.name, updates, rankings, draws, seed)


def _newest(updates: Updates, question: Question) -> int:
    """The newest stored version of the right key, of those of one day the one stored last."""
    starts = updates.facts.start[updates.stored]
    return max((*question.relevant, *question.stale), key=lambda row: (int(starts[row]), row))


def _score(name: str, updates: Updates, rankings: Sequence[Ranking], draws: int, seed: int) -> UpdateScore:
    hits = [_at_top(r, q.relevant, K) for q, r in zip(updates.questions, rankings, strict=True)]
    stale = [_at_top(r, q.stale, 1) for q, r in zip(updates.questions, rankings, strict=True)]
    p = np.array([float(r.p_valid[0]) if r.rows.size else 0.0 for r in rankings])
    answerable = np.array([bool(q.relevant) for q in updates.questions])
    right = np.array([1 in h for h in hits])
    rows = np.flatnonzero(answerable)
    if rows.size == 0:
        raise ArgumentError("updates: no question can be answered")
    groups = tuple(subject_key(updates.questions[i].subject) for i in rows)
    newest = [_newest(updates, updates.questions[i]) in updates.questions[i].relevant for i in rows]
    columns = {
        "R@1": [float(right[i]) for i in rows],
        "R@5": [float(any(h <= 5 for h in hits[i])) for i in rows],
        "MRR": [metrics.reciprocal_rank(hits[i]) for i in rows],
        "stale@1": [float(bool(stale[i])) for i in rows],
    }
    kinds = [updates.questions[i].kind for i in rows]
    cut = {m: interval(values, groups, draws=draws, seed=seed) for m, values in columns.items()}
    return UpdateScore(
        system=name,
        stored=len(updates.stored),
        answerable=int(answerable.sum()),
        abstain=int((~answerable).sum()),
        recall_at_1=cut["R@1"],
        recall_at_5=cut["R@5"],
        mrr=cut["MRR"],
        stale_at_1=cut["stale@1"],
        abstention_auroc=metrics.auroc(answerable, p),
        abstention_brier=metrics.brier(right, p),
        by_kind={
            kind: {
                "n": float(kinds.count(kind)),
                **{
                    m: float(np.mean([x for x, k in zip(v, kinds, strict=True) if k == kind]))
                    for m, v in columns.items()
                },
            }
            for kind in sorted(set(kinds))
        },
        top_right=tuple(columns["R@1"]),
        clusters=groups,
        newest_at_1=float(np.mean(newest)),
    )
