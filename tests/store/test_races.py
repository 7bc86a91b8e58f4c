"""Processes and threads write one store at the same time, beside checkpoints: nothing is lost, nothing is twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import scrubjay
from scrubjay import fold
from scrubjay.events import Learned
from scrubjay.store import EventLog, verify
from scrubjay.store.ids import to_text
from tests.store import workers
from tests.store.helpers import open_log, start
from tests.toys import Clock, WordHash

PROCESSES, THREADS = 8, 16


def add_together(path: Path, seconds: float, least: int) -> int:
    """All processes and threads add; the number of memories that were acknowledged."""
    embedder = WordHash(16)
    scrubjay.open(path, embedder=embedder, graph=False).close()
    told = workers.run(
        *(
            (workers.add_from_threads, str(path), f"process {i}", THREADS, seconds, -(-least // PROCESSES))
            for i in range(PROCESSES)
        ),
        timeout=float("inf"),
    )
    acknowledged = [pair for some in told for pair in some]
    with scrubjay.open(path, embedder=embedder, clock=Clock(1.7e9)) as store:
        columns = store._engine.columns
        keys = columns.key[columns.live()].tolist()
        rows = list(store._engine.log.rows(keys).values())
        held = {row.text: to_text(row.id) for row in rows}
        assert len(rows) == len(held), "a text is there twice"
        assert len(set(held.values())) == len(held), "an id is there twice"
        lost = [pair for pair in acknowledged if held.get(pair[0]) != pair[1]]
        assert not lost, f"{len(lost)} of {len(acknowledged)} are lost: {lost[:3]}"
        assert set(held) == {text for text, _ in acknowledged}
        said = Counter(text for text, _ in acknowledged)
        seen = dict(zip((row.text for row in rows), columns.evidence[columns.rows(keys)].tolist(), strict=True))
        assert seen == said
        report = store.verify()
        assert report.ok, str(report)
        assert store.rebuild().same
    return len(acknowledged)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_eight_processes_of_sixteen_threads_for_twenty_seconds(tmp_path: Path, counted: Callable[..., None]) -> None:
    counted("8 processes of 16 threads", acknowledged=add_together(tmp_path / "s", 20.0, 500), lost=0, twice=0)


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_eight_processes_of_sixteen_threads_for_ten_minutes(tmp_path: Path, counted: Callable[..., None]) -> None:
    counted("8 processes of 16 threads", acknowledged=add_together(tmp_path / "s", 600.0, 100_000), lost=0, twice=0)


def race(path: Path, seconds: float) -> dict[str, int]:
    """Two that write, one that opens and closes, one that reads and one that checkpoints."""
    start(open_log(path)).close()
    first, second, third, looks, moved = workers.run(
        (workers.write_in_a_race, str(path), "a", seconds, False),
        (workers.write_in_a_race, str(path), "b", seconds, False),
        (workers.write_in_a_race, str(path), "c", seconds, True),
        (workers.read_in_a_race, str(path), seconds),
        (workers.checkpoint_in_a_race, str(path), seconds),
        timeout=float("inf"),
    )
    acknowledged = sorted([*first, *second, *third])
    assert acknowledged == list(range(1, len(acknowledged) + 1))
    with EventLog.open(path) as log:
        found = [event.key for batch in log.tail() for event in batch.events if isinstance(event, Learned)]
        assert found == acknowledged
        report = verify.verify(log, fold.catch_up)
        assert report.ok, str(report)
    return {"acknowledged": len(acknowledged), "looks": looks, "checkpoints": moved, "lost": 0, "twice": 0}


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_checkpoints_beside_writers_and_readers_for_a_minute(tmp_path: Path, counted: Callable[..., None]) -> None:
    counted("checkpoint race of 5 processes", **race(tmp_path / "s", 60.0))


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_checkpoints_beside_writers_and_readers_for_ten_minutes(tmp_path: Path, counted: Callable[..., None]) -> None:
    counted("checkpoint race of 5 processes", **race(tmp_path / "s", 600.0))
