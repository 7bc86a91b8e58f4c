"""The command line's verbs that change a memory, tell how it went with it, and learn from that. Extra: [cli].

Importing this module adds them to `scrubjay.commands.app`.
"""

from __future__ import annotations

import math
import os
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec
import typer
from rich.text import Text

import scrubjay
from scrubjay import commands, render
from scrubjay.commands import AsJson, Context, MemoryId, Namespace, StorePath, When
from scrubjay.commands_upkeep import Now
from scrubjay.errors import ArgumentError
from scrubjay.files import read_named
from scrubjay.importers import ImportFileError
from scrubjay.upkeep.observe import SOURCE, WEIGHT

app = commands.app

MAX_BYTES: Final = 64 << 20
"""Largest file of checks or ratings (chosen)."""
Weight = Annotated[float, typer.Option("--weight", help="1 is one observation.")]
Source = Annotated[str, typer.Option("--source", help="Who says so.")]
PeerFile = Annotated[str, typer.Argument(metavar="FILE", help="A peer's file, JSON.")]


class Clearable(str, Enum):
    """Fields that a memory need not have."""

    CONTEXT = "context"
    SENSITIVE = "sensitive"


@app.command()
def update(
    id: MemoryId,
    text: Annotated[str | None, typer.Option("--text", help="What it says now; - reads the standard input.")] = None,
    context: Context = None,
    when: When = None,
    metadata: Annotated[
        str | None, typer.Option("--metadata", metavar="JSON", help="Merged into what is there; null deletes a name.")
    ] = None,
    perishability: Annotated[
        str | None,
        typer.Option("--perishability", metavar="LABEL", help="factual, procedural, task_specific or ephemeral."),
    ] = None,
    value: Annotated[float | None, typer.Option("--value", help="Base value, 0 or more.")] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--no-pinned", help="Never prune it, or do.")] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", metavar="CLASS", help="medical, financial, safety or legal.")
    ] = None,
    clear: Annotated[list[Clearable] | None, typer.Option("--clear", help="Take this field away.")] = None,
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Change the fields of a memory that are given; another text is dated to now, unless --when says since when."""
    given: dict[str, Any] = {
        "text": commands._read_text() if text == "-" else text,
        "context": context,
        "when": commands._time(when),
        "metadata": None if metadata is None else commands._json_object(metadata, "--metadata"),
        "perishability": perishability,
        "value": value,
        "pinned": pinned,
        "sensitive": sensitive,
    }
    fields = {name: one for name, one in given.items() if one is not None}
    cleared: dict[str, Any] = {field.value: None for field in clear or ()}
    if twice := sorted(fields.keys() & cleared.keys()):
        raise ArgumentError(f"--clear {twice[0]}: it is given a value too; leave out one of the two")
    if not fields and not cleared:
        raise ArgumentError("update: nothing to change; give --text or another field")
    with commands._open(store, existing=True) as opened:
        memory = opened.update(id, namespace=commands._scope(namespace), **fields, **cleared)
    if commands._wants_json(as_json):
        commands._print_json(memory)
    else:
        render.show_memory(commands._console(), memory)


@app.command()
def outcome(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The memories that were used.")],
    signal: Annotated[str, typer.Option("--signal", help="again, hard, good, easy, or a number from 0 to 1.")],
    weight: Weight = 1.0,
    source: Source = "",
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Tell how it went with memories that were used: all of them, or none where one does not exist."""
    with commands._open(store, existing=True) as opened:
        count = opened.outcome(ids, _number(signal), weight, source=source, namespace=commands._scope(namespace))
    _tell(as_json, {"recorded": count}, f"{count:,} recorded")


@app.command()
def observe(
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="What was answered; - reads the standard input.")],
    query: Annotated[str, typer.Option("--query", "-q", metavar="TEXT", help="What had been asked of the store.")],
    k: Annotated[int, typer.Option("--k", "-k", help="How many hits the answer was made from.")] = 10,
    weight: Weight = WEIGHT,
    source: Source = SOURCE,
    context: Context = None,
    namespace: Namespace = None,
    now: Now = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question again, and credit those of its hits that an answer used."""
    said = commands._read_text() if answer == "-" else answer
    with commands._open(store, existing=True) as opened:
        hits = opened.search(query, k=k, context=context, namespace=tuple(namespace or ()), now=commands._time(now))
        used = opened.observe(said, hits, weight=weight, source=source)
    ids = ", ".join(one.id for one in used)
    _tell(as_json, used, f"{len(used):,} of {len(hits):,} hits were used{': ' * bool(ids)}{ids}")


@app.command()
def rate(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The memories that are judged.")],
    rating: Annotated[float, typer.Option("--rating", help="How much they matter, from 0 to 1.")],
    weight: Weight = 1.0,
    source: Source = "",
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Judge how much memories matter: all of them, or none where one does not exist."""
    with commands._open(store, existing=True) as opened:
        count = opened.rate(ids, rating, weight, source=source, namespace=commands._scope(namespace))
    _tell(as_json, {"rated": count}, f"{count:,} rated")


@app.command()
def rescore(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help='JSON lines of {"id", "rating"}; the last of an id stays.')
    ],
    weight: Weight = 1.0,
    source: Source = "",
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Judge memories anew, each with its own rating: all of them, or none where one does not exist."""
    ratings = {one.id: one.rating for one in _lines(file, _Rating, "FILE", "rating")}
    with commands._open(store, existing=True) as opened:
        count = opened.rescore(ratings, weight, source=source, namespace=commands._scope(namespace))
    _tell(as_json, {"rated": count}, f"{count:,} rated")


@app.command()
def due(
    namespace: Namespace = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 100,
    now: Now = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """List what should be rehearsed, the most forgotten first."""
    with commands._open(store, reading=True) as opened:
        page = opened.due(commands._time(now), namespace=tuple(namespace or ()), limit=limit)
    if commands._wants_json(as_json):
        commands._print_json(page)
        return
    console = commands._console()
    for one in page:
        console.print(Text(f"R {one.retrievability:.2f}, due for {one.overdue:.1f} d", style="yellow"))
        render.show_line(console, one.memory)


@app.command("fit-perishability")
def fit_perishability(
    checks: Annotated[
        str | None,
        typer.Option("--checks", metavar="FILE", help='JSON lines of {"id", "when", "holds"}: who looked, and saw.'),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the sample and the held-out part.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure, and change nothing.")] = False,
    now: Now = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Learn from the store how long its memories hold; changes nothing unless held-out ones become likelier."""
    told = None if checks is None else _checks(checks)
    with commands._open(store, reading=dry_run, existing=True) as opened:
        done = opened.fit_perishability(now=commands._time(now), checks=told, seed=seed, dry_run=dry_run)
    if done.improved:
        gain = f"log-likelihood {done.before:.3f} -> {done.after:.3f}"
        text = f"improved by {done.observations:,} observations ({gain}): {done.relabelled:,} memories judged anew"
    else:
        text = f"nothing was changed: {done.why}"
    text += "".join(f"; note: {note}" for note in done.notes)
    told_all = {name: _finite(one) for name, one in msgspec.to_builtins(done).items()}
    _tell(as_json, told_all, text)


@app.command("unfit-perishability")
def unfit_perishability(store: StorePath = None, as_json: AsJson = False) -> None:
    """Go back to what the package knows of how long memories hold."""
    with commands._open(store, existing=True) as opened:
        count = opened.unfit_perishability()
    _tell(as_json, {"relabelled": count}, f"{count:,} memories judged anew")


@app.command("export-peer")
def export_peer(
    file: PeerFile,
    texts: Annotated[bool, typer.Option("--texts", help="With their texts, so that a peer can add them.")] = False,
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Write what the store has learned of a namespace's memories to a file; one that is there is replaced."""
    with commands._open(store, reading=True) as opened:
        count = opened.export_peer(file, namespace=tuple(namespace or ()), texts=texts)
    _tell(as_json, {"memories": count, "file": os.path.abspath(file)}, f"{count:,} memories written")


@app.command("merge-peer")
def merge_peer(
    file: PeerFile,
    trust: Annotated[float, typer.Option("--trust", help="How far to believe it, from 0 to 1.")],
    peer: Annotated[str | None, typer.Option("--peer", help="Whom it is from, where you know better.")] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Add what is not here, where the file has its text; it may begin a store.")
    ] = False,
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Take over what a peer has learned of the memories that are here too, as far as it is trusted."""
    labels = tuple(namespace or ())
    if add and not Path(commands._path(store, existing=False)).is_dir():
        # what is wrong with the file or the arguments is said before a store is made
        with scrubjay.open(":memory:", embedder=commands._embedder()) as trial:
            trial.merge_peer(file, trust, namespace=labels, peer=peer)
    with commands._open(store, existing=not add) as opened:
        done = opened.merge_peer(file, trust, namespace=labels, peer=peer, add=add)
    text = f"{done.merged:,} merged, {done.known:,} known already, {done.added:,} added, {done.unknown:,} unknown"
    _tell(as_json, done, text)


def _tell(as_json: bool, value: object, text: str) -> None:
    if commands._wants_json(as_json):
        commands._print_json(value)
    else:
        commands._console().print(Text(render.printable(text)), soft_wrap=True)


def _number(text: str) -> str | float:
    """What is no number is left to the verb, which knows the words."""
    try:
        return float(text)
    except ValueError:
        return text


def _finite(value: Any) -> Any:
    """JSON has no NaN: None takes its place."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _Check(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    when: str | float
    holds: bool


class _Rating(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    rating: float


Line = TypeVar("Line", bound=msgspec.Struct)


def _checks(file: str) -> list[tuple[str, str | float, bool]]:
    return [(check.id, check.when, check.holds) for check in _lines(file, _Check, "--checks", "check")]


def _lines(file: str, kind: type[Line], argument: str, word: str) -> list[Line]:
    """The JSON lines of a file, each of them of one kind."""
    data = read_named(file, MAX_BYTES + 1, argument=argument)
    if len(data) > MAX_BYTES:
        raise ArgumentError(f"{argument}: more than {MAX_BYTES:,} bytes; give a sample or several files")
    decode = msgspec.json.Decoder(kind).decode
    told = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            told.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ImportFileError(f"{argument}: line {number} is no {word}: {error}", number) from error
    return told
