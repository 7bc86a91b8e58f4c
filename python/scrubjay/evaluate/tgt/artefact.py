"""The benchmark as one JSON document.

::

    {"format": "scrubjay.tgt/1", "seed": 4242, "unique_keys": false, "cues": true, "naturalised_by": null,
     "instances": [
       {"id": "P0",
        "memories": [{"id": "P0-A0", "type": "A", "category": "current_location", "subject": "Maya",
                      "attribute": "current spot", "answer": "...", "text": "... This was logged in checkpoint P0-A0.",
                      "pi": 0.9, "tau": 7.3, "created": 0}, ...],
        "queries": [{"id": "P0-Q0", "interval": "I1", "age": 1, "now": 1, "type": "A", "kind": "factual",
                     "target": "P0-A0", "text": "What is Maya's current spot?", "answer": "...",
                     "valid": true, "distractor": false}, ...]}, ...]}

`created`, `age`, `now` and `tau` count sessions; now = created + age. `pi`, `tau`, `type`, `category`, `answer` and
`valid` are the ground truth: a system is given text and created of memories, text and now of queries, nothing else.
Keys keep this order and no space is written, so one seed gives one string of bytes.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from scrubjay.errors import ArgumentError

FORMAT: Final = "scrubjay.tgt/1"


class Memory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A memory with its ground truth."""

    id: str
    type: str
    category: str
    subject: str
    attribute: str
    answer: str
    text: str
    pi: float
    tau: float
    created: int


class Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question about one memory at one age."""

    id: str
    interval: str
    age: int
    now: int
    type: str
    kind: str
    target: str
    text: str
    answer: str
    valid: bool
    distractor: bool


class Instance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pool of memories with its queries."""

    id: str
    memories: tuple[Memory, ...]
    queries: tuple[Query, ...]


class Benchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole benchmark and the switches it was made with."""

    format: Literal["scrubjay.tgt/1"]
    seed: int
    unique_keys: bool
    cues: bool
    naturalised_by: str | None
    instances: tuple[Instance, ...]

    @property
    def switches(self) -> str:
        """The two switches in words, for a table's caption."""
        return f"{'unique' if self.unique_keys else 'repeated'} keys, {'with' if self.cues else 'without'} cues"


def dumps(benchmark: Benchmark) -> bytes:
    """The document as bytes: equal benchmarks give equal bytes."""
    return msgspec.json.encode(benchmark)


def loads(data: bytes | str) -> Benchmark:
    """A document read back. Raises ArgumentError where it is no such document; run `audit` on one from elsewhere."""
    try:
        return msgspec.json.decode(data, type=Benchmark)
    except ValueError as error:
        raise ArgumentError(f"data: no {FORMAT} document: {error}") from error
