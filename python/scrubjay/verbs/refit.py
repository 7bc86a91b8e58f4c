"""Fitting the perishability head to what the store has seen, and giving the memories that it decides their new values.

What was observed is `scrubjay.upkeep.survival`, how the head moves `scrubjay.encode.refit`; here the rows are gathered
and the result becomes events, all in one transaction: a crash leaves the old head or the new one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import BytesIO
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.columns import CURRENT, LIVE, Columns
from scrubjay.encode.curves import label_of, pi_tau, weibull
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.intake import check_flag, check_id
from scrubjay.encode.refit import HELD_OUT, LEAST, LIMIT, refit
from scrubjay.encode.validity import HEAD, Kept
from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError, ArgumentTypeError, MemoryNotFoundError, shown
from scrubjay.events import AnyEvent, Fitted, Relabelled
from scrubjay.memory import LABELS
from scrubjay.protocols import Progress
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.standing import SKEW
from scrubjay.sets import without
from scrubjay.slots.competition import Pairs, SlotModel
from scrubjay.upkeep.survival import SAME, of_chains, of_rivals, subjects
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.heard import stated

PROBES: Final = 4000
"""Memories whose rivals are looked for at most, an even sample (chosen)."""
RIVALS: Final = 12
"""Nearest memories among which a rival is looked for (chosen)."""
ROUNDING: Final = 1e-6
"""Share by which a horizon kept in single precision may differ from the head's own."""
CHUNK: Final = 8192
"""Memories that get new values per event."""


TOLD_LATE: Final = (
    "only what newer memories replaced was seen: that counts as ended when the newer was told, which may be long "
    "after, and the held-out part is of the same kind and cannot show it; give checks of a fair sample to be sure"
)


class PerishabilityFit(msgspec.Struct, frozen=True, kw_only=True):
    """What fitting the head came to."""

    improved: bool
    """False: nothing was changed."""
    observations: int
    """Memories whose end, or whose holding so far, the store has seen."""
    ended: int
    """Those of them that ended."""
    before: float
    """Mean log-likelihood of the held-out observations by the head as it was; NaN with too few of them."""
    after: float
    """The same by the fitted head."""
    error: float
    """Standard error of their difference."""
    relabelled: int
    """Memories that got new values."""
    why: str = ""
    """In words, why nothing was changed; "" where the head was improved on."""
    notes: tuple[str, ...] = ()
    """In words, what the figures cannot show."""


class Check(NamedTuple):
    """Somebody looked whether a memory held."""

    id: str
    at: float
    """When, in seconds."""
    holds: bool


def checked(given: object) -> list[Check] | None:
    """(id, time, whether it held) of each check, or what is wrong with one; None for none."""
    if given is None:
        return None
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        raise ArgumentTypeError(f"checks: expected a sequence of (id, when, holds), got {type(given).__name__}")
    out: list[Check] = []
    for i, one in enumerate(given):
        if isinstance(one, (str, bytes)) or not isinstance(one, Sequence) or len(one) != len(Check._fields):
            raise ArgumentTypeError(f"checks[{i}]: expected (id, when, holds), got {shown(one)}")
        id = check_id(one[0], argument=f"checks[{i}][0]")
        at = to_seconds(one[1], argument=f"checks[{i}][1]")
        out.append(Check(id, at, check_flag(one[2], argument=f"checks[{i}][2]")))
    return out


def fit(
    engine: Engine,
    *,
    now: float,
    checks: Sequence[Check] | None,
    seed: int,
    dry_run: bool,
    progress: Progress | None,
) -> PerishabilityFit:
    """See `facets.perishability`."""
    head = _head(engine)
    engine.refresh()
    seen = _observations(engine, now, seed) if checks is None else _checks(engine, checks)
    keys, seconds, ended, since, ties = seen
    texts, what = _texts_of(engine, keys)
    there = np.array([text is not None for text in texts], bool)
    words = [text for text in texts if text is not None]
    paced = checks is not None
    found = refit(
        head,
        what[there],
        words,
        seconds[there],
        ended[there],
        since=since[there],
        pace=paced,
        subjects=subjects(keys[there].tolist(), words, ties),
        seed=seed,
    )
    result = PerishabilityFit(
        improved=found.improved,
        observations=int(there.sum()),
        ended=int(ended[there].sum()),
        before=found.before,
        after=found.after,
        error=found.error,
        relabelled=0,
        why="" if found.improved else _why(int(there.sum()), int(ended[there].sum()), found.before),
        notes=(TOLD_LATE,) if checks is None and there.any() else (),
    )
    if not found.improved or dry_run:
        return result
    data = BytesIO()
    found.head.write(data)
    event = Fitted(
        at=engine.clock(),
        name=found.head.name,
        head=data.getvalue(),
        observations=result.observations,
        before=found.before,
        after=found.after,
    )
    # as it will be read: half precision
    data.seek(0)
    count = _put(engine, head, PerishabilityHead.read(data), event, progress)
    return msgspec.structs.replace(result, relabelled=count)


def _why(observations: int, ended: int, before: float) -> str:
    if math.isnan(before):
        return (
            f"{observations} observations, of which {ended} ended, are too few to learn from and to hold some out: of "
            f"every {HELD_OUT} subjects one is held out, and {LEAST} held-out observations are needed, so that about "
            f"{HELD_OUT * LEAST} are the least"
        )
    return "the head as it is makes the held-out observations as likely"


def unfit(engine: Engine, progress: Progress | None) -> int:
    """Back to the shipped head; returns the number of memories that got new values."""
    head = _head(engine)
    engine.refresh()
    if not engine.columns.head:
        return 0
    shipped = engine.shipped
    assert isinstance(shipped, PerishabilityHead)
    return _put(engine, head, shipped, Fitted(at=engine.clock()), progress)


def _head(engine: Engine) -> PerishabilityHead:
    if not isinstance(engine.shipped, PerishabilityHead):
        raise ArgumentError(
            f"perishability: this store was opened with {shown(engine.shipped.name)}, which cannot be fitted; "
            "open it with the shipped head (perishability=None)"
        )
    engine.refresh()
    head = engine.perishability
    assert isinstance(head, PerishabilityHead)
    return head


class _Seen(NamedTuple):
    """n observations."""

    keys: NDArray[np.int64]
    seconds: NDArray[np.float64]
    ended: NDArray[np.bool_]
    since: NDArray[np.float64]
    """Seconds at which one that ended was last seen to hold; NaN where the time of its end is known."""
    ties: list[tuple[int, int]]
    """Keys of memories of which one took the other's place."""


def _checks(engine: Engine, checks: Sequence[Check]) -> _Seen:
    """What checks tell: a memory ended between the last that found it holding and the first after that which did not.
    One that was never found to hold was wrong from the start, and says nothing of how long such things last."""
    number = {id: engine.key_of(id, None) for id in dict.fromkeys(check.id for check in checks)}
    with engine.gate.reading():
        rows = engine.columns.rows(np.array(list(number.values()), np.int64))
        if (rows < 0).any():
            raise MemoryNotFoundError(f"id {shown(list(number)[int(np.argmin(rows))])}: no such memory")
        start = dict(zip(number, engine.columns.when[rows].tolist(), strict=True))
    told: dict[str, list[tuple[float, bool]]] = {id: [] for id in number}
    for i, check in enumerate(checks):
        age = check.at - start[check.id]
        if age < -SKEW:
            raise ArgumentError(
                f"checks[{i}]: it was looked at {-age:.0f} s before the memory's own time; give checks after that"
            )
        told[check.id].append((max(0.0, age), check.holds))
    held = {id: max((age for age, holds in some if holds), default=0.0) for id, some in told.items()}
    gone = {
        id: min((age for age, holds in some if not holds and age > held[id]), default=np.inf)
        for id, some in told.items()
    }
    ids = [id for id, some in told.items() if gone[id] < np.inf or any(holds for _, holds in some)]
    ended = np.array([gone[id] < np.inf for id in ids], bool)
    low = np.array([held[id] for id in ids], np.float64)
    high = np.array([gone[id] for id in ids], np.float64)
    keys = np.array([number[id] for id in ids], np.int64)
    return _Seen(keys, np.where(ended, high, low), ended, np.where(ended, low, np.nan), [])


def _observations(engine: Engine, now: float, seed: int) -> _Seen:
    """What integrations have replaced, and rivals of an even sample of the rest."""
    rng = np.random.default_rng(seed)
    with engine.gate.reading():
        columns = engine.columns
        gone = np.flatnonzero((columns.superseded_by != 0) & columns.live())
        chains = of_chains(gone, columns.rows(columns.superseded_by[gone]), columns.when, now)
        key = columns.key[chains.row]
        ties = list(zip(columns.key[gone].tolist(), columns.superseded_by[gone].tolist(), strict=True))
        rest = without(np.flatnonzero((columns.flags & (LIVE | CURRENT)) == (LIVE | CURRENT)), chains.row)
        probes = np.sort(rng.permutation(rest)[:PROBES])
        probe_keys, spaces = columns.key[probes], columns.space[probes].tolist()
    keys, seconds, ended = [key], [chains.seconds], [chains.ended]
    if engine.slots is not None:
        for space in sorted(set(spaces)):
            mine = probe_keys[[s == space for s in spaces]]
            found, tied = _rivals(engine, engine.slots, space, mine, now)
            ties += tied
            keys.append(np.array([k for k, _, _ in found], np.int64))
            seconds.append(np.array([s for _, s, _ in found], np.float64))
            ended.append(np.array([e for _, _, e in found], bool))
    every = np.concatenate(keys), np.concatenate(seconds), np.concatenate(ended)
    pick = np.sort(rng.permutation(every[0].size)[:LIMIT])
    return _Seen(every[0][pick], every[1][pick], every[2][pick], np.full(pick.size, np.nan), ties)


def _rivals(
    engine: Engine, slots: SlotModel, space: int, keys: NDArray[np.int64], now: float
) -> tuple[list[tuple[int, float, bool]], list[tuple[int, int]]]:
    """What memories of one namespace that resemble these show of how long they held, and which are of one subject."""
    out: list[tuple[int, float, bool]] = []
    ties: list[tuple[int, int]] = []
    weights = np.zeros(len(FACTORS))
    weights[0] = 1.0
    for start in range(0, len(keys), 256):
        with engine.gate.reading():
            columns = engine.columns
            rows = columns.rows(keys[start : start + 256])
            rows = rows[rows >= 0]
            scope = engine.scope_of(space)
            if not rows.size or scope.count < 2:
                continue
            near, _, counts = _core.rank(
                columns.vectors[rows],
                columns.what,
                np.tile(weights, (rows.size, 1)),
                min(RIVALS + 1, scope.count),
                live=scope.live,
                rows=scope.rows,
            )
            groups = [_group(columns, row, near[i, : counts[i]]) for i, row in enumerate(rows.tolist())]
        every = sorted({key for group, _, _ in groups for key in group})
        with engine.log.read() as view:
            found = view.rows(every)
        for group, vectors, when in groups:
            texts = [found[key].text if key in found else "" for key in group]
            same = Pairs(slots, texts, vectors).rows(np.array([0]))[0]
            seen = of_rivals(same, when, now)
            if seen is not None:
                out.append((group[0], *seen))
                ties += [(group[0], key) for key, p in zip(group, same.tolist(), strict=True) if p >= SAME]
    return out, ties


def _group(
    columns: Columns, row: int, near: NDArray[np.int64]
) -> tuple[list[int], NDArray[np.float32], NDArray[np.float64]]:
    rows = np.concatenate([[row], near[near != row]]).astype(np.int64)
    return columns.key[rows].tolist(), columns.vectors[rows], columns.when[rows]


def _texts_of(engine: Engine, keys: NDArray[np.int64]) -> tuple[list[str | None], NDArray[np.float32]]:
    out: list[str | None] = []
    what = np.zeros((len(keys), engine.columns.dim), np.float32)
    for start in range(0, len(keys), CHUNK):
        part = keys[start : start + CHUNK]
        with engine.log.read() as view:
            found = view.rows(part.tolist())
        with engine.gate.reading():
            rows = engine.columns.rows(part)
            good = np.flatnonzero(rows >= 0)
            what[start + good] = engine.columns.vectors[rows[good]]
        there = set(part[good].tolist())
        out += [found[key].text if key in found and key in there else None for key in part.tolist()]
    return out, what


def _put(
    engine: Engine, old: PerishabilityHead, new: PerishabilityHead, event: Fitted, progress: Progress | None
) -> int:
    """Record the head and what it says of every memory that a head has decided."""
    with engine.log.read() as view:
        base = view.seq
    engine.refresh()
    with engine.gate.reading():
        columns = engine.columns
        keys = columns.key[((columns.flags & LIVE) != 0) & (columns.origin == HEAD)]
    events: list[AnyEvent] = []
    for start in range(0, len(keys), CHUNK):
        events += _relabelled(engine, old, new, keys[start : start + CHUNK], event.at)
        if progress is not None:
            progress(min(start + CHUNK, len(keys)), len(keys))
    with engine.log.write() as tx:
        # what somebody else has changed since it was looked at is left as they have it
        other = tx.touched_since(base) if tx.seq > base else set()
        kept = [_without(e, other) for e in events if isinstance(e, Relabelled)]
        tx.append([event, *(e for e in kept if e.keys)])
    engine.refresh()
    return sum(len(e.keys) for e in kept)


def _relabelled(
    engine: Engine, old: PerishabilityHead, new: PerishabilityHead, keys: NDArray[np.int64], at: float
) -> list[AnyEvent]:
    with engine.log.read() as view:
        found = view.rows(keys.tolist())
    with engine.gate.reading():
        rows = engine.columns.rows(keys)
        there = (rows >= 0) & np.array([key in found for key in keys.tolist()], bool)
        keys, rows = keys[there], rows[there]
        kept = Kept.of(engine.columns, rows)
    if not len(keys):
        return []
    some = [found[key] for key in keys.tolist()]
    texts, contexts = [row.text for row in some], [row.context_text for row in some]
    kept = stated(engine, kept, texts)
    given = list(kept.said) if kept.said else None
    before, after = (
        weibull(head.curve(kept.what, texts, where=kept.where, contexts=contexts, given=given).mixture)
        for head in (old, new)
    )
    pi, tau = stretched(kept.tau / kept.pi, before.scale, after.scale)
    label = np.array([LABELS.index(label_of(p)) for p in pi.tolist()], np.int8)
    return [
        Relabelled(
            at=at,
            keys=keys.tolist(),
            pi=pi.astype("<f4").tobytes(),
            tau=tau.astype("<f4").tobytes(),
            shape=after.shape.astype("<f4").tobytes(),
            label=label.tobytes(),
        )
    ]


def stretched(
    kept: NDArray[np.float64], before: NDArray[np.float64], after: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(pi, tau) by a new head's scales, where the old head's have become `kept` (all in seconds).

    What has stretched the old scale stretches the new one. What differs by a rounding is the head's own, so that a head
    and back gives the same bits.

    >>> [x.tolist() for x in stretched(np.array([2e6, 1e6]), np.array([1e6, 1e6]), np.array([3e6, 3e6]))] == [
    ...     x.tolist() for x in pi_tau([6e6, 3e6])]
    True
    """
    stretch = kept / before
    return pi_tau(np.where(np.abs(stretch - 1.0) < ROUNDING, 1.0, stretch) * after)


def _without(event: Relabelled, keys: set[int]) -> Relabelled:
    if keys.isdisjoint(event.keys):
        return event
    keep = np.array([key not in keys for key in event.keys], bool)
    return msgspec.structs.replace(
        event,
        keys=[key for key in event.keys if key not in keys],
        **{name: np.frombuffer(getattr(event, name), "<f4")[keep].tobytes() for name in ("pi", "tau", "shape")},
        label=np.frombuffer(event.label, np.int8)[keep].tobytes(),
    )
