"""Every write step of six lives of a store fails, tears or is the last, and the power is cut between any two."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.store import lives
from tests.store.shim import Disk, Told, Zygote, zygote

WAYS = [(kind, lasting) for kind in ("EIO", "ENOSPC", "short", "exit", "torn") for lasting in (False, True)]
WAYS = [way for way in WAYS if way not in (("exit", True), ("torn", True))]


class Stand(NamedTuple):
    """A warm process, the store that lives begin with, and for each life its states and number of steps."""

    zygote: Zygote
    whole: Path
    cell: Path
    known: dict[str, tuple[lives.States, int]]

    def begin(self, life: str) -> Path:
        path = self.cell / "store"
        lives.prepared(life, self.whole, path)
        return path

    def of(self, life: str) -> tuple[lives.States, int]:
        """States and steps of a life without a fault."""
        if life not in self.known:
            states = lives.reference(life, self.whole, self.cell / "store")
            told = self.zygote.live(life, self.begin(life))
            assert (told.status, told.raised, told.errors) == (0, [], [])
            assert lives.wrong(self.cell / "store", states, told.acknowledged) is None
            self.known[life] = states, told.steps
        return self.known[life]


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with lives.quick_folder(tmp_path_factory.mktemp("steps")) as folder, zygote(folder) as warm:
        lives.begin(folder / "whole")
        (folder / "cell").mkdir()
        yield Stand(warm, folder / "whole", folder / "cell", {})


def fail_at(stand: Stand, life: str, steps: Iterable[tuple[int, str, bool]]) -> int:
    """The number of steps that were tried."""
    states, _ = stand.of(life)
    problems, tried = [], 0
    for at, kind, lasting in steps:
        told = stand.zygote.live(life, stand.begin(life), at=at, kind=kind, lasting=lasting)
        found = unlike(told, kind) or lives.wrong(stand.cell / "store", states, told.acknowledged)
        if found:
            problems.append(f"{life}, step {at}, {kind}{' lasting' * lasting}: {found}")
        tried += 1
    assert problems == []
    return tried


def unlike(told: Told, kind: str) -> str | None:
    """What is wrong with how a life ended."""
    if told.raised:
        return told.raised[0]
    if not told.named:
        return f"an error does not name the store: {told.errors}"
    if kind in ("exit", "torn"):
        return None if told.status == 99 else f"the process ended with {told.status}"
    return None if told.status == 0 and told.tripped else f"ended with {told.status}, failed: {told.tripped}"


@pytest.mark.parametrize("life", lives.LIVES)
def test_every_fifth_step_of_a_life_fails_in_some_way(stand: Stand, counted: Callable[..., None], life: str) -> None:
    steps = stand.of(life)[1]
    assert steps > 60
    tried = fail_at(stand, life, ((at, *WAYS[at % len(WAYS)]) for at in range(1 + len(life) % 5, steps + 1, 5)))
    counted("failed steps of six lives", steps=tried)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("turn", range(len(WAYS)))
@pytest.mark.parametrize("life", lives.LIVES)
def test_each_step_of_a_life_fails_in_every_way(
    stand: Stand, counted: Callable[..., None], life: str, turn: int
) -> None:
    """Every turn has all steps and, spread over them, all ways; all turns have each step in each way."""
    steps = stand.of(life)[1]
    tried = fail_at(stand, life, ((at, *WAYS[(at + turn) % len(WAYS)]) for at in range(1, steps + 1)))
    counted("failed steps of six lives", steps=tried)


@pytest.mark.parametrize("seed", range(3))
def test_a_step_of_a_random_history_fails(stand: Stand, counted: Callable[..., None], seed: int) -> None:
    fail_in_a_history(stand, seed, 2)
    counted("failed steps of random histories", histories=1, steps=2)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(50))
def test_a_step_of_many_random_histories_fails(stand: Stand, counted: Callable[..., None], part: int) -> None:
    for seed in range(100 + 10 * part, 110 + 10 * part):
        fail_in_a_history(stand, seed, 4)
        counted("failed steps of random histories", histories=1, steps=4)


def fail_in_a_history(stand: Stand, seed: int, times: int) -> None:
    life = f"{lives.RANDOM}{seed}"
    draw, steps = random.Random(seed), stand.of(life)[1]
    fail_at(stand, life, [(draw.randint(1, steps), *draw.choice(WAYS)) for _ in range(times)])


def cut_power(stand: Stand, life: str, cuts: int, seed: int) -> None:
    """Live once, then look at what any moment could have left on the disk."""
    states, _ = stand.of(life)
    draw = random.Random(seed)
    before, after, journal = (stand.cell.parent / name for name in ("before", "after", "journal"))
    stand.begin(life)
    for folder in (before, after):
        shutil.rmtree(folder, ignore_errors=True)
    journal.unlink(missing_ok=True)
    shutil.copytree(stand.cell, before)
    told = stand.zygote.live(life, stand.cell / "store", journal=str(journal))
    assert (told.status, told.raised, told.errors) == (0, [], [])
    disk = Disk(stand.cell, before, journal)
    problems = []
    for _ in range(cuts):
        end = draw.randint(0, len(disk.records))
        acknowledged = disk.cut(end, draw, after)
        found = lives.wrong(after / "store", states, acknowledged)
        if found:
            problems.append(f"{life}, seed {seed}, power cut after record {end}: {found}")
    assert problems == []


@pytest.mark.parametrize("life", lives.LIVES)
def test_the_power_is_cut(stand: Stand, counted: Callable[..., None], life: str) -> None:
    cut_power(stand, life, 8, seed=1)
    counted("power cuts", cuts=8)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("life", lives.LIVES)
@pytest.mark.parametrize("seed", range(5))
def test_the_power_is_cut_many_times(stand: Stand, counted: Callable[..., None], life: str, seed: int) -> None:
    cut_power(stand, life, 60, seed=100 + seed)
    counted("power cuts", cuts=60)
