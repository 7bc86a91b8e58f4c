"""The template generator: one pool of memories and one set of queries an instance, from `Random(f"{seed}:{p}")` alone.

Only `Random.random` is used, the one method whose sequence Python promises to keep, so that a seed gives the same bytes
on every version.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from scrubjay.errors import ArgumentError
from scrubjay.evaluate.tgt.artefact import FORMAT, Benchmark, Instance, Memory, Query
from scrubjay.evaluate.tgt.schedule import (
    EXPIRY_DRAWN,
    INTERVALS,
    MEMORIES_PER_TYPE,
    PERISHABILITY,
    QUERY_KINDS,
    TYPES,
    valid,
)
from scrubjay.evaluate.tgt.vocabulary import CATEGORIES, FUTURE_TASKS, HOURS, QUERY_TEMPLATES, VOCABULARIES

T = TypeVar("T")

SESSIONS = 8
"""Memories are spread over this many sessions: created = index mod 8."""


def _pick(rng: Random, options: Sequence[T]) -> T:
    return options[int(rng.random() * len(options))]


def _between(rng: Random, low: float, high: float) -> float:
    return round(low + (high - low) * rng.random(), 6)


def _body(rng: Random, kind: str, cues: bool) -> tuple[str, str, str, str, str]:
    """Category, subject, label, answer and body of one memory."""
    category = _pick(rng, [c for c in CATEGORIES if c.type == kind])
    drawn = {name: _pick(rng, options) for name, options in VOCABULARIES.items()}
    colleague = _pick(rng, [n for n in VOCABULARIES["name"] if n != drawn["name"]])
    answer = _pick(rng, HOURS) if category.answer == "hours" else drawn[category.answer]
    template = category.cued if cues else category.body
    body = template.format(**{**drawn, "subject": drawn["name"], "colleague": colleague, "answer": answer})
    return category.name, drawn["name"], category.label, answer, body


def _memories(rng: Random, pool: int, unique_keys: bool, cues: bool) -> list[Memory]:
    memories: list[Memory] = []
    bodies: set[str] = set()
    for kind in TYPES:
        keys: set[tuple[str, str]] = set()
        for index in range(MEMORIES_PER_TYPE):
            while True:
                category, subject, label, answer, body = _body(rng, kind, cues)
                if body not in bodies and not (unique_keys and (subject, category) in keys):
                    break
            bodies.add(body)
            keys.add((subject, category))
            pi = _between(rng, *PERISHABILITY[kind])
            tau = round(pi * _between(rng, *EXPIRY_DRAWN[kind]) / math.log(2.0), 6)
            name = f"P{pool}-{kind}{index}"
            text = f"{body} This was logged in checkpoint {name}."
            memories.append(Memory(name, kind, category, subject, label, answer, text, pi, tau, index % SESSIONS))
    return memories


def _queries(rng: Random, pool: int, memories: Sequence[Memory]) -> list[Query]:
    queries: list[Query] = []
    fresh = {kind: [m for m in memories if m.type == kind] for kind in TYPES}

    def target(kind: str) -> Memory:
        return fresh[kind].pop(int(rng.random() * len(fresh[kind])))

    def ask(memory: Memory, interval: str, kind: str, *, distractor: bool) -> None:
        low, high = INTERVALS[interval]
        age = low + int(rng.random() * (high - low + 1))
        text = QUERY_TEMPLATES[kind].format(
            subject=memory.subject, label=memory.attribute, task=_pick(rng, FUTURE_TASKS)
        )
        holds = valid(memory.type, interval) and not distractor
        name = f"P{pool}-Q{len(queries)}"
        queries.append(
            Query(name, interval, age, memory.created + age, memory.type, kind, memory.id, text, memory.answer, holds,
                  distractor)
        )  # fmt: skip

    for interval in INTERVALS:
        for kind in TYPES:
            memory = target(kind)
            for question in QUERY_KINDS:
                ask(memory, interval, question, distractor=False)
    for interval in ("I1", "I2"):
        for question in QUERY_KINDS:
            ask(target("A"), interval, question, distractor=True)
    return queries


def generate(seed: int = 4242, instances: int = 20, *, unique_keys: bool = False, cues: bool = True) -> Benchmark:
    """Generate a benchmark: 96 memories and 66 queries an instance.

    `unique_keys` forbids a repeated (subject, category) within a class: without it some questions have two answers.
    `cues` puts time words ("today", "this week") into the bodies of the perishable classes A and B.

    >>> generate(1, 2) == generate(1, 2)
    True
    >>> [len(i.queries) for i in generate(1, 2).instances]
    [66, 66]
    """
    if not 1 <= instances <= 10_000:
        raise ArgumentError(f"instances: {instances} is out of range; give 1 to 10000")
    made: list[Instance] = []
    for pool in range(instances):
        rng = Random(f"{seed}:{pool}")
        memories = _memories(rng, pool, unique_keys, cues)
        made.append(Instance(f"P{pool}", tuple(memories), tuple(_queries(rng, pool, memories))))
    return Benchmark(FORMAT, seed, unique_keys, cues, None, tuple(made))
