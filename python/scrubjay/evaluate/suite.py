"""Everything that needs no model, in one run: the three tests, their baselines, ours, and the ablation.

Each unit of work is stored as it is done (`runs`), so an interrupted suite goes on where it was.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import numpy as np

import scrubjay
from scrubjay.encode.head import PerishabilityHead
from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate import conversations, updates, validity
from scrubjay.evaluate.bootstrap import Interval, paired
from scrubjay.evaluate.cache import CachedEmbedder
from scrubjay.evaluate.conversations import ConversationScore
from scrubjay.evaluate.ours import MECHANISMS, ablated
from scrubjay.evaluate.predictors import Always, HeadCurve, NearestTexts, Perishable, Row, standard_rows
from scrubjay.evaluate.registry import Candidate, candidates, code_digest, ours
from scrubjay.evaluate.runs import Runs, digest, files_digest
from scrubjay.evaluate.tgt import Benchmark, audit, dumps, generate
from scrubjay.evaluate.tgt.metrics import TgtScore
from scrubjay.evaluate.tgt.metrics import score as score_tgt
from scrubjay.evaluate.tgt.run import Expiry, TgtRun, fit_session
from scrubjay.evaluate.tgt.run import run as run_tgt
from scrubjay.evaluate.updates import UpdateScore
from scrubjay.evaluate.validity import Facts, Split, ValidityScore
from scrubjay.protocols import Progress

T = TypeVar("T")

FORMAT: Final = "scrubjay.report/1"
SYSTEMS: Final = (
    "ours", "ours_fitted", "ours_keywords", "ours_global", "ours_no_decay", "ours_paper", "random", "bm25", "dense",
    "rrf", "zsum", "dense_recency", "dense_plus_30", "dense_plus_365", "generative_agents", "memorybank", "hlr",
    "act_r",
)  # fmt: skip
"""What the suite compares."""
SEEDS: Final = (4242, 1, 2, 3, 4)
DAY: Final = 86400.0


class About(msgspec.Struct, frozen=True):
    """What produced a report."""

    version: str
    embedder: str
    python: str
    numpy: str
    data: dict[str, str]
    """Digest of each data set."""


class TgtRow(msgspec.Struct, frozen=True):
    """A system on the TGT with one pair of switches."""

    system: str
    title: str
    unique_keys: bool
    cues: bool
    seeds: tuple[int, ...]
    fitted: bool
    """Whether the length of a session was fitted on I1, I2 and I4."""
    session: float
    """Seconds."""
    score: TgtScore
    expiry: dict[str, Expiry] | None
    curves: dict[str, tuple[tuple[float, float, float], ...]] | None
    milliseconds: float


class ConversationRow(msgspec.Struct, frozen=True):
    """A system on conversations with one way to write the texts."""

    system: str
    title: str
    date: bool
    window: int
    score: ConversationScore


class ValidityRow(msgspec.Struct, frozen=True):
    """A predictor on one split."""

    title: str
    split: str
    score: ValidityScore


class UpdateRow(msgspec.Struct, frozen=True):
    """A system under updates."""

    system: str
    title: str
    score: UpdateScore


class Difference(msgspec.Struct, frozen=True):
    """A paired difference on one test: positive where the first is better."""

    test: str
    first: str
    second: str
    value: Interval


class Report(msgspec.Struct, frozen=True):
    """All results of a suite."""

    format: str
    about: About
    tgt: tuple[TgtRow, ...] = ()
    conversations: tuple[ConversationRow, ...] = ()
    validity: tuple[ValidityRow, ...] = ()
    updates: tuple[UpdateRow, ...] = ()
    against: tuple[Difference, ...] = ()
    """Ours against every other system."""
    ablation: tuple[Difference, ...] = ()
    """The full system against itself without a mechanism."""


class _Fitted(msgspec.Struct, frozen=True):
    session: float | None


Tell = Callable[[str], Progress | None]
"""Names a piece of work and gives the function that its progress is told to."""


def _silent(_: str) -> Progress | None:
    return None


class Suite:
    """One embedder, one folder of results, one size of bootstrap."""

    def __init__(
        self, embedder: CachedEmbedder, runs: Runs | None = None, *, draws: int = 1000, tell: Tell = _silent
    ) -> None:
        self.embedder, self._runs, self._draws, self._tell = embedder, runs or Runs(None), draws, tell
        self._code = code_digest()

    def _once(self, name: dict[str, Any], title: str, kind: type[T], work: Callable[[Progress | None], T]) -> T:
        full = {"code": self._code, "embedder": self.embedder.name, "draws": self._draws, **name}
        return self._runs.once(full, kind, lambda: work(self._tell(title)))

    def about(self, data: dict[str, str]) -> About:
        """What this suite runs with."""
        return About(scrubjay.__version__, self.embedder.name, platform.python_version(), np.__version__, data)

    # -- TGT

    def tgt(
        self,
        systems: Sequence[Candidate],
        *,
        seeds: Sequence[int] = (4242,),
        instances: int = 20,
        unique_keys: bool = False,
        cues: bool = True,
        fit: bool = False,
    ) -> list[TgtRow]:
        """Every system on the benchmarks of these seeds."""
        benchmarks = [generate(seed, instances, unique_keys=unique_keys, cues=cues) for seed in seeds]
        for benchmark in benchmarks:
            audit(benchmark)
        rows: list[TgtRow] = []
        for system in systems:
            done = self.tgt_runs(system, benchmarks, fit=fit)
            if done is None:
                continue
            outcomes = [o for run in done for o in run.outcomes]
            rows.append(
                TgtRow(
                    system.name, system.title, unique_keys, cues, tuple(seeds), fit, done[0].session,
                    score_tgt(outcomes, draws=self._draws), done[0].expiry, done[0].curves,
                    float(np.mean([run.milliseconds for run in done])),
                )
            )  # fmt: skip
        return rows

    def tgt_runs(self, system: Candidate, benchmarks: Sequence[Benchmark], *, fit: bool = False) -> list[TgtRun] | None:
        """The runs of a system; None where a session is to be fitted and the system has nothing to fit."""
        if fit and system.learn is not None:
            return None
        out: list[TgtRun] = []
        for benchmark in benchmarks:
            data = digest(dumps(benchmark))
            session: float | None = DAY
            if fit:
                session = self._once(
                    {"task": "tgt fit", "system": system.key, "data": data},
                    f"TGT, session of {system.title}",
                    _Fitted,
                    lambda _, b=benchmark: _Fitted(fit_session(system.make, b)),  # type: ignore[misc]
                ).session
            if session is None:
                return None
            out.append(
                self._once(
                    {"task": "tgt", "system": system.key, "data": data, "session": session},
                    f"TGT seed {benchmark.seed}, {system.title}",
                    TgtRun,
                    lambda tell, b=benchmark, s=session: _learned(system, b, s, tell),  # type: ignore[misc]
                )
            )
        return out

    # -- conversations

    def conversations(
        self,
        systems: Sequence[Candidate],
        path: str | Path,
        *,
        scopes: Sequence[str] = ("conversation", "shared"),
        date: bool = False,
        window: int = 0,
    ) -> list[ConversationRow]:
        """Every system on a file of conversations."""
        talks, data = conversations.load_conversations(path), files_digest([path])
        return [
            ConversationRow(
                system.name, system.title, date, window,
                self._once(
                    {"task": "conversations", "system": system.key, "data": data, "scope": scope, "date": date,
                     "window": window},
                    f"conversations ({scope}), {system.title}",
                    ConversationScore,
                    lambda tell, make=system.make, scope=scope: conversations.evaluate(  # type: ignore[misc]
                        make, talks, scope=scope, date=date, window=window, draws=self._draws, progress=tell
                    ),
                ),
            )
            for scope in scopes
            for system in systems
        ]  # fmt: skip

    # -- validity

    def validity(self, facts: Facts, data: str, rows: Sequence[Row] | None = None) -> list[ValidityRow]:
        """All rows on held-out subjects, and those that learn from texts without a kind and without a source."""
        out: list[ValidityRow] = []
        for row in self.validity_rows() if rows is None else rows:
            plans = [("held-out subjects", [validity.split_subjects(facts)])]
            if isinstance(row, NearestTexts):
                plans += [
                    (f"{column} left out", list(validity.splits_leave_out(facts, column)))
                    for column in ("kind", "source")
                ]
            for name, splits in plans:
                score = self._once(
                    {"task": "validity", "row": row.name, "data": data, "split": name},
                    f"validity ({name}), {row.name}",
                    ValidityScore,
                    lambda tell, r=row, s=splits: self._pooled(r, facts, s, tell),  # type: ignore[misc]
                )
                out.append(ValidityRow(row.name, name, score))
        return out

    def validity_rows(self) -> list[Row]:
        """The baselines, and ours: decay off, the keyword classes, the trained head."""
        head = PerishabilityHead.load(self.embedder.name)
        return [
            *standard_rows(self.embedder),
            Always(),
            Perishable("ours: trained head, as stored", head, self.embedder),
            HeadCurve("ours: trained head, its full curve", head, self.embedder),
        ]

    def _pooled(self, row: Row, facts: Facts, splits: Sequence[Split], tell: Progress | None) -> ValidityScore:
        tests: list[np.ndarray[Any, Any]] = []
        found: list[np.ndarray[Any, Any]] = []
        for number, split in enumerate(splits, 1):
            row.fit(facts.take(split.train))
            test = facts.take(split.test)
            found.append(row.predict(test, validity.examples(test)))
            tests.append(split.test)
            if tell is not None:
                tell(number, len(splits))
        test = facts.take(np.concatenate(tests))
        return validity.score(test, validity.examples(test), np.concatenate(found), draws=min(self._draws, 200))

    # -- updates

    def updates(
        self, systems: Sequence[Candidate], facts: Facts, data: str, *, seed: int = 0, asks: int = 1
    ) -> list[UpdateRow]:
        """Every system under the updates of these facts."""
        made = updates.make_updates(facts, seed=seed, asks=asks)
        return [
            UpdateRow(
                system.name, system.title,
                self._once(
                    {"task": "updates", "system": system.key, "data": data, "seed": seed, "asks": asks},
                    f"updates, {system.title}",
                    UpdateScore,
                    lambda tell, make=system.make: updates.evaluate(make, made, draws=self._draws, progress=tell),  # type: ignore[misc]
                ),
            )
            for system in systems
        ]  # fmt: skip

    # -- comparisons

    def against(
        self,
        tgt_systems: Sequence[Candidate],
        talks: Sequence[ConversationRow],
        changed: Sequence[UpdateRow],
        *,
        instances: int = 20,
    ) -> list[Difference]:
        """Ours minus each other system: combined accuracy on the TGT, R@5 on conversations, R@1 under updates."""
        out: list[Difference] = []
        per_tgt: dict[str, tuple[list[float], list[str]]] = {}
        benchmark = generate(instances=instances)
        for system in tgt_systems:
            runs = self.tgt_runs(system, [benchmark])
            outcomes = runs[0].outcomes if runs else ()
            per_tgt[system.name] = (
                [float(o.factual and o.staleness) for o in outcomes], [o.instance for o in outcomes]
            )  # fmt: skip
        own = [r for r in talks if r.score.scope == "conversation" and not r.date and not r.window]
        tables = {
            "TGT, combined": per_tgt,
            "conversations, R@5": {r.system: (list(r.score.per_question["R@5"]), list(r.score.clusters)) for r in own},
            "updates, R@1": {r.system: (list(r.score.top_right), list(r.score.clusters)) for r in changed},
        }
        for test, table in tables.items():
            if "ours" not in table:
                continue
            first, groups = table["ours"]
            out += [
                Difference(test, "ours", name, paired(first, values, groups, draws=self._draws))
                for name, (values, _) in table.items()
                if name != "ours"
            ]
        return out

    def ablate(
        self,
        mechanisms: Sequence[str],
        *,
        talks: str | Path | None,
        facts: Facts | None,
        data: str = "",
        benchmarks: bool = True,
        seeds: Sequence[int] = SEEDS,
        instances: int = 4,
    ) -> list[Difference]:
        """The full system minus itself without each mechanism, and without all of them where there are several.

        Tested on conversations where `talks` is given, on updates where `facts` are, and on the TGT unless
        `benchmarks` is False. The TGT is drawn anew for every seed, the updates are stored anew for two;
        conversations have nothing to draw.
        """
        for name in mechanisms:
            if name not in MECHANISMS:
                raise ArgumentError(f"ablate: {shown(name)} is no mechanism; known are {', '.join(MECHANISMS)}")
        sets = [(name,) for name in mechanisms] + ([tuple(mechanisms)] if len(mechanisms) > 1 else [])
        systems = [ours("ours", "ours", self.embedder, ablated(()))] + [
            ours("ours-" + "-".join(s), s[0] if len(s) == 1 else "all of them", self.embedder, ablated(s)) for s in sets
        ]
        drawn = [generate(seed, instances) for seed in seeds] if benchmarks else []
        values: dict[str, dict[str, tuple[list[float], list[str]]]] = {}
        for system in systems:
            outcomes = [o for run in self.tgt_runs(system, drawn) or [] for o in run.outcomes]
            if not outcomes:
                break
            values.setdefault("TGT, combined", {})[system.title] = (
                [float(o.factual and o.staleness) for o in outcomes], [f"{o.seed} {o.instance}" for o in outcomes]
            )  # fmt: skip
        if talks is not None:
            for row in self.conversations(systems, talks, scopes=("conversation",)):
                values.setdefault("conversations, R@5", {})[row.title] = (
                    list(row.score.per_question["R@5"]), list(row.score.clusters)
                )  # fmt: skip
        if facts is not None:
            for seed in range(min(2, len(seeds))):
                for changed in self.updates(systems, facts, data, seed=seed, asks=1):
                    table = values.setdefault("updates, R@1", {})
                    have, groups = table.setdefault(changed.title, ([], []))
                    have.extend(changed.score.top_right)
                    groups.extend(changed.score.clusters)
        return [
            Difference(test, "ours", title, paired(table["ours"][0], mine, groups, draws=self._draws))
            for test, table in values.items()
            for title, (mine, groups) in table.items()
            if title != "ours"
        ]


def _learned(system: Candidate, benchmark: Benchmark, session: float, tell: Progress | None) -> TgtRun:
    if system.learn is None:
        return run_tgt(system.make, benchmark, session=session, progress=tell)
    with system.learn(benchmark) as make:
        return run_tgt(make, benchmark, session=session, progress=tell)


PARTS: Final = ("tgt", "data")
"""The halves of a suite: the TGT with its ablation, and everything on real data."""
VALIDITY_FILES: Final = ("congress.jsonl", "endoflife.jsonl", "yago.jsonl")


def run_suite(
    suite: Suite,
    data: str | Path,
    *,
    systems: Sequence[str] = SYSTEMS,
    mechanisms: Sequence[str] = ("decay", "types", "competition", "when"),
    seeds: Sequence[int] = SEEDS,
    instances: int = 20,
    parts: Sequence[str] = PARTS,
) -> Report:
    """The three tests on the data folder (locomo/locomo-dev.json, validity/*.jsonl), the comparisons, the ablation.

    `parts` lets two processes share the work: what each stores, a last run over all parts reads.
    """
    folder = Path(data)
    talks, paths = folder / "locomo" / "locomo-dev.json", [folder / "validity" / name for name in VALIDITY_FILES]
    missing = [str(p) for p in (talks, *paths) if not p.is_file()]
    if missing:
        raise ArgumentError(f"data: {missing[0]} is missing; give the folder that holds locomo/ and validity/")
    tested = candidates(systems, suite.embedder)
    compared = [c for c in tested if c.learn is None]
    facts, name = validity.load_facts(paths), files_digest(paths)
    held_out = facts.take(validity.split_subjects(facts).test)

    def some(*names: str) -> list[Candidate]:
        return [c for c in compared if c.name in names]

    rows: list[TgtRow] = []
    spoken: list[ConversationRow] = []
    changed: list[UpdateRow] = []
    if "tgt" in parts:
        rows += suite.tgt(tested, instances=instances)
        fewer = [c for c in tested if c.name not in ("ours_keywords", "ours_global")]
        for unique_keys, cues in ((False, False), (True, True), (True, False)):
            rows += suite.tgt(fewer, unique_keys=unique_keys, cues=cues, instances=instances)
        rows += suite.tgt(
            some("ours", "ours_paper", "dense", "dense_recency", "zsum"), seeds=seeds, instances=instances
        )
        fitted = [c for c in compared if c.name != "ours_no_decay"]
        rows += suite.tgt(fitted, fit=True, instances=instances)
    if "data" in parts:
        spoken += suite.conversations(compared, talks, scopes=("conversation",))
        pooled = [c for c in compared if c.name not in ("ours_keywords", "ours_global")]
        spoken += suite.conversations(pooled, talks, scopes=("shared",))
        dated = some("ours", "bm25", "dense", "rrf", "zsum")
        spoken += suite.conversations(dated, talks, scopes=("conversation",), date=True)
        spoken += suite.conversations(
            some("bm25", "dense", "zsum"), talks, scopes=("conversation",), date=True, window=1
        )
        changed += suite.updates(compared, held_out, name)
    whole = set(PARTS) <= set(parts)
    return Report(
        FORMAT,
        suite.about({"conversations": files_digest([talks]), "validity": name}),
        tgt=tuple(rows),
        conversations=tuple(spoken),
        validity=tuple(suite.validity(facts, name)) if "data" in parts else (),
        updates=tuple(changed),
        against=tuple(suite.against(compared, spoken, changed, instances=instances)) if whole else (),
        ablation=tuple(
            suite.ablate(
                mechanisms,
                talks=talks if "data" in parts else None,
                facts=held_out if "data" in parts else None,
                data=name,
                benchmarks="tgt" in parts,
                seeds=seeds,
            )
        ),
    )
