"""`python bench/report.py`: measure the machine's limits, run every benchmark, print one table, draw one figure.

Results are compared for equality before anything is timed; what is printed are ratios and percent of a limit measured
in the same rounds, for times alone say little about another machine. Writes report.json, report.md, scaling.png and
scaling.svg into --out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Rows = list[dict[str, Any]]


def environment() -> dict[str, str]:
    """This process's, without what makes NumPy run another BLAS kernel than a user's."""
    return {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}


def machine() -> dict[str, Any]:
    """Limits, instruction set and the BLAS kernel that NumPy runs, measured in a process of its own."""
    code = (
        "import json, numpy, limits; from threadpoolctl import threadpool_info; from scrubjay import isa;"
        "blas = [f\"{i['internal_api']} {i.get('architecture')} x{i['num_threads']}\" for i in threadpool_info()];"
        "about = {'isa': isa.active(), 'blas': blas, 'numpy': numpy.__version__};"
        "print(json.dumps({'limits': limits.measured(), **about}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE, env=environment(), check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def run(family: Path, largest: int) -> tuple[Rows, str]:
    """Rows of one benchmark file, and what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows.json")
        command = [sys.executable, "-m", "pytest", "-q", "--benchmark-disable", "-p", "no:cacheprovider", "--timeout=0"]
        done = subprocess.run(
            [*command, f"--rows={rows}", f"--largest={largest}", str(family)],
            env=environment(),
            check=False,
            capture_output=True,
            text=True,
        )
        wrong = "" if done.returncode in (0, 5) else done.stdout[-4000:] + done.stderr[-2000:]
        return (json.loads(rows.read_text()) if rows.exists() else []), wrong


def target(row: dict[str, Any]) -> str:
    """Targets of a row and whether they were met."""
    parts = []
    for t in row["targets"]:
        if t["of"] == "limit":
            wanted = f">= {100 * t['least']:.0f} % of limit"
        elif t["of"] == "ns":
            wanted = f"<= {t['most']:g} ns"
        else:
            wanted = f">= {t['least']:g} x {t['of']}"
        parts.append(f"{wanted}: {'met' if t['met'] else 'MISSED'}")
    return "; ".join(parts)


def table(rows: Rows) -> str:
    """All rows as one Markdown table."""
    head = ["family", "work", "N", "threads", "ms", "ns / item", "limit", "times as fast as", "target"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for r in rows:
        limit = f"{100 * r['share']:.0f} % of {r['limit']}" if r["limit"] else ""
        ratios = ", ".join(f"{peer} {ratio:.1f}" for peer, ratio in r["ratios"].items())
        cells = [r["family"], r["work"], f"{r['n']:,}", str(r["threads"]), f"{r['seconds'] * 1e3:.3f}"]
        lines.append("| " + " | ".join([*cells, f"{r['ns_per_item']:.2f}", limit, ratios, target(r)]) + " |")
    return "\n".join(lines)


def draw(rows: Rows, out: Path) -> None:
    """Nanoseconds an item over N for each work measured at several sizes: ours solid, peers dashed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    works: dict[tuple[str, str], Rows] = defaultdict(list)
    for row in rows:
        works[row["family"], row["work"]].append(row)
    shown = {work: found for work, found in works.items() if len({r["n"] for r in found}) >= 3}
    if not shown:
        return
    columns = min(4, len(shown))
    lines = -(-len(shown) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(4.2 * columns, 3.2 * lines), squeeze=False)
    colours = pyplot.rcParams["axes.prop_cycle"].by_key()["color"]
    peers = sorted({peer for row in rows for peer in row["ratios"]})
    for axis, ((family, work), found) in zip(axes.flat, shown.items(), strict=False):
        for threads in sorted({r["threads"] for r in found}):
            line = sorted((r for r in found if r["threads"] == threads), key=lambda r: r["n"])
            label = f"scrubjay, {threads} thread{'s' if threads > 1 else ''}"
            style = "-" if threads == 1 else "-."
            axis.plot([r["n"] for r in line], [r["ns_per_item"] for r in line], style, color="black", label=label)
        most = max(r["threads"] for r in found)
        for peer in sorted({peer for r in found for peer in r["ratios"]}):
            line = sorted((r for r in found if r["threads"] == most and peer in r["ratios"]), key=lambda r: r["n"])
            colour = colours[peers.index(peer) % len(colours)]
            y = [r["ns_per_item"] * r["ratios"][peer] for r in line]
            axis.plot([r["n"] for r in line], y, "--", color=colour, label=peer)
        axis.set(xscale="log", yscale="log", title=f"{family}: {work}")
        axis.title.set_fontsize(9)
        axis.grid(True, which="major", alpha=0.3)
        axis.legend(fontsize=7)
    for axis in axes[-1]:
        axis.set_xlabel("N")
    for axis in axes[:, 0]:
        axis.set_ylabel("ns / item")
    for axis in list(axes.flat)[len(shown) :]:
        axis.set_visible(False)
    figure.tight_layout()
    for kind in ("png", "svg"):
        figure.savefig(out / f"scaling.{kind}", dpi=150)


def main() -> int:
    """Runs everything; 1 when a benchmark failed (a target that is missed is no failure: it is in the table)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("bench-report"), help="folder for the results")
    parser.add_argument("--largest", type=int, default=10_000_000, help="skip sizes above this many rows")
    parser.add_argument("--only", default="", help="comma-separated families: graph,rci; the others' rows are kept")
    parser.add_argument("--rows", type=Path, nargs="*", default=[], help="files of `pytest --rows`: run nothing")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    about = machine()
    print(f"kernels: {about['isa']}; NumPy {about['numpy']}; BLAS: {', '.join(about['blas'])}", flush=True)
    for name, value in about["limits"].items():
        print(f"  {name:12} {value:8.1f} {'GB/s' if name.startswith('read') else 'G multiply-adds/s'}", flush=True)
    rows: Rows = []
    failures = {}
    wanted = {f"bench_{name}" for name in given.only.split(",") if name}
    for family in sorted(HERE.glob("bench_*.py")):
        if given.rows or (wanted and family.stem not in wanted):
            continue
        print(f"{family.name} ...", file=sys.stderr, flush=True)
        found, wrong = run(family, given.largest)
        rows += found
        if wrong:
            failures[family.name] = wrong
    for path in given.rows:
        rows += json.loads(path.read_text())
    text = table(rows)
    print(text)
    for name, wrong in failures.items():
        print(f"\n{name} failed:\n{wrong}", file=sys.stderr)
    kept = given.out / "report.json"
    if (wanted or given.rows) and kept.exists():  # what was not run again stays as it was measured
        before = json.loads(kept.read_text())["rows"]
        done = {row["family"] for row in rows}
        rows = sorted([row for row in before if row["family"] not in done] + rows, key=lambda row: row["family"])
        text = table(rows)
    kept.write_text(json.dumps({**about, "rows": rows, "failures": failures}, indent=1))
    (given.out / "report.md").write_text(text + "\n")
    draw(rows, given.out)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
