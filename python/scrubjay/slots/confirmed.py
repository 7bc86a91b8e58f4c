"""The same said again with since when it is so, or how it came: "lives in Leeds", "moved to Leeds in 2016". Both hold.

Two statements that begin alike and name the same value may differ by words of one doing ("works at", "joined"), by a
year or a time since when, and by nothing else: any other word may make another statement of it.

>>> from scrubjay.slots.statements import statement
>>> lives, came, left = map(statement, ("Tom lives in Leeds.", "Tom moved to Leeds in 2016.", "Tom moved from Leeds."))
>>> confirmed(lives, came), confirmed(lives, left)
(True, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.sides import YEARS
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import BE, NOW, THE, content_of, ids_of, single

_DOINGS: Final = tuple(
    map(
        ids_of,
        (
            "live lives lived living resides resided moved relocated settled wohnt wohne gewohnt lebt gelebt gezogen"
            " umgezogen zog habite habité vit vécu déménagé installé installée vive vivido vivió mudó mudado mudada"
            " abita abitato vissuto trasferito trasferita mora mudou mudou-se",
            "work works worked working joined started employed hired arbeitet gearbeitet angefangen beschäftigt"
            " travaille travaillé rejoint embauché embauchée trabaja trabajado entró lavora lavorato trabalha",
            "is are am was been be lies sits stands moved relocated transferred ist sind bin gewesen verlegt est été"
            " es está sido estado è stato stata",
            "study studies studied studying enrolled started studiert étudie étudié estudia estudiado studia studiato",
            "married wed got",
            "drives drive driven bought got fährt gefahren",
            "member joined belongs",
            "has have had got habe hat gehabt",
            "run runs running", "take takes taken", "go goes gone", "speak speaks spoken", "sing sings sung",
            "teach teaches taught", "lead leads led", "hold holds held", "own owns owned", "wear wears worn",
            "eat eats eaten", "use uses used", "play plays played", "keep keeps kept",
        ),
    )
)  # fmt: skip
"""Words of one doing, of what came to it and of what has been so since, a line each."""
_MONTHS: Final = ids_of(
    "january february march april may june july august september october november december januar februar märz mai juni"
    " juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero"
    " febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio"
    " giugno luglio settembre ottobre dicembre"
)
_SINCE: Final = ids_of("since seit depuis desde dal dallo")
_UNITS: Final = ids_of("year years month months jahr jahre jahren monat monaten an ans mois año años meses anni mesi")
_TIMES: Final = YEARS | _MONTHS | _SINCE | _UNITS
_SMALL: Final = (
    BE
    | THE
    | NOW
    | ids_of(
        "has have had been to at in for with of on by still currently already just recently back over about"
        " almost a an hat haben zu bei im am nach schon noch wieder a ont en à au chez dans se ha han si"
    )
)
"""What may stand in one of the two alone and says nothing else of it."""
_BEGUN: Final = (
    _TIMES
    | NOW
    | ids_of(
        "moved relocated settled joined started hired bought married enrolled been had gezogen umgezogen déménagé"
        " rejoint mudó mudado mudada trasferito trasferita mudou mudou-se"
    )
)
_ALL: Final = frozenset().union(*_DOINGS)
_NUMBER: Final = GROUPS.index("number")


@kept_with
def _doings(said: Statement) -> int:
    """The doings that it has words of, as bits."""
    return sum((not words.isdisjoint(said.ids.tolist())) << i for i, words in enumerate(_DOINGS))


@kept_with
def _spans(said: Statement) -> frozenset[int]:
    """The numbers of years or months that it names: "for 5 years"."""
    ids = said.ids.tolist()
    return frozenset(ids[i] for i in range(len(ids) - 1) if said.groups[i, _NUMBER] and ids[i + 1] in _UNITS)


def _confirmed(one: Statement, other: Statement) -> bool:
    """The second says no more than the first but since when, or how it came."""
    if one.ids[0] != other.ids[0]:
        return False
    mine, others = frozenset(one.ids.tolist()), frozenset(other.ids.tolist())
    shared = _doings(one) & _doings(other)
    doing = frozenset().union(*(words for i, words in enumerate(_DOINGS) if shared >> i & 1))
    if not mine - others <= doing | _SMALL or not others - mine <= doing | _SMALL | _TIMES | _spans(other):
        return False
    value = content_of(one) & content_of(other)
    return bool(value - one.parts - _ALL - _TIMES - {int(one.ids[0])})


def _plain(said: Statement) -> bool:
    return said.ids.size > 2 and single(said) and not said.past


confirmed: Final = Law(_confirmed, _plain, other=lambda s: _plain(s) and not _BEGUN.isdisjoint(s.ids.tolist()))
"""The second, whichever is the later, says the same of the same, and since when or how it came."""
