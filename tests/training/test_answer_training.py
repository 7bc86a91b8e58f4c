"""Training of the answer model: worlds as namespaces, the same weights each time, and something is learned."""

from __future__ import annotations

import numpy as np

from scrubjay.recall.answers import WINDOW, AnswerModel
from scrubjay.training.answers import Fact, Fit, World, fit, inputs, load_worlds, scores, search_worlds
from toys import WordHash

NAMES = ("Ada", "Bo", "Cy", "Di", "Eva", "Fie", "Gus", "Hal")
WORLDS = [
    World(
        world=name,
        hand="toy",
        facts=[
            Fact(text=f"{name} lives in Porto.", asks=[f"home lives {name}", f"city lives {name}"]),
            Fact(text=f"{name} drives a van.", asks=[f"car drives {name}", f"wheels drives {name}"]),
        ],
        unanswered=[f"salary wage {name}"],
    )
    for name in NAMES
]


def test_worlds_are_read_whole():
    worlds = load_worlds()
    assert len(worlds) >= 100
    assert all(fact.text.strip() and all(ask.strip() for ask in fact.asks) for world in worlds for fact in world.facts)
    assert sum(len(world.unanswered) for world in worlds) >= 400
    assert len({world.hand for world in worlds}) >= 5


def test_a_question_meets_its_own_world_alone():
    embedder = WordHash()
    asked = search_worlds(WORLDS, embedder)
    assert len(asked) == len(NAMES) * 5
    assert {len(one.texts) for one in asked} == {2}
    assert sum(one.answerable for one in asked) == len(NAMES) * 4
    assert all((one.target >= 0) == one.answerable for one in asked)


def test_training_gives_the_same_weights_each_time_and_tells_answers_from_none():
    embedder = WordHash()
    asked = search_worlds(WORLDS, embedder)
    data = inputs(asked, embedder)
    assert data.x.shape[:2] == (len(asked), WINDOW)
    how = Fit(hidden=4, rank=8, epochs=60, batch=16, members=1, step=1e-2)
    made, again = fit(data, how), fit(data, how)
    assert all(made[name].tobytes() == again[name].tobytes() for name in made)
    found = scores(AnswerModel({k: np.array(v) for k, v in made.items()}, embedder="toy"), asked, embedder)
    assert found.questions == len(asked)
    assert found.first >= 0.9
    assert found.answered >= 0.9
