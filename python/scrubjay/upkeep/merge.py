"""Peers: what another store knows of the same memories, and how much of it counts.

A peer's file holds, for each memory of one of its namespaces, the evidence of its own outcomes and ratings (not what it
took from others), and its stability. Memories are the same where their digests are: the same text up to white space, or
the same key of the caller's. A digest is a claim: where it is of nothing known here and the file has the text, the
text counts, and what is added is added under its text alone. Merging with trust f:

    a += f good,  b += f bad,    f (good + bad) at most `Evidence.most_imported`, the mean kept
    S  = max(S, f min(S_peer, most)),   most: the store's own cap of stability

A peer's evidence is one total per memory, with the number of the peer's last event. A newer total takes the place of
the older one, an older one adds nothing, the same one again only counts where it is trusted more than before: so each
of the peer's events counts once, by the most trust it was given, in whatever order files are merged. Totals are whole
multiples of `channels.UNIT`, so that sums are exact and the order of peers makes no bit of difference.

Source: three-channel memory, sections 6.5 and 7.4. Chosen here: totals in place of events, caps and limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.dynamics.channels import UNIT
from scrubjay.dynamics.channels import counted as weighed
from scrubjay.dynamics.evidence import Evidence, imported
from scrubjay.errors import ArgumentError, shown
from scrubjay.events import AnyEvent, Configured, Outcome, Outcomes, PeerMerged, Rated, Summarised

FORMAT: Final = "scrubjay-peer-1"
MAX_BYTES: Final = 256 << 20
"""Largest file that is read."""
MAX_MEMORIES: Final = 1_000_000
MAX_NAME: Final = 256

_Natural = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
_Amount = Annotated[float, msgspec.Meta(ge=0)]


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a peer knows of one memory."""

    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    good: _Amount
    bad: _Amount
    stability: _Amount
    """Days."""
    text: str = ""
    """For a store that does not have it; may be left out."""
    when: float = 0.0


class PeerFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A peer's file."""

    format: str
    peer: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]
    """Identity of the store that wrote it."""
    upto: _Natural
    """Its last event."""
    memories: Annotated[list[Known], msgspec.Meta(max_length=MAX_MEMORIES)]


def read(data: bytes) -> PeerFile:
    """A peer's file from its bytes; ArgumentError for anything else.

    >>> read(b'{"format": "scrubjay-peer-1", "peer": "p", "upto": 3, "memories": []}').upto
    3
    """
    if len(data) > MAX_BYTES:
        raise ArgumentError(f"file: more than {MAX_BYTES:,} bytes; a peer's file is smaller")
    try:
        found = msgspec.json.decode(data, type=PeerFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ArgumentError(f"file: no peer's file: {error}") from error
    if found.format != FORMAT:
        raise ArgumentError(f"file: format {shown(found.format)}; this version reads {FORMAT!r}")
    seen: set[str] = set()
    for i, known in enumerate(found.memories):
        if not all(math.isfinite(x) for x in (known.good, known.bad, known.stability, known.when)):
            raise ArgumentError(f"file: memories[{i}] holds a number that is not finite")
        if known.digest in seen:
            raise ArgumentError(f"file: memories[{i}] is there twice")
        seen.add(known.digest)
    return found


class Counted(NamedTuple):
    """What a peer's view counts for."""

    good: NDArray[np.float64]
    bad: NDArray[np.float64]
    stability: NDArray[np.float64]
    capped: int
    """Memories whose evidence was above the cap."""


def counted(known: list[Known], trust: float, law: Evidence, most: float) -> Counted:
    """What is left of a peer's view by trust and caps.

    >>> told = counted([Known("0" * 32, 300.0, 100.0, 9.0)], 0.5, Evidence(), 36500.0)
    >>> told.good.tolist(), told.bad.tolist(), told.stability.tolist(), told.capped
    ([75.0], [25.0], [4.5], 1)
    """
    theirs = [np.array([getattr(k, name) for k in known], np.float64) for name in ("good", "bad", "stability")]
    none = np.zeros(len(known))
    # cut first, so that no sum overflows
    wide = [np.minimum(x, 1e150) for x in theirs[:2]]
    good, bad = imported(none, none, wide[0], wide[1], trust, law)
    return Counted(
        np.rint(good / UNIT) * UNIT,
        np.rint(bad / UNIT) * UNIT,
        trust * np.minimum(theirs[2], most),
        int(np.count_nonzero(trust * wide[0] + trust * wide[1] > law.most_imported)),
    )


class Before(NamedTuple):
    """What was merged of a peer into one memory before."""

    seen: Mapping[int, float] = MappingProxyType({})
    """The views that were merged, by their last event, with the most trust that each had."""
    good: float = 0.0
    bad: float = 0.0
    """What the newest of them counts for."""


def before(history: list[PeerMerged], peer: str, key: int) -> Before:
    """What earlier merges of a peer came to for a memory.

    >>> before([], "p", 1)
    Before(seen={}, good=0.0, bad=0.0)
    """
    seen: dict[int, float] = {}
    newest, good, bad = -1, 0.0, 0.0
    for event in history:
        if event.peer != peer or key not in event.keys:
            continue
        seen[event.upto] = max(event.trust, seen.get(event.upto, 0.0))
        if event.upto >= newest:
            place = event.keys.index(key)
            newest = event.upto
            good, bad = (float(np.frombuffer(held, "<f8")[place]) for held in (event.good, event.bad))
    return Before(seen, good, bad)


def own(events: Iterable[AnyEvent]) -> dict[int, tuple[float, float]]:
    """Evidence for and against each memory that a store's own outcomes and ratings have left, of a log in order.

    What peers brought and what a memory starts with are no part of it, so that it is right to pass on also where old
    evidence is forgotten.

    >>> from scrubjay.events import Outcome
    >>> own([Configured(at=0.0, keep=0.5), *[Outcome(at=1.0, keys=[7], signal=1.0)] * 3])
    {7: (1.75, 0.0)}
    """
    out: dict[int, tuple[float, float]] = {}
    keep = 1.0
    for event in events:
        if isinstance(event, Configured):
            keep = event.keep
        elif isinstance(event, Outcome | Rated):
            signal = event.signal if isinstance(event, Outcome) else event.rating
            _add(out, event.keys, [signal] * len(event.keys), [event.weight] * len(event.keys), keep)
        elif isinstance(event, Outcomes):
            which = np.frombuffer(event.which, "<i4").tolist()
            signals, weights = (np.frombuffer(held, "<f8").tolist() for held in (event.signals, event.weights))
            _add(out, [event.keys[place] for place in which], signals, weights, keep)
        elif isinstance(event, Summarised):
            brought = (np.frombuffer(held, "<f8").tolist() for held in (event.good, event.bad))
            for key, good, bad in zip(event.keys, *brought, strict=True):
                a, b = out.get(key, (0.0, 0.0))
                out[key] = (a + good, b + bad)
    return out


def _add(
    out: dict[int, tuple[float, float]],
    keys: Sequence[int],
    signals: Sequence[float],
    weights: Sequence[float],
    keep: float,
) -> None:
    """Take outcomes into account, one by one."""
    goods, bads = weighed(np.asarray(signals, np.float64), np.asarray(weights, np.float64))
    for key, good, bad in zip(keys, goods.tolist(), bads.tolist(), strict=True):
        a, b = out.get(key, (0.0, 0.0))
        out[key] = (keep * a + good, keep * b + bad)
