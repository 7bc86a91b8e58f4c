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


def shaped_utility(value: F64, pi: F64, tau: F64, when: F64, shape: F64, now: float) -> F64:
    x = pi.astype(np.float64) * np.maximum(0.0, now - when) / tau.astype(np.float64)
    return value.astype(np.float64) * np.exp(-(x ** shape.astype(np.float64)))


def retrievability(stability: F64, last: F64, now: float, curve: float, day: float) -> F64:
    age = np.maximum(0.0, now - last) / day
    return (1 + (0.9 ** (1 / curve) - 1) * age / stability.astype(np.float64)) ** curve


def beta_update(a: F64, b: F64, signal: F64, weight: F64, keep: float) -> tuple[F64, F64]:
    a, b, s, w = (np.asarray(x, np.float64) for x in (a, b, signal, weight))
    return keep * a + s * w, keep * b + (1 - s) * w


def beta_moments(a: F64, b: F64) -> tuple[F64, F64, F64]:
    a, b = a.astype(np.float64), b.astype(np.float64)
    variance = a * b / ((a + b) ** 2 * (a + b + 1))
    return a / (a + b), variance, np.sqrt(variance)


def binding(what: F64, where: F64, when: F64, tau: F64, period: float) -> F64:
    what, where = what.astype(np.float64), where.astype(np.float64)
    h = 0.55 * what + 0.35 * where + 0.10 / (1 + np.exp(-what * where))
    h /= np.linalg.norm(h, axis=1, keepdims=True)
    h[:, 0] += np.log(np.maximum(when, 0) + 1) % period
    h[:, 1] += np.log(tau + 1) % period
    return h


def fsrs_curve(w: list[float]) -> tuple[float, float]:
    """(factor, exponent) of R = (1 + factor t / S)^exponent."""
    return (0.9 ** (-1 / w[20]) - 1, -w[20]) if len(w) == 21 else (19 / 81, -0.5)


def fsrs_review(w: list[float], s: F64, d: F64, t: F64, g: F64, bound: bool = True) -> tuple[F64, F64]:
    """One review at whole grades; s = 0 is the first. As published: FSRS-6 for 21 weights, FSRS-5 for 19."""
    six, (factor, curve) = len(w) == 21, fsrs_curve(w)
    s, d, t, g = (np.asarray(x, np.float64) for x in (s, d, t, g))
    first, t, s = s == 0, np.maximum(t, 0), np.where(s == 0, 1.0, s)
    r = (1 + factor * t / s) ** curve
    gain = np.choose(g.astype(int) - 1, [1, w[15], 1, w[16]])
    success = s * (1 + np.exp(w[8]) * (11 - d) * s ** -w[9] * np.expm1(w[10] * (1 - r)) * gain)
    lapse = w[11] * d ** -w[12] * ((s + 1) ** w[13] - 1) * np.exp(w[14] * (1 - r))
    lapse = np.minimum(lapse, s / np.exp(w[17] * w[18]))
    ratio = np.exp(w[17] * (g - 3 + w[18])) * (s ** -w[19] if six else 1)
    same_day = s * np.where(g >= 2, np.maximum(ratio, 1), ratio)
    later = np.where(t < 1, same_day, np.where(g == 1, lapse, success))
    start = [w[4] - np.exp(w[5] * k) + 1 for k in range(4)]
    easy = start[3] if six else np.clip(start[3], 1, 10)
    moved = w[7] * easy + (1 - w[7]) * (d - w[6] * (g - 3) * (10 - d) / 9)
    k = g.astype(int) - 1
    new_s = np.where(first, np.choose(k, w[:4]), later)
    new_d = np.where(first, np.clip(np.choose(k, start), 1, 10), moved)
    return (np.maximum(0.001, new_s), np.clip(new_d, 1, 10)) if bound else (new_s, new_d)


def fsrs_signal(w: list[float], thresholds: list[float], s: F64, d: F64, t: F64, x: F64) -> tuple[F64, F64]:
    """The straight line between the reviews at the two neighbouring grades, bounded afterwards."""
    low = np.clip(np.searchsorted(thresholds, x, side="right"), 1, 3)
    part = (x - np.take(thresholds, low - 1)) / (np.take(thresholds, low) - np.take(thresholds, low - 1))
    (s0, d0), (s1, d1) = (fsrs_review(w, s, d, t, g, bound=False) for g in (low, low + 1))
    return np.maximum(0.001, s0 + part * (s1 - s0)), np.clip(d0 + part * (d1 - d0), 1, 10)


def _signs(seed: int) -> np.ndarray:
    out = []
    for _ in range(128):
        seed = (seed * 1664525 + 1013904223) % 2**32
        out.append(-1.0 if seed >> 31 else 1.0)
    return np.array(out)


def turned(rows: np.ndarray) -> np.ndarray:
    """Rows as their codes see them: H S2 P H S1 / 128 by blocks of 128 values, in float64."""
    n, d = rows.shape
    blocks = -(-d // 128)
    hadamard = np.ones((1, 1))
    for _ in range(7):
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    x = np.zeros((n, blocks, 128))
    x.reshape(n, -1)[:, :d] = rows
    x = (x * _signs(1)) @ hadamard
    x = x.reshape(n, blocks, 8, 16).transpose(0, 2, 1, 3).reshape(n, blocks, 128)
    return ((x * _signs(2)) @ hadamard).reshape(n, -1) / 128
