"""What the facts near a prototype add: as much as they show, and nothing where they show what the network says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.curves import DAY, DICTIONARY, SHAPES, likelihood, survival
from scrubjay.training.tilt import RANK, compressed, tilts

DIRECTIONS = np.eye(3, dtype=np.float32)


def world(seed: int = 0, n: int = 600) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Look, network's answers and likelihoods of facts in three directions: the network says 100 days of all, and in
    the first they end after 100, in the second after 20, in the third after 500."""
    rng = np.random.default_rng(seed)
    place = np.arange(n) % 3
    look = DIRECTIONS[place]
    own = np.exp(-0.5 * ((np.log(DICTIONARY[:-1]) - np.log(100 * DAY)) / 1.2) ** 2)
    answer = np.tile(np.append(own / own.sum(), 0.0), (n, 1)).astype(np.float32)
    drawn = rng.choice(DICTIONARY.size - 1, n, p=own / own.sum())
    ends = DICTIONARY[drawn] * rng.weibull(SHAPES[drawn]) * np.array([1.0, 0.2, 5.0])[place]
    return look, answer, likelihood(ends, np.ones(n, bool))


def tilted(answer: NDArray[np.float32], tilt: NDArray[np.float32]) -> NDArray[np.float64]:
    odds = answer * np.exp(tilt.astype(np.float64))
    return odds / odds.sum(axis=1, keepdims=True)


def test_facts_that_end_sooner_or_later_than_the_network_says_move_its_answer() -> None:
    look, answer, seen = world()
    tilt = tilts(DIRECTIONS, look, answer, seen)
    p = survival(tilted(answer[:3], tilt), np.full(3, 100 * DAY))
    before = survival(answer[:1].astype(np.float64), np.full(1, 100 * DAY))[0]
    assert p[0] == np.clip(p[0], before - 0.1, before + 0.1)
    assert p[1] < before - 0.2
    assert p[2] > before + 0.2


def test_few_facts_say_less_than_many_and_censored_ones_of_no_age_nothing() -> None:
    look, answer, seen = world()
    fast = np.flatnonzero(look[:, 1] > 0)
    many, few = (tilts(DIRECTIONS[1:2], look[i], answer[i], seen[i]) for i in (fast, fast[:3]))
    assert np.abs(few).max() < np.abs(many).max()
    nothing = likelihood(np.zeros(600), np.zeros(600, bool))
    assert np.abs(tilts(DIRECTIONS, look, answer, nothing)).max() < 1e-4


def test_tilts_in_few_directions_are_those_that_count() -> None:
    look, answer, seen = world()
    tilt = tilts(DIRECTIONS, look, answer, seen)
    few, directions = compressed(tilt, np.array([1.0, 1.0, 0.0], np.float32))
    assert few.shape[1] == len(directions) <= RANK
    assert np.allclose((few @ directions)[:2], tilt[:2], atol=1e-4)
    assert not np.allclose((few @ directions)[2], tilt[2], atol=1e-1)
