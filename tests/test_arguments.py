"""Arguments that no verb can use are refused by name, before anything is written."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from scrubjay.dynamics.integration import Integration
from scrubjay.events import Updated
from toys import Clock, WordHash


@pytest.fixture(scope="module")
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(1.7e9)) as one:
        one.add_many(["tea is at four", "tea is at five"])
        yield one


def ids(store: MemoryStore) -> list[str]:
    return [unit.id for unit in store.list()]


def _bound(store: MemoryStore, scope: Any) -> object:
    return store.bound("x").search("tea", namespace=scope)


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
    ("ages: expected seconds as floats or 64-bit integers", lambda s: s.validity(ids(s)[0], ages=[2**70])),
    ("signal: .* got bool; give 1.0 or 0.0", lambda s: s.outcome(ids(s)[0], True)),
    (r"filter.*: NaN compares with nothing", lambda s: s.search("tea", filter={"a": {"$gt": float("nan")}})),
    (r"filter.*: NaN compares with nothing", lambda s: s.search("tea", filter={"$value": float("nan")})),
    (r"metadata: '\$x' begins with '\$'", lambda s: s.add("x", metadata={"$x": 1})),
    (r"metadata: '\$x' begins with '\$'", lambda s: s.update(ids(s)[0], metadata={"$x": 1})),
    (r"items\[1\]\.metadata: '\$x' begins", lambda s: s.add_many(["y", {"text": "x", "metadata": {"$x": 1}}])),
    ("Subtree.labels: give a label", lambda _: scrubjay.Subtree()),
    ("path: expected a folder, as text", lambda _: scrubjay.open(None)),  # type: ignore[arg-type]
    ("mapped: expected True, False or None, got int", lambda _: scrubjay.open(":memory:", mapped=5)),  # type: ignore[arg-type]
    (r"filter\['\$when'\]: .*'soon': not an ISO 8601 time; give", lambda s: s.search("tea", filter={"$when": "soon"})),
    (r"ISO 8601 text; ask for .* by '\$when'", lambda s: s.search("tea", filter={"when": {"$gt": date(2025, 1, 1)}})),
    ("read_only: a store in memory begins empty", lambda _: scrubjay.open(":memory:", read_only=True)),
    ("namespace: this handle is bound to .* takes no Subtree", lambda s: _bound(s, scrubjay.Subtree("x"))),
    (r"hits\[0\]: of another namespace than", lambda s: s.bound("x").observe("tea", s.search("tea"))),
    ("seed", lambda s: s.fit_perishability(seed="x")),
    ("seed", lambda s: s.fit_perishability(seed=-1)),
    ("seed", lambda s: s.fit_perishability(seed=True)),
    ("dry_run", lambda s: s.fit_perishability(dry_run="x")),
    ("checks", lambda s: s.fit_perishability(checks="x")),
    ("checks", lambda s: s.fit_perishability(checks=[("x", 1.7e9)])),
    ("checks", lambda s: s.fit_perishability(checks=[("x", 1.7e9, 1)])),
    ("checks", lambda s: s.fit_perishability(checks=[("x", float("nan"), True)])),
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


class Named(WordHash):
    """An embedder of a name of its own that may answer with an exception."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        super().__init__(name=name)
        self._error = error

    def embed(self, texts: Any) -> Any:
        if self._error is not None:
            raise self._error
        return super().embed(texts)


@pytest.mark.parametrize("name", ["x" * 300, "a/b", "../../evil", "C:\\x", "x" * 1024])
def test_a_name_of_an_embedder_is_never_a_path(name: str) -> None:
    with scrubjay.open(":memory:", embedder=Named(name), clock=Clock()) as store:
        assert store.add("tea is at four").text == "tea is at four"
        assert store.stats().embedder == name


def test_a_name_of_an_embedder_has_a_longest() -> None:
    with pytest.raises(errors.ArgumentError, match=r"embedder\.name"):
        scrubjay.open(":memory:", embedder=Named("x" * 1025))


def test_an_exception_of_an_embedder_is_the_cause_of_an_error_that_names_it() -> None:
    fault = ConnectionResetError("gone")
    with scrubjay.open(":memory:", embedder=Named("mine", fault), clock=Clock()) as store:
        with pytest.raises(errors.EmbeddingError, match=r"mine raised ConnectionResetError for 1 texts") as caught:
            store.add("tea is at four")
        assert caught.value.__cause__ is fault
        assert len(store) == 0
        with pytest.raises(errors.EmbeddingError, match="mine raised"):
            store.search("tea")


@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("perishability", 5),
        ("perishability", WordHash),
        ("perishability", WordHash()),
        ("scoring", "x"),
        ("scoring", 1),
    ],
)
def test_open_refuses_what_a_later_verb_would_trip_over(argument: str, given: object, tmp_path: Any) -> None:
    with pytest.raises(errors.ArgumentError, match=argument):
        scrubjay.open(tmp_path / "s", embedder=WordHash(), **{argument: given})  # type: ignore[arg-type]
    assert not (tmp_path / "s").exists()


class Odd:
    """A perishability model whose answers cannot be used."""

    name = "odd"

    def __init__(self, answer: Callable[[], Any]) -> None:
        self._answer = answer

    def classify(self, texts: Any, contexts: Any, what: Any, where: Any) -> Any:
        return [self._answer() for _ in texts]


@pytest.mark.parametrize(
    "answer", [lambda: 5, lambda: scrubjay.Perishability(label="factual", pi=float("nan"), tau=-5.0)]
)
def test_a_memory_says_that_its_models_answer_was_of_no_use(answer: Callable[[], Any]) -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), perishability=Odd(answer), clock=Clock()) as store:
        assert store.add("tea is at four").perishability.degraded
        assert store.stats().degraded == 1


@pytest.mark.parametrize("ages", [True, [True], "1", ["1"], [[1]], [[]], [None], object()])
def test_ages_are_one_number_or_a_row_of_them(store: MemoryStore, ages: Any) -> None:
    id = store.add("tea is at four").id
    with pytest.raises(errors.ArgumentTypeError, match="ages"):
        store.validity(id, ages=ages)
    assert store.validity(id, ages=3).shape == store.validity(id, ages=[3]).shape == (1, 1)
    assert store.validity(id, ages=[]).shape == (1, 0)


@pytest.mark.parametrize("field", ["pi", "tau", "shape"])
@pytest.mark.parametrize("number", [float("nan"), np.float32("nan"), None, "1", True, 1j])
def test_a_perishability_is_made_of_numbers(field: str, number: Any) -> None:
    given: dict[str, Any] = {"label": "factual", "pi": 0.1, "tau": 60.0}
    with pytest.raises(errors.ArgumentError, match=rf"Perishability\.{field}"):
        scrubjay.Perishability(**{**given, field: number})
    assert scrubjay.Perishability(**{**given, field: np.float32(1)}).label == "factual"


@pytest.mark.parametrize("labels", [None, 5, "", " ", ("a", ""), ("a", None), {"a"}])
def test_a_subtree_is_made_of_labels(labels: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="Subtree"):
        scrubjay.Subtree(labels)


def test_a_bound_handle_takes_no_empty_namespace_for_its_own_to_be_emptied(store: MemoryStore) -> None:
    ada = store.bound("ada")
    ada.add("Ada likes tea.")
    for empty in ((), []):
        with pytest.raises(errors.ArgumentError, match="root=True"):
            ada.delete_all(empty)
    assert len(ada) == 1
    assert ada.stats(namespace="ada").memories == 1
    with pytest.raises(errors.ArgumentError, match="bound"):
        ada.stats(namespace="bob")
    assert ada.delete_all((), root=True).memories == 1
    ada.add("Ada likes tea.")
    assert ada.delete_all().memories == 1


@pytest.mark.parametrize("huge", [10**400, -(10**400), 10**5000], ids=["large", "negative", "unprintable"])
def test_a_number_beyond_any_range_is_refused_as_an_argument(store: MemoryStore, huge: int) -> None:
    store.add("tea is at four")
    for given in ({"weights": {"what": huge}}, {"weights": [huge] * 4}, {"filter": {"value": {"$gt": huge}}}):
        with pytest.raises(errors.ArgumentError, match=next(iter(given)) if "weights" in given else "value"):
            store.search("tea", **given)


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "uint16"])
def test_numpys_whole_numbers_are_whole_numbers(store: MemoryStore, kind: str) -> None:
    store.add_many(["tea is at four", "tea is at five", "tea is at six"])
    assert len(store.search("tea", k=np.dtype(kind).type(2))) == 2
    for other in (True, np.bool_(True), 2.0, np.float64(2.0), "2", np.array([1, 2]), np.array(2.0)):
        with pytest.raises(errors.ArgumentTypeError, match="k: expected an int"):
            store.search("tea", k=other)


def test_a_read_only_handle_repairs_nothing(tmp_path: Any) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=Clock()) as store:
        store.add("tea is at four")
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=Clock(), read_only=True) as store:
        with pytest.raises(errors.StoreReadOnlyError, match="repair"):
            store.verify(repair=True)
        assert store.verify().ok


def test_names_of_an_older_log_that_a_filter_cannot_ask_for_stay(tmp_path: Any) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(16)) as store:
        memory = store.add("tea is at four", metadata={"a": 1})
        with store._engine.log.write() as tx:
            tx.append([Updated(at=1.7e9, key=1, metadata={"a": 1, "$x": 2})])
        assert store.get(memory.id).metadata == {"a": 1, "$x": 2}
        assert store.update(memory.id, metadata={"b": 3}).metadata == {"a": 1, "$x": 2, "b": 3}
        assert store.update(memory.id, metadata={"$x": None}).metadata == {"a": 1, "b": 3}
