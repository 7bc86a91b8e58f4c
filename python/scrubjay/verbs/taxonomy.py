"""What the labels of the taxonomy mean in a store, and the binding of memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.encode.perishability import FACTUAL, RANGES, RULES, check_perishability
from scrubjay.errors import ArgumentError, ArgumentTypeError, MemoryNotFoundError, shown
from scrubjay.events import TaxonomySet
from scrubjay.memory import LABELS, MAX_HORIZON, MIN_HORIZON, Origin, Perishability
from scrubjay.verbs.engine import Engine

_DEFAULTS = {rule.label: (rule.pi, rule.tau) for rule in (*RULES, FACTUAL)}


class Meaning(msgspec.Struct, frozen=True):
    """What a label stands for."""

    label: str
    pi: float
    """Perishability in [low, high]."""
    tau: float
    """Horizon in seconds."""
    low: float
    high: float
    edited: bool
    """True where the store's user changed it."""


def taxonomy(engine: Engine) -> dict[str, Meaning]:
    """Every label with its meaning."""
    engine.refresh()
    with engine.gate.reading():
        edited = dict(engine.columns.taxonomy)
    return {
        label: Meaning(label, *edited.get(label, _DEFAULTS[label]), *RANGES[label], label in edited) for label in LABELS
    }


def set_taxonomy(engine: Engine, label: object, *, pi: object, tau: object) -> Meaning:
    """Change a label's meaning."""
    if not isinstance(label, str) or label not in LABELS:
        raise ArgumentError(f"label: expected one of {', '.join(LABELS)}, got {shown(label)}")
    held = taxonomy(engine)[label]
    chosen = TaxonomySet(
        at=engine.clock(),
        label=label,
        pi=_within("pi", held.pi if pi is None else pi, held.low, held.high),
        tau=_within("tau", held.tau if tau is None else tau, MIN_HORIZON, MAX_HORIZON),
    )
    with engine.log.write() as tx:
        tx.append([chosen])
    return taxonomy(engine)[label]


def _within(name: str, value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentTypeError(f"{name}: expected a number, got {type(value).__name__}")
    if not low <= value <= high:
        raise ArgumentError(f"{name} = {shown(value)}: expected a number in [{low:g}, {high:g}]")
    return float(value)


def named(engine: Engine, given: Any) -> Any:
    """A label that a caller gave in place of a perishability, as this store means it; anything else as it is."""
    if isinstance(given, str) and given in engine.columns.taxonomy:
        pi, tau = engine.columns.taxonomy[given]
        return msgspec.structs.replace(check_perishability(given), pi=pi, tau=tau)
    return given


def meant(edited: Mapping[str, tuple[float, float]], p: Perishability) -> Perishability:
    """A value of the keyword rule as this store means its label."""
    if p.origin is not Origin.KEYWORDS or p.label not in edited:
        return p
    pi, tau = edited[p.label]
    return msgspec.structs.replace(p, pi=pi, tau=tau)


def binding(engine: Engine, ids: Sequence[str], namespace: tuple[str, ...] | None) -> NDArray[np.float32]:
    """(n, d) the bindings of memories."""
    engine.refresh()
    keys = [engine.key_of(id, namespace) for id in ids]
    with engine.gate.reading():
        columns = engine.columns
        rows = columns.rows(keys)
        if (rows < 0).any():
            raise MemoryNotFoundError(f"id {shown(ids[int(np.argmin(rows))])}: no such memory")
        what, where = columns.vectors[rows], columns.where(rows)
        when, tau = columns.when[rows], columns.tau[rows].astype(np.float64)
    return kernels.binding(what, where, when, tau)
