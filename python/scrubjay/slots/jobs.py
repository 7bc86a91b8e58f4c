"""Who works where, in other words than "works": "is now an associate at Linklaters", "started a new job at ABB",
"joined Bosch", "ist jetzt Schulleiter in Husum".

>>> from scrubjay.slots.complements import complement_of
>>> job_of("Ana is now a staff engineer at Spotify".split()) == complement_of(
...     "Ana works now as a staff engineer at Spotify".split())
True
>>> job_of("Ana is a guest at the Ritz".split()).verb, job_of("Ana is at Spotify".split()).verb
(0, 0)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from scrubjay.slots.complements import COMPANY, LIVE, LOCATION, NOTHING, PLACE, ROLE, WORK, Complement, singular
from scrubjay.wordlist import word_set

_BE: Final = word_set("is am 'm i'm are ist bin est suis es soy è sono é sou")
_BECAME: Final = word_set("became wurde devenu devenue diventato diventata")
_NOW: Final = word_set(
    "now currently again jetzt nun inzwischen mittlerweile neuerdings maintenant désormais ahora actualmente ora adesso"
    " agora"
)
_A: Final = word_set("a an the ein eine un une una um uma le la el il l")
_AT: Final = word_set("at for bei beim chez en alla allo all' presso na no pela para da")
_IN: Final = word_set("in an am")
"""The town of it, in German, where a trade needs no article."""
_BEGAN: Final = (
    "started at", "started working at", "started working for", "started work at", "started a job at",
    "started a new job at", "got a job at", "got a new job at", "found a job at", "took a job at", "joined",
    "was hired by", "was hired at", "has joined", "just joined", "signed on with", "accepted a job at",
    "accepted an offer from", "begins work at", "fängt bei", "begann bei", "hat bei", "habe bei", "wechselt zu",
    "wechselte zu", "est embauché chez", "est embauchée chez", "a été embauché chez", "a été embauchée chez",
    "a commencé chez", "a rejoint", "j'ai rejoint", "entró en", "empezó en", "empezó a trabajar en", "se unió a",
    "ha iniziato a lavorare in", "ha iniziato alla", "ha iniziato in", "começou na", "começou a trabalhar na",
    "entrou na",
)  # fmt: skip
"""How one begins somewhere."""
_EMPLOYED: Final = (
    "is employed by", "is employed at", "am employed by", "'m employed by", "i'm employed by", "ist angestellt bei",
    "est employé chez", "est employée chez", "está empleado en", "está empleada en", "è impiegato presso",
)  # fmt: skip
"""How one is told to be somewhere."""
_BEGUN: Final = {tuple(phrase.split()): phrase in _BEGAN for phrase in (*_BEGAN, *_EMPLOYED)}
"""And whether it is news."""
_FIRST: Final = frozenset(phrase[0] for phrase in _BEGUN)
_MAY_BE: Final = _FIRST | _BE | _BECAME | word_set("moved")
_MOST: Final = max(map(len, _BEGUN))
_LAST: Final = word_set("angefangen begonnen an gewechselt unterschrieben")
_NO_TRADE: Final = word_set(
    "guest patient member volunteer customer regular donor speaker visitor client fan friend mother father parent child"
    " brother sister believer tenant user owner witness hit star winner finalist place gast patientin mitglied"
    " kunde kundin vater mutter patient invité invitée membre cliente père mère huésped paciente miembro padre madre"
    " ospite paziente membro home risk war peace work school hospital loss good bad born"
)
_TRADE: Final = re.compile(
    r"(?:[a-z]{2}(?:er|or|ist|eer|ian|man|woman|yst)|consultant|accountant|assistant|associate|intern|head|lead|chief"
    r"|nurse|chef|vp|c[efto]o|principal|clerk|partner)$"
)
"""Trades that in English may stand without an article."""
_CLOSE: Final = word_set(
    "since from on and as with who where last this next in until today yesterday seit ab und als mit depuis et comme"
    " desde y como dal e come after before because for but"
)
_NOT: Final = word_set(
    "not never no nicht nie kein keine n ne pas no non não also auch aussi también anche também too if might may will"
    " would could was former ex used"
)
_LONGEST: Final = 16


def job_of(words: Sequence[str]) -> Complement:
    """What a sentence of these words says of where its subject works, `NOTHING` where it says nothing of it."""
    n = len(words)
    if not 3 <= n <= _LONGEST:
        return NOTHING
    low = [word.casefold().replace("’", "'") for word in words]
    if _MAY_BE.isdisjoint(low[:5]) or not _NOT.isdisjoint(low):
        return NOTHING
    shared = _moved_in(words, low)
    if shared.verb:
        return shared
    for at in [i for i in range(1, min(5, n - 1)) if low[i] in _FIRST]:
        for width in range(_MOST, 0, -1):
            if tuple(low[at : at + width]) in _BEGUN:
                return _begun(words, low, at, width)
    return _trade(words, low)


def _begun(words: Sequence[str], low: list[str], at: int, width: int) -> Complement:
    if low[at + width - 1] == "bei" and low[at] in ("hat", "habe") and low[-1] not in _LAST:
        return NOTHING
    place = _name(words, low, at + width)
    anew = _BEGUN[tuple(low[at : at + width])]
    return Complement(WORK, ((PLACE, place),), False, anew) if place else NOTHING


def _moved_in(words: Sequence[str], low: list[str]) -> Complement:
    """ "Moved in with Carl": whom one lives with now."""
    at = next((i for i in range(1, len(low) - 3) if tuple(low[i : i + 3]) == ("moved", "in", "with")), 0)
    whom = _name(words, low, at + 3) if at else frozenset[str]()
    return Complement(LIVE, ((COMPANY, whom),), False, True) if whom else NOTHING


def _trade(words: Sequence[str], low: list[str]) -> Complement:
    """ "Is now a staff engineer at Spotify"."""
    be = next((i for i, word in enumerate(low[:5]) if (i or word == "i'm") and word in _BE | _BECAME), -1)
    if be < 0:
        return NOTHING
    anew = low[be] in _BECAME or not _NOW.isdisjoint(low)
    german = low[be] in ("ist", "bin")
    at = next((i for i in range(be + 2, len(low)) if low[i] in _AT or (german and low[i] in _IN)), 0)
    role = [singular(word) for word in low[be + 1 : at] if word not in _NOW and word not in _A]
    if not at or not 1 <= len(role) <= 4 or not _NO_TRADE.isdisjoint(role) or any(c.isdigit() for c in "".join(role)):
        return NOTHING
    if not (
        (anew and _TRADE.search(role[-1]) is not None)
        or (german and words[at - 1][:1].isupper())
        or low[be + 1] in _A
        or (low[be + 1] in _NOW and low[be + 2] in _A)
        or low[at] in ("chez", "en")
    ):
        return NOTHING
    if low[at] in _IN and not anew:
        return NOTHING
    place = _name(words, low, at + 1)
    if not place:
        return NOTHING
    where = LOCATION if low[at] in _IN else PLACE
    parts = sorted(((ROLE, frozenset(role)), (where, place)))
    return Complement(WORK, tuple(parts), False, anew)


def _name(words: Sequence[str], low: list[str], at: int) -> frozenset[str]:
    """The words of a name from there on, up to where another phrase begins; none where no name stands there."""
    found: list[str] = []
    for word, plain in zip(words[at:], low[at:], strict=True):
        if plain in _CLOSE or (found and not word[:1].isupper()):
            break
        if plain not in _A:
            if not (word[:1].isupper() or word[:1].isdigit()):
                break
            found.append(singular(plain))
    return frozenset(found)


def moved_on(one: Complement, other: Complement) -> bool:
    """Whether two statements of where somebody works or lives, one of which says that this is new, name other
    employers or towns, or other trades where no employer is named."""
    if (
        one.verb != other.verb
        or one.verb not in (WORK, LIVE)
        or not (one.anew or other.anew)
        or one.ended
        or other.ended
    ):
        return False
    mine, others = dict(one.parts), dict(other.parts)
    for kind in (PLACE, ROLE, COMPANY):
        if kind in mine and kind in others:
            return not mine[kind] & others[kind]
    return False
