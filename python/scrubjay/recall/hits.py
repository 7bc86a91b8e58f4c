"""What a search returns: memories with their score, taken apart, and the probability that each still holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, overload

import msgspec

from scrubjay.memory import MemoryUnit
from scrubjay.recall.factors import Weights
from scrubjay.terminal import printable

MINUTE: Final = 60.0
_SPANS: Final = ((365.25 * 86400.0, "y"), (86400.0, "d"), (3600.0, "h"), (MINUTE, "min"))
_LINE_TEXT: Final = 90


def age_text(seconds: float) -> str:
    """An age in its largest unit.

    >>> age_text(30), age_text(7200), age_text(21 * 86400), age_text(-5)
    ('now', '2 h', '21 d', 'now')
    """
    for size, unit in _SPANS:
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return "now"


class Passage(msgspec.Struct, frozen=True):
    """The stretch of a long memory that answers."""

    text: str
    start: int
    """Where it begins in the memory's text, in characters."""
    stop: int
    """Behind its last character."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One memory that a search found."""

    memory: MemoryUnit
    score: float
    """What the list is ordered by."""
    factors: dict[str, float]
    """Contribution of each factor (weight times value) to the score; they sum to it."""
    valid: float
    """Probability in [0, 1] that the memory holds at `now`, its competitors counted; 0 where its own `when` is more
    than 5 minutes after `now` (it has not begun), and behind the end that its words name."""
    now: float
    """The time that was asked about: seconds since the epoch."""
    around: tuple[MemoryUnit, ...] = ()
    """The turns before and behind it in its conversation, in order, where the search was asked for them."""
    passage: Passage | None = None
    """Of a long memory the passage that is nearest to the query and has most of its words; None for a short one."""
    superseded: float = 0.0
    """Probability in [0, 1] that a newer memory says something else of the same subject and attribute."""
    complete: bool = True
    """False where there are more newer statements like it than were compared: `valid` may be too high."""
    interval: tuple[float, float] | None = None
    """90 % interval of `valid`: how far the probability itself is known. None where nobody can say: the user or a rule
    gave the perishability."""
    answers: float | None = None
    """Probability in [0, 1] that of the first hits this one answers the query, and no other; the rest of 1 is that of
    the others and of none (`Hits.answered`). None where nobody asked: scoring="paper", a buffer, an embedder without an
    answer model, a weight of 0, a turn of a conversation, or a hit behind the first 16."""

    def __str__(self) -> str:
        parts = " ".join(f"{name} {part:+.2f}" for name, part in self.factors.items() if abs(part) >= 0.005)
        said = self.memory if self.passage is None else self.passage
        text = printable(said.text, limit=_LINE_TEXT)
        age = age_text(self.now - self.memory.when)
        return f"{self.score:.3f}  valid {self.valid:4.0%}  {age:>6}  {text}  [{parts}]"


class Hits(Sequence[Hit]):
    """The hits of one query, best first: a sequence that also says how they were found.

    `plan` names the way the rows were scanned, as `scrubjay.kernels.rank` does: "scan", "sieve" or "tile" with what
    was added to it; the hits do not depend on it. `exact` is True where the list is proved to equal a full scan's of
    a log without damage, and `notes` says in words whatever a caller should not overlook. `weights` are those that
    the score was made with, and `context` tells whether the search had one. `answered` is the probability in [0, 1]
    that any of the first 16 answers the query, None where not all of them were asked (see `Hit.answers`).
    """

    __slots__ = ("_hits", "answered", "context", "exact", "notes", "plan", "query", "weights")

    def __init__(
        self,
        hits: Sequence[Hit] = (),
        *,
        query: str = "",
        plan: str = "empty",
        exact: bool = True,
        notes: Sequence[str] = (),
        weights: Weights | None = None,
        context: bool = False,
        answered: float | None = None,
    ) -> None:
        self._hits = tuple(hits)
        self.query = query
        self.plan = plan
        self.exact = exact
        self.notes = tuple(notes)
        self.weights = weights
        self.context = context
        self.answered = answered

    def __len__(self) -> int:
        return len(self._hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[index]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Hits):
            return self._hits == other._hits
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(hit.memory.id for hit in self._hits))

    def __repr__(self) -> str:
        return f"Hits(n={len(self)}, plan={self.plan!r}, exact={self.exact})"

    def __str__(self) -> str:
        lines = [str(hit) for hit in self._hits] or ["(no memory)"]
        return "\n".join([*lines, *(f"note: {printable(note)}" for note in self.notes)])
