"""--subtree on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.toys import WordHash
from typer.testing import CliRunner

from scrubjay import commands, commands_upkeep


def test_bug_09_a_subtree_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_embedder", lambda: WordHash(32))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Any:
        done = CliRunner().invoke(commands_upkeep.app, ["--store", str(tmp_path / "s"), *arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    for labels in (["acme"], ["acme", "sales"], ["acmes"], []):
        named = [part for label in labels for part in ("-n", label)]
        run("add", f"tea of {'/'.join(labels)}", *named)
    found = json.loads(run("search", "tea of", "-n", "acme", "--subtree", "--json"))["hits"]
    assert sorted(hit["memory"]["namespace"] for hit in found) == [["acme"], ["acme", "sales"]]
    assert "acme / sales" in run("search", "tea of", "-n", "acme", "--subtree")
    assert [hit["memory"]["namespace"] for hit in json.loads(run("search", "tea", "--json"))["hits"]] == [[]]
    assert len(json.loads(run("list", "--subtree", "--json"))) == 4
    assert json.loads(run("stats", "-n", "acme", "--subtree", "--json"))["memories"] == 2
    assert json.loads(run("stats", "-n", "acme", "--json"))["memories"] == 1
    assert json.loads(run("stats", "--json"))["memories"] == 4
    assert json.loads(run("delete-all", "-n", "acme", "--subtree", "--json"))["memories"] == 2
    assert sorted(m["namespace"] for m in json.loads(run("list", "--subtree", "--json"))) == [[], ["acmes"]]
