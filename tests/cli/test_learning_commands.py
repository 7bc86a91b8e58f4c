"""The verbs that change a memory, learn, and make the state anew, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import Run, add, ok
from typer.testing import Result

import scrubjay
from scrubjay import commands, commands_help


def refused(result: Result, code: int, words: str) -> None:
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert words in result.stderr


def test_update_changes_what_is_given(run: Run) -> None:
    id = add(run, "PROJ-3: blocked", "--metadata", '{"owner": "ada", "page": 3}', "--context", "planning", "--pinned")
    told = ok(
        run("update", id, "--text", "PROJ-3: done", "--when", "2026-05-01", "--metadata", '{"page": null}', "--json")
    )
    assert (told["id"], told["text"], told["when"]) == (id, "PROJ-3: done", 1777593600.0)
    assert (told["metadata"], told["context"], told["pinned"]) == ({"owner": "ada"}, "planning", True)
    told = ok(run("update", id, "--clear", "context", "--no-pinned", "--value", "2", "--json"))
    assert (told["context"], told["pinned"], told["value"], told["text"]) == (None, False, 2.0, "PROJ-3: done")
    assert "PROJ-3: late" in run("update", id, "--text", "-", input="PROJ-3: late\n").stdout
    refused(run("update", id), 2, "nothing to change")
    refused(run("update", id, "--context", "x", "--clear", "context"), 2, "leave out one")
    refused(run("update", id, "--clear", "text"), 2, "text")
    refused(run("update", "none", "--value", "1"), 1, "none")
    refused(run("update", id, "--value", "1", "--namespace", "other"), 1, id)


def test_outcomes_are_recorded_and_what_is_forgotten_is_due(run: Run) -> None:
    ids = [add(run, "the deploy needs the VPN", "--when", "2026-05-01"), add(run, "lunch is at noon")]
    assert ok(run("outcome", *ids, "--signal", "good", "--source", "bot", "--json")) == {"recorded": 2}
    assert "1 recorded" in run("outcome", ids[0], "--signal", "0.25", "--weight", "2").stdout
    refused(run("outcome", ids[0], "--signal", "great"), 2, "signal")
    refused(run("outcome", ids[0], "none", "--signal", "1"), 1, "none")
    assert run("outcome", ids[0]).exit_code == 2
    assert ok(run("due", "--json")) == []
    later = ok(run("due", "--now", "2400-01-01", "--json"))
    assert {one["memory"]["id"] for one in later} == set(ids)
    shown = run("due", "--now", "2400-01-01", "--limit", "1").stdout
    assert "due for" in shown
    assert len(shown.splitlines()) == 2
    events = ok(run("stats", "--json"))["events"]
    assert ok(run("compact", "--json"))["dropped"] == []
    told = run("compact", "--summarise-before", "2400-01-01")
    assert "lost: " in told.stdout
    assert ok(run("rebuild", "--json"))["same"]
    assert "the same as before" in run("rebuild").stdout
    assert ok(run("stats", "--json"))["events"] >= events


def test_ratings_and_answers_are_evidence(run: Run, tmp_path: Path) -> None:
    ids = [add(run, "the deploy needs the VPN"), add(run, "lunch is at noon")]
    assert ok(run("rate", ids[0], "--rating", ".9", "--source", "judge", "--json")) == {"rated": 1}
    assert ok(run("get", ids[0], "--json"))["importance"] == 0.9
    assert "2 rated" in run("rate", *ids, "--rating", "0.5", "--weight", "2").stdout
    refused(run("rate", ids[0], "--rating", "2"), 2, "rating")
    refused(run("rate", ids[0], "none", "--rating", "1"), 1, "none")
    file = tmp_path / "ratings.jsonl"
    file.write_text("".join(json.dumps({"id": id, "rating": r}) + "\n" for id, r in zip(ids, (0.2, 0.3), strict=True)))
    assert ok(run("rescore", file, "--json")) == {"rated": 2}
    assert [ok(run("get", id, "--json"))["importance"] for id in ids] == [0.2, 0.3]
    for bad in ("{}", '{"id": 3, "rating": 1}', '{"id": "x", "rating": "high"}', "\n"):
        file.write_text(bad)
        refused(run("rescore", file), 1, "line 1 is no rating")
    file.write_text(json.dumps({"id": ids[0], "rating": 2}))
    refused(run("rescore", file), 2, "rating")
    refused(run("rescore", tmp_path / "none"), 1, "FILE")
    before = ok(run("get", ids[0], "--json"))
    used = ok(run("observe", "The deploy needs the VPN.", "-q", "what does the deploy need", "--json"))
    assert [one["id"] for one in used] == [ids[0]]
    after = ok(run("get", ids[0], "--json"))
    assert after["usefulness"] > before["usefulness"]
    told = run("observe", "-", "-q", "lunch", "-k", "1", input="Lunch is at noon.\n").stdout
    assert told == f"1 of 1 hits were used: {ids[1]}\n"
    assert ok(run("observe", "Nobody knows.", "-q", "lunch", "--json")) == []
    refused(run("observe", "x", "-q", "y", "--weight", "0"), 2, "weight")


def test_a_peers_file_may_begin_a_store(run: Run, tmp_path: Path) -> None:
    id = add(run, "the deploy needs the VPN")
    assert run("outcome", id, "--signal", "1").exit_code == 0
    file, fresh = tmp_path / "mine.json", tmp_path / "fresh"
    assert run("export-peer", file, "--texts").exit_code == 0
    begin = ("--add", "--store", fresh)
    refused(run("merge-peer", tmp_path / "none.json", "--trust", "1", *begin), 1, "none.json")
    refused(run("merge-peer", file, "--trust", "2", *begin), 2, "trust")
    assert not fresh.exists()
    done = ok(run("merge-peer", file, "--trust", "1", "--json", *begin))
    assert (done["added"], done["merged"]) == (1, 1)
    assert [m["text"] for m in ok(run("list", "--json", "--store", fresh))] == ["the deploy needs the VPN"]


def test_what_a_peer_learned_goes_over(run: Run, tmp_path: Path) -> None:
    id = add(run, "the deploy needs the VPN")
    file = tmp_path / "mine.json"
    assert run("outcome", id, "--signal", "1").exit_code == 0
    assert ok(run("export-peer", file, "--texts", "--json")) == {"memories": 1, "file": str(file)}
    assert "1 memories written" in run("export-peer", file, "--texts").stdout
    other = ("--store", tmp_path / "other")
    assert run("add", "lunch is at noon", *other).exit_code == 0
    assert ok(run("merge-peer", file, "--trust", ".5", "--add", "--json", *other))["merged"] == 1
    assert "0 merged, 1 known already" in run("merge-peer", file, "--trust", ".5", *other).stdout
    refused(run("merge-peer", file, "--trust", "2", *other), 2, "trust")
    refused(run("merge-peer", tmp_path / "none.json", "--trust", "1", *other), 1, "none.json")
    refused(run("export-peer", tmp_path / "none" / "a.json", *other), 1, "none")


def test_fitting_says_why_nothing_was_changed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_embedder", lambda: None)
    id = add(run, "the build is red", "--when", "2026-05-01")
    checks = tmp_path / "checks.jsonl"
    checks.write_text(json.dumps({"id": id, "when": "2026-05-02", "holds": True}))
    told = ok(run("fit-perishability", "--checks", checks, "--json"))
    assert (told["improved"], told["observations"], told["before"]) == (False, 1, None)
    assert "nothing was changed: " in run("fit-perishability", "--dry-run").stdout
    for bad in ("{}", '{"id": 3, "when": "2026-05-02", "holds": true}', "\n", '{"id": "x"'):
        checks.write_text(bad)
        refused(run("fit-perishability", "--checks", checks), 1, "line 1 is no check")
    refused(run("fit-perishability", "--checks", tmp_path), 1, "--checks")
    assert ok(run("unfit-perishability", "--json")) == {"relabelled": 0}
    assert "0 memories judged anew" in run("unfit-perishability").stdout


def test_nothing_is_made_where_there_is_no_store(run: Run, tmp_path: Path) -> None:
    for line in (
        ("update", "x", "--value", "1"),
        ("outcome", "x", "--signal", "1"),
        ("due",),
        ("compact",),
        ("rebuild",),
        ("fit-perishability",),
        ("unfit-perishability",),
        ("rate", "x", "--rating", "1"),
        ("observe", "x", "-q", "y"),
        ("condense",),
        ("descend", "x"),
        ("export-peer", tmp_path / "a.json"),
        ("merge-peer", tmp_path / "a.json", "--trust", "1"),
    ):
        refused(run(*line), 1, "no store")
    assert list(tmp_path.iterdir()) == []


def test_every_verb_of_the_command_line_is_in_one_group_and_named_like_the_stores() -> None:
    listed = [verb for verbs in commands_help.GROUPS.values() for verb in verbs]
    assert sorted(listed) == sorted(commands_help.name_of(command) for command in commands.app.registered_commands)
    own = {"import", "demo", "reembed"}
    assert all(hasattr(scrubjay.MemoryStore, verb.replace("-", "_")) for verb in listed if verb not in own)
