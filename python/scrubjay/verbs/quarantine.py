"""Sources that are not trusted: their memories are kept, and answer only who asks for them by name.

The names are among the settings that the log records, so every process that opens the store has them. What is hidden is
decided when a question is asked, by `metadata["source"]`: nothing is written into memories, and a release takes nothing
back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError, ArgumentTypeError, StoreLockedError, shown
from scrubjay.events import Configured
from scrubjay.memory import Subtree
from scrubjay.recall.filters import Filter
from scrubjay.recall.scope import Scope
from scrubjay.verbs.attempts import ATTEMPTS, StaleError
from scrubjay.verbs.engine import Engine

SOURCE: Final = "source"
"""The metadata name that tells who said it."""
MOST: Final = 256
LONGEST: Final = 256
"""Characters of a name."""


def check_sources(given: object) -> list[str]:
    """Names of sources, checked.

    >>> check_sources("web")
    ['web']
    """
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or isinstance(names, (bytes, bytearray)):
        raise ArgumentTypeError(f"sources: expected a name or a list of names, got {type(given).__name__}")
    if len(names) > MOST:
        raise ArgumentError(f"sources: {len(names)} names; at most {MOST}")
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise ArgumentTypeError(f"sources[{i}]: expected a name, got {type(name).__name__}")
        if not name.strip() or len(name) > LONGEST:
            raise ArgumentError(f"sources[{i}] = {shown(name)}: expected 1 to {LONGEST} characters")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ArgumentError(f"sources[{i}] = {shown(name)}: a lone surrogate, which no text may have") from None
    return [str(name) for name in names]


def quarantine(engine: Engine, sources: Sequence[str]) -> list[str]:
    """Quarantine some more; all that are now."""

    if not sources:
        return in_quarantine(engine)

    def more(settings: Configured) -> Configured:
        names = sorted({*settings.quarantined, *sources})
        if len(names) > MOST:
            raise ArgumentError(f"sources: {len(names)} would be in quarantine; at most {MOST}")
        return msgspec.structs.replace(settings, quarantined=tuple(names))

    return list(settle(engine, more).quarantined)


def release(engine: Engine, sources: Sequence[str]) -> list[str]:
    """Trust some again; all that are still in quarantine."""

    if not sources:
        return in_quarantine(engine)

    def fewer(settings: Configured) -> Configured:
        unknown = [name for name in sources if name not in settings.quarantined]
        if unknown:
            raise ArgumentError(f"sources: {shown(unknown[0])} is not in quarantine")
        return msgspec.structs.replace(
            settings, quarantined=tuple(name for name in settings.quarantined if name not in sources)
        )

    return list(settle(engine, fewer).quarantined)


def in_quarantine(engine: Engine) -> list[str]:
    """The sources that are in quarantine."""
    engine.refresh()
    return list(engine.columns.settings.quarantined)


def settle(engine: Engine, change: Callable[[Configured], Configured]) -> Configured:
    """Record changed settings, made of those in force: what another process has set meanwhile is not undone."""
    for _ in range(ATTEMPTS):
        engine.refresh()
        with engine.gate.reading():
            seq, held = engine.columns.seq, engine.columns.settings
        new = msgspec.structs.replace(change(held), at=engine.clock())
        with suppress(StaleError), engine.log.write() as tx:
            after = seq
            while after < tx.base:
                batch = tx.batch(after, tx.base)
                if any(isinstance(event, Configured) for event in batch.events):
                    raise StaleError
                after = batch.upto
            tx.append([new])
            break
    else:
        raise StoreLockedError("settings: other writers kept changing them; try again")
    engine.refresh()
    return new


def hidden(engine: Engine, metadata: Any) -> bool:
    """True where a memory with these metadata is of a source in quarantine. The caller holds the gate."""
    source = metadata.get(SOURCE) if isinstance(metadata, dict) else None
    return isinstance(source, str) and source in engine.columns.settings.quarantined


def trusted(
    engine: Engine, scope: Scope, where: tuple[str, ...] | Subtree, filter: Filter | None = None
) -> tuple[Scope, int]:
    """The scope without what is in quarantine, and how many rows that were. The caller holds the gate.

    A filter that names the source says for itself what it wants.
    """
    names = engine.columns.settings.quarantined
    if not names or not scope.count or (filter is not None and SOURCE in filter.fields):
        return scope, 0
    rest = engine.narrowed(scope, Filter({SOURCE: {"$nin": list(names)}}, to_seconds), engine.spaces(where))
    return (rest, scope.count - rest.count) if rest.count < scope.count else (scope, 0)


def trusted_rows(engine: Engine, rows: NDArray[np.int64], where: tuple[str, ...]) -> NDArray[np.int64]:
    """Those of some rows that are not in quarantine. The caller holds the gate."""
    rest, _ = trusted(engine, Scope(count=len(rows), rows=rows), where)
    return rows if rest.rows is None else rest.rows


def left_out(count: int) -> str:
    """What a caller of a list should know."""
    return f"{count:,} memories of sources in quarantine were left out; a filter that names `source` asks for them"
