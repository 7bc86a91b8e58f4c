"""Random histories: a Hypothesis machine that writes to a log and to the plain-Python model side by side."""

from __future__ import annotations

import shutil
import tempfile
from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.events import Forgotten, Reinforced, Updated
from scrubjay.memory import LABELS, Layer, Origin, Perishability, Tier
from scrubjay.store import EventLog, snapshot, verify
from tests.store.helpers import DIM, context, digest, learned, space, unit
from tests.store.model import Model

times = st.floats(-1e9, 4e9)
texts = st.text(max_size=30)
perishabilities = st.builds(
    Perishability,
    label=st.sampled_from(LABELS),
    pi=st.floats(1e-3, 1.0),
    tau=st.floats(60.0, 3e7),
    shape=st.floats(0.1, 5.0),
    origin=st.sampled_from(Origin),
    degraded=st.booleans(),
)
metadata = st.dictionaries(texts, st.none() | st.booleans() | st.integers(-(2**60), 2**60) | texts, max_size=3)
values = st.floats(0.0, 1e6)
vectors = st.integers(0, 10**6).map(lambda seed: unit(seed).tobytes())
sensitive = st.none() | st.sampled_from(["medical", "legal"])


class StoreMachine(RuleBasedStateMachine):
    """Each rule is one transaction of the log; after each, log, columns and model agree."""

    def __init__(self) -> None:
        super().__init__()
        self.folder: str | None = None

    @initialize(on_disk=st.booleans())
    def start(self, on_disk: bool) -> None:
        self.folder = tempfile.mkdtemp() if on_disk else None
        self.log = self._open()
        self.columns = Columns(DIM)
        self.model = Model()
        self._write([space(0), context(0), space(1, ("ü", "a:b")), context(1, "日本")])

    def _open(self) -> EventLog:
        return EventLog.open(self.folder or ":memory:", embedder="toy", dim=DIM, durability="normal")

    def _write(self, events: list[Any]) -> None:
        with self.log.write() as tx:
            batch = tx.append(events)
        fold.apply(self.columns, batch)
        for event in events:
            self.model.apply(event)

    def _key(self, data: Any) -> int:
        return data.draw(st.sampled_from(sorted(self.model.memories)))

    @rule(data=st.data(), n=st.integers(1, 5))
    def learn(self, data: Any, n: int) -> None:
        with self.log.read() as view:
            first = max([0, *self.model.memories, *self.model.deleted]) + 1
            assert view.seq == self.columns.seq
        events = []
        for i in range(n):
            text = f"{data.draw(texts)} {first + i}"
            given_context = data.draw(st.integers(-1, len(self.model.contexts) - 1))
            events.append(
                learned(
                    first + i,
                    text,
                    at=data.draw(times),
                    when=data.draw(times),
                    space=data.draw(st.integers(0, 1)),
                    context=given_context,
                    perishability=data.draw(perishabilities),
                    value=data.draw(values),
                    metadata=data.draw(metadata),
                    pinned=data.draw(st.booleans()),
                    sensitive=data.draw(sensitive),
                    layer=data.draw(st.sampled_from(Layer)),
                    tier=data.draw(st.sampled_from(Tier)),
                )
            )
        self._write(events)

    @rule(text=texts)
    def see_context(self, text: str) -> None:
        number = len(self.model.contexts)
        self._write([context(number, f"{text} {number}")])

    @precondition(lambda self: self.model.memories)
    @rule(data=st.data())
    def mixed(self, data: Any) -> None:
        """Several kinds of events in one transaction, also about a memory that is new in it."""
        fresh = max([0, *self.model.memories, *self.model.deleted]) + 1
        events: list[Any] = []
        living = sorted(self.model.memories)
        for _ in range(data.draw(st.integers(1, 6))):
            key = data.draw(st.sampled_from(living))
            kind = data.draw(st.sampled_from(["reinforce", "update", "learn", "forget"]))
            if kind == "reinforce":
                events.append(Reinforced(at=data.draw(times), key=key, count=data.draw(st.integers(1, 2**31 - 1))))
            elif kind == "update":
                events.append(self._update(data, key))
            elif kind == "learn":
                events.append(learned(fresh))
                living.append(fresh)
                fresh += 1
            elif len(living) > 1:
                events.append(Forgotten(at=data.draw(times), keys=[key]))
                living.remove(key)
        if events:
            self._write(events)

    def _update(self, data: Any, key: int) -> Updated:
        fields: dict[str, Any] = {
            "text": texts,
            "vector": vectors,
            "context": st.integers(-1, len(self.model.contexts) - 1),
            "when": times,
            "perishability": perishabilities,
            "value": values,
            "metadata": metadata,
            "pinned": st.booleans(),
            "sensitive": sensitive,
        }
        chosen = data.draw(st.sets(st.sampled_from(sorted(fields)), max_size=4))
        given_fields = {name: data.draw(fields[name]) for name in sorted(chosen)}
        if "text" in given_fields:
            given_fields["dedupe"] = digest(f"{key} {given_fields['text']} {len(self.model.events)}")
        return Updated(at=data.draw(times), key=key, **given_fields)

    @precondition(lambda self: self.model.memories)
    @rule(data=st.data())
    def forget(self, data: Any) -> None:
        keys = data.draw(st.sets(st.sampled_from(sorted(self.model.memories)), min_size=1))
        self._write([Forgotten(at=data.draw(times), keys=sorted(keys))])

    @rule(compact=st.booleans())
    def keep_snapshot(self, compact: bool) -> None:
        if compact:
            self.columns.compact()
        status = snapshot.save(self.log, self.columns)
        assert status.outcome in (("skipped",) if self.folder is None else ("written", "older"))

    @precondition(lambda self: self.folder is not None)
    @rule()
    def reopen(self) -> None:
        self.log.close()
        self.log = self._open()
        self.columns, status = snapshot.load(self.log)
        assert status.good
        fold.catch_up(self.columns, self.log)

    @precondition(lambda self: self.folder is not None)
    @rule()
    def second_handle(self) -> None:
        with self._open() as other:
            assert other.seq == self.columns.seq

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "model"):
            self.model.check(self.columns)

    def teardown(self) -> None:
        if not hasattr(self, "log"):
            return
        self.model.check_log(self.log)
        assert fold.rebuild(self.log).digest() == self.columns.digest()
        for key in (*self.model.memories, *self.model.deleted):
            about = [e for e in self.model.events if key in _keys(e)]
            assert [r.event for r in self.log.history(key)] == about
        report = verify.verify(self.log, fold.catch_up, columns=self.columns)
        assert report.ok, str(report)
        self.log.close()
        if self.folder is not None:
            shutil.rmtree(self.folder)


def _keys(event: Any) -> list[int]:
    return getattr(event, "keys", None) or [getattr(event, "key", -1)]
