from __future__ import annotations

import msgspec
import numpy as np
import pytest

from scrubjay import isa
from scrubjay.dynamics.integration import Deltas, Integration, gate, integrate, replay
from scrubjay.errors import ArgumentError

LAW = Integration()


def memories(n: int = 400, d: int = 48) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    vector = rng.standard_normal(d)
    what = rng.standard_normal((n, d)) + rng.uniform(0, 2, (n, 1)) * vector
    what /= np.linalg.norm(what, axis=1, keepdims=True)
    scalars = (rng.uniform(0, 2, n), rng.uniform(0.01, 1, n), rng.uniform(100, 1e6, n))
    return [c.astype(np.float32) for c in (what, *scalars)], (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.mark.parametrize("among", [None, np.arange(400) % 3 > 0])
def test_a_log_of_rows_and_affinities_replays_to_the_same_bits(among: np.ndarray | None) -> None:
    deltas = Deltas(value=-0.4, pi=0.3, tau=-0.7)
    seen = set()
    for name in isa.available():
        with isa.using(name):
            columns, vector = memories()
            reached = integrate(*columns, vector, deltas, LAW, among=among)
            gated = gate(memories()[0][0], vector, LAW, among=among)
            np.testing.assert_array_equal(gated[0], reached.rows)
            np.testing.assert_array_equal(gated[1], reached.affinities)
            seen.add(b"".join(c.tobytes() for c in columns))
        for other in isa.available():
            with isa.using(other):
                fresh, _ = memories()
                assert replay(*fresh, vector, deltas, LAW, reached.rows, reached.affinities).size == 0
                seen.add(b"".join(c.tobytes() for c in fresh))
    assert len(seen) == 1
    assert 20 < len(reached.rows) < 400


def test_deltas_are_clipped_to_the_laws_limits() -> None:
    columns, vector = memories()
    clipped, _ = memories()
    integrate(*columns, vector, Deltas(value=-50.0, pi=50.0, tau=-50.0), LAW)
    integrate(*clipped, vector, Deltas(value=-1.0, pi=0.5, tau=-0.9), LAW)
    for a, b in zip(columns, clipped, strict=True):
        np.testing.assert_array_equal(a, b)


def test_no_deltas_move_the_vectors_alone() -> None:
    columns, vector = memories()
    before, _ = memories()
    reached = integrate(*columns, vector, Deltas(), LAW)
    for a, b in zip(columns[1:], before[1:], strict=True):
        np.testing.assert_array_equal(a, b)
    assert (columns[0][reached.rows] != before[0][reached.rows]).any(axis=1).all()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"theta": 1.0}, r"theta must be in \[-1, 1\)"),
        ({"theta": float("nan")}, "theta must be"),
        ({"value_rate": 1.5}, r"value_rate must be in \[0, 1\]"),
        ({"what_rate": -0.1}, r"what_rate must be in \[0, 1\]"),
        ({"pi_rate": float("nan")}, "pi_rate must be"),
        ({"value_limit": float("inf")}, "value_limit must be finite"),
        ({"pi_limit": -1.0}, "pi_limit must be finite and >= 0"),
        ({"tau_least": 0.5}, "tau_least must be finite and <= 0"),
        ({"tau_most": -0.5}, "tau_most must be finite and >= 0"),
        ({"pi_floor": 0.0}, r"pi_floor must be in \(0, 1\]"),
        ({"tau_low": 0.0}, "0 < tau_low <= tau_high"),
        ({"tau_low": 10.0, "tau_high": 9.0}, "0 < tau_low <= tau_high"),
        ({"tau_high": float("inf")}, "0 < tau_low <= tau_high"),
    ],
)
def test_parameters_out_of_range_are_refused(change: dict[str, float], why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        Integration(**change)


def test_law_and_deltas_are_frozen_and_can_be_logged() -> None:
    with pytest.raises(AttributeError):
        LAW.theta = 0.1  # type: ignore[misc]
    for value in (Integration(theta=0.2, tau_most=3.0), Deltas(value=0.25, tau=-0.5)):
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=type(value)) == value
