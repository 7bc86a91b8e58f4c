"""Proposition 1 as it holds in float32, and where the source's clause (iv) does not: all through the kernel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scrubjay import kernels
from scrubjay.dynamics.integration import Deltas, Integration, integrate, replay
from scrubjay.errors import ArgumentError
from scrubjay.memory import MAX_HORIZON, MIN_HORIZON

LAW = Integration()
F32 = np.float32

deltas = st.builds(
    Deltas, value=st.floats(-9, 9, width=64), pi=st.floats(-9, 9, width=64), tau=st.floats(-9, 9, width=64)
)
laws = st.builds(
    Integration,
    theta=st.floats(-1, 0.99),
    value_rate=st.floats(0, 1),
    pi_rate=st.floats(0, 1),
    tau_rate=st.floats(0, 1),
    what_rate=st.floats(0, 1),
)
values = st.floats(0, 2.0**100, width=32)
pis = st.floats(float(F32(1e-6)), 1, width=32)
taus = st.floats(MIN_HORIZON, MAX_HORIZON, width=32)
affinities = st.floats(0, 1, width=32)


def updated(value: float, pi: float, tau: float, a: float, d: Deltas, law: Integration) -> tuple[float, float, float]:
    """V, pi, tau after one step of a given affinity."""
    what, vector = np.array([[1, 0]], F32), np.array([0, 1], F32)
    v, p, t = (np.array([x], F32) for x in (value, pi, tau))
    replay(what, v, p, t, vector, d, law, np.array([0]), np.array([a], F32))
    return v.item(), p.item(), t.item()


def ulp(*x: float) -> float:
    return float(np.spacing(F32(max(map(abs, x)))))


@settings(max_examples=1000)
@given(values, pis, taus, affinities, deltas, laws)
def test_i_ii_iii_one_update_is_bounded(
    value: float, pi: float, tau: float, a: float, d: Deltas, law: Integration
) -> None:
    v, p, t = updated(value, pi, tau, a, d, law)
    assert abs(v - value) <= law.value_rate * law.value_limit * a + ulp(v, value)
    assert v >= 0
    assert abs(p - pi) <= law.pi_rate * law.pi_limit * a + ulp(p, pi)
    assert min(pi, float(F32(law.pi_floor))) <= p <= 1
    assert F32(law.tau_low) <= t <= F32(law.tau_high)
    if d == Deltas():
        assert (v, p, t) == (value, pi, tau)


@given(taus, st.lists(st.tuples(affinities, deltas), max_size=40))
def test_iii_tau_stays_in_range_however_often_it_is_driven(tau: float, steps: list[tuple[float, Deltas]]) -> None:
    for a, d in steps:
        _, _, tau = updated(1, 0.5, tau, a, d, LAW)
        assert F32(LAW.tau_low) <= tau <= F32(LAW.tau_high)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", ["value", "pi", "tau"])
def test_a_delta_that_is_not_finite_is_refused_before_anything_moves(field: str, bad: float) -> None:
    what, vector = np.eye(2, dtype=F32), np.array([1, 0], F32)
    columns = [np.full(2, x, F32) for x in (1, 0.5, 1000)]
    before = [c.copy() for c in (what, *columns)]
    with pytest.raises(ArgumentError, match=f"the delta of {field} must be finite"):
        integrate(what, *columns, vector, Deltas(**{field: bad}), LAW)
    for now, old in zip((what, *columns), before, strict=True):
        np.testing.assert_array_equal(now, old)


def at_angle(*angles: float, d: int = 2) -> np.ndarray:
    """Unit rows at given angles from the first axis, all in the plane of the first two."""
    rows = np.zeros((len(angles), d), F32)
    rows[:, 0], rows[:, 1] = np.cos(angles), np.sin(angles)
    return rows


def fused(rows: np.ndarray, vector: np.ndarray, share: float) -> np.ndarray:
    """The rows after one step with eta_w a = share held fixed."""
    rows = rows.copy()
    columns = [np.full(len(rows), x, F32) for x in (1, 0.5, 1000)]
    law = Integration(what_rate=share)
    replay(rows, *columns, vector, Deltas(), law, np.arange(len(rows)), np.ones(len(rows), F32))
    return rows


def angles(rows: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Angles to the vector, exact where they are small as well."""
    rows, vector = rows.astype(np.float64), vector.astype(np.float64)
    apart = np.linalg.norm(rows - vector, axis=1)
    return 2 * np.arcsin(np.clip(apart / 2, 0, 1))


shares = st.floats(0, 0.95)
directions = st.integers(0, 2**32 - 1)


def random_rows(seed: int, n: int, d: int = 12) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((n, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(F32)


@given(directions, shares)
def test_iv_before_renormalising_the_step_contracts_by_one_minus_l(seed: int, share: float) -> None:
    u, v, w = random_rows(seed, 3)
    before = [x.astype(np.float64) + share * (w.astype(np.float64) - x) for x in (u, v)]
    lengths = [np.linalg.norm(x) for x in before]
    assume(min(lengths) > 0.05)
    after = fused(np.stack([u, v]), w, share).astype(np.float64)
    steps = [length * row for length, row in zip(lengths, after, strict=True)]
    want = (1 - share) * np.linalg.norm(u.astype(np.float64) - v)
    assert np.linalg.norm(steps[0] - steps[1]) == pytest.approx(want, abs=2e-6)
    for x, moved in zip((u, v), steps, strict=True):
        assert np.linalg.norm(moved - w) == pytest.approx(
            (1 - share) * np.linalg.norm(x.astype(np.float64) - w), abs=2e-6
        )


def test_iv_after_renormalising_the_claim_of_the_source_is_false() -> None:
    w = np.array([1, 0], F32)
    pair = at_angle(np.pi - 0.01, np.pi + 0.01)
    moved = fused(pair, w, 0.3)
    stretch = np.linalg.norm(np.float64(moved[0] - moved[1])) / np.linalg.norm(np.float64(pair[0] - pair[1]))
    assert stretch == pytest.approx((1 - 0.3) / abs(1 - 2 * 0.3), rel=2e-3)
    assert stretch > 1.7


@given(directions, shares, st.floats(-1, 1))
def test_iv_the_sharp_constant_on_a_cap(seed: int, share: float, c: float) -> None:
    assume(abs(1 - 2 * share) > 0.05)
    rows, w = random_rows(seed, 2), random_rows(seed + 1, 1)[0]
    assume(((rows.astype(np.float64) @ w) >= c).all())
    moved = fused(rows, w, share).astype(np.float64)
    constant = (1 - share) / np.sqrt((1 - share) ** 2 + share**2 + 2 * share * (1 - share) * c)
    assert np.linalg.norm(moved[0] - moved[1]) <= constant * np.linalg.norm(np.float64(rows[0] - rows[1])) + 4e-6
    if c > 0:
        assert constant <= 1


@given(directions, st.floats(0, 0.49))
def test_iv_the_opposite_direction_is_a_second_fixed_point_below_one_half(seed: int, share: float) -> None:
    w = random_rows(seed, 1)
    np.testing.assert_allclose(fused(-w, w[0], share), -w, atol=2e-6)
    np.testing.assert_allclose(fused(w, w[0], share), w, atol=1e-6)


def integrated(rows: np.ndarray, vector: np.ndarray, law: Integration) -> np.ndarray:
    """The rows after the real step, in which the affinity depends on the row."""
    rows = rows.copy()
    integrate(rows, *(np.full(len(rows), x, F32) for x in (1, 0.5, 1000)), vector, Deltas(), law)
    return rows


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("eta", [0.2, 0.5, 1.0])
def test_iv_the_real_step_is_expansive_at_the_gate(theta: float, eta: float) -> None:
    w, gap = np.array([1, 0], F32), 4e-3
    edge = np.arccos(theta)
    rows = at_angle(edge + gap, edge - gap)
    law = Integration(theta=theta, what_rate=eta)
    moved = integrated(rows, w, law)
    np.testing.assert_array_equal(moved[0], rows[0])
    inside = (angles(moved, w)[0] - angles(moved, w)[1] - gap) / gap
    assert inside == pytest.approx(1 + eta * (1 + theta), rel=0.03)
    assert inside > 1


@given(directions, st.floats(-1, 0.95), st.floats(0, 1))
def test_iv_the_distance_to_the_evidence_never_grows(seed: int, theta: float, eta: float) -> None:
    rows, w = random_rows(seed, 50), random_rows(seed + 1, 1)[0]
    law = Integration(theta=theta, what_rate=eta)
    moved = integrated(rows, w, law)
    before, after = (np.linalg.norm(x.astype(np.float64) - w, axis=1) for x in (rows, moved))
    assert (after <= before + 1e-6).all()
    np.testing.assert_allclose(np.linalg.norm(moved.astype(np.float64), axis=1), 1, atol=1e-6)
    reached, _ = kernels.rci_gate(rows, w, theta=theta)
    untouched = np.setdiff1d(np.arange(50), reached)
    np.testing.assert_array_equal(moved[untouched], rows[untouched])


@given(st.lists(st.floats(0.01, 3.1), min_size=2, max_size=30, unique=True), st.floats(-0.9, 0.95), st.floats(0, 0.9))
def test_iv_the_order_along_an_arc_is_kept(places: list[float], theta: float, eta: float) -> None:
    places = sorted(places)
    assume(min(np.diff(places)) > 1e-4)
    w = at_angle(0.0)[0]
    after = angles(integrated(at_angle(*places), w, Integration(theta=theta, what_rate=eta)), w)
    assert (np.diff(after) > -2e-6).all()


@pytest.mark.parametrize("eta", [0.1, 0.2, 0.5])
def test_iv_repeated_steps_converge_at_the_rate_one_minus_eta(eta: float) -> None:
    w, rows = at_angle(0.0, d=8)[0], at_angle(0.8, d=8)
    law = Integration(what_rate=eta)
    ratios = []
    while (before := angles(rows, w)[0]) > 3e-3:
        rows = integrated(rows, w, law)
        ratios.append(angles(rows, w)[0] / before)
    assert ratios[-1] == pytest.approx(1 - eta, rel=5e-3)
    assert max(ratios) < 1


def test_the_zero_norm_case_leaves_the_vector() -> None:
    w = np.array([1, 0, 0], F32)
    np.testing.assert_array_equal(fused(-w[None], w, 0.5), -w[None])


@given(directions)
def test_an_affinity_is_at_most_one_whatever_the_rounding(seed: int) -> None:
    w = random_rows(seed, 1, d=384) * F32(1 + 5e-7)
    rows, a = kernels.rci_gate(w, w[0], theta=0.6)
    assert rows.tolist() == [0]
    assert a[0] <= 1
