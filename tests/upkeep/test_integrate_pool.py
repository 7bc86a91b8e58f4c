"""Among how many memories evidence looks for those that it contradicts."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from tests.command_line import Run, ok
from typer.testing import CliRunner

import scrubjay
from scrubjay import commands_learning
from scrubjay.upkeep.integration import POOL
from toys import Clock

NOW = 1.7e9
MOVED = [
    f"Ana moved the {thing} {where}."
    for thing, where in product(
        ("sofa", "table", "bed", "desk", "lamp", "piano", "plants", "books", "car", "boxes"),
        ("to the hall", "to the cellar", "to the garden", "to the attic", "upstairs", "to the kitchen", "next door"),
    )
]
WON = [f"Ana won the race in Oslo in {year}." for year in range(1920, 2020)]


@pytest.mark.parametrize("first", [True, False], ids=["before the others", "behind them"])
@pytest.mark.parametrize(
    ("over", "others"), [("Ana lives in Rome.", MOVED), ("Ana is based in Rome.", WON)], ids=["moved", "won"]
)
def test_what_is_contradicted_is_found_among_a_hundred_of_one_subject(
    over: str, others: list[str], first: bool
) -> None:
    with scrubjay.open(":memory:", clock=Clock(NOW + 1e6)) as store:
        texts = [over, *others] if first else [*others, over]
        store.add_many([{"text": text, "when": NOW + i} for i, text in enumerate(texts)])
        done = store.integrate("Ana moved to Oslo.", when=NOW + 5e5)
        assert [store.get(id).text for id in done.superseded] == [over]
        assert done.complete


def test_where_more_resemble_the_evidence_than_are_compared_the_result_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scrubjay.open(tmp_path / "s", clock=Clock(NOW + 1e6)) as store:
        store.add_many([{"text": f"Sensor 4 reads {i}.", "when": NOW + i} for i in range(POOL)])
        assert store.integrate("Sensor 4 reads 999.", when=NOW + 5e5, dry_run=True).complete
        store.add("Sensor 4 reads 998.", when=NOW)
        done = store.integrate("Sensor 4 reads 999.", when=NOW + 5e5, dry_run=True)
        assert not done.complete
        assert len(done.superseded) <= POOL
        assert store.integrate("The lift is broken.", when=NOW + 5e5, dry_run=True).complete
    monkeypatch.setenv("SCRUBJAY_STORE", str(tmp_path / "s"))
    run: Run = lambda *given: CliRunner().invoke(commands_learning.app, list(given))  # noqa: E731
    assert not ok(run("integrate", "Sensor 4 reads 999.", "--dry-run", "--json"))["complete"]
    assert "note: more memories" in run("integrate", "Sensor 4 reads 999.", "--dry-run").stdout
    assert "note:" not in run("integrate", "The lift is broken.", "--dry-run").stdout
