"""The vectors by which the shipped heads tell how long texts hold: of what they state, whoever says so.

"I heard from Ana that the office is closed" is stored, searched and shown as it is; it goes stale as "The office is
closed" does.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.features import LIMIT
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.said import statement
from scrubjay.errors import EmbedderMismatchError
from scrubjay.verbs.engine import Engine


def heard(engine: Engine, texts: Sequence[str], what: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit vectors (n, d): those given, and of a text that states less than it is the vector of its statement. Any
    other perishability model gets what it was promised, the vectors of the texts."""
    model = engine.perishability
    if not isinstance(model, PerishabilityHead) or model.embedder is None:
        return what
    less = {i: core for i, text in enumerate(texts) if len(text) <= LIMIT and (core := statement(text)) != text}
    if less:
        # a handle without an embedder makes do with what is stored
        with suppress(EmbedderMismatchError):
            said = engine.embed(list(less.values()), argument="text", allow_zero=True).vectors
            what = what.copy()
            what[list(less)] = said
    return what
