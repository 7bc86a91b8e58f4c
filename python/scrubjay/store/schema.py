"""The SQLite schema of `log.sqlite`: one table of truth, the rest derived from it."""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x536A4D31
"""In the SQLite header: this file is a scrubjay log."""
FORMAT: Final = 1
"""In the SQLite header as user_version; a higher one is refused."""
PAGE_SIZE: Final = 8192

LOG_NAME: Final = "log.sqlite"
ANEW: Final = "close the store and run `scrubjay verify --repair`: it makes the log anew of what can be read"
"""What is to be done about damaged pages of a log."""
SNAPSHOT_NAME: Final = "snapshot"
CANDIDATES_NAME: Final = "candidates"

TRUTH: Final = (
    "CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB NOT NULL, crc INTEGER NOT NULL)",
    "CREATE TABLE meta (name TEXT PRIMARY KEY, body BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID",
)
"""events: body is the event as MessagePack, crc the CRC-32 over the sequence number and it. meta: one record."""

LEXICAL: Final = (
    """CREATE VIRTUAL TABLE lexical USING fts5 (tokens, tokenize = "ascii tokenchars '-./&+@:#_~'")""",
    "INSERT INTO lexical (lexical, rank) VALUES ('secure-delete', 1)",
    "CREATE VIRTUAL TABLE lexical_terms USING fts5vocab (lexical, instance)",
    "CREATE TABLE lexical_sizes (key INTEGER PRIMARY KEY, size INTEGER NOT NULL)",
)
"""Words of the living memories (see `scrubjay.store.lexical`). The tokenizer only splits at the spaces between them."""

MARKS: Final = (
    """CREATE TABLE marks (space INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, value NOT NULL,
        key INTEGER NOT NULL, PRIMARY KEY (space, name, kind, value, key)) WITHOUT ROWID""",
    "CREATE INDEX marks_key ON marks (key)",
)
"""Scalars of the metadata of the living memories (see `scrubjay.store.marks`)."""

DERIVED: Final = (
    """CREATE TABLE memories (
        key INTEGER PRIMARY KEY, id BLOB NOT NULL, space INTEGER NOT NULL, dedupe BLOB, context INTEGER NOT NULL,
        text TEXT NOT NULL, metadata BLOB NOT NULL, sensitive TEXT, crc INTEGER NOT NULL)""",
    "CREATE UNIQUE INDEX memories_id ON memories (id)",
    "CREATE UNIQUE INDEX memories_dedupe ON memories (space, dedupe) WHERE dedupe IS NOT NULL",
    "CREATE TABLE forgotten (id BLOB PRIMARY KEY, key INTEGER NOT NULL, space INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE spaces (space INTEGER PRIMARY KEY, labels BLOB NOT NULL UNIQUE, crc INTEGER NOT NULL)",
    "CREATE TABLE contexts (context INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, crc INTEGER NOT NULL)",
    "CREATE TABLE event_keys (key INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (key, seq)) WITHOUT ROWID",
    *LEXICAL,
    *MARKS,
)
"""What reads and lookups use; every row follows from events and can be rebuilt.

memories: the living ones, with all of a MemoryUnit that is not in the columns. forgotten: ids of deleted ones, so that
their history is found. event_keys: which events are about a memory.
"""

DERIVED_TABLES: Final = (
    "memories",
    "forgotten",
    "spaces",
    "contexts",
    "event_keys",
    "lexical_terms",
    "lexical",
    "lexical_sizes",
    "marks",
)
