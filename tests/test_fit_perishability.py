"""The head fitted to what a store has seen, through the facade: better where it must be, else unchanged, reversible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import scrubjay
from scrubjay import errors
from scrubjay.encode.curves import pi_tau
from scrubjay.encode.perishability import KeywordRule
from scrubjay.fold import rebuild
from scrubjay.memory import Perishability
from scrubjay.store.log import EventLog
from scrubjay.store.snapshot import save
from scrubjay.verbs import refit as verbs_refit
from scrubjay.verbs.refit import stretched
from toys import Clock, WordHash

DAY = 86400.0
START = 1.6e9
THINGS = ("shelf", "crate", "locker", "drawer", "rack", "bin", "cart", "pallet")


def filled(path: str | Path, clock: Clock, *, slots: int = 90, versions: int = 4) -> scrubjay.MemoryStore:
    """Each slot is restated with another value every two days."""
    store = scrubjay.open(path, embedder=WordHash(32), clock=clock)
    store.add_many(
        [
            {"text": f"The label on {THINGS[i % 8]} {i} is {100 * i + v}.", "when": START + 2 * DAY * v + 3600.0 * i}
            for v in range(versions)
            for i in range(slots)
        ]
    )
    return store


def half_life(store: scrubjay.MemoryStore, id: str) -> float:
    ages = np.geomspace(60.0, 1e10, 400)
    p = store.validity(id, ages=ages)[0]
    return float(ages[np.argmax(p < 0.5)])


def test_a_store_whose_facts_last_two_days_learns_it_and_forgets_it_again(tmp_path: Path) -> None:
    clock = Clock(START + 20 * DAY)
    with filled(tmp_path / "s", clock) as store:
        chosen = Perishability(label="factual", pi=0.1, tau=45 * DAY)
        sure = store.add("Iron rusts in damp air.", perishability=chosen)
        unit = store.list(limit=1)[0]
        before = half_life(store, unit.id)
        values = {u.id: u.perishability for u in store.list(limit=1000)}
        dry = store.fit_perishability(dry_run=True)
        assert dry.improved
        assert dry.relabelled == 0
        assert {u.id: u.perishability for u in store.list(limit=1000)} == values

        fit = store.fit_perishability()
        assert fit.improved
        assert fit.after > fit.before + fit.error
        assert fit.ended > 200
        assert "checks" in fit.notes[0]
        assert fit.relabelled == len(store) - 1
        after = half_life(store, unit.id)
        assert abs(np.log(after / (2 * DAY))) < 0.8 * abs(np.log(before / (2 * DAY)))
        assert store.get(sure.id).perishability == sure.perishability
        fresh = half_life(store, store.add("The label on crate 800 is 7.").id)
        assert abs(np.log(fresh / (2 * DAY))) < 0.8 * abs(np.log(before / (2 * DAY)))
        assert "relabelled" in [entry.event for entry in store.history(unit.id)]
        assert store.verify().ok
        fitted = {u.id: u.perishability for u in store.list(limit=1000)}
    with scrubjay.open(tmp_path / "s", embedder=WordHash(32), clock=clock) as again:
        assert {u.id: u.perishability for u in again.list(limit=1000)} == fitted
        assert half_life(again, unit.id) == pytest.approx(after)
        assert again.unfit_perishability() == len(again) - 1
        for u in again.list(limit=1000):
            if u.id in values:
                assert u.perishability == values[u.id]
        assert half_life(again, unit.id) == pytest.approx(before, rel=1e-3)
        assert again.unfit_perishability() == 0
    with EventLog.open(tmp_path / "s", embedder="word-hash-1", dim=32) as log:
        assert not rebuild(log).head


def test_without_evidence_nothing_changes() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(START)) as store:
        store.add_many([f"Note {i} about subject {i * 7}." for i in range(50)])
        values = [u.perishability for u in store.list(limit=100)]
        fit = store.fit_perishability()
        assert not fit.improved
        assert fit.relabelled == 0
        assert fit.notes == ()
        assert [u.perishability for u in store.list(limit=100)] == values
        assert all(entry.event == "learned" for u in store.list() for entry in store.history(u.id))


def test_what_integrations_replaced_is_evidence() -> None:
    clock = Clock(START + 9 * DAY)
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as store:
        store.add("The retro is in room Heron.", when=START)
        store.integrate("The retro has moved to room Plover.", when=START + 3 * DAY)
        fit = store.fit_perishability()
        assert fit.observations == 2
        assert fit.ended == 1


def test_the_held_out_part_shares_no_subject_with_what_is_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []

    def seen(
        head: object, what: object, texts: list[str], *rest: object, subjects: list[str], **more: object
    ) -> object:
        told.extend(zip(texts, subjects, strict=True))
        return whole(head, what, texts, *rest, subjects=subjects, **more)  # type: ignore[arg-type]

    whole = verbs_refit.refit
    monkeypatch.setattr(verbs_refit, "refit", seen)
    with filled(":memory:", Clock(START + 20 * DAY)) as store:
        store.fit_perishability(dry_run=True)
    subjects = {
        text.partition(" is ")[0]: {s for t, s in told if t.startswith(text.partition(" is ")[0] + " is ")}
        for text, _ in told
    }
    assert len(subjects) == 90
    assert all(len(names) == 1 for names in subjects.values())


def test_a_head_and_back_gives_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    shipped, fitted = (np.exp(rng.uniform(np.log(60.0), np.log(1e11), 20_000)) for _ in range(2))
    grown = np.where(rng.random(20_000) < 0.5, 1.0, rng.uniform(0.3, 3.0, 20_000))

    def single(pi: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return pi.astype("<f4").astype(float), tau.astype("<f4").astype(float)

    first = single(*pi_tau(shipped * grown))
    there = single(*stretched(first[1] / first[0], shipped, fitted))
    back = single(*stretched(there[1] / there[0], fitted, shipped))
    inside = (np.abs(np.log(shipped * grown) - np.log(1e6)) < 8.0) & (
        np.abs(np.log(fitted * grown) - np.log(1e6)) < 8.0
    )
    assert inside.sum() > 5000
    for a, b in zip(first, back, strict=True):
        assert (a == b)[inside & (grown == 1.0)].all()
        np.testing.assert_allclose(b[inside], a[inside], rtol=1e-6)


def test_a_store_with_another_model_says_that_it_cannot_be_fitted() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), perishability=KeywordRule()) as store:
        with pytest.raises(errors.ArgumentError, match="keywords-1"):
            store.fit_perishability()
        with pytest.raises(errors.ArgumentError, match="keywords-1"):
            store.unfit_perishability()


def test_the_fitted_head_survives_a_snapshot(tmp_path: Path) -> None:
    clock = Clock(START + 20 * DAY)
    with filled(tmp_path / "s", clock, slots=90) as store:
        assert store.fit_perishability().improved
        digest = store._engine.columns.digest()
        save(store._engine.log, store._engine.columns)
    with scrubjay.open(tmp_path / "s", embedder=WordHash(32), clock=clock) as again:
        assert again._snapshot_status.outcome == "loaded"
        assert again._engine.columns.head_seq > 0
        assert again._engine.columns.digest() == digest
        assert again._engine.perishability.name.endswith("+refit")


def labels(store: scrubjay.MemoryStore, count: int) -> list[scrubjay.MemoryUnit]:
    """Each of another thing, so that none gives the lie to another."""
    return store.add_many(
        [{"text": f"{THINGS[i % 8]} {i} holds {i * 7 % 97} nails.", "when": START} for i in range(count)]
    )


def test_checks_teach_how_long_memories_hold() -> None:
    clock = Clock(START + 60 * DAY)
    with scrubjay.open(":memory:", embedder=WordHash(32), clock=clock) as store:
        units = labels(store, 400)
        before = half_life(store, units[0].id)
        told = [(u.id, START + days * DAY, days < 10) for u in units for days in (1, 4, 21, 30)]
        fit = store.fit_perishability(checks=told)
        assert (fit.improved, fit.observations, fit.ended, fit.notes) == (True, 400, 400, ())
        assert 3.5 * DAY < half_life(store, units[0].id) < 22 * DAY
        store.unfit_perishability()
        assert half_life(store, units[0].id) == pytest.approx(before, rel=1e-3)


def test_only_checks_are_learned_from_where_there_are_any() -> None:
    clock = Clock(START + 20 * DAY)
    with filled(":memory:", clock) as store:
        assert store.fit_perishability(dry_run=True).observations > 200
        unit = store.list(limit=1)[0]
        fit = store.fit_perishability(checks=[(unit.id, clock(), True)], dry_run=True)
        assert (fit.improved, fit.observations, fit.ended) == (False, 1, 0)
        assert store.fit_perishability(checks=[]).observations == 0


def test_what_never_held_says_nothing_of_how_long_and_what_held_later_did_hold() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(32), clock=Clock(START)) as store:
        one, two = labels(store, 2)
        fit = store.fit_perishability(
            checks=[(one.id, START, False), (two.id, START + 5, False), (two.id, START + 9, True)]
        )
        assert (fit.observations, fit.ended) == (1, 0)


def test_a_check_of_nothing_or_from_before_is_refused() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(32), clock=Clock(START)) as store:
        (one,) = labels(store, 1)
        with pytest.raises(errors.MemoryNotFoundError):
            store.fit_perishability(checks=[("01ARZ3NDEKTSV4RRFFQ69G5FAV", START, True)])
        with pytest.raises(errors.ArgumentError, match=r"checks\[1\]: it was looked at 3600 s before"):
            store.fit_perishability(checks=[(one.id, START, True), (one.id, START - 3600, True)])
