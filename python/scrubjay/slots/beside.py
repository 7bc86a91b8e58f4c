"""Pairs of statements of which neither ends the other, though they are near: what is told is another thing.

`BESIDE` are laws of words of change and of whom or what is told; `scrubjay.slots.standing` has all that there are. One
holds where by what they say both stay true:

- a change is denied ("has not moved to room Kestrel", "ist nicht nach Bonn gezogen"): nothing has changed. "No longer",
  "nicht mehr", "ne ... plus" deny the state instead, which is an end of it.
- something else was moved ("Tom moved his car to Bristol"), or the place that was moved to is no home ("moved to the
  window seat"): where Tom lives stays so.
- the longer takes what the shorter says for granted ("the standup in room Heron starts at 9:30").
- it is said of one that others are it too ("n'est pas le seul directeur").
- they begin with two of a kind ("le bureau de Lyon ...", "le bureau de Nantes ...").
- one denies it of one companion or liking, the other says it of another ("no longer works with Cy", "works with Di").
- one says what somebody has, the other what somebody else has or what is his.
- each says what its subject has, and it is not the same ("has a son named Tim", "has a daughter named Eva").
- one verb is completed by different things ("works at Bosch", "works with Di"; `scrubjay.slots.complements`).
- one says that somebody has left a home or a job, the other what he likes there, or what was ("likes Ghent's canals").
- a change is only considered, wished for or allowed ("may move", "is thinking about leaving": `unsettled`).
- something of the subject's was changed that the other is not about ("raised its fees").

Each depends on the pair alone and looks at it from both sides.

>>> from scrubjay.slots.statements import statement
>>> home, car, denied, moved = map(statement, (
...     "Tom lives in Leeds.", "Tom moved his car to Bonn.", "Tom has not moved to Bonn.", "Tom moved to Bonn."))
>>> either = lambda a, b: any(law(a, b) or law(b, a) for law in BESIDE)
>>> either(home, car), either(home, denied), either(home, moved)
(True, True, False)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.attributes import bit
from scrubjay.slots.complements import apart
from scrubjay.slots.laws import Law, always
from scrubjay.slots.statements import GROUPS, KIN, MARKS, NEGATIVE, UPDATE, Statement, identity
from scrubjay.slots.unsettled import unsettled
from scrubjay.slots.vocabulary import content_of, ids_of

_NAMES: Final = [GROUPS.index("name"), GROUPS.index("number")]
_MULTI: Final = GROUPS.index("multi")
_NEGATION: Final = MARKS.index("negation")
_UPDATED: Final = MARKS.index("update")
_FOND: Final = ids_of("likes like loves love enjoys enjoy mag liebt aime adore ama gosta")
_LEFT: Final = ids_of("left quit")
_WISHES: Final = ids_of("wants want needs need will möchte braucht veut voudrait quiere necesita vuole quer precisa")
_RESIDENCE: Final = bit("residence")
_PLACE: Final = bit("place")
_STAYS: Final = _RESIDENCE | bit("employment")
"""Living and working somewhere: what is over for who has left there."""


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
_ONE: Final = ids_of("a an no new two three ein eine einen un une una uno um uma zwei deux dos due")
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
_FIRMS: Final = ids_of(
    "google apple amazon microsoft meta facebook netflix spotify tesla ibm intel nvidia oracle sap siemens bosch adobe"
    " uber airbnb stripe shopify salesforce openai samsung sony bmw volkswagen audi daimler porsche bayer basf allianz"
    " ubs roche novartis abb airbus boeing deloitte kpmg pwc mckinsey accenture zalando klarna revolut ikea renault"
    " michelin danone axa telefónica santander fiat inc ltd gmbh ag llc corp labs bank consulting solutions systems"
    " software studios agency ministry startup company firm"
)
"""Employers that are well known, and words in names of employers."""
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
    KIN
    | ids_of(
        "appointment meeting interview call lunch dinner termin rendez-vous cita"
        " child kid twin cat dog pet horse parrot hund katze chat chien perro gato sohn tochter fils"
    )
) - _ONE_OF[0]
_UPHEAVAL: Final = ids_of(
    " ".join((NEGATIVE | UPDATE) - frozenset(("until", "since", "as-of", "closed", "open", "starting")))
)


class Traits(NamedTuple):
    """What the laws read of a statement."""

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
    elsewhere: bool
    """Its subject has moved, but to no home."""
    has: int
    """What it says that its subject has a single one of, 0 for none."""


@kept_with
def traits(said: Statement) -> Traits:
    """What the laws read of a statement."""
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
        elsewhere=elsewhere,
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
    if not (_NO_HOME | _FIRMS).isdisjoint(where):
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


def _first(one: Statement) -> int:
    """Its first word, but for an article."""
    return next((word for word in one.ids[:2].tolist() if word not in _ARTICLES), -1)


def _negates(one: Statement) -> bool:
    return bool(one.marks[_NEGATION])


def _keeps_on(one: Statement) -> bool:
    """It tells of no change."""
    return not traits(one).unsettled and not traits(one).changes


def _states(one: Statement) -> bool:
    """It tells of no change, denies none and nothing else."""
    return not (traits(one).denied or traits(one).changes or _negates(one))


def _not_so(one: Statement, other: Statement) -> bool:
    # "has not moved to B" contradicts "is in B"
    mine = traits(one)
    new = mine.content - one.parts - other.parts - _OTHERWISE - _ENDS - NOT
    return mine.ended or not new or not new <= content_of(other)


def _elsewhere(one: Statement, other: Statement) -> bool:
    """Something else, or to another sort of place, was moved than what the other is about."""
    mine = traits(one)
    if mine.altered and (one.beyond & other.beyond or _first(one) != _first(other)):
        return False
    if mine.moves or mine.altered:
        begin = bool(one.parts & other.parts) or one.ids[:1].tolist() == other.ids[:1].tolist()
        return begin and mine.thing.isdisjoint(content_of(other))
    return bool(other.about & _RESIDENCE) and not other.about & _PLACE


def _granted(short: Statement, longer: Statement) -> bool:
    """The longer begins with all that the shorter says, but for its verb: "the standup in room Heron"."""
    old, new = traits(short).ids, traits(longer).ids
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    n = len(old) - 1
    if not at or old[at] not in _KNOWN or at == n or len(new) <= n or old[at + 1 :] != new[at:n]:
        return False
    return _UPHEAVAL.isdisjoint(new[n:])


def _of_two(one: Statement) -> bool:
    """It may be of one of two of a kind: "the office of Lyon is ..."."""
    ids = traits(one).ids
    if len(ids) < 6 or ids[0] not in _THE or ids[2] not in _OF:
        return False
    return ids[1] in content_of(one) and ids[3] in traits(one).names


def _two_of_a_kind(one: Statement, other: Statement) -> bool:
    """The first three words are the same, the fourth are two names, and the fifth is again the same."""
    a, b = traits(one).ids, traits(other).ids
    return a[:3] == b[:3] and a[3] != b[3] and a[4] == b[4]


def _among_others(ids: tuple[int, ...]) -> bool:
    """ "Not the only", with no more than an article between."""
    if _ONLY.isdisjoint(ids):
        return False
    return any(word in _ONLY and not NOT.isdisjoint(ids[max(0, i - 2) : i]) for i, word in enumerate(ids))


def _another(one: Statement, other: Statement) -> bool:
    """One is denied of somebody, the other said of somebody else."""
    if one.parts != other.parts:
        return False
    whom, who = _companion(traits(one).ids), _companion(traits(other).ids)
    if whom and who:
        return whom != who
    mine, others = traits(one).names - one.parts, traits(other).names - other.parts
    both_many = all(side.groups[:, _MULTI].any() for side in (one, other))
    return bool(mine and others and not mine & others and both_many)


def _companion(ids: tuple[int, ...]) -> int:
    """The word behind "with"."""
    at = next((i for i in range(1, len(ids) - 1) if ids[i] in _WITH), 0)
    return ids[at + 1] if at else 0


def _both_had(one: Statement, other: Statement) -> bool:
    if one.parts != other.parts:
        return False
    mine, others = traits(one), traits(other)
    if mine.has == others.has:
        his, hers = mine.names - others.content, others.names - mine.content
        return mine.has in _TWO_OF and bool(his and hers)
    return not any(mine.has in group and others.has in group for group in _ONE_OF)


def _fond(one: Statement) -> bool:
    return not (_FOND.isdisjoint(one.ids[:3].tolist()) or _negates(one) or one.marks[_UPDATED])


def _wants(one: Statement) -> bool:
    return not (_WISHES.isdisjoint(one.ids[:3].tolist()) or _negates(one) or one.marks[_UPDATED])


def _leaves(one: Statement) -> bool:
    """It says that somebody lives or works somewhere no more."""
    words = traits(one).ids
    if not _LEFT.isdisjoint(words):
        return True
    denied = _negates(one) and not _NO_MORE.isdisjoint(words)
    return denied and bool(one.complement.verb or one.about & _STAYS)


def _goes_with_no_stay(one: Statement) -> bool:
    """It tells of a liking that is none for living or working there, or of what was."""
    liking = _fond(one) and not one.complement.verb and not one.about & _STAYS
    return liking or (one.past and not _negates(one))


def _apart(one: Statement, other: Statement) -> bool:
    return apart(one.complement, other.complement)


@kept_with
def _owner(said: Statement) -> frozenset[int]:
    """Whose thing it tells of: the names before the verb, or all before "has"."""
    if said.owns:
        return said.parts
    ids = said.ids.tolist()
    return frozenset(ids[i] for i in range(min(3, len(ids))) if said.groups[i, _NAMES[0]]) & said.parts


def _has_one(said: Statement) -> bool:
    """ "Bo has a new number"; not "Bo has the keys", which one alone can have."""
    ids = said.ids.tolist()
    return said.owns and bool(_owner(said)) and any(b in _ONE for a, b in pairwise(ids[:6]) if a in _GETS)


def _others(one: Statement, other: Statement) -> bool:
    return _owner(one).isdisjoint(_owner(other))


BESIDE: Final = (
    Law(always, lambda s: traits(s).among),
    Law(always, lambda s: traits(s).unsettled, other=_keeps_on),
    Law(_not_so, lambda s: traits(s).denied, other=_states),
    Law(_elsewhere, lambda s: traits(s).moves or traits(s).altered or traits(s).elsewhere),
    Law(_granted, words=_KNOWN, other=lambda s: not traits(s).changes),
    Law(_two_of_a_kind, _of_two, mutual=True),
    Law(_another, lambda s: _negates(s) and bool(s.parts), other=lambda s: not _negates(s)),
    Law(_both_had, lambda s: traits(s).has != 0 and not _negates(s), mutual=True),
    Law(_others, _has_one, other=lambda s: bool(_owner(s))),
    Law(always, _fond, other=_wants),
    Law(always, _leaves, other=_goes_with_no_stay),
    Law(_apart, lambda s: bool(s.complement.verb and s.complement.parts), mutual=True),
)
"""Laws of what stands beside the other."""
