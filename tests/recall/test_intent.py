"""The query rule (eq. 6) and rows of weights."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay.errors import ArgumentError, ArgumentTypeError
from scrubjay.recall.factors import FACTORS, MAX_WEIGHT, Weights
from scrubjay.recall.intent import BIASES, query_biases, query_weights
from toys import WordHash

WORDS = [word for _, _, words in BIASES for word in words]
finite = st.floats(0.0, 1e6)


def oracle(query: str, norm: float, context_norm: float, elapsed: float) -> np.ndarray:
    tokens = set(re.findall(r"\w+", query.lower()))
    bias = [
        0.8 * bool(tokens & {"what", "which", "fact", "detail", "remember"}),
        1.0 * bool(tokens & {"context", "project", "session", "workspace"}),
        1.5 * bool(tokens & {"latest", "recent", "today", "stale"}),
        0.8 * bool(tokens & {"related", "connected", "neighbor", "link"}),
    ]
    urgency = min(2.0, np.log(max(elapsed, 0.0) + 1.0) / 5.0)
    logits = np.array([1.5, 1.0, 1.0, 1.0]) + bias + [0.2 * norm, 0.1 * context_norm, urgency, 0.0]
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


@given(
    st.lists(st.sampled_from([*WORDS, "WHAT", "Today", "whatever", "linked", "recently", "the", "?"]), max_size=6),
    finite,
    finite,
    st.floats(-1e9, 1e12),
)
def test_weights_are_those_of_equation_6(words: list[str], norm: float, context_norm: float, elapsed: float) -> None:
    weights = query_weights(" ".join(words), norm=norm, context_norm=context_norm, elapsed=elapsed)
    row = weights.to_array()
    np.testing.assert_allclose(row[:4], oracle(" ".join(words), norm, context_norm, elapsed), rtol=1e-12, atol=1e-300)
    assert row[:4].sum() == pytest.approx(1.0)
    assert not row[4:].any()


def test_a_golden_row() -> None:
    row = query_weights("What is the latest branch of this project?", elapsed=86400.0).to_array()
    logits = [1.5 + 0.8 + 0.2, 1.0 + 1.0 + 0.1, 1.0 + 1.5 + 2.0, 1.0]
    expected = [math.exp(x) / sum(map(math.exp, logits)) for x in logits]
    np.testing.assert_allclose(row[:4], expected, rtol=1e-12)


def test_each_bias_is_added_once() -> None:
    assert query_biases("latest recent today stale") == query_biases("latest") == (0.0, 0.0, 1.5, 0.0)
    assert query_biases(" ".join(WORDS)) == (0.8, 1.0, 1.5, 0.8)


def test_words_are_whole_words_in_any_case() -> None:
    assert query_biases("WHAT, which-ever") == (0.8, 0.0, 0.0, 0.0)
    assert query_biases("somewhat factual details; recently linked sessions, neighbors, staleness") == (0, 0, 0, 0)


@given(st.text())
def test_any_query_has_weights(query: str) -> None:
    assert sum(query_weights(query, elapsed=math.inf).to_array()) == pytest.approx(1.0)


def test_age_counts_up_to_two_logits() -> None:
    skewed, none, old, endless = (query_weights("x", elapsed=dt) for dt in (-5.0, 0.0, 22000.0, math.inf))
    assert skewed == none
    assert old.when < endless.when == query_weights("x", elapsed=1e9).when


def test_huge_norms_do_not_overflow() -> None:
    assert query_weights("x", norm=1e300, context_norm=1e300).what == 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_norms_are_checked(value: float) -> None:
    for name in ("norm", "context_norm"):
        with pytest.raises(ArgumentError, match=name):
            query_weights("x", **{name: value})


def test_other_arguments_are_checked() -> None:
    with pytest.raises(ArgumentError, match="elapsed"):
        query_weights("x", elapsed=math.nan)
    with pytest.raises(ArgumentTypeError, match="query"):
        query_weights(None)


def test_the_order_of_factors() -> None:
    assert FACTORS == (
        "what",
        "where",
        "when",
        "graph",
        "usefulness",
        "retrievability",
        "importance",
        "exploration",
    )
    row = Weights(**{name: float(i + 1) for i, name in enumerate(FACTORS)})
    assert row.to_array().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert list(row.to_dict()) == list(FACTORS)


@given(st.lists(st.floats(0.0, MAX_WEIGHT), min_size=8, max_size=8).filter(any))
def test_weights_from_every_form(values: list[float]) -> None:
    expected = Weights(**dict(zip(FACTORS, values, strict=True)))
    forms = (values, tuple(values), np.array(values), dict(zip(FACTORS, values, strict=True)), expected)
    assert all(Weights.of(form) == expected for form in forms)
    if any(values[:4]):
        assert Weights.of(values[:4]).to_array().tolist() == [*values[:4], 0, 0, 0, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"what": -0.1},
        {"what": math.nan},
        {"what": math.inf},
        {"what": 1e7},
        {"who": 1.0},
        {},
        {"what": 0.0},
        [0, 0, 0, 0],
        [1.0],
        [1.0] * 5,
        [],
        np.ones((2, 4)),
    ],
    ids=repr,
)
def test_bad_weights_are_refused(wrong: object) -> None:
    with pytest.raises(ArgumentError, match="weights"):
        Weights.of(wrong)


@pytest.mark.parametrize("wrong", ["what", b"what", 1.0, None, {"what": True}, {"what": "1"}, {1, 2}, [True, 0, 0, 0]])
def test_bad_types_are_refused(wrong: object) -> None:
    with pytest.raises(ArgumentTypeError, match="weights"):
        Weights.of(wrong)
    with pytest.raises(ArgumentError):
        Weights(what=math.nan)


def test_one_factor_alone_is_a_weighting() -> None:
    for name, other in itertools.permutations(FACTORS, 2):
        row = Weights(**{name: 0.5})
        assert getattr(row, other) == 0.0


@pytest.mark.parametrize("scale", [0.5, 10.0, 1e6])
def test_an_embedder_of_long_vectors_does_not_take_the_other_factors_weight(scale: float) -> None:
    class Long(WordHash):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            return (scale * super().embed(texts)).astype(np.float32)

    with scrubjay.open(":memory:", embedder=Long(), clock=lambda: 1.7e9) as store:
        store.add("tea", when=1.69e9)
        assert store.search("tea")[0].factors["when"] > 0.3
