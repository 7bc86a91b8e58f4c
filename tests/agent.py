"""An agent's two months in a store, by a fixed seed: what it notes, asks, corrects, regrets, and keeps books on.

`Books` is the plain-Python model that the store is compared with: which memories live, who superseded whom and by which
event, and how many calls the scripted model must have had.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final

from scrubjay import MemoryStore, MemoryUnit, NewMemory
from scrubjay.llm import ScriptedModel
from scrubjay.llm.tasks import BATCH
from toys import Clock

DAY: Final = 86400.0
START: Final = 1.7e9
WORK, HOME, SCRATCH = ("agent", "work"), ("agent", "home"), ("agent", "work", "scratch")
MEETINGS = tuple(f"the {name} meeting" for name in ("planning", "budget", "design", "hiring", "release", "support"))
ROOMS = ("Heron", "Plover", "Wren", "Robin", "Finch", "Crane", "Stork")
PEOPLE = ("Maya", "Jonas", "Ines", "Tariq", "Bea", "Otto", "Lin")
CITIES = ("Lisbon", "Ghent", "Turin", "Lyon", "Riga", "Cork")
PROJECTS = ("atlas", "borealis", "cinder", "delta")
STATES = ("red", "green", "blocked", "released")
_ITEM: Final = re.compile(r'^{"item":(\d+),.*$', re.MULTILINE)


class Voice:
    """What the scripted model says: mostly sense, at fixed intervals nonsense of several kinds."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.asked: Counter[str] = Counter()
        self.model = ScriptedModel({"perishability": self.opinions, "deltas": self.deltas})

    def opinions(self, prompt: str) -> str:
        self.asked["perishability"] += 1
        if self.asked["perishability"] % 9 == 0:
            return self._random.choice(("", "no", '{"items": [{"item": 1,', "```json\n[]\n```", "NaN"))
        entries: list[dict[str, Any]] = []
        for number in _ITEM.findall(prompt.split("<data>")[1]):
            label, pi = self._random.choice((("factual", 0.1), ("task_specific", 0.6), ("ephemeral", 0.9)))
            entries.append({"item": int(number), "label": label, "pi": pi, "tau_sec": 86400 * self._random.random()})
        if len(entries) > 3 and self.asked["perishability"] % 2:
            entries[1]["pi"] = "high"
        return "Here you are:\n```json\n" + json.dumps({"items": entries}) + "\n```"

    def deltas(self, prompt: str) -> str:
        self.asked["deltas"] += 1
        if self.asked["deltas"] % 7 == 0:
            return self._random.choice(('{"delta_value": Infinity}', '{"id": 3}', "I moved it.", "{" * 50))
        told = {name: self._random.uniform(-3, 3) for name in ("delta_value", "delta_pi", "delta_tau")}
        return json.dumps({**told, "summary": "things moved"})


class Books:
    """What must be true of the store."""

    def __init__(self) -> None:
        self.living: dict[str, tuple[str, ...]] = {}
        self.lost: dict[str, tuple[str, int]] = {}
        """superseded id to (successor, event)."""
        self.said: dict[str, list[int]] = {}
        """Who said a memory: the event of each integration, 0 for a plain verb."""
        self.revived: dict[int, tuple[str, int]] = {}
        """Integrations that said a superseded memory again, with what had taken its place."""
        self.aside: set[str] = set()
        self.integrations: list[tuple[int, str, bool]] = []
        """(event, id of the evidence, whether it was new)."""
        self.calls = 0
        self.done: Counter[str] = Counter()

    def learned(self, unit: MemoryUnit, event: int = 0) -> bool:
        """A memory came back from a verb; True where it is new."""
        fresh = unit.id not in self.living
        self.said.setdefault(unit.id, []).append(event)
        self.living[unit.id] = unit.namespace
        if not unit.archived:
            self.aside.discard(unit.id)
        taken = self.lost.pop(unit.id, None) if unit.current else None
        if taken is not None:
            self.revived[event] = taken
        return fresh

    def gone(self, id: str) -> None:
        """A memory was deleted: what it had superseded falls to its own successor, or holds again."""
        self.passed_on([old for old, by in self.lost.items() if by[0] == id], id)
        del self.living[id], self.said[id]
        self.lost.pop(id, None)
        self.aside.discard(id)

    def taken_back(self, id: str, event: int) -> None:
        """An integration no longer says a memory."""
        last = self.said[id][-1] == event
        self.said[id].remove(event)
        if not self.said[id]:
            self.gone(id)
            return
        taken = self.revived.pop(event, None)
        if last and taken is not None and taken[0] in self.living:
            self.lost[id] = taken

    def passed_on(self, olds: list[str], successor: str) -> None:
        """Memories have lost the successor that they had."""
        heir = self.lost.get(successor)
        for old in olds:
            if heir is None or heir[0] == old:
                del self.lost[old]
            else:
                self.lost[old] = heir


class Agent:
    """Acts on a store; every action is one row of `ACTIONS`."""

    def __init__(self, store: MemoryStore, clock: Clock, voice: Voice, *, seed: int = 20) -> None:
        self.store, self.clock, self.voice = store, clock, voice
        self.random = Random(seed)
        self.books = Books()
        self.texts = 0
        self.recent: list[MemoryUnit] = []

    def live(self, days: int, actions: int) -> None:
        """So many days of so many actions each."""
        names, weights = zip(*((name, weight) for name, weight, _ in ACTIONS), strict=True)
        act = {name: action for name, _, action in ACTIONS}
        for _ in range(days):
            for _ in range(actions):
                self.clock.now += self.random.uniform(0.5, 1.5) * DAY / (2 * actions)
                (name,) = self.random.choices(names, weights)
                act[name](self)
                self.books.done[name] += 1
            self.clock.now += DAY / 2

    # -- what it says

    def statement(self) -> str:
        r = self.random
        self.texts += 1
        return r.choice(
            (
                f"{r.choice(MEETINGS)} is in room {r.choice(ROOMS)}.",
                f"{r.choice(PEOPLE)} lives in {r.choice(CITIES)}.",
                f"{r.choice(PEOPLE)} works on {r.choice(PROJECTS)}.",
                f"the build of {r.choice(PROJECTS)} is {r.choice(STATES)} right now.",
                f"note {self.texts}: {r.choice(PEOPLE)} said that {r.choice(PROJECTS)} needs {r.choice(ROOMS)}.",
                f"how to deploy {r.choice(PROJECTS)}: steps {self.texts}.",
            )
        )

    def correction(self) -> str:
        r = self.random
        return r.choice(
            (
                f"{r.choice(MEETINGS)} has moved to room {r.choice(ROOMS)}.",
                f"{r.choice(PEOPLE)} moved to {r.choice(CITIES)}.",
                f"{r.choice(PEOPLE)} no longer works on {r.choice(PROJECTS)}.",
                f"the build of {r.choice(PROJECTS)} is still {r.choice(STATES)}.",
            )
        )

    def question(self) -> str:
        return self.random.choice(
            (
                f"which room is {self.random.choice(MEETINGS)} in?",
                f"where does {self.random.choice(PEOPLE)} live?",
                f"what is the state of {self.random.choice(PROJECTS)}?",
            )
        )

    def one(self, namespace: tuple[str, ...] | None = None) -> str | None:
        """The id of a living memory, of those it has met lately."""
        ids = [u.id for u in self.recent[-200:] if u.id in self.books.living and namespace in (None, u.namespace)]
        return self.random.choice(ids) if ids else None

    # -- what it does

    def add(self) -> None:
        r = self.random
        pinned, sensitive = r.random() < 0.05, r.choice(("medical", "legal")) if r.random() < 0.05 else None
        before = len(self.books.living)
        unit = self.store.add(
            self.statement(),
            namespace=r.choice((WORK, WORK, HOME)),
            context=r.choice((None, "office", "sprint 12")),
            metadata={"n": self.texts},
            pinned=pinned,
            sensitive=sensitive,
        )
        self.books.learned(unit)
        self.books.calls += len(self.books.living) > before
        self.recent.append(unit)

    def add_some(self) -> None:
        count = self.random.randint(2, 70)
        items = [NewMemory(text=self.statement(), namespace=SCRATCH) for _ in range(count)]
        fresh = {unit.id: unit for unit in self.store.add_many(items)}
        new = sum(self.books.learned(unit) for unit in fresh.values())
        self.books.calls += max(1, new // BATCH) if new else 0
        self.recent += fresh.values()

    def ask(self) -> None:
        hits = self.store.search(self.question(), namespace=self.random.choice((WORK, HOME)), k=5)
        assert all(hit.memory.id in self.books.living for hit in hits)
        assert not [h for h in hits if not h.memory.current and h.valid > 0]
        if hits and self.random.random() < 0.3:
            self.store.outcome(hits[:2], self.random.choice((0.0, 0.5, 1.0)), source="agent")
        if hits and self.random.random() < 0.2:
            # what came back is noted again: nothing is multiplied
            unit = self.store.add(hits[0].memory.text, namespace=hits[0].memory.namespace)
            assert unit.id == hits[0].memory.id
            self.books.learned(unit)
        if hits and self.random.random() < 0.1:
            self.store.observe("as I remember: " + hits[0].memory.text, hits)

    def ask_many(self) -> None:
        self.store.search_many([self.question() for _ in range(3)], namespace=WORK, k=3)

    def correct(self) -> None:
        text, namespace = self.correction(), self.random.choice((WORK, WORK, HOME))
        if self.random.random() < 0.1:
            events = self.store.stats().events
            self.store.integrate(text, namespace=namespace, dry_run=True)
            assert self.store.stats().events == events
            self.books.calls += 1
        done = self.store.integrate(text, namespace=namespace, context="sprint 12")
        self.books.calls += 1
        assert done.memory is not None
        new = self.books.learned(done.memory, done.event)
        for id in done.superseded:
            assert self.books.living[id] == namespace
            self.books.lost[id] = (done.memory.id, done.event)
        self.books.integrations.append((done.event, done.memory.id, new))
        self.books.done["degraded deltas"] += done.degraded
        self.recent.append(done.memory)

    def regret(self) -> None:
        if not self.books.integrations:
            return
        at = self.random.randrange(max(0, len(self.books.integrations) - 5), len(self.books.integrations))
        event, evidence, _ = self.books.integrations.pop(at)
        if event not in self.books.said.get(evidence, ()):
            return
        self.store.undo(event)
        self.books.passed_on([old for old, by in self.books.lost.items() if by[1] == event], evidence)
        self.books.taken_back(evidence, event)
        self.books.done["undone"] += 1

    def change(self) -> None:
        id = self.one()
        if id is not None:
            self.store.update(id, value=self.random.uniform(0.5, 1.5), metadata={"seen": self.clock.now, "n": None})

    def drop(self) -> None:
        id = self.one()
        if id is not None:
            assert self.store.delete(id) == 1
            self.books.gone(id)

    def clear(self) -> None:
        doomed = [id for id, namespace in self.books.living.items() if namespace == SCRATCH]
        assert self.store.delete_all(SCRATCH, purge=False) == len(doomed)
        for id in doomed:
            self.books.gone(id)

    def rate(self) -> None:
        id = self.one()
        if id is not None:
            self.store.rate(id, self.random.random(), source="user")
            self.store.rescore({id: self.random.random()})

    def join(self) -> None:
        a, b = self.one(WORK), self.one(WORK)
        if a is not None and b is not None and a != b:
            self.store.link(a, b, weight=self.random.uniform(0.1, 1.0))
            assert b in [edge.memory.id for edge in self.store.neighbors(a)]
            if self.random.random() < 0.3:
                assert self.store.unlink(a, b)

    def look(self) -> None:
        id = self.one()
        if id is not None:
            self.store.get(id)
            assert self.store.history(id)[0].event == "learned"
            assert 0.0 <= float(self.store.validity(id)[0]) <= 1.0
        self.store.due(namespace=WORK, limit=5)

    def again(self) -> None:
        asked = self.store.stats().degraded
        done = self.store.reclassify()
        assert done.asked == asked
        self.books.calls += sum(max(1, min(256, asked - i) // BATCH) for i in range(0, asked, 256))
        self.books.done["mended"] += done.mended

    def tidy(self) -> None:
        """The end of a session: what is worth nothing is put aside; some of it is missed at once."""
        would = self.store.consolidate(namespace=WORK, dry_run=True, least_utility=0.5, least_support=2.0)
        done = self.store.consolidate(namespace=WORK, least_utility=0.5, least_support=2.0)
        pruned = [one.id for one in done.pruned]
        assert pruned == [one.id for one in would.pruned]
        assert not self.books.aside.intersection(pruned)
        self.books.aside.update(pruned)
        self.books.done["pruned"] += len(pruned)
        missed = pruned[:: max(1, len(pruned) // 3)]
        assert self.store.restore(missed) == len(missed)
        self.books.aside.difference_update(missed)
        self.store.binding(missed)

    def plan(self) -> None:
        buffer = self.store.prepare(self.random.choice(MEETINGS), namespace=WORK, k=16)
        for _ in range(3):
            hits = self.store.search(self.question(), namespace=WORK, k=3, buffer=buffer)
            assert all(hit.memory.id in self.books.living for hit in hits)

    def settle(self) -> None:
        self.store.configure(wanted=self.random.choice((0.85, 0.9)))
        assert self.store.rebuild().same


Action = tuple[str, float, Callable[[Agent], None]]
ACTIONS: Final[tuple[Action, ...]] = (
    ("add", 40, Agent.add),
    ("add_some", 0.6, Agent.add_some),
    ("ask", 10, Agent.ask),
    ("ask_many", 1, Agent.ask_many),
    ("correct", 12, Agent.correct),
    ("regret", 3, Agent.regret),
    ("change", 8, Agent.change),
    ("drop", 3, Agent.drop),
    ("clear", 0.15, Agent.clear),
    ("rate", 4, Agent.rate),
    ("join", 3, Agent.join),
    ("look", 6, Agent.look),
    ("again", 0.4, Agent.again),
    ("plan", 0.5, Agent.plan),
    ("tidy", 0.3, Agent.tidy),
    ("settle", 0.1, Agent.settle),
)
"""(name, weight, what it does)."""
