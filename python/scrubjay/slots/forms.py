"""Forms of statements: laws know the words of their lists, and of all others only whether they are the same.

So of "Ticket 881 is open" and "Ticket 93 is open" a law says what it says of any two tickets. What is left of a
statement when each word that no list has is told by its place is its form, and these words are its fill. Two pairs are
of one class where their forms are the same and the same places of their fills hold the same words: a law is asked once
of each class, however many texts there are.

>>> from scrubjay.slots.statements import statement
>>> a, b, c, d = map(statement, ("Ticket 881 is open.", "Ticket 93 is open.", "Ticket 93 is shut.", "Nina is open."))
>>> form_of(a).number == form_of(b).number, form_of(a).number == form_of(c).number, form_of(a).fill == form_of(b).fill
(True, False, False)
>>> classes, place = Forms([form_of(each) for each in (a, b, a)]).classes(np.array([0, 0, 1]), np.array([1, 2, 2]))
>>> len(classes), place.tolist()  # two tickets, and one ticket twice
(2, [0, 1, 0])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.remembered import kept_with
from scrubjay.slots.complements import NOTHING
from scrubjay.slots.diets import FOOD
from scrubjay.slots.seats import COMPARED, NONE
from scrubjay.slots.statements import Statement, listed

WIDEST: Final = 8
"""Words of a fill up to which pairs have a class; of longer texts hardly two have one form."""
_SHARED: Final = (WIDEST + 1) ** WIDEST
_PLACES: Final = (WIDEST + 1) ** np.arange(WIDEST, dtype=np.int64)


class Form(NamedTuple):
    """What a statement says apart from words that no list has, and these."""

    number: int
    """64 bits of a digest: the same for the same form, in every process."""
    fill: tuple[int, ...]
    """A number for each word, the same in one process."""


@kept_with
def form_of(said: Statement) -> Form:
    """The form of a statement and what fills it: all that a law of pairs can read of it."""
    places: dict[int, int] = {}

    def place(word: int) -> int:
        return -1 - places.setdefault(word, len(places))

    def told(word: int) -> int:
        return word if not word or listed(word) else place(word)

    def named(words: Iterable[str]) -> list[int | str]:
        return [word if word in FOOD else place(hash(word)) for word in sorted(words)]

    def whole(said: Statement) -> tuple[object, ...]:
        seat, complement = said.seat, said.complement
        return (
            [told(word) for word in said.ids.tolist()],
            np.packbits(said.groups > 0).tobytes(),
            said.marks.tobytes(),
            said.shape,
            [told(word) for word in (said.speaker, said.subject, said.verb, said.office)],
            sorted(told(word) for word in said.parts),
            (said.about, said.beyond, said.tells),
            (said.asks, said.place, said.bare, said.many, said.owns, said.past, said.used, said.sundry),
            seat != NONE
            and (
                seat.key[:1],
                [place(hash(word)) for word in seat.key[1:]],
                sorted(seat.holder)
                if seat.key[:1] == COMPARED
                else [place(hash(word)) for word in sorted(seat.holder)],
                seat.denied,
                [place(hash(word)) for word in sorted(seat.ousted)],
                seat.out,
            ),
            complement != NOTHING
            and (
                complement.verb,
                [(kind, named(words)) for kind, words in complement.parts],
                complement.ended,
                complement.anew,
            ),
        )

    form = (whole(said), [whole(clause) for clause in said.clauses])
    digest = blake2b(repr(form).encode(), digest_size=8).digest()
    return Form(int.from_bytes(digest, "little"), tuple(places))


class Forms:
    """The forms of statements, and the class of each pair of them."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._forms = forms
        self._numbers: dict[int, int] = {}
        self._number, self._fill = np.zeros(len(forms), np.int64), np.zeros((len(forms), WIDEST), np.int64)
        for i, form in enumerate(forms):
            # a fill that is too long to be told is of a form of its own
            key = form.number if len(form.fill) <= WIDEST else -1 - i
            self._number[i] = self._numbers.setdefault(key, len(self._numbers))
            self._fill[i, : min(len(form.fill), WIDEST)] = form.fill[:WIDEST]

    def _codes(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.int64]:
        """(pairs,): a number for both forms, and which places of their fills hold the same words."""
        one, other = self._fill[left], self._fill[right]
        same = (one[:, :, None] == other[:, None, :]) & (other != 0)[:, None, :]
        where = np.where(same.any(axis=1), same.argmax(axis=1) + 1, 0)
        both = self._number[left] * len(self._numbers) + self._number[right]
        return np.asarray(both * _SHARED + where @ _PLACES, np.int64)

    def classes(
        self, left: NDArray[np.intp], right: NDArray[np.intp]
    ) -> tuple[list[tuple[int, int, int]], NDArray[np.intp]]:
        """Of each class of the pairs left[p], right[p] one pair and a number, the same at all times, 0 for none; and
        (pairs,) which class each is of."""
        codes = self._codes(left, right)
        order = np.argsort(codes, kind="stable")
        ordered = codes[order]
        begins = np.ones(len(order), bool)
        begins[1:] = ordered[1:] != ordered[:-1]
        place = np.empty(len(order), np.intp)
        place[order] = np.cumsum(begins) - 1
        first = order[begins]
        found = []
        for i, j, code in zip(left[first].tolist(), right[first].tolist(), codes[first].tolist(), strict=True):
            one, other = self._forms[i], self._forms[j]
            told = max(len(one.fill), len(other.fill)) <= WIDEST
            found.append((i, j, (one.number << 64 | other.number) << 27 | code % _SHARED if told else 0))
        return found, place
