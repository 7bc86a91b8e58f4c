"""Training: likelihood with censoring against float64, the everyday set, determinism, and the shipped scores."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from scrubjay.encode.curves import DAY, DICTIONARY, EDGES, SHAPES, likelihood
from scrubjay.encode.head import PerishabilityHead
from scrubjay.errors import ArgumentError
from scrubjay.evaluate.validity import examples, from_rows, load_facts, score, split_subjects
from scrubjay.training import observations as obs
from scrubjay.training.augment import load_paraphrases
from scrubjay.training.ensemble import Recipe, farthest, fit_weights, head_of
from scrubjay.training.network import Fit, fit_member
from scrubjay.training.robustness import NAMES, Lasting, Moves, moved_rows, robustness_rows
from scrubjay.training.rows import everyday_row, predict
from scrubjay.training.vectors import TEXT, Vectors


def test_likelihood_is_the_interval_or_the_survival() -> None:
    seconds = np.array([0.0, 0.5 * DAY, 30 * DAY, 1000 * DAY])
    ended = likelihood(seconds, np.ones(4, bool))
    held = likelihood(seconds, np.zeros(4, bool))
    for i, t in enumerate(seconds):
        cell = int(np.searchsorted(EDGES, t, side="right")) - 1
        low, high = EDGES[cell], EDGES[cell + 1]
        assert low <= t < high
        for k, (scale, shape) in enumerate(zip(DICTIONARY, SHAPES, strict=True)):
            truth = np.exp(-((low / scale) ** shape)) - np.exp(-((high / scale) ** shape))
            assert ended[i, k] == pytest.approx(max(truth, 1e-9), abs=1e-6)
            assert held[i, k] == pytest.approx(max(np.exp(-((t / scale) ** shape)), 1e-9), abs=1e-6)


def test_censoring_is_not_an_end() -> None:
    """Half of the facts end after 10 days, a quarter was watched for 11 days and a quarter for 900: what survives 10
    days survives 300, as Kaplan-Meier says; taking the censored for ended would halve that."""
    n = 400
    seconds = np.where(np.arange(n) % 2 == 0, 10.0, np.where(np.arange(n) % 4 == 1, 11.0, 900.0)) * DAY
    ended = np.arange(n) % 2 == 0
    x = np.ones((n, 1), np.float32)
    fit = Fit(hidden=4, epochs=120, noise=0.0, step=0.03, batch=100)
    member = fit_member(x, np.arange(n), likelihood(seconds, ended), np.full(n, 1 / n), fit, 0)
    mixture = member.mixture(x[:1])[0]
    late, early = (mixture @ np.exp(-((d * DAY / DICTIONARY) ** SHAPES)) for d in (300.0, 3.0))
    assert early > 0.95
    assert late == pytest.approx(0.5, abs=0.06)


def test_everyday_sentences_are_many_sound_and_apart() -> None:
    sentences = obs.load_everyday()
    assert len(sentences) >= 600
    assert len({s.text for s in sentences}) == len(sentences)
    parts: dict[str, set[str]] = {}
    for s in sentences:
        parts.setdefault(s.family, set()).add(s.part)
        assert s.text.strip() == s.text != ""
        assert 60.0 <= s.median_s <= 600 * 365 * DAY
        assert 0.3 <= s.shape <= 4.0
        assert 0.0 <= s.never < 1.0
    assert all(part == {"train", "held_out"} for part in parts.values())
    held = sum(s.part == "held_out" for s in sentences)
    assert 0.3 <= held / len(sentences) <= 0.4
    horizon = np.log10([s.median_s for s in sentences])
    assert horizon.max() - horizon.min() > 5


ANOTHER, RESULTS = "another_hand.jsonl", "results.jsonl"


@pytest.mark.parametrize(("file", "least"), [("families.jsonl", 12000), (RESULTS, 400)])
def test_families_are_sound_and_held_out_whole(file: str, least: int) -> None:
    sentences = obs.load_families(file)
    assert len({s.text for s in sentences}) == len(sentences) > least
    parts: dict[str, set[tuple[str, float, float, float, str]]] = {}
    for s in sentences:
        parts.setdefault(s.family, set()).add((s.part, s.median_s, s.shape, s.never, s.like))
        assert s.text.strip() == s.text != ""
        assert 30.0 <= s.median_s <= 1000 * 366 * DAY
        assert 0.3 <= s.shape <= 4.0
        assert 0.0 <= s.never < 1.0
    assert all(len(label) == 1 for label in parts.values())
    held = sum(s.part == "held_out" for s in sentences)
    assert 0.1 <= held / len(sentences) <= 0.25
    assert not any(s.never >= 0.9 and s.median_s < 20 * 365 * DAY for s in sentences)


def test_nothing_near_a_sentence_of_another_hand_is_learned_from() -> None:
    """None shares six tenths of its words with one of the tests that other hands wrote."""
    others = obs.load_families(ANOTHER)
    assert Counter(s.hand for s in others) == {"first": 480, "second": 400}
    every = [*obs.load_families(), *obs.load_families(RESULTS)]
    told, learned = ([frozenset(re.findall(r"\w+", s.text.lower())) for s in some] for some in (others, every))
    often = Counter(word for words in learned for word in words)
    having: dict[str, list[frozenset[str]]] = {}
    for words in told:
        # six tenths leave no more than four out: one of its five rarest tenths is shared
        for word in sorted(words, key=lambda w: (often[w], w))[: int(0.4 * len(words)) + 1]:
            having.setdefault(word, []).append(words)
    for s, words in zip(every, learned, strict=True):
        for other in (other for word in words for other in having.get(word, ())):
            assert len(words & other) < 0.6 * len(words | other), (s.text, sorted(other))


def test_what_is_over_for_good_stays_over_and_what_is_off_for_once_does_not() -> None:
    """Families of results and endings that were held out whole, by the default embedder's head."""
    head, vectors = PerishabilityHead.load("use-multilingual-v3"), Vectors("use-multilingual-v3")
    held = [s for s in obs.load_families(RESULTS) if s.part == "held_out"]

    def after(days: float, some: list[obs.Sentence]) -> float:
        texts = [s.text for s in some]
        return float(head.p_valid(vectors(texts), texts, np.full(len(texts), days * DAY)).mean())

    for_good = [s for s in held if s.never >= 0.7]
    for_once = [s for s in held if s.median_s < 2 * DAY]
    assert len(for_good) > 30
    assert len(for_once) > 4
    assert after(365, for_good) > 0.6
    assert after(30, for_once) < 0.3


def test_a_sentence_becomes_its_labelled_curve() -> None:
    s = obs.Sentence(text="x", family="f", part="train", median_s=10 * DAY, shape=1.0, never=0.25)
    seen = obs.from_sentences([s])
    assert seen.weight.sum() == pytest.approx(1.0)
    assert s.survival(np.array([0.0, 10 * DAY]))[0] == 1.0
    assert s.survival(np.array([10 * DAY]))[0] == pytest.approx(0.625)
    never = seen.likelihood[:, -1] > 0.9
    assert seen.weight[never].sum() == pytest.approx(0.25, abs=1e-6)


def small(seed: int = 0, n: int = 240) -> tuple[np.ndarray, list[str], obs.Observations]:
    rng = np.random.default_rng(seed)
    slow = rng.random(n) < 0.5
    vectors = np.zeros((n, 16), np.float32)
    vectors[:, 0] = np.where(slow, 1.0, -1.0)
    vectors[:, 1:] = rng.standard_normal((n, 15)) * 0.05
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [
        {
            "src": "s", "kind": f"k{i % 5}", "subj": f"subject {i}", "attr": "a", "value": "v", "text": "a thing",
            "start": "2000-01-01", "end": str(np.datetime64("2000-01-01") + np.timedelta64(int(d), "D")),
            "censor": "2020-01-01",
        }
        for i, d in enumerate(np.where(slow, 2000, 20) * rng.exponential(size=n) + 1)
    ]  # fmt: skip
    facts = from_rows([r | {"end": None} if r["end"] > r["censor"] else r for r in rows])
    return vectors, [str(t) for t in facts.text], obs.from_facts(facts, flatten=0.5)


SMALL = Recipe(fit=Fit(hidden=8, epochs=60, batch=64), members=2, prototypes=20, folds=2)


def test_a_head_learns_and_is_the_same_for_a_seed(tmp_path: Path) -> None:
    vectors, texts, data = small()
    first, again = (fit_weights(vectors, texts, data, SMALL, seed=3) for _ in range(2))
    other = fit_weights(vectors, texts, data, SMALL, seed=4)
    for name, value in first._asdict().items():
        assert np.array_equal(value, getattr(again, name)), name
    assert not np.array_equal(first.output, other.output)
    head = head_of(first)
    slow, fast = np.eye(16, dtype=np.float32)[:1], -np.eye(16, dtype=np.float32)[:1]
    p = head.p_valid(np.vstack([slow, fast]), ["a thing"] * 2, [200 * DAY, 200 * DAY])
    assert p[0] > 0.7 > 0.3 > p[1]
    head_of(first, embedder="e", name="n").write(tmp_path / "h.npz")
    saved = PerishabilityHead.read(tmp_path / "h.npz")
    q = saved.p_valid(np.vstack([slow, fast]), ["a thing"] * 2, [200 * DAY, 200 * DAY])
    assert (saved.embedder, saved.name) == ("e", "n")
    np.testing.assert_allclose(p, q, atol=0.08)
    assert saved.weights.memory.sum(axis=1) == pytest.approx(1.0, abs=1e-6)


def test_prototypes_cover() -> None:
    rng = np.random.default_rng(5)
    centres = np.linalg.qr(rng.standard_normal((12, 12)))[0].astype(np.float32)
    rows = np.repeat(centres, 30, axis=0) + 0.01 * rng.standard_normal((360, 12)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    taken = farthest(rows, 12)
    assert sorted(taken // 30) == list(range(12))
    assert len(farthest(rows[:5], 12)) == 5


def test_no_facts_and_unknown_embedder_are_refused() -> None:
    with pytest.raises(ArgumentError, match="facts"):
        obs.from_facts(from_rows([]), flatten=0.5)
    with pytest.raises(ArgumentError, match="minilm"):
        Vectors("word2vec")


SOME_GROUPS = load_paraphrases()[::2]
"""Half of them: the card has the rows of all."""


def test_words_that_do_not_matter_move_the_horizon_little() -> None:
    """Paraphrases of groups that were never trained on, by the default embedder's head; in decades of the horizon."""
    head = PerishabilityHead.load("use-multilingual-v3")
    vectors = Vectors("use-multilingual-v3")
    (_, learned), (_, held) = robustness_rows(head, vectors, SOME_GROUPS)
    assert learned.groups > 2 * held.groups * 0.8 > 50
    assert learned.spread < 0.8
    assert held.spread < 0.87
    assert learned.distance < 1.3
    assert held.distance < 1.34
    assert held.rank > 0.8
    pairs = [("The lunch meeting is in room A.", "The design review is in room A.")]
    texts = [text for pair in pairs for text in pair]
    one, other = head.p_valid(vectors(texts), texts, 14 * DAY)
    assert abs(one - other) < 0.35
    assert max(one, other) < 0.4


def test_names_prefixes_and_added_facts_move_little_and_what_lasts_stays() -> None:
    """Groups held out whole, with names and prefixes that nothing was learned from, by the default embedder's head."""
    head = PerishabilityHead.load("use-multilingual-v3")
    vectors = Vectors("use-multilingual-v3")
    rows = dict(moved_rows(head, vectors, SOME_GROUPS))
    names, prefixes, added, chatter = (rows[k] for k in ("other names", "prefixes", "a lasting fact added", "chatter"))
    assert isinstance(names, Moves)
    assert isinstance(prefixes, Moves)
    assert isinstance(added, Moves)
    assert isinstance(chatter, Moves)
    assert names.texts == NAMES * names.sentences > 1000
    assert names.spread < 0.38
    assert prefixes.spread < 0.48
    assert added.spread < 0.74
    assert chatter.spread < 0.4
    assert chatter.week < 0.13
    learned, held = rows["lasting facts after five years"], rows["lasting facts held out, after five years"]
    assert isinstance(learned, Lasting)
    assert isinstance(held, Lasting)
    assert learned.mean > 0.85
    assert learned.above > 0.54
    assert held.mean > 0.78
    assert held.above > 0.39
    texts = [f"{name} is hungry." for name in ("Tom", "Xiulan", "Oluwaseun")]
    assert head.p_valid(vectors(texts), texts, np.full(3, 7 * DAY)).max() < 0.3
    texts = ["Maya is allergic to peanuts.", "Xiulan was born in Leeds.", "Tom's mother tongue is Polish."]
    assert head.p_valid(vectors(texts), texts, np.full(3, 5 * 365 * DAY)).min() > 0.8


def test_text_head_reproduces_its_scores() -> None:
    """On the real test subjects: far better than the keyword rule (.191 / .502) and than a constant."""
    folder = os.environ.get("SCRUBJAY_DATA")
    if not folder:
        pytest.skip("SCRUBJAY_DATA is not set: no real facts to score")
    facts = load_facts([Path(folder) / "validity" / f"{s}.jsonl" for s in ("endoflife", "congress", "yago")])
    test = facts.take(split_subjects(facts).test)
    ex = examples(test)
    vectors = Vectors(TEXT)
    head = PerishabilityHead.load(TEXT)
    result = score(test, ex, predict(head, vectors, test, ex), draws=0)
    assert result.brier.estimate < 0.115
    assert result.auroc_within.estimate > 0.85
    assert result.ece.estimate < 0.05
    everyday = everyday_row(head, vectors, obs.load_everyday())
    assert everyday.rank_correlation > 0.2
