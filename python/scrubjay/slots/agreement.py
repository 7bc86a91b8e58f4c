"""Whether two statements agree in more than their subject: the bar for taking a memory's place for good.

`SlotModel` answers with a probability, and words of change ("no longer", "now") raise it for every statement about the
same subject. That is right for ranking, which forgets its answer; what is superseded stays so. Here words decide:

- the same frame with another number ("has two children", "has three children") agrees;
- what says itself that the other is over or at another time (`scrubjay.slots.changes`) agrees with it;
- what says that the other's state is over (`scrubjay.slots.endings`) agrees with it,
  but for a plan that is called off, which may be taken up again;
- who fills what one alone can fill, after somebody who is named, agrees with who filled it, and so does another version
  of a product, and what is done no longer with what says that it is done;
- two that say no more of a subject than on and off, or than two states of a row (`scrubjay.slots.states`), agree;
- what is denied agrees with what says it: "no longer in B12" needs a statement that names B12;
- else both must name the same attribute, by a word beyond the subject ("led by", "room"), a day, a time or a code of
  the same shape, or in the subject itself ("the price of"); an attribute of many values ("likes", "is allergic to")
  does not.

In doubt they do not agree.

>>> agree("Maya no longer works at Google.", "Maya works at Google.", 0.97)
True
>>> agree("Maya no longer works at Google.", "Maya is married to Tom.", 0.88)
False
>>> agree("Maya is allergic to shellfish.", "Maya is allergic to peanuts.", 0.82)
False
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrubjay.slots.changes import replaces, tells
from scrubjay.slots.endings import ends
from scrubjay.slots.mandates import another_mandate
from scrubjay.slots.parties import another_party
from scrubjay.slots.parts import by_clause
from scrubjay.slots.plans import planned
from scrubjay.slots.seats import contend
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import GROUPS, Statement, identity, statement, told_of
from scrubjay.slots.states import other_state
from scrubjay.slots.subjects import same_subject
from scrubjay.slots.vocabulary import MARK, ids_of, single

LEAST: Final = 0.7
"""Least probability of the same slot (chosen)."""
LEAST_FRAME: Final = 0.5
"""The same where only a number differs (chosen)."""
LEAST_UNPARSED: Final = 0.9
"""The same where neither text has a verb that is known (chosen)."""

_GROUP: Final = {name: i for i, name in enumerate(GROUPS)}


_COUNTS: Final = ids_of("one two three four five six seven eight nine ten eleven twelve twenty dozen both no")
_DAYS: Final = ids_of(
    "monday tuesday wednesday thursday friday saturday sunday "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays"
)
_WEAK: Final = ids_of(
    "run runs running use uses used take takes get gets need needs want wants keep keeps hold holds go goes come comes "
    "make makes give gives new time day again place still prefer prefers prefer like likes"
)
"""Words that many attributes share."""
_CONTRAST: Final = ids_of("but instead rather")
_PREPOSITIONS: Final = ids_of("with at in on for by from as under near about against")
_ATTRIBUTES: Final = ids_of(
    "price cost status address phone number password deadline color colour weight age size score rank balance salary "
    "budget title role email timezone limit quota priority temperature dose dosage population capital "
    " champion favorite favourite username url port birthday version name nickname rent fee rate"
)
"""Nouns that a subject names its attribute with."""
_OFFICES: Final = ids_of(
    "captain ceo cto cfo president champion manager boss owner supervisor director head chair chairman doctor dentist"
)
"""The same for persons: of them more can be said than who it is."""
_BEING: Final = ids_of("is are am")
_ONE: Final = (("version",), ("status",))
"""Seats whose holders take no turns."""
_TURNED: Final = ids_of("turned switched set on off up down")
_ANYMORE: Final = identity("anymore")
_OF: Final = identity("of")


class _Said:
    """The tokens of a statement by what they are."""

    def __init__(self, said: Statement) -> None:
        self.ids = said.ids
        self.marks = said.marks
        self.shape = said.shape
        kind = {name: said.groups[:, _GROUP[name]] > 0 for name in GROUPS}
        parsed = bool(said.marks[MARK["verb"]])
        head = kind["head_word"] | kind["head_name"] | kind["head_number"]
        content = kind["word"] | kind["name"] | kind["number"]
        self.parsed = parsed
        if not parsed:
            # without a verb the subject is the first content word and the names that follow it
            first = next(iter(np.flatnonzero(content)), len(said.ids))
            head = np.zeros(len(said.ids), bool)
            for at in range(first, len(said.ids)):
                if at != first and not kind["name"][at]:
                    break
                head[at] = True
        self.head = frozenset(said.ids[head].tolist())
        self.beyond = frozenset(said.ids[content & ~head].tolist())
        self.words = frozenset(said.ids[kind["word"] & ~head].tolist())
        self.names = frozenset(said.ids[kind["name"] & ~head].tolist())
        self.numbers = frozenset(said.ids[kind["number"] & ~head].tolist()) | (self.beyond & _COUNTS)
        self.multi = frozenset(said.ids[kind["multi"]].tolist())
        self.whole = frozenset(said.ids.tolist())
        denials = int(said.marks[MARK["negation"]])
        # "not .. anymore" denies once
        self.negated = bool((denials - (denials > 1 and _ANYMORE in self.whole)) % 2)
        self.kind = "number" if self.numbers else "name" if self.names else "word"

    def of_what(self) -> frozenset[int]:
        """The words behind the first "of" that follows the subject."""
        at = np.flatnonzero(self.ids == _OF)
        last = np.flatnonzero(np.isin(self.ids, list(self.head)))
        at = at[at > (last[0] if last.size else -1)]
        return frozenset(self.ids[at[0] + 1 :].tolist()) & self.beyond if at.size and self.beyond else frozenset()

    def after(self, word: int) -> int:
        """The preposition that follows the word, 0 for none."""
        at = int(np.argmax(self.ids == word)) + 1
        following = int(self.ids[at]) if at < len(self.ids) else 0
        return following if following in _PREPOSITIONS else 0


def _related(one: int, other: int) -> bool:
    """The same preposition, or none: "works at" and "works with" are two attributes."""
    return one == other or 0 in (one, other)


def agree(evidence: str, memory: str, probability: float) -> bool:
    """Whether the evidence may take the memory's place for good.

    Args:
        evidence, memory: two texts.
        probability: that they state the same subject and attribute, in [0, 1] (`SlotModel.same_slot`).
    """
    if not probability >= LEAST_FRAME:
        return False
    pair = statement(evidence), statement(memory)
    if planned(evidence) or not all(map(single, pair)):
        # what is to come has replaced nothing yet; of a longer text a part would be lost that nothing has replaced
        return False
    if pair[1].clauses and not pair[0].clauses:
        # of two clauses one would be lost that nothing has replaced
        return False
    if not pair[1].clauses and by_clause(pair[1], pair[0]):
        return True
    if stands(*pair):
        return False
    if ends(pair[1], pair[0], for_good=True):
        return True
    if (tells(pair[0]) and replaces(*pair)) or other_state(*pair) or _filled(*pair) or _stopped(*pair):
        return True
    if another_mandate(*pair) or another_party(*pair):
        return True
    new, old = _Said(pair[0]), _Said(pair[1])
    if new.parsed and old.parsed and new.head != old.head:
        return False
    if _same_frame(new, old) or _other_pole(new, old):
        return True
    if probability < (LEAST if new.parsed or old.parsed else LEAST_UNPARSED):
        return False
    subject = new.head | old.head
    left, right = new.beyond - subject, old.beyond - subject
    if new.negated and not new.whole & _CONTRAST:
        return bool(left) and left <= right
    if new.negated != old.negated and not new.negated:
        return bool(left & right) and (left <= right or right <= left)
    if old.marks[MARK["event"]] and not old.marks[MARK["update"]] and not old.whole & _BEING:
        # what has happened stays so
        return False
    return _same_attribute(new, old, subject)


def _filled(new: Statement, old: Statement) -> bool:
    """The newer says who fills after the older's holder, whom it names, what one alone can fill; or which version of a
    product is live or which state a task is in. Of a duty without that the holders may take turns."""
    if old.seat.ousted or old.seat.out or not contend(new.seat, old.seat):
        return False
    named = {told_of(word) for name in old.seat.holder for word in name.split()} & set(new.ids.tolist())
    return bool(named) or new.seat.key[:1] in _ONE


def _stopped(new: Statement, old: Statement) -> bool:
    """The newer says that the older's subject does no longer what the older says: "raucht nicht mehr"."""
    one, other = new.complement, old.complement
    return one.verb == other.verb != 0 and one.ended and not other.ended and same_subject(new, old)


def _other_pole(new: _Said, old: _Said) -> bool:
    """Each says no more of one subject than on or off, up or down, and not the same."""
    said = (new.beyond | old.beyond) - _TURNED
    return bool(new.head) and new.head == old.head and not said and new.negated != old.negated


def _same_frame(new: _Said, old: _Said) -> bool:
    """Word for word the same but for one number, which is no part of the subject; and no telling of an event."""
    if len(new.ids) != len(old.ids) or new.marks[MARK["event"]] or old.marks[MARK["event"]]:
        return False
    apart = np.flatnonzero(new.ids != old.ids)
    if len(apart) != 1:
        return False
    return int(new.ids[apart[0]]) in new.numbers and int(old.ids[apart[0]]) in old.numbers


def _same_whole(new: _Said, old: _Said) -> bool:
    """False where both say of what something is a part or a role, and not of the same: "the owner of the billing
    service", "the owner of the search service" are held side by side."""
    one, other = new.of_what(), old.of_what()
    return not one or not other or one == other


def _same_attribute(new: _Said, old: _Said, subject: frozenset[int]) -> bool:
    shared = {
        word for word in (new.words & old.words) - subject - _COUNTS if _related(new.after(word), old.after(word))
    }
    if shared & (new.multi | old.multi) or not _same_whole(new, old):
        return False
    if shared - _WEAK:
        return True
    if new.whole & _DAYS and old.whole & _DAYS:
        return True
    numbered = bool(new.numbers and old.numbers and new.numbers != old.numbers and new.shape == old.shape)
    if numbered and (new.names & old.names or new.shape not in _PLAIN):
        return True
    noun = new.head & old.head
    if new.whole & _PREPOSITIONS != old.whole & _PREPOSITIONS or new.kind != old.kind:
        return False
    return bool(noun & _ATTRIBUTES or (noun & _OFFICES and new.kind == "name"))


_PLAIN: Final = frozenset(statement(f"It is {number}").shape for number in ("9", "9.9", "9,9"))
"""Shapes of numbers that say nothing of what they measure."""
