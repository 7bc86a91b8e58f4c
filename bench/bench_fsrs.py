"""FSRS reviews of whole columns, against NumPy, py-fsrs and fsrs-rs-python (next_states, and its batch)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

import oracles
from harness import Row, Target
from scrubjay import _core
from scrubjay.dynamics.retrievability import FSRS_6

SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
LAW = _core.FsrsLaw(
    FSRS_6, thresholds=(0, 1 / 3, 2 / 3, 1), wanted=0.9, same_day=1.0, most=float("inf"), longest=36500.0
)


def columns(n: int) -> tuple[np.ndarray, ...]:
    """Stability, difficulty, whole days, grade (12 % lapses, as people have), signal."""
    rng = np.random.default_rng(0)
    s = np.exp(rng.uniform(-1, 6, n))
    return (
        s,
        rng.uniform(1, 10, n),
        np.floor(s * rng.uniform(0.2, 2, n)),
        rng.choice([1, 2, 3, 4], n, p=[0.12, 0.1, 0.7, 0.08]).astype(np.uint8),
        rng.uniform(0, 1, n),
    )


def numpy_review(s: np.ndarray, d: np.ndarray, t: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, ...]:
    """What a NumPy user would write: every formula once over the columns, then the rows picked; no first reviews."""
    w = FSRS_6
    factor = 0.9 ** (-1 / w[20]) - 1
    r = (1 + factor * t / s) ** -w[20]
    gain = np.array([0, 1, w[15], 1, w[16]])[g]
    success = s * (1 + np.exp(w[8]) * (11 - d) * s ** -w[9] * (np.exp(w[10] * (1 - r)) - 1) * gain)
    lapse = w[11] * d ** -w[12] * ((s + 1) ** w[13] - 1) * np.exp(w[14] * (1 - r))
    lapse = np.minimum(lapse, s / np.exp(w[17] * w[18]))
    ratio = np.array([np.exp(w[17] * (k - 3 + w[18])) for k in range(5)])[g] * s ** -w[19]
    same_day = s * np.where(g >= 2, np.maximum(ratio, 1), ratio)
    new_s = np.where(t < 1, same_day, np.where(g == 1, lapse, success))
    moved = d + np.array([-w[6] * (k - 3) / 9 for k in range(5)])[g] * (10 - d)
    new_d = w[7] * (w[4] - np.exp(w[5] * 3) + 1) + (1 - w[7]) * moved
    return np.maximum(new_s, 0.001), np.clip(new_d, 1, 10)


def py_fsrs(s: np.ndarray, d: np.ndarray, t: np.ndarray, g: np.ndarray) -> Callable[[], tuple[np.ndarray, ...]]:
    """Cards are made beforehand; a review returns a new card and leaves the old one as it is."""
    fsrs = pytest.importorskip("fsrs")
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    cards = []
    for i in range(len(s)):
        card = fsrs.Card(card_id=i, state=fsrs.State.Review, stability=float(s[i]), difficulty=float(d[i]))
        card.last_review = now - timedelta(days=float(t[i]))
        cards.append((card, fsrs.Rating(int(g[i]))))

    def run() -> tuple[np.ndarray, ...]:
        new = [scheduler.review_card(card, rating, now)[0] for card, rating in cards]
        return np.array([c.stability for c in new]), np.array([c.difficulty for c in new])

    return run


def fsrs_rs(
    s: np.ndarray, d: np.ndarray, t: np.ndarray, g: np.ndarray, batch: bool
) -> Callable[[], tuple[np.ndarray, ...]]:
    """States and items are made beforehand."""
    rs = pytest.importorskip("fsrs_rs_python")
    model = rs.FSRS(list(FSRS_6))
    states = [rs.MemoryState(float(a), float(b)) for a, b in zip(s, d, strict=True)]
    days, names = [int(x) for x in t], [("", "again", "hard", "good", "easy")[k] for k in g]
    items = [rs.FSRSItem([rs.FSRSReview(int(k), x)]) for k, x in zip(g, days, strict=True)]

    def run() -> tuple[np.ndarray, ...]:
        if batch:
            new = model.memory_state_batch(items, states)
        else:
            new = [
                getattr(model.next_states(state, 0.9, x), name).memory
                for state, x, name in zip(states, days, names, strict=True)
            ]
        return np.array([m.stability for m in new]), np.array([m.difficulty for m in new])

    return run


def close(ours: tuple[Any, ...], peer: tuple[Any, ...]) -> None:
    """py-fsrs and NumPy to 1e-6; fsrs-rs computes in float32, and caps stability."""
    rtol = 1e-3 if np.max(np.abs(ours[0] / peer[0] - 1)) > 1e-6 else 1e-6
    capped = peer[0] >= 36499
    np.testing.assert_allclose(np.where(capped, 1, ours[0]), np.where(capped, 1, peer[0]), rtol=rtol)
    np.testing.assert_allclose(ours[1], peer[1], rtol=rtol)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_review_float64(versus: Callable[..., Row], n: int, threads: int) -> None:
    s, d, t, g, _ = columns(n)
    out = np.empty(n), np.empty(n)
    goal = (n, threads) == (1_000_000, 1)
    versus(
        "fsrs",
        "FSRS-6 review, float64",
        lambda: _core.fsrs_review(LAW, s, d, t, g, out=out, threads=threads),
        {"NumPy": lambda: numpy_review(s, d, t, g)},
        n=n,
        threads=threads,
        equal=close,
        targets=(Target("ns", most=5), Target("NumPy", least=6)) if goal else (),
    )


def test_review_against_the_libraries(versus: Callable[..., Row]) -> None:
    s, d, t, g, _ = columns(10_000)
    out = np.empty(10_000), np.empty(10_000)
    peers = {
        "py-fsrs": py_fsrs(s, d, t, g),
        "fsrs-rs next_states": fsrs_rs(s, d, t, g, batch=False),
        "fsrs-rs batch": fsrs_rs(s, d, t, g, batch=True),
    }
    versus(
        "fsrs",
        "FSRS-6 review, float64",
        lambda: _core.fsrs_review(LAW, s, d, t, g, out=out, threads=1),
        peers,
        n=10_000,
        equal=close,
        targets=(Target("py-fsrs", least=1500), Target("fsrs-rs batch", least=5)),
    )


@pytest.mark.parametrize("n", SIZES)
def test_review_in_place(versus: Callable[..., Row], n: int) -> None:
    """The state moves from call to call, as a store's does, and soon stays where every review of its kind leads."""
    s, d, t, g, _ = columns(n)
    wanted = oracles.fsrs_review(list(FSRS_6), s, d, t, g) if n <= 10_000 else None
    if wanted is not None:
        for a, b in zip(_core.fsrs_review(LAW, s, d, t, g), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    capped = _core.FsrsLaw(
        FSRS_6, thresholds=(0, 1 / 3, 2 / 3, 1), wanted=0.9, same_day=1.0, most=36500.0, longest=36500.0
    )
    versus(
        "fsrs",
        "FSRS-6 review in place, float64",
        lambda: _core.fsrs_review(capped, s, d, t, g, out=(s, d), threads=1),
        n=n,
    )


@pytest.mark.parametrize("n", SIZES)
def test_review_float32(versus: Callable[..., Row], n: int) -> None:
    s, d, t, g, _ = columns(n)
    s, d, t = (x.astype(np.float32) for x in (s, d, t))
    out = np.empty(n, np.float32), np.empty(n, np.float32)

    def near(ours: tuple[Any, ...], peer: tuple[Any, ...]) -> None:
        for a, b in zip(ours, peer, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4)

    versus(
        "fsrs",
        "FSRS-6 review, float32",
        lambda: _core.fsrs_review(LAW, s, d, t, g, out=out, threads=1),
        {"NumPy float64": lambda: numpy_review(*(x.astype(np.float64) for x in (s, d, t)), g)},
        n=n,
        equal=near,
    )


@pytest.mark.parametrize("n", SIZES)
def test_outcome(versus: Callable[..., Row], n: int) -> None:
    s, d, t, _, x = columns(n)
    out = np.empty(n), np.empty(n)
    if n <= 10_000:
        wanted = oracles.fsrs_signal(list(FSRS_6), [0, 1 / 3, 2 / 3, 1], s, d, t, x)
        for a, b in zip(_core.fsrs_signal(LAW, s, d, t, x), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11)
    versus(
        "fsrs",
        "FSRS-6 outcome by signal, float64",
        lambda: _core.fsrs_signal(LAW, s, d, t, x, out=out, threads=1),
        n=n,
    )


@pytest.mark.parametrize("n", SIZES)
def test_retrievability(versus: Callable[..., Row], n: int) -> None:
    s, _, t, _, _ = columns(n)
    out = np.empty(n)
    factor = 0.9 ** (-1 / FSRS_6[20]) - 1
    versus(
        "fsrs",
        "FSRS-6 retrievability, float64",
        lambda: _core.fsrs_retrievability(LAW, s, t, out=out, threads=1),
        {"NumPy": lambda: (1 + factor * t / s) ** -FSRS_6[20]},
        n=n,
        equal=lambda ours, peer: np.testing.assert_allclose(ours, peer, rtol=1e-12),
    )
