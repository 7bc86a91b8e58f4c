"""Every argument of every public verb takes every kind of wrong value: it is used, or refused by name, and no more.

By reflection over `MemoryStore` and `scrubjay.open`: a new verb is asked as well, and one with required arguments needs
a row in `REQUIRED`.
"""

from __future__ import annotations

import inspect
import itertools
import math
import os
import random
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from tests.toys import Clock, WordHash


class Odd:
    """A value that nobody expects."""

    def __repr__(self) -> str:
        return "<odd>"


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


HOSTILE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "0": lambda: 0,
    "1e400": lambda: 10**400,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "fraction": lambda: Fraction(1, 3),
    "decimal": lambda: Decimal("NaN"),
    "complex": lambda: 1j,
    "empty": lambda: "",
    "blank": lambda: " \u200b",
    "nul": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "long": lambda: "x" * 5000,
    "wildcard": lambda: "%*_'\"; DROP TABLE events; --",
    "bytes": lambda: b"\xff",
    "list": lambda: [],
    "list of None": lambda: [None],
    "list of numbers": lambda: [1, math.nan],
    "deep list": lambda: nested(500),
    "dict": lambda: {},
    "dict of int": lambda: {1: 2},
    "dict of None": lambda: {"a": None, "$b": []},
    "deep dict": lambda: {"a": nested(500)},
    "set": lambda: {1},
    "generator": lambda: iter([1]),
    "object": Odd,
    "class": lambda: Odd,
    "array": lambda: np.array([1.0, math.nan]),
    "matrix": lambda: np.asfortranarray(np.zeros((3, 2)))[::2],
    "text array": lambda: np.array(["a", "\ud800"], object),
    "numpy scalar": lambda: np.float32(math.nan),
    "path": lambda: Path("no/such/folder/x"),
    "far path": lambda: "/proc/version/x",
}

REQUIRED: dict[str, dict[str, Callable[[list[str], Path], Any]]] = {
    "add": {"text": lambda ids, tmp: "tea"},
    "add_many": {"items": lambda ids, tmp: ["tea"]},
    "binding": {"ids": lambda ids, tmp: ids},
    "bound": {"namespace": lambda ids, tmp: "a"},
    "define_frame": {"name": lambda ids, tmp: "MINE", "weights": lambda ids, tmp: {"what": 1.0}},
    "delete": {"ids": lambda ids, tmp: ids},
    "delete_all": {"namespace": lambda ids, tmp: "nobody's"},
    "descend": {"query": lambda ids, tmp: "tea"},
    "export_peer": {"path": lambda ids, tmp: str(tmp / "peer.json")},
    "fit_weights": {"searches": lambda ids, tmp: []},
    "get": {"id": lambda ids, tmp: ids[0]},
    "history": {"id": lambda ids, tmp: ids[0]},
    "import_elfmem": {"path": lambda ids, tmp: str(tmp / "no.db")},
    "import_mem0": {"path": lambda ids, tmp: str(tmp / "no.json")},
    "integrate": {"text": lambda ids, tmp: "tea is over"},
    "link": {"a": lambda ids, tmp: ids[0], "b": lambda ids, tmp: ids[1]},
    "merge_peer": {"path": lambda ids, tmp: str(tmp / "no.json"), "trust": lambda ids, tmp: 0.5},
    "neighbors": {"id": lambda ids, tmp: ids[0]},
    "observe": {"answer": lambda ids, tmp: "tea", "hits": lambda ids, tmp: []},
    "outcome": {"ids_or_hits": lambda ids, tmp: ids, "signal": lambda ids, tmp: 1.0},
    "prepare": {"task": lambda ids, tmp: "tea"},
    "rate": {"ids_or_hits": lambda ids, tmp: ids, "rating": lambda ids, tmp: 1.0},
    "rescore": {"ratings": lambda ids, tmp: dict.fromkeys(ids, 0.5)},
    "restore": {"ids": lambda ids, tmp: ids},
    "search": {"query": lambda ids, tmp: "tea"},
    "search_many": {"queries": lambda ids, tmp: ["tea"]},
    "set_taxonomy": {"label": lambda ids, tmp: "factual", "pi": lambda ids, tmp: 0.1, "tau": lambda ids, tmp: 1e6},
    "undo": {"event": lambda ids, tmp: 1},
    "unlink": {"a": lambda ids, tmp: ids[0], "b": lambda ids, tmp: ids[1]},
    "update": {"id": lambda ids, tmp: ids[0]},
    "validity": {"ids": lambda ids, tmp: ids},
}
SLOW = {"fit_fsrs", "fit_perishability", "replay"}
"""A used value costs seconds: asked for every ninth value in the short form."""


def verbs() -> Iterator[tuple[str, str]]:
    """(verb, parameter) for each parameter of each public verb, `open` among them."""
    for name in sorted(dir(MemoryStore)):
        verb = getattr(MemoryStore, name)
        if not name.startswith("_") and inspect.isfunction(verb) and name not in ("close", "session"):
            yield from ((name, p) for p in inspect.signature(verb).parameters if p not in ("self", "parameters"))
    yield from (("open", p) for p in inspect.signature(scrubjay.open).parameters)


ALSO = {
    "fit_fsrs": ("reviews: 0 that can be predicted",),
    "import_elfmem": ("path: there is no file",),
    "merge_peer": ("file: this store wrote it",),
}
"""What a verb says of its other arguments when this one could be used."""
CASES = [(*place, value) for place, value in itertools.product(verbs(), HOSTILE)]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryStore]:
    # a file of any name may be written
    monkeypatch.chdir(tmp_path)
    with scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(), graph=False) as one:
        yield one


CALLED = {"clock", "progress", "ratings", "summarise"}
"""Parameters that are functions: what a class does when it is called is the caller's."""


def asked(store: MemoryStore, tmp_path: Path, verb: str, parameter: str, value: str) -> str | None:
    """What is wrong with how a verb takes a value, None for nothing."""
    if parameter in CALLED and value == "class":
        return None
    wrong = HOSTILE[value]()
    arguments: dict[str, Any] = {}
    if verb == "open":
        call: Callable[..., Any] = scrubjay.open
        arguments = {"path": ":memory:", "embedder": WordHash(16), "clock": Clock()}
        if parameter == "path" and isinstance(wrong, (str, os.PathLike)) and os.fspath(wrong):
            wrong = os.path.join(tmp_path, "under", os.fspath(wrong).lstrip("/"))
    else:
        call = getattr(store, verb)
        ids = [unit.id for unit in store.add_many(["tea is at four", "tea is at five"])]
        arguments = {name: made(ids, tmp_path) for name, made in REQUIRED.get(verb, {}).items()}
    arguments[parameter] = wrong
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = call(**arguments)
        if isinstance(answer, MemoryStore) and answer is not store:
            answer.close()
    except errors.ArgumentError as error:
        text = str(error)
        names = (
            *ALSO.get(verb, ()),
            parameter,
            parameter.removesuffix("s"),
            parameter.split("_")[0],
            parameter.split("_")[-1],
        )
        if not any(name in text for name in names):
            return f"{verb}({parameter}={value}) does not name it: {text:.120}"
        if len(text) > 600:
            return f"{verb}({parameter}={value}) tells {len(text)} characters"
    except (errors.ScrubjayError, OSError):
        pass
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        return f"{verb}({parameter}={value}) raises {type(error).__name__}: {error!s:.120}"
    return None


def all_asked(store: MemoryStore, tmp_path: Path, cases: list[tuple[str, str, str]]) -> None:
    wrong = [said for case in cases if (said := asked(store, tmp_path, *case)) is not None]
    assert wrong == [], f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong)
    assert store.rebuild().same
    assert store.verify().ok


def test_wrong_values_are_used_or_refused_by_name(store: MemoryStore, tmp_path: Path) -> None:
    chosen = random.Random(1).sample([case for case in CASES if case[0] not in SLOW], 600)
    all_asked(store, tmp_path, chosen)


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_all_wrong_values_are_used_or_refused_by_name(store: MemoryStore, tmp_path: Path) -> None:
    assert len(CASES) >= 2000
    all_asked(store, tmp_path, CASES)
