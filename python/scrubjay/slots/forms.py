"""Forms of statements: laws know the words of their lists, and of all others only whether they are the same.

So of "Ticket 881 is open" and "Ticket 93 is open" a law says what it says of any two tickets. What is left of a
statement when each word that no list has is told by its place is its form, and these words are its fill. Two pairs are
of one class where their forms are the same and the same places of their fills hold the same words: a law is asked once
of each class, however many texts there are.

>>> from scrubjay.slots.statements import statement
>>> a, b, c, d = map(statement, ("Ticket 881 is open.", "Ticket 93 is open.", "Ticket 93 is shut.", "Nina is open."))
>>> form_of(a).number == form_of(b).number, form_of(a).number == form_of(c).number, form_of(a).fill == form_of(b).fill
(True, False, False)
>>> asked = []
>>> law = PerClass(lambda one, other: not asked.append(one), room=100)
>>> left, right = np.array([0, 0, 1]), np.array([1, 2, 2])
>>> law.holds(Forms([a, b, a]), left, right).tolist(), len(asked)
([True, True, True], 2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.remembered import Recent, kept_with
from scrubjay.slots.complements import NOTHING
from scrubjay.slots.diets import FOOD
from scrubjay.slots.laws import Laws
from scrubjay.slots.seats import COMPARED, NONE
from scrubjay.slots.statements import Statement, listed

WIDEST: Final = 8
"""Words of a fill up to which pairs have a class; of longer texts hardly two have one form."""
_NO_CLASS: Final = -1
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

    seat, complement = said.seat, said.complement
    form = (
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
            sorted(seat.holder) if seat.key[:1] == COMPARED else [place(hash(word)) for word in sorted(seat.holder)],
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
    digest = blake2b(repr(form).encode(), digest_size=8).digest()
    return Form(int.from_bytes(digest, "little"), tuple(places))


class Forms:
    """The forms of a list of statements, and the class of each pair of them."""

    def __init__(self, said: Sequence[Statement]) -> None:
        self.said = said
        forms = [form_of(one) for one in said]
        self.numbers = [form.number for form in forms]
        self._wide = np.array([len(form.fill) > WIDEST for form in forms], bool)
        self._fill = np.zeros((len(forms), WIDEST), np.int64)
        for i, form in enumerate(forms):
            self._fill[i, : min(len(form.fill), WIDEST)] = form.fill[:WIDEST]

    def shared(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.int64]:
        """(pairs,): which places of the fills of left[p] and right[p] hold the same words; `_NO_CLASS` for fills that
        are too long to say."""
        one, other = self._fill[left], self._fill[right]
        same = (one[:, :, None] == other[:, None, :]) & (other != 0)[:, None, :]
        where = np.where(same.any(axis=1), same.argmax(axis=1) + 1, 0)
        return np.where(self._wide[left] | self._wide[right], _NO_CLASS, where @ _PLACES)


class PerClass:
    """A law of two statements, the same both ways round, that is asked once of each class of pairs; what it said of
    the last classes, `room` at most, is kept. Threads may share it."""

    def __init__(self, law: Callable[[Statement, Statement], bool], *, room: int = 1 << 16) -> None:
        self._law = law
        self._told: Recent[int, bool] = Recent(room)

    def holds(self, forms: Forms, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(pairs,): whether it holds of left[p] and right[p]."""
        out = np.empty(left.size, bool)
        said, numbers, told = forms.said, forms.numbers, self._told
        pairs = zip(left.tolist(), right.tolist(), forms.shared(left, right).tolist(), strict=True)
        for p, (i, j, shared) in enumerate(pairs):
            if shared == _NO_CLASS:
                out[p] = self._law(said[i], said[j])
                continue
            kind = (numbers[i] << 64 | numbers[j]) << 27 | shared
            found = told.get(kind)
            if found is None:
                found = self._law(said[i], said[j])
                told.keep(kind, found)
            out[p] = found
        return out


class Meeting:
    """Which pairs of a list of statements some law may hold of."""

    def __init__(self, laws: Laws, per_class: PerClass, forms: Forms) -> None:
        """`per_class` asks `laws.hold`."""
        self._per_class = per_class
        self._forms = forms
        met = np.array([laws.met(one) for one in forms.said], np.int64).reshape(-1, 2)
        self._first, self._second = met[:, 0].copy(), met[:, 1].copy()

    def possible(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(pairs,): False where no law holds."""
        first, second = self._first, self._second
        return np.asarray(((first[left] & second[right]) | (second[left] & first[right])) != 0)

    def hold(
        self, left: NDArray[np.intp], right: NDArray[np.intp], among: NDArray[np.bool_] | bool = True
    ) -> NDArray[np.bool_]:
        """(pairs,): whether a law holds of each pair (left[p], right[p]) `among` them."""
        out = np.zeros(left.size, bool)
        some = np.flatnonzero(self.possible(left, right) & among)
        out[some] = self._per_class.holds(self._forms, left[some], right[some])
        return out
