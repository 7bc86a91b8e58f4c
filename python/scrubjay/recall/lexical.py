"""BM25 of a query's words, as one more factor of the linear score.

A row's value is the BM25 of its best passage divided by the best of the scope: 1 for the row that the words point at
most, 0 for rows that share none. Statistics are the namespace's own, and the mean length is that of the passages that
share a word, so that nothing of another namespace, and nothing added elsewhere, moves a score. k1 and b are the usual
ones (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3), the inverse
document frequency is ln(1 + (N - n + 1/2) / (n + 1/2)), which is above 0 for every n <= N.

A question that names somebody or something is about them: what mentions none of the names that the scope knows keeps
`UNNAMED` of its value, so that a rare word which it shares by chance does not put it before them.

Where a question's words without its names have a vector of their own (`scrubjay.recall.asking`), what mentions the
names gains by its cosine c with them, beside the best of what mentions them,

    v + NEAR (1 - ln(1 + n) / ln(1 + N))^3 s exp((c - max c) / SPREAD),    divided by the best of the scope,

s the share of the names that it mentions, n how many memories mention any: a name that half of a conversation begins
with tells little. Cosines with what is said of one subject lie close together: what counts is how far behind the best
one is, not how near the best is itself.

Fused as a factor and not by rank: equal-rank fusion lets a list of chance matches displace what the vectors know.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.recall.scope import Scope
from scrubjay.sets import distinct

K1: Final = 1.2
B: Final = 0.75
UNNAMED: Final = 0.8
"""What is left of the value of a row that mentions none of those that the query names (chosen on
conversations: .5 costs .008 of MRR, .8 gains .004)."""
NEAR: Final = 12.0
"""Weight of what a question asks for beside the names (chosen on made-up subjects of many attributes)."""
SPREAD: Final = 0.1
"""Cosine behind the best by which that falls to 1 / e (chosen; .07 and .2 find as many and fewer)."""
RARE: Final = 3
"""Power of how rare the names are (chosen on conversations: lower ones find less in them)."""
MOST_NAMED: Final = 4096
"""Of more memories that mention the names none is compared (chosen)."""
SHORTEST: Final = 12.0
"""Words that a shorter passage counts as (chosen on conversations and made-up questions): "Ada lives in Rome." is no
more about Ada than "Ada Byron works as a marine biologist."."""
LONGEST: Final = 4.0
"""Times the mean length beyond which a passage counts no longer: among short notes a long text must stay findable."""


class Mentions(Protocol):
    """Where a query's words are mentioned; `scrubjay.store.lexical.Mentions` is one."""

    @property
    def word(self) -> NDArray[np.int64]:
        """(m,) number of the word, below `words`."""
        ...

    @property
    def key(self) -> NDArray[np.int64]:
        """(m,) key of the memory."""
        ...

    @property
    def part(self) -> NDArray[np.int64]:
        """(m,) number of the passage; a triple (word, key, part) occurs once."""
        ...

    @property
    def times(self) -> NDArray[np.float64]:
        """(m,) how often the passage mentions the word."""
        ...

    @property
    def size(self) -> NDArray[np.float64]:
        """(m,) number of words of the passage."""
        ...

    @property
    def words(self) -> int:
        """How many distinct words."""
        ...

    @property
    def names(self) -> NDArray[np.bool_]:
        """(words,) True for a word that the query names somebody or something by."""
        ...


class Lexical(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a scope that share words with a query, by value descending, then row ascending."""

    rows: NDArray[np.int64]
    parts: NDArray[np.int64]
    """Number of each row's best passage, 0 for a short memory."""
    values: NDArray[np.float64]
    """In (0, 1]; the first is 1."""
    rising: NDArray[np.int64] | None = None
    """(m,) the places of the rows in rising order; None: made when asked for."""

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The value of each of some rows, 0 for one that shares no word."""
        if not len(self.rows):
            return np.zeros(len(rows))
        order = np.argsort(self.rows) if self.rising is None else self.rising
        at = order[np.minimum(np.searchsorted(self.rows, rows, sorter=order), len(order) - 1)]
        return np.where(self.rows[at] == rows, self.values[at], 0.0)


NO_WORDS: Final = Lexical(rows=np.empty(0, np.int64), parts=np.empty(0, np.int64), values=np.empty(0))


def lexical(
    columns: Columns, scope: Scope, mentions: Mentions, total: int, bare: NDArray[np.float32] | None = None
) -> Lexical:
    """Normalised BM25 of the rows of `scope` that are mentioned; `total` is the number of memories of the namespace.

    `bare` (d,) is the unit vector of the query's words without its names, None where it has none.
    """
    rows = columns.rows(mentions.key)
    living = rows >= 0
    # one number for a pair: a sort of numbers takes a tenth of one of pairs
    pairs = distinct(mentions.word[living] * len(columns) + rows[living])
    shared = np.bincount(pairs // max(1, len(columns)), minlength=mentions.words).astype(np.float64)
    inside = living.copy()
    inside[living] = scope.holds(rows[living])
    if not inside.any():
        return NO_WORDS
    parts = int(mentions.part.max()) + 1
    passage = rows * parts + mentions.part
    _, first = np.unique(passage[living], return_index=True)
    size = np.maximum(mentions.size, SHORTEST)
    mean = float(size[living][first].mean())
    weight = np.log1p((np.maximum(total, shared) - shared + 0.5) / (shared + 0.5))
    count = mentions.times[inside]
    part = weight[mentions.word[inside]] * count * (K1 + 1.0)
    part /= count + K1 * (1.0 - B + B * np.minimum(size[inside] / mean, LONGEST))
    passages, at = np.unique(passage[inside], return_inverse=True)
    named = _named(mentions, passages // parts, mentions.word[inside], rows[inside])
    scores = named * np.bincount(at.reshape(-1), weights=part)
    order = np.lexsort((passages, -scores))
    found, places = np.divmod(passages[order], parts)
    # a memory counts by its best passage: the first of its row
    _, best = np.unique(found, return_index=True)
    best.sort()
    values = scores[order[best]] / scores[order[0]]
    out = Lexical(rows=found[best], parts=places[best], values=values, rising=np.argsort(found[best]))
    named_by = mentions.names[mentions.word[inside]]
    if bare is None or not named_by.any():
        return out
    return _asked(columns, out, rows[inside][named_by], mentions.word[inside][named_by], total, bare)


def _asked(
    columns: Columns,
    found: Lexical,
    mentioned: NDArray[np.int64],
    word: NDArray[np.int64],
    total: int,
    bare: NDArray[np.float32],
) -> Lexical:
    """`found`, what mentions names put first that is near to what is asked; `mentioned` and `word` are the rows and
    words of the mentions of names."""
    pairs = np.unique(np.stack([mentioned, word]), axis=1)[0]
    some, held = np.unique(pairs, return_counts=True)
    if len(some) > MOST_NAMED:
        return found
    rare = (1.0 - np.log1p(len(some)) / np.log1p(max(total, len(some), 2))) ** RARE
    share = held / len(distinct(word))
    cosine = columns.vectors[some].astype(np.float64) @ bare.astype(np.float64)
    odds = np.exp((cosine - cosine.max()) / SPREAD)
    order = np.argsort(found.rows)
    values = found.values.copy()
    values[order[np.searchsorted(found.rows[order], some)]] += NEAR * rare * share * odds
    best = np.lexsort((found.rows, -values))
    rows = found.rows[best]
    return Lexical(rows=rows, parts=found.parts[best], values=values[best] / values[best[0]], rising=np.argsort(rows))


def _named(
    mentions: Mentions, row: NDArray[np.int64], word: NDArray[np.int64], mentioned: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(passages,) in [UNNAMED, 1]: less where a memory does not mention those that the query names, of those whom any
    of the scope does. `word` and `mentioned` are words and rows of the mentions in the scope."""
    names = mentions.names[word]
    if not names.any():
        return np.ones(len(row))
    known, which = np.unique(word[names], return_inverse=True)
    some, at = np.unique(mentioned[names], return_inverse=True)
    held = np.zeros((len(some), len(known)), bool)
    held[at.reshape(-1), which.reshape(-1)] = True
    place = np.minimum(np.searchsorted(some, row), len(some) - 1)
    share = np.where(some[place] == row, held.mean(axis=1)[place], 0.0)
    return np.asarray(UNNAMED + (1.0 - UNNAMED) * share, np.float64)
