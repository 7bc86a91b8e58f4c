"""The demo: its transcript, its questions, and the two answers that must never be wrong."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from tests.toys import WordHash
from typer.testing import CliRunner

import scrubjay
from scrubjay import commands, demo
from scrubjay.encode.perishability import KeywordRule
from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError

WEEK = 7 * 86400.0


def test_the_transcript_is_five_weeks_of_work() -> None:
    entries = demo.entries()
    times = [to_seconds(entry.when) for entry in entries]
    assert len(entries) >= 160
    assert times == sorted(times)
    assert 4 * WEEK < times[-1] - times[0] < 5 * WEEK
    assert max(Counter(entry.text for entry in entries).values()) == 1
    assert len({entry.context for entry in entries}) >= 10
    assert all(0 < len(entry.text) < 200 for entry in entries)


def test_every_question_has_its_answer_recorded() -> None:
    entries, questions = demo.entries(), demo.questions()
    assert len(questions) == 10
    times = [to_seconds(question.now) for question in questions]
    assert times == sorted(times)
    assert times[-1] - times[0] > 3 * WEEK
    for question in questions:
        known = [entry.text for entry in entries if to_seconds(entry.when) <= to_seconds(question.now)]
        assert sum(question.expect in text for text in known) == 1, question
        assert all(any(part in text for text in known) for part in question.not_above), question
        assert question.expect.lower() not in question.question.lower()


def replay(**options: Any) -> dict[str, demo.Answer]:
    clock = demo.Clock()
    with scrubjay.open(":memory:", clock=clock, **options) as store:
        return {answer.question.now[:10]: answer for answer in demo.replay(store, clock)}


@pytest.fixture(
    scope="module",
    params=[{}, {"perishability": KeywordRule()}, {"perishability": KeywordRule(), "scoring": "paper"}],
    ids=["default", "keywords", "keywords-paper"],
)
def answers(request: pytest.FixtureRequest) -> dict[str, demo.Answer]:
    return replay(**request.param)


def test_the_meeting_room_of_three_weeks_ago_falls_behind(answers: dict[str, demo.Answer]) -> None:
    answer = answers["2025-03-31"]
    assert "Plover" in answer.hits[0].memory.text
    assert answer.first
    assert answer.overtaken == []
    assert not any("room Kestrel from now on" in hit.memory.text for hit in answer.hits[:1])
    assert answer.hits[0].memory.when - to_seconds("2025-03-10T08:26Z") > 20 * 86400


def test_the_profession_does_not_fall_behind(answers: dict[str, demo.Answer]) -> None:
    answer = answers["2025-04-04"]
    assert answer.hits[0].memory.text.startswith("Mira Okafor leads the parcel team. She trained as a nurse")
    assert answer.hits[0].now - answer.hits[0].memory.when > 4 * WEEK
    assert answer.hits[0].valid > 0.5


def test_an_answer_is_judged_by_what_was_recorded() -> None:
    question = demo.Question(
        now="2025-03-09", question="room?", context=None, expect="new room", not_above=["old room"]
    )
    with scrubjay.open(":memory:", embedder=WordHash(), clock=demo.Clock(1e9)) as store:
        store.add_many(["new room", "old room", "another thing"])
        hits = store.search("new room")
        old_first = store.search("old room", weights={"what": 1.0})
        assert demo.judge(question, store.search("x", namespace="nobody"), 3, 2).first is False
    assert demo.judge(question, hits, 3, 2).first is True
    assert len(demo.judge(question, hits, 3, 2).hits) == 2
    assert demo.judge(question, old_first, 3, 2).first is False
    assert demo.judge(question, old_first, 3, 2).overtaken == ["old room"]


def test_the_demo_wants_a_store_of_its_own() -> None:
    clock = demo.Clock(1e9)
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as store:
        store.add("already here", namespace=demo.NAMESPACE)
        with pytest.raises(ArgumentError, match="not empty"):
            next(demo.replay(store, clock))


def test_the_command_prints_answers_with_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    shown = CliRunner().invoke(commands.app, ["demo"])
    assert shown.exit_code == 0
    assert shown.stdout.count("expected first") == 10
    assert all(sign in shown.stdout for sign in ("█ what", "▓ where", "▒ when", "valid ", "10 questions"))
    told = json.loads(CliRunner().invoke(commands.app, ["demo", "--json"]).stdout)
    assert told["right"] == sum(question["first"] for question in told["questions"])
    assert told["right"] == 10
    assert f"{told['right']} of 10" in shown.stdout
    assert told["memories"] == len(demo.entries())
