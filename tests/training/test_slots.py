"""Training of the slot model: its pairs say what they should, and it learns from them, the same each time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from scrubjay.evaluate.metrics import auroc
from scrubjay.evaluate.validity import from_rows
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.training.observations import Sentence, load_families
from scrubjay.training.slot_pairs import (
    Pairs,
    Scene,
    fact_pairs,
    load_scenes,
    restated_pairs,
    scene_pairs,
    swapped_pairs,
)
from scrubjay.training.slot_relations import relation_pairs
from scrubjay.training.slot_subjects import DAY, rest, subject_pairs
from scrubjay.training.slots import SCENES, Fit, features, fit_network, weights


def rows():
    def fact(subj, attr, value, text, start, end):
        return {
            "src": "s", "kind": attr, "subj": subj, "attr": attr, "value": value, "text": text,
            "start": start, "end": end, "censor": "2024-01-01",
        }  # fmt: skip

    for subj in ("Ada Falk", "Bo Riis", "Cy Dahl", "Di Lund", "Eva Moe", "Fie Kok"):
        yield fact(subj, "room", "R1", f"The room of {subj} is R1.", "2020-01-01", "2021-01-01")
        yield fact(subj, "room", "R2", f"The room of {subj} is R2.", "2021-01-01", None)
        yield fact(subj, "owns", "boat", f"{subj} owns a boat.", "2020-01-01", None)
        yield fact(subj, "owns", "barn", f"{subj} owns a barn.", "2020-06-01", None)


def bags(texts):
    """A stand-in for an embedder: unit rows of hashed letter pairs."""
    out = np.zeros((len(texts), 64), np.float32)
    for i, text in enumerate(texts):
        for pair in pairwise(text):
            out[i, (ord(pair[0]) * 31 + ord(pair[1])) % 64] += 1
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def test_versions_that_follow_one_another_compete_and_values_side_by_side_do_not():
    facts = from_rows(rows())
    pairs = fact_pairs(facts, bags)
    by_text = {str(t): (s, a) for t, s, a in zip(facts.text, facts.subject, facts.attribute, strict=True)}
    competing = [(x, y) for x, y, s in zip(pairs.left, pairs.right, pairs.same, strict=True) if s]
    assert len(competing) == 6
    for x, y in competing:
        assert by_text[x] == by_text[y]
        assert by_text[x][1] == "room"
    assert sum(not s for s in pairs.same) > 20


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_many_and_disjoint(name):
    scenes = load_scenes(name)
    assert len({s.scene for s in scenes}) == len(scenes) >= 40
    held = [s for s in scenes if s.held_out]
    assert 0.2 < len(held) / len(scenes) < 0.45
    assert len(scene_pairs(scenes, cross=0)) >= 600
    for scene in scenes:
        texts = [t for t, _ in scene.statements]
        assert len(set(texts)) == len(texts), scene.scene
        assert all(len(slot) >= 2 for slot in scene.slots), scene.scene


def test_swapped_pairs_change_the_subject_alone():
    pairs = swapped_pairs(load_scenes())
    assert len(pairs) > 100
    assert not any(pairs.same)


def test_a_statement_competes_with_itself_of_another_value_and_not_of_another_subject():
    scene = Scene("s", (("Osprey listens on port 8003.", "port of Osprey is 9001 now"),), ("the bar of Ibis is red.",))
    pairs = restated_pairs([scene], seed=3)
    assert list(zip(pairs.left, pairs.right, pairs.same, strict=True)) == [
        ("Osprey listens on port 8003.", "Osprey listens on port 9001.", True),
        ("Osprey listens on port 8003.", "Ibis listens on port 8003.", False),
        ("Osprey listens on port 8003.", "Ibis listens on port 9001.", False),
        ("port of Osprey is 9001 now", "port of Osprey is 8003 now", True),
        ("port of Osprey is 9001 now", "port of Ibis is 9001 now", False),
        ("port of Osprey is 9001 now", "port of Ibis is 8003 now", False),
    ]


@pytest.fixture(scope="module")
def learned():
    scenes = [s for s in load_scenes() if not s.held_out]
    pairs = scene_pairs(scenes, cross=0)
    x, y = features(pairs, None), np.array(pairs.same, bool)
    weight = np.where(y, 0.5 / y.sum(), 0.5 / (~y).sum())
    return x, y, weight


def test_the_network_learns_and_is_reproducible(learned):
    x, y, weight = learned
    fit = Fit(epochs=8, members=2, decay=1e-4)
    one, two = fit_network(x, y, weight, fit), fit_network(x, y, weight, fit)
    for name, values in one.items():
        np.testing.assert_array_equal(values, two[name])
    p = SlotModel(one, embedder=None).probability(x)
    assert auroc(y, p) > 0.9


def test_relations_follow_their_tables():
    pairs = relation_pairs(each=4)
    same = np.array(pairs.same)
    assert 100 < same.sum() < (~same).sum()
    boards = [s for x, s in zip(pairs.left, pairs.same, strict=True) if " sits on " in x]
    assert boards
    assert not any(boards)
    assert pairs.left == relation_pairs(each=4).left


def family(name, *texts, days=100.0, part="train"):
    return [Sentence(text=t, family=name, part=part, median_s=days * DAY, shape=1.0, never=0.0) for t in texts]


def test_a_subject_is_shared_by_what_different_families_say():
    sentences = [
        *family("diet", "Petra is vegan.", "I eat no meat."),
        *family("work", "Noor leads the audit.", "My job is dull."),
        *family("work_place", "Sefa works in Hall 9."),
        *family("asleep", "Tomasz is asleep.", days=0.2),
        *family("at_dinner", "Ludo has soup.", days=0.1),
        *family("kept", "Oleg is deaf.", part="held_out"),
        *family("open", "Somewhere a door bangs."),
    ]
    pairs = subject_pairs(sentences, bags, each=40)
    said = ("vegan", "no meat", "leads", "job", "Hall 9", "asleep", "soup")
    met = {frozenset(w for w in said if w in a + b) for a, b in zip(pairs.left, pairs.right, strict=True)}
    assert met == {
        frozenset(pair)
        for pair in (
            ("vegan", "leads"), ("vegan", "Hall 9"), ("vegan", "asleep"), ("vegan", "soup"), ("leads", "asleep"),
            ("leads", "soup"), ("Hall 9", "asleep"), ("Hall 9", "soup"), ("no meat", "job"),
        )
    }  # fmt: skip
    assert not any(pairs.same)
    assert not {"Petra", "Oleg"} & {w for t in pairs.texts for w in t.split()}
    assert set(subject_pairs(sentences, bags, held_out=True).texts) == set()


def test_persons_and_things_weigh_the_same_however_many_there_are():
    def pairs(*kinds, same=False):
        out = Pairs()
        for n, kind in enumerate(kinds):
            out.add(f"left {n}", f"right {n}", same, kind)
        return out

    fit = Fit(scenes=4.0, positives=0.25, restated=2.0, restated_positives=0.5, subjects=0.5)
    restated = pairs("s", same=True)
    restated.extend(pairs("s"))
    scenes = pairs("s", same=True)
    scenes.extend(pairs("s", "s"))
    weight = weights(pairs("facts"), scenes, restated, pairs("person", "person", "person", "thing"), fit)
    assert weight.tolist() == pytest.approx([1.0, 1.0, 1.5, 1.5, 1.0, 1.0, *[0.25 / 3] * 3, 0.25])


@pytest.mark.parametrize("text", ["Somewhere a door bangs.", "dinner is ready", "The two of them"])
def test_a_sentence_without_a_subject_is_left_out(text):
    assert rest(text, {"dinner"}) is None


def test_what_families_never_trained_on_say_of_one_subject_hardly_competes():
    pairs = subject_pairs(load_families(), bags, held_out=True, each=3)
    assert len(pairs) > 500
    assert (SlotModel.load().probability(features(pairs, None)) >= FLOOR).mean() < 0.025
