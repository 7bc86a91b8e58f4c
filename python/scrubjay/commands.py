"""The verbs of the command line, over the facade alone. Extra: [cli].

Exit codes: 0 done, 1 failed (a memory that is not there, a store that is damaged), 2 wrong usage. An error is one line
on the error stream. `--store` and `--json` are taken before the verb and after it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import msgspec
import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

import scrubjay
from scrubjay import demo as demonstration
from scrubjay import importers, render
from scrubjay.encode.normal import MAX_TEXT_BYTES
from scrubjay.encode.when import to_iso
from scrubjay.errors import ArgumentError, FileError, ScrubjayError, StoreError, shown
from scrubjay.fold import catch_up
from scrubjay.importers import ImportFileError, Item
from scrubjay.llm import configured_model
from scrubjay.memory import Subtree
from scrubjay.memorystore import MemoryStore
from scrubjay.store.verify import verify_path

MEASURE: Final = "Try and measure"
"""Where `--help` lists what shows how well all of this works."""
SHOWN_ERRORS: Final = 10
"""Lines of a file that are named when it is refused; the rest is counted."""
_SECONDS: Final = re.compile(r"[+-]?[0-9]{6,}(\.[0-9]*)?")


class _Group(TyperGroup):
    """Turns what scrubjay raises on purpose into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our output is gone; its exit must not end in a complaint about ours.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except (ScrubjayError, OSError) as error:
            usage = isinstance(error, ArgumentError) and not isinstance(error, (FileError, ImportFileError))
            _fail(str(error), 2 if usage else 1)


app = typer.Typer(
    cls=_Group,
    help="Agent memory that knows what still holds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

StorePath = Annotated[
    str | None, typer.Option("--store", "-s", metavar="PATH", help="Folder of the store (or set SCRUBJAY_STORE).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
EmbedderName = Annotated[
    str | None,
    typer.Option("--embedder", metavar="NAME", help="universal (the default) or minilm (or set SCRUBJAY_EMBEDDER)."),
]
Namespace = Annotated[
    list[str] | None, typer.Option("--namespace", "-n", metavar="LABEL", help="A label; give it again for the next.")
]
Below = Annotated[bool, typer.Option("--subtree", help="And all namespaces below it.")]
Context = Annotated[str | None, typer.Option("--context", "-c", help="The task context, as text.")]
When = Annotated[
    str | None, typer.Option("--when", metavar="TIME", help="ISO time (UTC where it has no offset) or epoch seconds.")
]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]


class FileFormat(str, Enum):
    """What a file may be."""

    JSONL = "jsonl"
    LOCOMO = "locomo"


class _Options(msgspec.Struct):
    store: str | None = None
    json: bool = False
    embedder: str | None = None


_options = _Options()


def run() -> None:
    """Parses the process's arguments, runs the verb, and ends the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character shows its escape.
            stream.reconfigure(errors="backslashreplace")
    asked = sys.argv[1:]
    if not asked or "--help" in asked or "evaluate" in asked:
        mount_evaluate()
    app(prog_name="scrubjay")


def mount_evaluate() -> None:
    """Adds `scrubjay evaluate`, whose modules no other verb needs."""
    from scrubjay.evaluate.cli import app as evaluate

    app.add_typer(evaluate, name="evaluate", rich_help_panel=MEASURE)


def _print_version(asked: bool) -> None:
    if asked:
        print(scrubjay.__version__)
        raise typer.Exit


@app.callback()
def options(
    store: StorePath = None,
    as_json: AsJson = False,
    embedder: EmbedderName = None,
    version: Annotated[  # noqa: ARG001 (its callback does it)
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Agent memory that knows what still holds."""
    _options.store, _options.json, _options.embedder = store, as_json, embedder


@app.command()
def add(
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from the standard input.")],
    context: Context = None,
    namespace: Namespace = None,
    when: When = None,
    metadata: Annotated[str | None, typer.Option("--metadata", metavar="JSON", help="A JSON object.")] = None,
    key: Annotated[str | None, typer.Option("--key", help="Your own identity for it.")] = None,
    perishability: Annotated[
        str | None,
        typer.Option("--perishability", metavar="LABEL", help="factual, procedural, task_specific or ephemeral."),
    ] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Never prune it.")] = False,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", metavar="CLASS", help="medical, financial, safety or legal.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Remember a text."""
    item: Item = {
        "text": _read_text() if text == "-" else text,
        "context": context,
        "namespace": tuple(namespace or ()),
        "when": _time(when),
        "metadata": None if metadata is None else _json_object(metadata, "--metadata"),
        "key": key,
        "perishability": perishability,
        "pinned": pinned,
        "sensitive": sensitive,
    }
    checked = importers.check_item(item)
    with _open(store) as opened:
        memory = opened.add(**checked)
    if _wants_json(as_json):
        _print_json(memory)
    else:
        render.show_memory(_console(), memory)


@app.command("import")
def import_file(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines or LoCoMo JSON; - is the standard input.")],
    format: Annotated[
        FileFormat | None, typer.Option("--format", help="By default it is told from the content.")
    ] = None,
    namespace: Namespace = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out what is bad, and say so.")] = False,
    batch: Annotated[int, typer.Option("--batch", min=1, max=65536, help="Memories per commit.")] = 256,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Add the memories of a file; a file with a bad entry is refused whole, unless --skip-bad."""
    labels = tuple(namespace or ())
    with _seekable(file) as path, render.progress(_wants_json(as_json)) as bars:
        kind = importers.detect_format(path) if format is None else format.value
        bad: list[ImportFileError] = []
        step = bars.add_task("checking", total=None)
        total = sum(1 for _ in importers.read_items(path, format=kind, namespace=labels, on_bad=bad.append))
        bars.remove_task(step)
        if bad and not skip_bad and _wants_json(as_json):
            _print_json({"format": kind, "read": total, "added": 0, "known": 0, "skipped": [], "bad": _told(bad)})
        _report_bad(bad, skip_bad)
        with _open(store) as opened:
            added = 0
            step = bars.add_task("adding", total=total)
            items = importers.read_items(path, format=kind, namespace=labels, on_bad=lambda _: None)
            while chunk := list(islice(items, batch)):
                added += opened.add_many(chunk, batch=batch).added
                bars.advance(step, len(chunk))
    if _wants_json(as_json):
        _print_json({"format": kind, "read": total, "added": added, "known": total - added, "skipped": _told(bad)})
    else:
        known = f", {total - added:,} were known" if total > added else ""
        left_out = f", {len(bad):,} left out" if bad else ""
        _console().print(Text(f"{added:,} memories added{known}{left_out}"))


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What is asked.")],
    k: Annotated[int, typer.Option("--k", "-k", help="How many hits at most.")] = 10,
    context: Context = None,
    namespace: Namespace = None,
    subtree: Below = False,
    now: Annotated[str | None, typer.Option("--now", metavar="TIME", help="The time that is asked about.")] = None,
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="JSON", help='Of the factors, as {"what": 1}.')
    ] = None,
    filter: Annotated[
        str | None,
        typer.Option("--filter", metavar="JSON", help='Which memories, as {"$when": {"$gte": "2026-05-01"}}.'),
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Find what answers a question and still holds."""
    given = None if weights is None else _json_object(weights, "--weights")
    only = None if filter is None else _json_object(filter, "--filter")
    with _open(store, reading=True) as opened:
        where = _where(namespace, subtree)
        hits = opened.search(query, k=k, context=context, namespace=where, now=_time(now), weights=given, filter=only)
    if _wants_json(as_json):
        _print_json({"query": query, "exact": hits.exact, "notes": list(hits.notes), "hits": list(hits)})
    else:
        render.show_hits(_console(), hits, notes=hits.notes)


@app.command("list")
def list_memories(
    namespace: Namespace = None,
    subtree: Below = False,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option("--after", metavar="ID", help="Go on behind this memory.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """List the memories of a namespace in the order in which they were added."""
    with _open(store, reading=True) as opened:
        memories = opened.list(namespace=_where(namespace, subtree), limit=limit, after=after)
    if _wants_json(as_json):
        _print_json(memories)
        return
    console = _console()
    for memory in memories:
        render.show_line(console, memory)


@app.command()
def get(id: MemoryId, namespace: Namespace = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """Show one memory."""
    with _open(store, reading=True) as opened:
        memory = opened.get(id, namespace=_scope(namespace))
    if _wants_json(as_json):
        _print_json(memory)
    else:
        render.show_memory(_console(), memory)


@app.command()
def history(id: MemoryId, namespace: Namespace = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """Show what happened to a memory, oldest first."""
    with _open(store, reading=True) as opened:
        entries = opened.history(id, namespace=_scope(namespace))
    if _wants_json(as_json):
        _print_json(entries)
        return
    console = _console()
    for entry in entries:
        console.print(Text(f"{to_iso(entry.at)}  ", style="dim") + Text(render.printable(str(entry))), soft_wrap=True)


@app.command()
def integrate(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The new evidence.")],
    context: Context = None,
    namespace: Namespace = None,
    when: When = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen and change nothing.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Remember new evidence and let it revise the memories that it is about."""
    with _open(store, reading=dry_run) as opened:
        done = opened.integrate(
            text, context=context, namespace=tuple(namespace or ()), when=_time(when), dry_run=dry_run
        )
    if _wants_json(as_json):
        _print_json(done)
        return
    console = _console()
    console.print(Text(f"{len(done.affected):,} moved, {len(done.superseded):,} superseded"))
    if not done.complete:
        console.print(Text("note: more memories resemble this than were compared", style="yellow"))
    for id in done.superseded:
        console.print(Text(f"superseded {id}", style="dim"))
    if done.event:
        console.print(Text(f"undo with: scrubjay undo {done.event}", style="dim"))


@app.command()
def verify(
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is derived.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Check everything that is stored; ends with 1 where anything is wrong."""
    report = verify_path(_path(store, existing=True), catch_up, repair=repair)
    if _wants_json(as_json):
        _print_json({"ok": report.ok, **msgspec.to_builtins(report)})
    else:
        _console().print(Text(render.printable(str(report), lines=True)), soft_wrap=True)
    if not report.ok:
        raise typer.Exit(1)


@app.command()
def demo(store: StorePath = None, as_json: AsJson = False) -> None:
    """Replay five weeks of an agent's work and ask ten questions as they pass."""
    clock = demonstration.Clock()
    console = _console()
    answers = []
    if not _wants_json(as_json):
        render.show_legend(console)
    with scrubjay.open(store or _options.store or ":memory:", clock=clock) as opened:
        for answer in demonstration.replay(opened, clock):
            answers.append(answer)
            if not _wants_json(as_json):
                _show_answer(console, answer)
    right = sum(answer.first for answer in answers)
    if _wants_json(as_json):
        shown = [
            {**msgspec.to_builtins(answer.question), "first": answer.first, "hits": list(answer.hits)}
            for answer in answers
        ]
        _print_json({"memories": answers[-1].memories, "right": right, "questions": shown})
    else:
        memories = answers[-1].memories
        summary = f"{right} of {len(answers)} questions have the right memory first, of {memories} memories."
        console.print(Text(summary, style="bold"))


def _show_answer(console: Console, answer: demonstration.Answer) -> None:
    asked = answer.question
    context = f", about {asked.context}" if asked.context else ""
    console.print(Text(f"{asked.now[:16].replace('T', ' ')}  {asked.question}", style="bold"))
    verdict = "right" if answer.first else "not first"
    line = Text(f"{answer.memories} memories so far{context}; expected first: {asked.expect!r}: ", style="dim")
    console.print(line + Text(verdict, style="green" if answer.first else "red"), soft_wrap=True)
    render.show_hits(console, answer.hits)
    console.print()


def _fail(message: str, code: int) -> NoReturn:
    line = render.printable(message)
    print(f"scrubjay: {line}", file=sys.stderr)
    raise typer.Exit(code)


def _wants_json(as_json: bool) -> bool:
    return as_json or _options.json


def _print_json(value: object) -> None:
    escaped = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") != "utf8"
    print(json.dumps(msgspec.to_builtins(value), ensure_ascii=escaped, indent=2))


def _read_text() -> str:
    raw = sys.stdin.buffer.read(MAX_TEXT_BYTES + 2)
    try:
        return raw.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        # Past the limit a character may be cut in two: then the limit is what is wrong.
        if len(raw) <= MAX_TEXT_BYTES:
            _fail(f"the standard input is not UTF-8, from byte {error.start} on", 2)
        _fail(f"text: over {MAX_TEXT_BYTES:,} bytes of UTF-8; split it", 2)


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


@contextmanager
def _open(store: str | None, *, reading: bool = False, existing: bool = False) -> Iterator[MemoryStore]:
    path = _path(store, existing=reading or existing)
    with scrubjay.open(path, embedder=_embedder(), model=configured_model(), read_only=reading) as opened:
        yield opened


def _path(store: str | None, *, existing: bool) -> str:
    path = store or _options.store or os.environ.get("SCRUBJAY_STORE")
    if not path:
        _fail("no store: give --store PATH or set SCRUBJAY_STORE", 2)
    if existing and not Path(path).is_dir():
        raise StoreError(f"no store at {path!r}")
    return path


def _embedder() -> Any:
    name = _options.embedder or os.environ.get("SCRUBJAY_EMBEDDER") or "universal"
    if name == "universal":
        return None
    if name == "minilm":
        from scrubjay.encode.minilm import MiniLMEncoder

        return MiniLMEncoder()
    _fail(f"--embedder {name!r:.40}: expected universal or minilm", 2)


def _where(namespace: list[str] | None, subtree: bool) -> tuple[str, ...] | Subtree:
    labels = tuple(namespace or ())
    return Subtree(labels) if subtree else labels


def _scope(namespace: list[str] | None) -> tuple[str, ...] | None:
    return None if namespace is None else tuple(namespace)


def _time(text: str | None) -> str | float | None:
    return float(text) if text is not None and _SECONDS.fullmatch(text) else text


def _json_object(text: str, option: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        _fail(f"{option}: expected a JSON object ({error})", 2)


@contextmanager
def _seekable(file: str) -> Iterator[Path]:
    """The file's path; what can be read only once, the standard input or a pipe, is copied to a file first."""
    if file != "-" and (os.path.isdir(file) or not os.path.exists(file)):
        what = "is a folder" if os.path.isdir(file) else "does not exist"
        raise ImportFileError(f"FILE: {shown(file, 300)} {what}; name a file, or - for the standard input")
    if file != "-" and os.path.isfile(file):
        yield Path(file)
        return
    with tempfile.TemporaryDirectory(prefix="scrubjay-") as folder:
        path = Path(folder, "input")
        with path.open("wb") as copy, nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as given:
            shutil.copyfileobj(given, copy)
        yield path


def _told(bad: list[ImportFileError]) -> list[dict[str, Any]]:
    return [{"line": error.line, "error": str(error)} for error in bad]


def _report_bad(bad: list[ImportFileError], skip: bool) -> None:
    for error in bad[:SHOWN_ERRORS]:
        print(f"scrubjay: {render.printable(str(error))}", file=sys.stderr)
    if len(bad) > SHOWN_ERRORS:
        print(f"scrubjay: and {len(bad) - SHOWN_ERRORS:,} more", file=sys.stderr)
    if bad and not skip:
        _fail("nothing was written; mend the file, or leave these out with --skip-bad", 1)
