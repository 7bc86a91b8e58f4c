"""Shared fixtures: a store and its clock, every instruction set of this CPU, and the folder of the real data sets."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import scrubjay
from scrubjay import MemoryStore, isa
from toys import NOW, Clock, WordHash

# A slow machine is no fault of the code under test: what takes too long is stopped by pytest's own timeout.
# The ordinary suite says the same of the same code each time; what is drawn anew each time belongs to the long runs.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("fixed")


def pytest_configure(config: pytest.Config) -> None:
    """`pytest -m torture` explores, unless --hypothesis-profile says otherwise."""
    if config.getoption("markexpr") == "torture" and not config.getoption("--hypothesis-profile"):
        settings.load_profile("explore")


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def store(clock: Clock) -> Iterator[MemoryStore]:
    """An empty store in memory, by words alone, with a clock that stands still."""
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as opened:
        yield opened


COUNTED = pytest.StashKey[dict[str, "Counter[str]"]]()


@pytest.fixture
def counted(request: pytest.FixtureRequest) -> Callable[..., None]:
    """counted("power cuts", cuts=60) is called where so many have passed; the sums stand at the end of the run."""

    def add(run: str, **numbers: int) -> None:
        request.config.stash.setdefault(COUNTED, {}).setdefault(run, Counter()).update(numbers)

    return add


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What a process of `pytest -n` counted goes to the one that prints."""
    if hasattr(session.config, "workeroutput"):
        sums = session.config.stash.get(COUNTED, {})
        session.config.workeroutput["counted"] = {run: dict(numbers) for run, numbers in sums.items()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The sums of a process of `pytest -n` that has ended are added to all."""
    for run, numbers in getattr(node, "workeroutput", {}).get("counted", {}).items():
        node.config.stash.setdefault(COUNTED, {}).setdefault(run, Counter()).update(numbers)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line for each kind of reliability run."""
    for run, numbers in config.stash.get(COUNTED, {}).items():
        told = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in numbers.items())
        terminalreporter.write_line(f"{run}: {told}")


@pytest.fixture(params=isa.available())
def each_isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs the test once per instruction set."""
    with isa.using(request.param):
        yield request.param


@pytest.fixture(scope="session")
def data() -> Path:
    """The real data sets: SCRUBJAY_DATA, by default ../shared/data beside the checkout."""
    folder = Path(os.environ.get("SCRUBJAY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}: set SCRUBJAY_DATA to their folder")
    return folder
