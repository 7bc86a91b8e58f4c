"""Pairs of statements laid out in tables: what two texts share, what kind of a pair they are, and its features.

All that is told of a pair is symmetric in it and depends on the pair alone, never on the other candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.remembered import Recent, kept_with
from scrubjay.sets import distinct
from scrubjay.slots.attributes import bit
from scrubjay.slots.changes import ON, REPLACES, goes_on
from scrubjay.slots.diets import diets, eaten
from scrubjay.slots.endings import course, either_ends
from scrubjay.slots.forms import Forms
from scrubjay.slots.pair_columns import FEATURES, features
from scrubjay.slots.parts import by_clause
from scrubjay.slots.products import kinds
from scrubjay.slots.shifts import shift, side_of
from scrubjay.slots.standing import STANDS
from scrubjay.slots.statements import EDGE, GROUPS, KIN, MARKS, MAX_TOKENS, Statement

_GROUP: Final = {name: i for i, name in enumerate(GROUPS)}
_MARK: Final = {name: i for i, name in enumerate(MARKS)}
_CONTENT: Final = ("word", "name", "number")
_CONTENT_AT: Final = [_GROUP[name] for name in _CONTENT]
BAND: Final = 64
"""Rows of a table that are best compared with all at once (chosen): what they share stays in the cache."""
_TOLD_APART, _RELATIVE = 1, 2
_FAMILY: Final = bit("marital") | bit("children")


class Read(NamedTuple):
    """What a table keeps of a statement beside its words: numbers, of which many are bits."""

    speaker: int
    subject: int
    shape: int
    verb: int
    about: int
    beyond: int
    tells: int
    office: int
    home: int
    """The verb of its complement."""
    inside: int
    """The states that it says its subject is in, and those that it says are over."""
    over: int
    diets: int
    eaten: int
    tools: int
    """The kinds of the software that it names, and that of what it says is used now."""
    tool: int
    long: bool
    place: bool
    bare: bool
    owns: bool
    many: bool
    past: bool
    changes: bool
    ousts: bool
    anew: bool
    tokens: int
    replaces: int
    """The laws by which it may replace another, as the first and as the second of a pair,"""
    replaced: int
    parted: bool
    """It has several main clauses."""
    stands: int
    """and by which it may stand beside another."""
    beside: int
    seat: int = 0
    """The number in its table of its seat, 0 for none,"""
    side: int = 0
    """of the row of which it wants a side, 0 for none,"""
    words: int = 0
    """of all its words, of those before its verb and of the relatives among them."""
    head: int = 0
    kin: int = 0


_COLUMN: Final = {name: i for i, name in enumerate(Read._fields)}


@kept_with
def _read(s: Statement) -> Read:
    inside, over = course(s)
    (replaces, replaced), (stands, beside) = REPLACES.met(s), STANDS.met(s)
    tool = shift(s).tool
    return Read(
        speaker=s.speaker, subject=s.subject, shape=s.shape, verb=s.verb, about=s.about, beyond=s.beyond, tells=s.tells,
        office=s.office, home=s.complement.verb, inside=inside, over=over, diets=diets(s), eaten=eaten(s),
        tools=_bits(kinds(s)), tool=_bits(tool.kinds) if tool else 0,
        long=bool(s.marks[_MARK["long"]]), place=s.place, bare=s.bare, owns=s.owns, many=s.many, past=s.past,
        changes=bool(s.marks[_MARK["negation"]] or s.marks[_MARK["update"]]), ousts=bool(s.seat.ousted),
        anew=s.complement.anew, tokens=s.ids.size, replaces=replaces, replaced=replaced,
        parted=bool(s.clauses), stands=stands, beside=beside,
    )  # fmt: skip


class PairTable:
    """Statements laid out to be compared with each other."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        m = len(statements)
        self.said: Final = statements
        self._numbers: dict[object, int] = {}
        number = self._number
        self.ids = np.full((m, MAX_TOKENS), -1, np.int64)
        """(m, MAX_TOKENS): the words in their order, and the last `EDGE` from the back; -1 for none."""
        self.back = np.full((m, EDGE), -1, np.int64)
        self.marks = np.zeros((m, len(MARKS)), np.float32)
        self._groups = np.zeros((m, MAX_TOKENS, len(GROUPS)), np.float32)
        self._local = np.zeros((m, 2, MAX_TOKENS), np.intp)
        self._columns = np.zeros((len(_COLUMN), m), np.int64)
        for i, s in enumerate(statements):
            n = s.ids.size
            k = min(n, EDGE)
            self.ids[i, :n], self._groups[i, :n], self.back[i, :k] = s.ids, s.groups, s.ids[::-1][:k]
            self.marks[i] = s.marks
            self._local[i, 0, :n] = [number(word) for word in s.ids.tolist()]
            self._local[i, 1, : len(s.parts)] = [number(word) for word in s.parts]
            side = side_of(s)[:1]
            self._columns[:, i] = _read(s)._replace(
                seat=number(s.seat.key) if s.seat.key else 0,
                side=number(("side", side)) if side else 0,
                words=number(s.ids.tobytes()),
                head=number(s.parts),
                kin=number(("kin", s.parts & KIN)),
            )
        self.total = self._groups.sum(1)

    def __len__(self) -> int:
        return len(self.said)

    def __getattr__(self, name: str) -> NDArray[np.int64]:
        """(m,): a field of `Read`."""
        try:
            column: NDArray[np.int64] = self._columns[_COLUMN[name]]
        except KeyError:
            raise AttributeError(name) from None
        return column

    def _number(self, thing: object) -> int:
        return self._numbers.setdefault(thing, len(self._numbers) + 1)

    def shared(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(r, m, len(GROUPS)): the tokens of each of `rows` (r,) that each statement has, and of each statement that
        each of `rows` has."""
        width = int(self.tokens.max(initial=1))
        groups = self._groups[:, :width]
        present, local = self._present(self._local[:, 0, :width], rows)
        ours = np.matmul(present[:, local[rows]].transpose(1, 0, 2), groups[rows])
        theirs = np.matmul(present[rows][:, local].transpose(1, 0, 2), groups).transpose(1, 0, 2)
        return ours, theirs

    def _present(self, words: NDArray[np.intp], rows: NDArray[np.intp]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """(m, u), (m, w): which of the u words of `rows` each statement has, and the number among them of each of its
        `words` (m, w), 0 for none."""
        numbers = np.zeros(len(self._numbers) + 1, np.intp)
        numbers[words[rows]] = 1
        numbers[0] = 0
        some = np.flatnonzero(numbers)
        numbers[some] = np.arange(1, some.size + 1)
        local = numbers[words]
        present = np.zeros((len(self), some.size + 1), np.float32)
        present[np.arange(len(self))[:, None], local] = 1.0
        present[:, 0] = 0.0
        return present, local

    def among(self, rows: NDArray[np.intp]) -> NDArray[np.int8]:
        """(r, m): how the subjects of `rows` (r,) are told apart from each by their words: by a word of each, or one
        is a relative."""
        size = (self._local[:, 1] > 0).sum(1)
        present, _ = self._present(self._local[:, 1, : size.max(initial=1)], rows)
        shared = present[rows] @ present.T
        apart = (shared > 0) & (size[rows][:, None] > shared) & (size > shared)
        relative = self.kin[rows][:, None] != self.kin
        return np.asarray(np.where(apart, _TOLD_APART, np.where(relative, _RELATIVE, 0)), np.int8)

    def kinds(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> Iterator[tuple[int, Kind]]:
        """The numbers of the pairs left[p], right[p] and what kind each is of."""
        for some, band, p, q in self.bands(left, right):
            columns = zip(
                band.near[p, q].tolist(), band.restated[p, q].tolist(), band.office[p, q].tolist(),
                band.linked(p, q).tolist(), band.agreement(p, q).tolist(), band.features(p, q),
                strict=True,
            )  # fmt: skip
            may = zip(*(law.tolist() for law in band.may(p, q)), strict=True)
            for at, column, laws in zip(some.tolist(), columns, may, strict=True):
                yield at, Kind._make((*column, [None if law else False for law in laws]))

    def bands(
        self, left: NDArray[np.intp], right: NDArray[np.intp]
    ) -> Iterator[tuple[NDArray[np.intp], Band, NDArray[np.intp], NDArray[np.intp]]]:
        """The pairs left[p], right[p] by bands: which they are, the band, and their places in it."""
        rows = distinct(left)
        place = np.searchsorted(rows, left)
        for a in range(0, rows.size, BAND):
            some = np.flatnonzero((place >= a) & (place < a + BAND))
            yield some, Band(self, rows[a : a + BAND]), place[some] - a, right[some]


Pair = Callable[[], tuple[Statement, Statement]]
"""Makes a pair of statements when somebody reads them."""


class Kind(NamedTuple):
    """What all pairs of a class have in common."""

    near: bool
    """They share content, or are of one subject and its words speak of a common attribute, or are rivals."""
    restated: bool
    """The same tokens in the same order, by the same speaker, for texts short enough to be sure."""
    office: bool
    """Of the office that one subject holds in one body: it holds one at a time."""
    linked: bool
    """`Band.linked`."""
    agreement: float
    """`Band.agreement`."""
    features: NDArray[np.float32]
    """(len(FEATURES),)."""
    told: list[bool | None]
    """What `replaced` and `stands` have said, None for nothing yet."""

    def replaced(self, pair: Pair) -> bool:
        """Whether of a pair of it one says itself that the other is over."""
        found = self.told[0]
        if found is None:
            one, other = pair()
            found = either_ends(one, other) or (self.linked and REPLACES.hold(one, other))
            found = self.told[0] = found or (self.linked and _by_clause(one, other))
        return found

    def stands(self, pair: Pair) -> bool:
        """Whether of a pair of it by what they say neither ends the other (`scrubjay.slots.standing`)."""
        found = self.told[1]
        if found is None:
            one, other = pair()
            found = self.told[1] = STANDS.hold(one, other) and not _by_clause(one, other)
        return found


def _by_clause(one: Statement, other: Statement) -> bool:
    return by_clause(one, other) or by_clause(other, one)


_KINDS: Final[Recent[int, Kind]] = Recent(1 << 14)
"""The kinds of the last classes, by their numbers: about 10 MB at most."""


def kinds_of(
    forms: Forms, said: Callable[[int], Statement], left: NDArray[np.intp], right: NDArray[np.intp]
) -> tuple[list[Kind], list[Pair], NDArray[np.intp]]:
    """The kinds of the pairs left[p], right[p] of statements `said`, a pair of each, and (pairs,) which kind each is
    of. Statements are laid out only where they are of a kind that is not known yet."""
    classes, place = forms.classes(left, right)
    kinds = [_KINDS.get(number) if number else None for _, _, number in classes]
    new = [at for at, kind in enumerate(kinds) if kind is None]
    if new:
        ends = np.array([classes[at][:2] for at in new], np.intp)
        some = distinct(ends)
        table = PairTable([said(i) for i in some.tolist()])
        for at, kind in table.kinds(*np.searchsorted(some, ends).T):
            kinds[new[at]] = kind
            if classes[new[at]][2]:
                _KINDS.keep(classes[new[at]][2], kind)

    def pair(i: int, j: int) -> Pair:
        return lambda: (said(i), said(j))

    return [kind for kind in kinds if kind is not None], [pair(i, j) for i, j, _ in classes], place


class Band:
    """What some statements of a table, `rows` (r,), share with each of it; pairs are places (p, q) in (r, m)."""

    def __init__(self, table: PairTable, rows: NDArray[np.intp]) -> None:
        self._table = table
        self._rows = rows
        self._shared = table.shared(rows)
        content = [shared[:, :, _CONTENT_AT].sum(2) for shared in self._shared]
        self.content: NDArray[np.float32] = np.minimum(*content)
        """(r, m): content tokens (words, names, numbers) shared, the smaller count of both directions."""

        def both(name: str, beside: str | None = None) -> NDArray[np.bool_]:
            one, other = getattr(table, name), getattr(table, beside or name)
            return np.asarray((one[rows][:, None] & other) != 0)

        def same(name: str) -> NDArray[np.bool_]:
            one = getattr(table, name)
            return np.asarray((one[rows][:, None] == one) & (one != 0))

        seat, ousts, anew = table.seat != 0, table.ousts != 0, table.anew != 0
        subject = same("subject")
        self.rival: NDArray[np.bool_] = (
            same("seat") | (ousts[rows][:, None] & seat) | (seat[rows][:, None] & ousts)
            | (same("home") & (anew[rows][:, None] | anew))
            | both("diets", "eaten") | both("eaten", "diets") | both("tools", "tool") | both("tool", "tools")
            | same("side")
        )  # fmt: skip
        """(r, m): statements that may be of one seat, which one alone can fill, of one job, of one diet or of
        tools of a kind."""
        self.office: NDArray[np.bool_] = same("office") & subject
        """(r, m): statements of the office that one subject holds in one body: it holds one at a time."""
        alike = both("about") & subject
        whole = table.long == 0
        self.near: NDArray[np.bool_] = (self.content > 0) | alike | self.rival
        """(r, m): they share content, or are of one subject and its words speak of a common attribute, or rivals."""
        self.restated: NDArray[np.bool_] = (
            same("words") & (table.speaker[rows][:, None] == table.speaker) & whole[rows][:, None] & whole
        )
        """(r, m): the same tokens in the same order, by the same speaker, for texts short enough to be sure."""

    def agreement(self, p: NDArray[np.intp], q: NDArray[np.intp]) -> NDArray[np.float32]:
        """(pairs,) float32 in (0, 1]: what is left of P(same slot) where two statements of one subject say different
        sorts of things of it, so that both may hold: another verb ("lives", "works"), a place and a state ("is in the
        kitchen", "is empty"), what it is and what it has, or words of another attribute ("joined", "switched"), unless
        their words speak of one attribute ("lives", "moved"); one of many ("speaks German"); subjects told apart by a
        word each ("staging database", "production database"), or of which one is a relative ("David", "David's
        parents"); or where one only goes on from the other. Chosen by hand, for English: other words are left to the
        model."""
        table, left, right = self._table, self._rows[p], q
        verb, about, beyond, tells = table.verb, table.about, table.beyond, table.tells
        owns, place, bare, many, change = (
            getattr(table, name) != 0 for name in ("owns", "place", "bare", "many", "changes")
        )
        factor = np.ones(left.size, np.float32)
        # of one subject the words that name it are no attribute: "the post office opens", "the post office sells"
        one, same = table.head[left] == table.head[right], about[left] & about[right]
        common = np.where(one, tells[left] & tells[right], same) != 0
        apart = (verb[left] != 0) & (verb[right] != 0) & (verb[left] != verb[right]) & ~common
        factor[apart] = 0.3
        placed = (place[left] & bare[right]) | (bare[left] & place[right])
        being = bare | place
        owned = owns[left] & being[right] & ((beyond[left] & about[right]) == 0)
        owned |= being[left] & owns[right] & ((about[left] & beyond[right]) == 0)
        factor[(placed & ~common) | owned] = 0.3
        acts = verb != 0
        told = one & (tells[left] != 0) & (tells[right] != 0)
        sorts = ((acts[left] & bare[right]) | (bare[left] & acts[right]) | told) & ~common
        factor[sorts] = np.minimum(factor[sorts], 0.7)
        factor[many[left] & many[right] & ~change[left] & ~change[right]] *= 0.4
        among = table.among(self._rows)[p, q]
        factor[among == _TOLD_APART] *= 0.4
        family = (about[left] & about[right] & _FAMILY) != 0
        factor[(among == _RELATIVE) & ~family] *= 0.3
        longer = table.tokens[left] != table.tokens[right]
        said = table.said
        begun = longer & (table.ids[left, :3] == table.ids[right, :3]).all(axis=1)
        for pair in np.flatnonzero(begun).tolist():
            if goes_on(said[left[pair]], said[right[pair]]):
                factor[pair] *= ON
        return factor

    def linked(self, p: NDArray[np.intp], q: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(pairs,): they are rivals, both name a thing, or they begin alike: without that no law says of one that it
        replaces the other."""
        first = self._table.ids[:, 0]
        alike = (self.content[p, q] > 0) | (first[self._rows[p]] == first[q])
        return np.asarray(alike | self.rival[p, q], bool)

    def may(self, p: NDArray[np.intp], q: NDArray[np.intp]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(pairs,), (pairs,): False where no law says that one is over or replaced, and where none that both stand."""

        def meet(one: str, other: str) -> NDArray[np.bool_]:
            first, second = getattr(self._table, one), getattr(self._table, other)
            left = self._rows[p]
            return np.asarray(((first[left] & second[q]) | (second[left] & first[q])) != 0)

        parted = (self._table.parted[self._rows[p]] | self._table.parted[q]) != 0
        linked = self.linked(p, q) & (meet("replaces", "replaced") | parted)
        return meet("inside", "over") | linked, meet("stands", "beside")

    def features(self, p: NDArray[np.intp], q: NDArray[np.intp]) -> NDArray[np.float32]:
        """(pairs, len(FEATURES)) float32."""
        ours, theirs = self._shared
        return features(self._table, ours[p, q], theirs[p, q], self._rows[p], q)


def _bits(numbers: Iterable[int]) -> int:
    return reduce(or_, (1 << number for number in numbers), 0)


def pair_features(
    statements: Sequence[Statement], left: NDArray[np.intp], right: NDArray[np.intp]
) -> NDArray[np.float32]:
    """(pairs, len(FEATURES)) float32 for pairs of statements, without a table to keep."""
    out = np.empty((left.size, len(FEATURES)), np.float32)
    for some, band, p, q in PairTable(statements).bands(left, right):
        out[some] = band.features(p, q)
    return out
