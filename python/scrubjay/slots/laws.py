"""Laws of pairs of statements, each with what it needs of either: it is asked only of pairs in which it can hold.

What a statement has of what the laws need is told once and kept with it; of a pair that is one comparison of bits, and
of many pairs one for all.

>>> from scrubjay.slots.statements import statement
>>> from scrubjay.slots.vocabulary import content_of, ids_of
>>> whose = Law(lambda new, old: old.parts <= content_of(new), words=ids_of("sold"), other=lambda old: not old.past)
>>> once = Laws("what was sold", whose)
>>> sold, held, was = map(statement, ("Ana sold the car.", "Ana drives a car.", "Ana drove a car in 2019."))
>>> once.hold(sold, held), once.hold(held, sold), once.hold(sold, was)
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from scrubjay.slots.statements import Statement

ANY: Final = frozenset[int]()


def always(*_: Statement) -> bool:
    """What a law needs that needs nothing, and a law that holds wherever it may."""
    return True


class Law(NamedTuple):
    """A law of two statements, of which `one` comes first; it is asked both ways round."""

    holds: Callable[[Statement, Statement], bool]
    one: Callable[[Statement], bool] = always
    """What it needs of the first,"""
    words: frozenset[int] = ANY
    """the words of which the first has one; none: whatever it has,"""
    other: Callable[[Statement], bool] = always
    """and what of the second."""
    mutual: bool = False
    """It needs the same of the second, and is the same both ways round: it is asked once."""

    def __call__(self, one: Statement, other: Statement) -> bool:
        """Whether it holds of the two in this order."""
        second = self._first(other) if self.mutual else self.other(other)
        return second and self._first(one) and self.holds(one, other)

    def _first(self, said: Statement) -> bool:
        return (not self.words or not self.words.isdisjoint(said.ids.tolist())) and self.one(said)


class Laws:
    """A table of laws under a name of their own."""

    def __init__(self, name: str, *laws: Law) -> None:
        self._name = f"laws of {name}"
        self._holds = [law.holds for law in laws]
        self._once = sum(law.mutual << i for i, law in enumerate(laws))
        self._free = sum((not law.words) << i for i, law in enumerate(laws))
        self._by_word: dict[int, int] = {}
        self._of_one: dict[Callable[[Statement], bool], int] = {}
        self._of_other: dict[Callable[[Statement], bool], int] = {}
        for i, law in enumerate(laws):
            for word in law.words:
                self._by_word[word] = self._by_word.get(word, 0) | 1 << i
            self._of_one[law.one] = self._of_one.get(law.one, 0) | 1 << i
            if not law.mutual:
                self._of_other[law.other] = self._of_other.get(law.other, 0) | 1 << i

    def met(self, said: Statement) -> tuple[int, int]:
        """A bit for each law whose needs it meets as the first of two, and as the second."""
        held = vars(said)
        found: tuple[int, int] | None = held.get(self._name)
        if found is None:
            found = held[self._name] = self._met(said)
        return found

    def _met(self, said: Statement) -> tuple[int, int]:
        may = self._free
        for word in said.ids.tolist():
            may |= self._by_word.get(word, 0)
        first = sum(bits & may for needs, bits in self._of_one.items() if bits & may and needs(said))
        second = sum(bits for needs, bits in self._of_other.items() if needs(said))
        return first, second | first & self._once

    def hold(self, one: Statement, other: Statement) -> bool:
        """Whether a law holds of the two, either way round."""
        (first, second), (first_2, second_2) = self.met(one), self.met(other)
        forth, back = first & second_2, first_2 & second & ~self._once
        return self._any(forth, one, other) or self._any(back, other, one)

    def forth(self, one: Statement, other: Statement) -> bool:
        """Whether a law holds of the two in this order."""
        return self._any(self.met(one)[0] & self.met(other)[1], one, other)

    def _any(self, laws: int, one: Statement, other: Statement) -> bool:
        while laws:
            bit = laws & -laws
            if self._holds[bit.bit_length() - 1](one, other):
                return True
            laws ^= bit
        return False
