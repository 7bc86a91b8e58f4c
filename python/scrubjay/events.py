"""What happened to the store, as immutable values: the append-only log holds these and nothing else.

State is a fold over events (`scrubjay.fold`); nothing but an event changes it. An event is encoded as MessagePack with
its tag under "type"; unknown fields are refused, a new field needs a default so that old logs stay readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import msgspec

from scrubjay.memory import Layer, Perishability, Tier


class Event(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="type",
    omit_defaults=True,
    gc=False,
):
    """Base of all events. They hold no cycles, so that the garbage collector need not look at them (`gc=False`)."""

    at: float
    """When the store recorded it: seconds since the epoch by the store's clock."""


class ContextSeen(Event, frozen=True, kw_only=True, tag="context"):
    """A context text was met for the first time; its vector is stored once."""

    context: int
    """Dense number of the context, from 0."""
    text: str
    vector: bytes
    """float32 little-endian, unit norm."""


class NamespaceSeen(Event, frozen=True, kw_only=True, tag="namespace"):
    """A namespace was met for the first time."""

    space: int
    """Dense number of the namespace, from 0."""
    labels: tuple[str, ...]


class Learned(Event, frozen=True, kw_only=True, tag="learned"):
    """A new memory."""

    key: int
    """Row key: positive, strictly rising along the log, never used again."""
    id: bytes
    """UUIDv7, 16 bytes."""
    space: int
    text: str
    dedupe: bytes
    """Digest of the caller's key or of the normalised text, 16 bytes: unique among the living rows of a namespace."""
    vector: bytes
    """float32 little-endian, unit norm."""
    context: int = -1
    """Number of the context, -1 for none."""
    when: float
    perishability: Perishability
    value: float = 1.0
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    pinned: bool = False
    sensitive: str | None = None
    layer: Layer = Layer.EPISODIC
    tier: Tier = Tier.RAW
    source: str = ""
    """Where it was imported from, if it was."""
    importance: float = 0.5
    moment: float | None = None
    """Seconds of the store's clock; None: `at`."""
    annotation: str = ""
    """When it will be useful, in one sentence: embedded together with the text."""
    spans: bytes = b""
    """Passages of a long text: where each begins and ends, in characters, int32 little-endian pairs."""
    passages: bytes = b""
    """Their vectors: float32 little-endian, unit norm or zeros."""
    until: float | None = None
    """When it is over by its own words, in seconds since the epoch; None: they name no end."""
    edge: float = 0.0
    """How exactly that is meant: it may be over so many seconds before."""
    caller: str = ""
    """The caller's own key, if it has one; logs of earlier versions know its digest alone."""


class Reinforced(Event, frozen=True, kw_only=True, tag="reinforced"):
    """A memory that was there already was added again: its evidence grows, and it is said to hold at `when`."""

    key: int
    count: int = 1
    when: float | None = None
    """Moves the memory's `when` forward, never back."""
    until: float | None = None
    """The end that its words name at that time; it moves forward, never back."""
    edge: float = 0.0


class Updated(Event, frozen=True, kw_only=True, tag="updated"):
    """Fields of a memory were replaced; an unset field keeps its value."""

    key: int
    text: str | msgspec.UnsetType = msgspec.UNSET
    dedupe: bytes | msgspec.UnsetType = msgspec.UNSET
    vector: bytes | msgspec.UnsetType = msgspec.UNSET
    context: int | msgspec.UnsetType = msgspec.UNSET
    when: float | msgspec.UnsetType = msgspec.UNSET
    perishability: Perishability | msgspec.UnsetType = msgspec.UNSET
    value: float | msgspec.UnsetType = msgspec.UNSET
    metadata: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """The whole new metadata object (the facade merges before it appends)."""
    pinned: bool | msgspec.UnsetType = msgspec.UNSET
    sensitive: str | msgspec.UnsetType | None = msgspec.UNSET
    annotation: str | msgspec.UnsetType = msgspec.UNSET
    spans: bytes | msgspec.UnsetType = msgspec.UNSET
    """Unset beside a vector: the text has no passages any more."""
    passages: bytes | msgspec.UnsetType = msgspec.UNSET
    until: float | msgspec.UnsetType | None = msgspec.UNSET
    edge: float = 0.0
    """Read beside `until`."""


class Forgotten(Event, frozen=True, kw_only=True, tag="forgotten"):
    """Memories were deleted: they are no longer found, listed or counted."""

    keys: list[int]


class Integrated(Event, frozen=True, kw_only=True, tag="integrated"):
    """New evidence moved the memories that it reached (RCI, "Caching for the Future", section 3.5).

    Everything that the fold needs is here, so that replaying it gives the same bits on every CPU and in every version.
    """

    key: int
    """The memory that holds the evidence's text."""
    learned: bool
    """True when that memory was made by this integration."""
    vector: bytes
    """The evidence: float32 little-endian, unit norm."""
    keys: list[int]
    """Memories that it reached, rising."""
    affinities: bytes
    """float32 little-endian, one per key, in (0, 1], what the budget allows."""
    value_step: float
    pi_step: float
    tau_step: float
    what_step: float
    pi_floor: float
    tau_low: float
    tau_high: float
    window: float
    """Seconds over which a memory's budget of affinity is counted."""
    superseded: list[int] = msgspec.field(default_factory=list)
    """Memories whose place the evidence has taken."""
    summary: str = ""
    model: str = "words-1"
    """What read the evidence."""
    prompt: str = ""
    """Digest of the prompt, where a model was asked."""
    degraded: bool = False
    """True where a model should have read it and the fallback did."""


class Undone(Event, frozen=True, kw_only=True, tag="undone"):
    """An integration was taken back: memories are as if it had never been. Long ones come in several events."""

    target: int
    """Sequence number of the Integrated event."""
    keys: list[int]
    what: bytes
    """(k, dim) float32 little-endian, like the next columns the state that is restored."""
    value: bytes
    pi: bytes
    tau: bytes
    spent: bytes
    spent_at: bytes
    """(k,) float64 little-endian."""
    updated: bytes
    """(k,) float64 little-endian."""
    superseded_by: list[int]
    key: int = 0
    """The memory that holds the evidence's text, 0 where it was deleted before."""
    evidence: bytes = b""
    """(k,) int32 little-endian; this and what follows are empty in older logs, which kept them."""
    when: bytes = b""
    """(k,) float64 little-endian."""
    until: bytes = b""
    """(k,) float64 little-endian, infinity for none."""
    edge: bytes = b""
    """(k,) float32 little-endian."""


class Outcome(Event, frozen=True, kw_only=True, tag="outcome"):
    """Memories were used, and it was of use or not."""

    keys: list[int]
    signal: float
    """In [0, 1]: 0 a failure, 1 a full success."""
    weight: float = 1.0
    source: str = ""
    """Who says so."""
    moment: float | None = None
    """Seconds of the store's clock; None: `at`."""


class Rated(Event, frozen=True, kw_only=True, tag="rated"):
    """Memories were judged: their importance is the rating, which is evidence too."""

    keys: list[int]
    rating: float
    """In [0, 1]."""
    weight: float = 1.0
    source: str = ""
    moment: float | None = None


class Rescored(Rated, frozen=True, kw_only=True, tag="rescored"):
    """Memories were judged anew; nothing of the earlier evidence is taken away."""


class Configured(Event, frozen=True, kw_only=True, tag="configured"):
    """The laws by which outcomes change memories, from here on. A log without it has the defaults."""

    law: str = "fsrs-6"
    """"fsrs-6", "fsrs-5" or "survey"."""
    weights: tuple[float, ...] = ()
    """The law's parameters; none: its published ones."""
    wanted: float = 0.9
    """Retrievability at which a memory is due."""
    thresholds: tuple[float, float, float, float] = (0.0, 1 / 3, 2 / 3, 1.0)
    """Signals of Again, Hard, Good and Easy."""
    same_day: float = 1.0
    most: float = 36500.0
    """Cap of stability, in days."""
    keep: float = 1.0
    """What an outcome leaves of the evidence before it."""
    quarantined: tuple[str, ...] = ()
    """Sources whose memories answer only who asks for them."""


class Outcomes(Event, frozen=True, kw_only=True, tag="outcomes"):
    """Many outcomes in the place of the last of them, none left out. Written by compaction."""

    keys: list[int]
    """Memories, rising."""
    which: bytes
    """int32 little-endian, one per outcome, like the next columns: place in `keys`."""
    signals: bytes
    """float64 little-endian, like `weights`, `moments` and `times`."""
    weights: bytes
    moments: bytes
    times: bytes
    """When each was recorded: `at` of its event."""
    seqs: bytes
    """int64 little-endian: sequence number of its event."""
    by: bytes
    """int32 little-endian: place of its source in `sources`."""
    sources: list[str]


class Summarised(Event, frozen=True, kw_only=True, tag="summarised"):
    """What many outcomes came to. Compaction puts it in the place of the last of them, and an import tells it so."""

    keys: list[int]
    """Memories, rising."""
    counts: list[int]
    """How many outcomes of each were dropped."""
    good: bytes
    """float64 little-endian, one per key, like the next columns: evidence for, that they brought."""
    bad: bytes
    stability: bytes
    """What they left behind, like the next columns."""
    difficulty: bytes
    reviewed: bytes
    updated: bytes
    source: str = ""
    """Where it was imported from, where it was not compaction that wrote it."""


class PeerMerged(Event, frozen=True, kw_only=True, tag="peer_merged"):
    """What another store knows of memories that both have was taken over, as far as it is trusted."""

    peer: str
    """Who it is from."""
    upto: int
    """Its last event: of two of a peer's views, the one with the higher number is the newer."""
    trust: float
    keys: list[int]
    """Memories, rising."""
    good: bytes
    """float64 little-endian, one per key, like the next columns: all that this peer's evidence counts for."""
    bad: bytes
    good_step: bytes
    """What is added to the evidence: the difference to what the peer's counted for before."""
    bad_step: bytes
    stability: bytes
    """Least stability in days."""
    moment: float | None = None


class Condensed(Event, frozen=True, kw_only=True, tag="condensed"):
    """A memory is the summary or abstract of others: it is no answer by itself, but a way to them."""

    keys: list[int]
    """The summary and those that it is of, rising."""
    into: int
    """The summary."""


class Void(Event, frozen=True, kw_only=True, tag="void"):
    """The place of an event that compaction has moved into another, or that a purge has emptied."""


class Purged(Event, frozen=True, kw_only=True, tag="purged"):
    """Memories were removed for good: no other event names them, and nothing that they said is left.

    With it their keys are never used again, and their ids still have a history, which is this.
    """

    keys: list[int]
    """Memories, rising."""
    ids: bytes
    """Their ids, 16 bytes each."""
    spaces: list[int]
    """Numbers of their namespaces."""


class Session(Event, frozen=True, kw_only=True, tag="session"):
    """The store's clock of active time was started or stopped."""

    active: float
    """Active seconds so far."""
    running: bool


class Related(Event, frozen=True, kw_only=True, tag="related"):
    """Edges that the rule made when memories were written, with their class values ("Caching for the Future", 3.4).

    It is no event of any one memory's history: `touched` names none.
    """

    sources: bytes
    """Keys, int64 little-endian."""
    targets: bytes
    """Keys, int64 little-endian, one per source."""
    classes: bytes
    """uint8, one per source: index into `links.CLASSES`."""
    values: bytes
    """float32 little-endian in (0, 1], one per source: e_S, e_C or e_T."""
    fresh: list[int] = msgspec.field(default_factory=list)
    """Memories whose edges by rule end first, because their text or context is another now."""


class Linked(Event, frozen=True, kw_only=True, tag="linked"):
    """An edge by hand."""

    keys: list[int]
    """The two memories."""
    weight: float
    """In (0, 1]."""
    kind: str = "related"
    """What the edge means, in the user's word."""


class Unlinked(Event, frozen=True, kw_only=True, tag="unlinked"):
    """All edges between two memories ended, those by rule too."""

    keys: list[int]


class Pruned(Event, frozen=True, kw_only=True, tag="pruned"):
    """Memories were put aside by consolidation: no search sees them until they are restored."""

    keys: list[int]
    utilities: list[float]
    """U of each when it was decided."""
    support: list[float]
    """Phi of each when it was decided: the sum of e U over its neighbours."""
    least_utility: float
    least_support: float
    reason: str = ""


class Restored(Event, frozen=True, kw_only=True, tag="restored"):
    """Memories that were put aside are back."""

    keys: list[int]


class TaxonomySet(Event, frozen=True, kw_only=True, tag="taxonomy"):
    """What a label of the taxonomy means in this store from now on."""

    label: str
    pi: float
    tau: float
    """Seconds."""


class Fitted(Event, frozen=True, kw_only=True, tag="fitted"):
    """The perishability head was fitted to what the store has seen; no bytes: the shipped head is in force again."""

    name: str = ""
    head: bytes = b""
    """The head's file (.npz)."""
    observations: int = 0
    before: float = 0.0
    """Mean log-likelihood of the held-out observations by the head before."""
    after: float = 0.0


class Relabelled(Event, frozen=True, kw_only=True, tag="relabelled"):
    """Perishability of memories by another head. Float32 and int8, little-endian, one number per key."""

    keys: list[int]
    pi: bytes
    tau: bytes
    """Seconds."""
    shape: bytes
    label: bytes
    """Places in the taxonomy."""


AnyEvent: TypeAlias = (
    ContextSeen
    | NamespaceSeen
    | Learned
    | Reinforced
    | Updated
    | Forgotten
    | Integrated
    | Undone
    | Outcome
    | Rated
    | Rescored
    | Configured
    | Session
    | Related
    | Linked
    | Unlinked
    | Pruned
    | Restored
    | TaxonomySet
    | Fitted
    | Relabelled
    | Outcomes
    | Summarised
    | Void
    | Condensed
    | PeerMerged
    | Purged
)
"""The union that the log decodes."""


class Recorded(msgspec.Struct, frozen=True):
    """An event with its place in the log."""

    seq: int
    """Sequence number, from 1, without gaps."""
    event: AnyEvent


class Batch(msgspec.Struct, frozen=True):
    """A stretch of the log: what a fold consumes at once."""

    after: int
    """The state before it is the fold of events 1..after."""
    upto: int
    """The state behind it is the fold of events 1..upto."""
    seqs: list[int]
    """Sequence number of each event; (after, upto] without those whose bytes are damaged."""
    events: list[AnyEvent]
    damaged: list[int] = msgspec.field(default_factory=list)
    """Sequence numbers in (after, upto] whose stored bytes do not match their checksum."""


def touched(event: AnyEvent) -> Sequence[int]:
    """Keys of the memories that an event is about: the index behind `history`.

    >>> touched(Forgotten(at=0.0, keys=[3, 4]))
    [3, 4]
    >>> touched(ContextSeen(at=0.0, context=0, text="desk", vector=b""))
    ()
    """
    if isinstance(event, Integrated):
        return sorted({event.key, *event.keys, *event.superseded})
    if isinstance(event, Undone) and event.key:
        return sorted({event.key, *event.keys})
    keys = getattr(event, "keys", None)
    if keys is not None:
        return cast("Sequence[int]", keys)
    key = getattr(event, "key", None)
    return () if key is None else (key,)
