"""Training of the succession model: the same weights each time, and it learns which of two took the other's place."""

from __future__ import annotations

import numpy as np

from scrubjay.recall.succession import SuccessionModel
from scrubjay.recall.succession_features import FEATURES, PAIR
from scrubjay.training.succession import BYSTANDS, Fit, Pairs, fit, joined, labelled, load_lives

BOTH = PAIR.index("both")


def made_up(n=600):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, len(FEATURES))).astype(np.float32)
    taken = (x[:, BOTH] > 0.5).astype(np.float32)
    return Pairs(x, taken, np.ones(n, np.float32))


def test_worlds_are_read_whole_and_name_their_own_memories():
    worlds = load_lives()
    assert len(worlds) >= 20
    for world in worlds:
        ids = {told.id for told in world.memories}
        assert len(ids) == len(world.memories)
        assert all(ids.issuperset([*ask.current, *ask.over]) for ask in world.questions)
        when = {told.id: told.when for told in world.memories}
        assert all(when[id] <= ask.now for ask in world.questions for id in [*ask.current, *ask.over])


def test_the_same_pairs_give_the_same_weights_and_are_told_apart():
    data, how = made_up(), Fit(members=1, epochs=40, batch=32)
    made, again = fit(data, how), fit(data, how)
    assert all(made[name].tobytes() == again[name].tobytes() for name in made)
    p = SuccessionModel({k: np.array(v) for k, v in made.items()}, embedder="toy").probabilities(data.x)
    assert p[data.taken > 0].mean() > 0.8
    assert p[data.taken == 0].mean() < 0.15


def test_pairs_that_weigh_nothing_teach_nothing():
    data = made_up()
    wrong = data._replace(taken=1 - data.taken, weight=np.zeros_like(data.weight))
    how = Fit(members=1, epochs=40, batch=32)
    p = SuccessionModel(fit(joined([data, wrong]), how), embedder="toy").probabilities(data.x)
    assert p[data.taken > 0].mean() > p[data.taken == 0].mean() + 0.4


def test_what_answered_before_is_taken_by_what_answers_now_alone():
    taken = labelled(["a", "b", "c"], ["b"], ["a"])
    assert taken[0].tolist() == [1, 1, 0]
    assert taken[1].tolist() == [0, -1, 0]
    assert set(taken[2].tolist()) == {BYSTANDS}
