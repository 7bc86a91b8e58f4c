"""The command line's verbs about edges, preparing, consolidation, undoing, counts and re-embedding. Extra: [cli].

Importing this module adds them to `scrubjay.commands.app`.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer
from rich.text import Text

import scrubjay
from scrubjay import commands, render
from scrubjay.commands import AsJson, Below, Context, MemoryId, Namespace, StorePath
from scrubjay.recall.prospective import SIZE, THETA
from scrubjay.verbs.purge import Purge
from scrubjay.verbs.tiers import WIDTH

app = commands.app

Now = Annotated[str | None, typer.Option("--now", metavar="TIME", help="ISO time or epoch seconds; by default now.")]


@app.command()
def prepare(
    task: Annotated[str, typer.Argument(metavar="TASK", help="What is about to be done.")],
    query: Annotated[
        list[str] | None, typer.Option("--query", "-q", metavar="TEXT", help="Ask this through what was prepared.")
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="How many memories to prepare.")] = SIZE,
    theta: Annotated[float, typer.Option("--theta", help="Least score of an answer from them.")] = THETA,
    context: Context = None,
    namespace: Namespace = None,
    now: Now = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Show the memories that a task will most likely need, and answer queries from them first."""
    labels, at = tuple(namespace or ()), commands._time(now)
    with commands._open(store, reading=True) as opened:
        buffer = opened.prepare(task, k=k, theta=theta, context=context, namespace=labels, now=at)
        most = min(10, max(1, len(buffer)))
        answers = [
            opened.search(text, context=context, namespace=labels, now=at, buffer=buffer, k=most)
            for text in query or ()
        ]
    content = buffer.content
    shown = [
        {"id": id, "text": text, "probability": p, "utility": u}
        for id, text, p, u in zip(
            content.ids, content.texts, content.probability.tolist(), content.utility.tolist(), strict=True
        )
    ]
    if commands._wants_json(as_json):
        costs = buffer.costs
        told = [{"query": a.query, "plan": a.plan, "notes": list(a.notes), "hits": list(a)} for a in answers]
        counts = {**msgspec.to_builtins(costs), "rows": costs.rows}
        commands._print_json({"task": task, "prepared": shown, "answers": told, "costs": counts})
        return
    console = commands._console()
    for one in shown:
        head = Text(f"P {one['probability']:.2f}  U {one['utility']:.2f}  ", style="cyan")
        console.print(head + Text(render.printable(str(one["text"]), limit=120)), soft_wrap=True)
    for answer in answers:
        console.print(Text(render.printable(answer.query), style="bold") + Text(f"  [{answer.plan}]", style="dim"))
        render.show_hits(console, answer, notes=answer.notes)


@app.command()
def delete(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The memories' ids.")],
    purge: Annotated[bool, typer.Option("--purge", help="Remove them for good, from every file.")] = False,
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Delete memories: all of them, or none where one does not exist."""
    scope = commands._scope(namespace)
    with commands._open(store, existing=True) as opened:
        done = opened.delete(ids, namespace=scope, purge=True) if purge else opened.delete(ids, namespace=scope)
    _show_deleted(done, as_json)


@app.command("delete-all")
def delete_all(
    namespace: Annotated[list[str], typer.Option("--namespace", "-n", metavar="LABEL", help="Whose memories.")],
    subtree: Below = False,
    keep_history: Annotated[bool, typer.Option("--keep-history", help="Delete them only; purge nothing.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Remove all that a namespace holds or ever held, for good."""
    where = commands._where(namespace, subtree)
    with commands._open(store, existing=True) as opened:
        done = opened.delete_all(where, purge=False) if keep_history else opened.delete_all(where)
    _show_deleted(done, as_json)


def _show_deleted(done: int | Purge, as_json: bool) -> None:
    if commands._wants_json(as_json):
        commands._print_json({"deleted": done} if isinstance(done, int) else done)
    elif isinstance(done, int):
        commands._console().print(Text(f"{done:,} deleted"))
    else:
        commands._console().print(Text(f"{done.memories:,} removed for good"))
        for line in done.left:
            commands._console().print(Text(f"not yet: {render.printable(line)}"), soft_wrap=True)
    if not isinstance(done, int) and not done.done:
        raise typer.Exit(1)


@app.command()
def consolidate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what it would do and change nothing.")] = False,
    namespace: Namespace = None,
    now: Now = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Put aside what is worth little and has no worthy neighbours; restore brings it back."""
    with commands._open(store, reading=dry_run, existing=True) as opened:
        done = opened.consolidate(now=commands._time(now), namespace=commands._scope(namespace), dry_run=dry_run)
    if commands._wants_json(as_json):
        commands._print_json(done)
    else:
        commands._console().print(Text(str(done)), soft_wrap=True)


def _tell_restored(count: int, as_json: bool) -> None:
    if commands._wants_json(as_json):
        commands._print_json({"restored": count})
    else:
        commands._console().print(Text(f"{count:,} restored"))


@app.command()
def restore(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Memories that were put aside.")],
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Bring back what consolidation has put aside."""
    with commands._open(store, existing=True) as opened:
        count = opened.restore(ids, namespace=commands._scope(namespace))
    _tell_restored(count, as_json)


@app.command()
def forgotten(
    namespace: Namespace = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option("--after", metavar="ID", help="Go on behind this memory.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """List what consolidation has put aside, and why."""
    with commands._open(store, reading=True) as opened:
        page = opened.forgotten(namespace=commands._scope(namespace), limit=limit, after=after)
    if commands._wants_json(as_json):
        commands._print_json(page)
        return
    console = commands._console()
    for one in page:
        render.show_line(console, one.memory)
        console.print(
            Text(f"    U {one.utility:.3g}, Phi {one.support:.3g}: {one.reason}", style="dim"), soft_wrap=True
        )


@app.command()
def link(
    a: MemoryId,
    b: Annotated[str, typer.Argument(metavar="ID", help="The other's id.")],
    weight: Annotated[float, typer.Option("--weight", help="In (0, 1].")] = 1.0,
    kind: Annotated[str, typer.Option("--kind", help="What the edge means, in a word.")] = "related",
    end: Annotated[bool, typer.Option("--end", help="End every edge between the two instead.")] = False,
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Link two memories of one namespace, so that search for one brings the other nearer."""
    labels = commands._scope(namespace)
    with commands._open(store, existing=True) as opened:
        if end:
            done = opened.unlink(a, b, namespace=labels)
        else:
            opened.link(a, b, weight=weight, kind=kind, namespace=labels)
            done = True
    if commands._wants_json(as_json):
        commands._print_json({"unlinked" if end else "linked": done})
    else:
        word = "linked" if not end else "unlinked" if done else "there was no edge"
        commands._console().print(Text(word))


@app.command()
def neighbors(
    id: MemoryId,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 20,
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """List the memories that share an edge with one, the strongest first."""
    with commands._open(store, reading=True) as opened:
        edges = opened.neighbors(id, limit=limit, namespace=commands._scope(namespace))
    if commands._wants_json(as_json):
        commands._print_json(edges)
        return
    console = commands._console()
    for edge in edges:
        why = ", ".join([*(f"{name} {value:.2f}" for name, value in edge.classes.items()), *filter(None, [edge.kind])])
        console.print(Text(f"{edge.weight:.2f}  ", style="green") + Text(render.printable(why), style="dim"))
        render.show_line(console, edge.memory)


@app.command()
def reembed(
    embedder: commands.EmbedderName = None,
    batch: Annotated[int, typer.Option("--batch", min=1, max=65536, help="Texts per commit.")] = 256,
    force: Annotated[bool, typer.Option("--force", help="Also where the store has this embedder already.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Make every vector anew with another embedder; run again after an interruption, it goes on where it was."""
    if embedder is not None:
        commands._options.embedder = embedder
    path, encoder = commands._path(store, existing=True), commands._embedder()
    with render.progress(commands._wants_json(as_json)) as bars:
        step = bars.add_task("embedding", total=None)
        done = scrubjay.reembed(
            path,
            embedder=encoder,
            batch=batch,
            force=force,
            progress=lambda n, total: bars.update(step, completed=n, total=total),
        )
    if commands._wants_json(as_json):
        commands._print_json(done)
    elif done.changed:
        resumed = f", {done.resumed:,} were made before" if done.resumed else ""
        text = (
            f"{done.texts:,} texts embedded{resumed}: {done.before} ({done.before_dim}) to {done.embedder} ({done.dim})"
        )
        commands._console().print(Text(render.printable(text)), soft_wrap=True)
    else:
        commands._console().print(Text(render.printable(f"nothing to do: the store is {done.embedder}'s")))


@app.command()
def condense(namespace: Namespace = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """Write summaries of what memories have in common, and abstracts of those; the memories stay as they are."""
    with commands._open(store, existing=True) as opened:
        done = opened.condense(namespace=tuple(namespace or ()))
    if commands._wants_json(as_json):
        commands._print_json(done)
        return
    counts = f"{len(done.summaries):,} summaries and {len(done.abstracts):,} abstracts"
    commands._console().print(Text(f"{counts}: {done.fresh:,} new, {done.removed:,} removed"))


@app.command()
def descend(
    query: Annotated[str, typer.Argument(help="What is asked.")],
    k: Annotated[int, typer.Option("--k", "-k", help="How many hits at most.")] = 10,
    width: Annotated[int, typer.Option("--width", help="How many tiers are opened at each level.")] = WIDTH,
    context: Context = None,
    namespace: Namespace = None,
    now: Now = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Find by way of the abstracts and summaries that condense has written."""
    with commands._open(store, reading=True) as opened:
        found = opened.descend(
            query,
            k=k,
            width=width,
            context=context,
            namespace=tuple(namespace or ()),
            now=commands._time(now),
        )
    opened_tiers = {"abstracts": found.abstracts, "summaries": found.summaries}
    if commands._wants_json(as_json):
        tiers = {name: [{"memory": unit, "cosine": c} for unit, c in some] for name, some in opened_tiers.items()}
        hits = found.hits
        commands._print_json({"query": query, **tiers, "notes": list(hits.notes), "hits": list(hits)})
        return
    console = commands._console()
    for some in opened_tiers.values():
        for unit, _ in some:
            render.show_line(console, unit)
    render.show_hits(console, found.hits, notes=found.hits.notes)


@app.command()
def backup(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder that does not exist yet.")],
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Copy the store as it is now into a new folder; others may write meanwhile."""
    with commands._open(store, reading=True) as opened:
        done = opened.backup(path)
    if commands._wants_json(as_json):
        commands._print_json(done)
        return
    commands._console().print(
        Text(f"{done.seq:,} events, {done.size:,} bytes, in {render.printable(done.path)}"), soft_wrap=True
    )


@app.command()
def compact(
    summarise_before: Annotated[
        str | None,
        typer.Option("--summarise-before", metavar="TIME", help="Of older outcomes keep only what they came to."),
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Keep outcomes in less space; nothing is lost, unless --summarise-before asks for it."""
    with commands._open(store, existing=True) as opened:
        done = opened.compact(summarise_before=commands._time(summarise_before))
    if commands._wants_json(as_json):
        commands._print_json(done)
        return
    console = commands._console()
    old = done.gathered + done.summarised
    console.print(Text(f"{old:,} events of outcomes are {done.events:,} now, {done.freed:,} bytes are free"))
    for line in done.dropped:
        console.print(Text(f"lost: {render.printable(line)}"), soft_wrap=True)


@app.command()
def rebuild(store: StorePath = None, as_json: AsJson = False) -> None:
    """Make the state anew from the log, and say whether it had been the same."""
    with commands._open(store, existing=True) as opened:
        done = opened.rebuild()
    if commands._wants_json(as_json):
        commands._print_json(done)
    else:
        was = "the same as before" if done.same else "not what it had been; the store goes on with the new one"
        commands._console().print(Text(f"{done.memories:,} memories from {done.events:,} events: {was}"))


Sources = Annotated[list[str], typer.Argument(metavar="SOURCE...", help='As in the metadata, {"source": "web"}.')]


@app.command()
def quarantine(sources: Sources, store: StorePath = None, as_json: AsJson = False) -> None:
    """Let what comes from some sources answer nobody who does not ask for it."""
    with commands._open(store, existing=True) as opened:
        _tell_quarantined(opened.quarantine(sources), as_json)


@app.command()
def release(sources: Sources, store: StorePath = None, as_json: AsJson = False) -> None:
    """Trust sources again that are in quarantine."""
    with commands._open(store, existing=True) as opened:
        _tell_quarantined(opened.release(sources), as_json)


def _tell_quarantined(sources: list[str], as_json: bool) -> None:
    if commands._wants_json(as_json):
        commands._print_json({"quarantine": sources})
    else:
        named = ", ".join(render.printable(source) for source in sources)
        told = f"in quarantine: {named}" if sources else "none is in quarantine"
        commands._console().print(Text(told), soft_wrap=True)


@app.command()
def undo(
    event: Annotated[int, typer.Argument(metavar="EVENT", help="The number that integrate printed.")],
    namespace: Namespace = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Take an integration back."""
    with commands._open(store, existing=True) as opened:
        count = opened.undo(event, namespace=commands._scope(namespace))
    _tell_restored(count, as_json)


@app.command()
def stats(
    namespace: Namespace = None, subtree: Below = False, store: StorePath = None, as_json: AsJson = False
) -> None:
    """Show how the store stands, or a part of its namespaces."""
    with commands._open(store, reading=True) as opened:
        where = None if namespace is None and not subtree else commands._where(namespace, subtree)
        value = opened.stats(namespace=where)
    if commands._wants_json(as_json):
        commands._print_json(value)
    else:
        render.show_rows(commands._console(), msgspec.to_builtins(value).items())
