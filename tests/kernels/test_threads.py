"""Elementwise kernels on the pool: the same bits with any number of threads, and from several callers at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.lanewise import bits
from kernels.test_fsrs import law, states
from scrubjay import _core
from scrubjay.errors import ArgumentError

N = 200_003
"""Several pieces and a rest."""
NOW = 1.7e9
Run = Callable[[int], tuple[NDArray, ...]]


def _runs() -> dict[str, Run]:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.01, 40, N), rng.uniform(-2, 2, N)
    f = x.astype(np.float32)
    pi, tau = rng.uniform(0, 1, N).astype(np.float32), rng.uniform(60, 3e7, N).astype(np.float32)
    when, signal = NOW - rng.uniform(0, 4e7, N), rng.uniform(0, 1, N)
    s, d, t, g = states(N)
    rows = rng.standard_normal((3000, 40)).astype(np.float32)
    moments = tuple(np.empty(N) for _ in range(3))
    return {
        "exp": lambda k: (_core.exp(f, threads=k), _core.exp(y, threads=k)),
        "log": lambda k: (_core.log(f, threads=k), _core.log(x, threads=k)),
        "power": lambda k: (_core.power(x, y, threads=k),),
        "utility": lambda k: (
            _core.utility(f, pi, tau, when, NOW, threads=k),
            _core.utility(f, pi, tau, when, NOW, shape=f, threads=k),
        ),
        "retrievability": lambda k: (_core.retrievability(f, when, NOW, curve=-0.5, threads=k),),
        "beta_update": lambda k: (*_core.beta_update(x, x, signal, x, moments=moments, threads=k), *moments),
        "beta_moments": lambda k: _core.beta_moments(x, x[::-1].copy(), threads=k),
        "fsrs_review": lambda k: _core.fsrs_review(law(), s, d, t, g, interval=True, threads=k),
        "fsrs_signal": lambda k: _core.fsrs_signal(law(), s, d, t, signal, threads=k),
        "fsrs_interval": lambda k: (_core.fsrs_interval(law(), x, threads=k),),
        "fsrs_retrievability": lambda k: (_core.fsrs_retrievability(law(), x, np.abs(t), threads=k),),
        "binding": lambda k: (_core.binding(rows, rows[::-1].copy(), when[:3000], x[:3000], threads=k),),
    }


RUNS = _runs()


@pytest.mark.parametrize("name", RUNS)
def test_the_number_of_threads_changes_no_bit(each_isa: str, name: str) -> None:
    one = [bits(out) for out in RUNS[name](1)]
    for threads in (2, 3, 8, 0):
        assert [bits(out) for out in RUNS[name](threads)] == one


def test_callers_at_once_get_their_own_results() -> None:
    names = [name for name in RUNS if name != "beta_update"]
    wanted = {name: [bits(out) for out in RUNS[name](1)] for name in names}
    start, wrong = threading.Barrier(4), []

    def call(first: int) -> None:
        start.wait()
        for k in range(2 * len(names)):
            name = names[(first + k) % len(names)]
            if [bits(out) for out in RUNS[name](2)] != wanted[name]:
                wrong.append(name)

    callers = [threading.Thread(target=call, args=(3 * i,)) for i in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []


def test_threads_are_checked() -> None:
    x = np.ones(3)
    for run in (lambda: _core.exp(x, threads=-1), lambda: _core.beta_update(x, x, x, x, threads=-1)):
        with pytest.raises(ArgumentError, match="threads must be 0"):
            run()
