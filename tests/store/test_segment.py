"""Segment files: mapped or read, the state is the same; changed, cut or replaced under a reader, nobody is misled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import scrubjay
from scrubjay import _core, fold
from scrubjay import columns as columns_module
from scrubjay.errors import SegmentError
from scrubjay.matrix import BLOCK, Matrix, Segment
from scrubjay.store import EventLog, segment, snapshot
from scrubjay.verbs import engine
from tests.store.helpers import learned, open_log, start
from tests.toys import WordHash

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(scrubjay.__file__).parents[1]), str(ROOT)])}
WIDE = 64
TEXTS = [f"memory {i} of topic{i % 97} and thing{i % 41}" for i in range(9000)]


@pytest.fixture(autouse=True)
def small_files_have_codes(monkeypatch):
    monkeypatch.setattr(segment, "MAPPED_BYTES", 1 << 16)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A closed store of 9,000 memories with contexts, some deleted, some moved, and a snapshot with codes."""
    path = tmp_path_factory.mktemp("segment") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment, "MAPPED_BYTES", 1 << 16)
        store = scrubjay.open(path, embedder=WordHash(WIDE), clock=lambda: 1e9, graph=False)
        units = store.add_many([{"text": t, "context": f"c{i % 7}"} for i, t in enumerate(TEXTS)])
        store.delete([u.id for u in units[100:400]])
        store.integrate("memory 5 of topic5 and thing5 is over", when=1e9 + 5)
        store.close()
    return path


@pytest.fixture
def path(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "s")
    return tmp_path / "s"


def vectors(path: Path) -> Path:
    (found,) = (path / "snapshot").glob("vectors-*.segment")
    return found


def opened(path: Path, **options: Any) -> scrubjay.MemoryStore:
    return scrubjay.open(path, embedder=WordHash(WIDE), clock=lambda: 2e9, **{"mapped": True, "graph": False} | options)


def answers(store: scrubjay.MemoryStore) -> list[Any]:
    found = store.search_many(["topic3 thing7", "memory 77", "topic90"], k=5)
    return [[(h.memory.text, h.score) for h in hits] for hits in found]


def asked(path: Path, **options: Any) -> tuple[str, list[Any]]:
    with opened(path, **options) as store:
        found = answers(store)
        return store._engine.state()[1], found


@pytest.fixture(scope="module")
def truth(whole):
    """What the store is and says when its file is read whole."""
    with EventLog.open(whole, read_only=True) as log:
        folded = fold.rebuild(log).digest()
    told = asked(whole, mapped=False)
    assert told[0] == folded
    return told


def test_mapped_and_read_are_the_same_state(path, truth):
    digest, found = truth
    with opened(path) as store:
        columns = store._engine.columns
        assert columns.mapped_bytes > 2_000_000
        assert not columns.settled
        assert columns.vectors[np.array([5])].shape == (1, WIDE)
        assert not columns.settled, "one row has read every row"
        assert answers(store) == found
        assert "sieve" in store.search("topic3", k=2).plan
        assert store._engine.state()[1] == digest
        assert columns.settled
        stats = store.stats()
        assert stats.mapped_bytes == columns.mapped_bytes
        assert 0 < stats.resident_bytes <= stats.mapped_bytes
        assert stats.unread_events == stats.events
    with opened(path, mapped=False) as store:
        assert store.stats().mapped_bytes == 0


def test_what_is_done_in_a_mapped_store_is_the_fold_of_the_log(path):
    for _ in range(2):
        with opened(path) as store:
            before = vectors(path).read_bytes()
            mapped = store._engine.columns.mapped_bytes
            store.add_many([f"new fact {i} of topic{i}" for i in range(2500)])
            assert store._engine.columns.mapped_bytes == mapped, "growing has brought the rows into memory"
            store.integrate("memory 8 of topic8 and thing8 has moved", when=2e9 + 1)
            store.delete([store.search("memory 700", k=1)[0].memory.id])
            seq, digest = store._engine.state()
            assert vectors(path).read_bytes() == before
            with EventLog.open(path, read_only=True) as log:
                folded = fold.rebuild(log)
            assert (folded.seq, folded.digest()) == (seq, digest)
            plain, codes = folded.codes(), store._engine.columns.codes()
            live = store._engine.columns.live()
            assert all((a[live[: len(a)]] == b[folded.live()]).all() for a, b in zip(codes[:2], plain[:2], strict=True))
            found = answers(store)
            assert store.verify().ok
        assert asked(path, mapped=False) == (digest, found)


def test_many_deletions_do_not_bring_a_mapped_store_into_memory(path):
    with opened(path) as store:
        ids = [u.id for u in store.list(namespace=(), limit=6000)]
        before = vectors(path).name
        store.delete(ids)
        columns = store._engine.columns
        assert columns.dead == 0
        assert len(columns) == columns.live_count
        assert columns.mapped_bytes > 0
        assert vectors(path).name != before
        digest = store._engine.state()[1]
    assert asked(path, mapped=False)[0] == digest


@pytest.mark.parametrize("mapped", [True, None])
def test_a_growing_store_moves_its_vectors_out_of_memory(tmp_path, monkeypatch, mapped):
    for module in (engine, columns_module):
        monkeypatch.setattr(module, "ROOM", 1 << 19)
    path = tmp_path / "s"
    with opened(path, mapped=mapped) as store:
        sizes = []
        for first in range(0, 9000, 1500):
            store.add_many(TEXTS[first : first + 1500])
            sizes.append(store.stats().mapped_bytes)
        found = answers(store)
        assert store.verify().ok
        state = store._engine.state()[1]
    assert sizes == sorted(sizes)
    assert (sizes[-1] > 1_000_000) == bool(mapped)
    assert asked(path, mapped=False) == (state, found)


def child(body: str, path: Path) -> dict[str, Any]:
    """What a child says that runs `body` with an open mapped store; it must end by itself."""
    code = f"""
import json, os, resource, sys
import numpy as np
import scrubjay
from scrubjay.errors import ScrubjayError, SegmentError
from scrubjay.store import segment
from tests.store.test_segment import answers, opened, vectors
from pathlib import Path
segment.MAPPED_BYTES = 1 << 16
path = Path(sys.argv[1])
out = {{}}
{body}
print(json.dumps(out))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        env=ENVIRONMENT,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
    told: dict[str, Any] = json.loads(done.stdout)
    return told


HURTS = """
def overwrite(file):
    with open(file, "r+b") as opened:
        opened.write(os.urandom(os.path.getsize(file)))
def grow(file):
    with open(file, "ab") as opened:
        opened.write(b"x")
HURTS = {
    "cut to nothing": lambda file: os.truncate(file, 0),
    "cut in the middle": lambda file: os.truncate(file, os.path.getsize(file) // 2),
    "cut by a byte": lambda file: os.truncate(file, os.path.getsize(file) - 1),
    "overwritten": overwrite,
    "grown": grow,
    "removed": os.unlink,
    "replaced": lambda file: os.replace(path / "snapshot" / "manifest.json", file),
}
FIRST = {
    "untouched": lambda store: None,
    "searched": answers,
    "checked": lambda store: store._engine.columns.digest(),
}
import shutil
whole, path = path, path.parent / "hurt"
for how, hurt in HURTS.items():
    for name, first in FIRST.items():
        if name != "searched" and how not in ("cut in the middle", "overwritten"):
            continue
        shutil.copytree(whole, path)
        with opened(path) as store:
            first(store)
            hurt(vectors(path))
            try:
                found = answers(store)
            except SegmentError as error:
                found = answers(store)
            out[f"{how}, {name}"] = [store._engine.state()[1], found]
        shutil.rmtree(path)
"""


def test_a_file_that_is_changed_under_a_reader_misleads_nobody(path, truth):
    told = child(HURTS, path)
    wanted = json.loads(json.dumps(truth))
    assert [name for name, held in told.items() if held != wanted] == []
    assert len(told) == 11


CUT_IN_A_SCAN = """
from scrubjay.columns import Columns
with opened(path) as store:
    columns = store._engine.columns
    raw = columns.raw
    with store._engine.gate.reading():
        pass
    try:
        with store._engine.gate.reading():
            # after every look at the file's size, and before the pages are read
            os.truncate(vectors(path), 65536)
            out["zeros"] = not raw[4096:8000].any()
    except SegmentError as error:
        out["error"] = str(error)
    out["lost"] = store._engine.columns.lost
    out["found"] = answers(store)
    out["again"] = store._engine.columns.lost
    out["digest"] = store._engine.state()[1]
"""


def test_a_cut_in_the_middle_of_a_scan_is_a_named_error_and_no_signal(path, truth):
    digest, found = truth
    told = child(CUT_IN_A_SCAN, path)
    assert told["zeros"]
    assert "shortened" in told["error"]
    assert "vectors-" in told["error"]
    assert told["lost"]
    assert not told["again"]
    assert (told["digest"], told["found"]) == (digest, json.loads(json.dumps(found)))


def regions(path: Path) -> dict[str, int]:
    """A place inside of each part of the file."""
    store = opened(path)
    rows, contexts = len(store._engine.columns), len(store._engine.columns.contexts)
    store.close()
    parts = segment.sections(dim=WIDE, rows=rows, contexts=contexts, coded=True)
    assert parts[-1].end + 4 * sum(p.blocks for p in parts) == vectors(path).stat().st_size
    places = {part.name: part.offset + part.size // 2 for part in parts}
    return places | {"header": 20, "sums": parts[-1].end + 3}


@pytest.mark.parametrize("where", ["header", "sums", "what", "contexts", "high", "low", "meta"])
def test_a_flipped_bit_anywhere_is_found_before_an_answer_rests_on_it(path, where, truth):
    digest, found = truth
    at = regions(path)[where]
    with open(vectors(path), "r+b") as file:
        file.seek(at)
        old = file.read(1)
        file.seek(at)
        file.write(bytes([old[0] ^ 4]))
    with opened(path) as store:
        held, errors = None, []
        while held is None:
            try:
                held = answers(store)
            except SegmentError as error:
                errors.append(str(error))
        if where in ("contexts", "high", "low"):
            assert len(errors) == 1
            assert "checksum" in errors[0]
        elif where != "what":
            assert not errors, "what is read at opening must be found there"
        assert held == found
        try:
            state = store._engine.state()[1]
        except SegmentError:
            state = store._engine.state()[1]
        assert state == digest
        report = store.verify()
        assert {f.what for f in report.findings} == {"snapshot-damaged"}
    assert asked(path, mapped=False) == (digest, found)
    with opened(path) as store:
        assert store.verify().ok, "a damaged file is replaced at close"
        assert store.stats().mapped_bytes > 0


@pytest.mark.parametrize("cut", [0, 1, 4096, BLOCK, BLOCK + 100, -70_000, -1])
def test_a_cut_file_is_no_snapshot(path, cut, truth):
    digest, found = truth
    size = vectors(path).stat().st_size
    os.truncate(vectors(path), cut % size if cut else 0)
    with opened(path) as store:
        assert answers(store) == found
        assert store._engine.state()[1] == digest
        assert not store._snapshot_status.good


def test_a_reader_keeps_its_file_when_another_process_writes_a_newer_one(path):
    with opened(path) as reader:
        digest = reader._engine.state()[1]
        mapped = reader.stats().mapped_bytes
        before = vectors(path).name
        child("with opened(path) as store:\n    store.add_many([f'other {i}' for i in range(3000)])", path)
        assert vectors(path).name != before
        assert reader._engine.columns.mapped_bytes == mapped
        assert not reader._engine.columns.lost
        with opened(path) as third:
            assert reader._engine.state() == third._engine.state()
            assert answers(reader) == answers(third)
        assert reader._engine.state()[1] != digest


def test_two_writers_of_one_snapshot_do_not_mix(path):
    with opened(path) as one, opened(path) as two:
        one.add_many([f"one {i}" for i in range(2500)])
        two.add_many([f"two {i}" for i in range(2500)])
    digest, found = asked(path, mapped=False)
    with EventLog.open(path, read_only=True) as log:
        assert fold.rebuild(log).digest() == digest
    assert len(list((path / "snapshot").iterdir())) == 5
    with opened(path) as store:
        assert answers(store) == found


KILLED = """
import os, sys
from pathlib import Path
from scrubjay.store import segment
from tests.store.test_segment import opened
segment.MAPPED_BYTES = 1 << 16
real, left = os.pwrite, [int(sys.argv[2])]
def pwrite(*given):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), 9)
    return real(*given)
segment.os.pwrite = pwrite
store = opened(Path(sys.argv[1]))
store.add_many([f"other {i}" for i in range(3000)])
store.close()
"""


def test_a_writer_that_is_killed_leaves_the_file_before(path):
    before = vectors(path).read_bytes()
    for after in (0, 8):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(path), str(after)], env=ENVIRONMENT, capture_output=True, check=False
        )
        assert done.returncode == -9, done.stderr[-2000:]
        assert [p.read_bytes() == before for p in (path / "snapshot").glob("vectors-*.segment")] == [True]
        with opened(path, read_only=True) as store:
            assert store.stats().mapped_bytes > 0
    with opened(path) as store:
        digest = store._engine.state()[1]
        store._engine.replaced = True
    assert asked(path, mapped=False)[0] == digest
    assert not list((path / "snapshot").glob("*.part"))


def test_a_folder_that_cannot_be_written_is_mapped_too(path, truth):
    digest, found = truth
    os.chmod(path / "snapshot", 0o555)
    os.chmod(vectors(path), 0o444)
    try:
        with opened(path, read_only=True) as store:
            assert answers(store) == found
            assert store._engine.state()[1] == digest
            assert store.stats().mapped_bytes > 0
    finally:
        os.chmod(path / "snapshot", 0o755)


LARGER = """
from scrubjay.columns import Columns
from scrubjay.store import EventLog, snapshot
def own():
    return sum(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData"))
with EventLog.open(path, read_only=True) as log:
    snapshot.load(log, mapped=True)
    room = own() * 1024 + (48 << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (room, room))
    columns, status = snapshot.load(log, mapped=True)
    out["outcome"], out["mapped"] = status.outcome, columns.mapped_bytes
    out["sum"] = float(sum(columns.vectors[at : at + 100].sum() for at in range(0, len(columns), 100)))
    try:
        snapshot.load(log, mapped=False)
    except MemoryError:
        out["read"] = "no memory"
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's limit on a process's data")
def test_a_store_larger_than_the_memory_that_it_may_use_opens(tmp_path):
    dim, path = 4096, tmp_path / "s"
    with start(open_log(path, dim=dim)) as log:
        for first in range(1, 4001, 500):
            with log.write() as tx:
                tx.append([learned(i, dim=dim) for i in range(first, first + 500)])
        columns = fold.rebuild(log)
        assert snapshot.save(log, columns).outcome == "written"
        told = child(LARGER, path)
    assert told["outcome"] == "loaded"
    assert told["mapped"] > 60 << 20
    assert told["read"] == "no memory"
    assert told["sum"] == pytest.approx(float(columns.what.sum()), rel=1e-3)


def test_regions_of_any_size_hold_what_the_file_holds(tmp_path):
    page = os.sysconf("SC_PAGESIZE")
    data = np.random.default_rng(0).integers(0, 256, 4 * page + 17, np.uint8)
    (tmp_path / "f").write_bytes(data.tobytes())
    with open(tmp_path / "f", "rb") as file:
        for offset in (0, page, 4 * page):
            for size in (0, 1, page - 1, page, page + 1, len(data) - offset):
                size = min(size, len(data) - offset)
                for capacity in (size, size + 1, size + 3 * page):
                    region = _core.Region(file.fileno(), offset, size, capacity)
                    held = region.bytes()
                    assert held.shape == (capacity,)
                    assert (held[:size] == data[offset : offset + size]).all()
                    assert not held[size:].any()
                    assert region.size == size // page * page
                    region.let_write()
                    held[:] = 7
                    del region
                    assert (held == 7).all()
        assert (tmp_path / "f").read_bytes() == data.tobytes()
        for bad in ((-1, 0, 0), (0, -1, 0), (0, 2, 1)):
            with pytest.raises(ValueError, match="capacity"):
                _core.Region(file.fileno(), *bad)
        with pytest.raises(OSError, match="Input/output"):
            _core.Region(file.fileno(), 0, len(data) + 1, 1 << 20)
        with pytest.raises(OSError, match="Bad file"):
            _core.Region(-1, 0, page, page)


def test_wide_rows_span_blocks(tmp_path):
    rows = np.random.default_rng(1).standard_normal((5, BLOCK // 2 + 3)).astype(np.float32)
    data = rows.view(np.uint8).reshape(-1)
    (tmp_path / "f").write_bytes(data.tobytes())
    sums = np.array([zlib.crc32(data[at : at + BLOCK]) for at in range(0, len(data), BLOCK)], np.uint32)
    with open(tmp_path / "f", "rb") as file:
        watched = Segment(file.fileno(), "f")
        matrix = Matrix.mapped(watched, 0, 5, rows.shape[1], np.float32, sums, 8)
        assert (matrix.first(5)[[3, 1]] == rows[[3, 1]]).all()
        assert (matrix.first(5)[-1] == rows[-1]).all()
        held = matrix.writable(5, np.array([2]))
        held[2] = 1.0
        matrix.put(5, rows[:1])
        matrix.grow(6, 20)
        assert (matrix.all(6) == np.concatenate([rows[:2], np.ones_like(rows[:1]), rows[3:], rows[:1]])).all()
        os.truncate(tmp_path / "f", 10)
        assert "written to" in watched.lost


def test_another_program_s_handler_still_gets_its_signals(path):
    body = """
import faulthandler, signal, subprocess
store = opened(path)
answers(store)
faulthandler.enable()
os.truncate(vectors(path), 4096)
raw = store._engine.columns
try:
    out["found"] = len(answers(store))
except SegmentError:
    out["found"] = len(answers(store))
"""
    assert child(body, path)["found"] == 3


@pytest.mark.parametrize("what", ["emptied", "gone", "blank"])
def test_a_lost_log_beside_a_snapshot_is_not_begun_anew(path, what):
    log = path / "log.sqlite"
    if what == "emptied":
        os.truncate(log, 0)
    elif what == "gone":
        log.unlink()
    else:
        log.unlink()
        fresh = apsw.Connection(str(log))
        fresh.pragma("user_version", 0)
        fresh.execute("CREATE TABLE t (x)")
        fresh.execute("DROP TABLE t")
        fresh.close()
    before = log.read_bytes() if what != "gone" else b""
    with pytest.raises(scrubjay.errors.StoreError, match="restore the log from a backup"):
        opened(path)
    assert (log.read_bytes() if log.exists() else b"") == before


def test_stats_say_which_events_they_have_not_read(path):
    log = path / "log.sqlite"
    data = bytearray(log.read_bytes())
    at = data.index(b"memory 4321 of topic")
    data[at] ^= 0x41
    log.write_bytes(data)
    with opened(path) as store:
        stats = store.stats()
        assert (stats.damaged_events, stats.unread_events) == (0, stats.events)
        hidden = store.verify().damaged
        store.add("one more")
        assert store.stats().unread_events == stats.events
    shutil.rmtree(path / "snapshot")
    with opened(path) as store:
        stats = store.stats()
        assert (stats.damaged_events, stats.unread_events) == (len(hidden), 0)
