"""A report as Markdown, as JSON, and as figures.

Numbers of the JSON are rounded to five digits and what belongs to single questions is left out, so that it is small and
two runs of one code give one file, but for the times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate import plots
from scrubjay.evaluate.bootstrap import Interval
from scrubjay.evaluate.conversations import EVIDENCE_RULE, METRICS
from scrubjay.evaluate.suite import FORMAT, Difference, Report, TgtRow
from scrubjay.evaluate.tgt.metrics import GENGAP_READING
from scrubjay.evaluate.tgt.run import CURVE_AGES
from scrubjay.evaluate.tgt.schedule import INTERVALS, TYPES

_SINGLE: Final = ("per_question", "clusters", "top_right")
"""Fields that hold one value a question."""


def _small(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 5) if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {k: _small(v) for k, v in value.items() if k not in _SINGLE and k != "gen_gap_reading"}
    if isinstance(value, (list, tuple)):
        return [_small(v) for v in value]
    return value


def to_json(results: Any) -> bytes:
    """Any result as indented JSON; NaN and infinity are the strings "nan" and "inf"."""
    return msgspec.json.format(msgspec.json.encode(_small(msgspec.to_builtins(results))), indent=1)


def from_json(data: bytes) -> Report:
    """A report read back, without what belongs to single questions. Raises ArgumentError where it is none."""
    try:
        found = msgspec.json.decode(data, type=Report, strict=False)
    except ValueError as error:
        raise ArgumentError(f"data: no {FORMAT} document: {error}") from error
    if found.format != FORMAT:
        raise ArgumentError(f"data: its format is {shown(found.format)}, not {FORMAT!r}")
    return found


# ---- Markdown --------------------------------------------------------------------------------------------------------


def number(value: float | None, digits: int = 3) -> str:
    """Three digits without the leading zero, as in ".417"; a dash where there is none."""
    if value is None or math.isnan(value):
        return "-"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def span(value: Interval) -> str:
    """An estimate with its interval: ".417 [.39, .44]"."""
    return f"{number(value.estimate)} [{number(value.low, 2)}, {number(value.high, 2)}]"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, all others are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tgt_table(rows: Sequence[TgtRow]) -> str:
    """Accuracy, gaps and validity of some systems under one setting."""
    head = ["system", "combined", "factual", "staleness", *INTERVALS, "TGS", "GenGap (SE)", "InterpGap", "R@5",
            "Brier", "AUROC within"]  # fmt: skip
    body = []
    for r in rows:
        s = r.score
        p = s.validity["all"] if s.validity else None
        body.append(
            [r.title, span(s.combined), number(s.factual), number(s.staleness),
             *(number(s.accuracy[i].estimate) for i in INTERVALS), number(s.tgs.estimate),
             f"{s.gen_gap.estimate:+.3f} ({number(s.gen_gap_error)})",
             f"{s.interp_gap.estimate:+.3f} [{s.interp_gap.low:+.2f}, {s.interp_gap.high:+.2f}]",
             number(s.recall_at_5), number(p.brier if p else None), number(p.auroc_within if p else None)]
        )  # fmt: skip
    return table(head, body)


def _expiry(rows: Sequence[TgtRow]) -> str:
    head = ["system", "session", *(f"{t}: median, inside" for t in TYPES), "seen", "I3", "I5"]
    body = []
    for r in rows:
        if r.expiry is None:
            continue
        cells = [f"{_age(e.median)}, {e.inside:.0%}" for e in (r.expiry[t] for t in TYPES)]
        held = r.score.held_out
        body.append(
            [r.title, _duration(r.session), *cells, number(r.score.seen), number(held["I3"]), number(held["I5"])]
        )
    return table(head, body)


def _staleness(rows: Sequence[TgtRow]) -> str:
    head = ["system", *INTERVALS, *(f"{t} falsely stale" for t in TYPES)]
    body = [
        [r.title, *(number(r.score.staleness_at[i]) for i in INTERVALS),
         *(number(r.score.falsely_stale[t]) for t in TYPES)]
        for r in rows
    ]  # fmt: skip
    return table(head, body)


def _age(sessions: float) -> str:
    return f"{sessions:.1f}" if sessions < 1e4 else "never"


def _duration(seconds: float) -> str:
    return (
        f"{seconds / 86400:.1f} d"
        if seconds >= 86400
        else f"{seconds / 3600:.1f} h"
        if seconds >= 3600
        else f"{seconds / 60:.0f} min"
    )


def differences(rows: Sequence[Difference]) -> str:
    """Paired differences, the first minus the second."""
    body = []
    for d in rows:
        v = d.value
        value = f"{v.estimate:+.3f} [{v.low:+.3f}, {v.high:+.3f}]"
        body.append([d.test, f"{d.first} - {d.second}", value, number(v.p_value), f"{v.n} ({v.groups})"])
    return table(["test", "first - second", "difference", "p", "n (groups)"], body)


_INTERP: Final = (
    "InterpGap = Acc(I3) - (Acc(I2) + Acc(I4)) / 2, minus the same with every answer said to be valid: above 0 the "
    "system's idea of validity helps more at the held-out I3 than around it. Intervals by bootstrap over instances."
)
_EXPIRY: Final = (
    "Age in sessions at which P(valid) falls below one half (should be A 5-8, B 12-20, C 25-40, D beyond 60), the "
    "share of memories inside, and combined accuracy with the held-out intervals apart:"
)
_STALENESS: Final = (
    "Staleness right by interval (I3 and I5 are held out), and by class the share of valid memories that are said to "
    "be stale:"
)
_CONVERSATIONS: Final = (
    f"Evidence rule: {EVIDENCE_RULE}. MRR over the full ranking (ours: the best 20) and cut at 5; intervals by "
    "bootstrap over conversations. Time: a search for ten, relative to dense in the same run, without embedding."
)
_VALIDITY: Final = (
    "Examples whose delay lies beyond the fact's censoring are dropped. ECE over ten equal-count bins; intervals by "
    "bootstrap over subjects."
)
_UPDATES: Final = (
    "The abstention half are questions whose valid version was never stored. Held-out subjects; intervals by bootstrap "
    "over subjects. MRR is cut at 10."
)
_AGAINST: Final = (
    "Paired by question, bootstrap over conversations, subjects or instances; p two-sided, and never below "
    "2^(1 - groups): three conversations cannot give a p below .25."
)
_ABLATION: Final = "The full system minus itself without the mechanism: above 0 the mechanism helps."


def _tgt_part(report: Report) -> list[str]:
    out = ["## Temporal Generalization Test", GENGAP_READING, _INTERP]
    settings = dict.fromkeys((r.unique_keys, r.cues, len(r.seeds), r.fitted) for r in report.tgt)
    for setting in settings:
        rows = [r for r in report.tgt if (r.unique_keys, r.cues, len(r.seeds), r.fitted) == setting]
        unique, cues, seeds, fitted = setting
        words = [
            f"{'unique' if unique else 'repeated'} keys",
            f"{'with' if cues else 'without'} cues",
            f"{seeds} seed{'s' if seeds > 1 else ''}",
            f"n = {rows[0].score.n}",
            "session fitted on I1, I2, I4" if fitted else "a session is a day",
        ]
        out += [f"### {', '.join(words)}", tgt_table(rows)]
        timed = [r for r in rows if r.expiry is not None and r.score.staleness_at]
        if timed:
            out += [_STALENESS, _staleness(timed)]
        if any(r.expiry for r in rows) and (fitted or seeds > 1):
            out += [_EXPIRY, _expiry(rows)]
    return out


def _conversation_part(report: Report) -> list[str]:
    out = ["## Retrieval on conversations", _CONVERSATIONS]
    others = [m for m in METRICS if m != "R@5"]
    for setting in dict.fromkeys((r.score.scope, r.date, r.window) for r in report.conversations):
        rows = [r for r in report.conversations if (r.score.scope, r.date, r.window) == setting]
        base = next((r.score.milliseconds for r in rows if r.system == "dense"), math.nan)
        s, (scope, date, window) = rows[0].score, setting
        words = f"{scope} pool of {s.pool} turns, n = {s.n} ({s.dropped} without evidence)"
        words += ", date in the text" if date else ""
        words += f", +-{window} turn of context" if window else ""
        body = []
        for r in rows:
            got = r.score.overall
            values = [number(got[m].estimate) for m in others]
            body.append([r.title, span(got["R@5"]), *values, number(r.score.milliseconds / base, 1)])
        out += [f"### {words}", table(["system", "R@5", *others, "time"], body)]
    first = [r for r in report.conversations if r.score.scope == "conversation" and not r.date and not r.window]
    if first:
        kinds = list(first[0].score.by_category)
        body = [[r.title, *(number(r.score.by_category[k]["R@5"]) for k in kinds)] for r in first]
        n = [f"{k} ({first[0].score.by_category[k]['n']:.0f})" for k in kinds]
        out += ["### R@5 by category", table(["system", *n], body)]
    return out


def _validity_part(report: Report) -> list[str]:
    out = ["## Validity of real facts: prediction", _VALIDITY]
    head = ["predictor", "Brier", "AUROC within delay", "AUROC pooled", "ECE", "log loss"]
    for split in dict.fromkeys(r.split for r in report.validity):
        rows = [r for r in report.validity if r.split == split]
        body = []
        for r in rows:
            s = r.score
            rest = [number(v.estimate) for v in (s.auroc, s.ece, s.log_loss)]
            body.append([r.title, span(s.brier), span(s.auroc_within), *rest])
        s = rows[0].score
        out += [f"### {split}: n = {s.n}, {s.subjects} subjects, {s.valid_share:.1%} valid", table(head, body)]
    return out


def _update_part(report: Report) -> list[str]:
    s = report.updates[0].score
    counts = f"{s.stored} versions stored; {s.answerable} answerable questions, {s.abstain} in the abstention half."
    if s.newest_at_1 is not None:
        newest = f"would be right for {number(s.newest_at_1)}, and would have expired for the rest."
        counts = f"{counts} Were the key known, its newest version {newest}"
    head = ["system", "R@1", "R@5", "MRR", "stale@1", "abstention AUROC", "abstention Brier"]
    body = []
    for r in report.updates:
        s = r.score
        rest = [number(v) for v in (s.abstention_auroc, s.abstention_brier)]
        middle = [number(s.recall_at_5.estimate), number(s.mrr.estimate)]
        body.append([r.title, span(s.recall_at_1), *middle, span(s.stale_at_1), *rest])
    return ["## Validity of real facts: retrieval under updates", f"{counts} {_UPDATES}", table(head, body)]


def markdown(report: Report) -> str:
    """The whole report."""
    a = report.about
    data = ", ".join(f"{name} `{value[:12]}`" for name, value in a.data.items()) or "generated"
    out = [
        "# Evaluation",
        f"scrubjay {a.version}, embedder {a.embedder}, Python {a.python}, NumPy {a.numpy}. Data: {data}.",
    ]
    if report.tgt:
        out += _tgt_part(report)
    if report.conversations:
        out += _conversation_part(report)
    if report.validity:
        out += _validity_part(report)
    if report.updates:
        out += _update_part(report)
    if report.against:
        out += ["## Ours against each other system", _AGAINST, differences(report.against)]
    if report.ablation:
        out += ["## Ablation", _ABLATION, differences(report.ablation)]
    return "\n\n".join(out) + "\n"


# ---- figures ---------------------------------------------------------------------------------------------------------


def _estimate(value: Interval) -> plots.Estimate:
    return value.estimate, value.low, value.high


def figures(report: Report, folder: str | Path) -> list[Path]:
    """Draw every figure that the report has data for."""
    base = Path(folder)
    out: list[Path] = []
    plain = [r for r in report.tgt if not r.fitted and not r.unique_keys and r.cues and len(r.seeds) == 1]
    many = [r for r in report.tgt if not r.fitted and len(r.seeds) > 1] or plain
    shown = [r for r in many if r.system in ("ours", "ours_global", "ours_no_decay", "dense", "dense_recency", "zsum")]
    if shown:
        series = {r.title: {i: _estimate(r.score.accuracy[i]) for i in INTERVALS} for r in shown}
        out += plots.by_interval(series, base / "tgt-intervals")
    full = next((r for r in plain if r.system == "ours"), None)
    if full is not None:
        out += plots.heat_map(full.score.cells, "ours", base / "tgt-cells")
    curved = next((r for r in report.tgt if r.fitted and r.system == "ours" and r.curves), full)
    if curved is not None and curved.curves:
        out += plots.decay_curves(curved.curves, CURVE_AGES, base / "tgt-decay")
    held_out = [r for r in report.validity if r.split == "held-out subjects"]
    wanted = ("global Kaplan-Meier", "50 nearest texts", "ours: keyword", "ours: trained head, as stored")
    bins = {r.title: r.score.reliability for r in held_out if r.title.startswith(wanted)}
    if bins:
        out += plots.reliability(bins, base / "validity-reliability")
    own = [r for r in report.conversations if r.score.scope == "conversation" and not r.date and not r.window]
    dense = next((r.score.milliseconds for r in own if r.system == "dense"), None)
    if dense:
        points = {
            r.title: (r.score.milliseconds / dense, r.score.overall["R@5"].estimate)
            for r in own
            if r.system != "random"
        }
        out += plots.against_cost(points, base / "conversations-cost", x="time of a search for ten, dense = 1", y="R@5")
    if report.updates:
        both = {
            r.title: (_estimate(r.score.recall_at_1), _estimate(r.score.stale_at_1))
            for r in report.updates
            if r.system != "random"
        }
        mine = [r.title for r in report.updates if r.system.startswith("ours")]
        out += plots.right_and_stale(both, base / "updates", ours=mine)
    if report.ablation:
        groups = {
            test: {d.second: _estimate(d.value) for d in report.ablation if d.test == test}
            for test in dict.fromkeys(d.test for d in report.ablation)
        }
        out += plots.bars(groups, base / "ablation", y="full - without")
    return out


def write(report: Report, folder: str | Path, *, draw: bool = True) -> list[Path]:
    """Write report.md, report.json and the figures."""
    base = Path(folder)
    base.mkdir(parents=True, exist_ok=True)
    files = [base / "report.md", base / "report.json"]
    data = to_json(report)
    # all three show the rounded numbers of the JSON, so that they can be made again from it
    shown = from_json(data)
    files[0].write_text(markdown(shown), encoding="utf-8")
    files[1].write_bytes(data + b"\n")
    return files + (figures(shown, base) if draw else [])
