"""Training of the slot model: its pairs say what they should, and it learns from them, the same each time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from scrubjay.evaluate.metrics import auroc
from scrubjay.evaluate.validity import from_rows
from scrubjay.slots.competition import SlotModel
from scrubjay.training.slot_pairs import fact_pairs, load_scenes, scene_pairs, swapped_pairs
from scrubjay.training.slot_relations import relation_pairs
from scrubjay.training.slots import Fit, features, fit_network


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


def test_scenes_are_many_and_disjoint():
    scenes = load_scenes()
    assert len({s.scene for s in scenes}) == len(scenes) >= 100
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
