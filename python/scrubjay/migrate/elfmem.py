"""Reading an elfmem database (version 0.20.0): blocks, tags and edges.

    content, created_at, pinned     text, when, pinned
    success_count, failure_count    evidence, beyond the prior of 1/2 each that both systems give
    self_alignment                  importance
    decay_lambda (1 / active hour)  stability: R = exp(-lambda t) is .9 at -ln(.9) / lambda hours; 24 of them are a day
    tags, category, source, ...     metadata["elfmem"]
    edges                           links by hand, of the same weight, with relation_type as their kind

A database without success_count (before 0.17) has its confidence c and outcome_evidence n turned into n + 1
observations of mean c. Embeddings are made anew; archived blocks are left out unless asked for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import apsw

from scrubjay.errors import ArgumentError
from scrubjay.files import read_named
from scrubjay.migrate.foreign import Edge, Foreign, Found, moment, number

KEPT: Final = (
    "category",
    "source",
    "summary",
    "confidence",
    "reinforcement_count",
    "source_peer",
    "share",
    "cue",
    "volatility_class",
    "archive_reason",
    "superseded_by",
    "status",
)
"""Columns that are kept as metadata."""
DEFAULTS: Final = {"share": "private", "status": "active", "reinforcement_count": 0}
OTHERS: Final = {
    "block_outcomes": "in the evidence already",
    "contradictions": "no counterpart",
    "frames": "no counterpart",
    "sessions": "no counterpart",
    "co_retrieval_staging": "no counterpart",
    "peer_roster": "no counterpart",
    "block_amendments": "no counterpart",
}
"""Tables that are left out, and why."""
LEAST_STABILITY: Final = 0.001
MOST_STABILITY: Final = 36500.0
MOST_EVIDENCE: Final = 1e6
_READ: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


def read_elfmem(path: str | os.PathLike[str], *, archived: bool = False) -> Found:
    """All that is in an elfmem database; it is opened for reading alone.

    Raises ArgumentError for a file that is none, FileError for one that cannot be read.
    """
    file = os.path.abspath(os.fspath(path))
    read_named(path, 1)
    try:
        connection = apsw.Connection(
            f"file:{quote(os.fsencode(file))}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
    except apsw.Error as error:
        raise ArgumentError(f"path: cannot be opened: {error}") from error
    try:
        # a view or trigger of a foreign file must not run anything
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        return _read(connection, archived)
    except (apsw.Error, UnicodeDecodeError) as error:
        raise ArgumentError(f"path: no elfmem database: {error}") from error
    finally:
        connection.close()


def _read(db: apsw.Connection, archived: bool) -> Found:
    tables = {name for (name,) in _all(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")}
    columns = [row[1] for row in _all(db, "SELECT * FROM pragma_table_info('blocks')")]
    if not {"blocks"} <= tables or not {"id", "content", "created_at"} <= set(columns):
        raise ArgumentError("path: no elfmem database: it has no table blocks with id, content and created_at")
    found = Found()
    tags: dict[str, list[str]] = {}
    if "block_tags" in tables:
        for id, tag in _all(db, "SELECT block_id, tag FROM block_tags ORDER BY block_id, tag"):
            tags.setdefault(str(id), []).append(str(tag))
    names = [name for name in columns if name in _USED]
    listed = ", ".join(f'"{name}"' for name in names)
    for row in db.execute("SELECT " + listed + " FROM blocks ORDER BY created_at, id"):  # noqa: S608 (names of _USED)
        _block(dict(zip(names, row, strict=True)), tags, found, archived)
    if "edges" in tables:
        _edges(db, found)
    for table, reason in OTHERS.items():
        if table in tables:
            ((count,),) = _all(db, "SELECT count(*) FROM " + table)  # noqa: S608 (a name of OTHERS)
            if count:
                found.dropped[f"rows of {table}: {reason}"] += int(count)
    return found


_USED: Final = frozenset(
    (
        *(
            "id",
            "content",
            "created_at",
            "pinned",
            "success_count",
            "failure_count",
            "outcome_evidence",
            "decay_lambda",
        ),
        *("self_alignment", "embedding", *KEPT),
    )
)


def _all(db: apsw.Connection, sql: str) -> list[Any]:
    return db.execute(sql).fetchall()


def _block(block: Mapping[str, Any], tags: Mapping[str, list[str]], found: Found, archived: bool) -> None:
    if block.get("status") == "archived" and not archived:
        found.dropped["archived blocks"] += 1
        return
    text = block["content"]
    if not isinstance(text, str) or not text.strip():
        found.dropped["blocks without text"] += 1
        return
    id = str(block["id"])
    kept = {
        name: block[name]
        for name in KEPT
        if isinstance(block.get(name), (str, int, float)) and block[name] != DEFAULTS.get(name)
    }
    kept |= {"id": id} | ({"tags": tags[id]} if id in tags else {})
    when = moment(block["created_at"])
    good, bad = _evidence(block, found)
    found.mapped["content"] += 1
    for name, here in (("created_at", when is not None), ("pinned", bool(block.get("pinned"))), ("tags", id in tags)):
        found.mapped[name] += here
    if when is None:
        found.guessed["created_at"] = "no time: the time of the import"
    if isinstance(block.get("embedding"), bytes):
        found.dropped["embeddings: made anew"] += 1
    importance = number(block.get("self_alignment"), 0.0, 1.0)
    if importance is not None:
        found.guessed["self_alignment"] = "importance"
    found.memories.append(
        Foreign(
            id=id,
            text=text,
            when=when,
            metadata={"elfmem": kept},
            pinned=bool(block.get("pinned")),
            importance=0.5 if importance is None else importance,
            good=good,
            bad=bad,
            stability=_stability(block, found),
        )
    )


def _evidence(block: Mapping[str, Any], found: Found) -> tuple[float, float]:
    a = number(block.get("success_count"), 0.0, MOST_EVIDENCE)
    b = number(block.get("failure_count"), 0.0, MOST_EVIDENCE)
    if a is not None and b is not None:
        found.mapped["success_count, failure_count"] += 1
    else:
        c, n = number(block.get("confidence"), 0.0, 1.0), number(block.get("outcome_evidence"), 0.0, MOST_EVIDENCE)
        if c is None:
            return 0.0, 0.0
        found.guessed["confidence"] = "c with n outcomes: n + 1 observations of mean c"
        total = 1.0 + (n or 0.0)
        a, b = c * total, (1.0 - c) * total
    return max(0.0, a - 0.5), max(0.0, b - 0.5)


def _stability(block: Mapping[str, Any], found: Found) -> float | None:
    rate = number(block.get("decay_lambda"), 1e-9, 1e9)
    if rate is None:
        return None
    found.guessed["decay_lambda"] = "stability of -ln(.9) / lambda hours: the age at which exp(-lambda t) is .9"
    return min(max(-math.log(0.9) / rate / 24.0, LEAST_STABILITY), MOST_STABILITY)


def _edges(db: apsw.Connection, found: Found) -> None:
    there = {memory.id for memory in found.memories}
    names = {row[1] for row in _all(db, "SELECT * FROM pragma_table_info('edges')")}
    kind = "relation_type" if "relation_type" in names else "'similar'"
    sql = "SELECT from_id, to_id, weight, " + kind + " FROM edges ORDER BY from_id, to_id"  # noqa: S608 (one of two names)
    for a, b, weight, word in _all(db, sql):
        if str(a) not in there or str(b) not in there or a == b:
            found.dropped["edges to blocks that were left out"] += 1
            continue
        value = number(weight, 1e-6, 1e9)
        if value is None:
            found.dropped["edges without a weight"] += 1
            continue
        if value > 1.0:
            found.guessed["edges.weight"] = "above 1: 1"
        found.mapped["edges"] += 1
        found.edges.append(Edge(str(a), str(b), min(value, 1.0), str(word or "similar")[:64]))
