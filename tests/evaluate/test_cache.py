"""The embedding cache."""

import numpy as np
import pytest

from scrubjay.errors import ArgumentError, EmbeddingError
from scrubjay.evaluate.cache import CachedEmbedder, default_folder

from .fakes import HashEmbedder


def test_a_text_is_embedded_once_across_runs_and_orders(tmp_path):
    inner = HashEmbedder()
    first = CachedEmbedder(inner, tmp_path).embed(["Ada in Rome", "Bo", "Ada in Rome", "日本語 🙂"])
    again = CachedEmbedder(inner, tmp_path).embed(["日本語 🙂", "Bo", "new"])
    assert [sorted(c) for c in inner.calls] == [sorted(["Ada in Rome", "Bo", "日本語 🙂"]), ["new"]]
    np.testing.assert_array_equal(again[:2], first[[3, 1]])
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1.0, rtol=1e-6)
    assert CachedEmbedder(inner, tmp_path).embed([]).shape == (0, 64)


def test_two_embedders_never_share_vectors(tmp_path):
    a, b = HashEmbedder(name="a/b"), HashEmbedder(name="a-b", dim=64)
    CachedEmbedder(a, tmp_path).embed(["x"])
    CachedEmbedder(b, tmp_path).embed(["x"])
    assert len(b.calls) == 1


@pytest.mark.parametrize("damage", [lambda d: d[:-3], lambda d: d[:-1] + bytes([d[-1] ^ 1]), lambda d: b""])
def test_a_damaged_file_is_told_and_embedded_again(tmp_path, damage):
    inner = HashEmbedder()
    good = CachedEmbedder(inner, tmp_path).embed(["one two", "three"])
    (path,) = tmp_path.rglob("*.npy")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(UserWarning, match="checksum"):
        again = CachedEmbedder(inner, tmp_path).embed(["one two", "three"])
    np.testing.assert_array_equal(good, again)
    assert len(inner.calls) == 2


def test_a_run_that_was_ended_resumes_after_its_last_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr("scrubjay.evaluate.cache.CHUNK", 3)
    inner, seen = HashEmbedder(), []

    def stop(done, total):
        seen.append((done, total))
        if done == 6:
            raise KeyboardInterrupt

    texts = [f"text number {i}" for i in range(10)]
    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(inner, tmp_path, progress=stop).embed(texts)
    assert seen == [(3, 10), (6, 10)]
    CachedEmbedder(inner, tmp_path).embed(texts)
    assert sum(map(len, inner.calls)) == 10
    assert not list(tmp_path.rglob("*.draft"))


def test_many_small_files_are_joined_and_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr("scrubjay.evaluate.cache.FILES", 3)
    inner = HashEmbedder()
    for i in range(8):
        CachedEmbedder(inner, tmp_path).embed([f"text {i}", "shared"])
    assert len(list(tmp_path.rglob("*.npy"))) <= 5
    again = CachedEmbedder(inner, tmp_path)
    vectors = again.embed([f"text {i}" for i in range(8)])
    assert sum(map(len, inner.calls)) == 9
    np.testing.assert_allclose(vectors, HashEmbedder().embed([f"text {i}" for i in range(8)]) / np.sqrt(2), atol=1e-6)


class Broken(HashEmbedder):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def embed(self, texts):
        return self.value


@pytest.mark.parametrize("value", [np.full((1, 64), np.nan), np.zeros((2, 64)), np.zeros((1, 3))])
def test_an_unusable_answer_is_refused_and_not_kept(tmp_path, value):
    with pytest.raises(EmbeddingError):
        CachedEmbedder(Broken(value), tmp_path).embed(["x"])
    assert not list(tmp_path.rglob("*.npy"))
    with pytest.raises(ArgumentError, match="list"):
        CachedEmbedder(HashEmbedder(), tmp_path).embed("x")


def test_the_folder_can_be_given_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SCRUBJAY_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("SCRUBJAY_CACHE")
    assert default_folder().is_absolute()
