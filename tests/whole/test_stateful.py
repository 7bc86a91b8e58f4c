"""Every verb, in every order that chance finds, against a store in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.whole.machine import WholeStore

_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def live(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        WholeStore,
        settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=_CALM),
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_hundred_lives_of_fifty_verbs(counted: Callable[..., None]) -> None:
    live(200, 50)
    counted("lives beside a plain-Python model", lives=200)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(50))
def test_five_thousand_lives_of_a_hundred_verbs(counted: Callable[..., None], part: int) -> None:
    live(100, 100)
    counted("lives beside a plain-Python model", lives=100)
