"""Ends that texts name, in a store: every verb and scoring agrees about them, and the log folds to the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Perishability, _core
from scrubjay.columns import Columns
from scrubjay.dynamics.term import DOUBT, aged, kept, term
from scrubjay.events import AnyEvent, Batch, Learned, NamespaceSeen, Reinforced
from scrubjay.fold import apply
from scrubjay.recall.standing import validity
from toys import WordHash

SAID = "2025-03-04T10:00Z"
TEXT = "Sam is on call until Monday the 10th."
BEFORE, AFTER = "2025-03-09T12:00Z", "2025-03-11T12:00Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[scrubjay.MemoryStore]:
    with scrubjay.open(tmp_path / "store", embedder=WordHash(32)) as opened:
        yield opened


@np.errstate(all="raise")
def test_no_time_and_no_edge_overflows() -> None:
    ends = np.array([[0.0], [-1e300], [1e300], [np.inf]])
    times = np.array([-1e300, -1.0, 0.0, 1.0, 1e300])
    for edge in (0.0, 5e-324, 1e-300, 1.0, 1e300):
        left = term(ends, edge, times)
        assert ((left >= 0.0) & (left <= 1.0)).all()
        assert (left[np.broadcast_to(times >= ends, left.shape)] == 0.0).all()
        assert (left[3] == 1.0).all()


def test_the_edge_is_as_wide_as_it_is_meant() -> None:
    days = np.array([0.0, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0])
    left = term(2.0, 1.0, days)
    assert left[0] == left[1] == 1.0
    assert left[3] == 0.5
    assert left[5] == left[6] == 0.0
    assert (np.diff(left) <= 0.0).all()
    assert term(2.0, 0.0, [1.999, 2.0]).tolist() == [1.0, 0.0]
    assert term(np.inf, 0.0, [1e300]).tolist() == [1.0]


def test_it_holds_by_its_own_curve_before_the_end_and_not_after(store: scrubjay.MemoryStore) -> None:
    memory = store.add(TEXT, when=SAID)
    endless = store.add("Sam is on call.", when=SAID, perishability=memory.perishability)
    assert memory.until == 1741651200.0
    assert endless.until is None
    age = 5 * 86400.0
    own = store.validity([memory.id], ages=[0.0, age, 7 * 86400.0, 1e9])[0]
    assert own[0] == 1.0
    assert own[1] > 0.0
    assert own[2] == own[3] == 0.0
    assert store.validity([memory.id], now=BEFORE)[0] > 0.0
    assert store.validity([memory.id], now=AFTER)[0] == 0.0


@pytest.mark.parametrize("scoring", ["paper", "competitive"])
def test_valid_and_the_when_term_agree(store: scrubjay.MemoryStore, scoring: str) -> None:
    store.add(TEXT, when=SAID)
    store.add("Sam is on call.", when=SAID)
    for now, holds in ((BEFORE, True), (AFTER, False)):
        hits = store.search("who is on call", now=now, scoring=scoring, k=2)
        one = next(hit for hit in hits if hit.memory.text == TEXT)
        assert (one.valid > 0.0) is holds
        assert (one.factors["when"] > 0.0) is holds
        assert hits.exact


def test_paper_scores_are_those_of_each_memory_by_itself(store: scrubjay.MemoryStore) -> None:
    for i in range(40):
        store.add(f"Item {i} is on call until Monday the 10th." if i % 2 else f"Item {i} is on call.", when=SAID)
    wide = store.search("who is on call", now=AFTER, scoring="paper", k=40)
    few = store.search("who is on call", now=AFTER, scoring="paper", k=5)
    assert [hit.memory.id for hit in few] == [hit.memory.id for hit in wide][:5]
    assert all((hit.factors["when"] == 0.0) == (hit.memory.until is not None) for hit in wide)


def test_what_is_over_gives_the_place_back(store: scrubjay.MemoryStore) -> None:
    usual = store.add("I work from Berlin.", when="2025-03-01")
    store.add("I work from Lisbon until Friday.", when=SAID)
    during = {hit.memory.id: hit for hit in store.search("where do I work from", now="2025-03-05T12:00Z")}
    behind = {hit.memory.id: hit for hit in store.search("where do I work from", now="2025-03-10")}
    assert behind[usual.id].superseded <= during[usual.id].superseded
    assert behind[usual.id].superseded == 0.0
    assert next(iter(behind)) == usual.id


def test_an_appointment_that_is_over_keeps_the_place_of_an_earlier_one(store: scrubjay.MemoryStore) -> None:
    first = store.add("Launch date: 13 March", when="2025-03-01")
    last = store.add("The launch is on 20 March.", when=SAID)
    assert first.until is None
    assert last.until is not None
    for now in ("2025-03-05", "2025-03-25"):
        hits = {hit.memory.id: hit for hit in store.search("when is the launch", now=now)}
        assert hits[first.id].superseded > 0.9, now
    usual = store.add("The standup is in room 4.", when="2025-03-01")
    store.add("The standup is in room 9 today.", when=SAID)
    hits = {hit.memory.id: hit for hit in store.search("which room is the standup in", now="2025-03-06")}
    assert hits[usual.id].superseded == 0.0


def test_what_is_said_again_ends_later(store: scrubjay.MemoryStore) -> None:
    text = "Mia is away until Friday."
    first = store.add(text, when=SAID)
    again = store.add(text, when="2025-03-11T10:00Z")
    assert again.id == first.id
    assert again.until is not None
    assert first.until is not None
    assert again.until - first.until == 7 * 86400.0
    late = store.add(text, when="2025-02-18T10:00Z")
    assert late.until == again.until


def test_under_a_key_another_statement_brings_its_own_end(store: scrubjay.MemoryStore) -> None:
    store.add_many([{"text": "Mia is away until Friday.", "key": "mia", "when": SAID}])
    late = store.add_many([{"text": "Mia is away until 30 June.", "key": "mia", "when": "2025-03-01"}])[0]
    assert late.until == 1741392000.0
    newer = store.add_many([{"text": "Mia is in room 4.", "key": "mia", "when": "2025-03-05"}])[0]
    assert newer.until is None


def test_update_reads_the_new_text_and_time(store: scrubjay.MemoryStore) -> None:
    memory = store.add(TEXT, when=SAID)
    assert store.update(memory.id, metadata={"a": 1}).until == memory.until
    other = store.update(memory.id, text="Sam is on call until 3 May.", when=SAID)
    assert other.until == 1746316800.0
    assert store.update(memory.id, text="Sam is on call.").until is None


def test_what_the_user_chose_is_kept(store: scrubjay.MemoryStore) -> None:
    chosen = Perishability(label="factual", pi=0.1, tau=1e8)
    memory = store.add(TEXT, when=SAID, perishability=chosen)
    assert memory.until is None
    assert store.add(TEXT, when=SAID).until is None
    plain = store.add("Ana is on call until Friday.", when=SAID)
    assert plain.until is not None
    assert store.update(plain.id, perishability="factual").until is None


def test_the_log_folds_to_the_same_bits(tmp_path: Path) -> None:
    away = "Mia is away until Friday."
    with scrubjay.open(tmp_path / "store", embedder=WordHash(32)) as store:
        first = store.add(TEXT, when=SAID)
        second = store.add(away, when=SAID)
        assert store.add(away, when="2025-03-11T10:00Z").until != second.until
        store.update(first.id, text="Sam is on call until 3 May.", when=SAID)
        assert store.rebuild().same
    with scrubjay.open(tmp_path / "store", embedder=WordHash(32)) as store:
        assert store.get(first.id).until == 1746316800.0
        assert store.rebuild().same


def test_undo_brings_an_end_back(store: scrubjay.MemoryStore) -> None:
    text = "Mia is away until Friday."
    before = store.add(text, when=SAID)
    done = store.integrate(text, when="2025-03-11T10:00Z")
    assert done.memory is not None
    assert done.memory.until != before.until
    store.undo(done.event)
    after = store.get(before.id)
    assert (after.until, after.when) == (before.until, before.when)
    assert store.rebuild().same


def test_an_older_log_goes_on_without_ends(store: scrubjay.MemoryStore) -> None:
    """Events as they were written before ends were read."""
    memory = store.add(TEXT, when=SAID)
    event = store._engine.log.history(1)[0].event
    assert isinstance(event, Learned)
    old = msgspec.structs.replace(event, until=None, edge=0.0)
    assert b"until" not in msgspec.json.encode(old).replace(b"call until", b"")
    columns = Columns(dim=32)
    events: list[AnyEvent] = [NamespaceSeen(at=0.0, space=0, labels=()), old]
    apply(columns, Batch(after=0, upto=2, seqs=[1, 2], events=events))
    assert columns.until.tolist() == [np.inf]
    assert memory.until is not None
    apply(columns, Batch(after=2, upto=3, seqs=[3], events=[Reinforced(at=1.0, key=1, until=memory.until, edge=5.0)]))
    assert columns.until.tolist() == [memory.until]


def test_consolidation_puts_aside_what_is_over(store: scrubjay.MemoryStore) -> None:
    memory = store.add(TEXT, when=SAID)
    store.consolidate(now=BEFORE)
    assert not store.get(memory.id).archived
    store.consolidate(now=AFTER)
    assert store.get(memory.id).archived


GRID = np.linspace(0.0, 3e6, 61)


@given(
    held=st.floats(0.0, 1.0), less=st.floats(0.0, 1.0), until=st.floats(1.0, 3e6), edge=st.floats(0.0, 9e5),
    now=st.floats(0.0, 3e6), later=st.floats(0.0, 3e6),
)  # fmt: skip
def test_what_names_an_end_is_mostly_believed_until_then(
    held: float, less: float, until: float, edge: float, now: float, later: float
) -> None:
    first, then = kept(held, 0.0, until, edge, now), kept(held * less, 0.0, until, edge, now + later)
    assert 0.0 <= then <= first <= 1.0
    if now < until - edge:
        assert first >= max(held, 1.0 - DOUBT) - 1e-12
    if now >= until:
        assert first == 0.0
    assert kept(held, 0.0, np.inf, 0.0, now) == held


def test_an_oracle_of_the_promise() -> None:
    held = np.exp(-GRID / 2e5)
    wanted = []
    for own, t in zip(held.tolist(), GRID.tolist(), strict=True):
        wanted.append(0.0 if t >= 2e6 else 1.0 - DOUBT * t / 2e6 * (1.0 - own))
    np.testing.assert_allclose(kept(held, 0.0, 2e6, 0.0, GRID), wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("The guest room is taken until 2 June.", "2025-06-02T21:30Z"),
        ("Die Baustelle bleibt bis 12. April gesperrt.", "2025-04-12T21:30Z"),
        ("Le badge est valable jusqu'au 30 juin.", "2025-06-30T21:30Z"),
        ("El descuento vale hasta el 9 de mayo.", "2025-05-09T21:30Z"),
        ("La mensa è chiusa fino al 20 aprile.", "2025-04-20T21:30Z"),
        ("O desconto vai até 30 de abril.", "2025-04-30T21:30Z"),
    ],
)
def test_it_is_believed_until_the_evening_of_its_last_day_by_every_verb(
    store: scrubjay.MemoryStore, text: str, last: str
) -> None:
    memory = store.add(text, when=SAID)
    own = [float(store.validity([memory.id], now=last)[0])]
    for scoring in ("paper", "competitive"):
        hit = store.search(text, now=last, scoring=scoring, k=1)[0]
        assert hit.memory.id == memory.id
        own.append(hit.valid)
    assert min(own) > 1.0 - DOUBT
    ages = np.linspace(0.0, 4e7, 200)
    curve = store.validity([memory.id], ages=ages)[0]
    assert (np.diff(curve) <= 1e-12).all()
    assert curve[-1] == 0.0


def test_the_kernel_counts_the_promise_too(store: scrubjay.MemoryStore) -> None:
    for i in range(30):
        store.add(f"Room {i} is booked until {1 + i % 28} May.", when=SAID)
        store.add(f"Room {i} is painted in blue.", when=SAID)
    asked = {"query": "which room is booked", "now": "2025-04-12", "scoring": "paper"}
    wide = store.search(**asked, k=60)
    assert wide.exact
    assert [h.memory.id for h in store.search(**asked, k=7)] == [h.memory.id for h in wide][:7]
    columns, now = store._engine.columns, 1744416000.0
    rows = np.arange(len(columns), dtype=np.int64)
    for some in (None, rows[5:40]):
        value, when = aged(columns, now, some)
        chosen = rows if some is None else some
        left = np.asarray(
            _core.utility(value, columns.pi[chosen], columns.tau[chosen], when, now, shape=columns.shape[chosen])
        )
        wanted = columns.value[chosen].astype(np.float64) * validity(columns, chosen, now)
        np.testing.assert_allclose(left, wanted, rtol=1e-5)
