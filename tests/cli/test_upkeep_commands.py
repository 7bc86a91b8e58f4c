"""The verbs about edges, preparing and consolidation on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.command_line import Run, add, ok
from tests.store.residue import found, needles


def test_prepare_shows_and_answers(run: Run) -> None:
    add(run, "the deploy key is in the vault")
    add(run, "blue cup")
    told = ok(run("prepare", "deploy key", "-k", "1", "--theta", "0.3", "-q", "where is the deploy key", "--json"))
    assert [one["text"] for one in told["prepared"]] == ["the deploy key is in the vault"]
    assert told["answers"][0]["plan"] == "buffer"
    assert (told["costs"]["hits"], told["costs"]["rows"]) == (1, 1)
    plain = run("prepare", "deploy key", "-q", "blue cup")
    assert plain.exit_code == 0
    assert "the vault" in plain.stdout
    assert run("prepare", " ").exit_code == 2


def test_consolidate_lists_first_and_can_be_undone(run: Run) -> None:
    gone = add(run, "the oven is warm", "--when", "2020-01-01", "--perishability", "ephemeral")
    add(run, "blue cup", "--pinned", "--when", "2010-01-01")
    assert [one["id"] for one in ok(run("consolidate", "--dry-run", "--json"))["pruned"]] == [gone]
    assert ok(run("forgotten", "--json")) == []
    assert "put aside 1 of 2" in run("consolidate").stdout
    assert [one["memory"]["id"] for one in ok(run("forgotten", "--json"))] == [gone]
    assert "the oven is warm" in run("forgotten").stdout
    assert ok(run("restore", gone, "--json")) == {"restored": 1}
    assert run("restore", "nobody").exit_code == 1


def test_condense_and_descend(run: Run) -> None:
    ids = [add(run, text) for text in ("the deploy needs the VPN", "the deploy needs a VPN token", "lunch is late")]
    done = ok(run("condense", "--json"))
    assert [sorted(one["metadata"]["members"]) for one in done["summaries"]] == [sorted(ids[:2])]
    assert run("condense").stdout == "1 summaries and 0 abstracts: 0 new, 0 removed\n"
    found = ok(run("descend", "what does the deploy need", "--json"))
    assert {hit["memory"]["id"] for hit in found["hits"]} == set(ids[:2])
    assert [one["memory"]["id"] for one in found["summaries"]] == [done["summaries"][0]["id"]]
    shown = run("descend", "what does the deploy need", "-k", "1").stdout
    assert "the deploy needs" in shown
    assert run("descend", "deploy", "--width", "0").exit_code == 2


def test_delete_and_purge(run: Run, tmp_path: Path) -> None:
    one, two, three = (add(run, f"the vault code is {i} quuxville", "-n", "ada") for i in range(3))
    assert ok(run("delete", one, "--json")) == {"deleted": 1}
    receipt = ok(run("delete", one, two, "--purge", "--json"))
    assert (receipt["memories"], receipt["left"]) == (2, [])
    assert [entry["event"] for entry in ok(run("history", two, "--json"))] == ["purged"]
    shown = run("delete-all", "-n", "ada", "--keep-history")
    assert (shown.exit_code, shown.stdout) == (0, "1 deleted\n")
    assert "quuxville" in run("history", three).stdout
    assert run("delete-all", "-n", "ada").stdout == "1 removed for good\n"
    assert not found(tmp_path, needles(["quuxville"], []))
    assert run("delete-all").exit_code == 2


def test_link_and_neighbors(run: Run) -> None:
    a = add(run, "the pump is loud", "--when", "2020-01-01")
    b = add(run, "invoice seven", "--when", "2021-01-01")
    assert ok(run("neighbors", a, "--json")) == []
    assert run("link", a, b, "--kind", "caused").stdout.strip() == "linked"
    (edge,) = ok(run("neighbors", a, "--json"))
    assert (edge["memory"]["id"], edge["kind"], edge["weight"]) == (b, "caused", 1.0)
    assert "invoice seven" in run("neighbors", a).stdout
    assert ok(run("link", a, b, "--end", "--json")) == {"unlinked": True}
    assert run("link", a, b, "--end").stdout.strip() == "there was no edge"
    assert run("link", a, a).exit_code == 2
    assert run("link", a, b, "--weight", "2").exit_code == 2


def test_the_entry_point_knows_them() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrubjay", "--help"], capture_output=True, text=True, check=True, timeout=120
    )
    for verb in ("prepare", "consolidate", "restore", "forgotten", "link", "neighbors"):
        assert verb in done.stdout


def test_quarantine_and_release(run: Run) -> None:
    add(run, "the review is in room B12")
    add(run, "the review has moved to room X9", "--metadata", '{"source": "web"}')
    assert ok(run("quarantine", "web", "mail", "--json")) == {"quarantine": ["mail", "web"]}
    told = ok(run("search", "where is the review", "--json"))
    assert [hit["memory"]["text"] for hit in told["hits"]] == ["the review is in room B12"]
    assert run("release", "mail").stdout == "in quarantine: web\n"
    assert run("release", "mail").exit_code == 2
    assert run("release", "web").stdout == "none is in quarantine\n"
    assert len(ok(run("search", "where is the review", "--json"))["hits"]) == 2


def test_a_file_that_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    for file, why in ((tmp_path / "nowhere.jsonl", "does not exist"), (tmp_path, "is a folder")):
        told = run("import", file)
        assert told.exit_code == 1
        assert str(file) in told.stderr
        assert why in told.stderr
    assert not (tmp_path / "store").exists()
