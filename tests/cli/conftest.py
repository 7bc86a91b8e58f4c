"""The command line with a store of its own and an embedder of hashed words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import Run
from tests.toys import WordHash
from typer.testing import CliRunner

from scrubjay import commands, commands_learning


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(commands, "_embedder", WordHash)
    monkeypatch.setenv("SCRUBJAY_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "200")
    runner = CliRunner()
    return lambda *arguments, **options: runner.invoke(commands_learning.app, [str(a) for a in arguments], **options)
