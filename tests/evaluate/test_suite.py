"""Runs that resume, the suite, its report and figures, and the command line."""

import json
import warnings

import msgspec
import numpy as np
import pytest

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import report as r
from scrubjay.evaluate.bootstrap import Interval
from scrubjay.evaluate.cache import CachedEmbedder
from scrubjay.evaluate.registry import SYSTEMS, candidates, code_digest
from scrubjay.evaluate.runs import Runs, files_digest
from scrubjay.evaluate.suite import Report, Suite, run_suite

from .fakes import HashEmbedder, ScriptedModel
from .test_conversations import sample
from .test_updates import version

pytest.importorskip("bm25s", reason="needs scrubjay[eval]")

pytestmark = pytest.mark.timeout(900)


# ---- runs ------------------------------------------------------------------------------------------------------------


class Thing(msgspec.Struct):
    x: float
    y: tuple[float, ...]


def test_a_unit_is_computed_once_and_survives_nan_and_infinity(tmp_path):
    calls = []

    def work():
        calls.append(1)
        return Thing(float("nan"), (1.5, float("inf"), float("-inf")))

    for _ in range(3):
        got = Runs(tmp_path).once({"task": "a", "seed": 1}, Thing, work)
        assert np.isnan(got.x)
        assert got.y == (1.5, float("inf"), float("-inf"))
    assert len(calls) == 1
    Runs(tmp_path).once({"task": "a", "seed": 2}, Thing, work)
    Runs(None).once({"task": "a", "seed": 1}, Thing, work)
    assert len(calls) == 3
    assert not list(tmp_path.glob("*.draft"))


@pytest.mark.parametrize("damage", [lambda d: d[: len(d) // 2], lambda d: d.replace(b"1.5", b"2.5"), lambda d: b"{}"])
def test_a_damaged_result_is_told_and_computed_again(tmp_path, damage):
    Runs(tmp_path).once({"task": "a"}, Thing, lambda: Thing(1.5, ()))
    (path,) = tmp_path.glob("*.json")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(UserWarning, match="computed again"):
        assert Runs(tmp_path).once({"task": "a"}, Thing, lambda: Thing(7.0, ())).x == 7.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Runs(tmp_path).once({"task": "a"}, Thing, lambda: Thing(0.0, ())).x == 7.0


def test_digests_follow_contents(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"1")
    b.write_bytes(b"1")
    assert files_digest([a]) == files_digest([b])
    assert files_digest([a, b]) != files_digest([a])
    assert code_digest() == code_digest()


# ---- the suite on small data -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    (root / "locomo").mkdir()
    (root / "validity").mkdir()
    talks = [{**sample(), "sample_id": f"talk {i}"} for i in range(3)]
    (root / "locomo" / "locomo-dev.json").write_text(json.dumps(talks))
    rows = [
        version(f"Dr {i}", f"room {i}-{y}", f"{y}-03-01", f"{y + 1}-03-01" if y < 2005 else None)
        for i in range(40)
        for y in range(2000, 2006)
    ]
    for name, part in zip(("congress", "endoflife", "yago"), (rows[0::3], rows[1::3], rows[2::3]), strict=True):
        text = "".join(json.dumps({**row, "src": name, "kind": f"{name} office"}) + "\n" for row in part)
        (root / "validity" / f"{name}.jsonl").write_text(text)
    return root


@pytest.fixture(scope="module")
def suite_of(folder, tmp_path_factory):
    base = tmp_path_factory.mktemp("out")

    def make():
        return Suite(CachedEmbedder(HashEmbedder(), base / "cache"), Runs(base / "runs"), draws=20)

    return make


@pytest.fixture(scope="module")
def result(folder, suite_of):
    systems = ("ours", "ours_paper", "dense", "dense_plus_365")
    return run_suite(
        suite_of(), folder, systems=systems, mechanisms=("decay", "competition"), seeds=(1, 2), instances=4
    )


def test_the_suite_fills_every_table(result):
    assert {row.system for row in result.tgt} == {"ours", "ours_paper", "dense", "dense_plus_365"}
    assert {(row.unique_keys, row.cues) for row in result.tgt} == {(a, b) for a in (True, False) for b in (True, False)}
    assert {row.score.scope for row in result.conversations} == {"conversation", "shared"}
    assert {row.split for row in result.validity} == {"held-out subjects", "kind left out", "source left out"}
    assert {row.title for row in result.validity} >= {"ours: decay off", "ours: trained head, as stored"}
    assert [row.system for row in result.updates] == ["ours", "ours_paper", "dense", "dense_plus_365"]
    assert {(d.test, d.second) for d in result.against} >= {("TGT, combined", "dense"), ("updates, R@1", "ours_paper")}
    assert {d.second for d in result.ablation} == {"decay", "competition", "all of them"}
    assert {d.test for d in result.ablation} == {"TGT, combined", "conversations, R@5", "updates, R@1"}
    assert not any(row.fitted for row in result.tgt if row.system == "dense")
    assert all(d.value.p_value is not None for d in result.ablation)


def test_a_second_run_reads_every_unit(result, folder, suite_of, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("computed again")

    monkeypatch.setattr("scrubjay.evaluate.suite.run_tgt", refuse)
    monkeypatch.setattr("scrubjay.evaluate.updates.evaluate", refuse)
    monkeypatch.setattr("scrubjay.evaluate.conversations.evaluate", refuse)
    systems = ("ours", "ours_paper", "dense", "dense_plus_365")
    again = run_suite(
        suite_of(), folder, systems=systems, mechanisms=("decay", "competition"), seeds=(1, 2), instances=4
    )
    assert r.to_json(again) == r.to_json(result)


def test_the_report_says_how_it_was_measured_and_reads_back(result):
    text = r.markdown(result)
    for words in ("POSITIVE when I3 lies", "InterpGap", "Evidence rule", "cut at 5", "bootstrap over subjects", "n = "):
        assert words in text
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("| ---"):
            assert lines[i - 1].count(" | ") == line.count(" | ") == lines[i + 1].count(" | ")
    back = r.from_json(r.to_json(result))
    assert back.tgt[0].score.combined.n == result.tgt[0].score.combined.n
    assert r.to_json(back) == r.to_json(result)
    assert len(r.to_json(result)) < 400_000
    assert b"per_question" not in r.to_json(result)
    for data in (b"{}", b"[", b'{"format": "x"}'):
        with pytest.raises(ArgumentError):
            r.from_json(data)


def test_every_figure_is_drawn_twice_alike(result, tmp_path):
    pytest.importorskip("matplotlib", reason="needs scrubjay[plot]")
    files = r.write(result, tmp_path / "one")
    names = {path.stem for path in files}
    assert names == {"report", "tgt-intervals", "tgt-cells", "tgt-decay", "validity-reliability", "conversations-cost",
                     "updates", "ablation"}  # fmt: skip
    again = r.figures(r.from_json(r.to_json(result)), tmp_path / "two")
    for path in again:
        assert path.read_bytes() == (tmp_path / "one" / path.name).read_bytes()
        assert 2_000 < path.stat().st_size < 300_000


def test_a_folder_without_the_data_is_named(suite_of, tmp_path):
    with pytest.raises(ArgumentError, match=r"locomo-dev\.json"):
        run_suite(suite_of(), tmp_path)
    with pytest.raises(ArgumentError, match="mechanism"):
        suite_of().ablate(["magic"], talks=None, facts=None)


def test_numbers_as_they_are_printed():
    assert [r.number(x) for x in (0.4171, -0.02, 1.0, float("nan"), None)] == [".417", "-.020", "1.000", "-", "-"]
    assert r.span(Interval(0.5, 0.25, 0.75, 9, 3)) == ".500 [.25, .75]"


# ---- systems by name -------------------------------------------------------------------------------------------------


def test_every_system_opens_by_name_and_speakers_need_a_model():
    model = ScriptedModel(lambda _: "no")
    found = candidates(SYSTEMS, HashEmbedder(), model=model)
    assert [c.name for c in found] == list(SYSTEMS)
    assert len({c.title for c in found}) == len(SYSTEMS)
    for one in found:
        if one.learn is not None:
            with pytest.raises(ArgumentError, match="no other test"):
                one.make()
            continue
        system = one.make()
        assert system.name == one.title
        system.close()
    with pytest.raises(ArgumentError, match="model"):
        candidates(["b6"], HashEmbedder())
    with pytest.raises(ArgumentError, match="bm25"):
        candidates(["bm26"], HashEmbedder())


# ---- the command line ------------------------------------------------------------------------------------------------


@pytest.fixture
def call(monkeypatch, tmp_path):
    pytest.importorskip("typer", reason="needs scrubjay[cli]")
    from typer.testing import CliRunner

    from scrubjay.evaluate import registry
    from scrubjay.evaluate.cli import app

    monkeypatch.setattr(registry, "EMBEDDERS", {"universal": HashEmbedder})
    monkeypatch.setenv("SCRUBJAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SCRUBJAY_LLM_MODEL", raising=False)

    def run(*arguments, fails=False):
        done = CliRunner().invoke(app, [str(a) for a in arguments])
        assert (done.exit_code != 0) == fails, done.output
        return done if fails else done.stdout

    return run


def test_tgt_from_the_command_line_as_json(call):
    found = json.loads(call("tgt", "--seed", 7, "--instances", 4, "--unique-keys", "--no-cues", "--json",
                            "--systems", "dense,memorybank", "--draws", 20))  # fmt: skip
    assert [row["title"] for row in found["tgt"]] == ["dense (B3)", "MemoryBank"]
    assert found["tgt"][0]["unique_keys"]
    assert not found["tgt"][0]["cues"]
    assert found["tgt"][0]["score"]["n"] == 264
    assert found["tgt"][1]["score"]["validity"]["all"]["n"] > 0


def test_a_benchmark_is_saved_and_used_again(call, tmp_path):
    path = tmp_path / "tgt.json"
    assert json.loads(call("tgt", "--instances", 4, "--save", path))["queries"] == 264
    assert "dense" in call("tgt", "--benchmark", path, "--systems", "dense", "--draws", 20)
    path.write_text(path.read_text().replace('"valid":true', '"valid":false', 1))
    assert isinstance(call("tgt", "--benchmark", path, fails=True).exception, ArgumentError)


def test_the_reference_rows_from_the_command_line(call):
    text = call("reference", "--instances", 4)
    assert "| true schedule | .909 | -0.20 |" in text


def test_conversations_and_validity_from_the_command_line(call, folder, tmp_path):
    out = tmp_path / "out"
    talks = folder / "locomo" / "locomo-dev.json"
    text = call("conversations", talks, "--systems", "dense", "--draws", 20, "--out", out, "--scope", "shared")
    assert "shared pool" in text
    assert (out / "report.json").is_file()
    assert list((out / "runs").glob("*.json"))
    files = sorted((folder / "validity").glob("*.jsonl"))
    found = json.loads(call("validity", *files, "--systems", "dense,ours_paper", "--draws", 20, "--json",
                            "--ablate", "decay"))  # fmt: skip
    assert len(found["updates"]) == 2
    assert {d["test"] for d in found["ablation"]} == {"updates, R@1"}
    assert isinstance(call("conversations", talks, "--scope", "all", fails=True).exception, ArgumentError)
    assert isinstance(call("conversations", talks, "--embedder", "gpt", fails=True).exception, ArgumentError)


def test_a_report_is_drawn_again(call, result, tmp_path):
    pytest.importorskip("matplotlib", reason="needs scrubjay[plot]")
    (tmp_path / "report.json").write_bytes(r.to_json(result))
    assert "ablation.png" in call("report", tmp_path)


def test_what_needs_a_model_says_so(call):
    for arguments in (("--naturalise",), ("--model-judge",), ("--systems", "b1")):
        done = call("tgt", "--instances", 4, *arguments, fails=True)
        assert isinstance(done.exception, ArgumentError)
        assert "model" in str(done.exception)


def test_a_report_holds_what_it_was_given():
    empty = Report("scrubjay.report/1", Suite(CachedEmbedder(HashEmbedder(), "unused")).about({}))
    assert "generated" in r.markdown(empty)
    assert r.figures(empty, "unused") == []
