"""`scrubjay evaluate ...`: the tests from the command line. Extras: [cli], [eval], and [plot] for figures.

Results go to the standard output (Markdown, or JSON with --json), progress to the error stream. With --out the units of
work are kept there, so that the same command goes on where it was.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate import benchmarks, report, tgt, validity
from scrubjay.evaluate.ours import MECHANISMS
from scrubjay.evaluate.registry import SYSTEMS, Candidate, candidates, open_embedder
from scrubjay.evaluate.runs import Runs, files_digest
from scrubjay.evaluate.suite import FORMAT, PARTS, Difference, Report, Suite, run_suite
from scrubjay.evaluate.tgt import metrics as tgt_metrics
from scrubjay.evaluate.tgt import reference
from scrubjay.evaluate.tgt.judging import ModelJudge
from scrubjay.evaluate.tgt.naturalise import naturalise
from scrubjay.evaluate.tgt.run import run as run_tgt
from scrubjay.llm.client import configured_model
from scrubjay.protocols import Progress

app = typer.Typer(
    help="Does this memory find what is asked, and does it know what no longer holds?",
    no_args_is_help=True,
    add_completion=False,
)

DEFAULT_SYSTEMS = "ours,ours_global,ours_no_decay,bm25,dense,rrf,zsum,dense_recency"

Systems = Annotated[
    str, typer.Option("--systems", metavar="NAMES", help=f"Names with commas between: {', '.join(SYSTEMS)}.")
]
EmbedderName = Annotated[str, typer.Option("--embedder", help="universal or minilm.")]
Cache = Annotated[Path | None, typer.Option("--cache", help="Folder of the embedding cache (or set SCRUBJAY_CACHE).")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the report, the figures and what was done so far.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Draws = Annotated[int, typer.Option("--draws", min=10, help="Bootstrap draws.")]
Ablate = Annotated[
    str,
    typer.Option("--ablate", metavar="NAMES", help=f"Mechanisms to switch off, each and all: {', '.join(MECHANISMS)}."),
]
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="How many seeds, from --seed on.")]


class _Told:
    """A line on the error stream that is written over as work goes on; silent where that is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __call__(self, title: str) -> Progress | None:
        if not self._shown:
            return None

        def tell(done: int, total: int) -> None:
            print(f"\r\033[K{title}: {done}/{total}", end="", file=sys.stderr, flush=True)

        return tell

    def end(self) -> None:
        """Clear the line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _suite(embedder: str, cache: Path | None, out: Path | None, draws: int) -> Iterator[Suite]:
    told = _Told()
    opened = open_embedder(embedder, cache, progress=told("embedding"))
    try:
        yield Suite(opened, Runs(None if out is None else out / "runs"), draws=draws, tell=told)
    finally:
        told.end()


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _open(systems: str, suite: Suite, seed: int = 0) -> list[Candidate]:
    return candidates(_names(systems), suite.embedder, model=configured_model(), seed=seed)


def _give(result: Report, out: Path | None, as_json: bool) -> None:
    if out is not None:
        for path in report.write(result, out):
            print(path, file=sys.stderr)
    if as_json:
        sys.stdout.write(report.to_json(result).decode() + "\n")
    else:
        sys.stdout.write(report.markdown(result))


@app.command("tgt")
def tgt_command(
    seed: Annotated[int, typer.Option("--seed", help="Seed of the generator.")] = 4242,
    instances: Annotated[int, typer.Option("--instances", min=1, help="Instances, 66 queries each; at least 4.")] = 20,
    unique_keys: Annotated[bool, typer.Option("--unique-keys", help="No repeated (subject, category).")] = False,
    no_cues: Annotated[bool, typer.Option("--no-cues", help="No time words in the perishable bodies.")] = False,
    seeds: Seeds = 1,
    systems: Systems = DEFAULT_SYSTEMS,
    fit: Annotated[bool, typer.Option("--fit", help="Fit the length of a session on I1, I2, I4.")] = False,
    ablate: Ablate = "",
    save: Annotated[Path | None, typer.Option("--save", help="Write the benchmark to this file and stop.")] = None,
    natural: Annotated[bool, typer.Option("--naturalise", help="Let the model rewrite all texts.")] = False,
    model_judge: Annotated[bool, typer.Option("--model-judge", help="Let the model judge answers.")] = False,
    benchmark: Annotated[Path | None, typer.Option("--benchmark", help="Use this file instead of generating.")] = None,
    embedder: EmbedderName = "universal",
    cache: Cache = None,
    out: Out = None,
    draws: Draws = 1000,
    as_json: AsJson = False,
) -> None:
    """The Temporal Generalization Test: is the fact found, and is what is said about its validity right?"""
    if save is not None or benchmark is not None or natural or model_judge:
        _tgt_special(seed, instances, unique_keys, not no_cues, systems, save, natural, model_judge, benchmark,
                     embedder, cache, draws, as_json)  # fmt: skip
        return
    with _suite(embedder, cache, out, draws) as suite:
        chosen = list(range(seed, seed + seeds))
        rows = suite.tgt(
            _open(systems, suite, seed), seeds=chosen, instances=instances, unique_keys=unique_keys, cues=not no_cues,
            fit=fit,
        )  # fmt: skip
        missing = (
            suite.ablate(_names(ablate), talks=None, facts=None, seeds=chosen, instances=instances) if ablate else []
        )
        result = Report(FORMAT, suite.about({}), tgt=tuple(rows), ablation=tuple(missing))
    _give(result, out, as_json)


def _tgt_special(
    seed: int, instances: int, unique_keys: bool, cues: bool, systems: str, save: Path | None, natural: bool,
    model_judge: bool, path: Path | None, embedder: str, cache: Path | None, draws: int, as_json: bool,
) -> None:  # fmt: skip
    """A benchmark from or to a file, rewritten or judged by the model."""
    model = configured_model() if natural or model_judge else None
    if (natural or model_judge) and model is None:
        raise ArgumentError("--naturalise, --model-judge: no model is configured; set SCRUBJAY_LLM_MODEL")
    told = _Told()
    if path is not None:
        made = tgt.loads(path.read_bytes())
    else:
        made = tgt.generate(seed, instances, unique_keys=unique_keys, cues=cues)
    if natural and model is not None:
        rewritten = naturalise(made, model, progress=told("rewriting"))
        made = rewritten.benchmark
        print(f"kept templates: {rewritten.kept_memories} memories, {rewritten.kept_queries} queries", file=sys.stderr)
    checked = tgt.audit(made)
    if save is not None:
        save.write_bytes(tgt.dumps(made))
        sys.stdout.write(report.to_json(checked).decode() + "\n")
        return
    judge = ModelJudge(model) if model_judge and model is not None else None
    rows: dict[str, Any] = {}
    opened = open_embedder(embedder, cache, progress=told("embedding"))
    for system in candidates(_names(systems), opened, model=configured_model(), seed=seed):
        if judge is None:
            done = run_tgt(system.make, made, progress=told(system.title))
        else:
            done = run_tgt(system.make, made, progress=told(system.title), judge_with=partial(_judged, judge))
        rows[system.title] = tgt_metrics.score(done.outcomes, draws=draws)
    told.end()
    if as_json:
        sys.stdout.write(report.to_json({"audit": checked, "systems": rows}).decode() + "\n")
        return
    body = [[name, report.span(s.combined), report.number(s.factual), report.number(s.staleness),
             f"{s.gen_gap.estimate:+.3f}"] for name, s in rows.items()]  # fmt: skip
    sys.stdout.write(report.table(["system", "combined", "factual", "staleness", "GenGap"], body) + "\n")


def _judged(judge: ModelJudge, query: tgt.Query, said: str) -> tgt.Verdict:
    return judge.judge(query.text, said, reference=query.answer, valid=query.valid)


@app.command("reference")
def reference_command(
    seed: Annotated[int, typer.Option("--seed")] = 4242,
    instances: Annotated[int, typer.Option("--instances", min=4)] = 20,
    as_json: AsJson = False,
) -> None:
    """What strategies get on the TGT that are handed the right fact: the floor and the ceiling of the other rows."""
    made = tgt.generate(seed, instances)
    scores = {n: tgt_metrics.score(reference.outcomes(made, s), draws=200) for n, s in reference.STRATEGIES.items()}
    if as_json:
        sys.stdout.write(report.to_json(scores).decode() + "\n")
        return
    body = [[n, report.number(s.combined.estimate), f"{s.gen_gap.estimate:+.2f}", f"{s.interp_gap.estimate:+.2f}"]
            for n, s in scores.items()]  # fmt: skip
    sys.stdout.write(report.table(["strategy", "combined", "GenGap", "InterpGap"], body) + "\n")
    sys.stdout.write(tgt_metrics.GENGAP_READING + "\n")


@app.command("conversations")
def conversations_command(
    file: Annotated[Path, typer.Argument(help="A file in the LoCoMo layout.", exists=True, dir_okay=False)],
    scope: Annotated[str, typer.Option("--scope", help="conversation, shared, or both.")] = "both",
    date: Annotated[bool, typer.Option("--date", help="Put the session's date into the text.")] = False,
    window: Annotated[int, typer.Option("--window", min=0, help="Join this many turns before and after.")] = 0,
    systems: Systems = DEFAULT_SYSTEMS,
    ablate: Ablate = "",
    embedder: EmbedderName = "universal",
    cache: Cache = None,
    out: Out = None,
    draws: Draws = 1000,
    as_json: AsJson = False,
) -> None:
    """Retrieval on real conversations: LoCoMo, or your own chats in its layout."""
    if scope not in ("conversation", "shared", "both"):
        raise ArgumentError(f"--scope: {shown(scope)} is unknown; give conversation, shared or both")
    with _suite(embedder, cache, out, draws) as suite:
        scopes = ("conversation", "shared") if scope == "both" else (scope,)
        rows = suite.conversations(_open(systems, suite), file, scopes=scopes, date=date, window=window)
        missing = _ablate_conversations(suite, _names(ablate), file)
        result = Report(
            FORMAT, suite.about({"conversations": files_digest([file])}), conversations=tuple(rows), ablation=missing
        )
    _give(result, out, as_json)


def _ablate_conversations(suite: Suite, mechanisms: Sequence[str], file: Path) -> tuple[Difference, ...]:
    if not mechanisms:
        return ()
    return tuple(suite.ablate(mechanisms, talks=file, facts=None, benchmarks=False))


@app.command("validity")
def validity_command(
    files: Annotated[list[Path], typer.Argument(help="JSONL files of facts.", exists=True, dir_okay=False)],
    systems: Systems = DEFAULT_SYSTEMS + ",dense_plus_365",
    ablate: Ablate = "",
    all_subjects: Annotated[
        bool,
        typer.Option("--all-subjects", help="Retrieve over all subjects, also those that the head was trained on."),
    ] = False,
    embedder: EmbedderName = "universal",
    cache: Cache = None,
    out: Out = None,
    draws: Draws = 1000,
    as_json: AsJson = False,
) -> None:
    """Validity of real facts: is P(still valid) right, and is the version found that holds?"""
    with _suite(embedder, cache, out, draws) as suite:
        facts, data = validity.load_facts(files), files_digest(files)
        rows = suite.validity(facts, data)
        asked = facts if all_subjects else facts.take(validity.split_subjects(facts).test)
        name = f"{data}{'-all' if all_subjects else ''}"
        changed = suite.updates(_open(systems, suite), asked, name)
        missing = _ablate_updates(suite, _names(ablate), asked, name)
        result = Report(
            FORMAT, suite.about({"validity": data}), validity=tuple(rows), updates=tuple(changed),
            ablation=missing,
        )  # fmt: skip
    _give(result, out, as_json)


def _ablate_updates(
    suite: Suite, mechanisms: Sequence[str], facts: validity.Facts, data: str
) -> tuple[Difference, ...]:
    if not mechanisms:
        return ()
    return tuple(suite.ablate(mechanisms, talks=None, facts=facts, data=data, benchmarks=False))


@app.command("suite")
def suite_command(
    data: Annotated[Path, typer.Argument(help="Folder with locomo/ and validity/.", exists=True, file_okay=False)],
    out: Annotated[Path, typer.Option("--out", help="Folder for the report, the figures and what was done so far.")],
    embedder: EmbedderName = "universal",
    cache: Cache = None,
    draws: Draws = 1000,
    ablate: Ablate = "decay,types,competition,when",
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=2, help="Processes that share the work.")] = 2,
    part: Annotated[str, typer.Option("--part", hidden=True)] = "",
    as_json: AsJson = False,
) -> None:
    """All three tests with every baseline that needs no model, comparisons, ablation, report and figures."""
    if part:
        with _suite(embedder, cache, out, draws) as suite:
            run_suite(suite, data, mechanisms=_names(ablate), parts=(part,))
        return
    if jobs == 2:
        own = ["suite", str(data), "--out", str(out), "--embedder", embedder, "--draws", str(draws), "--ablate", ablate]
        own += [] if cache is None else ["--cache", str(cache)]
        command = [sys.executable, "-m", "scrubjay", "evaluate", *own]
        with subprocess.Popen([*command, "--part", PARTS[1]], stdout=subprocess.DEVNULL) as other:
            with _suite(embedder, cache, out, draws) as suite:
                run_suite(suite, data, mechanisms=_names(ablate), parts=PARTS[:1])
            if other.wait() != 0:
                print("the second process ended early; its part is done again here", file=sys.stderr)
    with _suite(embedder, cache, out, draws) as suite:
        result = run_suite(suite, data, mechanisms=_names(ablate))
    _give(result, out, as_json)


@app.command("longmemeval")
def longmemeval_command(
    file: Annotated[Path, typer.Argument(help="A LongMemEval file of your own.", exists=True, dir_okay=False)],
    systems: Systems = DEFAULT_SYSTEMS,
    embedder: EmbedderName = "universal",
    cache: Cache = None,
    draws: Draws = 1000,
    as_json: AsJson = False,
) -> None:
    """LongMemEval: retrieval by its own definitions; with a model configured, answers of b1, b6 and b7 too."""
    _public("longmemeval", file, systems, embedder, cache, draws, as_json)


@app.command("memoryagentbench")
def memoryagentbench_command(
    file: Annotated[Path, typer.Argument(help="A MemoryAgentBench file of your own.", exists=True, dir_okay=False)],
    systems: Systems = DEFAULT_SYSTEMS,
    embedder: EmbedderName = "universal",
    cache: Cache = None,
    draws: Draws = 1000,
    as_json: AsJson = False,
) -> None:
    """MemoryAgentBench: is an answer in the best ten chunks; with a model configured, EM, F1, substring, ROUGE-L."""
    _public("memoryagentbench", file, systems, embedder, cache, draws, as_json)


def _public(name: str, file: Path, systems: str, embedder: str, cache: Path | None, draws: int, as_json: bool) -> None:
    told, model = _Told(), configured_model()
    opened = open_embedder(embedder, cache, progress=told("embedding"))
    scores: list[benchmarks.BenchmarkScore] = []
    for system in candidates(_names(systems), opened, model=model):
        speaks = system.name in ("b1", "b6", "b7")
        tell = told(system.title)
        if name == "longmemeval":
            judge = model if speaks else None
            scores.append(benchmarks.evaluate_longmemeval(system.make, file, model=judge, draws=draws, progress=tell))
        else:
            scores.append(
                benchmarks.evaluate_memoryagentbench(system.make, file, speaks=speaks, draws=draws, progress=tell)
            )
    told.end()
    if as_json:
        sys.stdout.write(report.to_json(scores).decode() + "\n")
        return
    columns = list(dict.fromkeys(m for s in scores for m in s.overall))
    body = [
        [s.system, *(report.number(s.overall[m].estimate) if m in s.overall else "-" for m in columns)] for s in scores
    ]
    sys.stdout.write(f"{scores[0].benchmark}, n = {scores[0].n}\n" + report.table(["system", *columns], body) + "\n")


@app.command("report")
def report_command(
    folder: Annotated[Path, typer.Argument(help="Folder of an earlier suite: its report.json.", exists=True)],
) -> None:
    """Draw the figures of an earlier report again."""
    for path in report.figures(report.from_json((folder / "report.json").read_bytes()), folder):
        print(path)
