"""Whether a memory answers: the shipped model on written worlds that it has not seen, and its bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import ArgumentError
from scrubjay.evaluate.metrics import auroc
from scrubjay.recall.answer_features import ASKED, FEATURES, PAIR, TOLD, asked_by, features
from scrubjay.recall.answers import WINDOW, AnswerModel, handed_on, shares_of
from scrubjay.recall.asking import unnamed
from scrubjay.training.answers import load_worlds
from toys import Clock, WordHash

NOW = 1.7e9
SEALED = Path(__file__).parents[2] / "bench" / "asked.jsonl"
ENCODER = UniversalEncoder()
TEXTS = ["Ada rents a flat in Porto.", "Ada's boss is Tom Reyes.", "The printer is on floor 3."]


def model() -> AnswerModel:
    found = AnswerModel.load(ENCODER.name)
    assert found is not None
    return found


def query(text: str):
    bare = unnamed(text)
    vectors = ENCODER.embed([text, bare or text])
    return asked_by(text, vectors[0], vectors[1] if bare else None)


def test_unseen_worlds_have_their_answers_first_and_their_gaps_told():
    worlds = load_worlds(SEALED)[:3]
    first, alike, there, told = [], [], [], []
    for world in worlds:
        texts = [fact.text for fact in world.facts]
        vectors = ENCODER.embed(texts)
        questions = [(ask, i) for i, fact in enumerate(world.facts) for ask in fact.asks[:1]]
        for text, answer in [*questions, *((ask, -1) for ask in world.unanswered)]:
            asked = query(text)
            cosine = vectors @ asked.vector
            near = np.argsort(-cosine, kind="stable")[:WINDOW]
            share = model().shares(asked, [texts[i] for i in near], vectors[near])
            there.append(answer >= 0)
            told.append(float(share.sum()))
            if answer >= 0:
                first.append(near[share.argmax()] == answer)
                alike.append(near[0] == answer)
    assert len(first) > 50
    assert np.mean(first) >= np.mean(alike) + 0.02
    assert auroc(np.array(there), np.array(told)) >= 0.75


def test_the_same_is_said_each_time_and_of_each_in_any_order():
    asked, vectors = query("Where does Ada live?"), ENCODER.embed(TEXTS)
    one = model().shares(asked, TEXTS, vectors)
    assert one.tobytes() == model().shares(asked, TEXTS, vectors).tobytes()
    turned = model().shares(asked, TEXTS[::-1], vectors[::-1])
    np.testing.assert_allclose(turned[::-1], one, atol=1e-5)
    assert one.argmax() == 0


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_shares_are_probabilities_of_one_or_none_whatever_the_texts(text: str, texts: list[str]):
    rng = np.random.default_rng(len(text))
    vectors = rng.standard_normal((len(texts) + 1, ENCODER.dim)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    share = model().shares(asked_by(text, vectors[-1], None), texts, vectors[:-1])
    assert share.shape == (len(texts),)
    assert (share >= 0.0).all()
    assert 0.0 <= share.sum() <= 1.0 + 1e-9


def test_what_only_asks_answers_nothing():
    texts = ["Where does Ada live?", "Ada lives in Porto."]
    share = model().shares(query("Where does Ada live?"), texts, ENCODER.embed(texts))
    assert share[0] < 1e-6 < share[1]


def test_a_vector_of_no_direction_gives_finite_shares():
    asked = asked_by("", np.zeros(ENCODER.dim, np.float32), None)
    assert np.isfinite(model().shares(asked, TEXTS, np.zeros((3, ENCODER.dim), np.float32))).all()


def test_features_are_as_many_as_named():
    x = features(query("When did Ada move?"), TEXTS, ENCODER.embed(TEXTS))
    assert x.shape == (3, len(FEATURES)) == (3, len(PAIR) + len(ASKED) * len(TOLD))
    assert np.isfinite(x).all()


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ArgumentError, match="missing"):
        AnswerModel({}, embedder="x")
    weights = {name: np.array(part) for name, part in model()._w.items()}
    with pytest.raises(ArgumentError, match="mean"):
        AnswerModel({**weights, "mean": np.zeros(3)}, embedder="x")
    with pytest.raises(ArgumentError, match="vectors"):
        model().shares(query("Who?"), TEXTS, np.zeros((2, ENCODER.dim), np.float32))


def test_shares_of_no_logits_are_none():
    assert shares_of(np.empty(0)).shape == (0,)
    assert shares_of(np.array([1e3, -1e3])).tolist() == [1.0, 0.0]


def test_a_share_that_is_handed_on_is_not_lost():
    share = np.array([0.5, 0.2, 0.1])
    out = handed_on(share, np.array([1.0, 0.0, 0.0]), np.array([2, -1, -1]))
    np.testing.assert_allclose(out, [0.0, 0.2, 0.6])


def test_a_hit_says_whether_it_answers_and_its_factors_sum_to_its_score():
    with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
        store.add_many([{"text": text, "when": NOW - 60 * i} for i, text in enumerate(TEXTS)])
        hits = store.search("In which town does Ada live?", k=2)
        plain = store.search("In which town does Ada live?", k=2, scoring="paper")
    assert hits[0].memory.text == TEXTS[0]
    assert hits.plan.endswith("+answer")
    assert hits[0].answers > hits[1].answers >= 0.0
    assert hits.answered <= 1.0
    for hit in hits:
        assert sum(hit.factors.values()) == pytest.approx(hit.score)
    assert plain.answered is None
    assert plain[0].answers is None
    assert plain[0].factors["answer"] == 0.0


def test_the_first_hits_do_not_depend_on_how_many_are_wanted():
    texts = [f"{name} lives in {town}." for name in ("Ada", "Bo", "Cy") for town in ("Rome", "Oslo", "Lyon")]
    texts += [f"The {thing} of {name} is {colour}." for thing in ("car", "house", "bike") for name in ("Ada", "Bo")
              for colour in ("red", "blue")]  # fmt: skip
    with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
        store.add_many([{"text": text, "when": NOW} for text in texts])
        whole = store.search("What colour is Bo's car?", k=len(texts))
        ids = [hit.memory.id for hit in whole]
        for k in (1, 3, WINDOW, WINDOW + 2):
            assert [hit.memory.id for hit in store.search("What colour is Bo's car?", k=k)] == ids[:k]
    assert [hit.answers is None for hit in whole] == [i >= WINDOW for i in range(len(texts))]
    assert all(a.score >= b.score for a, b in zip(whole, list(whole)[1:], strict=False))


def test_a_newer_statement_comes_before_the_older_that_it_replaces():
    with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
        store.add("Ada lives in Porto.", when=NOW - 90 * 86400.0)
        store.add("Ada has moved to Ghent.", when=NOW - 86400.0)
        store.add("Ada's boss is Tom Reyes.", when=NOW - 86400.0)
        hits = store.search("In which town does Ada live?")
    assert hits[0].memory.text == "Ada has moved to Ghent."
    assert hits[0].answers > 0.5


def test_where_nothing_answers_a_note_says_so():
    with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
        store.add_many(["The printer is on floor 3.", "Lunch is served at noon.", "The roof was painted grey."])
        unknown = store.search("What is the name of Tomasz's cardiologist?")
        known = store.search("On which floor is the printer?")
        said = store.search("Tomasz and his cardiologist")
    assert unknown.answered < 0.5
    assert any("no memory seems to answer" in note for note in unknown.notes)
    assert known.answered > 0.5
    assert not any("seems to answer" in note for note in known.notes)
    assert not any("seems to answer" in note for note in said.notes)


def test_an_embedder_without_a_model_and_turns_of_a_conversation_are_not_asked():
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        store.add("Ada lives in Porto.")
        hits = store.search("Where does Ada live?")
    assert hits.answered is None
    assert hits[0].answers is None
    assert "answer" not in hits.plan
    with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
        store.add_many([{"text": text, "metadata": {"thread": "t"}} for text in TEXTS])
        hits = store.search("Where does Ada live?")
    assert hits.answered is None
    assert all(hit.answers is None for hit in hits)


def test_a_fact_among_other_sentences_answers_as_it_does_alone():
    fact, question = "The safe combination is 88-12-45.", "what is the combination of the safe?"
    others = "The chair thanked everyone. A short break was taken. Minutes were approved. Coffee was served."
    said = []
    for text in (fact, f"{others} {fact}", f"{fact} {others}"):
        with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
            store.add_many([text, "The canteen has soup."])
            hits = store.search(question)
            assert hits[0].memory.text == text
            assert not any("answer" in note for note in hits.notes)
            said.append(hits.answered)
    assert said == pytest.approx([said[0]] * 3, abs=0.1)


def test_what_may_no_longer_hold_is_an_answer_by_what_is_left_of_it():
    with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
        store.add_many(["Ada is stuck in traffic.", "Ada's bike is blue."])
        fresh, later = (store.search("why is Ada late?", now=NOW + age)[0] for age in (0.0, 86400.0))
        (timeless, *_) = store.search("why is Ada late?", now=NOW + 86400.0, weights={"what": 1.0, "answer": 1.0})
    assert {hit.memory.text for hit in (fresh, later, timeless)} == {"Ada is stuck in traffic."}
    assert later.valid < 0.5 < fresh.valid
    assert later.answers == pytest.approx(fresh.answers)
    assert 0.0 <= later.factors["answer"] < 0.5 * fresh.factors["answer"]
    assert timeless.factors["answer"] == pytest.approx(timeless.answers)


def test_age_takes_nothing_from_the_only_answer_and_an_end_of_its_own_takes_all() -> None:
    with scrubjay.open(":memory:", embedder=ENCODER) as store:
        store.add("The flower shop on Mill Lane closes early on Wednesdays.", when="2026-01-05")
        store.add("Priya plays the oboe in the town orchestra.", when="2026-01-05")
        store.add("Lunch for the guests is at noon until Friday.", when="2026-01-05")
        asked = "when does the flower shop close early?"
        young, old = (store.search(asked, now=now)[0] for now in ("2026-01-06", "2029-01-06"))
        over = next(h for h in store.search("when is lunch?", now="2026-03-01") if "Lunch" in h.memory.text)
    assert old.valid < young.valid / 2
    assert "Mill Lane" in young.memory.text
    assert old.memory.id == young.memory.id
    assert old.factors["answer"] == pytest.approx(young.factors["answer"], rel=1e-3)
    assert over.factors["answer"] == 0.0


def test_age_counts_where_another_that_holds_may_answer_as_well() -> None:
    """Two cars that may stand in the yard at once: no slot is shared, so that only what each has left tells."""
    with scrubjay.open(":memory:", embedder=ENCODER) as store:
        store.add("A blue van is parked in the yard.", when="2026-01-05T08:00")
        store.add("A green lorry is parked in the yard.", when="2026-03-01T08:00")
        hits = store.search("what is parked in the yard?", now="2026-03-01T09:00")
    shares = {hit.memory.text.split()[1]: hit.factors["answer"] / hit.answers for hit in hits}
    assert shares["blue"] < 0.9 * shares["green"]
