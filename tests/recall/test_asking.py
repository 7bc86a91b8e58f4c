"""What a question asks for, its names apart."""

from __future__ import annotations

import numpy as np
import pytest

import scrubjay
from scrubjay.encode.perishability import KeywordRule
from scrubjay.recall.asking import unnamed
from scrubjay.recall.lexical import NEAR, RARE, SPREAD
from toys import Clock, WordHash

NOW = 1.7e9


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("What is Ada's phone number?", "What is phone number?"),
        ("Where does Mr Howell sit?", "Where does sit?"),
        ("Où habite Hugo ?", "Où habite ?"),
        ("¿Dónde vive Lucía?", "¿Dónde vive ?"),
        ("Che auto guida Paolo?", "Che auto guida ?"),
        ("What does Anna Maria eat on Monday?", "What does eat on Monday?"),
        ("what does ada drink?", ""),
        ("Who is Ada?", ""),
        ("Ada?", ""),
        ("Ada drinks tea.", ""),
        ("Was trinkt Ada?", ""),
        ("Wo ist der Vertrag?", ""),
        ("What is the IP of R2?", ""),
        ("王芳住在哪里？", ""),
        ("", ""),
        ("?", ""),
    ],
)
def test_names_are_left_out_of_questions_alone(text: str, bare: str) -> None:
    assert unnamed(text) == bare


def opened(name: str) -> scrubjay.MemoryStore:
    return scrubjay.open(":memory:", embedder=WordHash(384, name), perishability=KeywordRule(), clock=Clock(NOW))


TEXTS = ("Ada keeps a cat", "Ada likes her tea hot", "Bob likes his tea hot", "the tea is cold", "Ada met Bob", "rain")
QUESTION = "What tea does Ada like hot?"


def test_what_names_the_subject_gains_by_what_is_asked() -> None:
    found = []
    for name in ("minilm-l6-v2-int8", "another-one"):
        with opened(name) as store:
            store.add_many(list(TEXTS))
            hits = store.search(QUESTION, k=6, weights={"what": 0.001, "lexical": 1.0})
            found.append({hit.memory.text: hit.factors["lexical"] for hit in hits})
    apart, plain = found
    words = WordHash(384)
    vectors = words.embed([unnamed(QUESTION), *TEXTS]).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = {text: float(vector @ vectors[0]) for text, vector in zip(TEXTS, vectors[1:], strict=True)}
    named = [text for text in TEXTS if "Ada" in text]
    ahead = max(cosine[text] for text in named)
    rare = (1 - np.log1p(len(named)) / np.log1p(len(TEXTS))) ** RARE
    expected = {
        text: plain[text] + (text in named) * NEAR * rare * np.exp((cosine[text] - ahead) / SPREAD) for text in TEXTS
    }
    most = max(expected.values())
    assert apart == pytest.approx({text: value / most for text, value in expected.items()}, abs=1e-6)
    assert max(apart, key=apart.__getitem__) == "Ada likes her tea hot"
    assert plain["Bob likes his tea hot"] > 0.0


@pytest.mark.parametrize(
    ("name", "query", "scoring", "texts"),
    [
        ("minilm-l6-v2-int8", QUESTION, "competitive", 2),
        ("minilm-l6-v2-int8", QUESTION, "paper", 1),
        ("minilm-l6-v2-int8", "tea for Ada", "competitive", 1),
        ("another-one", QUESTION, "competitive", 1),
    ],
)
def test_a_second_vector_is_made_where_it_is_of_use(name: str, query: str, scoring: str, texts: int) -> None:
    with opened(name) as store:
        store.add_many(list(TEXTS))
        embedder = store._engine.embedder
        assert isinstance(embedder, WordHash)
        embedder.calls.clear()
        store.search(query, scoring=scoring)
        assert embedder.calls == [texts]


def test_questions_asked_at_once_are_answered_as_one_by_one() -> None:
    queries = [QUESTION, "tea", "Where did Bob meet Ada?", QUESTION, "Who is Ada?"]
    with opened("minilm-l6-v2-int8") as store:
        store.add_many(list(TEXTS))
        together = store.search_many(queries, k=6)
        alone = [store.search(query, k=6) for query in queries]
    assert [[(h.memory.id, h.score) for h in hits] for hits in together] == [
        [(h.memory.id, h.score) for h in hits] for hits in alone
    ]


def test_a_name_that_all_mention_changes_little() -> None:
    with opened("minilm-l6-v2-int8") as store:
        store.add_many([f"Ada says {word}" for word in ["yes", "no", "maybe", "tea", "coffee", "water"]])
        hits = store.search("What does Ada say of tea?", k=6, weights={"what": 0.001, "lexical": 1.0})
    assert hits[0].memory.text == "Ada says tea"
