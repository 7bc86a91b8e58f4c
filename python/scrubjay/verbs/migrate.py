"""Writing another system's memories into a store: each once, with its evidence, its edges and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np

from scrubjay.dynamics.channels import counted
from scrubjay.dynamics.retrievability import LEARNED
from scrubjay.encode.intake import Draft, check_draft
from scrubjay.errors import ArgumentError
from scrubjay.events import AnyEvent, Linked, Summarised
from scrubjay.migrate.foreign import Foreign, Found
from scrubjay.protocols import Progress
from scrubjay.store.view import Transaction
from scrubjay.terminal import printable
from scrubjay.verbs import write
from scrubjay.verbs.engine import Engine

CHUNK: Final = 1024


class Migration(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did."""

    source: str
    added: int
    """Memories that are new."""
    known: int
    """Memories that were there already, or twice: nothing of them was changed."""
    edges: int
    mapped: dict[str, int]
    """Fields that say the same here, by how many memories had them."""
    guessed: dict[str, str]
    """Fields that say something else there, with the rule by which they were turned."""
    dropped: dict[str, int]
    """What was left out, with the reason, by number."""

    def __str__(self) -> str:
        lines = [f"{self.added:,} added, {self.known:,} known already, {self.edges:,} edges, from {self.source}"]
        lines += [f"mapped   {name} ({count:,})" for name, count in self.mapped.items()]
        lines += [f"guessed  {name}: {rule}" for name, rule in self.guessed.items()]
        lines += [f"dropped  {name} ({count:,})" for name, count in self.dropped.items()]
        return printable("\n".join(lines), lines=True)


def migrate(
    engine: Engine, found: Found, source: str, namespace: tuple[str, ...] | None, progress: Progress | None
) -> Migration:
    """Add what was found; `namespace` takes the place of each memory's own."""
    now = engine.clock()
    drafts: list[Draft] = []
    kept: list[Foreign] = []
    for memory in found.memories:
        try:
            item = {
                "text": memory.text,
                "namespace": memory.namespace if namespace is None else namespace,
                "when": memory.when,
                "metadata": memory.metadata,
                "pinned": memory.pinned,
                "importance": memory.importance,
            }
            draft = check_draft(item, now, argument="memory")
        except ArgumentError as error:
            found.dropped[f"memories that cannot be stored ({str(error)[:80]})"] += 1
            continue
        drafts.append(msgspec.structs.replace(draft, source=source))
        kept.append(memory)
    keys: dict[str, int] = {}
    added = 0
    for start in range(0, len(drafts), CHUNK):
        part, whole = drafts[start : start + CHUNK], kept[start : start + CHUNK]
        known = _there(engine, part)
        new = [i for i, draft in enumerate(part) if (draft.namespace, draft.dedupe) not in known]
        # the first of those that say the same
        first = {(part[i].namespace, part[i].dedupe): i for i in reversed(new)}
        chosen = sorted(first.values())
        if chosen:
            evidence = _Evidence(engine, [whole[i] for i in chosen], source)
            made = write.add_chunk(engine, [part[i] for i in chosen], then=evidence)
            known |= {(part[i].namespace, part[i].dedupe): key for i, key in zip(chosen, made, strict=True)}
        added += len(chosen)
        for draft, memory in zip(part, whole, strict=True):
            keys[memory.id] = known[draft.namespace, draft.dedupe]
        engine.refresh()
        if progress is not None:
            progress(min(start + CHUNK, len(drafts)), len(drafts))
    edges = _link(engine, found, keys) if added else 0
    return Migration(
        source=source,
        added=added,
        known=len(drafts) - added,
        edges=edges,
        mapped={name: count for name, count in found.mapped.items() if count},
        guessed=dict(found.guessed),
        dropped=dict(found.dropped),
    )


def _there(engine: Engine, drafts: Sequence[Draft]) -> write.Known:
    """Key of each draft's memory that is there already."""
    with engine.log.read() as view:
        return write.known_of(view, drafts)


class _Evidence:
    """The event that gives new memories what they had elsewhere."""

    def __init__(self, engine: Engine, told: Sequence[Foreign], source: str) -> None:
        self._engine, self._told, self._source = engine, told, source

    def __call__(self, _: Transaction, made: list[int]) -> list[AnyEvent]:
        rows = sorted(zip(made, self._told, strict=True), key=lambda pair: pair[0])
        ones = np.ones(len(rows))
        good = counted(ones, np.array([memory.good for _, memory in rows]))[0]
        bad = counted(ones, np.array([memory.bad for _, memory in rows]))[0]
        stability = [LEARNED[0] if memory.stability is None else memory.stability for _, memory in rows]
        at = self._engine.clock()
        moment = self._engine.stamp(at)

        def column(values: Any) -> bytes:
            return np.ascontiguousarray(values, "<f8").tobytes()

        return [
            Summarised(
                at=at,
                keys=[key for key, _ in rows],
                counts=[1] * len(rows),
                good=column(good),
                bad=column(bad),
                stability=column(stability),
                difficulty=column(LEARNED[1] * ones),
                reviewed=column((at if moment is None else moment) * ones),
                updated=column(at * ones),
                source=self._source,
            )
        ]


def _link(engine: Engine, found: Found, keys: dict[str, int]) -> int:
    at = engine.clock()
    pairs: dict[tuple[int, int], Linked] = {}
    for edge in found.edges:
        a, b = keys.get(edge.a), keys.get(edge.b)
        if a is None or b is None or a == b:
            found.dropped["edges to memories that were left out"] += 1
        elif (b, a) not in pairs:
            pairs[a, b] = Linked(at=at, keys=[a, b], weight=edge.weight, kind=edge.kind)
    events = list(pairs.values())
    for start in range(0, len(events), CHUNK):
        part = events[start : start + CHUNK]
        with engine.log.write() as tx:
            living = tx.rows(sorted({key for e in part for key in e.keys}))
            tx.append([e for e in part if all(key in living for key in e.keys)])
    engine.refresh()
    return len(events)
