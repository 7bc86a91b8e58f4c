"""Reading a mem0 export: the JSON of `get_all`, a list of memories, or one under "results" or "memories".

    memory (or text, data)      text
    created_at                  when
    user_id                     namespace, where none is given; agent_id and run_id stay metadata
    metadata, categories, ...   metadata, and metadata["mem0"] for what has a name of its own there

mem0 keeps no evidence and no perishability: both start as a new memory's. A score belongs to a query and is dropped,
and so are relations of its graph, which are between entities and not between memories.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from scrubjay.errors import ArgumentError
from scrubjay.files import read_named
from scrubjay.migrate.foreign import Foreign, Found, moment

MAX_BYTES: Final = 512 << 20
TEXTS: Final = ("memory", "text", "data")
KEPT: Final = (
    *("id", "user_id", "agent_id", "run_id", "actor_id", "role", "hash", "updated_at", "expiration_date"),
    *("categories", "structured_attributes", "immutable"),
)
"""Fields that are kept under metadata["mem0"]."""


def read_mem0(path: str | os.PathLike[str], *, by_user: bool = True) -> Found:
    """All that is in a mem0 export. `by_user`: each user's memories are a namespace.

    Raises ArgumentError for a file that is none, FileError for one that cannot be read.
    """
    data = read_named(path, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ArgumentError(f"path: more than {MAX_BYTES:,} bytes; split the export")
    try:
        whole = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ArgumentError(f"path: no JSON: {error}") from error
    found = Found()
    for item in _items(whole, found):
        _memory(item, found, by_user)
    return found


def _items(whole: Any, found: Found) -> list[Any]:
    if isinstance(whole, Mapping):
        relations = whole.get("relations")
        if isinstance(relations, list) and relations:
            found.dropped["relations between entities: no counterpart"] += len(relations)
        whole = next((whole[name] for name in ("results", "memories") if isinstance(whole.get(name), list)), None)
    if not isinstance(whole, list):
        raise ArgumentError('path: no mem0 export: expected a list of memories, or one under "results" or "memories"')
    return whole


def _memory(item: Any, found: Found, by_user: bool) -> None:
    if isinstance(item, str):
        item = {"memory": item}
    if not isinstance(item, Mapping):
        found.dropped[f"items that are {type(item).__name__}"] += 1
        return
    text = next((item[name] for name in TEXTS if isinstance(item.get(name), str) and item[name].strip()), None)
    if text is None:
        found.dropped["memories without text"] += 1
        return
    own = item.get("metadata")
    metadata = dict(own) if isinstance(own, Mapping) else {}
    kept = {name: item[name] for name in KEPT if item.get(name) not in (None, [], {})}
    if kept:
        metadata["mem0"] = kept
    user = item.get("user_id")
    namespace = (user,) if by_user and isinstance(user, str) and user.strip() else ()
    when = moment(item.get("created_at"))
    found.mapped["text"] += 1
    for name, here in (
        ("created_at", when is not None),
        ("user_id", bool(namespace)),
        ("metadata", isinstance(own, Mapping) and bool(own)),
    ):
        found.mapped[name] += here
    if when is None:
        found.guessed["created_at"] = "no time: the time of the import"
    for name in item:
        if name == "score":
            found.dropped["scores: they belong to a query"] += 1
        elif name not in (*KEPT, *TEXTS, "metadata", "created_at", "relations"):
            found.dropped[f"field {str(name)[:40]!r}: unknown"] += 1
    found.memories.append(
        Foreign(id=str(item.get("id", "")), text=text, namespace=namespace, when=when, metadata=metadata)
    )
