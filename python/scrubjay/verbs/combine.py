"""Adds that meet are written together: who comes while others are written waits, and the next to lead takes them all.

The texts of a batch are embedded by one call, and its events are one transaction, one wait for the disk and one fold.
They are the events that the same adds would have made one after another, in the order in which they came; of who is
alone nothing is asked but a lock. Each caller has its own answer: where a batch fails, its members are handed back, and
each adds its own as if nobody else were there.

Who leads passes the lead on when its batch is done. As those who were answered come back one after another, a leader
waits for as many as the last batch had, at most PATIENCE seconds. One whose embedder is slow holds nobody back for
longer than LAPSE seconds: another then leads beside it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from typing import Final

from scrubjay.encode.intake import Draft
from scrubjay.encode.normal import text_digest
from scrubjay.errors import MemoryNotFoundError, StoreError, StoreLockedError
from scrubjay.events import AnyEvent
from scrubjay.memory import MemoryUnit
from scrubjay.store.view import Transaction
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.revise import renew
from scrubjay.verbs.write import add_chunk, add_many

MOST: Final = 64
"""Adds in a batch, at most (chosen)."""
LONGEST: Final = 4096
"""Characters of a text that others wait for; a longer one is embedded by its own thread alone (chosen)."""
PATIENCE: Final = 0.01
"""Seconds, at most, for which a leader waits for those who are expected (chosen)."""
LAPSE: Final = 0.05
"""Seconds of gathering and embedding after which others no longer wait for a leader (chosen)."""


class _Add:
    """One caller's add."""

    __slots__ = ("alone", "awake", "done", "draft", "error", "gate", "key", "taken", "unit")

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.gate = threading.Lock()
        self.gate.acquire()
        self.awake = self.taken = self.done = self.alone = False
        self.key: int | None = None
        self.unit: MemoryUnit | None = None
        self.error: BaseException | None = None


class _Lead:
    """Who writes the next batch."""

    __slots__ = ("holds", "lapses", "of", "wants")

    def __init__(self, of: _Add) -> None:
        self.of = of
        self.lapses = time.monotonic() + LAPSE
        self.wants = 0
        """So many in the queue wake the leader."""
        self.holds = False
        """It no longer lapses: all that it waits for is the store."""


class Adds:
    """The adds of a store's threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = threading.Lock()
        """Guards what follows, and is held for moments."""
        self._queue: deque[_Add] = deque()
        self._lead: _Lead | None = None
        self._expected = 1
        """Members that a batch will probably have."""
        self._cost = 0.0
        """Seconds that a batch takes, about."""
        self._inside: set[int] = set()
        """Threads that lead: an embedder may add, too."""

    def add(self, draft: Draft) -> MemoryUnit:
        """Add one memory, with those that others add at the same time."""
        engine = self._engine
        engine.log.must_be_open()
        heard = engine.adviser is not None or engine.annotator is not None
        if heard or len(draft.text) > LONGEST or threading.get_ident() in self._inside:
            return add_many(engine, [draft])[0]
        mine = _Add(draft)
        try:
            self._join(mine)
            while not mine.done:
                lead = self._lead
                if lead is not None and lead.of is mine and not mine.taken:
                    self._work(lead)
                else:
                    self._sleep(mine)
        except BaseException:
            self._withdraw(mine)
            raise
        if mine.error is not None:
            raise mine.error
        if mine.alone:
            return add_many(engine, [draft])[0]
        return self._finish(mine) if mine.unit is None else mine.unit

    # -- the queue

    def _join(self, mine: _Add) -> None:
        with self._turn:
            self._queue.append(mine)
            lead = self._lead
            if lead is None:
                self._lead = _Lead(mine)
            elif lead.wants and len(self._queue) >= lead.wants:
                lead.wants = 0
                self._wake(lead.of)

    def _wake(self, one: _Add) -> None:
        """Let somebody look again. The caller has the turn."""
        if not one.awake:
            one.awake = True
            one.gate.release()

    def _sleep(self, mine: _Add, seconds: float | None = None) -> None:
        """Wait until there is something to look at, or the leader may have lapsed."""
        woken = mine.gate.acquire(timeout=LAPSE if seconds is None else seconds)
        with self._turn:
            if woken:
                mine.awake = False
                return
            lead = self._lead
            if seconds is None and not mine.taken and not mine.done and (lead is None or self._lapsed(lead)):
                self._lead = _Lead(mine)

    @staticmethod
    def _lapsed(lead: _Lead) -> bool:
        return not lead.holds and time.monotonic() >= lead.lapses

    def _withdraw(self, mine: _Add) -> None:
        """Its thread was interrupted: nobody else shall write it if nobody does yet, and another leads."""
        with self._turn:
            with suppress(ValueError):
                self._queue.remove(mine)
            if self._lead is not None and self._lead.of is mine:
                self._pass_on()

    def _pass_on(self) -> None:
        """Let the first of the queue lead. The caller has the turn."""
        self._lead = None
        if self._queue:
            self._lead = _Lead(self._queue[0])
            self._wake(self._queue[0])

    # -- leading

    def _work(self, lead: _Lead) -> None:
        self._gather(lead)
        batch: list[_Add] = []
        me = threading.get_ident()
        try:
            with self._turn:
                if self._lead is not lead:
                    return
                while self._queue and len(batch) < MOST:
                    batch.append(self._queue.popleft())
                    batch[-1].taken = True
            self._inside.add(me)
            self._write(batch, lead)
        finally:
            self._inside.discard(me)
            with self._turn:
                for one in batch:
                    if not one.done:
                        one.done, one.error = True, one.error or _unknown()
                    if one is not lead.of:
                        self._wake(one)
                if self._lead is lead:
                    self._expected = max(len(batch), self._expected // 2)
                    self._pass_on()

    def _gather(self, lead: _Lead) -> None:
        """Wait for those who are expected."""
        with self._turn:
            patience = min(PATIENCE, self._cost)
            if len(self._queue) >= self._expected or patience <= 0.0:
                return
            lead.wants = min(self._expected, MOST)
        self._sleep(lead.of, patience)
        lead.wants = 0

    def _write(self, batch: list[_Add], lead: _Lead) -> None:
        """Write the adds of a batch and give each its answer."""
        engine, began = self._engine, time.monotonic()
        mark: list[tuple[int, int | None, int, list[int]]] = []

        def noted(tx: Transaction, keys: list[int]) -> list[AnyEvent]:
            mark.append((tx.seq, tx.crc_at(tx.seq), tx.first_key, keys))
            return []

        def hold(_: object) -> None:
            lead.holds = True

        try:
            keys = add_chunk(engine, [one.draft for one in batch], before=hold, then=noted, ordered=True)
        except Exception as error:  # noqa: BLE001 - told to each, or met again by each
            self._refuse(batch, error)
            return
        except BaseException:
            self._salvage(batch, mark)
            raise
        self._keyed(batch, keys, mark[-1][2])
        try:
            engine.refresh()
            plain = [one for one in batch if not one.alone]
            for one, unit in zip(plain, engine.units([one.key or 0 for one in plain]), strict=True):
                one.unit = unit
        finally:
            # who has no answer looks for it: the memory is there
            for one in batch:
                one.alone, one.done = False, True
        self._cost = (self._cost + time.monotonic() - began) / 2

    @staticmethod
    def _keyed(batch: list[_Add], keys: list[int], first: int) -> None:
        """Give each its key; marks as `alone` those that change what was under their key."""
        seen: set[int] = set()
        for one, key in zip(batch, keys, strict=True):
            one.key = key
            there = key < first or key in seen
            one.alone = there and one.draft.dedupe != text_digest(one.draft.text)
            seen.add(key)

    @staticmethod
    def _refuse(batch: list[_Add], error: Exception) -> None:
        """Nothing was written: each tries alone, but where it would only wait for as long again."""
        for one in batch:
            if len(batch) == 1:
                one.error = error
            elif isinstance(error, StoreLockedError):
                one.error = type(error)(*error.args)
            else:
                one.alone = True
            one.done = True

    def _salvage(self, batch: list[_Add], mark: list[tuple[int, int | None, int, list[int]]]) -> None:
        """The leader was interrupted: find out whether the batch was written, and hand it back if not."""
        written = False
        if mark:
            seq, crc, first, keys = mark[-1]
            with self._engine.log.exclusive():
                pass
            with self._engine.log.read() as view:
                written = crc is not None and view.crc_at(seq) == crc
            if written:
                self._keyed(batch, keys, first)
        for one in batch:
            one.alone, one.done = not written, True

    def _finish(self, mine: _Add) -> MemoryUnit:
        """The rest of an add whose event is written."""
        assert mine.key is not None
        renew(self._engine, [mine.draft], [mine.key])
        self._engine.refresh()
        unit = self._engine.units([mine.key])[0]
        if unit is None:
            raise MemoryNotFoundError("the memory was added and at once deleted by another writer")
        return unit


def _unknown() -> StoreError:
    return StoreError("the thread that wrote this memory was interrupted: look whether it is there, or add it again")
