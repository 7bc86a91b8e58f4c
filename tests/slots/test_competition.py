"""Competition between memories: the laws against their definition, and the shipped models on texts they never saw."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import ArgumentError
from scrubjay.evaluate.validity import load_facts, split_subjects
from scrubjay.recall import ranking, rivals
from scrubjay.remembered import forget_all
from scrubjay.slots.competition import FLOOR, Pairs, Rounds, SlotModel, supersession, valid, when_term
from scrubjay.training.slot_pairs import load_scenes


def oracle_supersession(c, when, now, floor=FLOOR):
    out = []
    for i in range(len(when)):
        keep = 1.0
        for j in range(len(when)):
            if when[j] > when[i] and when[j] <= now and c[i][j] >= floor:
                keep *= 1.0 - c[i][j]
        out.append(1.0 - keep)
    return np.array(out)


@st.composite
def competitions(draw):
    m = draw(st.integers(0, 7))
    upper = np.triu(np.array(draw(st.lists(st.floats(0, 1), min_size=m * m, max_size=m * m))).reshape(m, m), 1)
    when = np.array(draw(st.lists(st.integers(0, 9), min_size=m, max_size=m)), float)
    return upper + upper.T, when, draw(st.integers(-1, 10))


@given(competitions())
def test_supersession_equals_its_definition(case):
    c, when, now = case
    s = supersession(c, when, now)
    np.testing.assert_allclose(s, oracle_supersession(c, when, now), atol=1e-12)
    assert ((s >= 0) & (s <= 1)).all()
    if when.size:
        assert s[np.argmax(np.where(when <= now, when, -np.inf))] == 0 or (when > now).all()


def test_supersession_counts_only_what_is_known_by_now():
    c = np.ones((3, 3)) - np.eye(3)
    when = np.array([1.0, 2.0, 3.0])
    assert supersession(c, when, 3.0).tolist() == [1, 1, 0]
    assert supersession(c, when, 2.5).tolist() == [1, 0, 0]
    assert supersession(c, when, 0.0).tolist() == [0, 0, 0]


def test_equal_times_do_not_supersede_and_doubted_memories_count_less():
    c = np.array([[0, 0.8], [0.8, 0]])
    assert supersession(c, np.array([5.0, 5.0]), 9.0).tolist() == [0, 0]
    assert supersession(c, np.array([4.0, 5.0]), 9.0, sure=np.array([1.0, 0.5])).tolist() == [pytest.approx(0.4), 0]


def test_many_weak_competitors_do_not_add_up_to_a_supersession():
    m = 64
    c = np.full((m, m), FLOOR - 0.01)
    assert supersession(c, np.arange(m, dtype=float), 1e9).max() == 0


def test_nan_competition_counts_as_none():
    c = np.array([[0, np.nan], [np.nan, 0]])
    assert supersession(c, np.array([1.0, 2.0]), 3.0).tolist() == [0, 0]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_age_alone_costs_at_most_rho_and_supersession_everything(v, s, rho):
    alone = when_term([2.0], [0.0], [v], rho=rho)[0]
    assert 2.0 * (1 - rho) - 1e-12 <= alone <= 2.0
    assert when_term([2.0], [s], [v], rho=rho)[0] == pytest.approx((1 - s) * alone)
    assert valid([v], [s])[0] == pytest.approx(v * (1 - s))


def test_rho_one_without_competitors_is_the_papers_utility():
    v = np.exp(-np.array([0.0, 0.5, 3.0]))
    np.testing.assert_allclose(when_term([1, 2, 3], np.zeros(3), v, rho=1.0), np.array([1, 2, 3]) * v)


@pytest.mark.parametrize("bad", [-0.1, 1.5, float("nan")])
def test_a_bad_rho_is_refused(bad):
    with pytest.raises(ArgumentError, match="rho"):
        when_term([1.0], [0.0], [1.0], rho=bad)


def test_shapes_that_differ_are_refused():
    with pytest.raises(ArgumentError, match="c: shape"):
        supersession(np.zeros((2, 3)), np.zeros(2), 1.0)
    with pytest.raises(ArgumentError, match="vectors"):
        SlotModel.load("use-multilingual-v3").same_slot(["a", "b"])


PAIRS = [
    ("I love Chinese food", "I hate Chinese food", True),
    ("The latest patch release of Zorp 16 is 16.7.0.", "The latest patch release of Zorp 16 is 16.8.0.", True),
    ("The latest patch release of Zorp 16 is 16.7.0.", "The latest patch release of Zorp 18 is 18.2.0.", False),
    ("Judith's room is 17.", "Walter's room is 21.", False),
    ("Smoking is allowed on the roof.", "Smoking is not allowed on the roof.", True),
    ("Judith serves on the audit committee.", "Judith serves on the ethics committee.", False),
    ("Where is the meeting?", "The meeting is in F3.", False),
    ("My bike is blue.", "Die Sonne scheint.", False),
    ("The latest patch release of Go 1.22 is 1.22.5.", "The latest patch release of Go 1.23 is 1.23.4.", False),
]


@pytest.mark.parametrize(("first", "second", "compete"), PAIRS)
def test_bug_01_what_competes_without_an_embedder(first, second, compete):
    c = SlotModel.load().same_slot([first, second])
    assert c[0, 1] == c[1, 0]
    assert (c[0, 1] >= FLOOR) == compete


def test_pairs_are_examined_row_by_row_with_the_same_result():
    model = SlotModel.load()
    texts = [f"{name} is in {place}." for name in ("Ada", "Bo", "Cy") for place in ("Rome", "Oslo", "Bern", "Kyiv")]
    whole = model.same_slot(texts)
    forget_all()
    pairs = Pairs(model, texts)
    for some in ([], [3, 0], [6, 1, 3], list(range(12))):
        rows = np.array(some, np.intp)
        np.testing.assert_allclose(pairs.rows(rows), whole[rows], atol=1e-6)
    np.testing.assert_array_equal(c := pairs.rows(np.arange(12)), c.T)
    assert Pairs(model, []).rows(np.arange(0)).shape == (0, 0)
    assert Pairs(model, ["alone"]).rows(np.array([0])).tolist() == [[0.0]]


def test_what_is_known_of_pairs_is_told_again_and_no_pair_is_examined_twice(monkeypatch):
    model = SlotModel.load()
    texts = [f"{name} {where}." for name in ("Ada", "Bo", "Cy") for where in ("is in Rome", "moved to Oslo", "left")]
    whole = model.same_slot(texts)
    examined = []
    told = SlotModel.probability
    monkeypatch.setattr(SlotModel, "probability", lambda self, x: (examined.append(len(x)), told(self, x))[1])
    forget_all()
    model.same_slot(texts)
    once = sum(examined)
    forget_all()
    examined.clear()
    for some in ([0, 1, 2], [2, 0, 1], [5, 4, 0, 1, 2, 3], [8, 7, 6, 5, 4, 3, 2, 1, 0], [3], [4, 2], [4, 4, 2]):
        c = model.same_slot([texts[i] for i in some])
        place = np.array(some)
        same = place[:, None] == place
        # what is said twice is two statements
        np.testing.assert_allclose(
            c, np.where(same & ~np.eye(len(some), dtype=bool), 1, whole[np.ix_(some, some)]), atol=1e-6
        )
    assert 0 < sum(examined) <= once


def test_pairs_of_a_later_round_are_those_of_all_at_once():
    model = SlotModel.load()
    texts = [f"{name} {where}." for name in ("Ada", "Bo", "Cy") for where in ("is in Rome", "moved to Oslo", "left")]
    whole = model.same_slot(texts)
    rounds, rng = Rounds(model), np.random.default_rng(8)
    for count in (0, 3, 5, 9, 4, 9):
        some = rng.permutation(len(texts))[:count]
        pairs = rounds.among([texts[i] for i in some])
        asked = np.flatnonzero(rng.random(count) < 0.5)
        np.testing.assert_array_equal(pairs.rows(asked), whole[np.ix_(some[asked], some)])
    # what is said twice is two statements, in whatever round
    twice = rounds.among([texts[0], texts[1], texts[0]]).rows(np.arange(3))
    assert twice[0, 2] == twice[2, 0] == 1.0
    assert not np.diag(twice).any()
    np.testing.assert_array_equal(rounds.among([texts[0], texts[1]]).rows(np.arange(2)), whole[:2, :2])


def test_the_same_words_with_another_vector_are_another_pair():
    model = SlotModel.load("use-multilingual-v3")
    texts, rng = ["The pump hums.", "A valve leaks."], np.random.default_rng(3)
    near = np.zeros((2, 512), np.float32)
    near[:, 0] = 1.0
    forget_all()
    far = rng.normal(size=(2, 512)).astype(np.float32)
    far /= np.linalg.norm(far, axis=1, keepdims=True)
    alone = model.same_slot(texts, near)
    apart = model.same_slot(texts, far)
    forget_all()
    np.testing.assert_array_equal(model.same_slot(texts, far), apart)
    np.testing.assert_array_equal(model.same_slot(texts, near), alone)
    assert alone[0, 1] > apart[0, 1]


def test_same_slot_is_symmetric_and_depends_on_the_pair_alone():
    texts = list(dict.fromkeys(t for pair in PAIRS for t in pair[:2]))
    model = SlotModel.load()
    c = model.same_slot(texts)
    assert c.dtype == np.float32
    np.testing.assert_array_equal(c, c.T)
    assert (np.diag(c) == 0).all()
    assert ((c >= 0) & (c <= 1)).all()
    assert c.max() > FLOOR
    for i in range(len(texts)):
        for j in range(i):
            np.testing.assert_allclose(model.same_slot([texts[i], texts[j]])[0, 1], c[i, j], atol=1e-5)


@given(st.lists(st.text(max_size=60), max_size=6))
def test_any_text_gives_finite_probabilities(texts):
    c = SlotModel.load().same_slot(texts)
    assert c.shape == (len(texts), len(texts))
    assert np.isfinite(c).all()


def test_an_unknown_embedder_falls_back_to_the_model_that_reads_texts_alone():
    assert SlotModel.load("no-such-embedder").embedder is None
    assert SlotModel.load("../../secrets").embedder is None
    assert SlotModel.load("use-multilingual-v3").embedder == "use-multilingual-v3"


@pytest.mark.parametrize("name", [None, "use-multilingual-v3", "minilm-l6-v2-int8"])
def test_shipped_weights_are_small_and_fit_the_features(name):
    path = files("scrubjay") / "data" / "heads" / f"slot-{name or 'text'}.npz"
    assert len(path.read_bytes()) < 64_000
    assert SlotModel.load(name).embedder == name


def test_held_out_scenes_without_an_embedder():
    """Scenes that were never trained on: most updates are seen, hardly anything else is taken for one."""
    model, hit, wanted, false, others = SlotModel.load(), 0, 0, 0, 0
    scenes = [s for s in load_scenes() if s.held_out]
    assert len(scenes) >= 25
    for scene in scenes:
        statements = scene.statements
        c = model.same_slot([text for text, _ in statements])
        slot = np.array([n for _, n in statements])
        pair = np.triu(np.ones(c.shape, bool), 1)
        same = (slot[:, None] == slot) & pair
        hit += int((c[same] >= FLOOR).sum())
        wanted += int(same.sum())
        false += int((c[~same & pair] >= FLOOR).sum())
        others += int((~same & pair).sum())
    assert wanted > 80
    assert others > 2000
    assert hit / wanted > 0.5
    assert false / others < 0.04


def test_real_facts_are_superseded_by_their_own_versions_alone(data: Path):
    """Facts of subjects that were never trained on, ten keys of one kind together."""
    facts = load_facts([data / "validity" / "endoflife.jsonl"])
    facts = facts.take(split_subjects(facts).test)
    facts = facts.take(np.flatnonzero(facts.kind == "latest_patch"))
    subjects = sorted(set(facts.subject))
    assert len(subjects) > 100
    model, false, missed, pairs = SlotModel.load(), 0, 0, 0
    for a in range(0, 200, 10):
        rows = [np.flatnonzero(facts.subject == s)[:3] for s in subjects[a : a + 10]]
        index = np.concatenate(rows)
        c = model.same_slot([str(t) for t in facts.text[index]])
        own = (facts.subject[index][:, None] == facts.subject[index]) & ~np.eye(index.size, dtype=bool)
        false += int((c[~own] >= FLOOR).sum())
        missed += int((c[own] < FLOOR).sum())
        pairs += int(own.sum())
    assert pairs > 200
    assert missed / pairs < 0.02
    assert false / pairs < 0.05


def test_turns_of_real_conversations_hardly_compete(data: Path):
    model = SlotModel.load()
    lost: list[float] = []
    for conversation in json.loads((data / "locomo" / "locomo-dev.json").read_text("utf-8")):
        sessions = conversation["conversation"]
        turns = [
            f"{turn['speaker']}: {turn['text']}"
            for number in range(1, 40)
            for turn in sessions.get(f"session_{number}", [])
        ]
        for a in range(0, len(turns) - 48, 48):
            block = turns[a : a + 48]
            s = supersession(model.same_slot(block), np.arange(len(block), dtype=float), 1e9)
            lost += s.tolist()
    assert len(lost) > 900
    assert float(np.mean(lost)) < 0.02


@pytest.mark.parametrize("embedder", [None, "use-multilingual-v3"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The coffee machine is on the second floor.", "The coffee machine is broken."),
        ("The first-aid kit is in the kitchen.", "The first-aid kit is empty."),
        ("Sara speaks German.", "Sara speaks Italian."),
        ("Tom is allergic to nuts.", "Tom is allergic to cats."),
        ("Anna lives in Rome.", "Anna works in Milan."),
        ("Sara was born in Prague.", "Sara lives in Madrid."),
        ("The staging database runs PostgreSQL 15.", "The production database was upgraded to PostgreSQL 16."),
        ("The backup server is in Frankfurt.", "The main server is in Dublin."),
    ],
)
def test_two_truths_about_one_subject_do_not_compete(first, second, embedder):
    vectors = None
    if embedder is not None:
        vectors = UniversalEncoder().embed([first, second])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert SlotModel.load(embedder).same_slot([first, second], vectors)[0, 1] < FLOOR


def test_of_two_with_the_same_time_the_one_written_later_holds():
    c = np.array([[0, 0.9], [0.9, 0]])
    when = np.array([5.0, 5.0])
    assert supersession(c, when, 9.0).tolist() == [0.0, 0.0]
    assert supersession(c, when, 9.0, order=[1, 2]).tolist() == pytest.approx([0.9, 0.0])
    assert supersession(c, when, 9.0, order=[2, 1]).tolist() == pytest.approx([0.0, 0.9])
    assert supersession(c, when, 4.0, order=[1, 2]).tolist() == [0.0, 0.0]


@pytest.fixture(scope="module")
def rooms():
    """600 statements of one slot among which the newest is not the nearest to any query, and another that is alike."""
    start = 1.6e9
    with scrubjay.open(":memory:", clock=lambda: start + 601 * 3600, graph=False) as store:
        store.add_many(
            [{"text": f"The design review is in room R{i}.", "when": start + i * 3600} for i in range(600)]
            + [{"text": "Maya is allergic to peanuts.", "when": start}]
        )
        yield store


@pytest.mark.parametrize("query", ["room R17", "which room is the design review in?", "room R589"])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_what_holds_of_a_slot_with_more_statements_than_are_compared(rooms, query, k):
    hits = rooms.search(query, k=k)
    assert hits[0].memory.text == "The design review is in room R599."
    assert hits[0].superseded < 0.5
    assert all(hit.superseded > 0.9 and hit.valid < 0.1 for hit in hits[1:])
    assert all(hit.complete for hit in hits)


@pytest.mark.parametrize("k", [1, 3])
def test_a_crowded_slot_as_of_the_past(rooms, k):
    hits = rooms.search("which room is the design review in?", k=k, now=1.6e9 + 399.5 * 3600)
    assert hits[0].memory.text == "The design review is in room R399."
    assert hits[0].superseded < 0.5
    assert all(hit.superseded > 0.9 for hit in hits[1:])


def test_the_newest_is_found_among_more_later_rows_than_are_looked_through(monkeypatch):
    start = 1.6e9
    monkeypatch.setattr(rivals, "RECENT", 20)
    others = [{"text": f"Ticket {i} was handed to clerk number {i % 7}.", "when": start + 9e6 + i} for i in range(60)]
    rooms = [{"text": f"The design review is in room R{i}.", "when": start + i * 3600} for i in range(60)]
    with scrubjay.open(":memory:", clock=lambda: start + 1e7, graph=False) as store:
        store.add_many(rooms + others)
        for query in ("room R17", "which room is the design review in?"):
            (hit,) = store.search(query, k=1)
            assert hit.memory.text == "The design review is in room R59."


def test_a_hit_whose_rivals_were_not_all_compared_says_so(rooms, monkeypatch):
    monkeypatch.setattr(ranking, "ROOM", 0)
    hits = rooms.search("room R17", k=1)
    assert not hits[0].complete
    assert not hits.exact
    assert any("were not compared" in note for note in hits.notes)


def test_another_office_in_the_same_body_takes_the_place_of_the_first() -> None:
    model = SlotModel.load()
    c = model.same_slot(["Al Green is Chair of the House Committee on Water.",
                         "Al Green is Ranking Member of the House Committee on Water.",
                         "Al Green is Chair of the House Committee on Roads."])  # fmt: skip
    assert c[0, 1] >= FLOOR
    assert c[1, 0] == c[0, 1]
    assert c[0, 2] < c[0, 1]
