"""Atheris targets: readers of bytes that others wrote. `readers.py TARGET [libFuzzer arguments]`; see README.md here.

Each target takes any bytes and must answer, or refuse with an error of this library: what else is raised is a finding.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import atheris
import msgspec

with atheris.instrument_imports(include=["scrubjay"]):
    import scrubjay
    from scrubjay import importers
    from scrubjay.errors import ScrubjayError
    from scrubjay.fold import catch_up
    from scrubjay.llm import replies
    from scrubjay.matrix import BLOCK
    from scrubjay.migrate.elfmem import read_elfmem
    from scrubjay.migrate.mem0 import read_mem0
    from scrubjay.store import EventLog, manifest, segment, snapshot
    from scrubjay.upkeep import merge

from toys import Clock, WordHash

FOLDER: Final = Path(tempfile.mkdtemp(prefix="scrubjay-fuzz-"))
Target = Callable[[bytes], object]


def _as_file(read: Callable[[Path], object]) -> Target:
    """A target that takes its bytes from a file."""
    path = FOLDER / "given"

    def target(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return target


def _reply(data: bytes) -> None:
    text = data[1:].decode("utf-8", "surrogateescape" if data[:1] < b"\x80" else "replace")
    for read in (replies.read_deltas, lambda t: replies.read_opinions(t, 3), lambda t: replies.read_sentences(t, 3)):
        with contextlib.suppress(ScrubjayError):
            read(text)


def _import(path: Path) -> None:
    kinds: tuple[importers.Format | None, ...] = (None, "jsonl", "locomo")
    for kind in kinds:
        for item in importers.read_items(path, format=kind, on_bad=lambda error: None):
            assert item["text"]


def _snapshot() -> Target:
    """A snapshot in which some bytes are others, under checksums that fit: what parses it must not trust it."""
    path = FOLDER / "store"
    with scrubjay.open(path, embedder=WordHash(16), clock=Clock(1.7e9)) as store:
        units = store.add_many([{"text": f"memory {i} of room {i % 3}", "context": f"c {i % 4}"} for i in range(40)])
        store.outcome(units[0].id, 1.0)
        store.link(units[0].id, units[1].id)
        snapshot.save(store._engine.log, store._engine.columns)
    log = EventLog.open(path, read_only=True)
    folder = Path(str(log.snapshot_folder))
    held = manifest.read_manifest(str(folder))
    assert held is not None
    whole = {file.name: (folder / file.name).read_bytes() for file in held.files}
    signed = segment.sections(dim=held.dim, rows=held.rows, contexts=held.contexts, coded=False)[-1].end

    def target(data: bytes) -> None:
        if not data:
            return
        name = FILES[data[0] % 4]
        file = getattr(held, name)
        changed = bytearray(whole[file.name])
        for i in range(1, len(data) - 3, 4):
            changed[int.from_bytes(data[i : i + 3], "little") % len(changed)] = data[i + 3]
        if data[0] & 64:
            del changed[int.from_bytes(data[1:4], "little") % len(changed) :]
        # of a file of vectors, header and checksums are what is signed
        told = changed[:BLOCK] + changed[signed:] if name == "vectors_file" else changed
        new = manifest.File(file.name, len(changed), hashlib.sha256(told).hexdigest())
        (folder / file.name).write_bytes(changed)
        (folder / manifest.MANIFEST).write_bytes(manifest.seal(msgspec.structs.replace(held, **{name: new})))
        log.broken.clear()
        log.distrusted.clear()
        columns, status = snapshot.load(log, mapped=bool(data[0] & 128))
        if status.outcome == "loaded":
            catch_up(columns, log)
            columns.digest()
        (folder / file.name).write_bytes(whole[file.name])

    return target


FILES: Final = ("columns_file", "vectors_file", "links_file", "passages_file")
SEEDS: dict[str, tuple[bytes, ...]] = {
    "replies": (
        b' {"delta_value": 0.1, "delta_pi": 0.0, "delta_tau": -0.2, "summary": "moved"}',
        b' {"items": [{"index": 0, "label": "factual", "pi": 0.1, "tau_sec": 3600}, {"index": 1, "sentence": "s"}]}',
        b" ```json\n[1, 2]\n``` {",
    ),
    "import": (
        b'{"text": "The room is 4.12", "when": "2025-03-09", "metadata": {"a": [1]}, "namespace": ["u"]}\n{"text": 1}',
        b'[{"sample_id": "a", "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": '
        b'[{"speaker": "Ada", "dia_id": "D1:1", "text": "Hello"}]}}]',
    ),
    "peer": (
        b'{"format": "scrubjay-peer-1", "peer": "p", "upto": 3, "memories": [{"digest": "00", "good": 1.0, "bad": 0.0, '
        b'"stability": 1.0, "when": 1.7e9}]}',
    ),
    "mem0": (b'{"results": [{"id": "1", "memory": "likes tea", "user_id": "u", "created_at": "2025-01-01"}]}',),
    "elfmem": (b"SQLite format 3\0",),
    "snapshot": (b"\0", b"\x01\x40\x02\x00\xff", b"\x42\x00\x10\x00\x03", b"\x83\x10\x10\x00\xff"),
}
TARGETS: dict[str, Callable[[], Target]] = {
    "replies": lambda: _reply,
    "import": lambda: _as_file(_import),
    "peer": lambda: merge.read,
    "mem0": lambda: _as_file(read_mem0),
    "elfmem": lambda: _as_file(read_elfmem),
    "snapshot": _snapshot,
}


def main() -> None:
    """Fuzz the target that the first argument names."""
    name = sys.argv.pop(1)
    target = TARGETS[name]()
    corpus = next((Path(a) for a in sys.argv[1:] if not a.startswith("-")), None)
    if corpus is not None:
        for i, seed in enumerate(SEEDS[name]):
            (corpus / f"seed-{i}").write_bytes(seed)
        if name == "elfmem":
            from tests.upkeep.test_migrate import block, database

            database(FOLDER / "elfmem.db", [block("a", "Ada likes tea")])
            (corpus / "seed-db").write_bytes((FOLDER / "elfmem.db").read_bytes())

    def one(data: Any) -> None:
        with contextlib.suppress(ScrubjayError):
            target(bytes(data))

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
