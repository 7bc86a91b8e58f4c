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
