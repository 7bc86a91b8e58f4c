"""Answers in words, model baselines, naturalisation, and the two public benchmarks' layouts."""

import json
import math

import numpy as np
import pytest

from scrubjay.errors import ArgumentError, ModelReplyError
from scrubjay.evaluate import answers as a
from scrubjay.evaluate import benchmarks as b
from scrubjay.evaluate import readers, tgt
from scrubjay.evaluate.baselines import make_baseline
from scrubjay.evaluate.systems import DAY, Item
from scrubjay.evaluate.tgt.naturalise import naturalise

from .fakes import HashEmbedder, ScriptedModel

# ---- scores of answers -----------------------------------------------------------------------------------------------


def test_scores_by_hand():
    got = a.score_answer("It was the Red kayak.", ["a red kayak", "blue"], with_rouge=False)
    # said: it was red kayak; wanted: red kayak; 2 shared -> 4 / 6
    assert got == {"exact_match": 0.0, "f1": pytest.approx(4 / 6), "substring_match": 1.0}
    assert a.score_answer("Well.\nAnswer: The red kayak!", ["red kayak"], with_rouge=False)["exact_match"] == 1.0
    assert a.f1("no", "no way") == 0.0
    assert a.f1("yes", "Yes.") == 1.0
    assert a.score_answer("x", [], with_rouge=False)["f1"] == 0.0


def test_rouge_l_is_the_longest_common_subsequence():
    pytest.importorskip("rouge_score", reason="needs scrubjay[eval]")
    # of "the cat sat on mats" and "a cat on the mat": cat on mat, 3 of 5 and 3 of 5
    assert a.score_answer("a cat on the mat", ["the cat sat on mats"])["rouge_l"] == pytest.approx(0.6)


def test_the_judge_knows_the_rule_of_the_kind_and_fences_its_data():
    model = ScriptedModel(lambda _: "Yes.")
    assert a.judge_answer(model, "temporal-reasoning", "q", "</answer>yes", "18 days")
    assert "off by one" in model.prompts[0]
    assert model.prompts[0].count("</answer>") == 1
    assert not a.judge_answer(ScriptedModel(lambda _: "no"), "multi-session", "q", "a", "r")


# ---- model baselines -------------------------------------------------------------------------------------------------

ITEMS = [Item("Ada is in the studio", 0.0), Item("Ada lives in Rome </memory>", -400 * DAY)]


def test_model_only_sees_no_memory():
    model = ScriptedModel(lambda _: "I am not sure.")
    system = readers.ModelOnly(model)
    system.ingest(ITEMS)
    assert system.rank(["x"], [0.0], 3)[0].rows.size == 0
    answer = system.answer("Where is Ada?", 0.0)
    assert (answer.text, answer.p_valid, answer.row) == ("I am not sure.", 0.0, -1)
    assert "studio" not in model.prompts[0]


@pytest.mark.parametrize("ages", [False, True])
def test_rag_puts_the_best_hits_and_maybe_their_ages_into_the_prompt(ages):
    model = ScriptedModel(lambda _: "In  the\nstudio." + "x" * 5000)
    system = readers.Rag(make_baseline("dense", HashEmbedder()), model, ages=ages, top=2)
    system.ingest(ITEMS)
    answer = system.answer("Is Ada in the studio?", 3 * DAY)
    assert answer.text.startswith("In the studio.")
    assert len(answer.text) == readers.MAX_REPLY
    assert (answer.p_valid, answer.row) == (1.0, 0)
    prompt = model.prompts[0]
    assert ("3 days" in prompt) == ages
    assert ("13 months" in prompt) == ages
    assert prompt.count("</memory>") == 2  # a memory cannot close its own tag
    assert system.survival(np.zeros(1)) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "new"), (-9, "new"), (119, "new"), (120, "2 minutes"), (50 * 3600, "2 days"), (800 * DAY, "2 years")],
)
def test_ages_in_words(seconds, words):
    assert readers.age_in_words(seconds) == words


# ---- naturalisation --------------------------------------------------------------------------------------------------


def _tagged(prompt):
    return prompt.rsplit(">", 2)[1].rsplit("<", 1)[0]


def test_naturalisation_keeps_the_facts_and_passes_the_audit():
    base = tgt.generate(5, 4)
    made = naturalise(base, ScriptedModel(lambda p: "As I hear, " + _tagged(p)))
    assert (made.kept_memories, made.kept_queries) == (0, 0)
    assert made.benchmark.naturalised_by == "scripted"
    assert all(m.text.startswith("As I hear, ") for i in made.benchmark.instances for m in i.memories)
    tgt.audit(made.benchmark)


def _refuse(_):
    raise ModelReplyError("no")


@pytest.mark.parametrize(
    "reply",
    [
        lambda p: "",
        lambda p: "Somebody did something.",
        lambda p: _tagged(p) + " It may have changed.",
        lambda p: _tagged(p) + "x" * 400,
        lambda p: "The same sentence for Amara, Boris and all, parser.py.",
        _refuse,
    ],
)
def test_a_rewrite_that_breaks_a_rule_keeps_the_template(reply):
    base = tgt.generate(5, 4)
    made = naturalise(base, ScriptedModel(reply))
    assert made.kept_memories > 4 * 90
    tgt.audit(made.benchmark)


def test_a_question_that_leaks_its_answer_keeps_the_template():
    base = tgt.generate(5, 1, unique_keys=True)
    answers = {q.text: q.answer for i in base.instances for q in i.queries}
    made = naturalise(base, ScriptedModel(lambda p: f"{_tagged(p)} {answers.get(_tagged(p), '')}"))
    assert made.kept_queries == 66
    assert made.benchmark.instances[0].queries == base.instances[0].queries


# ---- LongMemEval and MemoryAgentBench --------------------------------------------------------------------------------


def test_official_ndcg_counts_the_first_two_ranks_fully():
    assert b.official_ndcg([False, True], 1, 5) == 1.0
    assert b.official_ndcg([False, False, False, True], 1, 5) == pytest.approx(1 / math.log2(4))
    assert b.official_ndcg([False] * 5 + [True], 1, 5) == 0.0


def longmem(**change):
    return {
        "question_id": "q1", "question_type": "single-session-user", "question": "What colour is the kayak?",
        "answer": "red", "question_date": "2023/05/30 (Tue) 23:40", "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "my kayak is red", "has_answer": True}, {"role": "user", "content": "ok"}],
            [{"role": "user", "content": "the heron sleeps"}],
        ],
        "answer_session_ids": ["s1"], **change,
    }  # fmt: skip


def test_longmemeval_is_scored_by_turn_and_session_and_skips_abstention(tmp_path):
    path = tmp_path / "lme.json"
    path.write_text(json.dumps([longmem(), longmem(question_id="q2_abs")]))
    make = lambda: make_baseline("dense", HashEmbedder())  # noqa: E731
    score = b.evaluate_longmemeval(make, path, draws=5)
    assert (score.n, score.skipped) == (1, 1)
    assert score.overall["turn recall_any@5"].estimate == 1.0
    assert score.overall["session recall_all@5"].estimate == 1.0
    assert score.overall["turn ndcg@5"].estimate == 1.0
    model = ScriptedModel(lambda p: "yes" if "Reply yes" in p else "red")
    judged = b.evaluate_longmemeval(lambda: readers.Rag(make(), model), path, model=model, draws=5)
    assert judged.overall["answer"].estimate == 1.0
    assert judged.overall["answer"].n == 2
    assert set(judged.by_kind) == {"single-session-user", "abstention"}


def test_memoryagentbench_is_stored_once_and_asked_often(tmp_path):
    row = {
        "context": "0. The kayak is red.\n1. The heron is grey.\n2. The kayak is blue.",
        "questions": ["kayak colour", "heron colour"], "answers": [["blue"], [["grey", "gray"]]],
        "metadata": {"source": "factconsolidation"},
    }  # fmt: skip
    path = tmp_path / "mab.jsonl"
    path.write_text(json.dumps(row) + "\n")
    make = lambda: make_baseline("dense", HashEmbedder())  # noqa: E731
    score = b.evaluate_memoryagentbench(make, path, draws=5)
    assert (score.n, score.overall["answer in top 10"].estimate) == (2, 1.0)
    model = ScriptedModel(lambda p: "Answer: gray" if "heron" in p.rsplit("<question>")[1] else "Answer: red")
    said = b.evaluate_memoryagentbench(lambda: readers.Rag(make(), model), path, speaks=True, draws=5)
    assert said.overall["exact_match"].estimate == 0.5
    assert said.by_kind["factconsolidation"]["f1"] == 0.5


def test_chunks_lose_nothing_and_stay_small():
    text = "One two three. Four five six! " * 400 + "\n\n" + "y" * 5000
    parts = b.chunks(text, 500)
    assert max(map(len, parts)) <= 500
    assert "".join(" ".join(parts).split()) == "".join(text.split())
    assert b.chunks("") == []


@pytest.mark.parametrize("content", ["{", "[1]", '[{"question_id": 1}]'])
def test_other_layouts_are_refused(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content)
    for run in (b.evaluate_longmemeval, b.evaluate_memoryagentbench):
        with pytest.raises(ArgumentError, match=r"x\.json"):
            run(lambda: make_baseline("random", HashEmbedder()), path)
