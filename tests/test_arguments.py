"""Arguments that no verb can use are refused by name, before anything is written."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from scrubjay.dynamics.integration import Integration
from toys import Clock, WordHash


@pytest.fixture(scope="module")
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(1.7e9)) as one:
        one.add_many(["tea is at four", "tea is at five"])
        yield one


def ids(store: MemoryStore) -> list[str]:
    return [unit.id for unit in store.list()]


REFUSED: list[tuple[str, Callable[[Any], object]]] = [
    ("theta", lambda _: Integration(theta="x")),  # type: ignore[arg-type]
    ("value_rate", lambda _: Integration(value_rate=None)),  # type: ignore[arg-type]
    ("tau_least", lambda _: Integration(tau_least=True)),
    ("params", lambda s: s.replay(params=5)),
    ("weights", lambda s: s.replay(params={"weights": 5})),
    ("weights", lambda s: s.configure(weights=5)),
    ("thresholds", lambda s: s.configure(thresholds=None)),
    ("law", lambda s: s.configure(law=[])),
    ("wanted", lambda s: s.configure(wanted=10**400)),
    (r"most = inf: expected days in \[1, 1e\+09\]", lambda s: s.configure(most=float("inf"))),
    (r"most = 0\.5: expected days in \[1, 1e\+09\]", lambda s: s.configure(most=0.5)),
    ("ages", lambda s: s.validity(ids(s)[0], ages="x")),
    ("ages", lambda s: s.validity(ids(s)[0], ages=[1j])),
    ("ages", lambda s: s.validity(ids(s)[0], ages=[[1.0], [2.0, 3.0]])),
    ("ages", lambda s: s.validity(ids(s)[0], ages=[10**400])),
    ("seed", lambda s: s.fit_perishability(seed="x")),
    ("seed", lambda s: s.fit_perishability(seed=-1)),
    ("seed", lambda s: s.fit_perishability(seed=True)),
    ("dry_run", lambda s: s.fit_perishability(dry_run="x")),
    ("hits", lambda s: s.observe("x", None)),
    ("hits", lambda s: s.observe("x", 5)),
    ("searches", lambda s: s.fit_weights(5)),
    ("searches", lambda s: s.fit_weights([(s.search("tea"), 5)])),
    ("searches", lambda s: s.fit_weights([(s.search("tea"), [[]])])),
    ("searches", lambda s: s.fit_weights([(s.search("tea"), b"x")])),
    ("use", lambda s: s.fit_weights([], use="yes")),
    ("summarise", lambda s: s.condense(summarise="x")),
    ("frame", lambda s: s.search("tea", frame={"SELF": 10**400})),
    ("frame", lambda s: s.search("tea", frame={"SELF": 0, "TASK": 0})),
    ("kind", lambda s: s.link(*ids(s), kind="ok\n")),
    ("kind", lambda s: s.link(*ids(s), kind=" ok")),
    ("kind", lambda s: s.link(*ids(s), kind="a\tb")),
    (r"dotted name, 'deep\.x'", lambda s: s.search("tea", filter={"deep": {"x": 1}})),
    ("unknown operator '5'", lambda s: s.search("tea", filter={"deep": {5: 1}})),
]


@pytest.mark.parametrize(("named", "call"), REFUSED)
def test_what_cannot_be_used_is_refused_by_name(
    store: MemoryStore, named: str, call: Callable[[MemoryStore], object]
) -> None:
    events = store.stats().events
    with pytest.raises(errors.ArgumentError, match=named):
        call(store)
    assert store.stats().events == events


def test_extreme_numbers_that_can_be_used_are(store: MemoryStore) -> None:
    (hit, *_) = store.search("tea", frame={"SELF": 1.7e308, "TASK": 1.7e308})
    (same, *_) = store.search("tea", frame={"SELF": 1, "TASK": 1})
    assert hit.score == pytest.approx(same.score)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = store.validity(ids(store)[0], ages=[0.0, 1e300, np.inf])
    assert p.tolist() == [[1.0, 0.0, 0.0]]


def test_a_frames_name_has_no_case(store: MemoryStore) -> None:
    store.define_frame("Calm", {"what": 0.5})
    store.define_frame("calm", {"importance": 0.5})
    scores = [[hit.score for hit in store.search("tea", frame=name)] for name in ("Calm", "calm", "CALM")]
    assert scores == [[0.25, 0.25]] * 3


def test_a_subclass_of_str_is_stored_as_plain_text(store: MemoryStore) -> None:
    unit = store.add(np.str_("soup is at six"), namespace=np.str_("np"), context=np.str_("desk"))
    assert [held.id for held in store.list(namespace="np")] == [unit.id]
    assert store.outcome([unit.id], 1.0, source=np.str_("np")) == 1
