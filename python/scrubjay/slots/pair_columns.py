"""The columns of a pair's features: what two texts share, where they differ, and what kind of statements they are.

All are symmetric in the pair and depend on the pair alone, never on the other candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.slots.statements import EDGE, GROUPS, MARKS, MAX_TOKENS

if TYPE_CHECKING:
    from scrubjay.slots.slot_features import PairTable

_GROUP: Final = {name: i for i, name in enumerate(GROUPS)}
_MARK: Final = {name: i for i, name in enumerate(MARKS)}
_COUNTED: Final = ("stop", "word", "name", "number", "head_word", "head_name", "head_number", "polar", "head_who")
_EITHER: Final = ("long", "question", "chat", "first", "second", "update", "event", "hedge", "speaker", "third")
_LEXICON: Final = ("single", "multi")
_CONTENT: Final = ("word", "name", "number")

FEATURES: Final = (
    "jaccard", "jaccard_content", "contained_content", "prefix", "suffix", "edges_min", "edges_max", "same_tokens",
    "front_gap", "back_gap", "shared_between",
    *(f"shared_{g}" for g in _COUNTED),
    *(f"apart_min_{g}" for g in _COUNTED),
    *(f"apart_max_{g}" for g in _COUNTED),
    "shared_single", "shared_multi", "either_single", "either_multi",
    "negation_apart", "negation_any", "negation_apart_x_content", "negation_apart_alone", "subject_same",
    "subject_apart", "shape_same", "speaker_apart", "speaker_same",
    *(f"any_{m}" for m in _EITHER),
    *(f"both_{m}" for m in _EITHER),
    "tokens_min", "tokens_ratio", "sentences_max", "verb_both", "about_shared", "about_apart", "about_one",
    "verb_same", "verb_apart", "tells_shared", "tells_apart", "tells_one", "act_and_state", "place_and_state",
    "own_one", "many_both", "past_one", "state_both", "place_both", "head_same",
)  # fmt: skip
"""Names of the columns of `pair_features`, without the cosine."""


def features(
    table: PairTable,
    ab: NDArray[np.float32],
    ba: NDArray[np.float32],
    left: NDArray[np.intp],
    right: NDArray[np.intp],
) -> NDArray[np.float32]:
    """(pairs, len(FEATURES)) float32 of the pairs left[p], right[p] of a table; `ab` and `ba` (pairs, len(GROUPS)) are
    the tokens of the one that the other has, and of the other that the one has."""
    size_a, size_b = table.total[left], table.total[right]
    low = np.minimum(ab, ba)
    apart_a, apart_b = size_a - ab, size_b - ba
    apart_min, apart_max = np.minimum(apart_a, apart_b), np.maximum(apart_a, apart_b)

    def sums(x: NDArray[np.float32], names: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray(x[:, [_GROUP[n] for n in names]].sum(1), np.float32)

    every = ("stop", *_CONTENT)
    bag = sums(low, every)
    bag_content = sums(low, _CONTENT)
    all_a, all_b = sums(size_a, every), sums(size_b, every)
    con_a, con_b = sums(size_a, _CONTENT), sums(size_b, _CONTENT)
    jaccard = bag / np.maximum(all_a + all_b - bag, 1)
    jaccard_content = bag_content / np.maximum(con_a + con_b - bag_content, 1)
    contained = bag_content / np.maximum(np.minimum(con_a, con_b), 1)

    prefix, suffix = (_begin_alike(words, left, right) for words in (table.ids, table.back))
    mark_a, mark_b = table.marks[left], table.marks[right]
    n_a, n_b = mark_a[:, _MARK["tokens"]], mark_b[:, _MARK["tokens"]]
    short, longest = np.maximum(np.minimum(n_a, n_b), 1), np.maximum(np.maximum(n_a, n_b), 1)
    edges = np.minimum(prefix + suffix, short)
    same = (prefix >= longest).astype(np.float32)

    one = mark_a[:, _MARK["negation"]] % 2
    two = mark_b[:, _MARK["negation"]] % 2
    negation_apart = np.abs(one - two)
    speaker, subject, shape = table.speaker, table.subject, table.shape
    speaker_a, speaker_b = speaker[left], speaker[right]
    either = np.minimum(np.maximum(mark_a, mark_b), 3)
    both = np.minimum(np.minimum(mark_a, mark_b), 3)
    about_a, about_b = table.about[left], table.about[right]
    columns = [
        jaccard, jaccard_content, contained, prefix / short, suffix / short, edges / short, edges / longest, same,
        np.minimum(short - edges, 8) / 4, np.minimum(longest - edges, 12) / 4,
        np.minimum(np.maximum(bag - edges, 0), 6) / 3,
        *(np.minimum(low[:, _GROUP[g]], 5) / 2 for g in _COUNTED),
        *(np.minimum(apart_min[:, _GROUP[g]], 4) / 2 for g in _COUNTED),
        *(np.minimum(apart_max[:, _GROUP[g]], 6) / 2 for g in _COUNTED),
        *(np.minimum(low[:, _GROUP[g]], 3) for g in _LEXICON),
        *(either[:, _MARK[g]] for g in _LEXICON),
        negation_apart, np.maximum(one, two), negation_apart * jaccard_content,
        negation_apart * (sums(apart_min, _CONTENT) == 0),
        (subject[left] == subject[right]) & (subject[left] != 0),
        (subject[left] != subject[right]) & (subject[left] != 0) & (subject[right] != 0),
        (shape[left] == shape[right]) & (shape[left] != 0),
        (speaker_a != speaker_b) & (speaker_a != 0) & (speaker_b != 0),
        (speaker_a == speaker_b) & (speaker_a != 0),
        *(either[:, _MARK[g]] for g in _EITHER),
        *(both[:, _MARK[g]] for g in _EITHER),
        short / MAX_TOKENS, short / longest, np.minimum(either[:, _MARK["sentences"]], 3), both[:, _MARK["verb"]],
        (about_a & about_b) != 0, (about_a != 0) & (about_b != 0) & ((about_a & about_b) == 0),
        (about_a != 0) != (about_b != 0),
        *_sorts(table, left, right),
    ]  # fmt: skip
    out: NDArray[np.float32] = np.empty((len(FEATURES), left.size), np.float32)
    for c, column in enumerate(columns):
        out[c] = column
    return np.asarray(out.T, np.float32)


def _sorts(table: PairTable, left: NDArray[np.intp], right: NDArray[np.intp]) -> list[NDArray[np.bool_]]:
    """Columns: whether the two say the same sort of thing of what they are about."""
    verb_a, verb_b = table.verb[left], table.verb[right]
    tells_a, tells_b = table.tells[left], table.tells[right]
    act, bare, place, owns, many, past = (
        getattr(table, name) != 0 for name in ("verb", "bare", "place", "owns", "many", "past")
    )
    return [
        (verb_a == verb_b) & (verb_a != 0),
        (verb_a != verb_b) & (verb_a != 0) & (verb_b != 0),
        (tells_a & tells_b) != 0,
        (tells_a != 0) & (tells_b != 0) & ((tells_a & tells_b) == 0),
        (tells_a != 0) != (tells_b != 0),
        (act[left] & bare[right]) | (bare[left] & act[right]),
        (place[left] & bare[right]) | (bare[left] & place[right]),
        owns[left] != owns[right],
        many[left] & many[right],
        past[left] != past[right],
        bare[left] & bare[right],
        place[left] & place[right],
        table.head[left] == table.head[right],
    ]


def _begin_alike(words: NDArray[np.int64], left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.float32]:
    """(pairs,): how many of the first `EDGE` words are the same."""
    first = words[left, :EDGE]
    equal = (first == words[right, :EDGE]) & (first >= 0)
    return np.where(equal.all(1), EDGE, np.argmin(equal, 1)).astype(np.float32)


def cosine_features(cosine: NDArray[np.float32]) -> NDArray[np.float32]:
    """(pairs, 3) float32: the cosine of the what-vectors and how far it lies above .6 and .85."""
    return np.stack([cosine, np.maximum(cosine - 0.6, 0) * 2, np.maximum(cosine - 0.85, 0) * 6], axis=1)
