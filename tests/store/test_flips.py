"""A flipped bit, a cut or a stretch of rubbish in any file that a store keeps: told, mended, and never an end of it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scrubjay import MemoryStore, fold
from scrubjay.errors import ScrubjayError
from scrubjay.store import snapshot, verify
from tests.store import damage, lives

ROOM = 256 << 20
"""Bytes of address space that reading a damaged store of less than a megabyte may take beyond what is mapped."""


class Stand(NamedTuple):
    """Whole stores to hurt, what each says, and where."""

    folder: Path
    truths: dict[str, Any]
    pasts: dict[int, str]
    """The digest of the killed store at each of its events."""


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with lives.quick_folder(tmp_path_factory.mktemp("flips")) as folder:
        truths = {}
        for name in ("closed", "killed"):
            begin(folder / name, folder / "open")
            if name == "killed":
                # as a kill leaves it: with its write-ahead file
                shutil.rmtree(folder / name)
                with lives.opened(folder / "open") as store:
                    change(store)
                    shutil.copytree(folder / "open", folder / name)
            truths[name], told = ask(folder / name)
            assert not told
        with lives.opened(folder / "open", read_only=True) as store:
            log = store._engine.log
            pasts = {seq: fold.rebuild(log, upto=seq).digest() for seq in range(1, log.seq + 1)}
        yield Stand(folder, truths, pasts)


def begin(path: Path, other: Path) -> None:
    """A store with every table, edges, outcomes, a fitted taxonomy and a snapshot that is a little behind."""
    lives.begin(path)
    with lives.opened(path) as store:
        change(store)
        snapshot.save(store._engine.log, store._engine.columns)
        store.add("after the snapshot", namespace="u", metadata={"page": 3})
    shutil.copytree(path, other, dirs_exist_ok=True)


def change(store: MemoryStore) -> None:
    ids = [unit.id for unit in store.list(namespace="u")]
    store.update(ids[0], text="another text", metadata={"page": None})
    store.integrate("memory 5 of room 2 is no more", namespace="u")
    store.delete(ids[3:5])
    store.set_taxonomy("factual", pi=0.12)
    store.condense(namespace="u")


def said(store: MemoryStore, told: list[bool]) -> dict[str, Any]:
    """All that a store says; `told` gets a True for whatever says that something is wrong."""
    out: dict[str, Any] = {}
    ids = [unit.id for unit in store.list(namespace="u", archived=True)]

    def note(name: str, ask: Callable[[], Any]) -> None:
        try:
            out[name] = ask()
        except ScrubjayError:
            told.append(True)

    def search(query: str, **asked: Any) -> Any:
        hits = store.search(query, namespace="u", k=5, now=1.8e9, **asked)
        told.append(any("damaged" in text for text in hits.notes))
        return [(hit.memory, hit.score) for hit in hits]

    note("list", lambda: store.list(namespace="u", archived=True))
    note("root", lambda: store.list())
    note("search", lambda: search("room 2 says"))
    note("filter", lambda: search("memory", filter={"page": {"$gte": 3}}))
    note("history", lambda: [store.history(id) for id in ids[:3]])
    note("edges", lambda: [(edge.memory.id, edge.weight) for id in ids[:3] for edge in store.neighbors(id)])
    note("stats", lambda: (store.stats().memories, store.stats().namespaces, store.stats().events))
    told.append(bool(store.stats().damaged_events) or not store._snapshot_status.good)
    return out


def ask(path: Path) -> tuple[dict[str, Any] | None, bool]:
    """What the store in a folder says, None where it does not open; and whether anything said that it is not well."""
    told: list[bool] = []
    try:
        with lives.opened(path, read_only=True) as store:
            return said(store, told), any(told)
    except ScrubjayError:
        return None, True


def one(stand: Stand, seed: int) -> str | None:
    """Hurt a copy of a store; what was wrong with how it bore that, None when nothing was."""
    draw = random.Random(seed)
    name = draw.choice(sorted(stand.truths))
    path, truth = stand.folder / "hurt", stand.truths[name]
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(stand.folder / name, path)
    file = draw.choice([f for f in lives.walked(path) if (path / f).stat().st_size])
    case = f"seed {seed}, {name} store, {file}, {damage.hurt(path, draw, file)}"
    answers, told = ask(path)
    report = verify.verify_path(path, fold.catch_up)
    if answers is not None and answers != truth and not told and report.ok:
        if file.endswith("-wal"):
            # the end of a write-ahead file may have been written or not: what is left is the store as it was before
            with lives.opened(path, read_only=True) as store:
                seq, digest = store._engine.state()
            return None if stand.pasts.get(seq) == digest else f"{case}: it is in no state that it was in"
        return f"{case}: answers are wrong, and nobody says so"
    if file.startswith("log.sqlite"):
        return None
    # whatever is derived must not change an answer, and is made anew
    if answers != truth:
        return f"{case}: a damaged cache changes answers"
    with lives.opened(path) as store:
        store.verify(repair=True)
    again, told = ask(path)
    if again != truth or told:
        return f"{case}: after opening it for writing it still is not well"
    return None


def try_seeds(stand: Stand, seeds: range) -> None:
    damage.in_children(seeds, lambda seed: one(stand, seed), room=ROOM)


linux = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to bound a process's memory")


@linux
def test_damage_in_any_file_is_borne(stand: Stand, counted: Callable[..., None]) -> None:
    kinds = {file.split("-")[0].split("/")[-1] for name in stand.truths for file in lives.walked(stand.folder / name)}
    assert kinds >= {"log.sqlite", "columns", "links", "manifest.json"}
    try_seeds(stand, range(400))
    counted("flips and truncations of all files", cases=400, signals=0, silent=0)


@linux
@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(100))
def test_damage_in_any_file_is_borne_many_times(stand: Stand, counted: Callable[..., None], part: int) -> None:
    try_seeds(stand, range(1000 + 200 * part, 1200 + 200 * part))
    counted("flips and truncations of all files", cases=200, signals=0, silent=0)
