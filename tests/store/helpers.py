"""Events and stores for the tests of this folder."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from scrubjay.events import ContextSeen, Learned, NamespaceSeen
from scrubjay.memory import Perishability
from scrubjay.store import EventLog

DIM = 8
STABLE = Perishability(label="factual", pi=0.1, tau=45 * 86400.0)


def unit(seed: int, dim: int = DIM) -> np.ndarray:
    """A unit float32 vector that follows from the seed."""
    v = np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    return v / np.float32(np.linalg.norm(v))


def digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def learned(key: int, text: str | None = None, **given: Any) -> Learned:
    text = f"memory {key}" if text is None else text
    dim = given.pop("dim", DIM)
    fields: dict[str, Any] = {
        "at": 1000.0 + key,
        "key": key,
        "id": digest(f"id {key}"),
        "space": 0,
        "text": text,
        "dedupe": digest(text),
        "vector": unit(key, dim).tobytes(),
        "when": 500.0 + key,
        "perishability": STABLE,
    }
    return Learned(**(fields | given))


def space(number: int = 0, labels: tuple[str, ...] = ("u",)) -> NamespaceSeen:
    return NamespaceSeen(at=0.0, space=number, labels=labels)


def context(number: int, text: str | None = None, dim: int = DIM) -> ContextSeen:
    return ContextSeen(
        at=0.0,
        context=number,
        text=f"context {number}" if text is None else text,
        vector=unit(10_000 + number, dim).tobytes(),
    )


def open_log(path: Any, **given: Any) -> EventLog:
    return EventLog.open(path, **({"embedder": "toy", "dim": DIM} | given))


def start(log: EventLog) -> EventLog:
    """The namespace 0 is event 1."""
    with log.write() as tx:
        if tx.next_space == 0:
            tx.append([space()])
    return log


def fill(log: EventLog, n: int, *, per: int = 50) -> None:
    """Append `n` memories, `per` in a transaction."""
    start(log)
    for first in range(0, n, per):
        with log.write() as tx:
            tx.append([learned(tx.next_key + i) for i in range(min(per, n - first))])
