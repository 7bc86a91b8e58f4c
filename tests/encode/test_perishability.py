"""The keyword rule, and the checks of values that others give."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.encode.perishability import (
    FACTUAL,
    RANGES,
    RULES,
    KeywordRule,
    check_perishability,
    classify_texts,
    clip_perishability,
    first_rule,
)
from scrubjay.errors import ArgumentError, ArgumentTypeError, ModelReplyError
from scrubjay.memory import LABELS, MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY, Origin, Perishability
from scrubjay.protocols import PerishabilityModel

DAY = 86400.0
WORDS = [word for rule in RULES for word in rule.words]


def classify(text: str, context: str | None = None) -> Perishability:
    none = np.zeros((1, 2), dtype=np.float32)
    return KeywordRule().classify([text], [context], none, none)[0]


def oracle(text: str, context: str | None) -> str:
    for rule in RULES:
        for word in rule.words:
            pattern = r"(?<!\w)" + word.replace(" ", r"\s+") + r"(?!\w)"
            if any(re.search(pattern, part or "", re.IGNORECASE) for part in (text, context)):
                return rule.label
    return FACTUAL.label


@pytest.mark.parametrize(
    ("text", "label", "pi", "tau"),
    [
        ("The build is red TODAY.", "ephemeral", 0.9, 7200.0),
        ("It is right\n now.", "ephemeral", 0.9, 7200.0),
        ("How to rotate the keys", "procedural", 0.3, 10 * DAY),
        ("The process: ask, wait.", "procedural", 0.3, 10 * DAY),
        ("meeting in 4.12", "task_specific", 0.6, DAY),
        ("Ann is a nurse", "factual", 0.1, 45 * DAY),
        ("today's meeting follows the procedure", "ephemeral", 0.9, 7200.0),
        ("a ticket on the release workflow", "procedural", 0.3, 10 * DAY),
        ("meetings, issued tissue, task_id, processing, temporarily", "factual", 0.1, 45 * DAY),
        ("", "factual", 0.1, 45 * DAY),
    ],
)
def test_the_rule_of_the_source(text: str, label: str, pi: float, tau: float) -> None:
    assert classify(text) == Perishability(label=label, pi=pi, tau=tau, origin=Origin.KEYWORDS)


def test_the_context_counts_but_phrases_do_not_cross() -> None:
    assert classify("room 4.12", "sprint meeting").label == "task_specific"
    assert classify("room for a meeting", "temporary").label == "ephemeral"
    assert classify("turn right", "now playing").label == "factual"


@given(
    st.lists(st.sampled_from([*WORDS, "x", "s", "TODAY", "Right  Now", "_", "-", ".", "é"]), max_size=6),
    st.sampled_from([" ", "", "-", "\n"]),
    st.none() | st.sampled_from(WORDS),
)
def test_agrees_with_a_word_by_word_reading(parts: list[str], joint: str, context: str | None) -> None:
    assert classify(joint.join(parts), context).label == oracle(joint.join(parts), context)


@given(st.text())
def test_any_text_has_a_label_in_its_range(text: str) -> None:
    value = classify(text)
    low, high = RANGES[value.label]
    assert low <= value.pi <= high
    assert MIN_HORIZON <= value.tau <= MAX_HORIZON
    assert value.label == oracle(text, None)


def test_distance_of_what_and_where_adds_at_most_a_twentieth() -> None:
    what = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [1, 0]], dtype=np.float32)
    where = np.array([[1, 0], [0, 1], [-1, 0], [0, 0], [0.6, 0.8]], dtype=np.float32)
    values = KeywordRule().classify(["fact"] * 5, ["c", "c", "c", None, "c"], what, where)
    assert [value.pi for value in values] == pytest.approx([0.1, 0.15, 0.15, 0.1, 0.12])
    values = KeywordRule().classify(["fact"], ["c"], what[:1], np.ones((1, 3), dtype=np.float32))
    assert values[0].pi == 0.1


def test_it_fits_the_protocol_and_takes_nothing() -> None:
    rule = KeywordRule()
    assert isinstance(rule, PerishabilityModel)
    none = np.zeros((0, 2), dtype=np.float32)
    assert rule.classify([], [], none, none) == []
    with pytest.raises(ArgumentError, match="equally long"):
        rule.classify(["a"], [], none, none)


def test_ten_thousand_texts_in_one_call() -> None:
    texts = [f"note {i} {WORDS[i % len(WORDS)] if i % 3 else 'fact'}" for i in range(10_000)]
    none = np.zeros((10_000, 4), dtype=np.float32)
    values = KeywordRule().classify(texts, [None] * 10_000, none, none)
    assert [value.label for value in values] == [oracle(text, None) for text in texts]


def test_first_rule_of_a_long_text_is_found_at_its_end() -> None:
    assert first_rule("x " * 500_000 + "workflow") == 1
    assert first_rule("right " * 100_000) == len(RULES)


@given(st.floats(min_value=1e-300, max_value=1e300), st.floats(min_value=1e-300, max_value=1e300))
def test_clipping_keeps_the_domain(pi: float, tau: float) -> None:
    value = clip_perishability("factual", pi, tau, shape=tau, origin=Origin.MODEL)
    assert MIN_PERISHABILITY <= value.pi <= 1.0
    assert MIN_HORIZON <= value.tau <= MAX_HORIZON
    assert 1 / 16 <= value.shape <= 16
    assert value.pi == pi or not MIN_PERISHABILITY <= pi <= 1.0
    assert value.origin is Origin.MODEL


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 0.0, -0.1, 10**400])
@pytest.mark.parametrize("field", ["pi", "tau", "shape"])
def test_what_is_no_positive_number_is_refused(field: str, number: float) -> None:
    values = {"label": "factual", "pi": 0.1, "tau": 3600.0, "shape": 1.0} | {field: number}
    with pytest.raises(ArgumentError, match=f"perishability.{field}"):
        check_perishability(values)


@pytest.mark.parametrize("number", [True, "0.5", None, [0.5], np.True_])
def test_only_numbers_are_numbers(number: object) -> None:
    with pytest.raises(ArgumentTypeError, match=r"perishability\.pi"):
        check_perishability({"label": "factual", "pi": number, "tau": 60.0})


def test_what_a_user_may_give() -> None:
    for label in LABELS:
        value = check_perishability(label)
        assert value.label == label
        assert value.origin is Origin.USER
    given_value = Perishability(label="procedural", pi=0.25, tau=100.0)
    assert check_perishability(given_value) == Perishability(label="procedural", pi=0.25, tau=100.0, origin=Origin.USER)
    kept = Perishability(label="procedural", pi=0.25, tau=100.0, shape=0.7, origin=Origin.HEAD, degraded=True)
    assert check_perishability(kept) == kept
    for wrong in ("stable", {"label": "factual"}, {"label": "factual", "pi": 1, "tau": 1, "id": 7}, {"label": ["x"]}):
        with pytest.raises(ArgumentError, match="perishability"):
            check_perishability(wrong)
    for wrong_type in (0.5, None, ["factual"]):
        with pytest.raises(ArgumentTypeError, match="perishability"):
            check_perishability(wrong_type)
    with pytest.raises(ArgumentError, match="label"):
        check_perishability(Perishability(label="x", pi=0.5, tau=60.0))


class Scripted:
    """A perishability model whose answers the test decides."""

    name = "scripted"

    def __init__(self, answer: Callable[[int], Any]) -> None:
        self._answer = answer

    def classify(self, texts: Any, contexts: Any, what: Any, where: Any) -> Any:
        return self._answer(len(texts))


def ask(model: PerishabilityModel) -> list[Perishability]:
    none = np.zeros((3, 2), dtype=np.float32)
    return classify_texts(model, ["a meeting", "a fact", "right"], [None, None, "now today"], none, none)


RULE_SAYS = ["task_specific", "factual", "ephemeral"]


def test_a_models_answers_are_kept_and_clipped() -> None:
    good = Perishability(label="procedural", pi=0.25, tau=1e12, shape=0.7, origin=Origin.HEAD)
    values = ask(Scripted(lambda n: [good] * n))
    expected = Perishability(label="procedural", pi=0.25, tau=MAX_HORIZON, shape=0.7, origin=Origin.HEAD)
    assert values == [expected] * 3
    assert [value.origin for value in ask(KeywordRule())] == [Origin.KEYWORDS] * 3
    assert not any(value.degraded for value in ask(KeywordRule()))


def fail(count: int) -> Any:
    raise ModelReplyError("no reply")


@pytest.mark.parametrize("answer", [fail, lambda n: [], lambda n: ["factual"] * n, lambda n: [None] * (n + 1)])
def test_bug_25_a_model_without_an_answer_leaves_it_to_the_rule_and_says_so(answer: Callable[[int], Any]) -> None:
    values = ask(Scripted(answer))
    assert [value.label for value in values] == RULE_SAYS
    assert all(value.degraded and value.origin is Origin.KEYWORDS for value in values)


@pytest.mark.parametrize(
    "bad",
    [
        Perishability(label="eternal", pi=0.5, tau=60.0, origin=Origin.MODEL),
        Perishability(label="factual", pi=math.inf, tau=60.0, origin=Origin.MODEL),
        Perishability(label="factual", pi=0.5, tau=-1.0, origin=Origin.MODEL),
        Perishability(label="factual", pi=0.0, tau=60.0, origin=Origin.MODEL),
        5,
        Perishability(label="factual", pi=0.5, tau=60.0, shape=math.inf, origin=Origin.MODEL),
        Perishability(label="factual", pi=0.5, tau=60.0, origin="root"),
    ],
)
def test_bug_25_one_bad_answer_does_not_lose_the_others(bad: Any) -> None:
    good = Perishability(label="procedural", pi=0.25, tau=3600.0, origin=Origin.MODEL)
    values = ask(Scripted(lambda n: [good, bad, good]))
    assert [values[0], values[2]] == [good, good]
    assert values[1] == Perishability(label="factual", pi=0.1, tau=45 * DAY, degraded=True)


def test_other_errors_of_a_model_are_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        ask(Scripted(lambda n: 1 // 0))
