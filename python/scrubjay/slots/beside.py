"""Pairs of statements of which neither ends the other, though they are near: what is told is another thing.

`stands(one, other)` holds where by what they say both stay true:

- a change is denied ("has not moved to room Kestrel", "ist nicht nach Bonn gezogen"): nothing has changed. "No longer",
  "nicht mehr", "ne ... plus" deny the state instead, which is an end of it.
- something else was moved ("Tom moved his car to Bristol"), or the place that was moved to is no home ("moved to the
  window seat"): where Tom lives stays so.
- the longer takes what the shorter says for granted ("the standup in room Heron starts at 9:30").
- it is said of one that others are it too ("n'est pas le seul directeur").
- they begin with two of a kind ("le bureau de Lyon ...", "le bureau de Nantes ...").
- one denies it of one companion or liking, the other says it of another ("no longer works with Cy", "works with Di").
- each says what its subject has, and it is not the same ("has a son named Tim", "has a daughter named Eva").
- one verb is completed by different things ("works at Bosch", "works with Di"; `scrubjay.slots.complements`).
- a change is only considered, wished for or allowed ("may move", "is thinking about leaving": `unsettled`).
- something of the subject's was changed that the other is not about ("raised its fees").
- both name software, but not of one kind (`scrubjay.slots.products`).
- who keeps a diet eats what it allows (`scrubjay.slots.diets`).
- they name two things, or say different sorts of things of one (`scrubjay.slots.designated`).
- they tell of two sides of one thing, or of what was and what is (`scrubjay.slots.sides`).

Each depends on the pair alone and looks at it from both sides.

>>> from scrubjay.slots.statements import statement
>>> home, car, denied, moved = (traits(statement(text)) for text in (
...     "Tom lives in Leeds.", "Tom moved his car to Bonn.", "Tom has not moved to Bonn.", "Tom moved to Bonn."))
>>> stands(home, car), stands(home, denied), stands(home, moved)
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.remembered import kept_with
from scrubjay.slots import products
from scrubjay.slots.attributes import bit
from scrubjay.slots.complements import apart
from scrubjay.slots.designated import told_apart
from scrubjay.slots.diets import keeps
from scrubjay.slots.occasions import Occasion, apart_from_others, aside, occasion
from scrubjay.slots.sides import bygone, sided, two_sides
from scrubjay.slots.statements import GROUPS, KIN, MARKS, NEGATIVE, UPDATE, Statement, identity
from scrubjay.slots.unsettled import unsettled
from scrubjay.slots.vocabulary import content_of, ids_of

_NAMES: Final = [GROUPS.index("name"), GROUPS.index("number")]
_MULTI: Final = GROUPS.index("multi")
_NEGATION: Final = MARKS.index("negation")
_RESIDENCE: Final = bit("residence")
_PLACE: Final = bit("place")


NOT: Final = ids_of(
    "not never nicht nie niemals pas jamais no nunca jamás non não isn't aren't wasn't weren't hasn't haven't"
    " hadn't didn't doesn't don't won't wouldn't couldn't can't cannot"
)
_AROUND: Final = ids_of("nicht nie niemals pas jamais")
"""Those that may follow the verb."""
_NO_MORE: Final = ids_of("longer anymore more mehr plus más ya più")
_BUT: Final = ids_of("but only sondern nur seulement sino sólo bensì")
_ONLY: Final = ids_of("only sole seul seule einzige einziger einzigen único única solo sola unico unica")
_MOVES: Final = ids_of(
    "moved move moving relocated relocate transferred transfer shifted shift"
    " verlegt gezogen umgezogen zog gebracht umgestellt"
    " déménagé déménage déplacé transféré mudado mudó movió trasladado trasladó spostato trasferito trasferita mudou"
    " moveu"
)
_ALTERS: Final = ids_of(
    "raised lowered increased reduced cut changed updated renamed redesigned improved opened launched expanded hired"
    " published released introduced announced repainted renovated cleaned fixed repaired"
    " erhöht gesenkt geändert eröffnet erweitert eingestellt veröffentlicht renoviert repariert"
    " augmenté baissé changé modifié ouvert lancé embauché publié rénové réparé"
    " subido subió bajado bajó cambiado cambió abierto abrió lanzado lanzó publicado publicó contratado contrató"
    " aumentato abbassato cambiato aperto lanciato pubblicato aumentou baixou mudou abriu lançou publicou"
)
"""Words of a change to the subject's own, which follows with an article or is before it."""
_GETS: Final = ids_of("got gets has have hat haben bekommt bekam erhielt reçu tiene recibió ricevuto tem recebeu")
_NEW: Final = ids_of(
    "new neue neuen neues neuer nouveau nouvelle nouvel nuevo nueva nuevas nuovi nuovo nuova novo nova"
)
_OTHERWISE: Final = _MOVES | ids_of(
    "postponed postpone rescheduled reschedule delayed brought pushed extended switched switch migrated migrate changed"
    " change renamed rename upgraded upgrade updated update raised lowered reassigned swapped"
    " verschoben vorgezogen vertagt gewechselt umgestiegen umbenannt geändert erhöht gesenkt zieht"
    " reporté reportée avancé avancée repoussé repoussée déplacée changé passé renommé"
    " aplazado aplazada pospuesto pospuesta cambiado renombrado adelantado rinviato rinviata spostata cambiato adiado"
    " adiada mudada"
)
"""Words of a change to what follows."""
_ENDS: Final = ids_of(
    "sold sell quit leave left leaving cancelled cancel canceled called resigned resign retired retire fired stopped"
    " stop ended finished finish divorced divorce dropped lost lose died replaced replace given gave sacked split"
    " verkauft gekündigt kündigt abgesagt verlassen beendet getrennt geschieden verloren ersetzt abgelöst aufgehört"
    " vendu quitté démissionné annulé annulée terminé divorcé perdu remplacé arrêté"
    " vendido dejado dejó vendió renunciado cancelado cancelada divorciado sustituido reemplazado"
    " venduto lasciato annullato annullata divorziato sostituito vendeu deixou"
)
"""Words of an end."""
_THE: Final = ids_of(
    "the a an his her their our my your its this that these those all some both several every each"
    " der die das den dem ein eine einen sein seine seinen ihr ihre ihren mein meine meinen unser unsere unseren"
    " le la les un une son sa ses leur leurs mon ma mes notre nos el los las una uno su sus mi mis nuestro nuestra"
    " il lo gli i suo sua o os as seu sua"
)
_ARTICLES: Final = _THE - ids_of("i")
_IT: Final = ids_of("it them him everything everyone everybody")
_TO: Final = ids_of("to into onto from zu nach auf in ins an à au aux dans vers en a al hacia da per para no na")
_SELF: Final = ids_of(
    "house home houses flat flats apartment apartments residence family wohnung haus maison appartement logement casa"
    " piso in out away back here there again recently yesterday today now together abroad overseas north south east"
    " west down up over across permanently temporarily finally eventually officially suddenly just last next this"
    " twice once around far closer nearer upstairs downstairs for with because after before since when as at and"
)
"""What follows "moved" where it is the subject that moves."""
_ON: Final = ids_of("on ahead forward past along")
_NO_HOME: Final = ids_of(
    "seat desk row team department group project task topic job position role office room table chair channel queue"
    " repo repository branch screen class course line list stage phase page chapter question item tab folder slide step"
    " shift gate lane corner window meeting ticket round level"
    " schreibtisch büro team abteilung raum platz sitzplatz tisch reihe projekt aufgabe thema zimmer"
    " bureau équipe salle siège service projet tâche sujet place table poste"
    " escritorio oficina equipo sala asiento mesa proyecto tarea scrivania ufficio squadra posto stanza"
)
_HOME: Final = _SELF | ids_of(
    "city town village country countryside coast seaside sea beach suburbs suburb mountains mountain island capital"
    " district neighbourhood neighborhood quarter centre center outskirts farm cottage studio bungalow condo dorm place"
    " hills valley lake bay border region state province area street road block building bigger smaller mansion"
    " houseboat caravan trailer villa palace monastery shelter hostel hotel loft duplex tropics"
)
_KNOWN: Final = ids_of("is are am sits stands lies hangs ist sind liegt steht hängt est sont se es está è sta é fica")
_OF: Final = ids_of("of in at von in aus bei zu de du à d en del di da a do")
_WITH: Final = ids_of("with mit avec con com")
_HAS: Final = ids_of("has have ha hat habe haben a ont ai tiene tengo tien ho tem tenho")
_A: Final = ids_of("a an one another ein eine einen einer un une una uno um uma")
_NAMED: Final = ids_of(
    "named called who that which whose with in on at for from of and to"
    " namens der die das mit in an nommé nommée appelé appelée qui avec dans à de llamado llamada que con de en"
    " chiamato chiamata di"
)
_ONE_OF: Final = tuple(
    map(
        ids_of,
        (
            "boyfriend girlfriend husband wife fiancé fiancée fiance fiancee partner boss mother father",
            "job role position post",
        ),
    )
)
"""Words for what one has one of."""
_TWO_OF: Final = (
    KIN | ids_of("child kid twin cat dog pet horse parrot hund katze chat chien perro gato sohn tochter fils")
) - _ONE_OF[0]
_UPHEAVAL: Final = ids_of(
    " ".join((NEGATIVE | UPDATE) - frozenset(("until", "since", "as-of", "closed", "open", "starting")))
)


class Traits(NamedTuple):
    """What `stands` reads of a statement."""

    said: Statement
    ids: tuple[int, ...]
    content: frozenset[int]
    names: frozenset[int]
    denied: bool
    """It says that a change has not come."""
    ended: bool
    """The same of an end."""
    changes: bool
    """It has a word of change or of an end."""
    moves: bool
    """Something else than its subject was moved."""
    thing: frozenset[int]
    """What was moved or altered, where words tell."""
    altered: bool
    """It was altered."""
    unsettled: bool
    """The change may not come."""
    among: bool
    """Others are what it says its subject is."""
    kinds: frozenset[int]
    """The kinds of the software that it names."""
    elsewhere: bool
    """Its subject has moved, but to no home."""
    past: bool
    """It tells of a time that is over."""
    occasion: Occasion
    has: int
    """What it says that its subject has a single one of, 0 for none."""


@kept_with
def traits(said: Statement) -> Traits:
    """What `stands` reads of a statement."""
    ids = tuple(said.ids.tolist())
    kinds = said.groups
    content = content_of(said)
    names = frozenset(said.ids[kinds[:, _NAMES].sum(axis=1) > 0].tolist())
    words = frozenset(ids)
    at = _denied(ids) if words & NOT else -1
    changes = not words.isdisjoint(_OTHERWISE) or not words.isdisjoint(_ENDS)
    moves, thing, elsewhere = (
        (False, frozenset[int](), False) if words.isdisjoint(_MOVES) else _moved(ids, content, names)
    )
    altered = False
    if not moves and not words.isdisjoint(_ALTERS | _NEW):
        thing = _altered(ids, content)
        altered = bool(thing)
    return Traits(
        said=said,
        ids=ids,
        content=content,
        names=names,
        denied=at >= 0,
        ended=at >= 0 and ids[at] in _ENDS,
        changes=changes,
        moves=moves,
        thing=thing,
        altered=altered,
        unsettled=unsettled(said),
        among=_among_others(ids),
        kinds=products.kinds(said),
        elsewhere=elsewhere,
        past=bygone(said),
        occasion=occasion(said),
        has=_having(ids),
    )


def _denied(ids: tuple[int, ...]) -> int:
    """Where the word of change stands that is denied, -1 for none."""
    if not _NO_MORE.isdisjoint(ids) or not _BUT.isdisjoint(ids):
        return -1
    for at, word in enumerate(ids):
        if not at or word not in NOT:
            continue
        first = at - 2 if word in _AROUND else at
        for i in range(max(1, first), len(ids)):
            if (ids[i] in _OTHERWISE or ids[i] in _ENDS) and i != at:
                return i
    return -1


def _moved(ids: tuple[int, ...], content: frozenset[int], names: frozenset[int]) -> tuple[bool, frozenset[int], bool]:
    at = max(i for i, word in enumerate(ids) if word in _MOVES)
    rest = ids[at + 1 :]
    if not rest:
        # the verb comes last: "hat das Meeting nach Bremen verlegt"
        has = next((i for i, word in enumerate(ids) if i and word in _HAS), at)
        inner = ids[has + 1 : at]
        if inner and inner[0] in _THE:
            return _object(inner, content)
        return False, frozenset(), not _NO_HOME.isdisjoint(ids[1:at])
    if rest[0] in _ON:
        return False, frozenset(), True
    bare = rest[0] in content and rest[0] not in _SELF | _TO and not _TO.isdisjoint(rest[1:])
    if rest[0] in _IT or rest[0] in _THE - _TO - _SELF or bare:
        return _object(rest, content)
    to = next((i for i, word in enumerate(rest) if word in _TO), -1)
    if to < 0:
        return False, frozenset(), False
    where = rest[to + 1 : to + 6]
    if not _NO_HOME.isdisjoint(where):
        return False, frozenset(), True
    plain = bool(where) and where[0] in _ENGLISH_THE and rest[to] == _ENGLISH_TO
    return False, frozenset(), plain and names.isdisjoint(where) and _HOME.isdisjoint(where)


def _altered(ids: tuple[int, ...], content: frozenset[int]) -> frozenset[int]:
    """What the subject has altered: "raised its fees", "hat die Preise erhöht"; nothing where it is not said."""
    at = next((i for i, word in enumerate(ids) if i and word in _ALTERS), 0)
    got = next((i for i in range(1, len(ids) - 2) if ids[i] in _GETS and ids[i + 1] in _A | _NEW), 0)
    if got and not _NEW.isdisjoint(ids[got + 1 : got + 3]):
        # "got a new icon"
        return _object(ids[got + 1 :], content)[1]
    if at and at + 2 <= len(ids) and ids[at + 1] in _THE:
        return _object(ids[at + 1 :], content)[1]
    has = next((i for i, word in enumerate(ids) if i and word in _HAS), 0)
    inner = ids[has + 1 : at]
    return _object(inner, content)[1] if 0 < has < at and at == len(ids) - 1 and inner and inner[0] in _THE else _NONE


_NONE: Final = frozenset[int]()
_ENGLISH_THE: Final = ids_of("the a an his her their our my your")
_ENGLISH_TO: Final = identity("to")


def _object(rest: tuple[int, ...], content: frozenset[int]) -> tuple[bool, frozenset[int], bool]:
    """The thing that the words begin with: up to where it was moved to."""
    end = next((i for i, word in enumerate(rest) if i and word in _TO), len(rest))
    thing = frozenset(rest[:end]) & content
    return thing.isdisjoint(_SELF), thing, False


def _having(ids: tuple[int, ...]) -> int:
    at = next((i for i in range(1, len(ids) - 2) if ids[i] in _HAS and ids[i + 1] in _A), 0)
    if not at:
        return 0
    noun = 0
    for word in ids[at + 2 :]:
        if word in _NAMED:
            break
        noun = word
    return noun


def stands(one: Traits, other: Traits) -> bool:
    """Whether both stay true, whichever of the two is the later, by what they say."""
    return (
        _denies(one, other)
        or _denies(other, one)
        or (one.unsettled != other.unsettled and not (one if other.unsettled else other).changes)
        or _elsewhere(one, other)
        or _elsewhere(other, one)
        or one.among
        or other.among
        or (one.ids[:1] == other.ids[:1] and _begun_alike(one, other))
        or _another(one, other)
        or _another(other, one)
        or _both_had(one, other)
        or aside(one.occasion, other.occasion)
        or apart(one.said.complement, other.said.complement)
        or keeps(one.said, other.said)
        or bool(one.kinds and other.kinds and products.side_by_side(one.said, other.said))
        or told_apart(one.said, other.said)
        or two_sides(one.said, other.said)
    )


class Standing:
    """For which pairs of a list `stands` may hold: it tells of every other that it does not, and of many at a time."""

    def __init__(self, some: Sequence[Traits], ids: NDArray[np.int64]) -> None:
        """`ids` (m, w): those of each, -1 behind its end."""
        self._ids = ids
        self._known = np.isin(ids, np.fromiter(_KNOWN, np.int64))
        self._alone = np.array([_stands_alone(t) for t in some], bool)
        self._negates = np.array([bool(t.said.marks[_NEGATION]) for t in some], bool)
        self._past = np.array([t.past for t in some], bool)
        self._has = np.array([t.has != 0 for t in some], bool)
        self._aside = np.array([apart_from_others(t.occasion) for t in some], bool)
        self._named = np.array([bool(t.kinds) for t in some], bool)
        self._verb = np.array([t.said.complement.verb for t in some], np.int64)
        firsts = {word: i for i, word in enumerate({_first(t): 0 for t in some})}
        self._unsettled = np.array([t.unsettled for t in some], bool)
        self._changes = np.array([t.changes for t in some], bool)
        self._first = np.array([firsts[_first(t)] for t in some], np.int64)

    def possible(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(pairs,): False where `stands` is."""
        found: NDArray[np.bool_] = self._alone[left] | self._alone[right]
        found |= self._negates[left] != self._negates[right]
        found |= self._past[left] | self._past[right] | (self._has[left] & self._has[right])
        found |= (self._verb[left] == self._verb[right]) & (self._verb[left] != 0)
        found |= (self._unsettled[left] & ~self._changes[right]) | (self._unsettled[right] & ~self._changes[left])
        found |= (self._named[left] & self._named[right]) | self._aside[left] | self._aside[right]
        found |= self._first[left] == self._first[right]
        rest = np.flatnonzero(~found)
        one, other = left[rest], right[rest]
        apart = self._ids[one] != self._ids[other]
        at = apart.argmax(axis=1)
        # `_granted`: they part at a verb; `_two_of_a_kind`: at the fourth word
        begun = (at > 0) & (self._known[one, at] | self._known[other, at] | (at == 3))
        found[rest] = begun
        return found


def _stands_alone(one: Traits) -> bool:
    """Whether what it says may stand beside any other."""
    return one.denied or one.moves or one.elsewhere or one.among or sided(one.said)


def _first(one: Traits) -> int:
    """Its first word, but for an article."""
    return next((word for word in one.ids[:2] if word not in _ARTICLES), -1)


def _denies(one: Traits, other: Traits) -> bool:
    if not one.denied or other.denied or other.changes or other.said.marks[_NEGATION]:
        return False
    # "has not moved to B" contradicts "is in B"
    new = one.content - one.said.parts - other.said.parts - _OTHERWISE - _ENDS - NOT
    return one.ended or not new or not new <= other.content


def _elsewhere(one: Traits, other: Traits) -> bool:
    """Something else, or to another sort of place, was moved than what the other is about."""
    if one.altered and (one.said.beyond & other.said.beyond or _first(one) != _first(other)):
        return False
    if one.moves or one.altered:
        begin = bool(one.said.parts & other.said.parts) or one.ids[:1] == other.ids[:1]
        return begin and one.thing.isdisjoint(other.content)
    return one.elsewhere and bool(other.said.about & _RESIDENCE) and not other.said.about & _PLACE


def _begun_alike(one: Traits, other: Traits) -> bool:
    return _granted(one, other) or _granted(other, one) or _two_of_a_kind(one, other)


def _granted(short: Traits, longer: Traits) -> bool:
    """The longer begins with all that the shorter says, but for its verb: "the standup in room Heron"."""
    old, new = short.ids, longer.ids
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    n = len(old) - 1
    if not at or old[at] not in _KNOWN or at == n or len(new) <= n or old[at + 1 :] != new[at:n]:
        return False
    return not longer.changes and _UPHEAVAL.isdisjoint(new[n:])


def _two_of_a_kind(one: Traits, other: Traits) -> bool:
    """The first three words are the same, the fourth are two names, and the fifth is again the same."""
    a, b = one.ids, other.ids
    if len(a) < 6 or len(b) < 6 or a[:3] != b[:3] or a[3] == b[3] or a[4] != b[4]:
        return False
    return a[0] in _THE and a[2] in _OF and a[1] in one.content and a[3] in one.names and b[3] in other.names


def _among_others(ids: tuple[int, ...]) -> bool:
    """ "Not the only", with no more than an article between."""
    if _ONLY.isdisjoint(ids):
        return False
    return any(word in _ONLY and not NOT.isdisjoint(ids[max(0, i - 2) : i]) for i, word in enumerate(ids))


def _another(one: Traits, other: Traits) -> bool:
    """One is denied of somebody, the other said of somebody else."""
    if not one.said.marks[_NEGATION] or other.said.marks[_NEGATION] or not one.said.parts:
        return False
    if one.said.parts != other.said.parts:
        return False
    whom, who = _companion(one.ids), _companion(other.ids)
    if whom and who:
        return whom != who
    mine, others = one.names - one.said.parts, other.names - other.said.parts
    both_many = all(side.said.groups[:, _MULTI].any() for side in (one, other))
    return bool(mine and others and not mine & others and both_many)


def _companion(ids: tuple[int, ...]) -> int:
    """The word behind "with"."""
    at = next((i for i in range(1, len(ids) - 1) if ids[i] in _WITH), 0)
    return ids[at + 1] if at else 0


def _both_had(one: Traits, other: Traits) -> bool:
    if not one.has or not other.has or one.said.parts != other.said.parts:
        return False
    if one.said.marks[_NEGATION] or other.said.marks[_NEGATION]:
        return False
    if one.has == other.has:
        mine, others = one.names - other.content, other.names - one.content
        return one.has in _TWO_OF and bool(mine and others)
    return not any(one.has in group and other.has in group for group in _ONE_OF)
