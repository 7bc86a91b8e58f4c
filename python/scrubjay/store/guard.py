"""The last check before an event is written: what is in the log can always be folded.

A table of {event type: check}. Arguments of public verbs are checked by the facade, with better words; these rules hold
for every writer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from msgspec import UNSET

from scrubjay.errors import ArgumentError, DimensionError, shown
from scrubjay.events import (
    AnyEvent,
    Condensed,
    Configured,
    ContextSeen,
    Fitted,
    Forgotten,
    Integrated,
    Learned,
    Linked,
    NamespaceSeen,
    Outcome,
    Outcomes,
    PeerMerged,
    Pruned,
    Purged,
    Rated,
    Reinforced,
    Relabelled,
    Related,
    Rescored,
    Restored,
    Session,
    Summarised,
    TaxonomySet,
    Undone,
    Unlinked,
    Updated,
    Void,
    touched,
)
from scrubjay.links import CLASSES
from scrubjay.memory import LABELS, Perishability

_MAX_KEY: Final = (1 << 63) - 1
_MAX_NUMBER: Final = (1 << 31) - 1
_MAX_FLOAT: Final = float(np.finfo(np.float32).max)
_MAX_HEAD: Final = 4 << 20
_NORM_SLACK: Final = 1e-3
_MOST_PASSAGES: Final = 1 << 16
_LEAST_WEIGHT: Final = 1e-6
_MOST_WEIGHT: Final = 1e6
LAWS: Final = {"fsrs-6": 21, "fsrs-5": 19, "survey": 8}
"""Laws that a log may name, and how many parameters each has."""


def check(events: Sequence[AnyEvent], dim: int) -> None:
    """Raises ArgumentError or DimensionError at an event that must not be written."""
    runs: dict[type, list[AnyEvent]] = {}
    for event in events:
        runs.setdefault(type(event), []).append(event)
    for kind, run in runs.items():
        rule = CHECKS.get(kind)
        if rule is None:
            raise ArgumentError(f"{kind.__name__} is no event that this version writes")
        rule(run, dim)


def check_references(
    events: Sequence[AnyEvent], next_numbers: tuple[int, int, int], living: Callable[[Sequence[int]], set[int]]
) -> tuple[int, int, int]:
    """New numbers continue the old ones, and what events refer to is there; returns the numbers that come next.

    `next_numbers` are the first unused key, context and namespace, `living(keys)` the ones of living memories.
    """
    key, context, space = next_numbers
    mentioned = {k for e in events if not isinstance(e, Learned | Purged) for k in touched(e)}
    there = living(sorted(mentioned)) if mentioned else set()
    for e in events:
        if isinstance(e, Learned):
            _need(e.key >= key, f"a new key must be at least {key}", e.key)
            _need(e.space < space, "the namespace must have been seen", e.space)
            _need(e.context < context, "the context must have been seen", e.context)
            key = e.key + 1
            if mentioned:
                there.add(e.key)
            continue
        if isinstance(e, Purged):
            # they are not there; in a copy of a part of a log not even their numbers are used up
            key = max([key, *(k + 1 for k in e.keys[-1:])])
            continue
        for k in touched(e):
            if k not in there:
                raise ArgumentError(f"event refused: {type(e).__name__} names memory {k}, which is not there")
        if isinstance(e, Forgotten):
            there.difference_update(e.keys)
        elif isinstance(e, ContextSeen):
            _need(e.context == context, f"the next context is {context}", e.context)
            context += 1
        elif isinstance(e, NamespaceSeen):
            _need(e.space == space, f"the next namespace is {space}", e.space)
            space += 1
        elif isinstance(e, Updated) and e.context is not UNSET:
            _need(e.context < context, "the context must have been seen", e.context)
    return key, context, space


def check_vectors(vectors: Iterable[bytes], dim: int) -> None:
    """Each of dim float32, finite, of unit norm or all zeros."""
    held = list(vectors)
    for vector in held:
        if len(vector) != 4 * dim:
            raise DimensionError(f"vector has {len(vector) / 4:g} numbers, the store's have {dim}")
    if not held:
        return
    # in slices: a long import must not hold a second copy of all its vectors
    for start in range(0, len(held), 1024):
        part = np.frombuffer(b"".join(held[start : start + 1024]), "<f4").reshape(-1, dim)
        norms = np.einsum("ij,ij->i", part, part, dtype=np.float64)
        good = (norms == 0.0) | (np.abs(norms - 1.0) <= 2 * _NORM_SLACK)
        if not good.all():
            at = int(np.argmin(good))
            raise ArgumentError(
                f"vector {start + at} has norm {math.sqrt(norms[at])}: it must be finite and of unit norm"
            )


def _need(ok: bool, what: str, value: object) -> None:
    if not ok:
        raise ArgumentError(f"event refused: {what}, got {shown(value)}")


def _finite(name: str, *values: float) -> None:
    for value in values:
        if not math.isfinite(value):
            raise ArgumentError(f"event refused: {name} must be finite, got {shown(value)}")


def _scalar(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ArgumentError(f"event refused: {name} must be in [{low:g}, {high:g}], got {shown(value)}")


def _perishability(p: Perishability) -> None:
    if p.label not in LABELS:
        raise ArgumentError(f"event refused: label must be one of {LABELS}, got {shown(p.label)}")
    # the smallest normal float32: pi, tau and shape stay above zero in the columns
    _scalar("pi", p.pi, 1.2e-38, 1.0)
    _scalar("tau", p.tau, 1.2e-38, _MAX_FLOAT)
    _scalar("shape", p.shape, 1.2e-38, _MAX_FLOAT)
    if p.said is not None:
        _need(p.said.label in LABELS, f"said.label must be one of {LABELS}", p.said.label)
        _scalar("said.pi", p.said.pi, 1.2e-38, 1.0)
        _scalar("said.tau", p.said.tau, 1.2e-38, _MAX_FLOAT)


def _learned(events: list[Learned], dim: int) -> None:
    for e in events:
        _finite("at", e.at, e.when)
        _scalar("key", e.key, 1, _MAX_KEY)
        _scalar("space", e.space, 0, _MAX_NUMBER)
        _scalar("context", e.context, -1, _MAX_NUMBER)
        _scalar("value", e.value, 0.0, _MAX_FLOAT)
        _scalar("importance", e.importance, 0.0, 1.0)
        if e.moment is not None:
            _finite("moment", e.moment)
        if len(e.id) != 16 or len(e.dedupe) != 16:
            raise ArgumentError("event refused: id and dedupe must be 16 bytes each")
        _perishability(e.perishability)
        _end(e.until, e.edge)
        _need(isinstance(e.text, str), "text must be a string", e.text)
        _need(isinstance(e.caller, str), "caller must be a string", e.caller)
        _passages(e.spans, e.passages, len(e.text), dim)
    check_vectors((e.vector for e in events), dim)


def _passages(spans: bytes, vectors: bytes, length: int, dim: int) -> None:
    """Spans that rise within a text of `length` characters, and a vector for each."""
    _need(len(spans) % 8 == 0 and len(spans) <= 8 * _MOST_PASSAGES, "spans must be pairs of int32", len(spans))
    count = len(spans) // 8
    _need(len(vectors) == 4 * dim * count, "passages must have one vector per span", len(vectors))
    if count:
        places = np.frombuffer(spans, "<i4")
        _need(bool((np.diff(places) >= 0).all() and (places[::2] < places[1::2]).all()), "spans must rise", count)
        _need(places[0] >= 0 and places[-1] <= length, "spans must lie within the text", int(places[-1]))
        check_vectors((vectors[4 * dim * i : 4 * dim * (i + 1)] for i in range(count)), dim)


def _contexts(events: list[ContextSeen], dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _scalar("context", e.context, 0, _MAX_NUMBER)
    check_vectors((e.vector for e in events), dim)


def _namespaces(events: list[NamespaceSeen], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _scalar("space", e.space, 0, _MAX_NUMBER)
        _need(all(isinstance(label, str) for label in e.labels), "labels must be strings", e.labels)


def _reinforced(events: list[Reinforced], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _scalar("count", e.count, 1, _MAX_NUMBER)
        if e.when is not None:
            _finite("when", e.when)
        _end(e.until, e.edge)


def _end(until: float | None, edge: float) -> None:
    _finite("until", 0.0 if until is None else until)
    _scalar("edge", edge, 0.0, _MAX_FLOAT)


def _updated(events: list[Updated], dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        if e.when is not UNSET:
            _finite("when", e.when)
        if e.value is not UNSET:
            _scalar("value", e.value, 0.0, _MAX_FLOAT)
        if e.context is not UNSET:
            _scalar("context", e.context, -1, _MAX_NUMBER)
        if e.dedupe is not UNSET:
            _need(len(e.dedupe) == 16, "dedupe must be 16 bytes", len(e.dedupe))
        if e.perishability is not UNSET:
            _perishability(e.perishability)
        _end(None if e.until is UNSET else e.until, e.edge)
        _need((e.spans is UNSET) == (e.passages is UNSET), "spans and passages come together", e.key)
        if e.spans is not UNSET and e.passages is not UNSET:
            _passages(e.spans, e.passages, _MAX_NUMBER if e.text is UNSET else len(e.text), dim)
    check_vectors((e.vector for e in events if e.vector is not UNSET), dim)


def _forgotten(events: list[Forgotten], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _need(len(set(e.keys)) == len(e.keys), "keys must be distinct", len(e.keys))


def _numbers(name: str, held: bytes, kind: str, count: int) -> np.ndarray[Any, np.dtype[np.floating[Any]]]:
    _need(len(held) == count * np.dtype(kind).itemsize, f"{name} must have one number per key", len(held))
    numbers = np.frombuffer(held, kind)
    _need(bool(np.isfinite(numbers).all()), f"{name} must be finite", name)
    return numbers


def _rising(keys: list[int]) -> None:
    _need(all(a < b for a, b in pairwise(keys)), "keys must rise", len(keys))


def _integrated(events: list[Integrated], dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _rising(e.keys)
        a = _numbers("affinities", e.affinities, "<f4", len(e.keys))
        _need(bool(((a > 0) & (a <= 1)).all()), "affinities must be in (0, 1]", len(a))
        _finite("a step", e.value_step, e.pi_step, e.tau_step)
        _scalar("what_step", e.what_step, 0.0, 1.0)
        _scalar("pi_floor", e.pi_floor, 1.2e-38, 1.0)
        _scalar("tau_low", e.tau_low, 1.2e-38, e.tau_high)
        _scalar("tau_high", e.tau_high, e.tau_low, _MAX_FLOAT)
        _scalar("window", e.window, 0.0, _MAX_FLOAT)
        _need(e.key not in e.keys and e.key not in e.superseded, "evidence must not reach itself", e.key)
    check_vectors((e.vector for e in events), dim)


def _undone(events: list[Undone], dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _scalar("target", e.target, 1, _MAX_KEY)
        _scalar("key", e.key, 0, _MAX_KEY)
        _rising(e.keys)
        k = len(e.keys)
        _need(len(e.superseded_by) == k, "superseded_by must have one number per key", len(e.superseded_by))
        _numbers("what", e.what, "<f4", k * dim)
        for name in ("value", "pi", "tau", "spent"):
            _numbers(name, getattr(e, name), "<f4", k)
        for name in ("spent_at", "updated", *(("when",) if e.when else ())):
            _numbers(name, getattr(e, name), "<f8", k)
        for name, size in (("until", 8), ("edge", 4)):
            held = getattr(e, name)
            _need(not held or len(held) == size * k, f"{name} must have one number per key", len(held))
        if e.evidence:
            _need(len(e.evidence) == 4 * k, "evidence must have one number per key", len(e.evidence))


def _said(signal: float, weight: float, keys: list[int], at: float, moment: float | None) -> None:
    _finite("at", at, 0.0 if moment is None else moment)
    _scalar("signal", signal, 0.0, 1.0)
    _scalar("weight", weight, _LEAST_WEIGHT, _MOST_WEIGHT)
    _need(len(set(keys)) == len(keys), "keys must be distinct", len(keys))


def _outcome(events: list[Outcome], _dim: int) -> None:
    for e in events:
        _said(e.signal, e.weight, e.keys, e.at, e.moment)


def _rated(events: list[Rated], _dim: int) -> None:
    for e in events:
        _said(e.rating, e.weight, e.keys, e.at, e.moment)


def _configured(events: list[Configured], _dim: int) -> None:
    for e in events:
        _finite("a parameter", e.at, *e.weights)
        _need(e.law in LAWS, f"law must be one of {', '.join(LAWS)}", e.law)
        _need(len(e.weights) in (0, LAWS[e.law]), f"{e.law} has {LAWS[e.law]} weights", len(e.weights))
        _scalar("wanted", e.wanted, 0.01, 0.999)
        _scalar("same_day", e.same_day, 0.0, 1e6)
        _scalar("most", e.most, 1.0, 1e9)
        _scalar("keep", e.keep, 1e-9, 1.0)
        _need(all(e.quarantined), "a source in quarantine needs a name", e.quarantined)
        low, *middle, high = e.thresholds
        rising = all(x < y for x, y in pairwise(e.thresholds))
        _need(
            (low, high) == (0.0, 1.0) and len(middle) == 2 and rising, "thresholds must rise from 0 to 1", e.thresholds
        )


def _session(events: list[Session], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _scalar("active", e.active, 0.0, _MAX_FLOAT)


def _related(events: list[Related], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        count = len(e.classes)
        for name in ("sources", "targets"):
            held = getattr(e, name)
            _need(len(held) == 8 * count, f"{name} must have one key per class", len(held))
            _need(bool((np.frombuffer(held, "<i8") > 0).all()), f"{name} must be keys", name)
        _need(all(c < len(CLASSES) for c in e.classes), f"classes must be below {len(CLASSES)}", count)
        values = _numbers("values", e.values, "<f4", count)
        _need(bool(((values > 0) & (values <= 1)).all()), "values must be in (0, 1]", count)
        _need(e.sources != e.targets or not count, "an edge needs two memories", count)
        _need(all(key > 0 for key in e.fresh), "fresh must be keys", len(e.fresh))


def _pair(events: list[Linked] | list[Unlinked], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _need(len(e.keys) == 2 and e.keys[0] != e.keys[1], "an edge has two memories", e.keys)
        if isinstance(e, Linked):
            _scalar("weight", e.weight, 1e-6, 1.0)
            _need(0 < len(e.kind) <= 64, "kind must have 1 to 64 characters", len(e.kind))


def _pruned(events: list[Pruned], _dim: int) -> None:
    for e in events:
        _finite("at", e.at, e.least_utility, e.least_support, *e.utilities, *e.support)
        _rising(e.keys)
        _need(len(e.keys) == len(e.utilities) == len(e.support), "one utility and support per key", len(e.keys))


def _restored(events: list[Restored], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _rising(e.keys)


def _taxonomy(events: list[TaxonomySet], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _perishability(Perishability(label=e.label, pi=e.pi, tau=e.tau))


def _outcomes(events: list[Outcomes], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _rising(e.keys)
        n = len(e.which) // 4
        signals, weights = _numbers("signals", e.signals, "<f8", n), _numbers("weights", e.weights, "<f8", n)
        _need(bool(((signals >= 0) & (signals <= 1)).all()), "signals must be in [0, 1]", n)
        _need(bool(((weights >= _LEAST_WEIGHT) & (weights <= _MOST_WEIGHT)).all()), "weights are out of range", n)
        for name in ("moments", "times"):
            _numbers(name, getattr(e, name), "<f8", n)
        _numbers("seqs", e.seqs, "<i8", n)
        for name, held, bound in (("which", e.which, len(e.keys)), ("by", e.by, len(e.sources))):
            places = _numbers(name, held, "<i4", n)
            _need(bool(((places >= 0) & (places < bound)).all()), f"{name} must be places", n)


def _summarised(events: list[Summarised], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _rising(e.keys)
        k = len(e.keys)
        _need(len(e.counts) == k and all(count > 0 for count in e.counts), "counts must be one per key", len(e.counts))
        held = {
            name: _numbers(name, getattr(e, name), "<f8", k)
            for name in ("good", "bad", "stability", "difficulty", "reviewed", "updated")
        }
        _need(bool((held["good"] >= 0).all() and (held["bad"] >= 0).all()), "evidence must be >= 0", k)
        _need(bool((held["stability"] > 0).all()), "stability must be > 0", k)
        d = held["difficulty"]
        _need(bool(((d >= 1) & (d <= 10)).all()), "difficulty must be in [1, 10]", k)


def _peer_merged(events: list[PeerMerged], _dim: int) -> None:
    for e in events:
        _finite("at", e.at, 0.0 if e.moment is None else e.moment)
        _need(0 < len(e.peer) <= 256, "peer must have 1 to 256 characters", len(e.peer))
        _scalar("upto", e.upto, 0, _MAX_KEY)
        _scalar("trust", e.trust, 0.0, 1.0)
        _rising(e.keys)
        for name in ("good", "bad", "stability"):
            _need(bool((_numbers(name, getattr(e, name), "<f8", len(e.keys)) >= 0).all()), f"{name} must be >= 0", name)
        for name in ("good_step", "bad_step"):
            _numbers(name, getattr(e, name), "<f8", len(e.keys))


def _condensed(events: list[Condensed], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _rising(e.keys)
        _need(e.into in e.keys and len(e.keys) > 1, "a summary must be among its keys and have others", e.into)


def _void(events: list[Void], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)


def _purged(events: list[Purged], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _rising(e.keys)
        k = len(e.keys)
        _need(len(e.ids) == 16 * k and len(e.spaces) == k, "one id and namespace per key", k)


def _fitted(events: list[Fitted], _dim: int) -> None:
    for e in events:
        _finite("at", e.at, e.before, e.after)
        _need(len(e.head) <= _MAX_HEAD, f"a head must have at most {_MAX_HEAD} bytes", len(e.head))


def _relabelled(events: list[Relabelled], _dim: int) -> None:
    for e in events:
        _finite("at", e.at)
        _rising(e.keys)
        k = len(e.keys)
        pi, tau, shape = (_numbers(name, getattr(e, name), "<f4", k) for name in ("pi", "tau", "shape"))
        _need(bool(((pi > 0) & (pi <= 1) & (tau > 0) & (shape > 0)).all()), "pi, tau and shape are out of range", k)
        label = _numbers("label", e.label, "<i1", k)
        _need(bool(((label >= 0) & (label < len(LABELS))).all()), "label must be a place in the taxonomy", k)


CHECKS: Final[dict[type, Callable[[list[Any], int], None]]] = {
    ContextSeen: _contexts,
    NamespaceSeen: _namespaces,
    Learned: _learned,
    Reinforced: _reinforced,
    Updated: _updated,
    Forgotten: _forgotten,
    Integrated: _integrated,
    Undone: _undone,
    Outcome: _outcome,
    Rated: _rated,
    Rescored: _rated,
    Configured: _configured,
    Session: _session,
    Related: _related,
    Linked: _pair,
    Unlinked: _pair,
    Pruned: _pruned,
    Restored: _restored,
    TaxonomySet: _taxonomy,
    Fitted: _fitted,
    Relabelled: _relabelled,
    Outcomes: _outcomes,
    Summarised: _summarised,
    PeerMerged: _peer_merged,
    Condensed: _condensed,
    Void: _void,
    Purged: _purged,
}
"""Each event type with its check: a new event needs one row here."""
