"""What somebody does at different times of a day, or on different days: who gets up at 6:15 goes to bed at 22:30.

Two statements of one subject and a time of day stand beside each other where their doings are known as different, or
have no word in common. That something begins, opens or leaves at a time may be said in other words of one doing
("starts", "kicks off"), so that there only known ones count.

>>> from scrubjay.slots.statements import statement
>>> up, bed, later = map(statement, ("Ana gets up at 6:15.", "Ana goes to bed at 22:30.", "Ana wakes up at 7."))
>>> at_other_times(up, bed), at_other_times(up, later)
(True, False)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import BE, MARK, NOW, THE, content_of, ids_of, single

_DOINGS: Final = tuple(
    map(
        ids_of,
        (
            "start starts begin begins kick kicks happens meets occurs place run runs gathers open opens"
            " leave leaves depart departs sets"
            " beginnt fängt startet öffnet fährt commence débute ouvre part empieza comienza abre sale inizia comincia"
            " apre parte",
            "end ends finish finishes stops close closes shuts arrives lands reaches endet schließt kommt finit termine"
            " ferme arrive termina acaba cierra llega finisce chiude arriva",
            "up wakes wake rises steht aufsteht lève réveille levanta despierta alza sveglia",
            "bed sleep asleep bett schläft couche lit acuesta cama letto",
            "breakfast frühstückt frühstück déjeuner desayuna desayuno colazione",
            "lunch lunches mittag mittagessen déjeune almuerza almuerzo pranza pranzo",
            "dinner dines supper abendessen dîne dîner cena",
            "delivers liefert livre entrega consegna",
        ),
    )
)
"""Words of one doing, a line each; what begins and what ends may be things."""
_LINE: Final = {word: line for line, words in enumerate(_DOINGS) for word in words}
_THINGS: Final = 2
"""Lines of what things do as well: of these another word may say the same."""
_LIGHT: Final = ids_of(
    "get gets go goes has have take takes make makes does do hat macht geht fait va prend hace toma tiene fa ha se si"
)
_UP: Final = ids_of("up")
_HOME: Final = ids_of("home house haus maison casa work office school")
_AT: Final = ids_of("at by around um gegen kurz à a alle las vers")
_NOON: Final = ids_of("noon midnight midday mittag mitternacht midi minuit mediodía medianoche mezzogiorno mezzanotte")
_ON: Final = ids_of("on am le")
_DAYS: Final = ids_of(
    "monday tuesday wednesday thursday friday saturday sunday weekend montag dienstag mittwoch donnerstag freitag "
    "samstag sonntag wochenende lundi mardi mercredi jeudi vendredi samedi dimanche"
)
_CLOCK: Final = ids_of("am pm o'clock uhr h heures horas ore on every each sharp in auf ins")
_NUMBER: Final = GROUPS.index("number")
_TITLES: Final = ids_of("dr mr mrs ms prof herr frau señor señora signor signora madame nurse judge")
_LONGEST: Final = 14


class Routine(NamedTuple):
    """What is done at a time of day or on a day; `at` 0 for nothing."""

    at: int = 0
    """Where the time stands,"""
    doing: int = -1
    """the line of what is done, -1 where none is known,"""
    words: frozenset[int] = frozenset()
    """and the words for it, if it is said by a verb."""


NONE: Final = Routine()


@kept_with
def routine_of(said: Statement) -> Routine:
    """What a statement says is done at a time of day or on a day."""
    ids = said.ids.tolist()
    if not 4 <= len(ids) <= _LONGEST or said.past or not single(said) or said.marks[MARK["negation"]]:
        return NONE
    at = next((i for i in range(2, len(ids)) if _clock(said, ids, i)), 0)
    if not at:
        return NONE
    start = 2 if ids[0] in THE else 1
    # "gets up", "picks up the kids"
    first = next((i for i in range(start, len(ids)) if ids[i] in _LINE and _rises(ids, i)), 0)
    doing = _LINE[ids[first]] if first else -1
    words = frozenset(ids[start:at]) & content_of(said) - _LIGHT - NOW
    if not doing and not _HOME.isdisjoint(ids[first + 1 : first + 2]):
        # "leaves home": no thing does
        doing = -1
    elif not BE.isdisjoint(ids[start:at]) or ids[start] in _AT or ids[0] in THE:
        words = frozenset()
    # "leaves home", "gets home": two doings
    return Routine(at, doing, words - _HOME or words)


def _rises(ids: list[int], at: int) -> bool:
    return ids[at] not in _UP or ids[at - 1] in _LIGHT


def _clock(said: Statement, ids: list[int], at: int) -> bool:
    if ids[at - 1] in _ON and ids[at] in _DAYS:
        return True
    if ids[at - 1] not in _AT:
        return False
    if ids[at] in _NOON:
        return True
    behind = ids[at + 1 : at + 2]
    unit = bool(behind) and behind[0] in content_of(said) and behind[0] not in _CLOCK
    return bool(said.groups[at, _NUMBER]) and not unit


def _at_other_times(one: Statement, other: Statement) -> bool:
    mine, others = routine_of(one), routine_of(other)
    if one.ids[0] != other.ids[0] or (int(one.ids[0]) in THE and one.ids[1] != other.ids[1]):
        return False
    if one.ids[mine.at] == other.ids[others.at]:
        return False
    if mine.doing >= 0 and others.doing >= 0:
        return mine.doing != others.doing
    if 0 <= max(mine.doing, others.doing) < _THINGS or one.marks[MARK["update"]] or other.marks[MARK["update"]]:
        return False
    # "Dr. Iyer": who it is is no doing
    who = frozenset(one.ids[1:2].tolist() if int(one.ids[0]) in _TITLES else ())
    told = all(some.words - who or some.doing >= 0 for some in (mine, others))
    return told and not mine.words & others.words - who


at_other_times: Final = Law(_at_other_times, lambda said: routine_of(said).at > 0, words=_AT | _ON, mutual=True)
"""Both say what the same one does, at one time and at another, and not the same."""
