"""Validity of real facts, prediction (RVT-P): facts with a start and an end, examples, splits and scores.

A fact is a line of JSON: {"src", "kind", "subj", "attr", "value", "text", "start", "end", "censor"}, dates ISO
(YYYY-MM-DD), end null where the fact still held at censor. `kind` groups results and feeds the oracle rows only: a
predictor sees the text. An example is (fact, delay d); its label is "still valid at start + d". Examples with
start + d > censor are dropped whatever became of the fact: keeping those whose end is known would keep expired facts
only, and shift every probability.

>>> facts = from_rows([
...     {"src": "s", "kind": "k", "subj": "Ada", "attr": "city", "value": "Rome", "text": "Ada lives in Rome.",
...      "start": "2020-01-01", "end": "2020-02-01", "censor": "2021-01-01"},
... ])
>>> ex = examples(facts, delays=(7, 30, 90, 730))
>>> ex.delay.tolist(), ex.valid.tolist()
([7, 30, 90], [True, True, False])
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate import metrics
from scrubjay.evaluate.bootstrap import Interval, Statistic, codes, statistic_interval

DELAYS: Final = (7, 30, 90, 365, 730, 1825)
"""Delays of the examples, in days."""
TEST_SHARE: Final = 0.3
"""Share of the subjects that are held out for the test."""


class FactRow(msgspec.Struct, frozen=True):
    """One line of a dataset."""

    src: str
    kind: str
    subj: str
    attr: str
    value: str
    text: str
    start: str
    end: str | None
    censor: str


@dataclass(frozen=True)
class Facts:
    """Facts as columns; dates are days since 1970-01-01, `end` is meaningful where `ended`."""

    source: NDArray[np.object_]
    kind: NDArray[np.object_]
    subject: NDArray[np.object_]
    attribute: NDArray[np.object_]
    value: NDArray[np.object_]
    text: NDArray[np.object_]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    ended: NDArray[np.bool_]
    censor: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.start.size)

    def take(self, rows: ArrayLike) -> Facts:
        """The facts of these rows (numbers or a mask)."""
        index = np.asarray(rows)
        return Facts(**{name: getattr(self, name)[index] for name in Facts.__dataclass_fields__})

    @property
    def observed_days(self) -> NDArray[np.float64]:
        """Days from the start to the end, or to the censoring: the duration of survival analysis, >= 0."""
        return np.maximum(np.where(self.ended, self.end, self.censor) - self.start, 0).astype(np.float64)

    def valid_at(self, day: ArrayLike) -> NDArray[np.bool_]:
        """Started and not ended at the day (days since 1970); the day of the end no longer counts."""
        days = np.asarray(day, np.int64)
        return (self.start <= days) & (~self.ended | (self.end > days))


def _day(text: str) -> int:
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        raise ValueError(f"{text!r} is no date of the form YYYY-MM-DD")
    return int(np.datetime64(text, "D").astype(np.int64))


def from_rows(rows: Iterable[Mapping[str, Any] | FactRow], *, where: str = "rows") -> Facts:
    """Facts from parsed rows. Raises ArgumentError naming the row for a missing field, a bad date, or end < start."""
    parsed: list[FactRow] = []
    dates: list[tuple[int, int, bool, int]] = []
    for number, row in enumerate(rows, 1):
        try:
            fact = row if isinstance(row, FactRow) else msgspec.convert(row, FactRow)
            start, censor = _day(fact.start), _day(fact.censor)
            end = _day(fact.end) if fact.end is not None else 0
            if fact.end is not None and end < start:
                raise ValueError(f"it ends on {fact.end}, before its start on {fact.start}")
        except ValueError as error:
            raise ArgumentError(f"{where}, row {number}: {error}") from error
        parsed.append(fact)
        dates.append((start, end, fact.end is not None, censor))

    def text(field: str) -> NDArray[np.object_]:
        return np.array([getattr(f, field) for f in parsed], dtype=object)

    columns = np.array(dates, np.int64).reshape(-1, 4)
    return Facts(
        source=text("src"), kind=text("kind"), subject=text("subj"), attribute=text("attr"), value=text("value"),
        text=text("text"), start=columns[:, 0], end=columns[:, 1], ended=columns[:, 2].astype(bool),
        censor=columns[:, 3],
    )  # fmt: skip


def load_facts(paths: Sequence[str | Path]) -> Facts:
    """Read JSONL files of facts, in the order given.

    Raises ArgumentError naming file and line for a line that is no fact.
    """
    decoder = msgspec.json.Decoder(FactRow)
    rows: list[FactRow] = []
    for path in paths:
        with open(path, "rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    rows.append(decoder.decode(line))
                except ValueError as error:
                    raise ArgumentError(f"{path}, line {number}: {error}") from error
    return from_rows(rows, where=", ".join(str(p) for p in paths))


# ---- examples and splits ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Examples:
    """(fact, delay, label) as columns; `fact` holds row numbers of the facts they were made from."""

    fact: NDArray[np.int64]
    delay: NDArray[np.int64]
    valid: NDArray[np.bool_]

    def __len__(self) -> int:
        return int(self.fact.size)

    def take(self, rows: ArrayLike) -> Examples:
        """The examples of these rows (numbers or a mask)."""
        index = np.asarray(rows)
        return Examples(self.fact[index], self.delay[index], self.valid[index])


def examples(facts: Facts, delays: Sequence[int] = DELAYS) -> Examples:
    """Every fact at every delay (days), by fact and then by delay, without those beyond the fact's censoring."""
    grid = np.asarray(delays, np.int64)[None, :]
    due = facts.start[:, None] + grid
    seen = due <= facts.censor[:, None]
    valid = ~facts.ended[:, None] | (facts.end[:, None] > due)
    fact, delay = np.nonzero(seen)
    return Examples(fact.astype(np.int64), grid[0, delay], valid[fact, delay])


def subject_key(subject: str) -> str:
    """What counts as one subject when splitting: compatibility form, case and spaces folded."""
    return " ".join(unicodedata.normalize("NFKC", subject).casefold().split())


@dataclass(frozen=True)
class Split:
    """Row numbers of the facts to train on and to test on."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    name: str = "subjects"


def _held_out(facts: Facts, seed: int, share: float) -> NDArray[np.bool_]:
    def draw(subject: str) -> float:
        digest = hashlib.sha256(f"{seed}:{subject_key(subject)}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2.0**64

    subjects, group = np.unique(facts.subject, return_inverse=True)
    return np.array([draw(str(s)) < share for s in subjects], bool)[group]


def split_subjects(facts: Facts, *, seed: int = 0, share: float = TEST_SHARE) -> Split:
    """Hold out subjects: all facts of a subject, of whatever source, are on the same side. A subject's side depends on
    its name and the seed alone, so it stays when facts are added."""
    test = _held_out(facts, seed, share)
    return Split(np.flatnonzero(~test), np.flatnonzero(test))


def splits_leave_out(facts: Facts, column: str, *, seed: int = 0, share: float = TEST_SHARE) -> Iterator[Split]:
    """For each value of `column` ("kind" or "source"): train without it on the train subjects, test on it alone on the
    test subjects. Pooling the tests of all splits gives one row over the same test facts as `split_subjects`."""
    if column not in ("kind", "source"):
        raise ArgumentError(f'column: {shown(column)} cannot be left out; give "kind" or "source"')
    values = getattr(facts, column)
    test = _held_out(facts, seed, share)
    for value in np.unique(values):
        one = values == value
        yield Split(np.flatnonzero(~test & ~one), np.flatnonzero(test & one), f"without {column} {value}")


# ---- scores ----------------------------------------------------------------------------------------------------------


class Predictor(Protocol):
    """Texts and ages to probabilities."""

    def predict(self, texts: Sequence[str], delays_days: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(still valid at the delay) for each pair of text and delay, in [0, 1]. Texts repeat."""
        ...


class ValidityScore(msgspec.Struct, frozen=True):
    """How good predictions of validity are; intervals by bootstrap over subjects."""

    n: int
    subjects: int
    valid_share: float
    brier: Interval
    log_loss: Interval
    ece: Interval
    auroc: Interval
    """Pooled over delays: mostly the delay itself."""
    auroc_within: Interval
    """Within a delay, weighted by examples: what the predictor knows of the fact."""
    reliability: tuple[metrics.Bin, ...]
    """Ten equal-count bins: weight, mean prediction, share that was valid."""
    by_kind: dict[str, dict[str, float]]
    """Examples, Brier and AUROC within a delay by kind of fact."""


def score(facts: Facts, ex: Examples, p: ArrayLike, *, draws: int = 200, seed: int = 0) -> ValidityScore:
    """Score predictions for examples of these facts. `draws` bootstrap draws of subjects (0: no intervals)."""
    cases = metrics.Cases(ex.valid, p, ex.delay)
    names, number = np.unique(facts.subject, return_inverse=True)
    keys = codes([subject_key(str(name)) for name in names])[number[ex.fact]].tolist()

    def of(statistic: Statistic) -> Interval:
        return statistic_interval(statistic, keys, draws=draws, seed=seed)

    return ValidityScore(
        n=len(ex),
        subjects=len(set(keys)),
        valid_share=float(ex.valid.mean()) if len(ex) else float("nan"),
        brier=of(cases.brier),
        log_loss=of(cases.log_loss),
        ece=of(cases.ece),
        auroc=of(cases.auroc),
        auroc_within=of(cases.auroc_within),
        reliability=tuple(cases.reliability()),
        by_kind=_by_kind(facts, ex, cases),
    )


def _by_kind(facts: Facts, ex: Examples, cases: metrics.Cases) -> dict[str, dict[str, float]]:
    kinds = facts.kind[ex.fact]
    out: dict[str, dict[str, float]] = {}
    for kind in np.unique(kinds):
        mine = (kinds == kind).astype(np.float64)
        out[str(kind)] = {
            "n": float(mine.sum()),
            "brier": cases.brier(mine),
            "auroc_within": cases.auroc_within(mine),
        }
    return out


def evaluate(
    predictor: Predictor, facts: Facts, split: Split, *, delays: Sequence[int] = DELAYS, draws: int = 200, seed: int = 0
) -> ValidityScore:
    """Score a predictor (already trained on `split.train`) on the test facts of a split."""
    test = facts.take(split.test)
    ex = examples(test, delays)
    p = predictor.predict([str(t) for t in test.text[ex.fact]], ex.delay.astype(np.float64))
    return score(test, ex, p, draws=draws, seed=seed)
