"""The command line: verbs, exit codes, JSON, and what is shown of foreign text."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.command_line import Run, ok
from tests.toys import WordHash
from typer.testing import Result

import scrubjay
from scrubjay import commands, render
from scrubjay.encode.normal import MAX_TEXT_BYTES
from scrubjay.encode.when import to_seconds


def failed(result: Result, code: int, words: str) -> None:
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("scrubjay: ")
    assert words in result.stderr


WITH_WORD_HASH = """
from scrubjay import commands
from tests.toys import WordHash
commands._embedder = WordHash
commands.run()
"""


def spawn(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCRUBJAY_STORE")}
    environment["PYTHONPATH"] = str(Path(scrubjay.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-m", "scrubjay", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment | options.pop("env", {}),
        **options,
    )


def test_add_get_list_search_history_delete(run: Run) -> None:
    first = ok(
        run(
            *("add", "the room is 4.12", "-n", "team", "-n", "ann", "--context", "office", "--json"),
            *("--when", "2025-03-09T12:00+09:00", "--metadata", '{"page": 3}', "--pinned", "--sensitive", "legal"),
            *("--perishability", "ephemeral", "--key", "room"),
        )
    )
    assert first["namespace"] == ["team", "ann"]
    assert first["when"] == to_seconds("2025-03-09T03:00Z")
    assert (first["context"], first["metadata"]) == ("office", {"page": 3})
    assert (first["pinned"], first["sensitive"]) == (True, "legal")
    assert (first["perishability"]["label"], first["perishability"]["origin"]) == ("ephemeral", "user")
    second = ok(run("add", "ann is a nurse", "-n", "team", "-n", "ann", "--when", "1741500000", "--json"))
    assert second["when"] == 1741500000.0
    ok(run("add", "elsewhere", "--json"))

    scope = ("-n", "team", "-n", "ann", "--json")
    assert ok(run("get", first["id"], *scope)) == first
    assert [memory["id"] for memory in ok(run("list", *scope))] == [first["id"], second["id"]]
    page = ok(run("list", *scope, "--limit", "1", "--after", first["id"]))
    assert [memory["id"] for memory in page] == [second["id"]]
    found = ok(run("search", "the room", *scope, "--now", "2025-03-09T04:00Z", "-k", "1", "--context", "office"))
    assert [hit["memory"]["id"] for hit in found["hits"]] == [first["id"]]
    hit = found["hits"][0]
    assert hit["now"] == to_seconds("2025-03-09T04:00Z")
    assert sum(hit["factors"].values()) == pytest.approx(hit["score"], abs=1e-5)
    only_what = ok(run("search", "nurse", *scope, "--weights", '{"what": 1}'))["hits"][0]
    assert only_what["memory"]["id"] == second["id"]
    assert only_what["factors"]["when"] == 0.0
    none = ok(run("search", "nurse", *scope, "--filter", '{"$when": {"$lt": "1999-01-01"}}'))["hits"]
    assert none == []
    assert ok(run("delete", second["id"], *scope)) == {"deleted": 1}
    assert [entry["event"] for entry in ok(run("history", second["id"], *scope))] == ["learned", "forgotten"]
    failed(run("get", second["id"], "--json"), 1, "no such memory")
    assert ok(run("stats", "--json"))["memories"] == 2


def test_store_and_json_are_taken_before_and_after_the_verb(run: Run, tmp_path: Path) -> None:
    for place, arguments in enumerate(
        (
            ("--store", "{}", "--json", "add", "text"),
            ("add", "text", "--store", "{}", "--json"),
            ("-s", "{}", "add", "--json", "text"),
        )
    ):
        path = str(tmp_path / f"place {place}")
        ok(run(*(path if part == "{}" else part for part in arguments), env={"SCRUBJAY_STORE": ""}))
        assert ok(run("--json", "-s", path, "stats"))["memories"] == 1


def test_text_for_people(run: Run) -> None:
    result = run("add", "the room is 4.12", "--context", "office")
    assert "the room is 4.12" in result.stdout
    assert "office" in result.stdout
    hits = run("search", "which room", "--context", "office")
    assert hits.exit_code == 0
    assert "the room is 4.12" in hits.stdout
    assert [
        w for w in ("what", "where", "when", "lexical", "valid", "█", "▓", "▟", "now") if w not in hits.stdout
    ] == []
    assert "the room is 4.12" in run("list").stdout
    assert "learned" in run("history", json.loads(run("list", "--json").stdout)[0]["id"]).stdout
    assert "memories       1" in run("stats").stdout
    assert "sound" in run("verify").stdout
    assert "no memories" in run("search", "x", "-n", "nobody").stdout
    assert run("list", "-n", "nobody").stdout == ""


def test_a_backup_is_a_store(run: Run, tmp_path: Path) -> None:
    ok(run("add", "the room is 4.12", "--json"))
    done = ok(run("backup", str(tmp_path / "copy"), "--json"))
    assert (done["path"], done["seq"] > 0) == (str(tmp_path / "copy"), True)
    assert "the room is 4.12" in run("--store", str(tmp_path / "copy"), "list").stdout
    failed(run("backup", str(tmp_path / "copy")), 2, "exists")
    assert "events" in run("backup", str(tmp_path / "other")).stdout


def test_wrong_usage_ends_with_2(run: Run, tmp_path: Path) -> None:
    ok(run("add", "text", "--json"))
    failed(run("add", " "), 2, "blank")
    failed(run("add", "x", "--when", "yesterday"), 2, "when")
    failed(run("add", "x", "--metadata", "[1]"), 2, "--metadata")
    failed(run("add", "x", "--metadata", "{"), 2, "--metadata")
    failed(run("add", "x", "--metadata", '{"a": "\udcff"}'), 2, "--metadata")
    failed(run("add", "x", "--sensitive", "gossip"), 2, "sensitive")
    failed(run("add", "x", "--perishability", "eternal"), 2, "perishability")
    failed(run("add", "x", "-n", ""), 2, "namespace")
    failed(run("search", "x", "-k", "0"), 2, "k = 0")
    failed(run("search", "x", "--now", "NaN"), 2, "now")
    failed(run("search", "x", "--weights", '{"who": 1}'), 2, "who")
    failed(run("search", "x", "--filter", "{"), 2, "--filter")
    failed(run("search", "x", "--filter", '{"$when": "soon"}'), 2, "$when")
    failed(run("list", "--limit", "-1"), 2, "limit")
    failed(run("search", "x", env={"SCRUBJAY_STORE": ""}), 2, "--store")
    for arguments in ((), ("frob",), ("add",), ("add", "x", "--frob"), ("import", "f", "--format", "xml")):
        assert run(*arguments).exit_code == 2


def test_failures_end_with_1(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    for verb in ("search x", "list", "get id", "delete id", "history id", "stats", "verify"):
        failed(run(*verb.split(), "--store", missing), 1, "no store at")
    assert not missing.exists()
    ok(run("add", "text", "--json"))
    failed(run("get", "no-such-id"), 1, "no-such-id")
    failed(run("delete", "no-such-id"), 1, "no-such-id")
    failed(run("import", tmp_path / "no.jsonl"), 1, "no.jsonl")
    failed(run("import", tmp_path), 1, "")
    (tmp_path / "other").mkdir()
    failed(run("stats", "--store", tmp_path / "other"), 1, "store")


def test_verify_ends_with_1_when_anything_is_wrong(run: Run, tmp_path: Path) -> None:
    for number in range(5):
        ok(run("add", f"fact {number}", "--json"))
    assert ok(run("verify", "--json"))["ok"] is True
    log = next((tmp_path / "store").glob("*.sqlite"))
    with sqlite3.connect(log) as connection:
        table = "events"
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        blob = next(name for name in columns if name in ("body", "payload", "data"))
        connection.execute(f"UPDATE {table} SET {blob} = zeroblob(length({blob})) WHERE rowid = 3")
    connection.close()
    result = run("verify", "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["ok"] is False
    assert report["findings"]
    assert run("verify").exit_code == 1


def test_import_of_json_lines(run: Run, tmp_path: Path) -> None:
    lines = [{"text": f"fact {n}", "namespace": ["ann"], "when": "2025-03-09"} for n in range(20)]
    path = tmp_path / "facts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = ok(run("import", path, "-n", "team", "--batch", "7", "--json"))
    assert report == {"format": "jsonl", "read": 20, "added": 20, "known": 0, "skipped": []}
    assert len(ok(run("list", "-n", "team", "-n", "ann", "--json"))) == 20
    again = run("import", path, "-n", "team")
    assert again.exit_code == 0
    assert again.stdout == "0 memories added, 20 were known\n"


def test_a_file_with_a_bad_line_is_refused_whole_unless_told_otherwise(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_text('{"text": "one"}\nbroken\n{"text": ""}\n{"text": "four"}\n')
    result = run("import", path)
    assert result.exit_code == 1
    assert [line.split(":")[1].split(";")[0] for line in result.stderr.splitlines()] == [
        " line 2",
        " line 3",
        " nothing was written",
    ]
    failed(run("stats"), 1, "no store at")
    refused = run("import", path, "--json")
    assert refused.exit_code == 1
    told = json.loads(refused.stdout)
    assert (told["added"], [entry["line"] for entry in told["bad"]]) == (0, [2, 3])
    report = ok(run("import", path, "--skip-bad", "--json"))
    assert (report["added"], [entry["line"] for entry in report["skipped"]]) == (2, [2, 3])
    path.write_text("broken\n" * 1000)
    assert len(run("import", path).stderr.splitlines()) == commands.SHOWN_ERRORS + 2


def test_import_of_the_standard_input_and_of_a_chat(run: Run) -> None:
    chat = [
        {
            "sample_id": "conv-1",
            "conversation": {
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hi"}],
            },
        }
    ]
    assert ok(run("import", "-", "--json", input=json.dumps(chat)))["added"] == 1
    memory = ok(run("list", "-n", "conv-1", "--json"))[0]
    assert (memory["text"], memory["when"]) == ("Ann: Hi", to_seconds("2023-05-08T13:56Z"))
    assert memory["metadata"]["dia_id"] == "D1:1"
    assert ok(run("import", "-", "--format", "jsonl", "--json", input='{"text": "conversation"}\n'))["added"] == 1
    assert ok(run("add", "-", "--json", input="read from\nthe pipe\n"))["text"] == "read from\nthe pipe"


def test_nothing_in_a_stored_text_reaches_the_terminal_as_a_command(run: Run) -> None:
    evil = "red \x1b[31m bell \x07 turn \u202e csi \x9b [bold]markup[/bold] :smile: \r over"
    memory = ok(run("add", evil, "--context", "c\x1b[2J", "--metadata", '{"k\\u001b": "v"}', "--json"))
    assert memory["text"] == evil
    for verb in (("list",), ("get", memory["id"]), ("search", "red"), ("history", memory["id"])):
        shown = run(*verb).stdout
        assert not set(shown) & set("\x1b\x07\u202e\x9b\r")
        assert "[bold]markup[/bold] :smile:" in shown
        assert "\\x1b" in shown


def test_printable_text() -> None:
    assert render.printable("a\n b\tc") == "a b c"
    assert render.printable("a\n b\tc\x00", lines=True) == "a\n b\tc\\x00"
    assert render.printable("x" * 30, limit=10) == "x" * 9 + "…"
    assert render.printable("🏳️‍🌈 naïve 成语") == "🏳️‍🌈 naïve 成语"
    assert render.printable("\ud800") == "\\ud800"


def test_bars_are_as_long_as_their_sum() -> None:
    rows = ({"what": 0.25, "when": 0.25}, {"what": 0.1, "where": 0.1, "when": 0.3}, {"graph": 0.5, "what": -1.0})
    for factors in rows:
        assert len(render.bar(factors, 0.5).plain.rstrip()) == render.BAR
        assert len(render.bar(factors, 1.0).plain.rstrip()) == render.BAR // 2
        assert len(render.bar(factors, 1.0).plain) == render.BAR
    assert render.bar({"what": 0.0}, 0.0).plain.strip() == ""


def test_bars_are_coloured_where_there_is_colour(run: Run) -> None:
    ok(run("add", "the room is 4.12", "--json"))
    with scrubjay.open(os.environ["SCRUBJAY_STORE"], embedder=WordHash()) as store:
        hits = store.search("the room", now=to_seconds("2030-01-01"))
    stream = io.StringIO()
    render.show_hits(Console(file=stream, force_terminal=True, color_system="truecolor", width=200), hits)
    assert "\x1b[36m█" in stream.getvalue()
    assert "\x1b[33m▒" in stream.getvalue()


def test_bug_23_paths_of_every_kind(run: Run, tmp_path: Path) -> None:
    for name in ("ümläut", "成语 space", "x" * 200, "-dash"):
        path = tmp_path / name
        ok(run("add", "text", "--json", "--store", path))
        assert ok(run("stats", "--json", "--store", path))["memories"] == 1


def test_bug_12_queries_with_operators(run: Run) -> None:
    ok(run("add", "成语 しりとり 설비 multi-agent GB/s don't", "--json"))
    for query in ("成语", "しりとり", "설비", "multi-agent", "GB/s", "don't", '"', "*", "", " "):
        ok(run("search", query, "--json"))


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version").stdout.strip() == scrubjay.__version__


def test_the_module_runs_and_shows_no_traceback(tmp_path: Path) -> None:
    done = spawn("--store", str(tmp_path / "none"), "stats")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"scrubjay: no store at {str(tmp_path / 'none')!r}\n"
    assert spawn("frob").returncode == 2
    assert spawn("--version").stdout.strip() == scrubjay.__version__
    assert spawn("--version", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}).returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_terminal_of_any_encoding_is_served(run: Run, encoding: str) -> None:
    ok(run("add", "成语 👍🏽 the room", "--json"))
    environment = os.environ | {
        "PYTHONPATH": str(Path(scrubjay.__file__).parents[1]),
        "PYTHONIOENCODING": encoding,
        "PYTHONUTF8": "0",
    }
    for arguments in (("list",), ("search", "room"), ("list", "--json")):
        done = subprocess.run(
            [sys.executable, "-c", WITH_WORD_HASH, *arguments],
            capture_output=True,
            check=False,
            env=environment,
            cwd=Path(__file__).parents[2],
        )
        assert (done.returncode, done.stderr) == (0, b"")
        shown = done.stdout.decode(encoding)
        assert "the room" in shown
    assert json.loads(shown)[0]["text"] == "成语 👍🏽 the room"


def test_the_standard_input_is_checked(run: Run) -> None:
    failed(run("add", "-", input=b"\xff\xfe"), 2, "not UTF-8, from byte 0")
    failed(run("add", "-", input=b"x" * (MAX_TEXT_BYTES + 10)), 2, "8,388,608")
    failed(run("add", "-", input="é".encode() * (MAX_TEXT_BYTES // 2 + 10) + b"x"), 2, "8,388,608")
    failed(run("add", "-", input=b""), 2, "blank")
    failed(run("add", "a\ud800b"), 2, "surrogate")


def test_without_the_extra_the_pip_line_is_shown() -> None:
    code = "import sys; sys.modules['typer'] = None; from scrubjay.cli import main; main()"
    environment = os.environ | {"PYTHONPATH": str(Path(scrubjay.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "pip install 'scrubjay[cli]'" in done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, run: Run) -> None:
    for number in range(50):
        ok(run("add", f"fact {number} " + "x" * 3000, "--json"))
    environment = os.environ | {"PYTHONPATH": str(Path(scrubjay.__file__).parents[1])}
    writer = subprocess.Popen(
        [sys.executable, "-c", WITH_WORD_HASH, "list", "--json", "--limit", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.close()
    errors = writer.stderr.read()
    writer.stderr.close()
    writer.wait(60)
    assert errors == b""


def test_a_pipe_is_imported_like_a_file(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = "".join(f'{{"text": "line {i}"}}\n' for i in range(3))
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(pipe.write_text, lines)
        assert ok(run("import", str(pipe), "--json"))["added"] == 3
        writing.result(30)
    failed(run("import", str(tmp_path)), 1, str(tmp_path))
