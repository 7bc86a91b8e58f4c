"""What has taken another's place as the answer to a question: the law, its features, searches by the shipped model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import scrubjay
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import ArgumentError
from scrubjay.recall.answer_features import asked_by
from scrubjay.recall.succession import FLOOR, SuccessionModel
from scrubjay.recall.succession_features import FEATURES, PAIR, Seen, changes, features
from scrubjay.slots.statements import statement
from scrubjay.slots.vocabulary import content_of
from scrubjay.training.succession import load_lives, scores

ENCODER = UniversalEncoder()
SEALED = Path(__file__).parents[2] / "bench" / "current.jsonl"
TEXTS = [
    "The parcels go to the depot in Leith.",
    "Parcels are dropped at the kiosk by the harbour now, Leith has closed.",
    "Moira knits on the bus.",
]


def seen(texts=TEXTS, question="Where do the parcels go?", **changed):
    vectors = ENCODER.embed([*texts, question])
    m = len(texts)
    given = {
        "query": asked_by(question, vectors[-1], None),
        "texts": texts,
        "stored": texts,
        "vectors": vectors[:-1],
        "scores": np.linspace(1.0, 0.5, m),
        "shares": np.linspace(0.5, 0.1, m),
        "valid": np.full(m, 0.8),
        "lost": np.zeros(m),
        "after": np.full(m, -1, np.int64),
        "present": np.ones(m),
        "newer": np.arange(m)[None, :] > np.arange(m)[:, None],
    }
    return Seen(**(given | changed))


def model(**changed):
    width = len(FEATURES)
    rng = np.random.default_rng(5)
    weights = {
        "mean": rng.normal(size=width), "scale": rng.uniform(0.5, 2.0, width), "direct": rng.normal(size=width),
        "bias": rng.normal(size=1), "inner": rng.normal(size=(width, 3)), "inner_bias": rng.normal(size=3),
        "outer": rng.normal(size=3),
    }  # fmt: skip
    return SuccessionModel(weights | changed, embedder="toy"), weights | changed


def sure(direct=0.0, bias=5.0):
    width = len(FEATURES)
    return SuccessionModel(
        {
            "mean": np.zeros(width), "scale": np.ones(width), "direct": np.full(width, direct),
            "bias": np.full(1, bias), "inner": np.zeros((width, 1)), "inner_bias": np.zeros(1), "outer": np.zeros(1),
        },
        embedder="toy",
    )  # fmt: skip


def test_probabilities_are_the_networks():
    made, w = model()
    x = np.random.default_rng(0).normal(size=(4, 4, len(FEATURES)))
    z = np.clip((x - w["mean"]) * w["scale"], -4, 4)
    logit = z @ w["direct"] + np.tanh(z @ w["inner"] + w["inner_bias"]) @ w["outer"] + w["bias"]
    assert np.allclose(made.probabilities(x.astype(np.float32)), 1 / (1 + np.exp(-logit)), atol=1e-5)


def test_features_of_a_pair_are_what_a_loop_over_words_finds():
    one = seen()
    x = features(one)
    assert x.shape == (3, 3, len(FEATURES))
    assert np.isfinite(x).all()
    asked = content_of(statement(one.query.text))
    content = [content_of(statement(text)) for text in TEXTS]
    words = set().union(asked, *content)
    rarity = {word: np.log1p(3.5 / (sum(word in some for some in content) + 0.5)) for word in words}

    def size(some):
        return sum(rarity[word] for word in some)

    at = PAIR.index
    for i, a in enumerate(content):
        for j, b in enumerate(content):
            smaller = min(size(a - asked), size(b - asked))
            assert x[i, j, at("both")] == pytest.approx(size(a & b & asked) / size(asked), abs=1e-5)
            assert x[i, j, at("beside")] == pytest.approx(size((a & b) - asked) / smaller, abs=1e-5)
            assert x[i, j, at("asked_older")] == pytest.approx(size(a & asked) / size(asked), abs=1e-5)
            assert x[i, j, at("gap")] == pytest.approx(one.scores[i] - one.scores[j])
            assert x[i, j, at("odds")] == pytest.approx(np.log(one.shares[i] / one.shares[j]), abs=1e-5)
            assert x[i, j, at("changes_newer")] == changes(TEXTS[j])
            assert x[i, j, at("cosine")] == pytest.approx(one.vectors[i] @ one.vectors[j], abs=1e-5)


def test_only_the_newer_takes_and_what_is_over_by_its_own_words_takes_nothing():
    lost, by = sure().find(seen())
    assert lost[:2].min() > 0.9
    assert (lost[2], by[2]) == (0.0, -1)
    assert (by[:2] > np.arange(2)).all()
    assert not sure().find(seen(newer=np.zeros((3, 3), bool))).lost.any()
    assert not sure().find(seen(present=np.zeros(3))).lost.any()


def test_what_only_asks_and_what_stands_beside_it_take_nothing():
    asks = ["Where do the parcels go?", "Do the parcels go to Leith?"]
    assert not sure().find(seen(asks)).lost.any()
    both = ["Tom lives in Leeds.", "Tom has not moved to Bonn."]
    assert not sure().find(seen(both, "Where does Tom live?")).lost.any()
    assert sure().find(seen(["Tom lives in Leeds.", "Tom moved to Bonn."], "Where does Tom live?")).lost[0] > 0.9


def test_what_has_ended_another_by_their_words_takes_no_place_besides():
    lost = np.array([0.0, 0.9, 0.0])
    assert sure().find(seen(lost=lost, after=np.array([-1, 2, -1]))).by[0] == 1
    assert sure().find(seen(lost=lost * 0.1, after=np.array([-1, 2, -1]))).lost[1] > 0.9
    assert sure().find(seen(lost=lost, after=np.array([-1, 2, -1]))).lost[1] == 0.0


def test_small_probabilities_make_no_successor():
    # more is asked of three than of many
    least = FLOOR * 3 / 2
    below = float(np.log(least / (1 - least))) - 0.01
    assert not sure(bias=below).find(seen()).lost.any()
    assert sure(bias=below + 0.02).find(seen()).lost[0] == pytest.approx(least, abs=0.01)


def test_one_memory_none_and_broken_vectors_lose_nothing_and_raise_nothing():
    made, _ = model()
    assert made.find(seen(TEXTS[:1])).lost.tolist() == [0.0]
    none = seen()._replace(
        texts=[], stored=[], vectors=np.empty((0, ENCODER.dim), np.float32), scores=np.empty(0), shares=np.empty(0),
        valid=np.empty(0), lost=np.empty(0), after=np.empty(0, np.int64), present=np.empty(0),
        newer=np.empty((0, 0), bool),
    )  # fmt: skip
    assert made.find(none).lost.shape == (0,)
    broken = seen(vectors=np.full((3, ENCODER.dim), np.nan, np.float32))
    lost = made.find(broken).lost
    assert np.isfinite(lost).all()
    assert ((lost >= 0) & (lost <= 1)).all()


def test_weights_of_another_shape_are_refused_by_their_names():
    with pytest.raises(ArgumentError, match="direct"):
        model(direct=np.zeros(3))
    with pytest.raises(ArgumentError, match="train again"):
        SuccessionModel({}, embedder="toy")


@pytest.fixture(scope="module")
def store():
    with scrubjay.open(":memory:", embedder=ENCODER) as made:
        for day, text in [
            ("2026-01-05", "The bookbinding course takes place in the old mill."),
            ("2026-01-06", "Rosalind teaches the bookbinding course."),
            ("2026-01-07", "Rosalind is allergic to latex."),
            ("2026-01-08", "A seat on the course costs 140 euros."),
            ("2026-01-12", "The paper press was made in 1911."),
            ("2026-03-02", "The mill is being torn down, so the course meets in the fire station from today."),
            ("2026-03-09", "Rosalind has a new dog called Biscuit."),
            ("2026-04-01", "We had to raise the fee, the course is 165 now."),
            ("2026-05-04", "Rosalind went back to Cork; Teodor has taken over bookbinding from her."),
        ]:
            made.add(text, when=day)
        yield made


@pytest.mark.parametrize(
    ("question", "now", "first"),
    [
        ("where does the bookbinding course take place?", "2026-02-01", "old mill"),
        ("where does the course meet?", "2026-04-10", "fire station"),
        ("how much is a seat on the course?", "2026-02-01", "140"),
        ("how much is a seat on the course?", "2026-06-01", "165"),
        ("who teaches bookbinding?", "2026-04-10", "Rosalind teaches"),
        ("who teaches bookbinding?", "2026-06-01", "Teodor"),
        ("what is Rosalind allergic to?", "2026-06-01", "latex"),
        ("when was the press made?", "2026-06-01", "1911"),
    ],
)
def test_what_answers_now_comes_first_in_whatever_words_it_changed(store, question, now, first):
    assert first in store.search(question, now=now)[0].memory.text


def test_a_hit_tells_that_it_has_lost_its_place(store):
    hits = {hit.memory.text: hit for hit in store.search("where does the course meet?", k=9, now="2026-04-10")}
    old = next(hit for text, hit in hits.items() if "old mill" in text)
    assert old.superseded > 0.5
    assert old.valid < 0.5
    kept = next(hit for text, hit in hits.items() if "latex" in text)
    assert kept.superseded == 0.0
    assert [hit.score for hit in hits.values()] == sorted((hit.score for hit in hits.values()), reverse=True)


def test_the_law_of_the_paper_knows_no_succession(store):
    hits = store.search("where does the bookbinding course take place?", k=9, now="2026-04-10", scoring="paper")
    assert all(hit.superseded == 0.0 for hit in hits)


def test_unseen_worlds_are_told_as_they_are_now():
    worlds = load_lives(SEALED)[:3]
    shipped = SuccessionModel.load(ENCODER.name)
    assert shipped is not None
    without, found = scores(worlds, ENCODER, None), scores(worlds, ENCODER, shipped)
    assert found.updates > max(0.7, without.updates + 0.15)
    assert found.unchanged > without.unchanged - 0.1
    assert found.over < without.over / 2
    assert found.brier < without.brier
