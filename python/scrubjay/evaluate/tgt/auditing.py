"""The audit: what must hold of a benchmark before anybody is measured with it. One violation fails the whole.

>>> from scrubjay.evaluate.tgt.generator import generate
>>> audit(generate(7, 4)).queries
264
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from scrubjay.errors import ArgumentError
from scrubjay.evaluate.tgt.artefact import Benchmark, Instance, Memory
from scrubjay.evaluate.tgt.judging import holds_fact, says_stale
from scrubjay.evaluate.tgt.schedule import (
    INTERVALS,
    MEMORIES_PER_TYPE,
    QUERIES_PER_INSTANCE,
    QUERY_KINDS,
    TYPES,
    VALID_SHARE,
    valid,
)

MIN_CELL = 10
MAX_ECHO = 0.05


class AuditError(ArgumentError):
    """A benchmark breaks its own rules; `failures` lists every one that was found."""

    def __init__(self, failures: Sequence[str]) -> None:
        shown = "; ".join(failures[:5]) + (f"; and {len(failures) - 5} more" if len(failures) > 5 else "")
        super().__init__(f"benchmark: the audit found {len(failures)} failure(s): {shown}. Generate it again")
        self.failures = tuple(failures)


class AuditReport(msgspec.Struct, frozen=True):
    """What was counted in a benchmark that passed."""

    instances: int
    memories: int
    queries: int
    valid: int
    smallest_cell: int
    echo: float
    """Share of queries whose own text would be judged a right answer."""
    query_uniqueness: float
    """Distinct query texts of all, the mean of the instances."""
    shared_keys: int
    """Targets whose (subject, category) another memory of the class has too: their questions have two answers."""


def _body(memory: Memory) -> str:
    tag = f" This was logged in checkpoint {memory.id}."
    return memory.text.removesuffix(tag) if memory.text.endswith(tag) else ""


def _memory_failures(instance: Instance, unique_keys: bool) -> Iterator[str]:
    counts = Counter(m.type for m in instance.memories)
    if counts != dict.fromkeys(TYPES, MEMORIES_PER_TYPE):
        yield f"{instance.id}: {dict(counts)} memories a class instead of {MEMORIES_PER_TYPE} each"
    if len({m.id for m in instance.memories}) != len(instance.memories):
        yield f"{instance.id}: two memories have one id"
    bodies = Counter(_body(m) for m in instance.memories)
    if bodies.pop("", 0):
        yield f"{instance.id}: a memory does not end with its checkpoint"
    if any(n > 1 for n in bodies.values()):
        yield f"{instance.id}: the body {next(b for b, n in bodies.items() if n > 1)!r} appears twice"
    for memory in instance.memories:
        if says_stale(memory.text):
            yield f"{memory.id}: a marker word is in its text"
        if not holds_fact(memory.text, memory.answer):
            yield f"{memory.id}: its text does not hold its answer"
    if unique_keys:
        keys = Counter((m.type, m.subject, m.category) for m in instance.memories)
        yield from (f"{instance.id}: the key {key} is repeated" for key, n in keys.items() if n > 1)


def _query_failures(instance: Instance) -> Iterator[str]:
    memories = {m.id: m for m in instance.memories}
    if len({q.id for q in instance.queries}) != len(instance.queries):
        yield f"{instance.id}: two queries have one id"
    targets: dict[tuple[str, str], set[str]] = {}
    for q in instance.queries:
        target = memories.get(q.target)
        if target is None:
            yield f"{q.id}: its target {q.target} is not among the candidates"
            continue
        if (target.type, target.answer) != (q.type, q.answer):
            yield f"{q.id}: its class or answer is not its target's"
        if q.answer.lower() in q.text.lower():
            yield f"{q.id}: its text holds the answer"
        if says_stale(q.text):
            yield f"{q.id}: a marker word is in its text"
        if q.distractor and (q.valid or q.type != "A" or q.interval not in ("I1", "I2")):
            yield f"{q.id}: a distractor must be an invalid A at I1 or I2"
        if not q.distractor and q.valid != valid(q.type, q.interval):
            yield f"{q.id}: its validity is not the schedule's"
        low, high = INTERVALS.get(q.interval, (1, 0))
        if not low <= q.age <= high or q.now != target.created + q.age:
            yield f"{q.id}: its age {q.age} or time {q.now} does not fit interval {q.interval}"
        group = (f"distractor {q.kind} {q.interval}" if q.distractor else q.interval, q.type)
        targets.setdefault(group, set()).add(q.target)
    used = Counter(t for group in targets.values() for t in group)
    yield from (f"{instance.id}: target {t} serves two intervals" for t, n in used.items() if n > 1)
    cells = Counter((q.interval, q.type, q.kind, q.distractor) for q in instance.queries)
    wanted = Counter({(i, t, k, False): 1 for i in INTERVALS for t in TYPES for k in QUERY_KINDS})
    wanted.update({(i, "A", k, True): 1 for i in ("I1", "I2") for k in QUERY_KINDS})
    if cells != wanted:
        yield f"{instance.id}: its {len(instance.queries)} queries are not the {QUERIES_PER_INSTANCE} of the design"
    for interval, (good, total) in VALID_SHARE.items():
        here = [q.valid for q in instance.queries if q.interval == interval]
        if (sum(here), len(here)) != (good, total):
            yield f"{instance.id}: {sum(here)} of {len(here)} queries are valid at {interval}, not {good} of {total}"


def audit(benchmark: Benchmark) -> AuditReport:
    """Check every rule; raises AuditError with all failures, returns the counts where there are none."""
    failures: list[str] = []
    for instance in benchmark.instances:
        failures += _memory_failures(instance, benchmark.unique_keys)
        failures += _query_failures(instance)
    pools = Counter(frozenset(_body(m) for m in i.memories) for i in benchmark.instances)
    if len({i.id for i in benchmark.instances}) != len(benchmark.instances) or any(n > 1 for n in pools.values()):
        failures.append("two instances share one pool or one id")
    queries = [q for i in benchmark.instances for q in i.queries]
    cells = Counter((q.interval, q.type) for q in queries)
    smallest = min((cells[i, t] for i in INTERVALS for t in TYPES), default=0)
    if smallest < MIN_CELL:
        failures.append(f"a cell holds {smallest} queries, fewer than {MIN_CELL}: generate at least 4 instances")
    echo = sum(holds_fact(q.text, q.answer) for q in queries) / max(1, len(queries))
    if echo >= MAX_ECHO:
        failures.append(f"{echo:.1%} of the queries are answered by their own text; the limit is {MAX_ECHO:.0%}")
    if failures:
        raise AuditError(failures)
    unique = [len({q.text for q in i.queries}) / len(i.queries) for i in benchmark.instances]
    return AuditReport(
        instances=len(benchmark.instances),
        memories=sum(len(i.memories) for i in benchmark.instances),
        queries=len(queries),
        valid=sum(q.valid for q in queries),
        smallest_cell=smallest,
        echo=echo,
        query_uniqueness=sum(unique) / len(unique),
        shared_keys=sum(_shared(i) for i in benchmark.instances),
    )


def _shared(instance: Instance) -> int:
    keys = Counter((m.type, m.subject, m.category) for m in instance.memories)
    targets = {q.target for q in instance.queries}
    return sum(keys[m.type, m.subject, m.category] > 1 for m in instance.memories if m.id in targets)
