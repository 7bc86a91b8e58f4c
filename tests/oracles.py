"""Each kernel in a few lines of plain NumPy float64: what the native code must agree with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def dot(rows: F64, query: F64) -> F64:
    return rows.astype(np.float64) @ query.astype(np.float64)


def utility(value: F64, pi: F64, tau: F64, when: F64, now: float) -> F64:
    age = np.maximum(0.0, now - when)
    return value.astype(np.float64) * np.exp(-pi.astype(np.float64) * age / tau.astype(np.float64))


def factors(queries: F64, what: F64, weights: F64, **data: F64 | None) -> F64:
    """(q, n, 8) terms of the score: weight times factor, 0 where the weight is 0 or the data are absent."""
    out = np.zeros((len(queries), len(what), 8))
    get = data.get
    contexts, where, at, now = get("contexts"), get("where"), get("where_index"), get("now")
    out[..., 0] = queries.astype(np.float64) @ what.astype(np.float64).T
    if contexts is not None and where is not None:
        cosines = contexts.astype(np.float64) @ where.astype(np.float64).T
        out[..., 1] = cosines if at is None else np.where(at >= 0, np.pad(cosines, ((0, 0), (0, 1)))[:, at], 0.0)
    if get("utility") is not None:
        out[..., 2] = data["utility"]
    elif get("value") is not None:
        age = np.maximum(0.0, now[:, None] - data["when"])
        x = data["pi"].astype(np.float64) * age / data["tau"]
        out[..., 2] = data["value"] * np.exp(-(x if get("shape") is None else x ** data["shape"].astype(np.float64)))
    names = ("graph", "usefulness", "retrievability", "importance", "exploration")
    for f, name in enumerate(names, start=3):
        if get(name) is not None:
            out[..., f] = data[name]
    return np.where(weights[:, None, :] == 0.0, 0.0, out * weights[:, None, :])


def rank(queries: F64, what: F64, weights: F64, k: int, **data: F64 | None) -> tuple[F64, F64, F64]:
    """Brute force: sort by score descending, then row ascending; NaN, dead and unpicked rows never rank."""
    live, rows = data.pop("live", None), data.pop("rows", None)
    scores = factors(queries, what, weights, **data).sum(axis=-1)
    allowed = np.zeros(len(what), bool)
    allowed[slice(None) if rows is None else rows] = True
    if live is not None:
        bits = live if live.dtype == bool else np.unpackbits(live, bitorder="little")[: len(what)].astype(bool)
        allowed &= bits
    ranked = [[i for i in np.argsort(-s, kind="stable") if allowed[i] and not np.isnan(s[i])][:k] for s in scores]
    width = min(k, len(what) if rows is None else len(rows))
    padded = np.array([r + [-1] * (width - len(r)) for r in ranked], np.int64).reshape(len(queries), width)
    best = np.where(padded < 0, -np.inf, np.take_along_axis(scores, np.maximum(padded, 0), axis=1))
    return padded, best, np.array([len(r) for r in ranked], np.int64)


def hop(offsets: F64, targets: F64, weights: F64, x: F64) -> F64:
    sources = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(sources, weights.astype(np.float64) * x.astype(np.float64)[targets], len(offsets) - 1)


def strongest(offsets: F64, targets: F64, weights: F64, x: F64, weighted: bool) -> F64:
    out = np.zeros(len(offsets) - 1)
    for i in range(len(out)):
        edges = slice(offsets[i], offsets[i + 1])
        messages = x[targets[edges]] * (weights[edges] if weighted else np.float32(1))
        messages = messages[~np.isnan(messages)]
        out[i] = messages.max() if len(messages) else 0.0
    return out


def edge_weights(
    i: F64,
    j: F64,
    what: F64,
    where: F64,
    when: F64,
    shares: tuple[float, ...],
    least: float,
    rate: float,
    window: float,
) -> F64:
    what, where = what.astype(np.float64), where.astype(np.float64)
    e_s = np.clip((what[i] * what[j]).sum(1), -1, 1)
    e_c = np.clip((where[i] * where[j]).sum(1), -1, 1)
    apart = np.abs(when[i] - when[j])
    e_t = np.where(apart < window, np.exp(-rate * np.minimum(apart, window)), 0)
    return shares[0] * e_s * (e_s >= least) + shares[1] * e_c * (e_c >= least) + shares[2] * e_t


def affinity(what: F64, vector: F64, theta: float) -> F64:
    rho = np.clip(what.astype(np.float64) @ vector.astype(np.float64), -1, 1)
    return np.where(rho > theta, np.clip((rho - theta) / (1 - theta), 0, 1), 0)


def rci(
    what: F64,
    value: F64,
    pi: F64,
    tau: F64,
    vector: F64,
    a: F64,
    steps: tuple[float, ...],
    limits: tuple[float, ...],
) -> tuple[F64, F64, F64, F64]:
    what, value, pi, tau = (x.astype(np.float64) for x in (what, value, pi, tau))
    moved = what + (steps[3] * a)[:, None] * (vector.astype(np.float64) - what)
    norm = np.linalg.norm(moved, axis=1, keepdims=True)
    return (
        np.where((a[:, None] > 0) & (norm >= 1e-6), moved / np.maximum(norm, 1e-6), what),
        np.where(a > 0, np.maximum(0, value + a * steps[0]), value),
        np.where(a > 0, np.clip(pi + a * steps[1], np.minimum(pi, 1e-3), 1), pi),
        np.where(a > 0, np.clip(tau * np.maximum(0.1, 1 + a * steps[2]), *limits), tau),
    )
