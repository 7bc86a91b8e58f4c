"""Is everything in a store what it was written as? And: rebuild what can be derived.

The truth (events, meta) is checked by checksums and can only be restored from a backup; what is damaged is named event
by event and all else stays readable. The derived parts (tables, columns, snapshot) are compared with a fold of the
truth, and `repair=True` makes them anew.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import zip_longest
from typing import Any, Final, Literal, TypeAlias

import apsw
import msgspec

from scrubjay.columns import Columns
from scrubjay.errors import ScrubjayError, StoreFormatError, StoreLockedError, StoreReadOnlyError
from scrubjay.events import Batch
from scrubjay.protocols import EventLog as EventLogProtocol
from scrubjay.store import candidates, lexical, projection, snapshot
from scrubjay.store.connect import checked_path, fetch, sync_folder, translated
from scrubjay.store.erase import read_intent
from scrubjay.store.log import EventLog
from scrubjay.store.manifest import Status
from scrubjay.store.mend import mended
from scrubjay.store.opening import log_file
from scrubjay.store.rewrite import remade
from scrubjay.store.salvage import NEW, alone, salvage
from scrubjay.store.schema import ANEW, DERIVED_TABLES
from scrubjay.store.view import View
from scrubjay.store.wal import headless, settle, unreadable_commits

CatchUp: TypeAlias = Callable[..., int]
"""`scrubjay.fold.catch_up`: (columns, log, *, upto=None)."""
State: TypeAlias = Callable[[], tuple[int, str]]
"""Gives (event, digest of the columns there)."""
Severity: TypeAlias = Literal["error", "warning", "info"]

ATTEMPTS: Final = 5
CANDIDATE_LOOKS: Final = 3
_FAULTS: Final = (ScrubjayError, apsw.Error, UnicodeDecodeError)

PAGES: Final = frozenset({"damaged", "unreadable", "file-damaged"})
"""Findings of which damaged pages of the log are the reason: it is to be made anew."""
MAX_FINDINGS: Final = 1000
"""Per check; what is beyond is counted in one more finding."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that is not as it should be."""

    severity: Severity
    """error: something is lost or wrong; warning: a cache is unusable and is made anew; info: done or noted."""
    what: str
    """A short name: event-damaged, table-differs, index-damaged, snapshot-damaged, columns-differ, unreadable, ..."""
    where: str
    """The event, table, file or memory."""
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        tail = f"; {self.remedy}" if self.remedy else ""
        return f"{self.severity}: {self.what} at {self.where}: {self.detail}{tail}"


class Report(msgspec.Struct):
    """The outcome of `verify`."""

    findings: list[Finding] = msgspec.field(default_factory=list)
    events: int = 0
    """Events that were read and found good."""
    memories: int = 0
    """Living memories by the fold of the log."""
    damaged: list[int] = msgspec.field(default_factory=list)
    """Sequence numbers of damaged events."""
    repaired: list[str] = msgspec.field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True when nothing worse than `info` was found."""
        return all(f.severity == "info" for f in self.findings)

    @property
    def pages_sound(self) -> bool:
        """True when all pages of the log can be read."""
        return not any(f.what in PAGES for f in self.findings)

    def __str__(self) -> str:
        head = f"{self.events} events, {self.memories} memories: {'sound' if self.ok else 'NOT sound'}"
        return "\n".join([head, *map(str, self.findings), *(f"repaired: {name}" for name in self.repaired)])

    def _add(self, severity: Severity, what: str, where: str, detail: str, remedy: str = "") -> None:
        self.findings.append(Finding(severity, what, where, detail, remedy))


def verify_path(
    path: str | os.PathLike[str], catch_up: CatchUp, *, repair: bool = False, timeout: float = 30.0
) -> Report:
    """Open the store at `path` and verify it; what hinders opening becomes a finding.

    Of a log with damaged pages what can be read of the others is verified; `repair` makes the log anew of that.
    """
    folder = checked_path(path)
    loss = headless(log_file(folder))
    try:
        with EventLog.open(folder, read_only=not repair, timeout=timeout) as log:
            report = verify(log, catch_up, repair=repair)
    except (StoreLockedError, StoreReadOnlyError) as error:
        return Report([Finding("error", "unreadable", folder, str(error))])
    except ScrubjayError as error:
        report = Report([Finding("error", "damaged", folder, str(error), "restore log.sqlite from a backup")])
        if isinstance(error, StoreFormatError) and not isinstance(error.__cause__, apsw.NotADBError):
            # another program's, or a newer version's
            return report
    if report.pages_sound:
        return report
    try:
        loss = loss or unreadable_commits(log_file(folder))
        report = _made_anew(folder, catch_up, timeout) if repair else _gathered(folder, catch_up, report)
    except (ScrubjayError, OSError) as why:
        report._add("error", "unreadable", "log.sqlite", str(why))
        return report
    if loss is not None:
        report._add("error", "commits-lost", "log.sqlite-wal", loss, "restore a backup if they matter")
    return report


def _made_anew(folder: str, catch_up: CatchUp, timeout: float) -> Report:
    """Put in the place of a log one of the events that can be gathered from its pages, and verify that."""
    new = os.path.join(folder, NEW)
    try:
        with alone(folder, timeout):
            with suppress(FileNotFoundError):
                os.unlink(new)
            settle(log_file(folder))
            count = salvage(folder, new)
            shutil.copymode(log_file(folder), new)
            os.replace(new, log_file(folder))
            sync_folder(folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(new)
    report = verify_path(folder, catch_up, repair=True)
    report.repaired.insert(0, f"pages of log.sqlite are damaged: made anew of the {count} events that can be read")
    return report


def _gathered(folder: str, catch_up: CatchUp, found: Report) -> Report:
    """Verify what can be gathered from the pages of a log, and say why it had to be."""
    with tempfile.TemporaryDirectory(prefix="scrubjay-") as scratch:
        source = folder
        if os.path.exists(log_file(folder) + "-wal"):
            source = os.path.join(scratch, "settled")
            os.mkdir(source)
            for end in ("", "-wal"):
                shutil.copyfile(log_file(folder) + end, log_file(source) + end)
            settle(log_file(source))
        made = os.path.join(scratch, "made")
        os.mkdir(made)
        salvage(source, log_file(made))
        report = verify_path(made, catch_up)
    damage = [msgspec.structs.replace(f, remedy=ANEW) for f in found.findings if f.what in PAGES]
    report.findings[:0] = damage
    return report


def verify(
    log: EventLog,
    catch_up: CatchUp,
    *,
    columns: Columns | State | None = None,
    refold: Callable[[], object] | None = None,
    repair: bool = False,
) -> Report:
    """Check the whole store; see `Report`. `columns` is the caller's state, to be compared as well: what gives it may
    be called several times, outside of any block of the log. `refold` makes that state anew.

    All is compared as of one event, whoever writes meanwhile; other threads of a log in memory wait until it is done.
    Reads every event once or twice: about a minute per million. With `repair`, an event of which one bit was flipped
    is mended, derived tables that differ are rebuilt, an unusable snapshot is replaced, and the caller's state is
    folded anew where it could be another; then all is read again. So `Report.findings` are what is left, as a rule
    events that are damaged worse, and `Report.repaired` says what was mended. Nothing is written onto damaged pages:
    `verify_path` makes the log anew, where nobody has it open.
    """
    report, found = _looked(log, catch_up, columns)
    if not repair or found is None or not report.pages_sound:
        return report
    done: list[str] = []
    try:
        put_right = _mend(log, report.damaged)
        if put_right:
            done += [f"event {seq}: one flipped bit" for seq in put_right]
            if refold is not None:
                refold()
            report, found = _looked(log, catch_up, columns)
        if found is not None:
            rest = _repair(log, *found, report)
            if refold is not None and any(f.what == "columns-differ" for f in report.findings):
                refold()
                rest.append("columns folded anew")
            done += rest
            if rest:
                report, _ = _looked(log, catch_up, columns)
    except _FAULTS as error:
        _note_unreadable(report, error)
    report.repaired = done
    return report


def _looked(
    log: EventLog, catch_up: CatchUp, columns: Columns | State | None
) -> tuple[Report, tuple[Columns, int] | None]:
    """What is found, with the fold of the log and the epoch, None where it cannot be read."""
    report = Report()
    try:
        _check_file(log, report)
        _check_purge(log, report)
        _check_candidates(log, report)
        return report, _check_content(log, catch_up, columns, report)
    except _FAULTS as error:
        _note_unreadable(report, error)
        return report, None


def _note_unreadable(report: Report, error: Exception) -> None:
    report._add("error", "unreadable", "log.sqlite", str(error), ANEW)


def _check_file(log: EventLog, report: Report) -> None:
    if log.loss is not None:
        report._add("error", "commits-lost", "log.sqlite-wal", log.loss, "restore a backup if they matter")
    with log.read() as view:
        try:
            if lexical.present(view._db):
                # a query makes FTS5 look whether others have written; its own check would go by what it remembers
                fetch(view._db, "SELECT rowid FROM lexical WHERE rowid = -1")
            lines = [row[0] for row in fetch(view._db, f"PRAGMA integrity_check({MAX_FINDINGS})")]
        except apsw.CorruptError as error:
            lines = [str(error)]
    for line in lines:
        if line == "ok":
            continue
        derived = any(table in line for table in DERIVED_TABLES)
        remedy = "verify(repair=True) makes it anew" if derived else ANEW
        report._add("error", "index-damaged" if derived else "file-damaged", "log.sqlite", line, remedy)


def _check_purge(log: EventLog, report: Report) -> None:
    with log.read() as view:
        intent = read_intent(view)
    if intent is not None:
        what = "files may still hold what was purged" if intent.rewritten else "memories wait for being purged"
        remedy = "the next purge goes on with it, and so does opening the store again for writing"
        report._add("warning", "purge-unfinished", "log.sqlite", what, remedy)


def _check_candidates(log: EventLog, report: Report) -> None:
    for _ in range(CANDIDATE_LOOKS):
        # another process may be putting a newer one in its place
        kept, why = candidates.load(log)
        if kept is not None or why in candidates.FINE:
            return
    remedy = "no answer depends on it: searches scan, and it is made anew; verify(repair=True) removes it"
    report._add("warning", "candidates-damaged", candidates.FOLDER, why, remedy)


class _Reader:
    """The log as of one event, remembering which were damaged, so that the fold's own pass finds them."""

    def __init__(self, view: View, dim: int, report: Report) -> None:
        self.seq, self.dim = view.seq, dim
        self._view, self._report = view, report
        self._seen = 0
        self.last_key = view.last_key()

    def tail(self, after: int = 0, upto: int | None = None) -> Iterator[Any]:
        for batch in _batches(self._view, after, self.seq if upto is None else upto):
            if batch.after >= self._seen:
                self._seen = batch.upto
                self._report.events += len(batch.events)
                self._report.damaged.extend(batch.damaged)
            yield batch

    def history(self, key: int) -> list[Any]:
        return self._view.history(key)


def _check_content(
    log: EventLog, catch_up: CatchUp, columns: Columns | State | None, report: Report
) -> tuple[Columns, int]:
    """Compare all that is derived with one view of the log; returns its fold, and the epoch."""
    for left in reversed(range(ATTEMPTS)):
        epoch = log.epoch
        stops: list[tuple[int, str, str, str]] = []
        if columns is not None:
            seq, digest = (columns.seq, columns.digest()) if isinstance(columns, Columns) else columns()
            stops.append((seq, digest, "columns-differ", "columns"))
        held, status = snapshot.load(log)
        if status.outcome == "loaded":
            stops.append((held.seq, held.digest(), "snapshot-differs", "snapshot"))
        with log.read() as view:
            if view.epoch() != epoch:
                # what was folded before the log was rewritten is no fold of what is there now
                if left:
                    continue
                report._add("info", "not-compared", "columns, snapshot", "the log was rewritten again and again")
                stops = []
            _note_snapshot(status, report)
            folded = _check_states(view, log.dim, catch_up, stops, report)
            _check_tables(view, report)
            return folded, view.epoch()
    raise AssertionError("unreachable")


def _check_states(
    view: View, dim: int, catch_up: CatchUp, stops: list[tuple[int, str, str, str]], report: Report
) -> Columns:
    """One fold of the log from its beginning; states at (event, digest, ...) are compared on the way."""
    reader: EventLogProtocol = _Reader(view, dim, report)
    folded = Columns(dim)
    for seq, digest, what, where in sorted(stops):
        catch_up(folded, reader, upto=seq)
        if folded.digest() != digest and not folded.damaged:
            remedy = "verify(repair=True) makes it anew" if where == "snapshot" else "open the store again"
            report._add("error", what, where, f"not the fold of the log at event {seq}", remedy)
    catch_up(folded, reader)
    report.memories = folded.live_count
    for seq in report.damaged[:MAX_FINDINGS]:
        report._add(
            "error", "event-damaged", f"event {seq}", "its bytes do not match their checksum", "restore a backup"
        )
    if len(report.damaged) > MAX_FINDINGS:
        report._add("error", "event-damaged", "log.sqlite", f"{len(report.damaged) - MAX_FINDINGS} more events")
    if folded.orphans and not folded.damaged:
        report._add("error", "orphans", "log.sqlite", f"{folded.orphans} mentions of memories that were never learned")
    return folded


def _note_snapshot(status: Status, report: Report) -> None:
    if not status.good:
        # one of before the log was rewritten is a step that a kill has left out, and no damage
        severity: Severity = "info" if status.outcome == "outdated" else "warning"
        remedy = "it is left aside, and made anew when a handle that may write is closed"
        report._add(severity, f"snapshot-{status.outcome}", "snapshot", status.reason, remedy)


def _check_tables(view: View, report: Report) -> None:
    fresh = _derived_anew(view)
    try:
        projection.put_back(fresh, projection.rescued(view._db, set(report.damaged)))
        for table in _CONTENT:
            _compare(table, fresh, view._db, report)
    finally:
        fresh.close()


def _derived_anew(view: View) -> apsw.Connection:
    # a temporary file: SQLite removes it, and a large store need not fit into memory
    fresh = apsw.Connection("")
    fresh.pragma("journal_mode", "OFF")
    fresh.pragma("synchronous", "OFF")
    try:
        fresh.execute("BEGIN")
        projection.create(fresh)
        projection.fill(fresh, _batches(view))
        fresh.execute("COMMIT")
    except BaseException:
        fresh.close()
        raise
    return fresh


_CONTENT: Final = {
    "memories": "SELECT key, id, space, dedupe, context, CAST(text AS BLOB), metadata, CAST(sensitive AS BLOB), crc"
    " FROM memories ORDER BY key",
    "forgotten": "SELECT id, key, space FROM forgotten ORDER BY id",
    "spaces": "SELECT space, labels, crc FROM spaces ORDER BY space",
    "contexts": "SELECT context, CAST(text AS BLOB), crc FROM contexts ORDER BY context",
    "event_keys": "SELECT key, seq FROM event_keys ORDER BY key, seq",
    "lexical": "SELECT rowid, CAST(tokens AS BLOB) FROM lexical ORDER BY rowid",
    "marks": "SELECT space, CAST(name AS BLOB), kind, typeof(value), value, key FROM marks"
    " ORDER BY space, name, kind, value, key",
    "lexical_sizes": "SELECT key, size FROM lexical_sizes ORDER BY key",
}


def _compare(table: str, fresh: apsw.Connection, held: apsw.Connection, report: Report) -> None:
    """Both in the order of their keys; the first difference is told."""
    try:
        for wanted, found in zip_longest(fresh.execute(_CONTENT[table]), held.execute(_CONTENT[table])):
            if wanted != found:
                row: Any = wanted if wanted is not None else found
                detail = (
                    "a row is missing" if found is None else "a row too many" if wanted is None else "a row differs"
                )
                break
        else:
            return
    except (apsw.CorruptError, UnicodeDecodeError) as error:
        row, detail = ("?",), str(error)
    report._add("error", "table-differs", f"{table} {row[0]!r}", detail, "verify(repair=True) makes the table anew")


def _mend(log: EventLog, damaged: list[int]) -> list[int]:
    """Put right the events of which one bit was flipped; their numbers."""
    done: list[int] = []
    if not damaged:
        return done
    with log.write(mending=True) as tx, translated(log.path):
        for seq in damaged:
            try:
                found = fetch(tx._db, "SELECT body, crc FROM events WHERE seq = ?", (seq,))
            except apsw.CorruptError:
                continue
            if not found or type(found[0][0]) is not bytes or type(found[0][1]) is not int:
                continue
            body, crc = found[0]
            right = mended(seq, body, crc, log.dim)
            if right is not None:
                tx._db.execute("UPDATE events SET body = ?, crc = ? WHERE seq = ?", (*right, seq))
                done.append(seq)
        if done:
            # others that are open have folded the log without these events
            remade(tx)
    return done


def _repair(log: EventLog, folded: Columns, epoch: int, report: Report) -> list[str]:
    """Make anew what is derived and was found wrong; what was done, in words."""
    done: list[str] = []
    names = {f.what for f in report.findings}
    if names & {"table-differs", "index-damaged"}:
        with log.write(mending=True) as tx, translated(log.path):
            projection.rebuild(tx._db, _batches(tx), keep_for=set(report.damaged))
        done.append("derived tables rebuilt")
    if any(name.startswith("snapshot-") for name in names):
        snapshot.discard(log)
        done.append("snapshot removed")
        if snapshot.save(log, folded, epoch=epoch).outcome == "written":
            done.append("snapshot written anew")
    if "candidates-damaged" in names:
        candidates.discard(log)
        done.append("index of candidates removed")
    return done


def _batches(view: View, after: int = 0, upto: int | None = None) -> Iterator[Batch]:
    end = view.seq if upto is None else min(upto, view.seq)
    while after < end:
        batch = view.batch(after, end)
        yield batch
        after = batch.upto
