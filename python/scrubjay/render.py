"""What the command line shows: memories and hits as lines, factors as bars.

Stored text is foreign: control characters and those that turn the direction of writing are shown as escapes, and
nothing in it is read as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from scrubjay.encode.when import to_iso
from scrubjay.memory import MemoryUnit
from scrubjay.recall.hits import Hit, Hits, age_text
from scrubjay.terminal import printable as printable

BAR: Final = 30
"""Columns of the longest bar."""
STYLES: Final = {
    "what": ("cyan", "█"),
    "where": ("magenta", "▓"),
    "when": ("yellow", "▒"),
    "graph": ("green", "░"),
    "usefulness": ("blue", "▚"),
    "retrievability": ("red", "▞"),
    "importance": ("bright_blue", "▙"),
    "exploration": ("white", "▖"),
    "lexical": ("bright_yellow", "▟"),
}
"""Colour and, where there is none, the character of each factor's part of a bar."""


def bar(factors: dict[str, float], longest: float) -> Text:
    """The positive contributions side by side, `BAR` columns for a sum of `longest`."""
    out = Text()
    drawn, reached = 0, 0.0
    for name, (style, char) in STYLES.items():
        reached += max(0.0, factors.get(name, 0.0))
        # The end of each part is rounded, not its length: so the whole bar has the length of the sum.
        end = round(BAR * reached / longest) if longest > 0.0 else 0
        out.append(char * (end - drawn), style=style)
        drawn = max(drawn, end)
    out.append(" " * (BAR - drawn))
    return out


def show_hits(console: Console, hits: Hits | Sequence[Hit], *, notes: Iterable[str] = ()) -> None:
    """Each hit on two lines: its words, then its score as a bar with the factors, P(valid) and age."""
    if not len(hits):
        console.print(Text("  no memories", style="dim"))
    longest = max((sum(max(0.0, part) for part in hit.factors.values()) for hit in hits), default=0.0)
    mixed = len({hit.memory.namespace for hit in hits}) > 1
    for place, hit in enumerate(hits, start=1):
        console.print(
            Text(f"{place:>3}. ") + Text(printable((hit.passage or hit.memory).text, limit=200)), soft_wrap=True
        )
        line = Text(f"     {hit.score:6.3f} ") + bar(hit.factors, longest)
        for name, part in hit.factors.items():
            if abs(part) >= 0.005:
                line += Text(f"  {name} ") + Text(f"{part:.2f}", style=STYLES.get(name, ("", ""))[0])
        line += Text(f"  valid {hit.valid:.0%}", style=_validity_style(hit.valid))
        line += Text(f"  {_ago(hit.now - hit.memory.when)}", style="dim")
        if mixed:
            line += Text(f"  {printable(' / '.join(hit.memory.namespace))}", style="dim")
        console.print(line, soft_wrap=True)
    for note in notes:
        console.print(Text(f"note: {printable(note)}", style="yellow"), soft_wrap=True)


def show_legend(console: Console) -> None:
    """How to read the bars."""
    console.print(Text("A bar is a score taken apart:", style="dim") + _legend(("what", "where", "when")))
    console.print()


def _legend(names: Sequence[str]) -> Text:
    out = Text()
    for name in names:
        style, char = STYLES[name]
        out += Text("  ") + Text(char, style=style) + Text(f" {name}")
    return out


def show_line(console: Console, memory: MemoryUnit) -> None:
    """One memory on one line."""
    line = Text(memory.id, style="dim") + Text(f"  {to_iso(memory.when)[:19]}  ")
    line += Text(f"{memory.perishability.label:<13} ", style="cyan") + Text(printable(memory.text, limit=120))
    console.print(line, soft_wrap=True)


def show_memory(console: Console, memory: MemoryUnit) -> None:
    """One memory with all that is known about it."""
    console.print(Text(printable(memory.text, lines=True)), soft_wrap=True)
    perishability = memory.perishability
    rows: list[tuple[str, str]] = [
        ("id", memory.id),
        ("namespace", " / ".join(memory.namespace)),
        ("key", memory.key or ""),
        ("context", memory.context or ""),
        ("when", to_iso(memory.when)),
        ("created", to_iso(memory.created)),
        ("updated", to_iso(memory.updated) if memory.updated != memory.created else ""),
        (
            "perishability",
            f"{perishability.label}, pi {perishability.pi:.3g}, horizon {perishability.tau / 86400:.3g} d, by "
            f"{perishability.origin.value}{' (fallback)' if perishability.degraded else ''}",
        ),
        ("evidence", f"{memory.evidence}" if memory.evidence > 1 else ""),
        ("superseded by", memory.superseded_by or ("" if memory.current else "another memory")),
        ("pinned", "yes" if memory.pinned else ""),
        ("sensitive", memory.sensitive or ""),
        ("metadata", str(memory.metadata) if memory.metadata else ""),
    ]
    show_rows(console, rows)


def show_rows(console: Console, rows: Iterable[tuple[str, Any]]) -> None:
    """Names and values in two columns; empty values are left out."""
    for name, value in rows:
        if value != "":
            console.print(Text(f"  {name:<15}", style="dim") + Text(printable(str(value))), soft_wrap=True)


def _ago(seconds: float) -> str:
    age = age_text(seconds)
    return age if age == "now" else f"{age} old"


def _validity_style(valid: float) -> str:
    return "green" if valid >= 0.75 else "yellow" if valid >= 0.4 else "red"


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Bars on the error stream; none when `quiet` or where that is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bars:
        yield bars
