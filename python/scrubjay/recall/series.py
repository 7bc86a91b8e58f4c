"""Memories of one form, and the one of them that a question's order word means.

"When was the last backup?" is answered by each of a hundred backups as well as by any other, as far as likeness tells;
the best sixteen of them seldom have the newest. Of the first hits those that are likeliest together are the series:
they state one slot (`scrubjay.slots.competition`), or tell of one doing at several times, which is to say that each has
all words that the first shares with the question, and a good part of the others, numbers and times apart. The rest of a
series is found by climbing: of what is newer than its newest so far the memories most like the first are looked at,
until none of them is of its form.

The one that is meant answers for all: it has the shares of the whole series, and the largest of their when-terms, since
it is not asked whether it still holds; where it is not the newest, that has the least. If another hit would still
come before it, the two change scores by their when-terms.

Nothing is meant where one alone is of its form, and where what answers has the order word itself: "the first floor" is
no beginning, and a memory that tells which was the last is right as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.recall.order import ORDERING, TIMES, Order, order_of
from scrubjay.recall.pool import ANSWER, WHEN, Question, contributions
from scrubjay.recall.ranking import Ranked, Texts, taken
from scrubjay.recall.scan import alike
from scrubjay.recall.scope import Scope, of_rows
from scrubjay.recall.standing import SKEW, asks, validity
from scrubjay.remembered import kept_with
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.statements import GROUPS, KIN, Statement, statement, told_of

Rows = NDArray[np.int64]
NEAR: Final = 64
"""Memories that are looked at in a step of climbing (chosen)."""
STEPS: Final = 12
"""Most steps: each leaves about a `NEAR`-th of a series."""
MORE: Final = 4.0
"""By what a word more that is shared with the question multiplies what a series weighs (chosen)."""
NEARLY: Final = 0.2
"""From this weight on a memory answers as well as a series (chosen)."""
ALIKE: Final = 0.25
"""Least share of their words that two memories of one doing have in common (chosen)."""
REPEATED: Final = 0.75
"""The same where what they have in common is no word of the question: they say one thing with other numbers."""
_TELLING: Final = [GROUPS.index(name) for name in ("word", "name")]
_PASSING: Final = frozenset(told_of(word) for word in ORDERING | TIMES)


class Series(NamedTuple):
    """What an order word is about."""

    places: NDArray[np.intp]
    """The places, among the rows that were given, of those of one form."""
    row: int
    """The one that is meant, which may be none of them."""
    newest: int
    """The newest of the series."""
    lost: float
    """How far it has taken the place of the one that is meant."""


class _Form:
    """What is of one form with a row: `anchor`, whose text answers a question."""

    def __init__(self, columns: Columns, asked: str, anchor: int, text: str, slots: SlotModel | None) -> None:
        self._columns, self._slots, self._anchor, self._text = columns, slots, anchor, text
        self._said, self._asked = statement(text), statement(asked)
        self._words = _words(self._said)
        self._shared = self._words & _words(self._asked)

    @property
    def shared(self) -> int:
        """How many words the anchor shares with the question."""
        return len(self._shared)

    def _doing(self, text: str) -> bool:
        """Whether a text tells of the same doing, or of the attribute that is asked for."""
        said = statement(text)
        words = _words(said)
        if self._said.parts and said.parts and (self._said.parts ^ said.parts) & KIN:
            return False
        both, share = self._words & words, len(self._words & words) / max(len(self._words | words), 1)
        if not self._shared or not self._shared <= words:
            return share >= REPEATED
        about = self._asked.about & self._said.about & said.about
        named = self._said.bare and said.bare and self._shared <= self._said.parts == said.parts
        return bool(about) or (named and _names(self._said) and _names(said)) or (len(both) > 1 and share >= ALIKE)

    def same(self, rows: Rows, texts: Sequence[str], c: NDArray[np.float32] | None = None) -> NDArray[np.bool_]:
        """(m,) which of some rows and their texts are; `c` (m,) is how likely each states the anchor's slot."""
        if not len(rows):
            return np.empty(0, np.bool_)
        out = np.array([self._doing(text) for text in texts], np.bool_)
        if c is None and self._slots is not None and not out.all():
            vectors = self._columns.vectors[np.concatenate([[self._anchor], rows])]
            c = self._slots.same_slot([self._text, *texts], vectors, with_first=True)[0, 1:]
        if c is not None:
            out |= c >= FLOOR
        out &= (self._columns.space[rows] == self._columns.space[self._anchor]) & ~np.array(
            [asks(text) for text in texts]
        )
        return np.asarray(out | (rows == self._anchor), np.bool_)


def series(
    columns: Columns,
    question: Question,
    order: Order,
    rows: Rows,
    weight: NDArray[np.float64],
    texts: Texts,
    scope: Scope,
    slots: SlotModel | None,
) -> Series | None:
    """The series among some rows (m,) that weighs most, and what of it is meant; None where the question means none.

    `weight` (m,) in [0, 1] tells how well each answers, 1 the best.
    """
    said = texts(rows)
    known = np.array([not asks(text) for text in said], bool) & (columns.when[rows] <= question.now + SKEW)
    if question.asked is None or not known.any():
        return None
    forms = [
        _Form(columns, question.asked.text, row, text, slots) for row, text in zip(rows.tolist(), said, strict=True)
    ]
    m = len(rows)
    c = np.zeros((m, m), np.float32) if slots is None else slots.same_slot(said, columns.vectors[rows])
    same = np.stack([form.same(rows, said, c[i]) for i, form in enumerate(forms)]) & known
    shared = np.array([form.shared for form in forms], np.float64)
    first = int(np.argmax(np.where(known, same @ weight * MORE**shared, -1.0)))
    places = np.flatnonzero(same[first])
    # what tells itself which was the last, and answers as well as the series does, is right as it is
    tells = np.array(
        [order_of(text) is not None or (order == "previous" and statement(text).used) for text in said], bool
    )
    if tells[places].any() or (tells & (shared >= shared[first]) & (weight >= NEARLY)).any():
        return None
    climb = _Climb(columns, question, scope, texts, forms[first], int(rows[first]))
    mine = rows[places][np.lexsort((rows[places], columns.when[rows[places]]))].tolist()
    newest = row = climb.newer(mine[-1], None)
    if order == "previous":
        older = [one for one in mine if one != newest]
        row = climb.newer(older[-1] if older else None, newest)
    elif order == "first":
        row = climb.older(mine[0])
    if row < 0 or (row == newest and mine == [row]):
        return None
    pair = np.array([row, newest])
    lost = 0.0 if slots is None else float(slots.same_slot(texts(pair), columns.vectors[pair])[0, 1]) * (row != newest)
    return Series(places, row, newest, lost if lost >= FLOOR else 0.0)


def put_first(columns: Columns, question: Question, found: Ranked, of: Series, first: int) -> Ranked:
    """The hits with what a series means among their `first`, answering for all of it; as many, or one more."""
    if of.row not in found.rows[:first]:
        found = _with(columns, question, found, of, first)
        first += 1
    at = int(np.flatnonzero(found.rows == of.row)[0])
    every = np.flatnonzero(np.isin(found.rows, [*found.rows[of.places].tolist(), of.row]))
    parts = found.contributions.copy()
    when = parts[every, WHEN]
    parts[found.rows == of.newest, WHEN] = when.min() if of.row != of.newest else when.max()
    parts[at, WHEN] = when.max()
    answers = found.answers
    if answers is not None:
        answers = answers.copy()
        together = float(np.nansum(answers[every]))
        answers[every] = np.where(every == at, together, 0.0)
        parts[every, ANSWER] = question.weights[ANSWER] * answers[every]
    scores = parts.sum(axis=1)
    best = int(np.argmax(scores[:first]))
    if best != at:
        lift = scores[best] - scores[at]
        parts[[at, best], WHEN] += lift, -lift
        scores = parts.sum(axis=1)
    order = np.concatenate([np.lexsort((found.rows[:first], -scores[:first])), np.arange(first, len(scores))])
    told = msgspec.structs.replace(
        found, scores=scores, contributions=parts, answers=answers, plan=f"{found.plan}+order"
    )
    return taken(told, order)


def _with(columns: Columns, question: Question, found: Ranked, of: Series, first: int) -> Ranked:
    """The hits with the one that is meant behind their `first`, once."""
    row = np.array([of.row])
    asked = msgspec.structs.replace(question, passages=found.passages)
    parts = contributions(columns, asked, row, columns.value[row].astype(np.float64) * (1.0 - of.lost))
    left = validity(columns, row, question.now) * (1.0 - of.lost)
    after = np.array([of.newest if of.lost else -1])
    new = {
        "rows": row, "scores": parts.sum(axis=1), "contributions": parts, "valid": left,
        "superseded": np.array([of.lost]), "successor": after, "answers": np.array([np.nan]),
    }  # fmt: skip
    more = taken(found, np.flatnonzero(found.rows != of.row))
    told = {name: getattr(more, name) for name in new}
    return msgspec.structs.replace(
        more,
        **{
            name: part if part is None else np.concatenate([part[:first], new[name], part[first:]])
            for name, part in told.items()
        },
    )


class _Climb(NamedTuple):
    """Ways through a series, from one memory to the next that is far off in time."""

    columns: Columns
    question: Question
    scope: Scope
    texts: Texts
    form: _Form
    anchor: int

    def newer(self, start: int | None, before: int | None) -> int:
        """The newest of the series, of what is older than `before`; `start` where none is newer. -1: there is none."""
        return self._go(start, before, newest=True)

    def older(self, start: int) -> int:
        """The oldest."""
        return self._go(start, None, newest=False)

    def _go(self, start: int | None, before: int | None, *, newest: bool) -> int:
        at = start
        for _ in range(STEPS):
            near = self._near(at, before, newest=newest)
            near = near[self.form.same(near, self.texts(near))] if len(near) else near
            if not len(near):
                break
            near = near[np.lexsort((near, self.columns.when[near]))]
            at = int(near[-1 if newest else 0])
        return -1 if at is None else at

    def _near(self, at: int | None, before: int | None, *, newest: bool) -> Rows:
        """What is most like the anchor, of all that is beyond `at`, ascending."""
        rows, when = self.scope.listed(self.columns), self.columns.when
        left = when[rows] <= self.question.now + SKEW
        left &= self.columns.space[rows] == self.columns.space[self.anchor]
        if at is not None:
            left &= _later(when, rows, at) if newest else ~_later(when, rows, at) & (rows != at)
        if before is not None:
            left &= ~_later(when, rows, before) & (rows != before)
        rows = rows[left]
        if not len(rows):
            return rows
        vector = self.columns.vectors[self.anchor]
        return np.sort(alike(self.columns, self.question, vector, of_rows(self.columns, rows), NEAR))


def _later(when: NDArray[np.float64], rows: Rows, than: int) -> NDArray[np.bool_]:
    """(m,) which rows are of a later time than another, or of the same and written later."""
    return np.asarray((when[rows] > when[than]) | ((when[rows] == when[than]) & (rows > than)))


def _names(said: Statement) -> bool:
    """Whether it has names behind its subject: "our landlord is Mr Petit"."""
    return bool(set(said.ids[said.groups[:, GROUPS.index("name")] > 0].tolist()) - said.parts)


@kept_with
def _words(said: Statement) -> frozenset[int]:
    """The words and names of a text, as identities, without numbers, times and what only orders."""
    told = said.groups[:, _TELLING].sum(axis=1) > 0
    return frozenset(said.ids[told].tolist()) - _PASSING
