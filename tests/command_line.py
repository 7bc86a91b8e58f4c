"""What tests of the command line share: how a verb is run, and what it printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from typer.testing import Result

Run = Callable[..., Result]
"""Runs the command in this process; gets its arguments, of any type."""


def ok(result: Result) -> Any:
    """The JSON that a verb printed."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def add(run: Run, text: str, *more: str) -> str:
    """The id of a memory that is added."""
    return str(ok(run("add", text, "--json", *more))["id"])
