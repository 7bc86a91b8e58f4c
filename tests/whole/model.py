"""A store in plain Python: dictionaries, fractions and the formulas as published. The oracle of every verb."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from typing import Any

import numpy as np

import oracles
from scrubjay.dynamics.retrievability import FSRS_5, FSRS_6

DAY = 86400.0
UNIT = Fraction(1, 2**24)
THIRDS = [0.0, 1 / 3, 2 / 3, 1.0]
MOST = 36500.0


def parts(signal: float, weight: float) -> tuple[Fraction, Fraction]:
    """Evidence for and against, in whole units."""
    whole = round(Fraction(weight) / UNIT)
    good = round(signal * whole)
    return good * UNIT, (whole - good) * UNIT


class Memory:
    """All that is known of one memory."""

    def __init__(self, *, text: str, space: str, key: str | None, when: float, now: float, metadata: dict[str, Any]):
        self.text, self.space, self.key = text, space, key
        self.when, self.created, self.updated, self.reviewed = when, now, now, now
        self.metadata = metadata
        self.value = 1.0
        self.pinned = False
        self.evidence = 1
        self.importance = 0.5
        self.a = self.b = Fraction(1, 2)
        self.stability, self.difficulty = 1.0, 5.0
        self.peers: dict[str, tuple[int, Fraction, Fraction]] = {}
        self.views: dict[tuple[str, int], float] = {}

    @property
    def identity(self) -> tuple[str, str, str]:
        return (self.space, "text", " ".join(self.text.split())) if self.key is None else (self.space, "key", self.key)

    @property
    def usefulness(self) -> float:
        return float(self.a / (self.a + self.b))

    @property
    def uncertainty(self) -> float:
        n = self.a + self.b
        return math.sqrt(self.a * self.b / (n * n * (n + 1)))


class Model:
    """What a store should say after the verbs that it was given."""

    def __init__(self) -> None:
        self.memories: dict[str, Memory] = {}
        self.gone: set[str] = set()
        self.law = "fsrs-6"

    def copy(self) -> Model:
        return copy.deepcopy(self)

    def find(self, identity: tuple[str, str, str]) -> str | None:
        return next((id for id, m in self.memories.items() if m.identity == identity), None)

    def of(self, space: str) -> dict[str, Memory]:
        return {id: m for id, m in self.memories.items() if m.space == space}

    def weights(self) -> list[float]:
        return list(FSRS_6 if self.law == "fsrs-6" else FSRS_5)

    def recall(self, m: Memory, now: float) -> float:
        factor, curve = oracles.fsrs_curve(self.weights())
        return (1 + factor * max(0.0, now - m.reviewed) / DAY / m.stability) ** curve

    def outcome(self, ids: list[str], signal: float, weight: float, now: float) -> None:
        for m in (self.memories[id] for id in ids):
            good, bad = parts(signal, weight)
            m.a, m.b = m.a + good, m.b + bad
            days = max(0.0, now - m.reviewed) / DAY
            columns = (np.array([x]) for x in (m.stability, m.difficulty, days, signal))
            s, d = (float(x[0]) for x in oracles.fsrs_signal(self.weights(), THIRDS, *columns))
            part = min(1.0, weight)
            m.stability += part * (min(s, MOST) - m.stability)
            m.difficulty += part * (d - m.difficulty)
            m.reviewed = max(m.reviewed, now)
            m.updated = now

    def rate(self, ids: list[str], rating: float, weight: float, now: float) -> None:
        for m in (self.memories[id] for id in ids):
            good, bad = parts(rating, weight)
            m.a, m.b = m.a + good, m.b + bad
            m.importance = rating
            m.reviewed = max(m.reviewed, now)
            m.updated = now

    def merge(self, file: dict[str, Any], peer: str, trust: float, now: float, digests: dict[str, str]) -> None:
        """`digests`: id of the memory of each digest."""
        for known in file["memories"]:
            m = self.memories.get(digests.get(known["digest"], ""))
            view = (peer, file["upto"])
            # the same view again counts only where it is trusted more than before
            if m is None or trust <= m.views.get(view, -1.0):
                continue
            good, bad = Fraction(known["good"]), Fraction(known["bad"])
            scale = Fraction(trust)
            if scale * (good + bad) > 100:
                scale = 100 / (good + bad)
            told = (file["upto"], *(round(float(scale) * float(x) / UNIT) * UNIT for x in (good, bad)))
            before = m.peers.get(peer, (-1, Fraction(0), Fraction(0)))
            if told[0] >= before[0]:
                m.a, m.b = m.a + told[1] - before[1], m.b + told[2] - before[2]
                m.peers[peer] = told
            m.views[view] = trust
            m.stability = max(m.stability, trust * min(known["stability"], MOST))
            m.reviewed = max(m.reviewed, now)
            m.updated = now
