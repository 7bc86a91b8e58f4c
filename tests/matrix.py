"""Every public verb with arguments that it can use, and values that no caller should get away with."""

from __future__ import annotations

import datetime
import inspect
import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import scrubjay
from scrubjay import MemoryStore, Perishability
from tests.toys import Clock, WordHash
from tests.upkeep.test_migrate import block, database

PERISHABILITY = Perishability(label="factual", pi=0.1, tau=45 * 86400.0)


def _nested(depth: int) -> Any:
    held: Any = 1
    for _ in range(depth):
        held = [held]
    return held


def _tupled(depth: int) -> Any:
    held: Any = ()
    for _ in range(depth):
        held = (held,)
    return held


def _endless() -> Any:
    held: list[Any] = []
    held.append(held)
    return held


class _Text(str):
    """A subclass of str."""


class _Odd:
    """Has no repr."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class _Liar:
    """Says that it is long, and is not."""

    def __len__(self) -> int:
        return 1 << 40

    def __iter__(self) -> Iterator[int]:
        return iter([1])

    def __getitem__(self, index: Any) -> Any:
        raise IndexError(index)


VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "-1": lambda: -1,
    "3": lambda: 3,
    "2**40": lambda: 2**40,
    "2**63": lambda: 2**63,
    "10**400": lambda: 10**400,
    "0.5": lambda: 0.5,
    "1e308": lambda: 1e308,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: -float("inf"),
    "10**5000": lambda: 10**5000,
    "fraction": lambda: Fraction(1, 3),
    "decimal": lambda: Decimal("NaN"),
    "1j": lambda: 1j,
    "empty text": lambda: "",
    "blank": lambda: " \n\t",
    "NUL": lambda: "a\0b",
    "lone surrogate": lambda: "\ud800x",
    "right to left": lambda: "\u202eabc\u2069",
    "quotes": lambda: """'; DROP TABLE events; --" AND (x OR *)""",
    "wildcards": lambda: "%*_?[a]",
    "no path": lambda: "/proc/version/x",
    "long text": lambda: "word " * 50_000,
    "subclass of str": lambda: _Text("tea"),
    "bytes": lambda: b"tea",
    "pickle": lambda: b"\x80\x05\x95\x04\x00\x00\x00\x00\x00\x00\x00\x8c\x00\x94.",
    "[]": lambda: [],
    "[[]]": lambda: [[]],
    "[None]": lambda: [None],
    "mixed list": lambda: ["tea", 1, None],
    "list of text": lambda: ["tea", "room"],
    "numbers": lambda: [0.1, 0.2],
    "ragged": lambda: [[1.0], [2.0, 3.0]],
    "deep": lambda: _nested(5000),
    "endless": _endless,
    "()": lambda: (),
    "nested tuple": lambda: ("a", ("b",)),
    "long tuple": lambda: ("a",) * 300,
    "{}": lambda: {},
    "keys that are no text": lambda: {1: 2, None: 3},
    "object inside": lambda: {"a": {"b": object()}},
    "deep object": lambda: {"a": _nested(5000)},
    "nan inside": lambda: {"a": float("nan")},
    "operators": lambda: {"a": None, "$b": []},
    "deep key": lambda: {_tupled(5000): 1},
    "set": lambda: {"a"},
    "object": object,
    "no repr": _Odd,
    "class": lambda: int,
    "function": lambda: lambda *given: "x",
    "generator": lambda: (x for x in ("tea",)),
    "iterator that lies": _Liar,
    "range": lambda: range(3),
    "slice": lambda: slice(1, 2),
    "naive time": lambda: datetime.datetime(2026, 1, 2),
    "first year": lambda: datetime.datetime.min,
    "last year": lambda: datetime.datetime.max.replace(tzinfo=datetime.timezone.utc),
    "date": lambda: datetime.date(2026, 1, 2),
    "path": lambda: Path("nowhere") / "at all",
    "int64": lambda: np.int64(3),
    "float32 nan": lambda: np.float32("nan"),
    "empty array": lambda: np.zeros(0),
    "0-d array": lambda: np.array(3.0),
    "backwards": lambda: np.arange(4.0)[::-1],
    "Fortran": lambda: np.zeros((2, 3), order="F"),
    "3-d": lambda: np.zeros((1, 2, 2)),
    "big-endian": lambda: np.zeros(3, ">f4"),
    "complex": lambda: np.zeros(3, complex),
    "objects": lambda: np.array(["x", None], object),
    "texts": lambda: np.array(["tea", "room"]),
    "read-only": lambda: _sealed(np.zeros(3, np.float32)),
    "no stride": lambda: np.broadcast_to(np.float32(1.0), (3, 3)),
    "datetime64": lambda: np.datetime64("2026-01-02"),
}


def _sealed(array: Any) -> Any:
    array.flags.writeable = False
    return array


class Bench:
    """A store with something of everything, and arguments that each of its verbs can use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(1.7e9))
        self.ids = [
            unit.id
            for unit in self.store.add_many(
                [{"text": f"tea in room {i}", "context": "desk", "perishability": PERISHABILITY} for i in range(6)]
            )
        ]
        self.store.link(self.ids[0], self.ids[1])
        self.event = self.store.integrate("tea in room 9").event
        self.ready = self.store.prepare("tea")
        self.hits = self.store.search("tea")
        self.peer = folder / "peer.json"
        with scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(1.7e9)) as other:
            other.outcome(other.add("tea in room 1"), 1.0)
            other.export_peer(self.peer)
        database(folder / "elfmem.db", [block("a", "Ada likes tea")])
        (folder / "mem0.json").write_text('{"results": [{"id": "1", "memory": "likes tea", "user_id": "u"}]}')

    def good(self) -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
        """Name of each verb to the arguments by position and by name."""
        one, two, *_ = self.ids
        return {
            "add": (
                ("tea",),
                {
                    "context": "desk", "namespace": (), "when": 1.7e9, "metadata": {"a": 1}, "key": "k",
                    "perishability": PERISHABILITY, "value": 1.0, "pinned": False, "sensitive": None,
                    "layer": scrubjay.Layer.EPISODIC, "importance": 0.5,
                },
            ),
            "add_many": ((["tea"],), {"namespace": (), "progress": None, "batch": 8}),
            "update": (
                (one,),
                {
                    "namespace": None, "text": "tea anew", "context": None, "when": 1.7e9, "metadata": {"a": 1},
                    "perishability": PERISHABILITY, "value": 1.0, "pinned": False, "sensitive": None,
                },
            ),
            "delete": (([],), {"namespace": None, "purge": False}),
            "delete_all": (("nobody",), {"root": False, "purge": False}),
            "search": (
                ("tea",),
                {
                    "k": 3, "context": "desk", "namespace": (), "now": 1.7e9, "weights": None, "frame": None,
                    "as_of": None, "scoring": None, "buffer": None, "around": 0, "filter": None, "diversity": None,
                },
            ),
            "search_many": (
                (["tea"],),
                {
                    "k": 3, "context": None, "namespace": (), "now": 1.7e9, "weights": None, "frame": None,
                    "as_of": None, "scoring": None, "buffer": None, "around": 0, "filter": None, "diversity": None,
                },
            ),
            "get": ((one,), {"namespace": None, "as_of": None}),
            "history": ((one,), {"namespace": None}),
            "bound": (("u",), {}),
            "stats": ((), {"namespace": None}),
            "verify": ((), {"repair": False}),
            "quarantine": ((["web"],), {}),
            "release": (([],), {}),
            "backup": ((self.folder / "copy",), {}),
            "list": ((), {"namespace": (), "limit": 3, "after": None, "archived": False}),
            "outcome": (([one], 1.0, 1.0), {"source": "", "namespace": None}),
            "rate": (([one], 0.5, 1.0), {"source": "", "namespace": None}),
            "rescore": (({one: 0.5}, 1.0), {"source": "", "namespace": None}),
            "due": ((1.7e9,), {"namespace": (), "limit": 3}),
            "configure": ((), {"law": "fsrs-6", "wanted": 0.9, "thresholds": [0.0, 1 / 3, 2 / 3, 1.0], "most": 100.0}),
            "define_frame": (("calm", {"what": 0.5}), {}),
            "consolidate": (
                (),
                {"now": 1.7e9, "namespace": None, "dry_run": True, "least_utility": 0.1, "least_support": 0.1},
            ),
            "restore": (([one],), {"namespace": None}),
            "forgotten": ((), {"namespace": None, "limit": 3, "after": None}),
            "binding": (([one],), {"namespace": None}),
            "taxonomy": ((), {}),
            "set_taxonomy": (("factual",), {"pi": 0.1, "tau": 86400.0}),
            "link": ((one, two), {"weight": 1.0, "kind": "related", "namespace": None}),
            "unlink": ((one, two), {"namespace": None}),
            "neighbors": ((one,), {"limit": 3, "namespace": None}),
            "integrate": (
                ("tea in room 4",),
                {
                    "context": None, "namespace": (), "when": None, "metadata": None, "law": None, "dry_run": True,
                },
            ),
            "undo": ((self.event,), {"namespace": None}),
            "import_elfmem": ((self.folder / "elfmem.db",), {"namespace": (), "archived": False, "progress": None}),
            "import_mem0": ((self.folder / "mem0.json",), {"namespace": "there", "progress": None}),
            "reclassify": (([],), {"namespace": None, "progress": None}),
            "export_peer": ((self.folder / "out.json",), {"namespace": (), "texts": False}),
            "merge_peer": ((self.peer, 0.5), {"namespace": (), "peer": None, "add": False}),
            "validity": (([one],), {"now": 1.7e9, "ages": None, "namespace": None}),
            "fit_perishability": (
                (),
                {"now": 1.7e9, "checks": [(one, 1.9e9, True)], "seed": 0, "dry_run": True, "progress": None},
            ),
            "unfit_perishability": ((), {"progress": None}),
            "prepare": (
                ("tea",), {"k": 3, "context": None, "namespace": (), "now": None, "theta": 0.5}
            ),
            "condense": ((), {"namespace": "nobody", "summarise": None}),
            "descend": (
                ("tea",), {"k": 3, "namespace": (), "start": "abstract", "width": 2, "context": None, "now": None}
            ),
            "rebuild": ((), {}),
            "replay": ((), {"until": None, "upto": None, "without": None, "params": None}),
            "compact": ((), {"summarise_before": None}),
            "observe": (
                ("tea is in room 1", self.hits),
                {"weight": 0.3, "source": "x", "lexical": 0.5, "semantic": 0.5},
            ),
            "fit_fsrs": ((None,), {"held_out": 0.2, "use": False}),
            "fit_weights": (([],), {"use": False}),
        }  # fmt: skip


NO_ARGUMENTS = {"close", "closed", "begin_session", "end_session", "session", "weighting"}
"""Public names that take nothing, or are properties."""


def verbs() -> dict[str, Callable[..., Any]]:
    """Every public method of a store."""
    return {
        name: member
        for name, member in inspect.getmembers(MemoryStore)
        if not name.startswith("_") and name not in NO_ARGUMENTS and callable(member)
    }


def names(verb: str) -> list[str]:
    """Its parameters, those by position first."""
    given = inspect.signature(verbs()[verb]).parameters.values()
    return [p.name for p in given if p.name != "self" and p.kind is not p.VAR_KEYWORD]


def cases(bench: Bench) -> list[tuple[str, str, str]]:
    """(verb, argument, value) of everything, `open` among the verbs."""
    out = []
    for verb, (given, named) in bench.good().items():
        arguments = [*names(verb)[: len(given)], *named]
        out += [(verb, argument, value) for argument in arguments for value in VALUES]
    opened = [p for p in inspect.signature(scrubjay.open).parameters if p != "parameters"]
    return out + [("open", argument, value) for argument in opened for value in VALUES]


def arguments(bench: Bench, verb: str, argument: str, wrong: Any) -> tuple[list[Any], dict[str, Any]]:
    """What a verb is called with, one argument of it wrong."""
    if verb == "open":
        if argument == "path" and isinstance(wrong, (str, os.PathLike)) and os.fspath(wrong):
            # a file of any name may be written, below the folder
            wrong = os.path.join(bench.folder, "under", os.fspath(wrong).lstrip("/"))
        return [], {"path": ":memory:", "embedder": WordHash(16), "clock": Clock(1.7e9), argument: wrong}
    given, named = bench.good()[verb]
    places = names(verb)[: len(given)]
    return (
        [wrong if name == argument else held for name, held in zip(places, given, strict=True)],
        {name: wrong if name == argument else held for name, held in named.items()},
    )
