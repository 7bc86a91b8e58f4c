"""The lexical index: which memories hold which words, by SQLite's FTS5, in the transaction that stores them.

A word is indexed with the number of its memory's namespace before it, so that a namespace's words are found, and
counted, as if it were alone. Words come from `scrubjay.store.tokens`, and a query's are looked up one by one as bound
values: no text of a user's is ever read as a query language. What is deleted is overwritten (FTS5's secure-delete).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from scrubjay.memory import spoken
from scrubjay.store.connect import fetch
from scrubjay.store.tokens import query_words, tokens

MOST_MENTIONS: Final = 32768
"""Mentions that a query looks at. Its rarest words come first; the words that would go beyond it count nothing."""
MOST_WORDS: Final = 256
"""Distinct words that a query looks up; what is longer is cut."""
MOST_SPACES: Final = 64
"""Namespaces that a query looks into."""

_SIZES: Final = (
    "SELECT group_concat(size) FROM"
    " (SELECT s.size FROM json_each(?) j CROSS JOIN lexical_sizes s WHERE s.key = j.value)"
)


class Mentions(NamedTuple):
    """Where the words of a query are mentioned."""

    word: NDArray[np.int64]
    """(m,) number of the word, below `words`."""
    key: NDArray[np.int64]
    """(m,) key of the memory; a pair (word, key) occurs once."""
    times: NDArray[np.float64]
    """(m,) how often the memory mentions the word."""
    size: NDArray[np.float64]
    """(m,) number of words of the memory."""
    words: int
    skipped: int
    """Words that are too frequent to be looked at."""


NO_MENTIONS: Final = Mentions(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0), words=0, skipped=0
)


def insert(connection: apsw.Connection, rows: Iterable[tuple[int, int, str, dict[str, Any]]]) -> None:
    """Index new memories, given as (key, namespace number, text, metadata)."""
    entries, sizes = [], []
    for key, space, text, metadata in rows:
        words = tokens(spoken(text, metadata))
        entries.append((key, " ".join(f"{space}~{word}" for word in words)))
        sizes.append((key, len(words)))
    cursor = connection.cursor()
    cursor.executemany("INSERT OR REPLACE INTO lexical (rowid, tokens) VALUES (?, ?)", entries)
    cursor.executemany("INSERT OR REPLACE INTO lexical_sizes (key, size) VALUES (?, ?)", sizes)


def delete(connection: apsw.Connection, keys: Sequence[tuple[int]]) -> None:
    """Take memories out of the index."""
    cursor = connection.cursor()
    cursor.executemany("DELETE FROM lexical WHERE rowid = ?", keys)
    cursor.executemany("DELETE FROM lexical_sizes WHERE key = ?", keys)


def mentions(connection: apsw.Connection, spaces: Sequence[int], text: str) -> Mentions:
    """Where the words of `text` are mentioned in the namespaces of those numbers.

    Needs no look at memories that mention none of them. Which words are skipped depends on the state of the store and
    on the text alone.
    """
    words = query_words(text)[:MOST_WORDS]
    spread = [[(_count(connection, f"{space}~{word}"), f"{space}~{word}") for space in spaces] for word in words]
    order = sorted(range(len(words)), key=lambda i: (sum(count for count, _ in spread[i]), i))
    parts: list[tuple[int, NDArray[np.int64], NDArray[np.int64]]] = []
    looked, skipped = 0, 0
    for i in order:
        total = sum(count for count, _ in spread[i])
        if not total:
            continue
        if looked + total > MOST_MENTIONS:
            skipped += 1
            continue
        looked += total
        keys = np.concatenate([_keys(connection, term) for count, term in spread[i] if count])
        parts.append((i, *np.unique(keys, return_counts=True)))
    if not parts:
        return NO_MENTIONS._replace(skipped=skipped)
    key = np.concatenate([found for _, found, _ in parts])
    distinct, at = np.unique(key, return_inverse=True)
    return Mentions(
        word=np.repeat(np.arange(len(parts)), [len(found) for _, found, _ in parts]),
        key=key,
        times=np.concatenate([count for _, _, count in parts]).astype(np.float64),
        size=_sizes(connection, distinct)[at],
        words=len(parts),
        skipped=skipped,
    )


def present(connection: apsw.Connection) -> bool:
    """False in a store that was made before there was an index."""
    return bool(fetch(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'lexical_sizes'"))


def _count(connection: apsw.Connection, term: str) -> int:
    """Mentions of a term, MOST_MENTIONS + 1 for more."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM lexical_terms WHERE term = ? LIMIT ?)"
    return int(fetch(connection, sql, (term, MOST_MENTIONS + 1))[0][0])


def _keys(connection: apsw.Connection, term: str) -> NDArray[np.int64]:
    # joined to one text inside SQLite: several times faster than a Python row for each
    return _numbers(fetch(connection, "SELECT group_concat(doc) FROM lexical_terms WHERE term = ?", (term,)))


def _sizes(connection: apsw.Connection, keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Number of words of each of the rising keys."""
    found = _numbers(fetch(connection, _SIZES, (f"[{','.join(map(str, keys.tolist()))}]",)))
    if len(found) != len(keys):
        raise apsw.CorruptError("lexical_sizes lacks rows that lexical has")
    return found.astype(np.float64)


def _numbers(rows: Sequence[Any]) -> NDArray[np.int64]:
    joined = rows[0][0]
    return np.fromstring(joined, dtype=np.int64, sep=",") if joined else np.empty(0, np.int64)
