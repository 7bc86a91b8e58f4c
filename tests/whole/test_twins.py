"""A handle that has lived answers like one that was opened just now, also where rows are squeezed out all the time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from scrubjay import columns
from scrubjay.graph import csr, recent
from scrubjay.recall import scan
from tests.whole.twin import Twins

_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.fixture(params=["as it is", "squeezed"])
def variant(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """In one variant every bound that a small store never reaches is low."""
    if request.param == "squeezed":
        monkeypatch.setattr(columns, "WASTE_ROWS", 0)
        monkeypatch.setattr(columns, "WASTE_SHARE", 0.0)
        monkeypatch.setattr(csr, "MERGE_ROWS", 1)
        monkeypatch.setattr(recent, "WINDOW", 4)
        monkeypatch.setattr(scan, "CODED_ROWS", 2)
    return request.param


def live(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Twins,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=_CALM,
            database=None,
            phases=(Phase.generate,),
        ),
    )


def test_lives_beside_a_cold_twin(variant: str) -> None:
    live(15, 20)


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_many_lives_beside_a_cold_twin(variant: str) -> None:
    live(1000, 60)
