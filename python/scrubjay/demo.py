"""The demo: five weeks of an agent's work, and ten questions asked while they pass.

The transcript is replayed: before each question what had happened by then is added, so that no answer is known early.
Whether an answer is right is read from the recorded expectation, never decided by the scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any, Final, Protocol

import msgspec

from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError
from scrubjay.recall.hits import Hit, Hits

NAMESPACE: Final = ("demo",)
"""Where the demo's memories live."""


class Store(Protocol):
    """The verbs of `MemoryStore` that the demo uses."""

    def list(self, *, namespace: Any, limit: int) -> list[Any]: ...
    def add_many(self, items: Any) -> Any: ...
    def search(self, query: str, *, k: int, context: str | None, namespace: Any, now: Any) -> Hits: ...


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the agent noted."""

    text: str
    context: str
    when: str


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question, and how its right answer is told."""

    now: str
    question: str
    context: str | None
    expect: str
    """Part of the memory that must come first."""
    not_above: list[str]
    """Parts of memories that were right once and must not come before it."""


class Answer(msgspec.Struct, frozen=True):
    """What the store answered."""

    question: Question
    hits: Hits
    first: bool
    """The expected memory came first."""
    overtaken: list[str]
    """Those of `not_above` that came before it, or came at all where it did not."""
    memories: int
    """How many memories there were by then."""


class Clock:
    """A clock that the replay sets."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def entries() -> list[Entry]:
    """The transcript, in the order of its times."""
    lines = (resources.files("scrubjay") / "data" / "demo.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Entry) for line in lines]


def questions() -> list[Question]:
    """The ten questions, in the order of their times."""
    raw = (resources.files("scrubjay") / "data" / "demo_questions.json").read_bytes()
    return msgspec.json.decode(raw, type=list[Question])


def replay(store: Store, clock: Clock, *, k: int = 3) -> Iterator[Answer]:
    """Plays the transcript into an empty namespace of `store`, whose clock is `clock`, and yields the answers.

    Raises `ArgumentError` where the namespace has memories already: they would know the future.
    """
    if store.list(namespace=NAMESPACE, limit=1):
        raise ArgumentError(f"store: its namespace {NAMESPACE} is not empty; give the demo a store of its own")
    transcript = entries()
    told = 0
    for question in questions():
        clock.now = to_seconds(question.now)
        news = [entry for entry in transcript[told:] if to_seconds(entry.when) <= clock.now]
        told += len(news)
        store.add_many([{**msgspec.structs.asdict(entry), "namespace": NAMESPACE} for entry in news])
        hits = store.search(
            question.question, k=max(k, 10), context=question.context, namespace=NAMESPACE, now=clock.now
        )
        yield judge(question, hits, told, k)


def judge(question: Question, hits: Hits, memories: int, k: int) -> Answer:
    """Compares the hits with what was expected; keeps the first k of them."""
    place = next((i for i, hit in enumerate(hits) if question.expect in hit.memory.text), len(hits))
    overtaken = [part for part in question.not_above if any(part in hit.memory.text for hit in hits[:place])]
    kept: list[Hit] = list(hits[:k])
    shown = Hits(kept, query=hits.query, plan=hits.plan, exact=hits.exact, notes=hits.notes)
    first = place == 0 and len(hits) > 0
    return Answer(question=question, hits=shown, first=first, overtaken=overtaken, memories=memories)
