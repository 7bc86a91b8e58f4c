"""Naturalisation (appendix B.5): a model rewrites memories and queries; whatever breaks a rule keeps its template.

A memory must keep its subject and its answer and end with its checkpoint; a query must keep its subject and must not
hold the answer; neither may hold a marker word or more than 400 characters. Run the audit on the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

import msgspec

from scrubjay.errors import ModelReplyError
from scrubjay.evaluate.readers import fenced
from scrubjay.evaluate.tgt.artefact import Benchmark, Instance, Memory, Query
from scrubjay.evaluate.tgt.judging import holds_fact, says_stale
from scrubjay.protocols import LanguageModel, Progress

T = TypeVar("T")

LIMIT: Final = 400

_MEMORY: Final = """Rewrite the sentence between tags in natural prose: one declarative sentence of at most two clauses.
Keep every name and value word for word. Add nothing. Reply with the sentence alone."""
_QUERY: Final = """Rewrite the question between tags in natural prose: one question about the same attribute of the same
person. Reply with the question alone."""
_FORBIDDEN: Final = "The question must not contain or hint at this value:"


class Naturalised(msgspec.Struct, frozen=True):
    """The rewritten benchmark and how often the template was kept instead."""

    benchmark: Benchmark
    kept_memories: int
    kept_queries: int


def _one_line(model: LanguageModel, prompt: str) -> str:
    try:
        return " ".join(model.complete(prompt).split())
    except ModelReplyError:
        return ""


def _memory(model: LanguageModel, memory: Memory) -> Memory | None:
    tag = f" This was logged in checkpoint {memory.id}."
    text = _one_line(model, f"{_MEMORY}\n{fenced('sentence', memory.text.removesuffix(tag))}")
    good = 0 < len(text) <= LIMIT and memory.subject.lower() in text.lower()
    good = good and memory.answer.lower() in text.lower() and holds_fact(text, memory.answer)
    if not good or says_stale(text) or "checkpoint" in text.lower():
        return None
    return msgspec.structs.replace(memory, text=text + tag)


def _query(model: LanguageModel, subjects: Mapping[str, str], query: Query) -> Query | None:
    forbidden = f"\n{_FORBIDDEN} {fenced('value', query.answer)}" if query.kind == "comparative" else ""
    text = _one_line(model, f"{_QUERY}{forbidden}\n{fenced('question', query.text)}")
    if not 0 < len(text) <= LIMIT or subjects[query.target].lower() not in text.lower():
        return None
    if query.answer.lower() in text.lower() or holds_fact(text, query.answer) or says_stale(text):
        return None
    return msgspec.structs.replace(query, text=text)


def naturalise(benchmark: Benchmark, model: LanguageModel, *, progress: Progress | None = None) -> Naturalised:
    """Rewrite every text once; `benchmark.naturalised_by` records the model."""
    done, kept_memories, kept_queries = [], 0, 0
    for number, instance in enumerate(benchmark.instances, 1):
        memories, kept = _rewrite(instance.memories, partial(_memory, model))
        kept_memories += kept
        # bodies must stay unique: a rewritten body that another memory has already keeps its template
        seen: set[str] = set()
        unique: list[Memory] = []
        for old, new in zip(instance.memories, memories, strict=True):
            body = new.text.removesuffix(f" This was logged in checkpoint {new.id}.")
            unique.append(old if body in seen else new)
            kept_memories += body in seen
            seen.add(body)
        subjects = {m.id: m.subject for m in instance.memories}
        queries, kept = _rewrite(instance.queries, partial(_query, model, subjects))
        kept_queries += kept
        done.append(Instance(instance.id, tuple(unique), tuple(queries)))
        if progress is not None:
            progress(number, len(benchmark.instances))
    made = msgspec.structs.replace(benchmark, naturalised_by=model.name, instances=tuple(done))
    return Naturalised(made, kept_memories, kept_queries)


def _rewrite(old: Sequence[T], by: Callable[[T], T | None]) -> tuple[list[T], int]:
    new = [by(o) for o in old]
    return [o if n is None else n for o, n in zip(old, new, strict=True)], sum(n is None for n in new)
