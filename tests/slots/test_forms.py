"""Forms of statements: what a law says of one pair of a class it says of all."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from scrubjay.remembered import Recent, forget_all
from scrubjay.slots.changes import REPLACES, goes_on
from scrubjay.slots.endings import either_ends
from scrubjay.slots.forms import WIDEST, Forms, form_of
from scrubjay.slots.slot_features import Kind, Pair, kinds_of
from scrubjay.slots.standing import STANDS
from scrubjay.slots.statements import Statement, identity, listed, statement

LAWS = {"goes on": goes_on, "ends": either_ends, "replaces": REPLACES.hold, "stands": STANDS.hold}


def kinds(
    said: list[Statement], left: NDArray[np.intp], right: NDArray[np.intp]
) -> tuple[list[Kind], list[Pair], NDArray[np.intp]]:
    return kinds_of(Forms([form_of(one) for one in said]), said.__getitem__, left, right)


SAID = (
    "{a} works at {b}.", "{a} no longer works at {b}.", "{a} works as a nurse at {b}.", "{a} moved to {b}.",
    "{a} lives in {b}.", "{a} now works for {b}.", "{a} is the head of {b}.", "{a} replaced {b} as head of sales.",
    "{a} is on call.", "{a} took over the on-call duty from {b}.", "{a} is allergic to {b}.", "{a} eats {b} again.",
    "Ticket {n} is open.", "Ticket {n} is closed.", "Ticket {n} was moved to {b}.", "Order {n} went to {b}.",
    "{a} has {n} children.", "{a} {b} is the captain of team {n}.", "The {b} server {n} is down since 9:30.",
    "The {b} server {n} is back online.", "The meeting is at {n}:30.", "The meeting is at {n}:30 in room {b}.",
    "{a} prefers {b}.", "{a} switched from {b} to tea.", "We use {b}.", "We replaced {b} with {a}.",
    "max_{b} = {n}", "Release {n}.2 is out.", "{b} {n}.1 is live in production.", "The latest version of {b} is {n}.1.",
    "{a} bought a {b} yesterday.", "Flight LH{n} is late.", "{a} drinks {b}.", "{a} no longer drinks alcohol.",
    "{a} is {b}'s boss.", "{a} got a new boss.", "The price of {b} is {n} euros.", "The {b} is in staging.",
)  # fmt: skip
FILLS = {
    "a": ("Ana", "Quill", "Zorvan", "Bo"),
    "b": ("Graz", "Spotify", "beer", "Vrentok", "Quill", "Kelda"),
    "n": ("7", "42", "881", "1987", "3"),
}


def texts(seed: int, each: int = 4) -> list[str]:
    rng = random.Random(seed)
    return [said.format(**{k: rng.choice(some) for k, some in FILLS.items()}) for said in SAID for _ in range(each)]


@pytest.mark.parametrize("name", LAWS)
def test_a_law_says_of_each_pair_what_it_says_of_its_class(name):
    said = [statement(text) for text in texts(1)]
    rng = np.random.default_rng(2)
    left, right = rng.integers(0, len(said), (2, 3000))
    # many pairs of one form beside random ones
    right[::2] = np.minimum(left[::2] + rng.integers(1, 6, left[::2].size), len(said) - 1)
    law = LAWS[name]
    classes, place = Forms([form_of(one) for one in said]).classes(left, right)
    found = np.array([law(said[i], said[j]) for i, j, _ in classes])[place]
    assert len(classes) < len(place)
    assert found.tolist() == [law(said[i], said[j]) for i, j in zip(left, right, strict=True)]


def test_laws_know_unlisted_words_only_by_whether_they_are_the_same():
    # Zorvan, Vrentok and Kelda stand in no list: other such words in their places change no decision
    assert not any(listed(statement(f"{word} sings.").ids[0]) for word in ("Zorvan", "Vrentok", "Kelda", "Quarn"))
    others = {"Zorvan": "Quarn", "Vrentok": "Zilpah", "Kelda": "Morvun", "Quill": "Brask", "881": "6407"}
    some = texts(3, each=2)
    renamed = []
    for text in some:
        for word, other in others.items():
            text = text.replace(word, other)
        renamed.append(text)
    assert sum(one != other for one, other in zip(some, renamed, strict=True)) > 20
    for (a, b), (x, y) in zip(pairwise(some), pairwise(renamed), strict=True):
        for law in LAWS.values():
            assert law(statement(a), statement(b)) == law(statement(x), statement(y)), (a, b)


def test_hundreds_of_texts_of_one_form_are_one_kind_of_pair():
    said = [statement(f"Ticket {n} is open.") for n in range(3000, 3200)]
    left, right = np.triu_indices(len(said), 1)
    [kind], [pair], place = kinds(said, left, right)
    assert not place.any()
    assert kind.stands(pair)
    # other texts have the same kinds
    other = [statement(f"Ticket {n} is open.") for n in (4001, 4002)]
    assert kinds(other, np.array([0]), np.array([1]))[0][0] is kind


def test_kinds_have_what_each_pair_has_by_itself():
    said = [statement(text) for text in texts(4)]
    rng = np.random.default_rng(5)
    left, right = rng.integers(0, len(said), (2, 400))
    every, _, place = kinds(said, left, right)
    for p, (i, j) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        forget_all()
        [alone], _, _ = kinds([said[i], said[j]], np.array([0]), np.array([1]))
        many = every[place[p]]
        assert many[:5] == alone[:5], (i, j)
        np.testing.assert_array_equal(many.features, alone.features)


def test_what_laws_read_makes_another_form():
    form = form_of(statement("Ticket 881 is open."))
    for other in ("Ticket 881 is closed.", "Ticket 1987 is open.", "ticket 881 is open!", "Ana: Ticket 881 is open.",
                  "Ticket 881 is open?", "Ticket 88.1 is open.", "Ticket Ticket is open."):  # fmt: skip
        assert form_of(statement(other)).number != form.number or other == "ticket 881 is open!"
    # the same word twice is not two words
    twice, two = (form_of(statement(f"Zorvan met {name}.")) for name in ("Zorvan", "Kelda"))
    assert twice.number != two.number


def test_texts_with_more_words_than_a_class_can_say_have_no_number():
    words = [f"blurb{chr(97 + i)}" for i in range(WIDEST + 3)]
    forms = Forms([form_of(statement(text)) for text in (" ".join(words), " ".join(reversed(words)), "Bo sings.")])
    classes, place = forms.classes(np.array([0, 1, 0, 2]), np.array([1, 2, 1, 2]))
    assert place[0] == place[2]
    assert len(classes) == 3
    assert [number == 0 for i, j, number in classes] == [min(i, j) < 2 for i, j, _ in classes]


def test_a_word_of_a_list_is_listed():
    assert not listed(int(statement("Wuzzlebert sings.").ids[0]))
    assert identity("boss") == statement("The boss sings.").ids[1]
    assert listed(int(statement("The boss sings.").ids[1]))


def test_recent_keeps_what_was_asked_for_lately_within_its_room():
    some: Recent[int, bool] = Recent(100)
    for i in range(1000):
        some.keep(i, i % 2 == 0)
        assert some.get(0) is True
        some.keep(0, True)
        assert len(some) <= 100
    assert some.get(999) is False
    assert some.get(500) is None
    forget_all()
    assert len(some) == 0
