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
from scrubjay.store.tokens import names, query_words, tokens

MOST_MENTIONS: Final = 32768
"""Mentions that a query looks at. Its rarest words come first; the words that would go beyond it count nothing."""
PASSAGE: Final = 128
"""Words of a passage: what is longer is found by its best passage, as if that were all of it."""
MOST_WORDS: Final = 256
"""Distinct words that a query looks up; what is longer is cut."""
MOST_SPACES: Final = 64
"""Namespaces in which a search of many looks words up."""
MOST_LOOKS: Final = 1 << 13
"""Times that a query looks a word up in a namespace: of more namespaces a query's first words alone count."""

_SIZES: Final = (
    "SELECT group_concat(size) FROM"
    " (SELECT s.size FROM json_each(?) j CROSS JOIN lexical_sizes s WHERE s.key = j.value)"
)


class Mentions(NamedTuple):
    """Where the words of a query are mentioned. A long memory counts by its passages, which overlap by half."""

    word: NDArray[np.int64]
    """(m,) number of the word, below `words`."""
    key: NDArray[np.int64]
    """(m,) key of the memory."""
    part: NDArray[np.int64]
    """(m,) number of the passage: words part * PASSAGE / 2 on; a triple (word, key, part) occurs once."""
    times: NDArray[np.float64]
    """(m,) how often the passage mentions the word."""
    size: NDArray[np.float64]
    """(m,) number of words of the passage."""
    words: int
    names: NDArray[np.bool_]
    """(words,) True for a word that the query names somebody or something by."""
    skipped: int
    """Words that are too frequent to be looked at."""


_NONE: Final = np.empty(0, np.int64)
NO_MENTIONS: Final = Mentions(
    word=_NONE, key=_NONE, part=_NONE, times=np.empty(0), size=np.empty(0), words=0,
    names=np.empty(0, bool), skipped=0,
)  # fmt: skip


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
    words = query_words(text)
    most = min(MOST_WORDS, MOST_LOOKS // max(1, len(spaces)))
    skipped = max(0, len(words) - most)
    words = words[:most]
    look = _Everywhere(connection, spaces) if len(spaces) > 1 else _One(connection, spaces[0] if spaces else -1)
    counts = [look.count(word) for word in words]
    found: list[NDArray[np.int64]] = []
    named: list[bool] = []
    some = names(text)
    looked = 0
    for total, word in sorted(zip(counts, words, strict=True), key=lambda pair: pair[0]):
        if not total:
            continue
        if looked + total > MOST_MENTIONS:
            skipped += 1
            continue
        looked += total
        each = look.places(word)
        found.append(np.vstack([np.full(each.shape[1], len(found)), each]))
        named.append(word in some)
    if not found:
        return NO_MENTIONS._replace(skipped=skipped)
    which, key, offset = np.concatenate(found, axis=1)
    distinct, at = np.unique(key, return_inverse=True)
    size = _sizes(connection, distinct)
    part = np.where(size[at] > PASSAGE, offset // (PASSAGE // 2), 0)
    # the passage that begins half a passage earlier holds the word too
    also = part > 0
    which, at, part = np.append(which, which[also]), np.append(at, at[also]), np.append(part, part[also] - 1)
    # one number for a triple: a sort of numbers takes a tenth of one of triples
    parts = int(part.max()) + 1
    triples, times = np.unique((which * len(distinct) + at) * parts + part, return_counts=True)
    places, part = np.divmod(triples, parts)
    which, at = np.divmod(places, len(distinct))
    return Mentions(
        word=which,
        key=distinct[at],
        part=part,
        times=times.astype(np.float64),
        size=np.minimum(size[at], PASSAGE),
        words=len(found),
        names=np.array(named, bool),
        skipped=skipped,
    )


def present(connection: apsw.Connection) -> bool:
    """False in a store that was made before there was an index."""
    return bool(fetch(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'lexical_sizes'"))


class _One:
    """The words of one namespace."""

    def __init__(self, connection: apsw.Connection, space: int) -> None:
        self._db, self._space = connection, space

    def count(self, word: str) -> int:
        """Mentions of a word, MOST_MENTIONS + 1 for more."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM lexical_terms WHERE term = ? LIMIT ?)"
        return int(fetch(self._db, sql, (f"{self._space}~{word}", MOST_MENTIONS + 1))[0][0])

    def places(self, word: str) -> NDArray[np.int64]:
        """(2, mentions): key and position of each mention."""
        # joined to one text inside SQLite: several times faster than a Python row for each
        sql = "SELECT group_concat(doc), group_concat(offset) FROM lexical_terms WHERE term = ?"
        return _pairs(fetch(self._db, sql, (f"{self._space}~{word}",)))


class _Everywhere:
    """The words of several namespaces, which are looked up in one statement a word."""

    def __init__(self, connection: apsw.Connection, spaces: Sequence[int]) -> None:
        self._db = connection
        self._spaces = "[" + ",".join(map(str, spaces)) + "]"
        self._found: dict[str, NDArray[np.int64]] = {}

    def count(self, word: str) -> int:
        """Mentions of a word, MOST_MENTIONS + 1 for more."""
        sql = (
            "SELECT group_concat(doc), group_concat(offset) FROM (SELECT t.doc, t.offset FROM json_each(?) j"
            " CROSS JOIN lexical_terms t WHERE t.term = j.value || ? LIMIT ?)"
        )
        self._found[word] = _pairs(fetch(self._db, sql, (self._spaces, f"~{word}", MOST_MENTIONS + 1)))
        return int(self._found[word].shape[1])

    def places(self, word: str) -> NDArray[np.int64]:
        """(2, mentions): key and position of each mention."""
        return self._found[word]


def _pairs(rows: Sequence[Any]) -> NDArray[np.int64]:
    ((docs, offsets),) = rows
    return np.stack([_numbers([(docs,)]), _numbers([(offsets,)])])


def _sizes(connection: apsw.Connection, keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Number of words of each of the rising keys."""
    found = _numbers(fetch(connection, _SIZES, (f"[{','.join(map(str, keys.tolist()))}]",)))
    if len(found) != len(keys):
        raise apsw.CorruptError("lexical_sizes lacks rows that lexical has")
    return found.astype(np.float64)


def _numbers(rows: Sequence[Any]) -> NDArray[np.int64]:
    joined = rows[0][0]
    return np.fromstring(joined, dtype=np.int64, sep=",") if joined else np.empty(0, np.int64)
