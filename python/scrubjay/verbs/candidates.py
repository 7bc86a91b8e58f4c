"""The candidates of an open store: made in the background, kept up with the columns, kept on disk beside the log.

Nothing waits for them: until they are there, and whenever they are not good enough, a search scans all rows. One thread
at a time makes them; it looks at the columns for moments and enters what it copied without any lock of the store.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from scrubjay.columns import Columns
from scrubjay.errors import StoreError
from scrubjay.recall.axes import Axes, learn
from scrubjay.recall.candidates import FEWEST, OUTSIDE, POOR, SAMPLES, VALUES, Candidates, Sample
from scrubjay.recall.lists import Lists
from scrubjay.recall.near_index import NearIndex, Slots
from scrubjay.store import candidates as kept

if TYPE_CHECKING:
    from scrubjay.verbs.engine import Engine

LATE: Final = 512
"""Rows that the index does not hold from which on it catches up (chosen)."""
WASTE: Final = 0.25
"""Share of slots without a living row from which on the index is made anew."""
GROWN: Final = 0.1
"""Share of slots that are new since the index was last kept from which on it is kept again, and measured."""
BATCH: Final = 1024
"""Rows that are copied in one moment."""
CHECKPOINT: Final = 1 << 15
"""Slots of an unfinished index from twice as many on it is kept whenever it has doubled (chosen)."""
CHECK: Final = 1 << 13
"""Slots that are compared with the columns in one moment."""
PATIENCE: Final = 4
"""Searches of a handle before its candidates are made where nobody chose: who asks once does not pay for them."""
EVERY: Final = 64
"""Searches between two looks for waste."""
_FAULTS: Final = (StoreError, OSError, MemoryError, RuntimeError, ValueError)


class _StoppedError(Exception):
    """The worker is to end."""


class CandidateStats(msgspec.Struct, frozen=True, kw_only=True):
    """How the candidates of a store stand."""

    state: str
    """"off": not wanted; "few": all rows are scanned, there are not enough for more; "making"; "ready"; "poor": made,
    but the rows do not suit it, so all are scanned; "failed", with the reason."""
    rows: int = 0
    """Entries of the index, those of rows that are gone too."""
    outside: int = 0
    """Rows that it does not hold as they are: they are always candidates."""
    bytes: int = 0
    """What it holds in memory."""
    recall: float | None = None
    """Share of the exact list that is expected in a probable one, None where it was not measured."""
    measured: int = 0
    """How many questions that is the mean of."""
    kept: bool = False
    """True where it lies on disk as well."""


class Keeper:
    """Makes and keeps the candidates of an engine. `wanted`: True from few rows on, False never, None for many."""

    def __init__(self, engine: Engine, wanted: bool | None) -> None:
        self._engine = weakref.ref(engine)
        self.wanted = wanted
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._worker: threading.Thread | None = None
        self._of: weakref.ref[Columns] | None = None
        self._current: Candidates | None = None
        self._making: Candidates | None = None
        self._failed = ""
        self._looked = False
        self._distrusted = False
        self._kept_slots = self._unkept_slots = 0
        self._measured_slots = 0
        self._calls = 0
        _KEEPERS.add(self)

    # -- for searches

    def source(self, columns: Columns) -> Candidates | None:
        """The candidates to search with, None to scan all rows. The caller holds the gate."""
        if (
            self.wanted is False
            or len(columns) < FEWEST
            or (self.wanted is None and len(columns) * columns.dim < VALUES)
        ):
            return None
        with self._lock:
            self._same(columns)
            self._drain(columns)
            current = self._current
            self._calls += 1
            late = LATE + 1 if current is None else len(current.outside(columns))
            patient = self.wanted is None and self._calls < PATIENCE
            if not patient and (late > LATE or self._due(columns, current)):
                self._wake()
            return current if current is not None and late <= OUTSIDE and self._measured_slots else None

    def warning(self) -> str:
        """What a caller of a probable list should know."""
        current = self._current
        expected = "unknown" if current is None else f"{current.recall:.3f} by {current.measured} questions"
        return (
            f"probable: the index of candidates may have missed a memory; expected recall {expected}. A store that is "
            "opened with candidates=False scores every one"
        )

    def unused(self) -> str:
        """What a caller should know of an index that is there and is not used; "" where there is none such."""
        current = self._current
        if current is None or not self._measured_slots or current.recall >= POOR:
            return ""
        return (
            f"scanned: there is an index of candidates, but it finds {current.recall:.3f} of the best alone (by "
            f"{current.measured} questions), so every memory was scored; candidates=False makes none"
        )

    def forget(self) -> None:
        """Drop all that was made of the columns so far: they are replaced by others."""
        with self._lock:
            self._reset()

    def stats(self, columns: Columns) -> CandidateStats:
        """How they stand. The caller holds the gate."""
        if self.wanted is False:
            return CandidateStats(state="off")
        with self._lock:
            self._same(columns)
            self._drain(columns)
            current = self._current
            if self._failed:
                return CandidateStats(state=f"failed: {self._failed}")
            if current is None or not self._measured_slots:
                return CandidateStats(state="making" if self._worker or self._making else "few")
            return CandidateStats(
                state="ready" if current.recall >= POOR else "poor",
                rows=len(current.index),
                outside=len(current.outside(columns)),
                bytes=current.index.nbytes,
                recall=current.recall,
                measured=current.measured,
                kept=bool(self._kept_slots),
            )

    def close(self) -> None:
        """End the work in hand, and keep what is worth keeping. The caller does not hold the gate."""
        self._stop.set()
        worker = self._worker
        if worker is not None and worker is not threading.current_thread():
            worker.join()
        engine = self._engine()
        if engine is None or engine.log.closed:
            return
        making = self._making
        if self._current is None and making is not None and len(making.index) >= self._kept_slots + BATCH:
            # the next handle goes on from here
            self._keep(engine, making)
        elif self._grown():
            self._keep(engine, self._current)

    def settle(self) -> None:
        """Wait until the work in hand is done."""
        worker = self._worker
        if worker is not None:
            worker.join()

    # -- with the lock

    def _same(self, columns: Columns) -> None:
        if self._of is None or self._of() is not columns:
            self._reset()
            self._of = weakref.ref(columns)

    def _reset(self) -> None:
        self._of, self._current, self._making = None, None, None
        self._kept_slots = self._unkept_slots = self._measured_slots = 0
        self._failed = ""

    def _drain(self, columns: Columns) -> None:
        keys = columns.take_turned()
        for some in (self._current, self._making):
            if some is not None:
                some.note(keys)

    def _due(self, columns: Columns, current: Candidates | None) -> bool:
        if current is None:
            return True
        if current.index.wide != bool(len(columns.contexts)):
            return not current.index.wide
        return self._calls % EVERY == 0 and _wasteful(columns, current)

    def _wake(self) -> None:
        if self._failed or self._stop.is_set() or (self._worker is not None and self._worker.is_alive()):
            return
        self._worker = threading.Thread(target=self._run, name="scrubjay-candidates", daemon=True)
        self._worker.start()

    # -- the worker

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                engine = self._engine()
                if engine is None or engine.log.closed or not self._work(engine):
                    break
                del engine
        except _FAULTS as error:
            with self._lock:
                self._failed = f"{type(error).__name__}: {error}"
                self._current = self._making = None

    def _work(self, engine: Engine) -> bool:
        """One round: make, or catch up, then measure and keep; False where nothing is left to do."""
        with engine.gate.reading():
            columns = engine.columns
            with self._lock:
                self._same(columns)
                self._drain(columns)
                current = self._current
                if current is not None and (
                    _wasteful(columns, current) or (not current.index.wide and len(columns.contexts))
                ):
                    self._making = Candidates(NearIndex(columns.dim, wide=bool(len(columns.contexts))))
                elif current is None and self._making is None:
                    # from here on the columns tell which rows turn
                    self._making = Candidates(NearIndex(columns.dim, wide=bool(len(columns.contexts))))
                making = self._making
        if making is not None and current is None and not self._looked:
            self._looked = True
            found = self._restored(engine, columns)
            if found is not None:
                with self._lock:
                    self._making = making = found
        if making is not None and making.index.axes is None and not self._learned(engine, columns, making):
            return not self._stop.is_set()
        target = current if making is None else making
        if target is None or not self._enter(engine, columns, target):
            return False
        crowded = target.index.crowded
        if crowded:
            try:
                target.index.arrange(self._check)
            except _StoppedError:
                return False
        with self._lock:
            if self._of is None or self._of() is not columns:
                return True
            if making is not None:
                self._making, self._measured_slots = None, 0
        grown = len(target.index) - self._measured_slots
        due = crowded or not self._measured_slots or grown > GROWN * self._measured_slots
        if due and not self._measure(engine, columns, target):
            return False
        with self._lock:
            if self._of is None or self._of() is not columns:
                return True
            self._current, self._measured_slots = target, max(1, len(target.index))
            target.index.usual = min(target.index.usual, target.index.lost)
        if self._grown():
            self._keep(engine, target)
        return False

    def _check(self) -> None:
        if self._stop.is_set():
            raise _StoppedError

    def _learned(self, engine: Engine, columns: Columns, making: Candidates) -> bool:
        """Learn the directions of the vectors; False where the columns are others by now."""
        with engine.gate.reading():
            if self._stop.is_set() or engine.columns is not columns:
                return False
            sample = making.index.sample(columns)
        making.index.take(learn(*sample))
        return True

    def _enter(self, engine: Engine, columns: Columns, target: Candidates) -> bool:
        """Enter what the index does not hold; False where it is no longer wanted."""
        while not self._stop.is_set():
            with engine.gate.reading():
                if engine.columns is not columns:
                    return True
                with self._lock:
                    self._drain(columns)
                entries = target.next(columns, BATCH)
            if entries is None:
                return True
            target.index.enter(entries)
            target.entered()
            if self._current is None and len(target.index) >= 2 * max(CHECKPOINT, self._kept_slots, self._unkept_slots):
                self._keep(engine, target)
        return False

    def _measure(self, engine: Engine, columns: Columns, target: Candidates) -> bool:
        samples: list[Sample] = []
        for seed in range(SAMPLES):
            with engine.gate.reading():
                if self._stop.is_set() or engine.columns is not columns:
                    return False
                sample = target.sample(columns, seed)
                samples += [] if sample is None else [sample]
        while True:
            recalls = []
            for sample in samples:
                with engine.gate.reading():
                    if self._stop.is_set() or engine.columns is not columns:
                        return False
                    recalls.append(target.recall_of(columns, sample))
            if not target.judge(recalls):
                return True

    def _restored(self, engine: Engine, columns: Columns) -> Candidates | None:
        held, why = kept.load(engine.log)
        self._distrusted = held is None and why != kept.ABSENT
        if held is None:
            return None
        shape, parts = held
        axes = Axes(parts["basis"][:-1], shape.axes_lost, shape.axes_shift, parts["basis"][-1], shape.axes_radius)
        told = {name: parts[name] for name in Lists._fields if name in parts}
        lists = Lists(n=shape.slots, arranged=shape.arranged, **told)
        index = NearIndex.restored(
            Slots(lists, parts["keys"], parts["digests"], np.arange(shape.slots)),
            dim=columns.dim,
            wide=shape.wide,
            axes=axes,
            last_key=shape.last_key,
            drift=shape.drift,
            lost=shape.lost,
            usual=shape.usual,
            reach=shape.reach,
        )
        if index is None or (len(columns.contexts) and not shape.wide):
            return None
        found = Candidates(index)
        with self._lock:
            # what turns from here on is noted
            self._making = found
        for start in range(0, len(index), CHECK):
            with engine.gate.reading():
                if self._stop.is_set() or engine.columns is not columns:
                    return None
                found.note(index.changed(columns, start, start + CHECK))
        self._kept_slots = len(index)
        return found

    def _grown(self) -> bool:
        current = self._current
        if current is None or not self._measured_slots:
            return False
        n = len(current.index)
        known = self._kept_slots or self._unkept_slots
        return self._distrusted or abs(n - known) > GROWN * known

    def _keep(self, engine: Engine, made: Candidates | None) -> None:
        log = engine.log
        if made is None or log.in_memory or log.read_only:
            return
        index, axes = made.index, made.index.axes
        if axes is None:
            return
        with engine.gate.reading():
            epoch, same = engine.epoch, self._of is not None and self._of() is engine.columns
        if not same:
            return
        slots = index.slots
        lists = slots.lists
        shape = kept.Shape(
            wide=index.wide,
            slots=lists.n,
            arranged=lists.arranged,
            lists=len(lists.centres),
            width=lists.codes.shape[1],
            last_key=index.last_key,
            drift=index.drift,
            reach=index.reach,
            lost=index.lost,
            usual=index.usual,
            axes=len(axes.basis) + 1,
            axes_lost=axes.lost,
            axes_shift=axes.shift,
            axes_radius=axes.radius,
        )
        parts = {**lists._asdict(), "keys": slots.keys, "digests": slots.digests}
        parts["basis"] = np.vstack([axes.basis, axes.centre])
        distrusted, self._distrusted, self._unkept_slots = self._distrusted, False, len(index)
        try:
            kept.save(log, shape, parts, epoch=epoch, distrusted=distrusted)
        except _FAULTS:
            # it serves all the same; when it has grown it is tried again
            self._kept_slots = 0
        else:
            self._kept_slots = len(index)


def _wasteful(columns: Columns, current: Candidates) -> bool:
    index = current.index
    return len(index) > FEWEST and (index.strange or index.waste(columns) > WASTE * len(index))


_KEEPERS: weakref.WeakSet[Keeper] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """No thread may be at work when the interpreter ends."""
    for keeper in list(_KEEPERS):
        keeper._stop.set()
    for keeper in list(_KEEPERS):
        keeper.settle()
