"""Where a language model is asked: the perishability of new texts, the deltas of evidence, and asking again later.

A model advises, it does not decide: its opinion of a text is one input of the trained head, and what it says of
evidence is bounded by the law. Where it has no usable answer, head and word table decide alone and the memory is
degraded, which `reclassify` can mend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import DEGRADED, LIVE
from scrubjay.dynamics.integration import Deltas
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.normal import check_text
from scrubjay.encode.perishability import classify_texts
from scrubjay.errors import ArgumentTypeError
from scrubjay.events import Updated
from scrubjay.llm import tasks
from scrubjay.llm.tasks import Ledger
from scrubjay.memory import Origin, Perishability
from scrubjay.protocols import LanguageModel, Progress
from scrubjay.upkeep.reading import Reading
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.texts import judged

MAX_NAME_BYTES: Final = 1024
CHUNK: Final = 256
"""Memories that are asked about again per transaction."""


def hear(engine: Engine, model: LanguageModel) -> None:
    """Let a language model advise the store from now on."""
    if isinstance(model, type):
        raise ArgumentTypeError(f"model: expected a model, got the class {model.__name__}; call it first")
    if not isinstance(model, LanguageModel) or not callable(model.complete):
        raise ArgumentTypeError(f"model: expected a name and complete(prompt), got {type(model).__name__}")
    # every event that it advises keeps it
    engine.model = check_text(model.name, argument="model.name", max_bytes=MAX_NAME_BYTES)
    engine.reader = ModelReader(model, engine.ledger)
    engine.adviser = Adviser(engine, model)


class Adviser:
    """The store's perishability model and a language model whose opinions it takes in."""

    def __init__(self, engine: Engine, model: LanguageModel) -> None:
        self._engine = engine
        self._model = model

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self._engine.perishability.name}+{self._model.name}"

    def classify(
        self,
        texts: Sequence[str],
        contexts: Sequence[str | None],
        what: NDArray[np.float32],
        where: NDArray[np.float32],
    ) -> list[Perishability]:
        """One value per text, with what the model said; degraded where it said nothing that can be used."""
        base = self._engine.perishability
        said = tasks.classify(self._model, texts, contexts, self._engine.ledger)
        if isinstance(base, PerishabilityHead):
            values = base.classify(texts, contexts, what, where, given=said)
        else:
            values = [
                p if o is None else Perishability(label=o.label, pi=o.pi, tau=o.tau, origin=Origin.MODEL, said=o)
                for p, o in zip(classify_texts(base, texts, contexts, what, where), said, strict=True)
            ]
        return [msgspec.structs.replace(p, degraded=p.degraded or o is None) for p, o in zip(values, said, strict=True)]


class ModelReader:
    """Evidence read by a language model; fits `scrubjay.upkeep.reading.Reader`."""

    def __init__(self, model: LanguageModel, ledger: Ledger) -> None:
        self.model = model
        self.ledger = ledger

    def __call__(self, text: str, context: str | None) -> Reading:
        change = tasks.deltas(self.model, text, context, self.ledger)
        reply = change.reply
        return Reading(
            deltas=Deltas(value=reply.value, pi=reply.pi, tau=reply.tau),
            summary=reply.summary,
            model=self.model.name,
            prompt=change.prompt.digest,
        )


class Reclassified(msgspec.Struct, frozen=True, kw_only=True):
    """What asking again came to."""

    asked: int
    """Memories that were asked about."""
    mended: int
    """Memories that are no longer degraded."""
    left: int
    """Memories that are degraded still; they keep the values they had."""


def reclassify(
    engine: Engine, keys: Sequence[int] | None, namespace: tuple[str, ...] | None, progress: Progress | None
) -> Reclassified:
    """Ask again about memories, by default about every degraded one; see `facets.model`."""
    engine.refresh()
    if keys is None:
        number = None if namespace is None else engine.space(namespace)
        with engine.gate.reading():
            columns = engine.columns
            some = (columns.flags & (LIVE | DEGRADED)) == (LIVE | DEGRADED)
            if namespace is not None:
                some &= columns.space == (-1 if number is None else number)
            keys = columns.key[some].tolist()
    mended = asked = 0
    for start in range(0, len(keys), CHUNK):
        part = keys[start : start + CHUNK]
        better = _asked_again(engine, part)
        mended += better
        asked += len(part)
        engine.refresh()
        if progress is not None:
            progress(asked, len(keys))
    return Reclassified(asked=asked, mended=mended, left=asked - mended)


def _asked_again(engine: Engine, keys: Sequence[int]) -> int:
    with engine.log.read() as view:
        base = view.seq
        rows = view.rows(keys)
    with engine.gate.reading():
        at = engine.columns.rows(np.asarray(keys, np.int64))
        there = [key for key, row in zip(keys, at.tolist(), strict=True) if row >= 0 and key in rows]
        at = engine.columns.rows(np.asarray(there, np.int64))
        what, where = engine.columns.vectors[at], engine.columns.where(at)
    if not there:
        return 0
    texts, contexts = [rows[key].text for key in there], [rows[key].context_text for key in there]
    values = judged(engine, texts, contexts, what, where)
    good = [(key, value) for key, value in zip(there, values, strict=True) if not value.degraded]
    with engine.log.write() as tx:
        living = tx.rows([key for key, _ in good])
        now = engine.clock()
        # what somebody else has changed since it was looked at is left as they have it
        kept = [
            (key, value)
            for key, value in good
            if key in living
            and (tx.base == base or not any(r.seq > base and isinstance(r.event, Updated) for r in tx.history(key)))
        ]
        tx.append([Updated(at=now, key=key, perishability=value) for key, value in kept])
    return len(kept)
