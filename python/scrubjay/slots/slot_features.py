"""Features of pairs of statements: what two texts share, where they differ, and what kind of statements they are.

All features are symmetric in the pair and depend on the pair alone, never on the other candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.slots.attributes import bit
from scrubjay.slots.beside import STANDS
from scrubjay.slots.changes import ON, REPLACES, goes_on
from scrubjay.slots.diets import diets, eaten
from scrubjay.slots.endings import course, either_ends
from scrubjay.slots.forms import Forms, Meeting, PerClass
from scrubjay.slots.products import kinds
from scrubjay.slots.shifts import shift, side_of
from scrubjay.slots.statements import EDGE, GROUPS, KIN, MARKS, MAX_TOKENS, Statement

_GROUP: Final = {name: i for i, name in enumerate(GROUPS)}
_MARK: Final = {name: i for i, name in enumerate(MARKS)}
_COUNTED: Final = ("stop", "word", "name", "number", "head_word", "head_name", "head_number", "polar", "head_who")
_EITHER: Final = ("long", "question", "chat", "first", "second", "update", "event", "hedge", "speaker", "third")
_CONTENT: Final = ("word", "name", "number")
_LEXICON: Final = ("single", "multi")
_GOES_ON: Final = PerClass(goes_on)
_ENDS: Final = PerClass(either_ends)
_REPLACES: Final = PerClass(REPLACES.hold)
_STANDS: Final = PerClass(STANDS.hold)
_TOLD_APART, _RELATIVE = 1, 2
_FAMILY: Final = bit("marital") | bit("children")

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
)  # fmt: skip
"""Names of the columns of `pair_features`, without the cosine."""


class PairTable:
    """What each statement of a list shares with each other one; `features` then fills rows for chosen pairs.

    `content` (m, m) float32: content tokens (words, names, numbers) shared, the smaller count of both directions.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        m = len(statements)
        width = max(1, max(s.ids.size for s in statements))
        ids = np.full((m, width), -1, np.int64)
        back = np.full((m, EDGE), -1, np.int64)
        onehot = np.zeros((m, width, len(GROUPS)), np.float32)
        for i, s in enumerate(statements):
            n = s.ids.size
            ids[i, :n] = s.ids
            onehot[i, :n] = s.groups
            k = min(n, EDGE)
            back[i, :k] = s.ids[::-1][:k]
        # present[j, token of i] is 1 where j has the token; the sums by group are one product for each i.
        values, local = np.unique(ids, return_inverse=True)
        local = local.reshape(m, width)
        present = np.zeros((m, values.size), np.float32)
        present[np.arange(m)[:, None], local] = 1.0
        self._shared = np.empty((m, m, len(GROUPS)), np.float32)
        for i in range(m):
            np.matmul(np.take(present, local[i], axis=1), onehot[i], out=self._shared[i])
        self._total = onehot.sum(1)
        self._ids, self._back = ids, back
        self._marks = np.stack([s.marks for s in statements])
        self._speaker = np.array([s.speaker for s in statements], np.int64)
        self._subject = np.array([s.subject for s in statements], np.int64)
        self._shape = np.array([s.shape for s in statements], np.int64)
        self._verb = np.array([s.verb for s in statements], np.int64)
        self._place = np.array([s.place for s in statements], bool)
        self._bare = np.array([s.bare for s in statements], bool)
        self._beyond = np.array([s.beyond for s in statements], np.int64)
        self._owns = np.array([s.owns for s in statements], bool)
        self._forms = Forms(statements)
        self._replacing = Meeting(REPLACES, _REPLACES, self._forms)
        self._standing = Meeting(STANDS, _STANDS, self._forms)
        self._in = np.array([course(s).states for s in statements], np.int64)
        self._over = np.array([course(s).over for s in statements], np.int64)
        keys = {key: i for i, key in enumerate({s.seat.key for s in statements} - {()}, 1)}
        self._seat = np.array([keys.get(s.seat.key, 0) for s in statements], np.int64)
        self._ousts = np.array([bool(s.seat.ousted) for s in statements], bool)
        self._many = np.array([s.many for s in statements], bool)
        heads = {parts: i for i, parts in enumerate({s.parts: 0 for s in statements})}
        self._head = np.array([heads[s.parts] for s in statements], np.int64)
        self._among = _among(list(heads))
        self._tells = np.array([s.tells for s in statements], np.int64)
        self._about = np.array([s.about for s in statements], np.int64)
        self.states = np.array([not s.asks and s.ids.size > 0 for s in statements], bool)
        """(m,): False for a text that only asks, or has no words: it states nothing."""
        self.sundry = np.array([s.sundry for s in statements], bool)
        """(m,): True for a text that states many things: as a whole it has no slot, whatever it shares with others."""
        content = self._shared[:, :, [_GROUP[g] for g in _CONTENT]].sum(2)
        self.content = np.minimum(content, content.T)
        about, subject = self._about, self._subject
        self.alike = ((about[:, None] & about) != 0) & (subject[:, None] == subject) & (subject != 0)
        """(m, m): statements of one subject whose words speak of a common attribute."""
        seat, ousts = self._seat, self._ousts
        self.rival = (
            ((seat[:, None] == seat) & (seat != 0)) | (ousts[:, None] & (seat != 0)) | (seat != 0)[:, None] & ousts
        )
        home = np.array([s.complement.verb for s in statements], np.int64)
        anew = np.array([s.complement.anew for s in statements], bool)
        self.rival |= (home[:, None] == home) & (home != 0) & (anew[:, None] | anew)
        kept, broken = (np.array([of(s) for s in statements], np.int64) for of in (diets, eaten))
        self.rival |= ((kept[:, None] & broken) | (broken[:, None] & kept)) != 0
        used = np.array([_bits(kinds(s)) for s in statements], np.int64)
        anew = np.array([1 << tool.kind if (tool := shift(s).tool) else 0 for s in statements], np.int64)
        sides = {side: i for i, side in enumerate({side_of(s)[:1] for s in statements} - {()}, 1)}
        row = np.array([sides.get(side_of(s)[:1], 0) for s in statements], np.int64)
        self.rival |= (row[:, None] == row) & (row != 0)
        self.rival |= ((used[:, None] & anew) | (anew[:, None] & used)) != 0
        """(m, m): statements that may be of one seat, which one alone can fill, of one job, of one diet or of
        tools of a kind."""
        office = np.array([s.office for s in statements], np.int64)
        self.office = (office[:, None] == office) & (office != 0) & (subject[:, None] == subject) & (subject != 0)
        """(m, m): statements of the office that one subject holds in one body: it holds one at a time."""

    def agreement(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.float32]:
        """(pairs,) float32 in (0, 1]: what is left of P(same slot) where two statements of one subject say different
        sorts of things of it, so that both may hold: another verb ("lives", "works"), a place and a state ("is in the
        kitchen", "is empty"), what it is and what it has, unless their words speak of one attribute ("lives", "moved");
        one of many ("speaks German"); subjects told apart by a word each ("staging database", "production database"),
        or of which one is a relative ("David", "David's parents"); or where one only goes on from the other. Chosen by
        hand, for English: other words are left to the model."""
        verb = self._verb
        factor = np.ones(left.size, np.float32)
        # of one subject the words that name it are no attribute: "the post office opens", "the post office sells"
        one, same = self._head[left] == self._head[right], self._about[left] & self._about[right]
        common = np.where(one, self._tells[left] & self._tells[right], same) != 0
        apart = (verb[left] != 0) & (verb[right] != 0) & (verb[left] != verb[right]) & ~common
        factor[apart] = 0.3
        placed = (self._place[left] & self._bare[right]) | (self._bare[left] & self._place[right])
        owns, being, about, beyond = self._owns, self._bare | self._place, self._about, self._beyond
        owned = owns[left] & being[right] & ((beyond[left] & about[right]) == 0)
        owned |= being[left] & owns[right] & ((about[left] & beyond[right]) == 0)
        factor[(placed & ~common) | owned] = 0.3
        acts, bare = verb != 0, self._bare
        factor[((acts[left] & bare[right]) | (bare[left] & acts[right])) & ~common] = 0.7
        change = (self._marks[:, _MARK["negation"]] > 0) | (self._marks[:, _MARK["update"]] > 0)
        factor[self._many[left] & self._many[right] & ~change[left] & ~change[right]] *= 0.4
        among = self._among[self._head[left], self._head[right]]
        factor[among == _TOLD_APART] *= 0.4
        family = (self._about[left] & self._about[right] & _FAMILY) != 0
        factor[(among == _RELATIVE) & ~family] *= 0.3
        size = self._marks[:, _MARK["tokens"]]
        begun = np.flatnonzero((size[left] != size[right]) & (self._ids[left, :3] == self._ids[right, :3]).all(axis=1))
        factor[begun[_GOES_ON.holds(self._forms, left[begun], right[begun])]] *= ON
        return factor

    def replaced(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(pairs,): True where one of the two says itself that the other is over."""
        out = np.zeros(left.size, bool)
        states, over = self._in, self._over
        some = np.flatnonzero((states[left] & over[right]) | (over[left] & states[right]))
        out[some] = _ENDS.holds(self._forms, left[some], right[some])
        # without a seat of their own they need a thing that both name, or begin alike
        linked = (self.content[left, right] > 0) | (self._ids[left, 0] == self._ids[right, 0])
        return out | self._replacing.hold(left, right, ~out & (linked | self.rival[left, right]))

    def stands(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(pairs,): True where by what they say neither ends the other (`scrubjay.slots.beside`)."""
        return self._standing.hold(left, right)

    def features(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.float32]:
        """(pairs, len(FEATURES)) float32 for the pairs (left[p], right[p])."""
        return _features(
            self._shared, self._total, self._ids, self._back, self._marks,
            self._speaker, self._shape, self._subject, self._about, left, right,
        )  # fmt: skip

    def restated(self) -> NDArray[np.bool_]:
        """(m, m): the same tokens in the same order, by the same speaker, for texts short enough to be sure."""
        whole = self._marks[:, _MARK["long"]] == 0
        same = (self._ids[:, None, :] == self._ids[None, :, :]).all(2) & (self._speaker[:, None] == self._speaker)
        return np.asarray(same & whole[:, None] & whole, bool)


def _bits(numbers: Iterable[int]) -> int:
    return reduce(or_, (1 << number for number in numbers), 0)


def _among(heads: Sequence[frozenset[int]]) -> NDArray[np.int8]:
    """(h, h): how subjects are told apart, by their words: by a word of each, or one is a relative."""
    out = np.zeros((len(heads), len(heads)), np.int8)
    for i, a in enumerate(heads):
        for j, b in enumerate(heads[:i]):
            if a and b and (a & b) and (a - b) and (b - a):
                out[i, j] = out[j, i] = _TOLD_APART
            elif (a ^ b) & KIN:
                out[i, j] = out[j, i] = _RELATIVE
    return out


def _features(
    shared: NDArray[np.float32],
    total: NDArray[np.float32],
    ids: NDArray[np.int64],
    back: NDArray[np.int64],
    marks: NDArray[np.float32],
    speaker: NDArray[np.int64],
    shape: NDArray[np.int64],
    subject: NDArray[np.int64],
    about: NDArray[np.int64],
    left: NDArray[np.intp],
    right: NDArray[np.intp],
) -> NDArray[np.float32]:
    width = ids.shape[1]
    ab, ba = shared[left, right], shared[right, left]
    size_a, size_b = total[left], total[right]
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

    edge = min(EDGE, width)
    first, second = ids[left, :edge], ids[right, :edge]
    equal = (first == second) & (first >= 0)
    prefix = np.where(equal.all(1), edge, np.argmin(equal, 1)).astype(np.float32)
    first, second = back[left, :edge], back[right, :edge]
    equal = (first == second) & (first >= 0)
    suffix = np.where(equal.all(1), edge, np.argmin(equal, 1)).astype(np.float32)
    mark_a, mark_b = marks[left], marks[right]
    n_a, n_b = mark_a[:, _MARK["tokens"]], mark_b[:, _MARK["tokens"]]
    short, longest = np.maximum(np.minimum(n_a, n_b), 1), np.maximum(np.maximum(n_a, n_b), 1)
    edges = np.minimum(prefix + suffix, short)
    same = (prefix >= longest).astype(np.float32)

    one = mark_a[:, _MARK["negation"]] % 2
    two = mark_b[:, _MARK["negation"]] % 2
    negation_apart = np.abs(one - two)
    speaker_a, speaker_b = speaker[left], speaker[right]
    either = np.minimum(np.maximum(mark_a, mark_b), 3)
    both = np.minimum(np.minimum(mark_a, mark_b), 3)
    about_a, about_b = about[left], about[right]
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
    ]  # fmt: skip
    out: NDArray[np.float32] = np.empty((len(FEATURES), left.size), np.float32)
    for c, column in enumerate(columns):
        out[c] = column
    return np.asarray(out.T, np.float32)


def pair_features(
    statements: Sequence[Statement], left: NDArray[np.intp], right: NDArray[np.intp]
) -> NDArray[np.float32]:
    """(pairs, len(FEATURES)) float32 for pairs of statements, without a table to keep."""
    return PairTable(statements).features(left, right)


def cosine_features(cosine: NDArray[np.float32]) -> NDArray[np.float32]:
    """(pairs, 3) float32: the cosine of the what-vectors and how far it lies above .6 and .85."""
    return np.stack([cosine, np.maximum(cosine - 0.6, 0) * 2, np.maximum(cosine - 0.85, 0) * 6], axis=1)
