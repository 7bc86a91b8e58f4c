"""Files of two public benchmarks that a user supplies: LongMemEval and MemoryAgentBench (neither is shipped).

LongMemEval: a list of {"question_id", "question_type", "question", "answer", "question_date", "haystack_dates",
"haystack_session_ids", "haystack_sessions": [[{"role", "content", "has_answer"?}, ...], ...], "answer_session_ids"}.
Retrieval is scored as its own code does: recall_any@k, recall_all@k and NDCG@k over turns and over sessions, without
the questions whose id holds "_abs".

MemoryAgentBench: JSON or JSONL of {"context", "questions": [...], "answers": [[...], ...], "metadata": {"source"}}. A
context is cut into chunks in order; without a model the score is whether an answer stands in the k best chunks, with
one it is `answers.score_answer` of the model's answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate.answers import judge_answer, score_answer, substring_match
from scrubjay.evaluate.bootstrap import Interval, interval
from scrubjay.evaluate.systems import Factory, Item
from scrubjay.protocols import LanguageModel, Progress

CUTS: Final = (5, 10)
CHUNK: Final = 2000
"""Characters of a MemoryAgentBench chunk, about 512 tokens."""


class BenchmarkScore(msgspec.Struct, frozen=True):
    """Mean of each metric with its interval, and by kind of question."""

    benchmark: str
    system: str
    n: int
    skipped: int
    overall: dict[str, Interval]
    by_kind: dict[str, dict[str, float]]


def _read(path: str | Path) -> list[dict[str, Any]]:
    data = Path(path).read_bytes()
    try:
        rows = (
            msgspec.json.decode(data)
            if data.lstrip()[:1] == b"["
            else [msgspec.json.decode(x) for x in data.splitlines() if x.strip()]
        )
    except ValueError as error:
        raise ArgumentError(f"{path}: neither JSON nor JSONL: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ArgumentError(f"{path}: a list of objects is needed")
    return rows


def _collect(
    name: str, system: str, rows: Sequence[tuple[str, str, dict[str, float]]], skipped: int, draws: int
) -> BenchmarkScore:
    """From (group, kind, metrics) of each question."""
    if not rows:
        raise ArgumentError(f"{name}: no question to score")
    names = list(dict.fromkeys(m for _, _, row in rows for m in row))
    having = {m: [(g, row[m]) for g, _, row in rows if m in row] for m in names}
    kinds = sorted({kind for _, kind, _ in rows})
    return BenchmarkScore(
        benchmark=name,
        system=system,
        n=len(rows),
        skipped=skipped,
        overall={m: interval([v for _, v in vs], [g for g, _ in vs], draws=draws) for m, vs in having.items()},
        by_kind={
            k: {
                m: float(np.mean([row[m] for _, kind, row in rows if kind == k and m in row] or [math.nan]))
                for m in names
            }
            for k in kinds
        },
    )


# ---- LongMemEval -----------------------------------------------------------------------------------------------------


def _stamp(text: str) -> float:
    """ "2023/05/20 (Sat) 02:21" """
    match = re.match(r"(\d{4})/(\d{2})/(\d{2})\D+(\d{2}):(\d{2})", text)
    if match is None:
        raise ArgumentError(f'{shown(text)} is no LongMemEval date; give one like "2023/05/20 (Sat) 02:21"')
    year, month, day, hour, minute = map(int, match.groups())
    return datetime(year, month, day, hour, minute, tzinfo=timezone.utc).timestamp()


def official_ndcg(ranked: Sequence[bool], relevant: int, k: int) -> float:
    """NDCG as LongMemEval computes it: the first two ranks count fully, rank i >= 2 is discounted by log2(i)."""

    def dcg(flags: Sequence[bool]) -> float:
        return sum(float(f) / (1.0 if i < 2 else math.log2(i)) for i, f in enumerate(flags[:k], 1))

    best = dcg([True] * min(relevant, k))
    return dcg(ranked) / best if best > 0 else 0.0


def retrieval_scores(found: Sequence[str], correct: set[str], label: str) -> dict[str, float]:
    """recall_any, recall_all and NDCG at each cut; `found` are ids in ranked order, `correct` the ids with evidence."""
    out: dict[str, float] = {}
    for k in CUTS:
        top = set(found[:k])
        out[f"{label} recall_any@{k}"] = float(bool(correct & top))
        out[f"{label} recall_all@{k}"] = float(correct <= top)
        out[f"{label} ndcg@{k}"] = official_ndcg([f in correct for f in found], len(correct), k)
    return out


def evaluate_longmemeval(
    factory: Factory,
    path: str | Path,
    *,
    model: LanguageModel | None = None,
    draws: int = 2000,
    progress: Progress | None = None,
) -> BenchmarkScore:
    """Each question has its own haystack and gets a fresh system; one memory a turn. With a model (and a system that
    answers through one) the answers are judged too."""
    samples = _read(path)
    rows: list[tuple[str, str, dict[str, float]]] = []
    name, skipped = "", 0
    for number, sample in enumerate(samples, 1):
        try:
            key, kind, question = str(sample["question_id"]), str(sample["question_type"]), str(sample["question"])
            turns = [
                (
                    f"{session}",
                    f"{session}_{i}",
                    bool(turn.get("has_answer")),
                    f"{turn['role']}: {turn['content']}",
                    date,
                )
                for session, date, talk in zip(
                    sample["haystack_session_ids"], sample["haystack_dates"], sample["haystack_sessions"], strict=True
                )
                for i, turn in enumerate(talk, 1)
            ]
            now, answer = _stamp(sample["question_date"]), str(sample["answer"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ArgumentError(
                f"{path}, entry {number}: not in LongMemEval's layout: {type(error).__name__}: {error}"
            ) from error
        system = factory()
        name = system.name
        system.ingest([Item(text, _stamp(date)) for _, _, _, text, date in turns])
        (ranking,) = system.rank([question], [now], len(turns))
        row: dict[str, float] = {}
        abstain = "_abs" in key
        good = {turn for _, turn, has, _, _ in turns if has}
        if not abstain and good:
            order = [turns[int(r)] for r in ranking.rows]
            row |= retrieval_scores([turn for _, turn, *_ in order], good, "turn")
            sessions = list(dict.fromkeys(session for session, *_ in order))
            row |= retrieval_scores(sessions, {str(s) for s in sample["answer_session_ids"]}, "session")
        if model is not None:
            said = system.answer(question, now, ranking).text
            row["answer"] = float(judge_answer(model, "abstention" if abstain else kind, question, said, answer))
        system.close()
        if row:
            rows.append((key, "abstention" if abstain else kind, row))
        else:
            skipped += 1
        if progress is not None:
            progress(number, len(samples))
    return _collect("LongMemEval", name, rows, skipped, draws)


# ---- MemoryAgentBench ------------------------------------------------------------------------------------------------


def chunks(context: str, size: int = CHUNK) -> list[str]:
    """A context in pieces of at most `size` characters, cut at lines, else at sentences, else at the size. Numbered
    facts ("12. The capital of ...") stay one each: they supersede one another.

    >>> chunks("0. A is B.\\n1. A is C.")
    ['0. A is B.', '1. A is C.']
    """
    lines = [line.strip() for line in context.splitlines() if line.strip()]
    if lines and sum(bool(re.match(r"\d+\. ", line)) for line in lines) > 0.8 * len(lines):
        return lines
    pieces = [p for line in lines for p in re.split(r"(?<=[.!?])\s+", line)]
    pieces = [p[i : i + size] for p in pieces for i in range(0, len(p), size)]
    out: list[str] = []
    for piece in pieces:
        if out and len(out[-1]) + 1 + len(piece) <= size:
            out[-1] += " " + piece
        else:
            out.append(piece)
    return out


def _references(answers: Any) -> list[str]:
    if isinstance(answers, str):
        return [answers]
    return [text for answer in answers for text in _references(answer)]


def evaluate_memoryagentbench(
    factory: Factory,
    path: str | Path,
    *,
    speaks: bool = False,
    k: int = 10,
    draws: int = 2000,
    progress: Progress | None = None,
) -> BenchmarkScore:
    """Each context is stored once, chunk by chunk a minute apart, and asked many times. `speaks` says that the system
    answers through a model, so that its answers are scored as answers."""
    samples = _read(path)
    rows: list[tuple[str, str, dict[str, float]]] = []
    name = ""
    for number, sample in enumerate(samples, 1):
        try:
            context, questions = str(sample["context"]), [str(q) for q in sample["questions"]]
            answers = [_references(a) for a in sample["answers"]]
            source = str((sample.get("metadata") or {}).get("source", "all"))
            pairs = list(zip(questions, answers, strict=True))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ArgumentError(
                f"{path}, entry {number}: not in MemoryAgentBench's layout: {type(error).__name__}: {error}"
            ) from error
        parts = chunks(context)
        system = factory()
        name = system.name
        system.ingest([Item(text, 60.0 * i) for i, text in enumerate(parts)])
        now = 60.0 * len(parts)
        rankings = system.rank(questions, [now] * len(questions), k)
        for (question, references), ranking in zip(pairs, rankings, strict=True):
            found = " ".join(parts[int(r)] for r in ranking.rows)
            row = {f"answer in top {k}": max((substring_match(found, r) for r in references), default=0.0)}
            if speaks:
                row |= score_answer(system.answer(question, now, ranking).text, references)
            rows.append((f"{number}", source, row))
        system.close()
        if progress is not None:
            progress(number, len(samples))
    return _collect("MemoryAgentBench", name, rows, 0, draws)
