"""Evidence of several clauses takes the place of what one of them says is over."""

from __future__ import annotations

import numpy as np
import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.upkeep.integration import superseded


class Sure(SlotModel):
    """Finds everything of one slot, so that the words decide."""

    def __init__(self) -> None:
        pass

    def same_slot(self, texts, vectors=None, *, with_first=False, known=None):
        return np.full((len(texts), len(texts)), 0.95, np.float32)


OLD = ("Nora lives in Ghent.", "Tom works at Siemens.", "Nora is allergic to nuts.", "Nora likes Ghent's canals.")


@pytest.mark.parametrize(
    ("evidence", "lost"),
    [
        ("Nora does not live in Ghent any more, she has moved to Antwerp.", [0]),
        ("Tom no longer works at Siemens and has joined Bosch.", [1]),
        ("Tom left Siemens and works at Bosch now.", [1]),
        ("Nora does not live in Ghent any more. She has moved to Antwerp.", []),
        ("If Nora does not live in Ghent any more, we must ask her.", []),
        ("Tom may leave Siemens and work at Bosch.", []),
        ("Nora is planning to leave Ghent and to move to Antwerp.", []),
    ],
)
def test_a_clause_of_a_sentence_tells_what_is_over(evidence: str, lost: list[int]) -> None:
    rows = np.eye(len(OLD), dtype=np.float32)
    gone = superseded(Sure(), evidence, rows[0], 9.0, OLD, rows, np.zeros(len(OLD)))
    assert np.flatnonzero(gone).tolist() == lost
