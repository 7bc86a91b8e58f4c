"""Duties and services that one gives to another: "handed the pager to Ravi", "ownership of the billing service went to
Amira". Who gets it fills the seat (`scrubjay.slots.seats`).

>>> given_over("Bea handed the pager to Ravi".split()).holder, given_over("Bea handed the laptop to Ravi".split()).key
(frozenset({'ravi'}), ())
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scrubjay.slots.seats import NONE, Seat, duty, led, office
from scrubjay.wordlist import word_set

_GAVE: Final = word_set("handed hands passed passes gave gives transferred transfers übergibt übergab transmet cede")
_GIVEN: Final = word_set("übergeben abgegeben weitergegeben transmis confié cedido entregado ceduto")
_BELONGS: Final = word_set("belongs gehört appartient pertenece appartiene")
_WENT: Final = word_set("went passed moved transferred goes handed")
_TO: Final = word_set("to an à a al")
_ELECTED: Final = word_set("elected appointed named")
_RIGHT: Final = word_set("ownership responsibility")
_OF: Final = word_set("of for")
_PAGER: Final = word_set("pager duty phone shift on-call oncall")
_OFFER: Final = word_set("not never might may will would could should if wants plans nicht wird pas no")
_CLOSE: Final = word_set("on at this last today yesterday for until because and yesterday. in")
_THE: Final = word_set("the his her their our my der die das den le la les el il lo")


def given_over(words: Sequence[str]) -> Seat:
    """The seat that a sentence of these words says was given to another; `NONE` for none."""
    low = [word.casefold() for word in words]
    if not 5 <= len(low) <= 16 or not _OFFER.isdisjoint(low):
        return NONE
    elected = next((i for i in range(1, len(low) - 2) if low[i] in _ELECTED and words[i + 1][:1].isupper()), 0)
    if elected:
        return _elected(words, low, elected)
    gave = next((i for i, word in enumerate(low) if i and (word in _GAVE or word in _WENT or word in _BELONGS)), 0)
    given = low[-1] in _GIVEN
    to = next((i for i in range(len(low) - 2, 0, -1) if low[i] in _TO and words[i + 1][:1].isupper()), 0)
    if not to or not (given or 0 < gave < to):
        return NONE
    ends = next((i for i in range(to + 1, len(low)) if low[i] in _CLOSE or not words[i][:1].isupper()), len(low))
    holder = frozenset(low[to + 1 : ends])
    if not holder or ends - to > 4:
        return NONE
    if low[gave] in _BELONGS:
        key = led("owns", low[:gave])
        return Seat(key, holder) if key else NONE
    right = next((i for i, word in enumerate(low[:2]) if word in _RIGHT), -1)
    if right >= 0 and low[right + 1 : right + 2] and low[right + 1] in _OF:
        what = [word for word in low[right + 2 : gave] if word not in ("was", "has", "been")]
    else:
        start = gave if not given else next((i for i, word in enumerate(low) if i and word in ("hat", "a", "ha")), 0)
        what = [word for word in low[start + 1 : to] if word != "over"]
        right = next((i for i, word in enumerate(what[:3]) if word in _RIGHT), -1)
        what = what[right + 2 :] if right >= 0 else what
    if not what:
        return NONE
    if what[-1] in _PAGER and all(word in _PAGER or word in _THE or word in ("on", "call") for word in what):
        return Seat(("on-call",), holder)
    key = duty(what) or led("owns", what if what[0] in _THE else ["the", *what]) or office(what)
    return Seat(key, holder) if key else NONE


def _elected(words: Sequence[str], low: list[str], at: int) -> Seat:
    """ "The rowing club elected Sabine as treasurer"."""
    last = next((i for i in range(at + 1, len(low)) if not words[i][:1].isupper()), len(low))
    role = [word for word in low[last:] if word not in ("as", "its", "their", "the", "new")]
    body = [word for word in low[:at] if word not in ("has", "have", "just")]
    key = office(["the", *role, "of", *body]) if len(role) == 1 and body[:1] != ["was"] else ()
    return Seat(key, frozenset(low[at + 1 : last])) if key else NONE
