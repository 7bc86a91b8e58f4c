"""Statements that a later one takes the place of by what it says of the change, and those that it only goes on from.

The pair model judges by likeness; here laws look at what is said:

- `goes_on`: the longer says all of the shorter, in its order, and then goes on with a small word ("is at 9:30", "is at
  9:30 in room 4"). Both hold.
- `replaces`, by a handing over ("replaced", "took over from"): it names all that the older says, so that of the older
  nothing is left ("Carla is my boss", "Devin replaced Carla as my boss").
- `replaces`, by holding the same role: of what one alone is ("on call", "the captain of the team") the later one is it;
  and by filling what one alone can fill (`scrubjay.slots.seats`).
- `replaces`, by giving up what is in use (`scrubjay.slots.swaps`), by another job (`scrubjay.slots.jobs`) or by what
  a diet leaves out (`scrubjay.slots.diets`).
- `replaces`, by another value (`scrubjay.slots.shifts`), another place or a new one (`scrubjay.slots.anew`), another
  name (`scrubjay.slots.names`), another state (`scrubjay.slots.states`), trade or club (`trades`, `bodies`).
- `replaces`, by an end or a new date ("sold", "finished", "postponed to"): it is about the same subject, and about the
  same thing or a time.

Each depends on the pair alone and looks at it from both sides.

>>> from scrubjay.slots.statements import statement
>>> one, two, three = map(statement, (
...     "Carla is my boss.", "Devin replaced Carla as my boss.", "Carla is my boss and a friend."))
>>> replaces(one, two), replaces(one, three), goes_on(one, three)
(True, False, True)
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from scrubjay.remembered import kept_with
from scrubjay.slots.anew import corrected, made_anew, renews
from scrubjay.slots.attributes import bit
from scrubjay.slots.bodies import changed_body, turned_to
from scrubjay.slots.complements import taken_up
from scrubjay.slots.diets import breaks, eaten
from scrubjay.slots.jobs import moved_on
from scrubjay.slots.laws import Law, Laws
from scrubjay.slots.mandates import another_mandate
from scrubjay.slots.names import called, renamed
from scrubjay.slots.parties import another_party
from scrubjay.slots.seats import contend
from scrubjay.slots.shifts import shift, shifted, shifts
from scrubjay.slots.statements import (
    GROUPS,
    NEGATIVE,
    UPDATE,
    Statement,
    statement,
)
from scrubjay.slots.states import other_state
from scrubjay.slots.subjects import same_subject, same_thing
from scrubjay.slots.swaps import gives_up, replanned, swap, upgraded, upgrades
from scrubjay.slots.switches import elsewhere
from scrubjay.slots.trades import another_trade, trade_of
from scrubjay.slots.vocabulary import BE, MARK, content_of, ids_of, single

SURE: Final = 0.85
"""P(same slot) of what says itself that it replaces (chosen)."""
ON: Final = 0.3
"""What is left of P(same slot) where one only goes on (chosen)."""
_USE: Final = bit("preference") | bit("vehicle")


_SMALL: Final = ids_of(
    "with as for since because named called which who where while so and at in on near by to from under every each when"
    " next after before during via per plus including of using until"
    " mit als für seit weil und an am in im auf bei zu zum zur von vom unter jeden wenn nach vor"
    " avec comme pour depuis parce et à au en dans sur près par de du sous chaque quand après avant"
    " con como para desde porque y en por de del cada cuando después antes"
    " come per da perché e in a al di del ogni quando dopo prima com desde e em por no na"
    " 在 和 从 跟 与 で に と から"
)
_CHANGED: Final = ids_of(" ".join((NEGATIVE | UPDATE) - frozenset(("until", "since", "as-of", "closed", "open"))))
_HANDED: Final = ids_of(
    "replaced replaces replacing succeeded succeeds relieved handed ersetzt ersetzte abgelöst nachfolger nachfolgerin"
    " remplacé remplacée remplace succède succédé reemplazó reemplaza sustituyó sustituye sostituito sostituisce"
    " substituiu 接替 taken over took"
)
_ENDED: Final = ids_of(
    "sold quit finished cancelled canceled resigned retired divorced dropped abandoned returned lost merged"
    " closed shipped"
    " stepped gave given discontinued terminated ended stopped"
    " verkauft gekündigt beendet abgegeben aufgehört verloren"
    " vendu quitté terminé annulé rendu perdu arrêté vendió vendido dejó dejado terminó canceló perdió"
    " venduto lasciato finito vendeu deixou terminou"
)
_MOVED: Final = ids_of(
    "pushed moved brought shifted slipped extended verlängert prolongé prolongée verlegt déplacé déplacée trasladado"
)
"""Words of another date, beside a date."""
_LATER: Final = ids_of(
    "postponed rescheduled delayed deferred verschoben vorgezogen vertagt"
    " reporté reportée décalé décalée avancé avancée repoussé"
    " repoussée aplazada aplazado pospuesta pospuesto retrasado"
    " adelantada adelantado spostato spostata rinviato rinviata adiado adiada remarcada remarcado"
)
"""The same, which a number alone follows."""
_SWITCHED: Final = ids_of("switched migrated umgestiegen gewechselt passés passé cambiado passati passato mudamos")
_BEING: Final = ids_of(
    "is are am was 's ist sind bin war est sont es son está están è sono é são está como comme als come"
)
_ALONE: Final = ids_of(
    "captain ceo cto cfo coo president champion manager boss owner supervisor director head chair chairman chairwoman"
    " leader lead coach mayor principal dean treasurer secretary goalkeeper kapitän chef chefin leiter leiterin"
    " präsident präsidentin directeur directrice patron capitaine président présidente jefe jefa capitán presidente"
    " director directora capo capitano direttore"
)
_DUTY: Final = tuple(tuple(sorted(ids_of(words))) for words in ("on call", "on duty", "in charge"))
_ON_CALL: Final = ids_of("on-call oncall")
_THEN: Final = ids_of("after since now seit nach jetzt depuis après désormais desde ahora tras da ora adesso dopo")
_A: Final = ids_of("a an ein eine einer un une una uno um uma one not no")
_MONTHS: Final = ids_of(
    "january february march april may june july august september october november december"
    " today tomorrow monday tuesday"
    " wednesday thursday friday saturday sunday januar februar märz mai juni juli oktober dezember janvier février mars"
    " avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto"
    " septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre"
    " lundi mardi mercredi jeudi vendredi montag dienstag mittwoch donnerstag freitag lunes martes miércoles jueves"
    " viernes lunedì martedì mercoledì giovedì venerdì sabato domenica segunda terça quarta quinta sexta sábado domingo"
    " sonntag samstag"
)
_NUMBER: Final = GROUPS.index("number")
_UP_TO: Final = ids_of("through until till to bis jusqu'en jusqu'au hasta fino até")
_WORDS: Final = _HANDED | _ENDED | _MOVED | _LATER | _SWITCHED


def _said(one: Statement) -> frozenset[int]:
    """The words, names and numbers of a statement."""
    return content_of(one) - _BEING


def goes_on(one: Statement, other: Statement) -> bool:
    """Whether the longer of the two says all of the shorter and then more, from a small word on, no change."""
    short, longer = (one, other) if one.ids.size <= other.ids.size else (other, one)
    n = short.ids.size
    if n < 3 or longer.ids.size == n or short.speaker != longer.speaker:
        return False
    if (longer.ids[:n] != short.ids).any() or int(longer.ids[n]) not in _SMALL:
        return False
    return not _CHANGED.intersection(longer.ids[n:].tolist())


@kept_with
def turns(one: Statement) -> bool:
    """Whether it has words of change, so that it may say that another is over."""
    return not _WORDS.isdisjoint(one.ids.tolist()) or (one.ids.size > 0 and int(one.ids[0]) in _THEN) or gives(one)


@kept_with
def gives(one: Statement) -> bool:
    """Whether it says that something is given up, or has another value now."""
    return bool(swap(one).up) or upgraded(one) or shifts(one) or renews(one)


def tells(one: Statement) -> bool:
    """Whether it is what it says that may take another's place: a change, what is so now, what a diet leaves out,
    another name."""
    anew = one.complement.anew or called(one).anew or trade_of(one).anew or turned_to(one).at > 0
    return anew or turns(one) or eaten(one) > 0


@kept_with
def role_of(one: Statement) -> int:
    """A number for the role that it says its subject holds, where one alone holds it ("is on call"); 0 for none."""
    found = () if one.asks or not one.parts else _predicate(one)
    if not found or found[0] in _A:
        return 0
    alone = tuple(sorted(found[:2])) in _DUTY or found[0] in _ON_CALL or not _ALONE.isdisjoint(found[:3])
    return (crc32(repr(found).encode()) << 1 | 1) if alone else 0


def _since(old: Statement, new: Statement) -> bool:
    """The newer says since when what the older says is otherwise: "since the wedding her name is Horvat"."""
    said, later = old.ids.tolist(), new.ids.tolist()
    at = next((i for i, word in enumerate(said) if i > 1 and word in BE), 0)
    head, tail = said[: at + 1], said[at + 1 :]
    if not at or not tail:
        return False
    place = next((i for i in range(1, len(later) - at) if later[i : i + at + 1] == head), 0)
    return bool(place) and later[place + at + 1 :] != tail


def _predicate(one: Statement) -> tuple[int, ...]:
    """The words behind the first form of "be", () for none."""
    ids = one.ids.tolist()
    at = next((i for i, word in enumerate(ids) if i and word in BE), 0)
    return tuple(ids[at + 1 :]) if at else ()


def _takes(old: Statement, new: Statement) -> bool:
    words = frozenset(new.ids.tolist())
    before, after = _said(old), _said(new)
    if words & _HANDED and len(before) >= 2 and before <= after and after - before:
        return True
    if shift(new).date and timed(old) and timed(new) and old.parts and old.parts <= after:
        return True
    if words & _MOVED and len(new.parts) > 1 and new.parts <= before and _until(old) and _until(new):
        # "runs through 2025", "was extended through 2027"
        return True
    if not _same_subject(old, new, after):
        return False
    if words & (_MOVED | _LATER) and timed(old) and timed(new):
        return True
    if words & _LATER and old.marks[MARK["numbers"]] and new.marks[MARK["numbers"]]:
        return True
    if words & _SWITCHED and old.about & new.about & _USE and not old.bare and not elsewhere(old, new):
        return True
    shared = (before & after) - old.parts
    praised = bool(old.marks[MARK["polar"]]) and not old.bare
    return bool(words & _ENDED and shared and not praised)


def _until(said: Statement) -> bool:
    """Whether it says up to which number something goes."""
    ids, number = said.ids.tolist(), said.groups[:, _NUMBER].tolist()
    return any(word in _UP_TO and number[i] for i, word in enumerate(ids[:-1], 1))


def _same_subject(old: Statement, new: Statement, after: frozenset[int]) -> bool:
    if same_thing(old, new):
        return True
    if old.subject == 0 or old.subject == new.subject:
        return old.subject != 0
    if new.subject == 0:
        # its verb is not known: it begins as the other does, and names what the other is about
        return same_subject(old, new) and old.parts <= after
    return bool(old.parts) and old.parts == new.parts


@kept_with
def timed(one: Statement) -> bool:
    """It names a time of day, a day or a month."""
    return one.shape in _CLOCKS or not _MONTHS.isdisjoint(one.ids.tolist())


_CLOCKS: Final = frozenset(statement(f"It is at {clock}.").shape for clock in ("9:30", "9am", "9h30", "14h"))


def _moved_on(one: Statement, other: Statement) -> bool:
    if not (moved_on(one.complement, other.complement) or taken_up(one.complement, other.complement)):
        return False
    return same_subject(one, other)


def _same_role(one: Statement, other: Statement) -> bool:
    return role_of(one) == role_of(other) and turns(one) == turns(other) and not one.parts & other.parts


def _certain(said: Statement) -> bool:
    return single(said) and not said.marks[MARK["hedge"]]


def _dated(said: Statement) -> bool:
    return not said.asks and said.ids.size > 0 and int(said.ids[0]) in _THEN


def _steady(said: Statement) -> bool:
    return not said.asks and not turns(said)


REPLACES: Final = Laws(
    "what replaces",
    Law(lambda a, b: contend(a.seat, b.seat), lambda s: bool(s.seat.key or s.seat.ousted), mutual=True),
    Law(_moved_on, lambda s: s.complement.verb != 0, other=lambda s: s.complement.anew),
    Law(_same_role, lambda s: role_of(s) != 0, mutual=True),
    Law(_since, _steady, other=_dated),
    Law(
        _takes,
        lambda old: not turns(old) and _certain(old) and not old.marks[MARK["event"]],
        other=lambda new: turns(new) and _certain(new) and new.marks[MARK["negation"]] <= 1,
    ),
    replanned._replace(one=lambda old: _steady(old) and replanned.one(old)),
    upgrades._replace(one=lambda old: _steady(old) and not old.marks[MARK["event"]]),
    made_anew._replace(
        one=lambda old: made_anew.one(old) and not timed(old),
        other=lambda new: made_anew.other(new) and not timed(new),
    ),
    corrected._replace(one=lambda old: corrected.one(old) and not timed(old)),
    gives_up,
    shifted,
    breaks,
    renamed,
    other_state,
    changed_body,
    another_trade,
    another_mandate,
    another_party,
)
"""Laws of which the first statement is the older."""


def replaces(one: Statement, other: Statement) -> bool:
    """Whether either of the two says that what the other says is over, at another time or another's role."""
    return REPLACES.hold(one, other)
