"""Fixtures of the benchmarks: `versus` compares, times and records one row of the report.

Run one family with `pytest bench/bench_graph.py`, all of them and the table with `python bench/report.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from harness import Row, compare
from scrubjay import isa

_rows = pytest.StashKey[list[Row]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rows", type=Path, default=None, help="write the measured rows to this JSON file")
    parser.addoption("--largest", type=int, default=1_000_000, help="skip sizes above this many rows")


def pytest_configure(config: pytest.Config) -> None:
    if "OPENBLAS_CORETYPE" in os.environ:
        raise pytest.UsageError("unset OPENBLAS_CORETYPE: it makes NumPy run another BLAS kernel than a user's")
    config.stash[_rows] = []


def pytest_report_header() -> str:
    import numpy  # noqa: F401  loads the BLAS that is named below
    from threadpoolctl import threadpool_info

    blas = [f"{i['internal_api']} {i.get('architecture')} x{i['num_threads']}" for i in threadpool_info()]
    return f"scrubjay: {isa.active()}; BLAS: {', '.join(blas)}"


def write_rows(config: pytest.Config) -> None:
    """After each row, so that a run that is stopped has measured something."""
    path = config.getoption("--rows")
    if path is not None:
        path.write_text(json.dumps([asdict(row) for row in config.stash[_rows]], indent=1))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for row in config.stash[_rows]:
        terminalreporter.write_line(row.line())


@pytest.fixture
def largest(request: pytest.FixtureRequest) -> int:
    """Sizes above this are to be skipped."""
    return int(request.config.getoption("--largest"))


@pytest.fixture
def versus(request: pytest.FixtureRequest, benchmark: Any) -> Callable[..., Row]:
    """`harness.compare`, with the row recorded for the report and for pytest-benchmark's own table. One call a test."""

    def run(family: str, work: str, ours: Callable[[], Any], *args: Any, n: int, **options: Any) -> Row:
        if n > request.config.getoption("--largest"):
            pytest.skip(f"--largest is below {n}")
        row = compare(family, work, ours, *args, n=n, **options)
        request.config.stash[_rows].append(row)
        write_rows(request.config)
        benchmark.extra_info.update(asdict(row))
        benchmark.pedantic(ours, rounds=3, warmup_rounds=1)
        return row

    return run
