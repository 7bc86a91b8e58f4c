"""What a statement's analysis must see, on small texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.slots.pair_columns import FEATURES
from scrubjay.slots.slot_features import pair_features
from scrubjay.slots.statements import _COUNTS, GROUPS, MARKS, MAX_TOKENS, statement


def mark(text, name):
    return statement(text).marks[MARKS.index(name)]


def in_group(text, name):
    return int(statement(text).groups[:, GROUPS.index(name)].sum())


def features(first, second):
    left, right = np.array([0]), np.array([1])
    return dict(zip(FEATURES, pair_features([statement(first), statement(second)], left, right)[0], strict=True))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is the meeting?", True),
        ("Ana: How are you?", True),
        ("I moved to Bern. Where do you live?", False),
        ("The meeting is in F3.", False),
        ("会議はどこですか？", True),
    ],
)
def test_a_text_that_only_asks_states_nothing(text, asks):
    assert statement(text).asks is asks


def test_the_speaker_is_no_part_of_the_statement():
    spoken, plain = statement("Ana: I live in Bern."), statement("I live in Bern.")
    np.testing.assert_array_equal(spoken.ids, plain.ids)
    assert spoken.speaker != 0
    assert plain.speaker == 0
    assert spoken.speaker != statement("Ben: I live in Bern.").speaker


def test_names_numbers_and_negations_are_told_apart():
    text = "The room of Judith Olsen is not 4.12."
    assert in_group(text, "name") == 2
    assert in_group(text, "number") == 1
    assert mark(text, "negation") == 1
    assert in_group(text, "head_name") == 2
    assert in_group(text, "head_number") == 0


def test_a_capital_inside_a_sentence_is_no_verb():
    assert in_group("The latest release of Go 1.22 is 1.22.5.", "head_number") == 1


def test_endings_do_not_hide_that_words_are_the_same():
    f = features("They moved the meetings.", "They are moving the meeting.")
    assert f["apart_min_word"] == 0


def test_features_are_symmetric_and_see_the_differing_span():
    first, second = "The code of the gate is 1234.", "The code of the gate is 9876."
    f, g = features(first, second), features(second, first)
    assert f == g
    assert f["prefix"] == pytest.approx(6 / 7)
    assert f["apart_min_number"] > 0
    assert f["apart_max_word"] == 0
    assert f["shape_same"] == 1
    assert f["subject_same"] == 1


@given(st.text(max_size=300))
def test_any_text_can_be_analysed(text):
    s = statement(text)
    assert s.ids.size <= MAX_TOKENS
    assert s.groups.shape == (s.ids.size, len(GROUPS))
    assert np.isfinite(s.marks).all()


def test_a_megabyte_is_judged_by_its_beginning():
    s = statement("word " * 200_000)
    assert s.ids.size == MAX_TOKENS
    assert s.marks[MARKS.index("long")] == 1


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Ada is CFO of Corvane Systems.", "Ada is CEO of Corvane Systems.", True),
        ("Mo is Chair of the Board.", "Mo is Vice Chair of the Board.", True),
        ("Ada is CFO of Corvane Systems.", "Ada is CEO of Dunmore Freight.", False),
        ("Ada is the mother of Tom.", "Ada is the teacher of Tom.", False),
        ("Tom is a member of the chess club.", "Tom is treasurer of the chess club.", False),
        ("The tank is full of water.", "The tank is full of water.", False),
        ("Tom is in charge of sales.", "Tom is head of sales.", False),
    ],
)
def test_an_office_is_held_in_a_body_without_an_article(first, second, same):
    one, two = statement(first).office, statement(second).office
    assert (one == two != 0) is same


@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("Room 12 opens at 9:30", "It is at 8:15.", "It is room 7."),
        ("At 9:30 we meet in v1.2", "It is v3.4.", "It is at 8:15."),
        ("Marta trifft Li Wei um 14h", "It is at 15h.", "It is 14."),
        ("The 3 keys lie in B17", "They lie in C24.", "They lie in 24."),
        ("La sala 3 abre a las 9:30", "It is at 8:15.", "It is 3."),
    ],
)
def test_the_last_number_gives_the_shape(text, same, other):
    assert statement(text).shape == statement(same).shape != 0
    assert statement(text).shape != statement(other).shape


def test_a_text_without_a_number_has_no_shape():
    assert [statement(text).shape for text in ("", "Ana lives in Bern.", "Der Server ist rot", "？")] == [0] * 4


def test_a_word_counts_in_each_list_that_names_it():
    assert any(_COUNTS[a] & _COUNTS[b] for a in _COUNTS for b in _COUNTS if a < b)
    for name, words in _COUNTS.items():
        # a word of two tokens is in no list that is read token by token
        for word in (word for word in sorted(words) if statement(f"so {word}").ids.size == 2):
            assert mark(f"so {word}", name) >= 1, (name, word)
    assert mark("so Zürich", "negation") == 0
