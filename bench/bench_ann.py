"""Recall against queries a second, one vector a memory: the full scan by codes, candidates, and approximate indexes.

    python bench/bench_ann.py --n 100000 --dim 768 --out ann       # table and plot; a million: --n 1000000

Rows lie as sentence embeddings do: about topics, with a spectrum that falls as theirs; queries are drawn as the rows
are. Every side answers the same queries one by one in one thread, in turns; a rate is of the median of the thread's own
time, which other work on the machine lengthens little. Recall is against the exact answer. A side that is not installed
is named with the reason. A million rows of 768 values take about 3 GB, and as much again per index.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import faiss
import numpy as np
from usearch.index import Index

from scrubjay.columns import FIELDS, LIVE, Columns
from scrubjay.recall.candidates import Candidates
from scrubjay.recall.hnsw import BREADTH, CONNECTIVITY, HnswIndex
from scrubjay.recall.pool import Question
from scrubjay.recall.ranking import rank
from scrubjay.recall.scope import Scope
from scrubjay.verbs.candidates import STEP

K = 10
QUERIES = 400
ROUNDS = 3
BREADTHS = (16, 32, 64, 128, 256)
BLOCK = 1 << 14
WEIGHTS = np.eye(1, 8)[0]
Search = Callable[[np.ndarray], np.ndarray]


class Side(NamedTuple):
    """One way to search, at one setting."""

    name: str
    setting: int
    prepare: Callable[[], None]
    search: Search


class Point(NamedTuple):
    """What a side reached at one setting. Times are of the searching thread, in seconds."""

    name: str
    setting: int
    recall: float
    qps: float
    p50: float
    p99: float


def rows(n: int, dim: int, seed: int) -> np.ndarray:
    """Unit rows about topics, along few directions more than along the others."""
    scale = np.arange(1, dim + 1, dtype=np.float32) ** -0.65
    topics = np.random.default_rng(99).standard_normal((1000, dim), np.float32) * scale
    rng, out = np.random.default_rng(seed), np.empty((n, dim), np.float32)
    for start in range(0, n, BLOCK):
        part = out[start : start + BLOCK]
        part[:] = topics[rng.integers(0, len(topics), len(part))]
        part += 0.8 * scale * rng.standard_normal(part.shape, np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return out


def columns_of(what: np.ndarray) -> Columns:
    """Memories with these vectors, and nothing else that counts."""
    n, dim = what.shape
    given: dict[str, Any] = {f.name: 1 for f in FIELDS} | {"until": np.inf}
    given |= {"key": np.arange(1, n + 1), "flags": LIVE | 2, "context": -1, "thread": 0, "superseded_by": 0}
    columns = Columns(dim)
    columns.append(given, what)
    columns.seq = 1
    columns.take_turned()
    return columns


def resident() -> float:
    """Resident bytes of this process; nan where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except OSError:
        return float("nan")


def ours(columns: Columns, source: Candidates | None) -> Search:
    scope = Scope(count=len(columns))

    def search(query: np.ndarray) -> np.ndarray:
        question = Question(vector=query, context=None, weights=WEIGHTS, now=0.0)
        options: dict[str, Any] = {"scoring": "paper", "texts": list, "slots": None, "candidates": source}
        return rank(columns, [question], K, scope=scope, **options)[0].rows

    return search


def by_candidates(columns: Columns, threads: int) -> Iterator[Side]:
    index = HnswIndex(columns.dim, wide=False)
    for start in range(0, len(columns), BLOCK):
        index.enter(index.entries(columns, np.arange(start, min(start + BLOCK, len(columns)))), threads=threads)
    source = Candidates(index)
    source.learn(1.0)
    for breadth in BREADTHS[2:]:
        yield Side(
            "scrubjay, candidates", breadth, lambda b=breadth: setattr(index, "breadth", b), ours(columns, source)
        )


def by_codes(columns: Columns, threads: int) -> Iterator[Side]:  # noqa: ARG001
    yield Side("scrubjay, exact by codes", 0, columns.codes, ours(columns, None))


def by_usearch(columns: Columns, threads: int) -> Iterator[Side]:
    index = Index(ndim=columns.dim, metric="ip", connectivity=CONNECTIVITY, expansion_add=BREADTH)
    index.add(np.arange(len(columns)), columns.what, threads=threads)
    for breadth in BREADTHS:
        yield Side(
            f"usearch {index.dtype.name.lower()}",
            breadth,
            lambda b=breadth: setattr(index, "expansion_search", b),
            lambda q: index.search(q, K, threads=1).keys.astype(np.int64),
        )


def by_faiss(columns: Columns, threads: int) -> Iterator[Side]:
    index = faiss.IndexHNSWFlat(columns.dim, CONNECTIVITY, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BREADTH
    faiss.omp_set_num_threads(threads)
    index.add(columns.what)

    def prepare(breadth: int) -> None:
        faiss.omp_set_num_threads(1)
        index.hnsw.efSearch = breadth

    for breadth in BREADTHS:
        yield Side("faiss HNSW", breadth, lambda b=breadth: prepare(b), lambda q: index.search(q[None], K)[1][0])


def by_lancedb(columns: Columns, threads: int) -> Iterator[Side]:  # noqa: ARG001
    import lancedb
    import pyarrow as pa

    folder = tempfile.mkdtemp()
    flat = pa.array(columns.what.reshape(-1))
    data = pa.table({"id": np.arange(len(columns)), "vector": pa.FixedSizeListArray.from_arrays(flat, columns.dim)})
    table = lancedb.connect(folder).create_table("rows", data)
    table.create_index(metric="dot", index_type="IVF_HNSW_SQ", vector_column_name="vector")
    for breadth in BREADTHS:

        def search(query: np.ndarray, breadth: int = breadth) -> np.ndarray:
            found = table.search(query).metric("dot").limit(K).ef(breadth).nprobes(20).to_arrow()
            return np.asarray(found["id"])

        yield Side("LanceDB", breadth, lambda: None, search)


SIDES = {
    "candidates": by_candidates,
    "codes": by_codes,
    "usearch": by_usearch,
    "faiss": by_faiss,
    "lancedb": by_lancedb,
}


def exact(what: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """The K best of each query, by brute force."""
    best = np.full((len(queries), K), -np.inf), np.zeros((len(queries), K), np.int64)
    for start in range(0, len(what), BLOCK):
        score = np.concatenate([best[0], queries @ what[start : start + BLOCK].T], axis=1)
        here = np.arange(start, start + score.shape[1] - K)
        at = np.argpartition(-score, K - 1, axis=1)[:, :K]
        every = np.concatenate([best[1], np.tile(here, (len(queries), 1))], axis=1)
        best = np.take_along_axis(score, at, 1), np.take_along_axis(every, at, 1)
    return best[1]


def measured(sides: list[Side], queries: np.ndarray, right: np.ndarray) -> list[Point]:
    """Each side at each setting, in turns."""
    own: dict[int, list[float]] = {i: [] for i in range(len(sides))}
    hits = dict.fromkeys(own, 0)
    for turn in range(ROUNDS):
        for i, side in enumerate(sides):
            side.prepare()
            side.search(queries[0])
            for query, best in zip(queries, right, strict=True):
                start = time.thread_time()
                found = side.search(query)
                own[i].append(time.thread_time() - start)
                hits[i] += len(np.intersect1d(found, best)) if turn == 0 else 0
    points = []
    for i, side in enumerate(sides):
        p50, p99 = np.percentile(own[i], [50, 99]).tolist()
        points.append(Point(side.name, side.setting, hits[i] / right.size, 1.0 / p50, p50, p99))
    return points


def adding(columns: Columns, fresh: np.ndarray, queries: np.ndarray) -> dict[str, float]:
    """Rows a second that candidates take in while another thread searches, and that thread's waits, in seconds."""
    index = HnswIndex(columns.dim, wide=False)
    first = min(len(columns), 20_000)
    index.enter(index.entries(columns, np.arange(first)))
    base = columns_of(columns.what[:first])
    entries = index.entries(columns_of(fresh), np.arange(len(fresh)))
    done, waits = threading.Event(), []

    def look() -> None:
        at = 0
        while not done.is_set():
            start = time.perf_counter()
            index.near(base, queries[at % len(queries)][None], 64)
            waits.append(time.perf_counter() - start)
            at += 1

    reader = threading.Thread(target=look)
    reader.start()
    start = time.perf_counter()
    index.enter(entries._replace(keys=entries.keys + first, upto=first + len(fresh)), step=STEP)
    taken = time.perf_counter() - start
    done.set()
    reader.join()
    p50, p99 = np.percentile(waits, [50, 99]).tolist()
    return {"adds_per_second": len(fresh) / taken, "searches": len(waits), "p50": p50, "p99": p99}


def run(n: int, dim: int, names: list[str], threads: int) -> dict[str, Any]:
    """Everything, as one report."""
    columns, queries = columns_of(rows(n, dim, 1)), rows(QUERIES, dim, 2)
    right = exact(columns.what, queries)
    sides: list[Side] = []
    made: dict[str, dict[str, Any]] = {}
    for name in names:
        if name == "lancedb" and importlib.util.find_spec("lancedb") is None:
            made[name] = {"skipped": "lancedb is not installed: pip install lancedb"}
            continue
        before, start = resident(), time.perf_counter()
        found = list(SIDES[name](columns, threads))
        found[0].prepare()
        seconds = time.perf_counter() - start
        made[name] = {"rows_per_second": n / seconds, "bytes_per_row": (resident() - before) / n}
        print(f"{name}: made in {seconds:.1f} s", file=sys.stderr, flush=True)
        sides += found
    points = measured(sides, queries, right)
    report = {"n": n, "dim": dim, "k": K, "made": made, "points": [point._asdict() for point in points]}
    if "candidates" in names:
        report["adding"] = adding(columns, rows(2000, dim, 3), queries)
    return report


def table(report: dict[str, Any]) -> str:
    """The report as Markdown."""
    lines = [f"N = {report['n']:,}, d = {report['dim']}, k = {report['k']}, one thread", ""]
    lines += ["| | breadth | recall@10 | queries / s | p50 ms | p99 ms |", "|---|---|---|---|---|---|"]
    for p in report["points"]:
        cells = [p["name"], str(p["setting"] or ""), f"{p['recall']:.4f}", f"{p['qps']:,.0f}"]
        lines.append("| " + " | ".join([*cells, f"{p['p50'] * 1e3:.3f}", f"{p['p99'] * 1e3:.3f}"]) + " |")
    lines += ["", "| | rows / s when made | bytes / row |", "|---|---|---|"]
    for name, m in report["made"].items():
        if "skipped" in m:
            lines.append(f"| {name} | {m['skipped']} | |")
        else:
            lines.append(f"| {name} | {m['rows_per_second']:,.0f} | {m['bytes_per_row']:,.0f} |")
    if "adding" in report:
        a = report["adding"]
        lines += [
            "",
            f"Candidates while another thread searches: {a['adds_per_second']:,.0f} rows / s entered, searches ",
        ]
        lines[-1] += f"p50 {a['p50'] * 1e3:.2f} ms, p99 {a['p99'] * 1e3:.2f} ms."
    least, bare = reached(report)
    if least is not None and bare is not None:
        lines += ["", f"Candidates at recall >= .99 against bare usearch at >= .95: {least / bare:.2f} x its rate."]
    return "\n".join(lines)


def reached(report: dict[str, Any]) -> tuple[float | None, float | None]:
    """Best rate of candidates at a recall of .99, and of usearch at .95; None where neither reaches it."""
    points = report["points"]
    ours = [p["qps"] for p in points if p["name"].endswith("candidates") and p["recall"] >= 0.99]
    bare = [p["qps"] for p in points if p["name"].startswith("usearch") and p["recall"] >= 0.95]
    return max(ours, default=None), max(bare, default=None)


def draw(report: dict[str, Any], out: Path) -> None:
    """Recall against queries a second."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(6, 4.2))
    for name in dict.fromkeys(p["name"] for p in report["points"]):
        line = [p for p in report["points"] if p["name"] == name]
        style = "o-" if name.startswith("scrubjay") else "s--"
        axis.plot([p["recall"] for p in line], [p["qps"] for p in line], style, label=name, markersize=4)
    axis.set(xlabel="recall@10", ylabel="queries / s, one thread", yscale="log")
    axis.set_title(f"{report['n']:,} rows of {report['dim']}")
    axis.grid(True, which="both", alpha=0.3)
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(out / f"recall-{report['n']}x{report['dim']}.png", dpi=150)


def test_candidates_find_what_the_scan_finds(largest: int) -> None:
    """The sides answer alike where they are made to look far enough."""
    report = run(min(largest, 5000), 64, ["candidates", "codes", "usearch", "faiss"], 2)
    best = {}
    for p in report["points"]:
        best[p["name"]] = max(best.get(p["name"], 0.0), p["recall"])
    assert best.pop("scrubjay, exact by codes") > 0.999
    assert min(best.values()) >= 0.97
    assert "recall@10" in table(report)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=768)
    parser.add_argument("--sides", default=",".join(SIDES), help="comma-separated, of the default")
    parser.add_argument("--threads", type=int, default=2, help="that indexes are made with")
    parser.add_argument("--out", type=Path, default=Path("ann"), help="folder for the results")
    given = parser.parse_args()
    report = run(given.n, given.dim, given.sides.split(","), given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / f"recall-{given.n}x{given.dim}.json").write_text(json.dumps(report, indent=1))
    (given.out / f"recall-{given.n}x{given.dim}.md").write_text(table(report) + "\n")
    print(table(report))
    draw(report, given.out)


if __name__ == "__main__":
    main()
