"""Two sides of one thing: both ends of a span ("starts at 10:00", "ends at 11:00"), two of a pair ("left eye", "right
eye"), what it costs and when that is due, what adults and what children pay, what was before and what is, a habit and
one occasion of it, what is told and what is told of another.

`two_sides(one, other)` holds where by that both stay true. Each law depends on the pair alone and looks at it from both
sides.

>>> from scrubjay.slots.statements import statement
>>> starts, ends, late = map(statement, (
...     "The demo starts at 10:00.", "The demo ends at 11:00.", "The demo starts at 12:00."))
>>> two_sides(starts, ends), two_sides(starts, late)
(True, False)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from scrubjay.slots.designated import named
from scrubjay.slots.laws import Law, Laws
from scrubjay.slots.statements import GROUPS, NEGATIVE, UPDATE, Statement, identity
from scrubjay.slots.tense import DID, VERBS
from scrubjay.slots.vocabulary import BE, MARK, content_of, ids_of, single

_NUMBER: Final = GROUPS.index("number")


def _rows(*rows: tuple[str, ...]) -> dict[int, tuple[int, int]]:
    """Words by (row, column)."""
    return {word: (i, j) for i, row in enumerate(rows) for j, words in enumerate(row) for word in ids_of(words)}


_SPANS: Final = _rows(
    (
        "starts start begins begin commences beginnt startet commence débute empieza comienza inizia começa",
        "ends end finishes finish concludes endet finit termine termina acaba finisce",
    ),
    ("opens open öffnet ouvre abre apre", "closes close shuts schließt ferme cierra chiude fecha"),
    (
        "leaves leave departs depart part sale parte fährt startet décolle despega",
        "lands land arrives arrive landet kommt atterrit aterriza llega arriva chega",
    ),
)
"""Verbs of the two ends of a span."""
_PAIRS: Final = _rows(
    (
        "left linke linker linkes linken gauche izquierdo izquierda sinistro sinistra esquerdo esquerda",
        "right rechte rechter rechtes rechten droit droite derecho derecha destro destra direito direita",
    ),
    ("upper top obere oberer", "lower bottom untere unterer"),
    ("front vordere avant", "rear back hintere arrière"),
    ("inner", "outer"),
    ("min minimum least", "max maximum most"),
    ("north", "south", "east", "west"),
    ("summer", "winter"),
    ("adult", "child", "student", "senior"),
)
"""Words of which a thing has one of each."""
_MODIFIERS: Final = ids_of(
    "guest admin root spare kids"
    " office work home mobile cell private personal business emergency landline secondary backup second old former"
    " professional private dienstliche private berufliche privé privée professionnel professionnelle"
    " personal trabajo lavoro"
)
"""What makes another number, address or account of somebody's."""
_FOR: Final = ids_of("for für pour para per")
_MONEY: Final = ids_of("euro euros dollar dollars pound pounds franc francs franken eur usd gbp chf yen")
_DUE: Final = ids_of("due payable fällig exigible vence renews paid collected debited transferred")
_TOLD: Final = ids_of(
    "said says mentioned mentions told tells reported claims claimed thinks believes heard sagt sagte gesagt erzählt"
    " erzählte meint glaubt dit raconte raconté pense dice dijo dicho cuenta detto disse"
)
_THAT: Final = ids_of("that dass que qu che")
_SELF: Final = ids_of("he she they it i we er sie es ich wir il elle ils elles on je nous él ella ellos lui lei")
_FORBIDS: Final = ids_of("don't dont never please always")
_LAST: Final = ids_of("last this letzten letzte dernier dernière pasado")
_DAYS: Final = ids_of(
    "monday tuesday wednesday thursday friday saturday sunday week weekend month montag dienstag mittwoch donnerstag"
    " freitag samstag sonntag woche lundi mardi mercredi jeudi vendredi samedi dimanche semaine"
)
_LEAVES: Final = ids_of("left verlassen quitté dejó lasciato deixou")
_OCCASIONS: Final = ids_of(
    "meeting rehearsal session party dinner lunch call event game match lesson class practice gathering ceremony"
    " standup sitzung probe feier treffen spiel réunion répétition fête reunión ensayo fiesta riunione"
)
"""Behind what somebody is in, an occasion of it: who leaves that is still in it."""
_BE: Final = BE | ids_of("be been")
_AGAIN: Final = ids_of("again now still always usually currently often wieder jetzt noch encore toujours siempre")
_OF: Final = ids_of("of for to before after für von pour de du para del per")
_WHOLE: Final = ids_of("of von de di do")
_THERE: Final = ids_of("to nach à a para")
_FROM: Final = ids_of("from von aus de da desde")
_RETURN: Final = ids_of("back return returns zurück rückflug retour rentre vuelta vuelve ritorno volta")
_GOES: Final = ids_of("moved relocated transferred gezogen umgezogen déménagé mudado mudó trasferito mudou")
_ASPECTS: Final = ids_of(
    "deadline date day time place start end beginning beginn anfang ende datum termin frist début fin inicio fecha"
    " location room venue term duration"
)
"""Words for when or where a thing itself is."""
_NOT: Final = ids_of("not don't doesn't isn't aren't cannot can't won't nicht pas no non não")
_NO_MORE: Final = ids_of("longer anymore more mehr plus más più mais but sondern sino only")
_AUX: Final = ids_of("do does")
_OPEN: Final = frozenset(map(identity, VERBS)) - ids_of("is are am can will")
_PLAIN: Final = {identity(word + "s"): identity(word) for word in VERBS if word + "s" in VERBS}
_CHANGES: Final = ids_of(" ".join((NEGATIVE | UPDATE) - frozenset(("again", "now", "currently"))))
_MOVES: Final = ids_of(" ".join(UPDATE - frozenset(("again", "now", "currently", "left", "passed"))))

YEARS: Final = frozenset(identity(str(year)) for year in range(1900, 2100))
_FORMERLY: Final = ids_of(
    "formerly previously ago years früher damals ehemals vorher zuvor autrefois auparavant avant antiguamente"
    " anteriormente antes prima precedentemente"
)
_OTHER_TIMES: Final = _FORMERLY | ids_of("ten two three five year long time once vor jahren ans años anni until before")
_VERBS: Final = frozenset(map(identity, VERBS | DID)) | ids_of("used")


def bygone(said: Statement) -> bool:
    """Whether it tells of a time that is past and closed."""
    return said.past and (said.used or not (YEARS | _FORMERLY).isdisjoint(said.ids.tolist()))


def two_sides(one: Statement, other: Statement) -> bool:
    """Whether both stay true, whichever is the later, because they tell of two sides of one thing."""
    return _LAWS.hold(one, other)


def _parting(one: Statement, other: Statement) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Their words, and where they first differ."""
    a, b = tuple(one.ids.tolist()), tuple(other.ids.tolist())
    return a, b, next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _ends_of_a_span(one: Statement, other: Statement) -> bool:
    a, b, at = _parting(one, other)
    if not 0 < at < min(len(a), len(b)) or not _across(_SPANS, a[at], b[at]):
        return False
    return all(said.groups[at + 1 :, _NUMBER].any() for said in (one, other))


def _across(rows: dict[int, tuple[int, int]], x: int, y: int) -> bool:
    left, right = rows.get(x), rows.get(y)
    return left is not None and right is not None and left[0] == right[0] and left[1] != right[1]


def _two_of_a_pair(one: Statement, other: Statement) -> bool:
    """Their subjects differ by one word of a pair."""
    a, b, at = _parting(one, other)
    if at > 4 or at + 1 >= min(len(a), len(b)) or a[at + 1] != b[at + 1]:
        return False
    return _across(_PAIRS, a[at], b[at]) and (_BE | _OPEN).isdisjoint(a[1:at])


def _two_parties(one: Statement, other: Statement) -> bool:
    """The same but for a number and for whom that is: "12 euros for adults", "6 euros for children"."""
    sides = []
    for said in (one, other):
        ids = said.ids.tolist()
        cut = max((i for i, word in enumerate(ids) if word in _FOR), default=0)
        numbers = frozenset(said.ids[said.groups[:, _NUMBER] > 0].tolist())
        tail = frozenset(ids[cut + 1 :]) & content_of(said)
        if cut < 2 or not tail or not tail.isdisjoint(numbers) or numbers.isdisjoint(ids[:cut]):
            return False
        sides.append(([0 if word in numbers else word for word in ids[:cut]], ids[:cut], tail))
    (frame, head, whom), (frame_2, head_2, whom_2) = sides
    return frame == frame_2 and head != head_2 and whom.isdisjoint(whom_2)


def _said_again(one: Statement, other: Statement) -> bool:
    """Word for word the same but for "is ... again"."""
    a, b = ([word for word in said.ids.tolist() if word not in _BE and word not in _AGAIN] for said in (one, other))
    return len(a) > 2 and a == b


def _due(a: Statement, b: Statement) -> bool:
    """How much it is, and when that is due."""
    mine, others = a.ids.tolist(), b.ids.tolist()
    n = named(a).verb + (len(mine) - len(named(a).ids))
    if n < 1 or mine[:n] != others[:n]:
        return False
    return (
        not _MONEY.isdisjoint(mine)
        and _MONEY.isdisjoint(others)
        and _DUE.isdisjoint(mine)
        and not _DUE.isdisjoint(others)
    )


def _told(a: Statement, b: Statement) -> bool:
    """Somebody tells of another, and not of what is known of himself."""
    ids = a.ids.tolist()
    says = next((i for i, word in enumerate(ids) if i and word in _TOLD), 0)
    that = next((i for i in range(says + 1, len(ids) - 1) if ids[i] in _THAT), 0) if says else 0
    if not that or ids[that + 1] in _SELF or ids[0] in ids[that + 1 :] or int(b.ids[0]) != ids[0]:
        return False
    return not content_of(b) - frozenset(ids[:says]) <= frozenset(ids[that + 1 :])


def _forbidden(a: Statement, b: Statement) -> bool:
    """What one shall not do, and something that does not name it."""
    value = content_of(b) - b.parts
    return (
        int(a.ids[0]) in _FORBIDS
        and int(b.ids[0]) not in _FORBIDS
        and bool(b.parts)
        and bool(value)
        and value.isdisjoint(content_of(a))
    )


def _occasion(a: Statement, b: Statement) -> bool:
    """What happened "last Tuesday" at one of many: "deploys happen on Tuesdays"."""
    ids, others = a.ids.tolist(), b.ids.tolist()
    at = next((i for i in range(1, min(len(ids) - 2, 5)) if ids[i] in _LAST and ids[i + 1] in _DAYS), 0)
    return bool(at) and _BE.isdisjoint(ids[:at]) and _LAST.isdisjoint(others) and _MOVES.isdisjoint(ids)


def _leaving(a: Statement, b: Statement) -> bool:
    """An occasion was left: "left the board meeting" says nothing of who is on the board."""
    ids = frozenset(a.ids.tolist())
    return bool(ids & _LEAVES and (ids - frozenset(b.ids.tolist())) & _OCCASIONS)


def _modified(b: Statement, a: Statement) -> bool:
    """ "Jo's phone number", "Jo's office phone number"."""
    mine, others = _subject(a), _subject(b)
    more = frozenset(others) - frozenset(mine)
    return bool(mine and more) and more <= _MODIFIERS and [word for word in others if word not in more] == mine


def _subject(said: Statement) -> list[int]:
    """The words before the first form of "be", none where there is no such form."""
    ids: list[int] = said.ids.tolist()
    return ids[: next((i for i, word in enumerate(ids) if word in _BE), 0)]


def _within(b: Statement, a: Statement) -> bool:
    """One is about something of the other: "the launch is on", "the press release for the launch goes out on"."""
    whole, ids = _subject(a), b.ids.tolist()
    n = len(whole)
    if n < 2 or not a.marks[MARK["numbers"]] or not b.marks[MARK["numbers"]] or not _CHANGES.isdisjoint(ids):
        return False
    at = next((i for i in range(2, len(ids) - n) if ids[i : i + n] == whole), 0)
    return bool(at) and ids[at - 1] in _OF and _ASPECTS.isdisjoint(ids[:at])


def _other_denied(a: Statement, b: Statement) -> bool:
    """What is denied is another value than what is said: "is allergic to nuts", "is not allergic to milk"."""
    mine, others = a.ids.tolist(), b.ids.tolist()
    if _NOT.isdisjoint(mine) or not _NOT.isdisjoint(others) or not _NO_MORE.isdisjoint(mine):
        return False
    if b.marks[MARK["negation"]] or a.marks[MARK["negation"]] > 1:
        return False
    first, second = (
        [_PLAIN.get(word, _CAN.get(word, word)) for word in ids if word not in _NOT - _CAN.keys() and word not in _AUX]
        for ids in (mine, others)
    )
    at = next((i for i, (x, y) in enumerate(zip(first, second, strict=False)) if x != y), 0)
    tail, value = frozenset(first[at:]) & content_of(a), frozenset(second[at:]) & content_of(b)
    shared = content_of(a) & content_of(b) - b.parts
    verbs = _OPEN | frozenset(_CAN.values())
    return (
        at > 1 and bool(tail and value) and tail.isdisjoint(value) and bool(shared or not verbs.isdisjoint(first[1:at]))
    )


def _of_another(a: Statement, b: Statement) -> bool:
    """So much of one thing, so much of another: "5 mg of ramipril", "20 mg of atorvastatin"."""
    mine, others = _measured(a), _measured(b)
    return bool(mine[0] and mine[0] == others[0] and mine[1] != others[1] and _CHANGES.isdisjoint(b.ids.tolist()))


def _measured(said: Statement) -> tuple[int, int]:
    """The unit and the thing of which it names a number, (0, 0) for none."""
    ids, number = said.ids.tolist(), said.groups[:, _NUMBER].tolist()
    at = next((i for i in range(1, len(ids) - 3) if number[i] and ids[i + 2] in _WHOLE), 0)
    return (ids[at + 1], ids[at + 3]) if at else (0, 0)


def _back(a: Statement, b: Statement) -> bool:
    """There and back: "fly to Oslo on the 12th", "fly back from Oslo on the 19th"."""
    ids = b.ids.tolist()
    return bool(_behind(a, _THERE) & _behind(b, _FROM)) and not _RETURN.isdisjoint(ids) and _GOES.isdisjoint(ids)


def _behind(said: Statement, words: frozenset[int]) -> frozenset[int]:
    """The words and names right behind some of these words."""
    return content_of(said) & frozenset(b for a, b in pairwise(said.ids.tolist()) if a in words)


def _from_there(a: Statement, b: Statement) -> bool:
    """Where or when it is from, and how or where it is: "is from 2016", "is broken"."""
    mine, others = a.ids.tolist(), b.ids.tolist()
    n = len(_subject(a))
    if not n or mine[:n] != others[:n] or len(_subject(b)) != n or len(mine) < n + 3:
        return False
    return mine[n + 1] in _FROM and mine[n + 2] in content_of(a) and others[n + 1] not in _FROM


_CAN: Final = {word: identity("can") for word in ids_of("cannot can't")}


def _before(a: Statement, b: Statement) -> bool:
    """What was so before, and is another thing than what is so."""
    return bool(content_of(a) - YEARS - _OTHER_TIMES - _VERBS - a.parts - content_of(b))


def _plain(said: Statement) -> bool:
    return said.ids.size > 1 and single(said)


def _so_now(said: Statement) -> bool:
    return not (said.past or said.marks[MARK["negation"]]) and _MOVES.isdisjoint(said.ids.tolist()) and _plain(said)


def _was_so(said: Statement) -> bool:
    return bygone(said) and _plain(said)


SIDES: Final = (
    *(
        Law(holds, _plain, words, mutual=True)
        for holds, words in (
            (_ends_of_a_span, frozenset(_SPANS)),
            (_two_of_a_pair, frozenset(_PAIRS)),
            (_two_parties, _FOR),
        )
    ),
    *(
        Law(holds, _plain, words, _plain)
        for holds, words in (
            (_said_again, _AGAIN),
            (_due, _MONEY),
            (_told, _TOLD),
            (_forbidden, _FORBIDS),
            (_occasion, _LAST),
            (_leaving, _LEAVES),
            (_modified, _MODIFIERS),
            (_within, _OF),
            (_other_denied, _NOT),
            (_of_another, _WHOLE),
            (_back, _THERE),
            (_from_there, _FROM),
        )
    ),
    Law(_before, _was_so, _FORMERLY | YEARS | ids_of("used"), _so_now),
)
_LAWS: Final = Laws("sides", *SIDES)
