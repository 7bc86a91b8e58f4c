"""What is made from the written sentences: patterns filled, time expressions added, wrappings that change nothing."""

from __future__ import annotations

import re

import numpy as np
import pytest

from scrubjay.encode.curves import DAY
from scrubjay.encode.features import NAMES, TIMES, features
from scrubjay.training.augment import (
    ANCHORS,
    HOUR,
    WRAPPERS,
    anchored,
    augmented,
    expand,
    expand_groups,
    expires,
    filled,
    held_out,
    in_first_person,
    joined,
    load_paraphrases,
    load_patterns,
    renewed,
    swapped,
    worn,
    wrapped,
)
from scrubjay.training.observations import Sentence, load_everyday
from scrubjay.training.robustness import variants
from scrubjay.training.words import SLOTS, words


def sentence(text: str = "Mara lives in Porto.", median: float = 1000 * DAY, **given: float) -> Sentence:
    return Sentence(text=text, family="f", part="train", median_s=median, **{"shape": 1.0, "never": 0.0} | given)


def test_patterns_are_sound_and_their_slots_known() -> None:
    patterns = load_patterns()
    assert len({p.family for p in patterns}) == len(patterns) >= 50
    for p in patterns:
        assert len(p.templates) >= 6
        assert p.median_s > 0.0
        assert p.shape > 0.0
        assert 0.0 <= p.never <= 1.0
        for template in p.templates:
            assert set(re.findall(r"\{(\w+)\}", template)) <= SLOTS, template


def test_paraphrase_groups_are_many_and_a_third_is_held_out_whole() -> None:
    groups = load_paraphrases()
    assert len({g.family for g in groups}) == len(groups) >= 100
    assert not {g.family for g in groups} & {p.family for p in load_patterns()}
    held = [g for g in groups if held_out(g.family)]
    assert 0.25 < len(held) / len(groups) < 0.45
    made = expand_groups(groups, 2, seed=0)
    for g in groups:
        assert len(set(g.templates)) == len(g.templates) >= 5
        assert set(re.findall(r"\{(\w+)\}", " ".join(g.templates))) <= SLOTS
    assert {s.family for s in made if s.part == "held_out"} == {g.family for g in held}
    assert any(s.text.startswith(("I ", "I'm ", "My ")) for s in made)
    assert all("{" not in s.text for s in made)


def test_what_is_held_out_has_other_words() -> None:
    for slot in sorted(SLOTS - {"p"}):
        train, held = words(slot), words(slot, held_out=True)
        assert len(train) >= len(held) >= 2, slot
        assert not set(train) & set(held), slot
    rng = np.random.default_rng(0)
    assert all(filled("{city}", rng, held_out=True) in words("city", held_out=True) for _ in range(50))


def test_variants_of_a_group_are_told_from_one_another() -> None:
    for g in load_paraphrases()[::9]:
        texts = variants(g)
        assert len(set(texts)) == len(texts) >= len(g.templates)
        assert texts == variants(g)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{p} is asleep.", "I'm asleep."),
        ("{p} has a {animal}.", "I have a {animal}."),
        ("{p}'s phone is {colour}.", "My phone is {colour}."),
        ("{p} goes to Dr {n2}.", "I go to Dr {n2}."),
        ("{p} studies {topic}.", "I study {topic}."),
        ("{p} hurt her knee.", "I hurt my knee."),
        ("The {job} is running.", None),
    ],
)
def test_a_person_speaks_of_themselves(template: str, text: str | None) -> None:
    assert in_first_person(template) == text


def test_joined_sentences_hold_as_long_as_all_of_them() -> None:
    short, lasting = sentence("It rains", median=DAY), sentence("Iron rusts.", median=9e4 * DAY, never=0.98)
    both = joined(lasting, short)
    assert both.text == "Iron rusts. It rains"
    assert both.never == 0.0
    assert both.median_s == pytest.approx(DAY, rel=0.05)
    twice = joined(short, sentence(median=DAY))
    assert 0.4 * DAY < twice.median_s < 0.6 * DAY
    ages = np.geomspace(HOUR, 1000 * DAY, 50)
    product = short.survival(ages) * lasting.survival(ages)
    assert np.abs(both.survival(ages) - product).max() < 0.05
    assert joined(lasting, sentence("Salt.", median=1e5 * DAY, never=0.9)).never == pytest.approx(0.882)


def test_news_goes_on_as_long_as_it_did() -> None:
    for seed in range(20):
        s = renewed(sentence("Mara works in Porto."), np.random.default_rng(seed))
        assert s is not None
        assert s.median_s == 1000 * DAY
        assert "works in Porto" in s.text
    assert renewed(sentence("Iron rusts."), np.random.default_rng(0)) is None


def test_pairs_that_mean_the_same() -> None:
    pairs = swapped(load_patterns(), 60, seed=1)
    assert pairs == swapped(load_patterns(), 60, seed=1)
    assert sum(one != other for one, other in pairs) > 40
    rng = np.random.default_rng(3)
    assert {worn("Mara is here.", rng) for _ in range(40)} == {
        "Mara is here", "mara is here.", "mara is here", "Mara is here!"
    }  # fmt: skip


def test_a_third_of_each_family_is_held_out_and_never_trained_on() -> None:
    made = expand(load_patterns(), 4, seed=0)
    held, train = ({s.text for s in made if s.part == part} for part in ("held_out", "train"))
    assert len(held) >= 100
    assert not held & train
    assert not (held | train) & {s.text for s in load_everyday()}
    assert all("{" not in text for text in held | train)


def test_the_same_seed_makes_the_same_sentences() -> None:
    patterns = load_patterns()
    first, again, other = (
        augmented(expand(patterns, 2, seed=seed), seed=seed, anchors=2, wrappers=2) for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("anchor", ANCHORS, ids=lambda a: (a.after or a.before).strip())
@pytest.mark.parametrize("median", [10 * 60.0, DAY, 30 * DAY, 3000 * DAY])
def test_a_time_expression_bounds_the_horizon(anchor, median: float) -> None:
    for leading in (False, True):
        s = anchored(sentence(median=median), anchor, leading=leading)
        assert "porto" in s.text.lower()
        if anchor.factor <= 1.0:
            assert s.median_s <= max(anchor.most, min(median, HOUR))
            assert s.median_s <= median
            assert s.never == 0.0
        else:
            assert s.median_s >= median


def test_what_never_ends_is_given_no_end_by_accident() -> None:
    assert not expires(sentence("Iron rusts.", never=0.99))
    assert not expires(sentence("The shop is closed today."))
    assert expires(sentence("The shop is closed."))
    for s in augmented([sentence("Iron rusts.", never=0.99)], seed=0, anchors=5, wrappers=5):
        assert s.never == 0.99
        assert s.median_s == 1000 * DAY


def test_wrappings_keep_the_text_whole() -> None:
    rng = np.random.default_rng(0)
    text = "Mara {likes} 100% of it \\1 and \0 too."
    for _ in range(200):
        assert "Mara {likes} 100% of it" in wrapped(text, rng)
    assert all("{}" in wrapper for wrapper in WRAPPERS)
    assert "{" not in filled("{it} {was_noted} {somewhere}", rng)


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("Mara is in the lobby right now", "this_moment"),
        ("For now we use the old key", "for_now"),
        ("At the moment it is closed", "for_now"),
        ("The lift is broken this morning", "this_day"),
        ("We meet tonight", "this_day"),
        ("Der Aufzug ist heute kaputt", "this_day"),
        ("会议今天在三号房间。", "this_day"),
        ("They come tomorrow", "next_day"),
        ("This week's menu is vegetarian", "this_week"),
        ("She is away this month", "this_month"),
        ("He works there currently", "current"),
        ("She moved for good", "lasting"),
        ("Room 4 is taken until three", "until_clock"),
        ("I am out until 3pm", "until_clock"),
        ("Send it by 14:30", "until_clock"),
        ("She covers until Friday", "until_day"),
        ("The pass is valid until 2027-05-01", "until_date"),
        ("The wifi is off until further notice", "for_now"),
        ("小明今天在Atlas会议室。", "this_day"),
        ("They stay until August", "until_date"),
    ],
)
def test_time_expressions_are_seen(text: str, on: str) -> None:
    row = dict(zip(NAMES, features([text])[0], strict=True))
    assert row[on] == 1.0
    assert sum(row[name] for name in TIMES) == 1.0


@pytest.mark.parametrize(
    "text",
    ["Effective immediately, badges are needed", "Er arbeitet ab sofort in Graz", "Elle travaille désormais à Lyon"],
)
def test_news_is_no_bound(text: str) -> None:
    row = dict(zip(NAMES, features([text])[0], strict=True))
    assert row["begins"] == 1.0
    assert all(row[name] == 0.0 for name in (*TIMES, "moment"))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("From now on she works here", "She works here"),
        ("As of today the rule holds", "The rule holds"),
        ("Starting this week we meet in B12", "We meet in B12"),
    ],
)
def test_news_before_a_statement_is_left_out(text: str, bare: str) -> None:
    one, other = features([text, bare])
    assert (one == other).all()


@pytest.mark.parametrize("text", ["She works from seven until three.", "Open between 9 and 5.", "Mara is a nurse.", ""])
def test_timetables_and_plain_statements_have_no_bound(text: str) -> None:
    row = dict(zip(NAMES, features([text])[0], strict=True))
    assert all(row[name] == 0.0 for name in TIMES)
