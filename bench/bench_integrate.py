"""The verb `integrate` over N memories against the kernel that it wraps: one model call, one embedding, one pass.

The peer is `scrubjay.dynamics.integration.integrate` (gate and apply) over a copy of the same columns. What the verb
adds is a reading, the perishability of the new text, supersession, a transaction, its fold and the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
import pytest

import scrubjay
from bench_store import learned
from harness import Row, Target
from scrubjay.dynamics.integration import Deltas, Integration, Reached, integrate
from scrubjay.events import Learned, NamespaceSeen
from scrubjay.llm import ScriptedModel

DIM = 512
REACHED = 1000
LAW = Integration(value_rate=1e-6, pi_rate=0.0, tau_rate=0.0, what_rate=1e-6)
REPLY = '{"delta_value": -0.5, "delta_pi": 0.1, "delta_tau": -0.3, "summary": "moved"}'


class OneDirection:
    """Embeds every text as the evidence; counts."""

    name, dim = "one-direction", DIM

    def __init__(self) -> None:
        vector = np.random.default_rng(0).standard_normal(DIM).astype(np.float32)
        self.vector = vector / np.linalg.norm(vector)
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        return np.tile(self.vector, (len(texts), 1))


class Bench:
    """A store of n memories, `REACHED` of them near the evidence."""

    def __init__(self, n: int) -> None:
        self.embedder, self.model, self.asked = OneDirection(), ScriptedModel(REPLY), 0
        self.store = scrubjay.open(":memory:", embedder=self.embedder, model=self.model, clock=lambda: 1.7e9)
        log = self.store._engine.log
        for first in range(0, n, 8192):
            events = [self._near(e, n) for e in learned(min(8192, n - first), first + 1, DIM)]
            with log.write() as tx:
                if not first:
                    tx.append([NamespaceSeen(at=0.0, space=0, labels=("bench",))])
                tx.append(events)
        columns = self.store._engine.columns
        self.store._engine.refresh()
        self.copies = [np.array(getattr(columns, name)) for name in ("what", "value", "pi", "tau")]

    def _near(self, event: object, n: int) -> Learned:
        assert isinstance(event, Learned)
        if event.key % (n // REACHED):
            return event
        near = 0.8 * self.embedder.vector + 0.6 * np.frombuffer(event.vector, np.float32)
        return msgspec.structs.replace(event, vector=(near / np.linalg.norm(near)).astype("<f4").tobytes())

    def verb(self) -> list[tuple[str, float]]:
        self.asked += 1
        return self.store.integrate(f"the review is elsewhere {self.asked}", namespace="bench", law=LAW).affected

    def kernel(self) -> Reached:
        return integrate(*self.copies, self.embedder.vector, Deltas(value=-0.5, pi=0.1, tau=-0.3), LAW)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=[10_000, 1_000_000])
def bench(request: pytest.FixtureRequest) -> Iterator[tuple[int, Bench]]:
    if request.param > request.config.getoption("--largest"):
        pytest.skip(f"--largest is below {request.param}")
    held = Bench(request.param)
    yield request.param, held
    held.store.close()


@pytest.mark.timeout(900)
def test_integrate(versus: Callable[..., Row], bench: tuple[int, Bench]) -> None:
    n, held = bench
    # before the first call of the verb adds a memory, both reach the same ones
    reached = held.kernel()
    assert len(held.verb()) == len(reached.rows) >= REACHED
    versus(
        "integrate",
        "verb with model call and commit",
        held.verb,
        {"the kernel alone": held.kernel},
        n=n,
        targets=(Target("the kernel alone", 1 / 1.5),) if n == 1_000_000 else (),
    )
    assert len(held.model.prompts) == held.embedder.calls == held.asked
