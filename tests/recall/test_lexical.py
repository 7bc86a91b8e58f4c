"""BM25 as one factor of the score: equal to its formula, exact in its claims, and never in the way of the truth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, NewMemory, errors
from scrubjay.recall.factors import LEXICAL_SHARE, Weights
from scrubjay.recall.lexical import SHORTEST, UNNAMED
from scrubjay.recall.pool import LEXICAL
from toys import Clock, WordHash

NOW = 1.7e9


class Blind:
    """An embedder to which all texts are the same but for a little noise: only words can tell them apart."""

    name = "blind-1"
    dim = 16

    def embed(self, texts: list[str]) -> np.ndarray:
        return np.stack(
            [np.ones(16) + 0.01 * np.random.default_rng(sum(text.encode())).normal(size=16) for text in texts]
        ).astype(np.float32)


@pytest.fixture
def blind() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=Blind(), clock=Clock(NOW)) as opened:
        yield opened


def bm25(texts: list[str], words: list[str]) -> list[float]:
    """Plain BM25 over split words; the mean length is that of the texts that share a word, none below `SHORTEST`."""
    docs = [Counter(text.split()) for text in texts]
    size = [max(sum(d.values()), SHORTEST) for d in docs]
    sharing = [n for n, d in zip(size, docs, strict=True) if any(w in d for w in words)]
    mean = sum(sharing) / len(sharing)
    out = []
    for doc, length in zip(docs, size, strict=True):
        total = 0.0
        for word in words:
            n = sum(word in d for d in docs)
            idf = math.log(1 + (len(docs) - n + 0.5) / (n + 0.5))
            f = doc[word]
            total += idf * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * length / mean)) if f else 0.0
        out.append(total)
    return [x / max(out) for x in out]


def test_the_factor_is_bm25_over_its_maximum(blind: MemoryStore) -> None:
    texts = ["red fox", "red fox fox fox den", "blue fox ran far", "green den", "a b c d e f red " + "g " * 20]
    blind.add_many(texts)
    hits = blind.search("red fox", k=5, weights={"what": 1.0, "lexical": 0.5})
    expected = dict(zip(texts, bm25(texts, ["red", "fox"]), strict=True))
    for hit in hits:
        assert hit.factors["lexical"] == pytest.approx(0.5 * expected[hit.memory.text], abs=1e-12)
        assert sum(hit.factors.values()) == pytest.approx(hit.score, abs=1e-12)
    assert "lexical" in hits.plan
    assert hits.exact


def test_words_find_what_vectors_do_not(blind: MemoryStore) -> None:
    blind.add_many([f"note {i} about nothing much" for i in range(300)])
    for wanted, query in [
        ("他用了一个成语", "成语"),
        ("しりとりで遊ぶ", "しりとり"),
        ("설비는 새 것이다", "설비"),
        ("a multi-agent system", "multi-agent"),
        ("it reads 3 GB/s", "GB/s"),
        ("they don't agree", "don't"),
        ("mail ada@corp.example", "ada@corp.example"),
        ("error E1234 in parse_config", "parse_config"),
    ]:
        blind.add(wanted)
        assert blind.search(query, k=1)[0].memory.text == wanted


@pytest.mark.parametrize(
    "query", ["'", '"', "*", "", " ", "a OR", "NEAR(a b)", "tokens:x", "🦊", "\u200b", "x" * 100_000]
)
def test_bug_12_no_query_raises(blind: MemoryStore, query: str) -> None:
    blind.add("a plain text")
    (hit,) = blind.search(query)
    assert math.isfinite(hit.score)


def test_the_list_is_the_one_of_a_full_scan() -> None:
    rng = np.random.default_rng(7)
    words = [f"w{i}" for i in range(60)]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 9))) + f" id{i}" for i in range(700)]
    with scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(NOW)) as store:
        store.add_many(texts)
        for weights in ({"what": 1.0}, {"what": 0.2, "lexical": 1.0}, {"lexical": 1.0}, {"what": 1.0, "when": 0.3}):
            for query in ("w1 w2 w3", "w5", "id77 w9", "nothing here"):
                short = store.search(query, k=7, weights=weights | {"lexical": 0.8}, scoring="paper")
                whole = store.search(query, k=700, weights=weights | {"lexical": 0.8}, scoring="paper")
                assert len(whole) == 700
                assert short.exact
                assert [h.score for h in short] == pytest.approx([h.score for h in whole[:7]], abs=1e-9)


def test_statistics_are_of_the_own_namespace(blind: MemoryStore) -> None:
    blind.add_many([NewMemory(text=t, namespace="a") for t in ("red fox", "red den", "blue sky")])
    alone = [(h.memory.text, h.score) for h in blind.search("red fox", namespace="a")]
    blind.add_many([NewMemory(text=f"red red fox {i}", namespace="b") for i in range(50)])
    assert [(h.memory.text, h.score) for h in blind.search("red fox", namespace="a")] == alone


def test_weights_name_it_or_leave_it_to_what(blind: MemoryStore) -> None:
    blind.add("red fox")
    (hit,) = blind.search("fox", weights={"what": 0.5})
    assert hit.factors["lexical"] == pytest.approx(0.5 * LEXICAL_SHARE)
    (hit,) = blind.search("fox", weights={"what": 0.5, "lexical": 0.0})
    assert hit.factors["lexical"] == 0.0
    (hit,) = blind.search("fox", weights={"what": 0.5}, scoring="paper")
    assert hit.factors["lexical"] == 0.0
    assert Weights.of({"lexical": 2.0}).terms()[LEXICAL] == 2.0
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(errors.ArgumentError, match="lexical"):
            Weights(what=1.0, lexical=bad)


@pytest.mark.parametrize(("speaker", "text"), [("Al", "Also, the lake was cold"), ("May", "Maybe we should go")])
def test_a_speaker_is_found_though_the_text_begins_with_the_same_letters(speaker: str, text: str) -> None:
    with scrubjay.open(":memory:", embedder=WordHash(16)) as store:
        store.add(text, metadata={"speaker": speaker})
        store.add("the lake was warm and we should go", metadata={"speaker": "Zoe"})
        hits = store.search(f"what did {speaker} say", weights={"lexical": 1.0})
        assert hits[0].memory.text == text
        assert hits[0].factors["lexical"] == 1.0


def test_speaker_and_date_are_part_of_what_is_embedded_and_indexed() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        said = store.add("I was at the lake", metadata={"speaker": "Zoe", "date": "8 May 2023"})
        store.add("They were at the lake")
        assert said.text == "I was at the lake"
        assert store.search("zoe may 2023", k=1)[0].memory.id == said.id
        store.update(said.id, metadata={"speaker": "Quentin"})
        (first, second) = store.search("Quentin:", k=2, weights={"what": 1.0, "lexical": 0.0})
        assert first.memory.id == said.id
        assert first.score > second.score + 0.1
        assert store.verify().ok


@pytest.mark.parametrize("before", [0, 9_990, 29_980])
def test_bug_13_a_fact_anywhere_in_thirty_thousand_words_is_found(blind: MemoryStore, before: int) -> None:
    filler = [f"matter{i % 977}" for i in range(29_980)]
    fact = ["the", "spare", "key", "of", "the", "boathouse", "hangs", "behind", "the", "canoe"]
    long = blind.add(" ".join([*filler[:before], *fact, *filler[before:]]))
    blind.add_many([f"the key account of customer {i}" for i in range(30)])
    blind.add_many([f"a spare part for boat {i}" for i in range(30)])
    assert blind.search("spare key boathouse", k=1)[0].memory.id == long.id


def test_a_long_text_counts_by_its_best_passage(blind: MemoryStore) -> None:
    scattered = blind.add(" ".join(["red"] + ["w"] * 300 + ["fox"] + ["w"] * 300 + ["den"]))
    together = blind.add(" ".join(["w"] * 400 + ["red", "fox", "den"] + ["w"] * 200))
    first, second = blind.search("red fox den", k=2, weights={"what": 0.1, "lexical": 1.0})
    assert (first.memory.id, second.memory.id) == (together.id, scattered.id)
    assert second.factors["lexical"] < 0.6 * first.factors["lexical"]


def test_a_rare_word_by_chance_does_not_beat_those_who_are_named(blind: MemoryStore) -> None:
    texts = [f"{name} likes thing {i}" for i, name in enumerate(("Ivo", "Olga", "Else", "Tom", "Ann"))]
    blind.add_many(["Lena likes short notes", *texts, "Mo likes long walks"])
    hits = blind.search("What is Ivo's short plan?", k=8, weights={"what": 0.01, "lexical": 1.0})
    assert hits[0].memory.text.startswith("Ivo")
    # without a name the rare word decides
    assert blind.search("What is the short plan?", k=1)[0].memory.text == "Lena likes short notes"
    # of those whom nobody mentions nothing can be known
    assert blind.search("What is Zed's short plan?", k=1)[0].memory.text == "Lena likes short notes"


def test_a_memory_of_two_who_are_named_keeps_all_and_of_one_loses_half_as_much_as_of_none(blind: MemoryStore) -> None:
    blind.add_many(["mug of Ivo Lena", "mug of Ivo Else", "mug of Olga Else", "mug of Lena Else"])
    hits = blind.search("Is the mug by Ivo and Lena ?", k=4, weights={"what": 0.01, "lexical": 1.0})
    plain = blind.search("is the mug by ivo and lena ?", k=4, weights={"what": 0.01, "lexical": 1.0})
    was = {hit.memory.text: hit.factors["lexical"] for hit in plain}
    now = {hit.memory.text: hit.factors["lexical"] for hit in hits}
    assert now["mug of Ivo Lena"] == pytest.approx(was["mug of Ivo Lena"])
    assert now["mug of Ivo Else"] == pytest.approx((0.5 + 0.5 * UNNAMED) * was["mug of Ivo Else"])
    assert now["mug of Olga Else"] == pytest.approx(UNNAMED * was["mug of Olga Else"])
