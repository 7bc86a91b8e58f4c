"""P(still holds) of stored memories: the head's whole curve, stretched by what has happened since."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay.encode.curves import DAY, pi_tau, weibull
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.perishability import KeywordRule
from scrubjay.encode.validity import Kept, validity
from scrubjay.errors import ArgumentError, MemoryNotFoundError
from scrubjay.memory import LABELS, Opinion, Perishability
from scrubjay.remembered import forget_all
from toys import WordHash

TEXTS = [
    "The latest patch release of Orbis 3.4 is 3.4.12.",
    "Lena is a member of the budget committee.",
    "I'm at the airport.",
    "Water boils at 100 degrees at sea level.",
]
HEAD = PerishabilityHead.load("an-embedder-without-a-head")
WHAT = np.zeros((len(TEXTS), 8), np.float32)
NONE = [None] * len(TEXTS)


def kept(stretch: float = 1.0, when: float = 0.0, by_head: bool = True) -> Kept:
    scale, shape = weibull(HEAD.curve(WHAT, TEXTS).mixture)
    pi, tau = pi_tau(scale)
    n = len(TEXTS)
    return Kept(pi, tau * stretch, shape, np.full(n, when), np.full(n, by_head), WHAT, WHAT)


@pytest.mark.parametrize("age", [0.0, 60.0, DAY, 30 * DAY, 365 * DAY, 3650 * DAY])
def test_a_memory_that_nothing_happened_to_has_the_head_s_own_curve(age: float) -> None:
    p, low, high = validity(HEAD, kept(when=5.0), [age] * len(TEXTS), TEXTS, NONE)
    np.testing.assert_allclose(p, HEAD.p_valid(WHAT, TEXTS, [age] * len(TEXTS)), atol=1e-9)
    assert ((low <= p) & (p <= high)).all()
    assert (low < high).all()


@given(stretch=st.floats(1e-3, 1e3), age=st.floats(0.0, 1e10))
def test_a_horizon_that_grew_is_an_age_that_shrank(stretch: float, age: float) -> None:
    p = validity(HEAD, kept(stretch), [age] * len(TEXTS), TEXTS, NONE).p
    wanted = HEAD.p_valid(WHAT, TEXTS, [age / stretch] * len(TEXTS))
    np.testing.assert_allclose(p, wanted, atol=1e-6)


@given(st.floats(-1e9, 1e10), st.floats(0.0, 1e9))
def test_it_never_rises_with_time_and_is_one_before_the_memory(now: float, more: float) -> None:
    first, then = (validity(HEAD, kept(), [t] * len(TEXTS), TEXTS, NONE).p for t in (now, now + more))
    assert (then <= first + 1e-12).all()
    assert ((first >= 0.0) & (first <= 1.0)).all()
    if now <= 0.0:
        np.testing.assert_allclose(first, 1.0)


@pytest.mark.parametrize("model", [HEAD, KeywordRule()])
def test_what_the_user_said_is_taken_at_its_word(model: object) -> None:
    given = kept(by_head=False)
    p, low, high = validity(model, given, [DAY] * len(TEXTS), TEXTS, NONE)
    np.testing.assert_allclose(p, np.exp(-((given.pi * DAY / given.tau) ** given.shape)))
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_no_memories() -> None:
    empty = np.empty(0)
    rows = np.empty((0, 8), np.float32)
    nothing = validity(HEAD, Kept(empty, empty, empty, empty, np.empty(0, bool), rows, rows), empty, [], [])
    assert all(part.shape == (0,) for part in nothing)


def test_a_hit_says_how_far_its_validity_is_known() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=lambda: 1000.0) as store:
        store.add("I'm at the airport.", when=1000.0)
        sure = Perishability(label="factual", pi=0.1, tau=45 * DAY)
        store.add("The gate closes when the list is full.", perishability=sure, when=1000.0)
        now = 1000.0 + 2 * DAY
        hits = {hit.memory.text: hit for hit in store.search("where am I?", now=now)}
        airport, gate = hits["I'm at the airport."], hits["The gate closes when the list is full."]
        wanted = float(HEAD.p_valid(np.zeros((1, 256), np.float32), ["I'm at the airport."], [2 * DAY])[0])
        assert airport.valid == pytest.approx(wanted, abs=1e-4)
        assert airport.interval is not None
        assert airport.interval[0] <= airport.valid <= airport.interval[1]
        assert gate.interval is None
        assert gate.valid == pytest.approx(np.exp(-0.1 * 2 / 45), abs=1e-5)
        paper = {hit.memory.text: hit for hit in store.search("where am I?", now=now, scoring="paper")}
        p = paper["I'm at the airport."].memory.perishability
        u = np.exp(-((p.pi * 2 * DAY / p.tau) ** p.shape))
        assert paper["I'm at the airport."].valid == pytest.approx(u, abs=1e-5)


def test_validity_by_id_at_a_time_or_at_ages() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=lambda: 1000.0 + DAY) as store:
        first, second = store.add_many([{"text": text, "when": 1000.0} for text in TEXTS[:2]])
        at_day = store.validity([first.id, second.id])
        assert at_day.shape == (2,)
        table = store.validity([second.id, first.id], ages=[0.0, DAY, 100 * DAY])
        np.testing.assert_allclose(table[:, 0], 1.0)
        np.testing.assert_allclose(table[::-1, 1], at_day)
        assert (np.diff(table, axis=1) < 0.0).all()
        hit = store.search(TEXTS[0], k=1, now=1000.0 + DAY)[0]
        assert hit.valid == pytest.approx(at_day[0] * (1.0 - hit.superseded))
        assert store.validity([]).shape == (0,)
        with pytest.raises(ArgumentError, match="ages"):
            store.validity(first.id, ages=[float("nan")])
        with pytest.raises(ArgumentError, match="ages, now"):
            store.validity(first.id, ages=[0.0], now=5)
        store.delete(first.id)
        with pytest.raises(MemoryNotFoundError):
            store.validity([second.id, first.id])


def test_curves_are_made_once_of_what_a_head_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    head = PerishabilityHead.load("some-embedder")
    texts = ["The build is running right now.", "Water boils at 100 degrees.", "The office moved to Graz."]
    one, rows = np.ones(3), np.zeros((3, 4), np.float32)
    held = Kept(one, one * 3600.0, one, one * 0.0, np.ones(3, np.bool_), rows, rows)
    made: list[int] = []
    curve = PerishabilityHead.curve

    def counted(self: PerishabilityHead, what: Any, said: Any, **options: Any) -> Any:
        made.append(len(said))
        return curve(self, what, said, **options)

    monkeypatch.setattr(PerishabilityHead, "curve", counted)
    forget_all()
    first = validity(head, held, one * 3600.0, texts, [None] * 3)
    again = validity(head, held, one * 3600.0, texts, [None] * 3)
    assert made == [3]
    for before, after in zip(first, again, strict=True):
        np.testing.assert_array_equal(before, after)
    # another context, another vector, another opinion and another head are another curve
    validity(head, held, one * 3600.0, texts, [None, "at work", None])
    validity(head, held._replace(what=rows + np.float32(0.5)), one, texts, [None] * 3)
    said = Opinion(label=LABELS[0], pi=0.5, tau=3600.0)
    validity(head, held._replace(said=(None, None, said)), one, texts, [None] * 3)
    validity(PerishabilityHead.load("some-embedder"), held, one, texts, [None] * 3)
    assert made == [3, 1, 3, 1, 3]
    # some of them, in another order, as alone
    some = np.array([2, 0])
    part = Kept(*(np.asarray(x)[some] for x in held[:7]))
    found = validity(head, part, one[:2] * 3600.0, [texts[i] for i in some], [None] * 2)
    np.testing.assert_array_equal(found.p, first.p[some])
