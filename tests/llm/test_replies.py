"""Replies taken apart: what is good around whatever prose, and nothing of what is not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay.errors import ModelReplyError
from scrubjay.llm.replies import RefusedError, read_deltas, read_opinions, read_sentences
from scrubjay.memory import LABELS, Opinion
from tests.llm.shapes import GOOD_DELTAS, GOOD_ITEM, bad_deltas, bad_opinions

DELTAS = json.dumps(GOOD_DELTAS)
OPINION = Opinion(label="ephemeral", pi=0.9, tau=7200.0)
AROUND = {
    "alone": "%s",
    "fence": "```json\n%s\n```",
    "fence without a language": "```\n%s\n```",
    "prose": "Sure, here it is:\n%s\nAnything else?",
    "braces in prose": "For the set {x} I say: %s",
    "an opening brace in prose": "I use { as the opener. %s",
    "a quote in prose": 'He said "ok. %s',
    "an apostrophe": "It's here: %s",
    "thinking": '<think>maybe {"delta_value": 1, "delta_pi": 0, "delta_tau": 0, "summary": "no"}</think>%s',
    "twice the same": "%s and again %s",
    "a list of strings before": '["a", "b"] then %s',
    "another object before": '{"note": "thinking"} then %s',
    "a byte order mark": "\ufeff%s",
    "windows lines": "\r\n%s\r\n",
}


def test_there_are_enough_shapes() -> None:
    assert len(bad_deltas()) + len(bad_opinions()) >= 300


@pytest.mark.parametrize("name", AROUND)
def test_bug_06_an_answer_is_found_in_whatever_stands_around_it(name: str) -> None:
    around = AROUND[name]
    reply = read_deltas(around.replace("%s", DELTAS))
    assert (reply.value, reply.pi, reply.tau, reply.summary) == (-0.4, 0.1, -0.3, "moved")
    item = json.dumps({"items": [{"item": 1, **GOOD_ITEM}]})
    assert read_opinions(around.replace("%s", item), 1) == [OPINION]


@pytest.mark.parametrize("name", bad_deltas())
def test_bug_25_what_is_no_answer_is_refused(name: str, counted: Callable[..., None]) -> None:
    with pytest.raises(RefusedError) as caught:
        read_deltas(bad_deltas()[name])
    assert len(str(caught.value)) < 80
    counted("hostile replies of a model", refused=1)


@pytest.mark.parametrize("name", bad_opinions())
def test_bug_25_what_is_no_opinion_is_refused(name: str, counted: Callable[..., None]) -> None:
    with pytest.raises(RefusedError):
        read_opinions(bad_opinions()[name], 1)
    counted("hostile replies of a model", refused=1)


def test_bug_06_a_fence_inside_a_string_is_text() -> None:
    told = {**GOOD_DELTAS, "summary": 'see ```json\n{"delta_value": 1}\n``` there'}
    reply = read_deltas(f"```json\n{json.dumps(told)}\n```")
    assert reply.value == -0.4
    assert reply.summary == 'see ```json {"delta_value": 1} ``` there'


@pytest.mark.parametrize(
    "bad",
    [
        '{"item": 3, "label": "ephemeral", "pi": NaN, "tau_sec": 1}',
        '{"item": 3, "label": "eternal", "pi": 0.5, "tau_sec": 1}',
        '{"item": 3, "pi": 0.5, "tau_sec": 1}',
        '{"item": 3, "label": "ephemeral", "pi": 0.5, "pi": 0.5, "tau_sec": 1}',
        '{"item": "3", "label": "ephemeral", "pi": 0.5, "tau_sec": 1}',
        '{"item": 99, "label": "ephemeral", "pi": 0.5, "tau_sec": 1}',
        '{"item": 3, "label": "ephe\\meral", "pi": 0.5, "tau_sec": 1}',
        '{"item": 3, "label": "ephemeral", "pi": 1, "tau_sec": 1} {"item": 3, "label": "x", "pi": 1, "tau_sec": 1}',
        "null",
        '"ephemeral"',
        '["ephemeral", 0.9, 7200]',
        "{}",
        "{item: 3}",
        "",
    ],
)
def test_bug_06_one_bad_item_of_eight_does_not_lose_seven(bad: str) -> None:
    entries = [json.dumps({"item": i, **GOOD_ITEM}) for i in range(1, 9)]
    entries[2] = bad
    answers = read_opinions('{"items": [' + ", ".join(entries) + "]}", 8)
    assert answers == [OPINION] * 2 + [None] + [OPINION] * 5


def test_bug_06_a_truncated_list_keeps_what_is_whole() -> None:
    whole = json.dumps({"items": [{"item": i, **GOOD_ITEM} for i in range(1, 9)]})
    for cut in range(len(whole)):
        try:
            answers = read_opinions(whole[:cut], 8)
        except RefusedError:
            answers = [None] * 8
        told = whole[:cut].count("}")
        assert answers == [OPINION] * min(told, 8) + [None] * (8 - min(told, 8))


def test_bug_03_a_number_that_no_item_has_names_nothing() -> None:
    entries = [{"item": number, **GOOD_ITEM} for number in (12, 0, -1, 2)]
    assert read_opinions(json.dumps(entries), 5) == [None, OPINION, None, None, None]


def test_items_without_numbers_are_taken_in_order_if_there_are_as_many() -> None:
    plain = [{**GOOD_ITEM, "pi": 0.1 * (i + 1)} for i in range(3)]
    answers = read_opinions(json.dumps(plain), 3)
    assert [a.pi for a in answers if a] == pytest.approx([0.1, 0.2, 0.3])
    with pytest.raises(RefusedError):
        read_opinions(json.dumps(plain[:2]), 3)
    assert read_opinions(json.dumps(GOOD_ITEM), 1) == [OPINION]


def test_sentences_are_one_clean_line() -> None:
    told = [{"item": 1, "sentence": "a\n\u202eb\0" + "c" * 999}, {"item": 2, "sentence": " \n"}]
    first, second = read_sentences(json.dumps(told), 2)
    assert first is not None
    assert first.startswith("a b ccc")
    assert len(first) == 300
    assert second is None


numbers = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**30), 10**30))


@given(numbers, numbers, numbers, st.text())
def test_what_is_finite_is_clipped(value: float, pi: float, tau: float, summary: str) -> None:
    told = {"delta_value": value, "delta_pi": pi, "delta_tau": tau, "summary": summary}
    reply = read_deltas(json.dumps(told))
    assert -1 <= reply.value <= 1
    assert -0.5 <= reply.pi <= 0.5
    assert -0.9 <= reply.tau <= 1
    assert len(reply.summary) <= 160
    reply.summary.encode("utf-8")
    (opinion,) = read_opinions(json.dumps({"label": "factual", "pi": pi, "tau_sec": tau}), 1)
    assert opinion is not None
    assert 1e-3 <= opinion.pi <= 1
    assert 60 <= opinion.tau <= 365 * 86400


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["items", "item", "label", "pi", "tau_sec", "delta_pi", "id"]) | st.text(max_size=3), inner
        )
    ),
    max_leaves=20,
)


@settings(max_examples=300)
@given(st.one_of(st.text(), json_values.map(json.dumps), st.binary().map(lambda b: b.decode("latin-1"))))
def test_whatever_is_replied_there_is_an_answer_in_range_or_a_refusal(reply: str) -> None:
    for read in (read_deltas, lambda text: read_opinions(text, 3)):
        try:
            answers = read(reply)
        except ModelReplyError:
            continue
        for one in answers if isinstance(answers, list) else []:
            assert one is None or (one.label in LABELS and math.isfinite(one.pi) and math.isfinite(one.tau))
