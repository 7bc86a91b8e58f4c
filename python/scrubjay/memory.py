"""The episodic memory unit (EMU) and its parts, as frozen values.

Source: "Caching for the Future", section 3.1, eq. 1: m = (what, where, (t, tau), pi), with a base value V.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from hashlib import blake2b
from numbers import Real
from typing import Any, Final

import msgspec

from scrubjay.errors import ArgumentError, ArgumentTypeError

LABELS: Final = ("factual", "procedural", "task_specific", "ephemeral")
"""The four labels of the taxonomy (section 3.2), from the most to the least durable."""

MIN_HORIZON: Final = 60.0
"""Smallest horizon tau, in seconds (chosen)."""
MAX_HORIZON: Final = 365.0 * 86400.0
"""Largest horizon tau, in seconds (chosen)."""
MIN_PERISHABILITY: Final = 1e-3
"""Floor of pi for updates, so that it stays in its domain (0, 1] (chosen)."""


class Layer(IntEnum):
    """ZenBrain's seven layers (a row of data each, one code path)."""

    WORKING = 0
    SHORT_TERM = 1
    EPISODIC = 2
    SEMANTIC = 3
    PROCEDURAL = 4
    CORE = 5
    CROSS_CONTEXT = 6


class Tier(IntEnum):
    """How condensed a memory is: its own words, a summary of some, an abstract of many."""

    RAW = 0
    SUMMARY = 1
    ABSTRACT = 2


class Origin(str, Enum):
    """Who decided a memory's perishability."""

    KEYWORDS = "keywords"
    HEAD = "head"
    MODEL = "model"
    USER = "user"


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What a language model said of a memory's perishability, checked and clipped."""

    label: str
    """One of `LABELS`."""
    pi: float
    """In [MIN_PERISHABILITY, 1]."""
    tau: float
    """Seconds, in [MIN_HORIZON, MAX_HORIZON]."""


class Perishability(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How fast a memory goes stale: P(still valid at age d) = exp(-(pi d / tau)^shape).

    `shape` = 1 is the exponential of eq. 3; a trained head may give another (a Weibull curve).

    >>> Perishability(label="ephemeral", pi=0.9, tau=7200.0).pi
    0.9
    """

    label: str
    """One of `LABELS`."""
    pi: float
    """Perishability in (0, 1]: 1 ephemeral, towards 0 stable."""
    tau: float
    """Horizon in seconds, in [MIN_HORIZON, MAX_HORIZON]."""
    shape: float = 1.0
    """Weibull shape, > 0; 1 is the exponential."""
    origin: Origin = Origin.KEYWORDS
    """Who decided."""
    degraded: bool = False
    """True where a model or head should have decided and its fallback did."""
    said: Opinion | None = None
    """What a language model said, where one was asked: one input of the decision, kept beside it."""

    def __post_init__(self) -> None:
        pi, tau, shape = self.pi, self.tau, self.shape
        # every event that is read comes by here
        if type(pi) is type(tau) is type(shape) is float and pi == pi and tau == tau and shape == shape:
            return
        for name, number in (("pi", pi), ("tau", tau), ("shape", shape)):
            if type(number) is not float and (isinstance(number, bool) or not isinstance(number, Real)):
                raise ArgumentTypeError(f"Perishability.{name}: expected a number, got {type(number).__name__}")
            if number != number:
                raise ArgumentError(f"Perishability.{name} is NaN: expected a finite number above 0")


class MemoryUnit(msgspec.Struct, frozen=True, kw_only=True):
    """One memory as a caller sees it: the text and everything that is known about it.

    Times are seconds since the Unix epoch (UTC). `when` is the time that the memory is about (eq. 1's t), `created`
    the time at which the store learned it, `updated` the time of its last change.
    """

    id: str
    """UUIDv7."""
    text: str
    namespace: tuple[str, ...] = ()
    context: str | None = None
    """The task context in which it was made (eq. 1's where), as text."""
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    when: float
    created: float
    updated: float
    perishability: Perishability
    value: float = 1.0
    """Base value V >= 0 of eq. 3."""
    key: str | None = None
    """The caller's own key, if it was first added under one."""
    evidence: int = 1
    """How often it was added to its namespace: the same text, or any under its key."""
    until: float | None = None
    """When it is over by its own words ("until Monday the 10th"); None: they name no end."""
    current: bool = True
    """False once another memory has superseded it."""
    superseded_by: str | None = None
    """Id of the memory that took its place."""
    pinned: bool = False
    sensitive: str | None = None
    """The sensitive class it belongs to (medical, financial, safety, legal), if any."""
    layer: Layer = Layer.EPISODIC
    tier: Tier = Tier.RAW
    archived: bool = False
    """True once consolidation has put it aside: no search sees it until it is restored."""
    importance: float = 0.5
    """Rated importance in [0, 1]."""
    usefulness: float = 0.5
    """Mean of its evidence of use, in [0, 1]."""
    uncertainty: float = 0.0
    """Standard deviation of that, in [0, 1/2]."""
    stability: float = 1.0
    """Days until its retrievability falls to 0.9."""
    difficulty: float = 5.0
    """In [1, 10]."""
    reviewed: float = 0.0
    """When it was last used, rated or learned: seconds of the store's clock."""
    due: float = 0.0
    """When it should be rehearsed: seconds of the store's clock."""


class Subtree(msgspec.Struct, frozen=True):
    """A namespace and all below it, for `search`, `list`, `stats` and `delete_all`; every other verb refuses it.

    Labels are compared one by one and whole: Subtree("use") does not hold ("users",), and "%" or "*" are labels like
    any other. `Subtree(())` is the whole store.

    >>> Subtree("acme"), Subtree(("acme", "sales")).holds(("acme", "sales", "eve"))
    (Subtree(labels=('acme',)), True)
    """

    labels: tuple[str, ...] = None  # type: ignore[assignment]  # so that its absence is said in our words
    """One label may be given as a plain str."""

    def __post_init__(self) -> None:
        if isinstance(self.labels, str):
            msgspec.structs.force_setattr(self, "labels", (self.labels,))
        elif isinstance(self.labels, list):
            msgspec.structs.force_setattr(self, "labels", tuple(self.labels))
        if self.labels is None:
            raise ArgumentTypeError("Subtree.labels: give a label or a tuple of them; Subtree(()) is the whole store")
        if not isinstance(self.labels, tuple):
            raise ArgumentTypeError(
                f"Subtree.labels: expected a label or a tuple of them, got {type(self.labels).__name__}"
            )
        for i, label in enumerate(self.labels):
            if not isinstance(label, str):
                raise ArgumentTypeError(f"Subtree.labels[{i}]: expected str, got {type(label).__name__}")
            if not label.strip():
                raise ArgumentError(f"Subtree.labels[{i}]: empty or blank; Subtree(()) is the whole store")

    def holds(self, namespace: tuple[str, ...]) -> bool:
        """True for the namespace itself and those below it."""
        return namespace[: len(self.labels)] == self.labels


def spoken(text: str, metadata: dict[str, Any]) -> str:
    """A text as it is embedded and indexed: behind the date and the speaker that its metadata names.

    Only metadata["date"] and metadata["speaker"] count, and only where they are text; a speaker with whom the text
    already begins, as a whole word, is not repeated.

    >>> spoken("The room is 4.12", {"speaker": "Ada", "date": "8 May 2023", "page": 3})
    '8 May 2023: Ada: The room is 4.12'
    >>> spoken("Ada: it is 4.12", {"speaker": "Ada"}), spoken("Also, it is 4.12", {"speaker": "Al"})
    ('Ada: it is 4.12', 'Al: Also, it is 4.12')
    """
    speaker, date = (metadata.get(name) for name in ("speaker", "date"))
    if isinstance(speaker, str) and speaker.strip():
        named = text.startswith(speaker) and not text[len(speaker) : len(speaker) + 1].isalnum()
        text = text if named else f"{speaker}: {text}"
    if isinstance(date, str) and date.strip():
        text = f"{date}: {text}"
    return text


def thread_of(metadata: dict[str, Any]) -> int:
    """A number for the conversation that metadata["thread"] (text or an integer) names, 0 where it names none.

    It is what the memory is learned with: a later change of the metadata does not move a turn.

    >>> thread_of({"thread": "monday"}) == thread_of({"thread": "monday", "page": 1}) != 0
    True
    >>> thread_of({"thread": ["x"]}), thread_of({})
    (0, 0)
    """
    name = metadata.get("thread")
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        return 0
    # positive and odd: never 0, and within int64
    raw = blake2b(f"{type(name).__name__}:{name}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(raw, "little") >> 1 | 1


class NewMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What `add_many` takes for one memory; only the text is needed.

    >>> NewMemory(text="The standup is in room 4.12", context="office", namespace=("alice",)).text
    'The standup is in room 4.12'
    """

    text: str
    context: str | None = None
    namespace: Any = ()
    """A label or a sequence of labels."""
    when: Any = None
    """Aware datetime, ISO text or epoch seconds: the time that the memory is about; None: the store's clock."""
    metadata: dict[str, Any] | None = None
    """A JSON object."""
    key: str | None = None
    """The caller's own identity for it; None: the text's."""
    perishability: Perishability | None = None
    """None: the store's perishability model decides."""
    value: float = 1.0
    pinned: bool = False
    sensitive: str | None = None
    layer: Layer = Layer.EPISODIC
    importance: float = 0.5
    """In [0, 1]: see `MemoryStore.rate`."""
