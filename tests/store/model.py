"""A store in plain Python: what events mean, without arrays, SQL or files. The oracle of the fold and of the log."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from scrubjay.columns import CURRENT, DEGRADED, LIVE, PINNED, SENSITIVE, Columns
from scrubjay.events import ContextSeen, Forgotten, Learned, NamespaceSeen, Reinforced, Updated
from scrubjay.memory import LABELS, Origin


class Model:
    """Memories as dictionaries."""

    def __init__(self) -> None:
        self.memories: dict[int, dict[str, Any]] = {}
        self.contexts: list[tuple[str, bytes]] = []
        self.spaces: list[tuple[str, ...]] = []
        self.deleted: dict[int, bytes] = {}
        self.events: list[Any] = []

    def apply(self, event: Any) -> None:
        self.events.append(event)
        match event:
            case ContextSeen():
                self.contexts.append((event.text, event.vector))
            case NamespaceSeen():
                self.spaces.append(event.labels)
            case Learned():
                memory = {f: getattr(event, f) for f in event.__struct_fields__ if f != "at"}
                self.memories[event.key] = memory | {"created": event.at, "updated": event.at, "evidence": 1}
            case Reinforced():
                memory = self.memories[event.key]
                memory["evidence"] = min(memory["evidence"] + event.count, 2**31 - 1)
                memory["updated"] = event.at
            case Updated():
                memory = self.memories[event.key]
                memory["updated"] = event.at
                for f in event.__struct_fields__:
                    value = getattr(event, f)
                    if f not in ("at", "key") and value is not msgspec.UNSET:
                        memory[f] = value
            case Forgotten():
                for key in event.keys:
                    self.deleted[key] = self.memories.pop(key)["id"]

    def row(self, key: int) -> dict[str, Any]:
        """What the columns should say of a memory."""
        m = self.memories[key]
        p = m["perishability"]
        flags = LIVE | CURRENT | (PINNED if m["pinned"] else 0) | (SENSITIVE if m["sensitive"] is not None else 0)
        return {
            "key": key,
            "when": m["when"],
            "created": m["created"],
            "updated": m["updated"],
            "context": m["context"],
            "space": m["space"],
            "evidence": m["evidence"],
            "value": float(np.float32(m["value"])),
            "pi": float(np.float32(p.pi)),
            "tau": float(np.float32(p.tau)),
            "shape": float(np.float32(p.shape)),
            "label": LABELS.index(p.label),
            "origin": list(Origin).index(p.origin),
            "layer": int(m["layer"]),
            "tier": int(m["tier"]),
            "flags": flags | (DEGRADED if p.degraded else 0),
        }

    def check(self, columns: Columns) -> None:
        """The columns say the same, memory by memory."""
        live = np.flatnonzero(columns.live())
        assert columns.live_count == len(live) == len(self.memories)
        assert columns.key[live].tolist() == sorted(self.memories)
        assert columns.seq == len(self.events)
        assert [c.tobytes() for c in columns.contexts] == [vector for _, vector in self.contexts]
        for key, memory in self.memories.items():
            row = columns.row(key)
            assert {name: getattr(columns, name)[row].item() for name in self.row(key)} == self.row(key)
            assert columns.what[row].tobytes() == memory["vector"]
        for key in self.deleted:
            assert columns.row(key) == -1

    def check_log(self, log: Any) -> None:
        """The log's lookups say the same."""
        rows = log.rows(sorted(self.memories))
        assert sorted(rows) == sorted(self.memories)
        with log.read() as view:
            for key, m in self.memories.items():
                row = rows[key]
                context = None if m["context"] < 0 else self.contexts[m["context"]][0]
                assert (row.text, row.metadata, row.sensitive) == (m["text"], m["metadata"], m["sensitive"])
                assert (row.id, row.space, row.context, row.context_text) == (
                    m["id"],
                    m["space"],
                    m["context"],
                    context,
                )
                assert view.keys_of([m["id"]]) == {m["id"]: key}
                assert view.find_dedupe(m["space"], [m["dedupe"]]) == {m["dedupe"]: key}
            for key, id in self.deleted.items():
                assert view.keys_of([id]) == {}
                assert view.forgotten([id])[id][0] == key
            assert view.spaces() == {labels: i for i, labels in enumerate(self.spaces)}
            assert view.find_contexts([text for text, _ in self.contexts]) == {
                text: i for i, (text, _) in enumerate(self.contexts)
            }
        assert [e for batch in log.tail() for e in batch.events] == self.events
