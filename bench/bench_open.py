"""Opening a large store: mapped or read, how long, how much memory, and what the first and later searches cost.

`python bench/bench_open.py --memories 1000000 --dim 768` makes a store of so many random vectors in a temporary folder
and opens it in fresh processes, with its files in the system's cache. A search is by codes, k = 10, in a store without
texts. Both ways must find the same. Prints a table; takes about 2.3 x the vectors' bytes of disk and of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from scrubjay import fold
from scrubjay.columns import CURRENT, FIELDS, LIVE, Columns
from scrubjay.events import NamespaceSeen
from scrubjay.recall.pool import Question
from scrubjay.recall.ranking import rank
from scrubjay.recall.scope import ScopeIndex
from scrubjay.store import EventLog, snapshot

SEARCHES = 30
NOW = 1.7e9


def make(path: Path, memories: int, dim: int) -> None:
    """A store whose snapshot stands for `memories` rows, as if their events lay in the log."""
    rng = np.random.default_rng(0)
    columns = Columns(dim, capacity=memories)
    held: dict[str, Any] = {f.name: 0 for f in FIELDS} | {"until": np.inf}
    held |= {"context": -1, "a": 1.0, "b": 1.0, "stability": 1.0, "difficulty": 5.0, "value": 1.0, "pi": 0.1}
    held |= {"tau": 4e6, "shape": 1.0, "said_label": -1, "flags": LIVE | CURRENT, "evidence": 1, "when": NOW}
    for first in range(0, memories, 20_000):
        k = min(20_000, memories - first)
        what = rng.standard_normal((k, dim), dtype=np.float32)
        what /= np.linalg.norm(what, axis=1, keepdims=True)
        columns.append(held | {"key": np.arange(first + 1, first + k + 1)}, what)
    with EventLog.open(path, embedder="bench", dim=dim) as log:
        with log.write() as tx:
            tx.append([NamespaceSeen(at=0.0, space=0, labels=("bench",))])
        columns.seq = log.seq
        assert snapshot.save(log, columns).outcome == "written"


def memory() -> dict[str, float]:
    """MB of this process that are its own, and that are of files."""
    held = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return {name: int(held[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile")}


def one(path: Path, mapped: bool) -> dict[str, Any]:
    """Open, search, measure, in this process."""
    out: dict[str, Any] = {}
    before = memory()
    start = time.perf_counter()
    with EventLog.open(path, read_only=True) as log:
        columns, status = snapshot.load(log, mapped=mapped)
        fold.catch_up(columns, log)
        out["open"] = time.perf_counter() - start
    assert status.outcome == "loaded"
    out["opened"] = {name: value - before[name] for name, value in memory().items()}
    rng = np.random.default_rng(1)
    weights = np.array([0.7, 0.0, 0.3, 0, 0, 0, 0, 0])
    index, times, found = ScopeIndex(), [], []
    for _ in range(SEARCHES):
        query = rng.standard_normal(columns.dim, dtype=np.float32)
        query /= np.linalg.norm(query)
        question = Question(vector=query, context=None, weights=weights, now=NOW)
        start = time.perf_counter()
        (answer,) = rank(
            columns,
            [question],
            10,
            scope=index.scope(columns, None),
            scoring="paper",
            texts=lambda _: [],
            slots=None,
        )
        columns.must_hold()
        times.append(time.perf_counter() - start)
        found.append(answer.rows.tolist())
        if len(found) == 1:
            out["searched"] = {name: value - before[name] for name, value in memory().items()}
    out["plan"], out["found"] = answer.plan, found
    out["first"], out["p50"], out["p99"] = times[0], float(np.median(times[1:])), float(np.quantile(times[1:], 0.99))
    out["after"] = {name: value - before[name] for name, value in memory().items()}
    return out


def main() -> None:
    """Make the stores, open each in both ways, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--dim", type=int, nargs="+", default=[384, 512, 768])
    parser.add_argument("--of", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--mapped", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.of is not None:
        print(json.dumps(one(given.of, bool(given.mapped))))
        return
    print(f"{given.memories:,} memories; MB are a process's own + those of files that are in memory anyway\n")
    print("| dim | vectors | | open | memory | first search | memory | p50 | p99 | plan |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for dim in given.dim:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "store"
            child = os.fork()
            if child == 0:
                make(path, given.memories, dim)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            found = []
            for mapped in (1, 0):
                command = [sys.executable, __file__, "--of", str(path), "--mapped", str(mapped)]
                told = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3)]
                best = sorted(told, key=lambda one: one["open"])[1]
                found.append(best.pop("found"))
                space = [f"{best[at]['RssAnon']:.0f} + {best[at]['RssFile']:.0f}" for at in ("opened", "after")]
                cells = [str(dim), f"{4e-6 * dim * given.memories:,.0f} MB", "mapped" if mapped else "read"]
                cells += [f"{best['open']:.2f} s", space[0], f"{best['first']:.2f} s", space[1]]
                cells += [f"{1e3 * best['p50']:.1f} ms", f"{1e3 * best['p99']:.1f} ms", best["plan"]]
                print("| " + " | ".join(cells) + " |", flush=True)
            assert found[0] == found[1]


if __name__ == "__main__":
    main()
