"""Figures of a report (extra [plot]): colours that stay apart for every kind of colour vision, legible at README width.

Each function takes plain values and draws one figure; `save` writes PNG and SVG.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from scrubjay.errors import MissingExtraError
from scrubjay.evaluate.tgt.schedule import EXPIRY, HELD_OUT, INTERVALS, TYPES

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's palette without its yellow, which is too faint on white."""
MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
WIDTH: Final = 7.2
"""Inches: about 800 pixels in a README."""

_STYLE: Final[Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "white",
    "svg.hashsalt": "scrubjay",
    "svg.fonttype": "path",
}


@contextmanager
def figure(height: float = 3.6, **layout: Any) -> Iterator[tuple[Any, Any]]:
    """A figure in the house's style; closed afterwards."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtraError("Plots", "plot") from error
    with plt.rc_context(dict(_STYLE)):
        fig, axes = plt.subplots(figsize=(WIDTH, height), layout="constrained", **layout)
        try:
            yield fig, axes
        finally:
            plt.close(fig)


def save(fig: Any, path: str | Path) -> list[Path]:
    """Write `path` as PNG and SVG, without dates, so that equal figures are equal files."""
    base = Path(path)
    base.parent.mkdir(parents=True, exist_ok=True)
    files = [base.with_suffix(".png"), base.with_suffix(".svg")]
    fig.savefig(files[0], dpi=160, metadata={"Software": None})
    fig.savefig(files[1], metadata={"Date": None, "Creator": None})
    return files


Estimate = tuple[float, float, float]
"""Estimate, low, high."""


def by_interval(series: Mapping[str, Mapping[str, Estimate]], path: str | Path) -> list[Path]:
    """Combined accuracy over the five intervals with bootstrap bands; held-out intervals are shaded."""
    names = list(INTERVALS)
    x = np.arange(len(names))
    with figure(4.0) as (fig, ax):
        for held in HELD_OUT:
            ax.axvspan(names.index(held) - 0.5, names.index(held) + 0.5, color="#EEEEEE", zorder=0)
        for i, (name, values) in enumerate(series.items()):
            mid, low, high = (np.array([values[n][j] for n in names]) for j in range(3))
            colour = COLOURS[i % len(COLOURS)]
            ax.plot(x, mid, color=colour, marker=MARKS[i % len(MARKS)], label=name, linewidth=1.8, markersize=5)
            ax.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
        ax.set_xticks(x, [f"{n}\n{low}-{high}" for n, (low, high) in INTERVALS.items()])
        ax.set_xlim(-0.5, len(names) - 0.5)
        ax.set_ylim(0, 1)
        ax.set_xlabel("age of the memory in sessions (shaded: held out)")
        ax.set_ylabel("combined accuracy")
        fig.legend(loc="outside upper center", ncols=3)
        return save(fig, path)


def reliability(series: Mapping[str, Sequence[tuple[float, float, float]]], path: str | Path) -> list[Path]:
    """Reliability diagram: predicted against observed share of valid facts, ten equal-count bins."""
    with figure(4.2) as (fig, ax):
        ax.plot([0, 1], [0, 1], color="#777777", linewidth=1, linestyle=(0, (4, 3)), label="calibrated")
        for i, (name, bins) in enumerate(series.items()):
            table = np.array(bins)
            ax.plot(
                table[:, 1], table[:, 2], color=COLOURS[i % len(COLOURS)], marker=MARKS[i % len(MARKS)], label=name,
                linewidth=1.8, markersize=5,
            )  # fmt: skip
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.set_xlabel("predicted P(still valid)")
        ax.set_ylabel("share that was still valid")
        fig.legend(loc="outside right center")
        return save(fig, path)


def decay_curves(
    curves: Mapping[str, Sequence[tuple[float, float, float]]], ages: Sequence[float], path: str | Path
) -> list[Path]:
    """P(valid) over age by class, median and quartiles; above it, where each class should cross one half."""
    with figure(3.8) as (fig, ax):
        end = max(ages)
        for i, kind in enumerate(TYPES):
            table = np.array(curves[kind])
            ax.plot(ages, table[:, 1], color=COLOURS[i], label=f"class {kind}", linewidth=1.8)
            ax.fill_between(ages, table[:, 0], table[:, 2], color=COLOURS[i], alpha=0.15, linewidth=0)
            low, high = EXPIRY[kind]
            ax.plot([low, min(high, end)], [1.03 + 0.025 * i] * 2, color=COLOURS[i], linewidth=4, solid_capstyle="butt")
        ax.axhline(0.5, color="#777777", linewidth=1, linestyle=(0, (4, 3)))
        ax.set_ylim(0, 1.14)
        ax.set_xlim(0, end)
        ax.set_xlabel("age in sessions (bars on top: where the class should cross one half)")
        ax.set_ylabel("P(still valid)")
        fig.legend(loc="outside right center")
        return save(fig, path)


def heat_map(cells: Mapping[str, Mapping[str, float]], title: str, path: str | Path) -> list[Path]:
    """Combined accuracy by class and interval, the number in each cell."""
    table = np.array([[cells[t][i] for i in INTERVALS] for t in TYPES])
    with figure(2.9) as (fig, ax):
        image = ax.imshow(table, vmin=0, vmax=1, cmap="cividis", aspect="auto")
        ax.grid(False)
        for (row, column), value in np.ndenumerate(table):
            ax.text(column, row, f"{value:.2f}", ha="center", va="center", color="white" if value < 0.55 else "black")
        ax.set_xticks(range(len(INTERVALS)), [f"{n}*" if n in HELD_OUT else n for n in INTERVALS])
        ax.set_yticks(range(len(TYPES)), [f"class {t}" for t in TYPES])
        ax.set_title(f"{title} (* held out)")
        fig.colorbar(image, ax=ax, label="combined accuracy")
        return save(fig, path)


def against_cost(points: Mapping[str, tuple[float, float]], path: str | Path, *, x: str, y: str) -> list[Path]:
    """Quality against cost (logarithmic), a sign of its own for each system."""
    with figure(4.2) as (fig, ax):
        for i, (name, (cost, quality)) in enumerate(points.items()):
            # colour and mark step differently, so that no two of 64 systems share both
            colour, mark = COLOURS[i % len(COLOURS)], MARKS[(i + i // len(COLOURS)) % len(MARKS)]
            ax.scatter([cost], [quality], color=colour, marker=mark, s=48, zorder=3, label=name)
        ax.set_xscale("log")
        ax.set_ylim(0)
        ax.margins(x=0.1)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        fig.legend(loc="outside right center")
        return save(fig, path)


def right_and_stale(
    rows: Mapping[str, tuple[Estimate, Estimate]], path: str | Path, *, ours: Sequence[str] = ()
) -> list[Path]:
    """For each system, how often its best hit is valid and how often it is an expired version of what was asked."""
    with figure(0.9 + 0.27 * len(rows), ncols=2, sharey=True) as (fig, axes):
        places = np.arange(len(rows))[::-1]
        for column, (ax, title) in enumerate(zip(axes, ("best hit is valid", "best hit has expired"), strict=True)):
            for place, (name, both) in zip(places, rows.items(), strict=True):
                mid, low, high = both[column]
                colour = COLOURS[0] if name in ours else COLOURS[7]
                ax.barh(place, mid, color=colour, height=0.64)
                ax.plot([low, high], [place, place], color="black", linewidth=1.1)
                ax.text(high + 0.02, place, f"{mid:.2f}", va="center", fontsize=8)
            ax.set_xlim(0, 1.12)
            ax.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
            ax.set_yticks(places, list(rows))
            ax.grid(axis="y", visible=False)
            ax.set_title(title)
        axes[0].set_xlabel("R@1")
        axes[1].set_xlabel("stale@1")
        return save(fig, path)


def bars(groups: Mapping[str, Mapping[str, Estimate]], path: str | Path, *, y: str) -> list[Path]:
    """Differences with intervals, one panel a test: what each mechanism adds (right) or costs (left)."""
    with figure(1.3 + 0.34 * max(len(rows) for rows in groups.values()), ncols=len(groups), sharey=True) as (fig, axes):
        for ax, (title, rows) in zip(np.atleast_1d(axes), groups.items(), strict=True):
            places = np.arange(len(rows))[::-1]
            for place, (mid, low, high) in zip(places, rows.values(), strict=True):
                colour = COLOURS[0] if low > 0 else COLOURS[1] if high < 0 else COLOURS[7]
                ax.barh(place, mid, color=colour, height=0.62)
                ax.plot([low, high], [place, place], color="black", linewidth=1.2)
            ax.axvline(0, color="black", linewidth=0.8)
            ax.set_yticks(places, list(rows))
            ax.set_title(title.replace(", ", "\n"))
            ax.set_xlabel(y)
            ax.margins(x=0.12)
        return save(fig, path)
