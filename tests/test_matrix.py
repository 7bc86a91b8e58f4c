"""Every public verb x every argument x values of every type, shape and layout: it is used, or refused by name."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

import scrubjay
from scrubjay.errors import ArgumentError, ScrubjayError, shown
from tests.matrix import VALUES, Bench, arguments, cases, names, verbs

ALSO_CALLED = {
    "ids_or_hits": ("id", "hits"),
    "ids": ("id",),
    "a": ("id",),
    "b": ("id",),
    "after": ("id",),
    "items": ("text",),
    "queries": ("query",),
    "query": ("queries",),
    "path": ("file",),
    "reviews": ("path",),
    "ratings": ("id",),
    "hits": ("searches",),
    "as_of": ("id",),
    "dry_run": ("perishability",),
}
"""What an error may call an argument beside its name."""
GONE = {"undo": ("undone already", "no such integration"), "observe": ("no such memory",), "fit_fsrs": ("at least 32",)}
"""What an earlier call of the same run may have led to."""
FILES = {"path", "reviews"}
CALLED = {"clock", "progress", "ratings", "summarise"}
"""What a caller's own function raises comes through."""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.store.close()


def test_the_table_has_every_verb_and_every_argument(bench: Bench) -> None:
    good = bench.good()
    assert set(good) == set(verbs()), "a public verb is not in the table of tests/matrix.py, or is gone"
    for verb, (given, named) in good.items():
        if verb != "configure":
            assert [*names(verb)[: len(given)], *named] == names(verb), verb


def test_what_is_used_in_the_table_can_be_used(tmp_path: Path) -> None:
    for verb in verbs():
        (tmp_path / verb).mkdir()
        bench = Bench(tmp_path / verb)
        given, named = bench.good()[verb]
        with pytest.raises(ArgumentError, match="at least 32") if verb == "fit_fsrs" else nullcontext():
            getattr(bench.store, verb)(*given, **named)
        bench.store.close()


@pytest.mark.parametrize("name", VALUES)
def test_a_message_shows_any_value_shortly(name: str) -> None:
    assert 0 < len(shown(VALUES[name]())) <= 44


def wrong(bench: Bench, verb: str, argument: str, value: str) -> str | None:
    """What is wrong with what one call did; None when nothing is."""
    args, kwargs = arguments(bench, verb, argument, VALUES[value]())
    events, frames = bench.store.stats().events, dict(bench.store._engine.frames)
    case = f"{verb}({argument}={value})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if verb == "open":
                scrubjay.open(**kwargs).close()
            else:
                getattr(bench.store, verb)(*args, **kwargs)
    except ScrubjayError as error:
        text = str(error)
        if len(text) > 1000:
            return f"{case}: an error of {len(text)} characters"
        if any(told in text for told in GONE.get(verb, ())):
            return None
        if verb == "open" and not isinstance(error, ArgumentError):
            # the file system says no
            return None
        if not any(name in text for name in (argument, *ALSO_CALLED.get(argument, ()))):
            return f"{case}: the error does not name the argument: {type(error).__name__}: {text[:200]}"
        if bench.store.stats().events != events or bench.store._engine.frames != frames:
            return f"{case}: refused, yet something was written"
    except OSError as error:
        if argument not in FILES:
            return f"{case}: {type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - shown by the test, whatever it is
        if argument in CALLED and value in ("class", "object", "function", "no repr"):
            return None
        return f"{case}: {type(error).__name__}: {str(error)[:200]}"
    return None


def try_all(folder: Path, some: list[tuple[str, str, str]], counted: Callable[..., None]) -> None:
    problems = []
    for start in range(0, len(some), 200):
        (folder / str(start)).mkdir()
        bench = Bench(folder / str(start))
        problems += [found for case in some[start : start + 200] if (found := wrong(bench, *case)) is not None]
        assert bench.store.verify().ok
        assert bench.store.rebuild().same
        bench.store.close()
    assert not problems, "\n".join(problems)
    counted("values for arguments", cases=len(some))


def test_every_fifth_case(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: Callable[..., None]
) -> None:
    monkeypatch.chdir(tmp_path)
    some = [case for case in cases(bench) if "fit_perishability" not in case[0]]
    random.Random(9).shuffle(some)
    try_all(tmp_path, some[::5], counted)


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_every_case(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: Callable[..., None]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(cases(bench)) >= 10_000
    try_all(tmp_path, cases(bench), counted)
