"""Retrieval on real conversations: the LoCoMo layout, for LoCoMo itself and for one's own chats.

A file is a list of conversations {"sample_id", "conversation": {"session_1": [{"speaker", "dia_id", "text",
"blip_caption"?}, ...], "session_1_date_time": "1:56 pm on 8 May, 2023", ...}, "qa": [{"question", "answer",
"evidence": ["D1:3", ...], "category"}, ...]}. A memory is one turn, "speaker: text [image caption]", at its session's
time. Relevant are the turns whose dia_id is in `evidence`, of the same conversation.

>>> parse_evidence(["D8:6; D9:17", "D:11:26", "D30:05", "D"])
['D8:6', 'D9:17', 'D11:26', 'D30:5']
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate import metrics
from scrubjay.evaluate.bootstrap import Interval, interval
from scrubjay.evaluate.systems import DAY, Factory, Item, System
from scrubjay.protocols import Progress

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
METRICS: Final = ("P@5", "R@5", "R@10", "MRR", "MRR@5", "NDCG@5")
EVIDENCE_RULE: Final = "D:?(\\d+):(\\d+), ids that name no turn dropped, questions without evidence left out"

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


class Turn(msgspec.Struct, frozen=True):
    """One turn of a conversation."""

    id: str
    text: str
    when: float
    session: int


class Question(msgspec.Struct, frozen=True):
    """A question with the rows of its relevant turns (within its conversation)."""

    text: str
    relevant: tuple[int, ...]
    category: int
    answer: str


class Conversation(msgspec.Struct, frozen=True):
    """A conversation's turns in order and its questions."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    dropped: int
    """Questions that were left out because no evidence of theirs names a turn."""


def turn_id(text: str) -> str | None:
    """The normal form of the first turn id in a text: "D:11:26" and "D11:026" are "D11:26"."""
    match = _EVIDENCE.search(text)
    return f"D{int(match[1])}:{int(match[2])}" if match else None


def parse_evidence(evidence: Sequence[str]) -> list[str]:
    """All turn ids of evidence strings in normal form, each once, in order."""
    found = [f"D{int(a)}:{int(b)}" for text in evidence for a, b in _EVIDENCE.findall(text)]
    return list(dict.fromkeys(found))


def _when(text: str, where: str) -> float:
    try:
        return datetime.strptime(text.strip(), _DATE).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        pass
    try:
        stamp = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError as error:
        raise ArgumentError(
            f'{where}: {shown(text)} is no date-time; give "1:56 pm on 8 May, 2023" or an ISO date-time'
        ) from error
    return (stamp if stamp.tzinfo else stamp.replace(tzinfo=timezone.utc)).timestamp()


def _text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [{caption}]" if caption else "")


def parse_conversation(sample: dict[str, Any], name: str) -> Conversation:
    """One conversation from its JSON value. Raises ArgumentError naming what is missing or no date."""
    try:
        raw = sample["conversation"]
        numbers = sorted(int(m[1]) for key in raw if (m := _SESSION.fullmatch(key)))
        turns: list[Turn] = []
        for number in numbers:
            when = _when(raw[f"session_{number}_date_time"], f"{name}, session_{number}_date_time")
            for turn in raw[f"session_{number}"]:
                key = turn_id(str(turn["dia_id"]))
                if key is None:
                    raise ArgumentError(f"{name}: {shown(turn['dia_id'])} is no turn id; give one like D1:3")
                turns.append(Turn(key, _text(turn), when, number))
        row = {turn.id: i for i, turn in reversed(list(enumerate(turns)))}
        questions: list[Question] = []
        for qa in sample["qa"]:
            relevant = tuple(sorted({row[e] for e in parse_evidence(qa.get("evidence", ())) if e in row}))
            answer = qa.get("answer", qa.get("adversarial_answer", ""))
            if relevant:
                questions.append(Question(str(qa["question"]), relevant, int(qa.get("category", 0)), str(answer)))
    except (KeyError, TypeError, AttributeError) as error:
        raise ArgumentError(f"{name}: not in the LoCoMo layout: {type(error).__name__} {error}") from error
    return Conversation(name, tuple(turns), tuple(questions), len(sample["qa"]) - len(questions))


def load_conversations(path: str | Path) -> list[Conversation]:
    """Read a file in the LoCoMo layout."""
    try:
        samples = msgspec.json.decode(Path(path).read_bytes())
    except ValueError as error:
        raise ArgumentError(f"{path}: no JSON: {error}") from error
    if not isinstance(samples, list):
        raise ArgumentError(f"{path}: the LoCoMo layout is a list of conversations")
    return [parse_conversation(s, str(s.get("sample_id", f"conversation {i}"))) for i, s in enumerate(samples)]


def items(conversation: Conversation, *, date: bool = False, window: int = 0) -> list[Item]:
    """Its turns as memories. `date` puts the session's date in front of the text; `window` joins that many turns before
    and after (of the same session) to it. Session and date are metadata too, as an importer gives them: a system may
    use them.
    """
    out: list[Item] = []
    turns = conversation.turns
    for i, turn in enumerate(turns):
        near = turns[max(0, i - window) : i + window + 1]
        text = " ".join(t.text for t in near if t.session == turn.session)
        if date:
            text = f"{datetime.fromtimestamp(turn.when, timezone.utc):%d %B %Y}: {text}"
        day = datetime.fromtimestamp(turn.when, timezone.utc)
        known = {"thread": f"{conversation.id} {turn.session}"} | ({} if date else {"date": f"{day.day} {day:%B %Y}"})
        out.append(Item(text, turn.when, metadata=known))
    return out


# ---- the run ---------------------------------------------------------------------------------------------------------


class ConversationScore(msgspec.Struct, frozen=True):
    """Retrieval quality over questions; intervals by bootstrap over conversations."""

    system: str
    scope: str
    n: int
    dropped: int
    pool: int
    """Memories that a question is searched in (the mean where each conversation has its own)."""
    overall: dict[str, Interval]
    by_category: dict[str, dict[str, float]]
    milliseconds: float
    """Mean time of a search for ten hits; embedding counts as far as it is not cached (of this machine)."""
    per_question: dict[str, tuple[float, ...]] = {}
    """Metric values per question, in the order of the file (for paired tests)."""
    clusters: tuple[str, ...] = ()
    """Conversation of each question."""


def question_metrics(ranks: Sequence[int], n_relevant: int) -> dict[str, float]:
    """The six metrics of one question from the 1-based ranks of its relevant turns."""
    return {
        "P@5": metrics.precision_at(ranks, 5),
        "R@5": metrics.recall_at(ranks, n_relevant, 5),
        "R@10": metrics.recall_at(ranks, n_relevant, 10),
        "MRR": metrics.reciprocal_rank(ranks),
        "MRR@5": metrics.reciprocal_rank(ranks, 5),
        "NDCG@5": metrics.ndcg_at(ranks, n_relevant, 5),
    }


def _ask(
    system: System, conversation: Conversation, offset: int, size: int, now: float
) -> list[tuple[int, dict[str, float]]]:
    texts = [q.text for q in conversation.questions]
    out: list[tuple[int, dict[str, float]]] = []
    rankings = system.rank(texts, [now] * len(texts), size)
    for question, ranking in zip(conversation.questions, rankings, strict=True):
        place = {int(row): i + 1 for i, row in enumerate(ranking.rows)}
        ranks = [place[row + offset] for row in question.relevant if row + offset in place]
        out.append((question.category, question_metrics(ranks, len(question.relevant))))
    return out


def evaluate(
    factory: Factory,
    conversations: Sequence[Conversation],
    *,
    scope: str = "conversation",
    date: bool = False,
    window: int = 0,
    draws: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
) -> ConversationScore:
    """Ingest and ask. Scope "conversation": a fresh system each; "shared": one pool of all turns.

    Every question is asked one day after the last turn of its conversation (in the shared pool: of all), and the full
    ranking is used, so that MRR has no cut.
    """
    if scope not in ("conversation", "shared"):
        raise ArgumentError(f'scope: {shown(scope)} is unknown; give "conversation" or "shared"')
    pools = [items(c, date=date, window=window) for c in conversations]
    rows: list[tuple[int, dict[str, float]]] = []
    groups: list[str] = []
    spent = 0.0
    system = factory()
    shared = scope == "shared"
    last = max((item.when for pool in pools for item in pool), default=0.0)
    if shared:
        system.ingest([item for pool in pools for item in pool])
    offset, sizes = 0, []
    for i, (conversation, pool) in enumerate(zip(conversations, pools, strict=True)):
        if not shared:
            if i:
                system.close()
                system = factory()
            system.ingest(pool)
            last = max((item.when for item in pool), default=0.0)
        size = sum(map(len, pools)) if shared else len(pool)
        rows += _ask(system, conversation, offset if shared else 0, size, last + DAY)
        begin = time.perf_counter()
        system.rank([q.text for q in conversation.questions], [last + DAY] * len(conversation.questions), 10)
        spent += time.perf_counter() - begin
        groups += [conversation.id] * len(conversation.questions)
        sizes.append(size)
        offset += len(pool)
        if progress is not None:
            progress(i + 1, len(conversations))
    system.close()
    if not rows:
        raise ArgumentError("conversations: no question has evidence that names a turn")
    values = {m: [row[m] for _, row in rows] for m in METRICS}
    return ConversationScore(
        system=system.name,
        scope=scope,
        n=len(rows),
        dropped=sum(c.dropped for c in conversations),
        pool=round(float(np.mean(sizes))),
        overall={m: interval(values[m], groups, draws=draws, seed=seed) for m in METRICS},
        by_category=_by_category(rows),
        milliseconds=1000.0 * spent / len(rows),
        per_question={m: tuple(v) for m, v in values.items()},
        clusters=tuple(groups),
    )


def _by_category(rows: Sequence[tuple[int, dict[str, float]]]) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for category in sorted({c for c, _ in rows}):
        mine = [row for c, row in rows if c == category]
        out[CATEGORIES.get(category, f"category {category}")] = {
            "n": float(len(mine)),
            **{m: float(np.mean([r[m] for r in mine])) for m in METRICS},
        }
    return out
