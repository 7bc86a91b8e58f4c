"""Two things of a kind, and a thing and what is named after it: "flight LH100" and "flight LH200", "launch" and "launch
party"; who holds a role and how that holder is; what somebody does for a living and whose mother she is.

`told_apart(one, other)` holds where by their first words, or by what they say that something is, both stay true. Each
law depends on the pair alone and looks at it from both sides.

>>> from scrubjay.slots.statements import statement
>>> a, b, c, d = map(statement, (
...     "Flight LH100 is late.", "Flight LH200 is on time.", "The launch is near.", "The launch party is on May 3."))
>>> told_apart(a, b), told_apart(c, d), told_apart(a, a)
(True, True, False)
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import Final, NamedTuple

import numpy as np

from scrubjay.remembered import kept_with
from scrubjay.slots.diets import FOODWAYS
from scrubjay.slots.laws import Law
from scrubjay.slots.seats import contend
from scrubjay.slots.statements import GROUPS, KIN, NEGATIVE, UPDATE, Statement
from scrubjay.slots.tense import PLACES, VERBS
from scrubjay.slots.vocabulary import BE, THE, ids_of, single
from scrubjay.slots.whereabouts import KINDRED

_NUMBER, _NAME, _WORD = (GROUPS.index(name) for name in ("number", "name", "word"))
_LETTERS: Final = ids_of(" ".join(ascii_lowercase))
_VERBS: Final = ids_of(" ".join(VERBS))
_A: Final = ids_of("a an ein eine einen un une una uno um uma")
_PLACES: Final = ids_of(" ".join(PLACES)) | ids_of("away back out off beim bei chez fuera fuori krank")
_EITHER_WAY: Final = frozenset(
    (
        *("until", "since", "as-of", "closed", "open", "failed", "failing", "passed", "offline", "broken", "down"),
        *("quit", "now", "again", "not", "no", "starting"),
    )
)
_CHANGES: Final = ids_of(" ".join((NEGATIVE | UPDATE) - _EITHER_WAY))
_UPSET: Final = ids_of(" ".join((NEGATIVE | UPDATE) - frozenset(("until", "since", "as-of")))) | ids_of("shut off over")
_QUANTITIES: Final = ids_of(
    "price cost costs status deadline age size score rank balance salary budget temperature dose dosage population "
    "limit quota weight rent fee rate port priority phone number code pin password time date total count height speed"
    " level version capacity due start end timeout humidity preis miete temperatur alter größe gehalt prix loyer âge"
    " precio alquiler prezzo affitto preço nummer numéro número numero"
)
"""Kinds of which the number is a value, no name."""
_PREPOSITIONS: Final = ids_of("at um à a las alle by gegen on in until since from to ab bis von")
_UNITS: Final = ids_of(
    "euro euros dollar dollars pounds percent degrees degree kg g km m cm mm hours minutes seconds days weeks months"
    " years grad prozent stunden tage am pm uhr o'clock gb mb tb people january february march april may june july"
    " august september october november december januar februar märz mai juni juli"
)
_ASPECTS: Final = _QUANTITIES | ids_of(
    "day place location room venue address name url link owner lead leader manager host color colour plan"
)
"""Words behind a name that make an attribute of it: "the meeting room"."""
_MOMENTS: Final = ids_of("start end time date due deadline day total count plan location room venue place")
_HAPPENS: Final = ids_of("starts begins ends opens closes happens beginnt endet commence finit empieza termina inizia")
_ROLES: Final = ids_of(
    "lead leader head manager boss owner chef chefin leiter leiterin coach captain ceo cto cfo coo director president"
    " chair chairman supervisor principal treasurer secretary client customer doctor dentist teacher driver editor"
    " directeur directrice patron patronne responsable jefe jefa director directora capo direttore direttrice"
    " maintainer reviewer contact assistant goalkeeper kapitän trainer trainerin entraîneur"
)
_VACANT: Final = ids_of("vacant open unknown nobody none tbd undecided leaving gone unbesetzt frei vacante libre")
_TIMES: Final = ids_of(
    "today tomorrow monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes"
    " january february march april may june july august september october november december"
)
_SORTS: Final = (
    FOODWAYS,
    KINDRED,
    *map(
        ids_of,
        ("smoker raucher raucherin fumeur fumeuse fumador fumadora",),
    ),
)
"""What somebody may be beside anything else."""
_LIKES: Final = ids_of("like likes love loves enjoy enjoys adore adores hate hates mag liebt aime adore odia ama gosta")
_DOES: Final = ids_of(
    "work works live lives study studies arbeitet wohnt lebt studiert travaille habite vit trabaja vive"
)
_JOBS: Final = ids_of("work works arbeitet travaille trabaja lavora trabalha")
_GONE: Final = ids_of(
    "moved relocated umgezogen gezogen déménagé mudó mudado mudada trasferito trasferita mudou mudou-se"
)
_JOINS: Final = ids_of("joined join joins entered founded bought")
_FIRMS: Final = ids_of(
    "company startup start-up firm bank team lab agency practice studio department competitor rival clinic hospital"
    " school university college consultancy publisher bakery brewery airline insurer retailer hotel newspaper charity"
    " foundation ministry institute bureau garage workshop"
)
_POST: Final = ids_of("job company role team position department desk office project stelle firma poste empleo puesto")


class Named(NamedTuple):
    """What `told_apart` reads of a statement."""

    ids: tuple[int, ...]
    """Its words, an article at the beginning apart."""
    verb: int
    """Where a form of "be" or another verb that is known stands, -1 for none."""
    coded: frozenset[int]
    names: frozenset[int]
    words: frozenset[int]
    sort: int
    """The sort of what it says somebody is, 1 for a trade or any other, 0 where it says no such thing."""
    changes: bool
    definite: bool
    """It begins with an article."""


@kept_with
def named(said: Statement) -> Named:
    """What `told_apart` reads of a statement."""
    ids = tuple(said.ids.tolist())
    kinds = said.groups
    definite = bool(ids) and ids[0] in THE
    if definite:
        ids = ids[1:]
    verb = next((i for i, word in enumerate(ids[:6]) if i and word in BE), -1)
    if verb < 0:
        verb = next((i for i, word in enumerate(ids) if i and word in _VERBS), -1)

    def of(kind: int) -> frozenset[int]:
        return frozenset(said.ids[np.asarray(kinds[:, kind]) > 0].tolist())

    return Named(
        ids=ids,
        verb=verb,
        coded=of(_NUMBER) | (_LETTERS & frozenset(ids)),
        names=of(_NAME),
        words=of(_WORD),
        sort=_sort_of(ids, verb),
        changes=not _CHANGES.isdisjoint(ids),
        definite=definite,
    )


def _sort_of(ids: tuple[int, ...], verb: int) -> int:
    if verb < 0 or ids[verb] not in BE or len(ids) < verb + 2:
        return 0
    behind = ids[verb + 1 :]
    article = behind[0] in _A
    what = behind[1:] if article else behind
    if not what or len(what) > 3:
        return 0
    for i, sort in enumerate(_SORTS, 2):
        if not sort.isdisjoint(what):
            return i
    return 1 if article or len(what) == 1 else 0


def _told_apart(one: Statement, other: Statement) -> bool:
    if contend(one.seat, other.seat):
        return False
    if one.seat.key[:1] == other.seat.key[:1] == ("set",):
        return one.seat.key != other.seat.key
    a, b = named(one), named(other)
    if a.ids[:1] != b.ids[:1]:
        return False
    if _two_of_a_kind(a, b):
        return True
    return any(
        _named_after(x, y) or _granted(x, y) or _state(x, y) or _sorts(x, y) or _home(x, y) for x, y in ((a, b), (b, a))
    )


told_apart: Final = Law(_told_apart, single, mutual=True)
"""Both stay true, whichever is the later, by their first words or by the sort of what they say."""


def _two_of_a_kind(a: Named, b: Named) -> bool:
    """The same words up to a number, a code or a letter that is another."""
    at = next((i for i, (x, y) in enumerate(zip(a.ids, b.ids, strict=False)) if x != y), 0)
    if not 1 <= at <= 3 or a.ids[at] not in a.coded or b.ids[at] not in b.coded:
        return False
    if any(one.verb >= 0 and one.verb < at for one in (a, b)) or len(a.ids) <= at + 1 or len(b.ids) <= at + 1:
        return False
    kind = a.ids[:at]
    if kind[-1] in _PREPOSITIONS:
        # "steht um 6:15": no name
        return False
    if not a.words.union(a.names).intersection(kind) or not _QUANTITIES.isdisjoint(kind[:-1]):
        return False
    if kind[-1] in _QUANTITIES and not (a.verb == b.verb == at + 1):
        return False
    return a.ids[at + 1] not in _UNITS and b.ids[at + 1] not in _UNITS


def _named_after(a: Named, b: Named) -> bool:
    """The first words of the longer name go on: "the launch", "the launch party"."""
    n = a.verb
    if not (a.definite and b.definite) or not 1 <= n <= 3 or not n < b.verb <= n + 2 or a.ids[:n] != b.ids[:n]:
        return False
    more = b.ids[n : b.verb]
    if not all(word in b.words for word in more) or not a.names.isdisjoint(a.ids[:n]):
        return False
    if not _ASPECTS.isdisjoint(more):
        # "the session timeout is 15 minutes", "the session starts in 10 minutes"
        return a.ids[n] in _HAPPENS and _MOMENTS.isdisjoint(more)
    return not b.changes and not a.changes


def _granted(a: Named, b: Named) -> bool:
    """The longer begins with the first words of the shorter: "the review on Tuesday will be recorded"."""
    n = a.verb
    if not 1 <= n <= 3 or a.ids[n] not in BE or b.verb < n + 2 or a.ids[:n] != b.ids[:n]:
        return False
    if not _UPSET.isdisjoint(b.ids):
        return False
    taken = b.ids[n : b.verb]
    return taken[0] in _PLACES and a.ids[n + 1 : n + 1 + len(taken)] == taken


def _state(a: Named, b: Named) -> bool:
    """Who it is, and how or where that holder is: "the lead is Ana", "the lead is on vacation"."""
    n = a.verb
    if n < 1 or n != b.verb or a.ids[: n + 1] != b.ids[: n + 1] or a.ids[n] not in BE:
        return False
    who, how = a.ids[n + 1 :], b.ids[n + 1 :]
    if not who or not how or _ROLES.isdisjoint(a.ids[:n]) or not all(word in a.names for word in who):
        return False
    if how[0] in _VACANT or not _TIMES.isdisjoint(who) or how[0] in THE:
        return False
    return how[0] in _PLACES or (how[0] in b.words and how[0] not in _A)


def _sorts(a: Named, b: Named) -> bool:
    """A trade and a kinship, or a diet: one is both."""
    if (
        a.sort
        and b.sort
        and a.sort != b.sort
        and a.ids[: a.verb] == b.ids[: b.verb]
        and not a.changes
        and not b.changes
    ):
        return not KIN.isdisjoint(b.ids) or b.sort > 1
    return False


def _home(a: Named, b: Named) -> bool:
    """Where somebody works, and a home that was moved, what is liked there, or a choir that was joined."""
    if a.verb < 0 or a.ids[a.verb] not in _DOES or a.ids[: a.verb] != b.ids[: a.verb] or len(b.ids) <= a.verb:
        return False
    rest = b.ids[a.verb :]
    if rest[0] in _LIKES:
        return not b.changes
    if rest[0] in _JOINS and a.ids[a.verb] in _JOBS:
        return len(rest) > 2 and rest[1] in _A and _FIRMS.isdisjoint(rest)
    return a.ids[a.verb] in _JOBS and not _GONE.isdisjoint(rest) and _POST.isdisjoint(rest)
