"""Another text of a memory is judged anew: by `update`, under a key, in any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

import scrubjay
from scrubjay import MemoryStore, MemoryUnit, Perishability
from scrubjay.events import Updated
from scrubjay.llm.scripted import ScriptedModel
from scrubjay.memory import Origin
from scrubjay.verbs import revise
from toys import Clock, WordHash

DAY = 86400.0
NOW = 1.7e9
SHORT = Perishability(label="ephemeral", pi=0.9, tau=3600.0)
LONG = Perishability(label="factual", pi=0.05, tau=300 * DAY)
A, B = "PROJ-3: blocked", "PROJ-3: in progress"


class ByLength:
    """The longer a text the sooner it is over, the later in a context. Says what it was asked about."""

    name = "by-length"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def classify(
        self,
        texts: Sequence[str],
        contexts: Sequence[str | None],
        what: NDArray[np.float32],
        where: NDArray[np.float32],
    ) -> list[Perishability]:
        self.asked += texts
        return [
            Perishability(label="ephemeral", pi=len(text) / 1000, tau=DAY * (2 if w.any() else 1), origin=Origin.MODEL)
            for text, w in zip(texts, where, strict=True)
        ]


def opened(path: Any = ":memory:", **given: Any) -> MemoryStore:
    return scrubjay.open(path, **({"embedder": WordHash(), "clock": Clock(NOW), "perishability": ByLength()} | given))


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    with opened() as one:
        yield one


@cache
def alone(text: str, *, given: Perishability | None = None) -> Perishability:
    with opened() as store:
        return store.add(text, perishability=given).perishability


def by_update(store: MemoryStore, before: str, after: str, **given: Any) -> MemoryUnit:
    return store.update(store.add(before, when=NOW - DAY).id, text=after, **given)


def by_key(store: MemoryStore, before: str, after: str, **given: Any) -> MemoryUnit:
    store.add(before, key="k", when=NOW - DAY)
    return store.add(after, key="k", when=NOW, **given)


def late(store: MemoryStore, before: str, after: str, **given: Any) -> MemoryUnit:
    store.add(after, key="k", when=NOW, **given)
    return store.add(before, key="k", when=NOW - DAY)


def at_once(store: MemoryStore, before: str, after: str, **given: Any) -> MemoryUnit:
    items = [{"text": before, "key": "k", "when": NOW - DAY}, {"text": after, "key": "k", "when": NOW, **given}]
    return store.add_many(items)[-1]


WAYS = (by_update, by_key, late, at_once)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("before", "after"), [(A, B), (B, A)])
def test_it_lasts_as_it_would_alone(
    store: MemoryStore, way: Callable[..., MemoryUnit], before: str, after: str
) -> None:
    assert alone(before) != alone(after)
    unit = way(store, before, after)
    assert (unit.text, unit.perishability) == (after, alone(after))
    assert store.rebuild().same


def test_the_head_judges_it_by_all_of_its_curve() -> None:
    with opened(perishability=None) as store, opened(perishability=None) as fresh:
        unit, expected = by_key(store, A, B), fresh.add(B, when=NOW)
        assert unit.perishability == expected.perishability
        assert unit.perishability.origin is Origin.HEAD
        ages = [3600.0, DAY, 30 * DAY]
        np.testing.assert_array_equal(store.validity(unit.id, ages=ages), fresh.validity(expected.id, ages=ages))


@pytest.mark.parametrize("way", WAYS)
def test_what_is_given_with_it_counts(store: MemoryStore, way: Callable[..., MemoryUnit]) -> None:
    assert way(store, A, B, perishability=SHORT).perishability == msgspec.structs.replace(SHORT, origin=Origin.USER)


def test_what_was_given_stays_and_nobody_is_asked() -> None:
    model = ByLength()
    with opened(perishability=model) as store:
        unit = store.add(A, perishability=LONG, when=NOW - DAY)
        assert store.update(unit.id, text=B).perishability == unit.perishability
        judged = store.add(A)
        asked = len(model.asked)
        assert store.update(judged.id, text=B + "!", perishability=SHORT).perishability.pi == SHORT.pi
        assert store.update(judged.id, text=B + "?").perishability.pi == SHORT.pi
        assert len(model.asked) == asked


@pytest.mark.parametrize("given", [None, 0, 1, 2])
def test_any_order_ends_as_in_order(store: MemoryStore, given: int | None) -> None:
    items: list[dict[str, Any]] = [
        {"text": text, "key": "k", "when": NOW + i * DAY} for i, text in enumerate((A, "PROJ-3: in review", B))
    ]
    if given is not None:
        items[given]["perishability"] = SHORT
    for order in itertools.permutations(range(3)):
        for size in (1, 3):
            where = (str(order), str(size))
            told = [{**items[i], "namespace": where} for i in order]
            for start in range(0, 3, size):
                store.add_many(told[start : start + size])
            (unit,) = store.list(namespace=where)
            assert (unit.text, unit.evidence) == (B, 3)
            assert unit.perishability == alone(B, given=None if given is None else SHORT)


@pytest.mark.parametrize(
    "change", [{"text": f"{A} ".replace(" ", "  ")}, {"metadata": {"page": 1}}, {"when": NOW}, {"value": 2.0}]
)
def test_the_same_text_keeps_what_moved_it(store: MemoryStore, change: dict[str, Any]) -> None:
    unit = store.add(A, when=NOW - DAY)
    store.integrate("PROJ-3: no longer blocked", when=NOW)
    moved = store.get(unit.id).perishability
    assert moved != unit.perishability
    assert store.update(unit.id, **change).perishability == moved


def test_what_moved_the_old_text_does_not_go_over_and_undo_keeps_the_new(store: MemoryStore) -> None:
    unit = store.add(A, when=NOW - DAY)
    done = store.integrate("PROJ-3: no longer blocked", when=NOW)
    assert store.get(unit.id).perishability != unit.perishability
    assert store.update(unit.id, text=B).perishability == alone(B)
    store.undo(done.event)
    assert store.get(unit.id).perishability == alone(B)
    assert store.rebuild().same


def test_it_is_judged_in_the_context_that_it_has_then() -> None:
    with opened(perishability=ByLength()) as store:
        unit = store.add(A, context="desk")
        assert store.update(unit.id, text=B).perishability.tau == 2 * DAY
        assert store.update(unit.id, text=A, context=None).perishability.tau == DAY
        assert store.update(unit.id, text=B, context="train").perishability.tau == 2 * DAY


def test_a_model_is_asked_about_it_and_its_silence_is_known() -> None:
    replies = {A: '{"results": [{"index": 0, "label": "ephemeral", "pi": 0.9, "tau": 7200}]}', B: "no idea"}
    with opened(
        perishability=None, model=ScriptedModel(lambda prompt: next(r for t, r in replies.items() if t in prompt))
    ) as store:
        unit = store.add(A)
        after = store.update(unit.id, text=B)
        assert after.perishability.degraded
        assert after.perishability.said is None
        assert store.stats().degraded == 1
        assert store.rebuild().same


def test_it_is_the_same_from_the_log_and_from_a_snapshot_and_the_past_is_kept(tmp_path: Path) -> None:
    clock = Clock(NOW)
    with opened(tmp_path / "s", clock=clock) as store:
        unit = store.add(A, when=NOW)
        clock.now += DAY
        after = store.update(unit.id, text=B)
        assert store.get(unit.id, as_of=NOW + 1).perishability == unit.perishability
        assert store.replay(until=NOW + 1).get(unit.id).perishability == unit.perishability
        store.compact()
    with opened(tmp_path / "s", clock=clock) as store:
        assert store.get(unit.id) == after
        assert store.rebuild().same
        assert not store.verify().findings
    assert scrubjay.reembed(tmp_path / "s", embedder=WordHash(48), force=True).changed
    with opened(tmp_path / "s", embedder=WordHash(48), clock=clock) as store:
        assert store.get(unit.id).perishability == after.perishability


def test_an_event_of_an_earlier_version_keeps_its_meaning(store: MemoryStore) -> None:
    unit = store.add(A)
    engine = store._engine
    with engine.log.write() as tx:
        tx.append([Updated(at=NOW, key=int(engine.columns.key[0]), text=B, vector=engine.columns.vectors[0].tobytes())])
    engine.refresh()
    assert (store.get(unit.id).text, store.get(unit.id).perishability) == (B, unit.perishability)
    assert store.rebuild().same


def test_a_perishability_that_another_writer_gives_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "s") as one, opened(tmp_path / "s") as other:
        unit = one.add(A)
        judged, told = revise.judged, []

        def meanwhile(*args: Any) -> list[Perishability]:
            told.append(other.update(unit.id, perishability=LONG).perishability)
            return judged(*args)

        monkeypatch.setattr(revise, "judged", meanwhile)
        assert one.update(unit.id, text=B).perishability == told[0]
        assert len(told) == 1
