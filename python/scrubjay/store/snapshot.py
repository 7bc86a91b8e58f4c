"""Snapshots: the columns at one event, so that opening a store need not fold its whole log.

A snapshot is a cache: scalars and edges are Arrow IPC files, vectors a segment file that may be mapped instead of read
(`scrubjay.store.segment`). The manifest names its files with sizes and SHA-256; the bytes are checked before a parser
sees them, the columns before a kernel does. Whatever is missing, damaged, of another format, of another store or ahead
of the log is left aside, and `Status` says so. Files are written, synced and renamed, then the folder is synced, then
the manifest the same way, under the log's write lock: no process replaces another's newer snapshot by an older one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, BinaryIO, Final

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrubjay.columns import FIELDS, LIVE, ORIGINS, Columns, flat, scalar_batch, scalar_schema
from scrubjay.errors import SegmentError, StoreError, StoreReadOnlyError
from scrubjay.events import Fitted
from scrubjay.links import SLOTS
from scrubjay.matrix import aligned
from scrubjay.memory import LABELS, Layer, Tier
from scrubjay.store import segment
from scrubjay.store.connect import sync_folder
from scrubjay.store.log import EventLog
from scrubjay.store.manifest import (
    FILE_NAME,
    FORMAT,
    MANIFEST,
    File,
    Manifest,
    Status,
    UnusableError,
    complete,
    held_manifest,
    origin,
    read_manifest,
    seal,
)

MIN_EVENTS: Final = 2000
SHARE: Final = 0.1
"""A snapshot is due when at least MIN_EVENTS events, and SHARE times the number of rows, came since the last one."""

REWRITTEN: Final = "the log was rewritten since the columns were folded"

_ATTEMPTS: Final = 3


def due(columns: Columns, at: int) -> bool:
    """True when the fold of what came since event `at` is worth a new snapshot."""
    return columns.seq - at >= max(MIN_EVENTS, SHARE * len(columns)) or columns.crowded


# -- loading


def load(log: EventLog, *, mapped: bool | None = False) -> tuple[Columns, Status]:
    """The columns of the newest usable snapshot, or empty ones; then `fold.catch_up` brings them to the log's end.

    `mapped`: leave the vectors in their file (True), read and verify them (False), or do what suits their size (None).
    """
    folder = log.snapshot_folder
    if folder is None:
        return Columns(log.dim), Status("absent")
    status = Status("absent")
    for _ in range(_ATTEMPTS):
        manifest: Manifest | None = None
        try:
            manifest = read_manifest(folder)
            if manifest is None:
                return Columns(log.dim), Status("absent")
            if manifest.vectors_file.name in log.broken:
                return Columns(log.dim), Status("damaged", 0, f"{manifest.vectors_file.name} was found damaged")
            _belongs(manifest, log)
            columns = _read(folder, manifest, mapped)
            _take_head(columns, manifest.head_seq, log)
            return columns, Status("loaded", columns.seq)
        except FileNotFoundError as error:
            # another process has just put a newer one in its place: look again
            status = Status("damaged", 0, f"{os.path.basename(str(error.filename))} is missing")
        except UnusableError as error:
            log.distrusted.update(() if manifest is None else manifest.names)
            return Columns(log.dim), error.status
        except OSError as error:
            return Columns(log.dim), Status("damaged", 0, f"cannot be read: {error.strerror}")
    return Columns(log.dim), status


def _belongs(manifest: Manifest, log: EventLog) -> None:
    meta = log.meta
    with log.read() as view:
        epoch = view.epoch()
        if manifest.uuid == meta.uuid and manifest.epoch < epoch:
            raise UnusableError("outdated", "the log was rewritten after the snapshot")
        if (manifest.uuid, manifest.embedder, manifest.dim) != (meta.uuid, meta.embedder, meta.dim):
            raise UnusableError("foreign", "the snapshot is another store's")
        if manifest.epoch != epoch:
            raise UnusableError("foreign", "the snapshot is of a log that was rewritten more often")
        if manifest.seq > view.seq:
            raise UnusableError("ahead", f"the snapshot is of event {manifest.seq}, the log ends at {view.seq}")
        if view.crc_at(manifest.seq) != manifest.crc:
            raise UnusableError("foreign", f"event {manifest.seq} is another one in the log")


def checked_bytes(folder: str, file: File) -> NDArray[np.uint8]:
    """A snapshot file's bytes, after size and checksum were found right."""
    if FILE_NAME.fullmatch(file.name) is None:
        raise UnusableError("damaged", "the manifest names a file that no snapshot has")
    path = os.path.join(folder, file.name)
    with open(path, "rb") as opened:
        if os.fstat(opened.fileno()).st_size != file.size:
            raise UnusableError("damaged", f"{file.name} does not have the {file.size} bytes of the manifest")
        data = aligned((file.size,), np.uint8)
        if _fill(opened, data) != file.size or hashlib.sha256(data.data).hexdigest() != file.sha256:
            raise UnusableError("damaged", f"{file.name} does not match its checksum")
    return data


def _fill(opened: BinaryIO, data: NDArray[np.uint8]) -> int:
    got, room = 0, memoryview(data.data)
    while got < len(data):
        n = opened.readinto(room[got:])  # type: ignore[attr-defined]
        if not n:
            break
        got += n
    return got


def _read(folder: str, manifest: Manifest, mapped: bool | None) -> Columns:
    # room for what is added next, so that the first append does not copy everything; untouched pages cost nothing
    capacity = manifest.rows + max(1024, manifest.rows // 8)
    held = segment.held(folder, manifest, capacity=capacity, mapped=mapped)
    columns = Columns(manifest.dim, capacity=capacity, held=held)
    for batch in _batches(checked_bytes(folder, manifest.columns_file), scalar_schema()):
        if len(columns) + batch.num_rows > manifest.rows:
            raise UnusableError("damaged", "the snapshot has more rows than its manifest says")
        columns.append({f.name: _numbers(batch.column(f.name), f.dtype) for f in FIELDS}, batch.num_rows)
    if len(columns) != manifest.rows or not _sound(columns, manifest.contexts):
        raise UnusableError("damaged", "the snapshot's columns are not sound")
    _read_links(columns, checked_bytes(folder, manifest.links_file))
    _read_passages(columns, checked_bytes(folder, manifest.passages_file))
    columns.taxonomy = dict(manifest.taxonomy)
    columns.seq = manifest.seq
    columns.settings, columns.session = manifest.settings, manifest.session
    return columns


def _take_head(columns: Columns, seq: int, log: EventLog) -> None:
    if not seq:
        return
    with log.read() as view:
        events = view.batch(seq - 1, seq).events
    if len(events) != 1 or not isinstance(events[0], Fitted):
        raise UnusableError("damaged", f"event {seq} holds no fitted head")
    columns.head, columns.head_seq = events[0].head, seq


def _read_links(columns: Columns, data: NDArray[np.uint8]) -> None:
    start = 0
    for batch in _batches(data, _LINKS):
        near = _numbers(batch.column("near").flatten(), np.int32).reshape(-1, SLOTS)
        columns.links.restore(start, near, _matrix(batch.column("value"), SLOTS))
        start += len(near)
        if start > len(columns):
            raise UnusableError("damaged", "the snapshot has edges of more rows than it has")
    try:
        # the bytes were found whole, and `_batches` has read them as an Arrow file
        held = pa.ipc.open_file(pa.py_buffer(data)).schema.metadata[b"hand"]
        for a, b, weight, kind in msgspec.json.decode(held, type=list[tuple[int, int, float, str]]):
            columns.links.tie(a, b, weight, kind)
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise UnusableError("damaged", "the snapshot's edges by hand cannot be read") from error
    if not columns.links.sound(len(columns)):
        raise UnusableError("damaged", "the snapshot's edges are not sound")


def _read_passages(columns: Columns, data: NDArray[np.uint8]) -> None:
    for batch in _batches(data, _passages_schema(columns.dim)):
        key = _numbers(batch.column("key"), np.int64)
        span = _numbers(batch.column("span").flatten(), np.int32).reshape(-1, 2)
        what = _matrix(batch.column("what"), columns.dim)
        start = np.flatnonzero(np.diff(key, prepend=-1))
        if (columns.rows(key[start]) < 0).any() or (span[:, 0] < 0).any() or (span[:, 0] >= span[:, 1]).any():
            raise UnusableError("damaged", "the snapshot's passages are not sound")
        for first, stop in zip(start.tolist(), [*start[1:].tolist(), len(key)], strict=True):
            columns.passages.put(int(key[first]), span[first:stop], what[first:stop])


def _batches(data: NDArray[np.uint8], expected: pa.Schema) -> Iterable[pa.RecordBatch]:
    try:
        reader = pa.ipc.open_file(pa.py_buffer(data))
        if not reader.schema.equals(expected):
            raise UnusableError("format", "the snapshot has other columns than this version")
        for i in range(reader.num_record_batches):
            batch = reader.get_batch(i)
            batch.validate(full=True)
            yield batch
    except pa.ArrowException as error:
        raise UnusableError("damaged", f"not an Arrow file of this kind: {type(error).__name__}") from error


def _matrix(array: Any, dim: int) -> NDArray[np.float32]:
    return _numbers(array.flatten(), np.float32).reshape(-1, dim)


def _numbers(array: Any, dtype: type[np.generic]) -> NDArray[Any]:
    """The numbers of an Arrow array without nulls; NumPy's own way to them would load pandas where it is installed."""
    size = np.dtype(dtype).itemsize
    if array.null_count:
        raise UnusableError("damaged", "the snapshot has holes")
    return np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * size)


def _sound(columns: Columns, contexts: int) -> bool:
    """What kernels and the fold rely on, whoever wrote the file."""
    c, n = columns, len(columns)
    codes = ((c.label, len(LABELS)), (c.origin, len(ORIGINS)), (c.layer, len(Layer)), (c.tier, len(Tier)))
    channels = (
        (c.importance, 0.0, 1.0),
        (c.a, 0.0, np.inf),
        (c.b, 0.0, np.inf),
        (c.stability, 0.0, np.inf),
        (c.difficulty, 1.0, 10.0),
    )
    return n == 0 or bool(
        c.key[0] > 0
        and (np.diff(c.key) > 0).all()
        and (c.flags & LIVE).all()
        and (c.context >= -1).all()
        and (c.context < contexts).all()
        and (c.space >= 0).all()
        and (c.superseded_by >= 0).all()
        and (c.part_of >= 0).all()
        and all(_between(held, low, high) for held, low, high in channels)
        and (c.said_label >= -1).all()
        and (c.said_label < len(LABELS)).all()
        and all((code >= 0).all() and (code < bound).all() for code, bound in codes)
    )


def _between(held: NDArray[Any], low: float, high: float) -> bool:
    return bool(np.isfinite(held).all() and (held >= low).all() and (held <= high).all())


# -- saving


def save(log: EventLog, columns: Columns, *, epoch: int | None = None) -> Status:
    """Write the columns as the store's snapshot, unless there is one as new. Needs a handle that may write.

    `epoch` is the one in which they were folded (`View.epoch`), by default the log's: those of another are not written.
    """
    folder = log.snapshot_folder
    if folder is None or columns.seq == 0:
        return Status("skipped", 0, "there is nothing to keep")
    if log.read_only:
        raise StoreReadOnlyError(f"store {log.path!r} was opened with read_only=True: it writes no snapshot")
    if columns.damaged or columns.orphans:
        # the columns lack what could not be read; a log restored from a backup must not meet them again
        return Status("skipped", 0, "the log is damaged")
    if columns.lost:
        return Status("skipped", 0, columns.lost)
    seq = columns.seq
    with log.read() as view:
        crc, current = view.crc_at(seq), view.epoch()
    if crc is None:
        return Status("skipped", 0, f"the log has no event {seq}")
    if epoch is not None and epoch != current:
        return Status("skipped", 0, REWRITTEN)
    token = os.urandom(8).hex()
    try:
        os.makedirs(folder, exist_ok=True)
        rows = _write(folder, f"columns-{seq}-{token}.arrow", scalar_schema(), _scalar_batches(columns))
        vectors = segment.write(folder, f"vectors-{seq}-{token}.segment", columns)
        hand = {b"hand": msgspec.json.encode(columns.links.table())}
        links = _write(folder, f"links-{seq}-{token}.arrow", _LINKS.with_metadata(hand), _link_batches(columns))
        passages = _write(folder, f"passages-{seq}-{token}.arrow", _passages_schema(log.dim), _passage_batches(columns))
        manifest = Manifest(
            format=FORMAT,
            **origin(log.meta, current),
            seq=seq,
            crc=crc,
            rows=columns.live_count,
            contexts=len(columns.contexts),
            settings=columns.settings,
            session=columns.session,
            columns_file=rows,
            vectors_file=vectors,
            links_file=links,
            passages_file=passages,
            taxonomy=dict(columns.taxonomy),
            head_seq=columns.head_seq,
        )
        return _publish(log, folder, manifest)
    except SegmentError:
        _remove(folder, token)
        raise
    except OSError as error:
        _remove(folder, token)
        columns.must_hold()
        held = held_manifest(folder)
        if isinstance(error, FileNotFoundError) and held is not None and held.seq >= seq:
            return Status("older", held.seq, "another process wrote one as new, and swept ours")
        if isinstance(error, FileNotFoundError) and log.epoch != current:
            return Status("skipped", 0, REWRITTEN)
        raise StoreError(f"store {log.path!r}: the snapshot cannot be written: {error.strerror}") from error


def _remove(folder: str, token: str) -> None:
    """Take back what a save that failed has written."""
    with suppress(OSError):
        for name in os.listdir(folder):
            found = FILE_NAME.fullmatch(name)
            if found is not None and found[3] == token:
                os.unlink(os.path.join(folder, name))


def _write(folder: str, name: str, form: pa.Schema, batches: Iterable[pa.RecordBatch]) -> File:
    path = os.path.join(folder, name)
    with open(path + ".part", "xb") as raw:
        sink = _HashingSink(raw)
        with pa.ipc.new_file(pa.PythonFile(sink, mode="w"), form) as writer:
            for batch in batches:
                writer.write_batch(batch)
        raw.flush()
        os.fsync(raw.fileno())
    os.rename(path + ".part", path)
    return File(name, sink.size, sink.hash.hexdigest())


class _HashingSink:
    """A binary file that hashes what passes through."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.hash = hashlib.sha256()
        self.size = 0
        self.closed = False

    def write(self, data: Any) -> int:
        self.hash.update(data)
        self.size += len(data)
        return self._raw.write(data)

    def flush(self) -> None:
        self._raw.flush()

    def close(self) -> None:
        self.closed = True


def _publish(log: EventLog, folder: str, manifest: Manifest) -> Status:
    sync_folder(folder)
    with log.write() as tx:
        if tx.epoch() != manifest.epoch:
            for name in manifest.names:
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, name))
            return Status("skipped", 0, REWRITTEN)
        held = held_manifest(folder)
        if (
            held is not None
            and _at_least(held, manifest)
            and not held.names & log.distrusted
            and complete(folder, held)
        ):
            _sweep(folder, manifest.seq, keep=held.names)
            return Status("older", held.seq, "there is a snapshot as new")
        if not complete(folder, manifest):
            return Status("skipped", 0, "another process removed the files")
        part = os.path.join(folder, f"{MANIFEST}.part")
        with open(part, "wb") as file:
            file.write(seal(manifest))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, os.path.join(folder, MANIFEST))
        # it is there; should it be gone after a power cut, the one before is not
        with suppress(OSError):
            sync_folder(folder)
            _sweep(folder, manifest.seq, keep=manifest.names)
    return Status("written", manifest.seq)


def _at_least(held: Manifest, ours: Manifest) -> bool:
    """True when a snapshot that is there is of this store, of this version, and as new."""
    return (held.uuid, held.epoch, held.dim) == (ours.uuid, ours.epoch, ours.dim) and held.seq >= ours.seq


def _sweep(folder: str, seq: int, *, keep: set[str]) -> None:
    """Remove files of snapshots up to `seq` but those to keep; a newer one may be another process's work in hand."""
    for name in os.listdir(folder):
        found = FILE_NAME.fullmatch(name)
        if found is not None and name not in keep and int(found[2]) <= seq:
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))


def discard(log: EventLog) -> None:
    """Remove the snapshot: the next open folds the whole log."""
    folder = log.snapshot_folder
    if folder is None or not os.path.isdir(folder):
        return
    with log.exclusive():
        for name in (MANIFEST, *os.listdir(folder)):
            if name == MANIFEST or FILE_NAME.fullmatch(name) is not None:
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, name))
        sync_folder(folder)


_LINKS: Final = pa.schema(
    [
        pa.field("near", pa.list_(pa.field("item", pa.int32(), nullable=False), SLOTS), nullable=False),
        pa.field("value", pa.list_(pa.field("item", pa.float32(), nullable=False), SLOTS), nullable=False),
    ]
)
"""Slots of `Links.packed`; the edges by hand lie in the metadata "hand"."""


def _link_batches(columns: Columns, rows: int = 1 << 16) -> Iterable[pa.RecordBatch]:
    live = np.flatnonzero(columns.live())
    for start in range(0, len(live) if columns.links.nbytes else 0, rows):
        parts = zip(_LINKS, columns.links.packed(live, start, start + rows), strict=True)
        arrays = [pa.FixedSizeListArray.from_arrays(flat(part), type=f.type) for f, part in parts]
        yield pa.RecordBatch.from_arrays(arrays, schema=_LINKS)


def _passages_schema(dim: int) -> pa.Schema:
    def some(kind: pa.DataType, length: int) -> pa.DataType:
        return pa.list_(pa.field("item", kind, nullable=False), length)

    return pa.schema(
        [
            pa.field("key", pa.int64(), nullable=False),
            pa.field("span", some(pa.int32(), 2), nullable=False, metadata={"unit": "characters"}),
            pa.field("what", some(pa.float32(), dim), nullable=False, metadata={"unit": "unit norm"}),
        ]
    )


def _passage_batches(columns: Columns) -> Iterable[pa.RecordBatch]:
    form = _passages_schema(columns.dim)
    for key, *parts in columns.passages.batches():
        arrays = [
            pa.FixedSizeListArray.from_arrays(flat(part), type=form.field(i).type) for i, part in enumerate(parts, 1)
        ]
        yield pa.RecordBatch.from_arrays([flat(key), *arrays], schema=form)


def _scalar_batches(columns: Columns, rows: int = 1 << 16) -> Iterable[pa.RecordBatch]:
    live = np.flatnonzero(columns.live())
    for start in range(0, len(live), rows):
        some = live[start : start + rows]
        yield scalar_batch({f.name: getattr(columns, f.name)[some] for f in FIELDS})
