"""scrubjay reembed on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.toys import WordHash
from typer.testing import CliRunner, Result

from scrubjay import commands, commands_upkeep


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    sizes = {None: 64, "universal": 64, "minilm": 40}

    def embedder() -> WordHash:
        dim = sizes[commands._options.embedder]
        return WordHash(dim, f"toy-{dim}")

    monkeypatch.setattr(commands, "_embedder", embedder)
    monkeypatch.setenv("COLUMNS", "200")
    return str(tmp_path / "store")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands_upkeep.app, list(arguments))


def test_bug_07_reembed_on_the_command_line(store: str) -> None:
    for text in ("the deploy key is in the vault", "茶は四時です", "blue cup"):
        assert run("--store", store, "add", text).exit_code == 0
    refused = run("--store", store, "--embedder", "minilm", "search", "cup")
    assert refused.exit_code != 0
    assert "reembed" in refused.stderr
    done = run("reembed", "--store", store, "--embedder", "minilm", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["texts"], told["memories"], told["before"], told["embedder"]) == (3, 3, "toy-64", "toy-40")
    assert run("--store", store, "--embedder", "universal", "search", "cup").exit_code != 0
    found = run("--store", store, "--embedder", "minilm", "search", "blue cup", "--json")
    assert json.loads(found.stdout)["hits"][0]["memory"]["text"] == "blue cup"
    assert run("--store", store, "verify").exit_code == 0


def test_it_says_what_it_did(store: str) -> None:
    assert run("--store", store, "add", "blue cup").exit_code == 0
    assert (
        "1 texts embedded: toy-64 (64) to toy-40 (40)"
        in run("--store", store, "reembed", "--embedder", "minilm").stdout
    )
    again = run("--store", store, "--embedder", "minilm", "reembed")
    assert "nothing to do: the store is toy-40's" in again.stdout
    assert "1 texts embedded" in run("--store", store, "--embedder", "minilm", "reembed", "--force").stdout


def test_it_creates_no_store(store: str) -> None:
    assert run("--store", store, "reembed").exit_code == 1
    assert not Path(store).exists()
