"""Random histories against a plain-Python model: log, tables, fold, snapshots and verify agree throughout."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.store.machine import StoreMachine

_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def test_random_histories():
    run_state_machine_as_test(
        StoreMachine,
        settings=settings(max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=_CALM),
    )


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_many_long_random_histories():
    run_state_machine_as_test(
        StoreMachine,
        settings=settings(max_examples=1000, stateful_step_count=60, deadline=None, suppress_health_check=_CALM),
    )
