from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import threading
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.errors import StoreError, StoreReadOnlyError
from scrubjay.events import Forgotten, Updated
from scrubjay.store import EventLog, manifest, snapshot, verify
from tests.store.helpers import DIM, context, fill, learned, open_log, start, unit


@pytest.fixture
def store(tmp_path):
    """A folder with 30 memories, two of them deleted, and a snapshot of all of it."""
    path = tmp_path / "s"
    with start(open_log(path)) as log:
        with log.write() as tx:
            tx.append([context(0), *[learned(i, context=i % 2 - 1) for i in range(1, 31)]])
            tx.append([Forgotten(at=0.0, keys=[4, 30]), Updated(at=7.0, key=9, vector=unit(0).tobytes())])
        columns = fold.rebuild(log)
        assert snapshot.save(log, columns).outcome == "written"
    return path


def opened(path: Path) -> tuple[Columns, manifest.Status]:
    with EventLog.open(path, read_only=True) as log:
        truth = fold.rebuild(log).digest()
        columns, status = snapshot.load(log)
        assert status.seq == columns.seq
        fold.catch_up(columns, log)
        assert columns.digest() == truth
    return columns, status


def files(path: Path) -> dict[str, Path]:
    return {p.name.split("-")[0]: p for p in (path / "snapshot").iterdir()}


def test_a_snapshot_is_the_fold(store):
    columns, status = opened(store)
    assert status == manifest.Status("loaded", 34)
    assert columns.dead == 0
    assert columns.live_count == 28
    assert set(files(store)) == {"columns", "vectors", "links", "passages", "manifest.json"}


def test_what_came_since_is_folded_in(store):
    with open_log(store) as log:
        fill(log, 5)
    columns, status = opened(store)
    assert (status.outcome, status.seq, columns.seq) == ("loaded", 34, 39)


@pytest.mark.parametrize("name", ["columns", "vectors", "links", "passages", "manifest.json"])
@pytest.mark.parametrize("how", ["gone", "empty", "cut", "flipped", "longer", "other", "pickle", "folder"])
def test_a_damaged_file_is_noticed_and_made_anew(store, name, how):
    file = files(store)[name]
    data = file.read_bytes()
    if how in ("gone", "folder"):
        file.unlink()
    if how == "folder":
        file.mkdir()
    elif how != "gone":
        changed = bytearray(data)
        changed[len(data) // 2] ^= 1
        file.write_bytes(
            {
                "empty": b"",
                "cut": data[:-1],
                "flipped": bytes(changed),
                "longer": data + b"\0",
                "other": os.urandom(len(data)),
                "pickle": pickle.dumps({"format": 1}),
            }[how]
        )
    columns, status = opened(store)
    assert columns.live_count == 28
    if name == "manifest.json" and how == "gone":
        assert status.outcome == "absent"
    else:
        assert status.outcome == "damaged"
        assert status.reason
        assert not status.good
    if how == "folder":
        return
    with open_log(store) as log:
        report = verify.verify(log, fold.catch_up)
        assert {f.what for f in report.findings} == (set() if status.outcome == "absent" else {"snapshot-damaged"})
        assert snapshot.save(log, columns).outcome == "written"
    assert opened(store)[1].outcome == "loaded"


def reseal(store: Path, **changes: object) -> None:
    """Change the manifest and give it a right checksum again."""
    file = store / "snapshot" / "manifest.json"
    body = json.loads(file.read_bytes())["body"] | changes
    raw = json.dumps(body).encode()
    file.write_bytes(b'{"body":' + raw + b',"sha256":"' + hashlib.sha256(raw).hexdigest().encode() + b'"}')


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"format": 99}, "format"),
        ({"uuid": "0" * 32}, "foreign"),
        ({"embedder": "other"}, "foreign"),
        ({"dim": DIM + 1}, "foreign"),
        ({"epoch": 5}, "foreign"),
        ({"crc": 1}, "foreign"),
        ({"seq": 35}, "ahead"),
        ({"seq": 10**18}, "ahead"),
        ({"seq": -1}, "damaged"),
        ({"rows": 10**15}, "damaged"),
        ({"rows": 27}, "damaged"),
        ({"contexts": 2}, "damaged"),
        ({"surprise": 1}, "damaged"),
        ({"rows": "28"}, "damaged"),
        ({"format": None}, "format"),
        ({"columns_file": {"name": "../log.sqlite", "size": 1, "sha256": ""}}, "damaged"),
        ({"columns_file": {"name": "/etc/passwd", "size": 1, "sha256": ""}}, "damaged"),
    ],
)
def test_a_manifest_of_something_else_is_left_aside(store, changes, outcome):
    reseal(store)
    assert opened(store)[1].outcome == "loaded"
    reseal(store, **changes)
    assert opened(store)[1].outcome == outcome


def craft(store: Path, kind: str, data: bytes) -> None:
    """Put other bytes in place of a file, with a manifest that fits them."""
    file = files(store)[kind]
    file.write_bytes(data)
    given = {"name": file.name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    reseal(store, **{f"{kind}_file": given})


def ipc(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("context", 1),
        ("context", -2),
        ("label", 4),
        ("label", -1),
        ("origin", 9),
        ("layer", 7),
        ("tier", 3),
        ("flags", 0),
    ],
)
def test_hostile_columns_with_right_checksums_do_not_reach_a_kernel(store, name, value):
    data = files(store)["columns"].read_bytes()
    batch = pa.ipc.open_file(pa.py_buffer(data)).get_batch(0)
    column = np.asarray(batch.column(name)).copy()
    column[3] = value
    index = batch.schema.get_field_index(name)
    craft(store, "columns", ipc(batch.set_column(index, batch.schema.field(index), pa.array(column))))
    assert opened(store)[1].outcome == "damaged"


def test_hostile_files_with_right_checksums_are_no_crash(store):
    data = files(store)["columns"].read_bytes()
    batch = pa.ipc.open_file(pa.py_buffer(data)).get_batch(0)
    craft(store, "columns", ipc(batch))
    assert opened(store)[1].outcome == "loaded"
    craft(store, "columns", ipc(batch.take(pa.array(range(27, -1, -1)))))
    assert opened(store)[1].outcome == "damaged"
    craft(store, "columns", ipc(batch.select(["key", "when"])))
    assert opened(store)[1].outcome == "format"
    for bad in (b"", b"ARROW1\0\0", data[:-10], os.urandom(500), pickle.dumps([1])):
        craft(store, "columns", bad)
        assert opened(store)[1].outcome == "damaged"


def test_a_snapshot_of_another_store_or_another_past_is_foreign(tmp_path, store):
    other = tmp_path / "other"
    with open_log(other) as log:
        fill(log, 40)
    shutil.copytree(store / "snapshot", other / "snapshot")
    assert opened(other)[1].outcome == "foreign"
    # the log goes back to a backup and takes another way from there
    backup = tmp_path / "backup"
    with open_log(store) as log:
        fill(log, 1)
    shutil.copytree(store, backup)
    with open_log(store) as log:
        with log.write() as tx:
            tx.append([learned(tx.next_key, "one way")])
        assert snapshot.save(log, fold.rebuild(log)).outcome == "written"
    shutil.rmtree(backup / "snapshot")
    shutil.copytree(store / "snapshot", backup / "snapshot")
    assert opened(backup)[1].outcome == "ahead"
    with open_log(backup) as log, log.write() as tx:
        tx.append([learned(tx.next_key, "another way")])
    assert opened(backup)[1].outcome == "foreign"


def test_older_columns_do_not_replace_a_newer_snapshot(store):
    with open_log(store) as log:
        old, _ = snapshot.load(log)
        fill(log, 3)
        new = fold.rebuild(log)
        assert snapshot.save(log, new).outcome == "written"
        assert snapshot.save(log, old) == manifest.Status("older", new.seq, "there is a snapshot as new")
        assert snapshot.load(log)[1].seq == new.seq
    assert len(files(store)) == 5


def test_leftovers_of_a_killed_writer_are_swept(store):
    folder = store / "snapshot"
    for name in (f"columns-12-{'a' * 16}.arrow", f"contexts-20-{'b' * 16}.arrow.part", f"columns-90-{'c' * 16}.arrow"):
        (folder / name).write_bytes(b"rest")
    (folder / "notes.txt").write_text("the user's own")
    with open_log(store) as log:
        fill(log, 3)
        snapshot.save(log, fold.rebuild(log))
    names = set(os.listdir(folder))
    assert len(names) == 7
    assert {"notes.txt", f"columns-90-{'c' * 16}.arrow"} < names


def test_nothing_is_written_where_it_must_not_be(store):
    before = {p.name: p.read_bytes() for p in (store / "snapshot").iterdir()}
    with EventLog.open(store, read_only=True) as log:
        with pytest.raises(StoreReadOnlyError):
            snapshot.save(log, fold.rebuild(log))
        assert snapshot.save
    with EventLog.open(store) as log:
        hurt = fold.rebuild(log)
        hurt.damaged.append(3)
        assert snapshot.save(log, hurt).outcome == "skipped"
        ahead = fold.rebuild(log)
        ahead.seq += 5
        assert snapshot.save(log, ahead).outcome == "skipped"
        assert snapshot.save(log, Columns(DIM)).outcome == "skipped"
    assert {p.name: p.read_bytes() for p in (store / "snapshot").iterdir()} == before
    with start(open_log(":memory:")) as log:
        assert snapshot.save(log, fold.rebuild(log)).outcome == "skipped"
        assert snapshot.load(log)[1].outcome == "absent"


def test_a_snapshot_folder_that_cannot_be_is_an_error(tmp_path):
    path = tmp_path / "s"
    with open_log(path) as log:
        fill(log, 3)
        (path / "snapshot").write_text("a file")
        assert snapshot.load(log)[1].outcome in ("absent", "damaged")
        with pytest.raises(StoreError, match="snapshot cannot be written"):
            snapshot.save(log, fold.rebuild(log))
        fill(log, 3)


def test_a_snapshot_is_due_after_enough_events():
    columns = Columns(DIM)
    columns.seq = snapshot.MIN_EVENTS - 1
    assert not snapshot.due(columns, 0)
    columns.seq += 1
    assert snapshot.due(columns, 0)
    assert not snapshot.due(columns, 1)


def test_saving_while_others_write_and_load(tmp_path):
    path = tmp_path / "s"
    stop = threading.Event()
    with open_log(path, durability="normal") as log:
        fill(log, 200)

        def write() -> None:
            while not stop.is_set():
                fill(log, 1)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            columns = Columns(DIM)
            for _ in range(20):
                fold.catch_up(columns, log)
                assert snapshot.save(log, columns).outcome in ("written", "older")
                loaded, status = snapshot.load(log)
                assert status.outcome == "loaded"
                assert loaded.digest() == columns.digest()
        finally:
            stop.set()
            writer.join()


def test_the_manifest_is_checked_json():
    status = manifest.Status("damaged", 0, "x")
    assert msgspec.json.decode(msgspec.json.encode(status), type=manifest.Status) == status
