"""Every verb, in every order that chance finds, against a store in plain Python."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.whole.machine import WholeStore

_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_hundred_lives_of_fifty_verbs() -> None:
    run_state_machine_as_test(
        WholeStore,
        settings=settings(max_examples=200, stateful_step_count=50, deadline=None, suppress_health_check=_CALM),
    )
