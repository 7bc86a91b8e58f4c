"""Contradictions that only another word shows, and statements that hold together, for each shipped slot model."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.slots.contradictions import PAIRS

from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import MissingExtraError
from scrubjay.slots.agreement import agree
from scrubjay.slots.attributes import NAMES, attributes, bit
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.statements import statement
from scrubjay.training.slot_changes import change_pairs, load_changes

LANGUAGES = ("german", "french", "spanish", "chinese", "japanese")
EMBEDDERS = {"use-multilingual-v3": UniversalEncoder, "minilm-l6-v2-int8": MiniLMEncoder}
COMPETE = np.array([compete for *_, compete in PAIRS])


@pytest.fixture(scope="module", params=[None, *EMBEDDERS])
def found(request: pytest.FixtureRequest) -> NDArray[np.float64]:
    """c of each pair, by one of the shipped models."""
    name = request.param
    model = SlotModel.load(name)
    texts = list(dict.fromkeys(t for _, a, b, _ in PAIRS for t in (a, b)))
    vectors = None
    if name is not None:
        try:
            vectors = EMBEDDERS[name]().embed(texts)
        except MissingExtraError as error:
            pytest.skip(str(error))
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    place = {t: i for i, t in enumerate(texts)}
    out = []
    for _, a, b, _ in PAIRS:
        rows = [place[a], place[b]]
        out.append(float(model.same_slot([a, b], None if vectors is None else vectors[rows])[0, 1]))
    return np.array(out)


def share(found: NDArray[np.float64], compete: bool, families: tuple[str, ...] = ()) -> float:
    chosen = compete == COMPETE
    if families:
        chosen &= np.array([family in families for family, *_ in PAIRS])
    return float((found[chosen] >= FLOOR).mean())


def test_the_list_is_long_and_two_sided() -> None:
    assert len(PAIRS) >= 200
    assert 90 <= COMPETE.sum() <= len(PAIRS) - 90
    trained = change_pairs(load_changes())
    assert not {frozenset((a, b)) for _, a, b, _ in PAIRS} & set(
        map(frozenset, zip(trained.left, trained.right, strict=True))
    )


def test_most_contradictions_are_seen_and_few_others_taken_for_one(found: NDArray[np.float64]) -> None:
    assert share(found, True) > 0.72
    assert share(found, False) < 0.13
    assert share(found, True, LANGUAGES) > 0.7
    assert share(found, False, LANGUAGES) < 0.15


def test_hardly_anything_is_superseded_for_good_that_still_holds(found: NDArray[np.float64]) -> None:
    agreed = np.array([agree(b, a, c) for (_, a, b, _), c in zip(PAIRS, found, strict=True)])
    assert agreed[~COMPETE].mean() <= 0.01
    assert agreed[COMPETE].mean() > 0.15


@pytest.mark.parametrize(
    ("evidence", "memory"),
    [
        ("Max is the owner of the search service.", "Max is the owner of the billing service."),
        ("The user prefers short answers.", "The user prefers dark mode."),
        ("Ana is the chair of the chess club.", "Ana is the chair of the school board."),
    ],
)
def test_what_is_held_side_by_side_never_agrees(evidence: str, memory: str) -> None:
    assert not agree(evidence, memory, 1.0)
    assert not agree(memory, evidence, 1.0)


def test_words_of_several_languages_speak_of_one_attribute() -> None:
    for text in ("Ada moved to Vienna", "Ada lebt in Wien", "Ada habite à Nice", "Ada vive en Quito", "小红住在南京"):
        assert statement(text).about & bit("residence"), text
    assert not statement("Ada is a nurse.").about & bit("residence")
    assert statement("The call is at 14:30.").about & bit("time")
    assert attributes([]) == 0
    assert len(set(NAMES)) == len(NAMES) <= 62


def test_changes_are_many_and_a_third_is_held_out_whole() -> None:
    changes = load_changes()
    assert len({c.name for c in changes}) == len(changes) >= 50
    assert 0.2 < sum(c.held_out for c in changes) / len(changes) < 0.45
    train, held = (change_pairs(changes, held_out=h, each=3) for h in (False, True))
    assert not set(train.group) & set(held.group)
    assert 0.2 < np.mean(train.same) < 0.5
    assert all("{" not in t for t in train.texts + held.texts)
    assert train.left == change_pairs(changes, each=3).left
