"""Recall against queries a second, one vector a memory: the full scan by codes, candidates, and approximate indexes.

    python bench/bench_ann.py --n 100000 --dim 768 --out ann       # table and plot; a million: --n 1000000
    python bench/bench_ann.py --n 1000000 --cache kept --sides candidates,usearch    # an index is made once

Rows lie as sentence embeddings do: about topics, with a spectrum that falls as theirs; queries are drawn as the rows
are. Every side answers the same queries one by one in one thread, in turns; a rate is of the median of the process's
time, which other work on the machine lengthens little (of LanceDB all threads count). Recall is against the exact
answer. A side that is not installed is named with the reason. A million rows of 768 values take about 3 GB, and as
much again per index.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import json
import os
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
from scrubjay.recall.axes import Axes
from scrubjay.recall.candidates import Candidates
from scrubjay.recall.factors import TERMS
from scrubjay.recall.lists import Lists
from scrubjay.recall.near_index import REACH, NearIndex, Slots
from scrubjay.recall.pool import Question
from scrubjay.recall.ranking import rank
from scrubjay.recall.scope import Scope
from scrubjay.verbs.candidates import BATCH

K = 10
QUERIES = 400
ROUNDS = 3
BREADTHS = (16, 32, 64, 128, 256)
"""Slots that graphs look at."""
REACHES = (0.36, 0.44, 0.53, 0.63)
"""How far candidates look."""
CONNECTIVITY, BREADTH = 16, 128
"""Edges of a slot of usearch and faiss, and slots that they look at when one is entered."""
BLOCK = 1 << 14
WEIGHTS = np.eye(1, len(TERMS))[0]
Search = Callable[[np.ndarray], np.ndarray]


class Side(NamedTuple):
    """One way to search, at one setting."""

    name: str
    setting: float
    prepare: Callable[[], None]
    search: Search


class Cache:
    """Indexes that are kept in a folder between two runs; without a folder they are made each time."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.took = float("nan")
        """Seconds that making the last one took, whenever that was."""

    def get(
        self, name: str, make: Callable[[], Any], save: Callable[[Any, str], None], load: Callable[[str], Any]
    ) -> Any:
        path = None if self.folder is None else self.folder / name
        if path is not None and path.exists():
            self.took = float(path.with_suffix(".seconds").read_text())
            return load(str(path))
        start = time.perf_counter()
        made = make()
        self.took = time.perf_counter() - start
        if path is not None:
            part = f"{path}.part"
            save(made, part)
            path.with_suffix(".seconds").write_text(str(self.took))
            os.rename(part, path)
        return made


class Point(NamedTuple):
    """What a side reached at one setting. Times are of the process, all threads, in seconds."""

    name: str
    setting: float
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


def by_candidates(columns: Columns, threads: int, cache: Cache) -> Iterator[Side]:  # noqa: ARG001
    n, dim = columns.what.shape

    def make() -> NearIndex:
        index = NearIndex(dim, wide=False)
        for start in range(0, n, BLOCK):
            index.enter(index.entries(columns, np.arange(start, min(start + BLOCK, n))))
        index.arrange()
        return index

    def save(made: NearIndex, path: str) -> None:
        assert made.axes is not None
        lists, *others = made.slots
        with open(path, "wb") as file:
            np.savez(file, *lists, *made.axes, keys=others[0])

    def load(path: str) -> NearIndex:
        with np.load(path) as held:
            parts = [held[f"arr_{i}"] for i in range(len(Lists._fields) + len(Axes._fields))]
            keys = held["keys"]
        parts = [part if part.ndim else part.item() for part in parts]
        axes = Axes(*parts[len(Lists._fields) :])
        slots = Slots(Lists(*parts[: len(Lists._fields)]), keys, np.zeros(n, np.uint64), keys - 1)
        about: dict[str, Any] = {"last_key": n, "drift": 0.0, "lost": axes.lost, "usual": axes.lost, "axes": axes}
        index = NearIndex.restored(slots, dim=dim, wide=False, reach=REACH, **about)
        assert index is not None
        return index

    index = cache.get(f"lists-{n}x{dim}.npz", make, save, load)
    source = Candidates(index)
    source.learn(1.0)
    for reach in REACHES:
        yield Side("scrubjay, candidates", reach, lambda r=reach: setattr(index, "reach", r), ours(columns, source))


def by_codes(columns: Columns, threads: int, cache: Cache) -> Iterator[Side]:  # noqa: ARG001
    yield Side("scrubjay, exact by codes", 0, columns.codes, ours(columns, None))


def by_usearch(columns: Columns, threads: int, cache: Cache) -> Iterator[Side]:
    n, dim = columns.what.shape

    def empty() -> Index:
        return Index(ndim=dim, metric="ip", connectivity=CONNECTIVITY, expansion_add=BREADTH)

    def make() -> Index:
        index = empty()
        index.add(np.arange(n), columns.what, threads=threads)
        return index

    def load(path: str) -> Index:
        index = empty()
        index.load(path)
        return index

    index = cache.get(f"usearch-{n}x{dim}.bin", make, lambda made, path: made.save(path), load)
    for breadth in BREADTHS:
        yield Side(
            f"usearch {index.dtype.name.lower()}",
            breadth,
            lambda b=breadth: setattr(index, "expansion_search", b),
            lambda q: index.search(q, K, threads=1).keys.astype(np.int64),
        )


def by_faiss(columns: Columns, threads: int, cache: Cache) -> Iterator[Side]:
    n, dim = columns.what.shape

    def make() -> Any:
        index = faiss.IndexHNSWFlat(dim, CONNECTIVITY, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = BREADTH
        faiss.omp_set_num_threads(threads)
        index.add(columns.what)
        return index

    index = cache.get(f"faiss-{n}x{dim}.bin", make, faiss.write_index, faiss.read_index)

    def prepare(breadth: int) -> None:
        faiss.omp_set_num_threads(1)
        index.hnsw.efSearch = breadth

    for breadth in BREADTHS:
        yield Side("faiss HNSW", breadth, lambda b=breadth: prepare(b), lambda q: index.search(q[None], K)[1][0])


def by_lancedb(columns: Columns, threads: int, cache: Cache) -> Iterator[Side]:  # noqa: ARG001
    import lancedb
    import pyarrow as pa

    n, dim = columns.what.shape

    def make() -> str:
        folder = tempfile.mkdtemp(dir=cache.folder)
        flat = pa.array(columns.what.reshape(-1))
        data = pa.table({"id": np.arange(n), "vector": pa.FixedSizeListArray.from_arrays(flat, dim)})
        table = lancedb.connect(folder).create_table("rows", data)
        table.create_index(metric="dot", index_type="IVF_HNSW_SQ", vector_column_name="vector")
        return folder

    name = f"lancedb-{n}x{dim}.txt"
    folder = cache.get(name, make, lambda made, path: Path(path).write_text(made), lambda path: Path(path).read_text())
    table = lancedb.connect(folder).open_table("rows")
    for breadth in BREADTHS[2:]:

        def search(query: np.ndarray, breadth: int = breadth) -> np.ndarray:
            asked = table.search(query).distance_type("dot").limit(K).select(["id", "_distance"])
            return np.asarray(asked.ef(breadth).nprobes(20).refine_factor(4).to_arrow()["id"])

        yield Side("LanceDB, refined", breadth, lambda: None, search)


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
                start = time.process_time()
                found = side.search(query)
                own[i].append(time.process_time() - start)
                hits[i] += len(np.intersect1d(found, best)) if turn == 0 else 0
    points = []
    for i, side in enumerate(sides):
        p50, p99 = np.percentile(own[i], [50, 99]).tolist()
        points.append(Point(side.name, side.setting, hits[i] / right.size, 1.0 / p50, p50, p99))
    return points


def npy(array: np.ndarray) -> bytes:
    """As a .npy file."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def adding(columns: Columns, fresh: np.ndarray, queries: np.ndarray) -> dict[str, float]:
    """Rows a second that candidates take in while another thread searches, and that thread's waits, in seconds."""
    index = NearIndex(columns.dim, wide=False)
    first = min(len(columns), 20_000)
    index.enter(index.entries(columns, np.arange(first)))
    index.arrange()
    base = columns_of(columns.what[:first])
    entries = index.entries(columns_of(fresh), np.arange(len(fresh)))
    done, waits = threading.Event(), []

    def look() -> None:
        at = 0
        while not done.is_set():
            start = time.perf_counter()
            index.near(base, index.questions(queries[at % len(queries)][None], None), 64)
            waits.append(time.perf_counter() - start)
            at += 1

    reader = threading.Thread(target=look)
    reader.start()
    start = time.perf_counter()
    for at in range(0, len(fresh), BATCH):
        some = slice(at, at + BATCH)
        part = entries._replace(keys=entries.keys[some] + first, digests=entries.digests[some])
        index.enter(part._replace(vectors=entries.vectors[some], rows=None))
    taken = time.perf_counter() - start
    done.set()
    reader.join()
    p50, p99 = np.percentile(waits, [50, 99]).tolist()
    return {"adds_per_second": len(fresh) / taken, "searches": len(waits), "p50": p50, "p99": p99}


def on_all_threads(columns: Columns, queries: np.ndarray) -> dict[str, float]:
    """The full scan by codes with as many threads as there are, by the clock, in seconds."""
    search, took = ours(columns, None), []
    for query in queries:
        start = time.perf_counter()
        search(query)
        took.append(time.perf_counter() - start)
    p10, p50, p99 = np.percentile(took, [10, 50, 99]).tolist()
    return {"p10": p10, "p50": p50, "p99": p99}


def run(n: int, dim: int, names: list[str], threads: int, cache: Cache) -> dict[str, Any]:
    """Everything, as one report."""
    columns, queries = columns_of(rows(n, dim, 1)), rows(QUERIES, dim, 2)
    right = cache.get(
        f"exact-{n}x{dim}.npy",
        lambda: exact(columns.what, queries),
        lambda a, path: Path(path).write_bytes(npy(a)),
        np.load,
    )
    sides: list[Side] = []
    made: dict[str, dict[str, Any]] = {}
    for name in names:
        if name == "lancedb" and importlib.util.find_spec("lancedb") is None:
            made[name] = {"skipped": "lancedb is not installed: pip install lancedb"}
            continue
        before, start = resident(), time.perf_counter()
        cache.took = float("nan")
        found = list(SIDES[name](columns, threads, cache))
        found[0].prepare()
        seconds = time.perf_counter() - start if np.isnan(cache.took) else cache.took
        made[name] = {"rows_per_second": n / seconds, "bytes_per_row": (resident() - before) / n}
        print(f"{name}: made in {seconds:.1f} s", file=sys.stderr, flush=True)
        sides += found
    os.environ["SCRUBJAY_THREADS"] = "1"
    points = measured(sides, queries, right)
    for point in points:
        assert point.name != "scrubjay, exact by codes" or point.recall > 0.999, "the answers are of other rows"
    del os.environ["SCRUBJAY_THREADS"]
    report = {"n": n, "dim": dim, "k": K, "made": made, "points": [point._asdict() for point in points]}
    if "codes" in names:
        report["threads"] = on_all_threads(columns, queries)
    if "candidates" in names:
        report["adding"] = adding(columns, rows(2000, dim, 3), queries)
    return report


def table(report: dict[str, Any]) -> str:
    """The report as Markdown."""
    lines = [f"N = {report['n']:,}, d = {report['dim']}, k = {report['k']}, one thread", ""]
    lines += ["| | breadth, reach | recall@10 | queries / s | p50 ms | p99 ms |", "|---|---|---|---|---|---|"]
    for p in report["points"]:
        cells = [p["name"], str(p["setting"] or ""), f"{p['recall']:.4f}", f"{p['qps']:,.0f}"]
        lines.append("| " + " | ".join([*cells, f"{p['p50'] * 1e3:.3f}", f"{p['p99'] * 1e3:.3f}"]) + " |")
    lines += ["", "| | rows / s when made | bytes / row |", "|---|---|---|"]
    for name, m in report["made"].items():
        if "skipped" in m:
            lines.append(f"| {name} | {m['skipped']} | |")
        else:
            lines.append(f"| {name} | {m['rows_per_second']:,.0f} | {m['bytes_per_row']:,.0f} |")
    if "threads" in report:
        t = report["threads"]
        lines += ["", "Exact by codes on every thread, by the clock: "]
        lines[-1] += f"p10 {t['p10'] * 1e3:.1f} ms, p50 {t['p50'] * 1e3:.1f} ms, p99 {t['p99'] * 1e3:.1f} ms."
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
    report = run(min(largest, 5000), 64, ["candidates", "codes", "usearch", "faiss"], 2, Cache(None))
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
    parser.add_argument("--cache", type=Path, help="folder in which indexes and exact answers are kept")
    parser.add_argument("--out", type=Path, default=Path("ann"), help="folder for the results")
    given = parser.parse_args()
    if given.cache is not None:
        given.cache.mkdir(parents=True, exist_ok=True)
    report = run(given.n, given.dim, given.sides.split(","), given.threads, Cache(given.cache))
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / f"recall-{given.n}x{given.dim}.json").write_text(json.dumps(report, indent=1))
    (given.out / f"recall-{given.n}x{given.dim}.md").write_text(table(report) + "\n")
    print(table(report))
    draw(report, given.out)


if __name__ == "__main__":
    main()
