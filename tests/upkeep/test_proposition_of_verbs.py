"""Proposition 1 of "Caching for the Future", as spec'd for float32, through the public verb and whatever a model says.

(i) |V' - V| <= eta_V |dV| a + 1 ulp; (ii) |pi' - pi| <= eta_pi |dpi| a, pi in [floor, 1]; (iii) tau stays in its range;
(iv) w' is the normalised step towards the evidence, with factor 1 - eta_w a before normalising: the distance to the
evidence never grows, the order along the arc to it is kept, and below the gate nothing moves at all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import scrubjay
from scrubjay import MemoryStore, Perishability
from scrubjay.dynamics.integration import Integration
from scrubjay.fold import rebuild
from scrubjay.llm import ScriptedModel
from scrubjay.upkeep.integration import BUDGET
from toys import Clock

DIM = 6
DAY = 86400.0


class Given:
    """Embeds "name|..." as the vector of that name."""

    name, dim = "given", DIM

    def __init__(self) -> None:
        self.vectors: dict[str, NDArray[np.float64]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.vectors[text.split("|")[0]] for text in texts]).astype(np.float32)


def unit(seed: int) -> NDArray[np.float64]:
    v = np.random.default_rng(seed).standard_normal(DIM)
    return np.asarray(v / np.linalg.norm(v))


rates = st.sampled_from([0.0, 0.1, 0.5, 1.0])
laws = st.builds(
    Integration,
    theta=st.sampled_from([-0.5, 0.0, 0.25, 0.3, 0.6, 0.9]),
    value_rate=rates,
    pi_rate=rates,
    tau_rate=rates,
    what_rate=rates,
)
numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -1.0, 1.0, 1e308, -1e308, 5e-324])
memories = st.lists(
    st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 2.0), st.floats(1e-3, 1.0), st.floats(60.0, 3e7), st.integers(0, 99)),
    min_size=1,
    max_size=8,
)


def columns_of(store: MemoryStore, ids: list[str]) -> dict[str, NDArray[np.float64]]:
    columns = store._engine.columns
    rows = columns.rows([store._engine.key_of(id, None) for id in ids])
    return {name: np.array(getattr(columns, name)[rows], np.float64) for name in ("what", "value", "pi", "tau")}


@settings(max_examples=120, deadline=None)
@given(memories, laws, numbers, numbers, numbers, st.integers(1, 3))
def test_proposition_1(
    held: list[tuple[float, float, float, float, int]], law: Integration, dv: float, dp: float, dt: float, times: int
) -> None:
    embedder = Given()
    embedder.vectors["n"] = unit(1000)
    told = json.dumps({"delta_value": dv, "delta_pi": dp, "delta_tau": dt, "summary": ""})
    model = ScriptedModel({"deltas": told})
    bounded = (min(max(dv, -1.0), 1.0), min(max(dp, -0.5), 0.5), min(max(dt, -0.9), 1.0))
    clock = Clock()
    with scrubjay.open(":memory:", embedder=embedder, clock=clock, model=model) as store:
        store._engine.slots = None
        ids = []
        for i, (mix, value, pi, tau, seed) in enumerate(held):
            v = mix * embedder.vectors["n"] + (1 - mix) * unit(seed)
            embedder.vectors[f"m{i}"] = v / max(float(np.linalg.norm(v)), 1e-3)
            p = Perishability(label="factual", pi=pi, tau=tau)
            ids.append(store.add(f"m{i}|", value=value, perishability=p, when=clock.now - DAY).id)
        for i in range(times):
            clock.now += 60.0
            before = columns_of(store, ids)
            done = store.integrate(f"n|{i}", law=law)
            assert not done.degraded
            after = columns_of(store, ids)
            a = np.array([dict(done.affected).get(id, 0.0) for id in ids])
            evidence = np.asarray(embedder.embed([f"n|{i}"])[0], np.float64)
            check_step(before, after, a, evidence, law, bounded)
        assert rebuild(store._engine.log).digest() == store._engine.columns.digest()
        spent = store._engine.columns.spent
        assert float(spent.max()) <= BUDGET + 1e-5


def check_step(
    before: dict[str, NDArray[np.float64]],
    after: dict[str, NDArray[np.float64]],
    a: NDArray[np.float64],
    evidence: NDArray[np.float64],
    law: Integration,
    deltas: tuple[float, float, float],
) -> None:
    cosine = np.clip(before["what"] @ evidence, -1.0, 1.0)
    full = np.clip((cosine - law.theta) / (1.0 - law.theta), 0.0, 1.0)
    assert (a <= full + 2e-6).all()
    still = a == 0.0
    for name in before:
        np.testing.assert_array_equal(after[name][still], before[name][still])
    ulp = np.spacing(np.maximum(before["value"], after["value"]).astype(np.float32)).astype(np.float64)
    assert (np.abs(after["value"] - before["value"]) <= law.value_rate * a * abs(deltas[0]) + ulp + 1e-7).all()
    assert (after["value"] >= 0.0).all()
    assert (np.abs(after["pi"] - before["pi"]) <= law.pi_rate * a * abs(deltas[1]) + 1e-6).all()
    assert ((after["pi"] >= np.float32(law.pi_floor)) & (after["pi"] <= 1.0)).all()
    assert ((after["tau"] >= law.tau_low) & (after["tau"] <= law.tau_high)).all()
    wanted = np.clip(before["tau"] * np.maximum(0.1, 1.0 + law.tau_rate * a * deltas[2]), law.tau_low, law.tau_high)
    np.testing.assert_allclose(after["tau"][~still], wanted[~still], rtol=1e-5)
    step = (law.what_rate * a)[:, None]
    moved = before["what"] + step * (evidence - before["what"])
    norm = np.linalg.norm(moved, axis=1, keepdims=True)
    directed = (norm > 1e-3)[:, 0]
    np.testing.assert_allclose(after["what"][directed], (moved / np.maximum(norm, 1e-9))[directed], atol=2e-6)
    apart = np.linalg.norm(before["what"] - evidence, axis=1), np.linalg.norm(after["what"] - evidence, axis=1)
    assert (apart[1] <= apart[0] + 2e-6).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.0, 1.5), min_size=2, max_size=6), st.sampled_from([0.1, 0.2, 0.5, 1.0]))
def test_order_along_the_arc_is_kept_and_steps_converge(angles: list[float], rate: float) -> None:
    embedder = Given()
    x, y = np.eye(DIM)[:2]
    embedder.vectors["n"] = x
    clock = Clock()
    with scrubjay.open(":memory:", embedder=embedder, clock=clock) as store:
        store._engine.slots = None
        ids = []
        for i, angle in enumerate(sorted(angles)):
            embedder.vectors[f"m{i}"] = np.cos(angle) * x + np.sin(angle) * y
            ids.append(store.add(f"m{i}|").id)
        law = Integration(theta=0.0, what_rate=rate)
        last = None
        for i in range(12):
            clock.now += 31 * DAY  # a new budget each time
            store.integrate(f"n|{i}", law=law)
            cosine = columns_of(store, ids)["what"] @ x
            assert (np.diff(cosine) <= 1e-6).all()
            if last is not None:
                assert (cosine >= last - 1e-6).all()
            last = cosine
        assert last is not None
        assert last[0] >= np.cos(min(angles))
