"""Whatever is added, integrated, changed and deleted in whatever order: undo leaves what the log without it gives."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import scrubjay
from scrubjay import errors
from scrubjay.columns import CURRENT, FIELDS, Columns
from scrubjay.events import AnyEvent, Batch, Integrated, Learned, Reinforced, Undone
from scrubjay.fold import apply, rebuild
from scrubjay.slots.competition import SlotModel
from toys import Clock, WordHash

DAY = 86400.0
SUBJECTS = ("the retro", "the standup", "the review")
ROOMS = ("room Heron", "room Plover", "room Wren")
WORDS = ("is in", "has moved to", "is no longer in", "is still in")
texts = st.builds(
    lambda *parts: " ".join(parts), st.sampled_from(SUBJECTS), st.sampled_from(WORDS), st.sampled_from(ROOMS)
)


class Slots(SlotModel):
    """The same subject in a room: the same slot, surely."""

    def __init__(self) -> None:
        self.calls = 0

    def same_slot(self, texts: object, vectors: object = None, **_: object) -> np.ndarray:
        names = [" ".join(text.split()[:2]) for text in texts]  # type: ignore[attr-defined]
        c = np.array([[float(a == b) for b in names] for a in names], np.float32)
        np.fill_diagonal(c, 0.0)
        return c


class Undoing(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.clock = Clock()
        self.store = scrubjay.open(":memory:", embedder=WordHash(), clock=self.clock)
        self.store._engine.slots = Slots()
        self.open: list[int] = []
        self.undone: set[int] = set()

    def ids(self) -> list[str]:
        return [unit.id for unit in self.store.list(namespace="n")]

    @rule(text=texts, days=st.integers(0, 40))
    def add(self, text: str, days: int) -> None:
        self.store.add(text, namespace="n", when=self.clock.now - days * DAY)

    @rule(text=texts, more=st.integers(0, 3))
    def integrate(self, text: str, more: int) -> None:
        self.open.append(self.store.integrate(f"{text} {more}", namespace="n").event)

    @rule(hours=st.sampled_from([1, 24, 24 * 31]))
    def wait(self, hours: int) -> None:
        self.clock.now += hours * 3600.0

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, 99))
    def undo(self, which: int) -> None:
        event = self.open.pop(which % len(self.open))
        touched = next(iter(self.store._engine.log.tail(event - 1, event))).events[0]
        assert isinstance(touched, Integrated)
        keys = [touched.key, *touched.keys, *touched.superseded]
        if (self.store._engine.columns.rows(keys) >= 0).any():
            self.store.undo(event)
        else:
            with pytest.raises(errors.ArgumentError, match="nothing is left"):
                self.store.undo(event)
        self.undone.add(event)
        with pytest.raises(errors.ArgumentError):
            self.store.undo(event)

    @rule(which=st.integers(0, 99), value=st.floats(0, 2))
    def update(self, which: int, value: float) -> None:
        ids = self.ids()
        if ids:
            self.store.update(ids[which % len(ids)], value=value)

    @rule(which=st.integers(0, 99))
    def delete(self, which: int) -> None:
        ids = self.ids()
        if ids:
            self.store.delete(ids[which % len(ids)])

    @rule(which=st.integers(0, 99), signal=st.sampled_from([0.0, 0.5, 1.0]))
    def outcome(self, which: int, signal: float) -> None:
        ids = self.ids()
        if ids:
            self.store.outcome(ids[which % len(ids)], signal)
            self.store.rate(ids[-1], signal)

    @rule(which=st.integers(0, 99))
    def link(self, which: int) -> None:
        ids = self.ids()
        if len(ids) > 1 and which % len(ids):
            self.store.link(ids[0], ids[which % len(ids)])

    @rule(back=st.booleans())
    def consolidate(self, back: bool) -> None:
        done = self.store.consolidate(least_utility=0.9, least_support=2.0)
        if back:
            self.store.restore([one.id for one in done.pruned])

    @rule(signal=st.sampled_from([0.5, 0.9]))
    def configure(self, signal: float) -> None:
        self.store.configure(wanted=signal)

    @invariant()
    def state_is_that_of_the_log_without_what_was_undone(self) -> None:
        if not hasattr(self, "store"):
            return
        log = self.store._engine.log
        self.store._engine.refresh()
        state = self.store._engine.columns
        assert rebuild(log).digest() == state.digest()
        oracle = Columns(state.dim)
        said: dict[int, list[int]] = {}
        whole: dict[int, AnyEvent] = {}
        unsaid: set[int] = set()
        for batch in log.tail(0):
            for seq, e in zip(batch.seqs, batch.events, strict=True):
                whole[seq] = e
                if isinstance(e, Learned | Reinforced):
                    said.setdefault(e.key, []).append(seq)
                elif isinstance(e, Integrated) and seq in self.undone:
                    unsaid.add(said[e.key][-1])
        for seqs in said.values():
            left = [seq for seq in seqs if seq not in unsaid]
            if seqs[0] in unsaid and left:
                # the first saying that is left is what the memory was learned by
                whole[seqs[0]] = msgspec.structs.replace(whole[seqs[0]], when=whole[left[0]].when)
                unsaid.add(left[0])
            unsaid.discard(seqs[0])
        for batch in log.tail(0):
            kept = [
                (seq, whole[seq])
                for seq, e in zip(batch.seqs, batch.events, strict=True)
                if not (isinstance(e, Integrated) and seq in self.undone)
                and not isinstance(e, Undone)
                and seq not in unsaid
            ]
            # one at a time: cut out events leave gaps in the numbers
            for seq, e in kept:
                oracle.seq = seq - 1
                apply(oracle, Batch(after=seq - 1, upto=seq, seqs=[seq], events=[e]))
        mine, theirs = np.flatnonzero(state.live()), np.flatnonzero(oracle.live())
        # of a chain whose middle was undone the first passes to the last, which the oracle has never seen meet
        passed = state.superseded_by[mine] != oracle.superseded_by[theirs]
        assert not oracle.superseded_by[theirs][passed].any()
        assert (state.rows(state.superseded_by[mine][passed]) >= 0).all()
        assert ((state.flags[mine][passed] & CURRENT) == 0).all()
        for field in (f.name for f in FIELDS):
            told, wanted = getattr(state, field)[mine], getattr(oracle, field)[theirs]
            if field == "superseded_by":
                told = np.where(passed, 0, told)
            elif field == "flags":
                told = np.where(passed, told | CURRENT, told)
            np.testing.assert_array_equal(told, wanted, err_msg=field)
        np.testing.assert_array_equal(state.what[mine], oracle.what[theirs])

    def teardown(self) -> None:
        if hasattr(self, "store"):
            assert self.store.verify().ok
            self.store.close()


TestUndoing = Undoing.TestCase
TestUndoing.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
