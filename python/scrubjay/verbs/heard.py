"""The vectors by which the shipped heads tell how long texts hold: of what they state, whoever says so.

"I heard from Ana that the office is closed" is stored, searched and shown as it is; it goes stale as "The office is
closed" does. The vector of what is stated is kept nowhere: it is made when the memory is written and again when its
curve is asked for, and recent ones are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.features import LIMIT
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.said import statement
from scrubjay.encode.validity import Kept
from scrubjay.errors import EmbedderMismatchError, EmbeddingError
from scrubjay.verbs.engine import Engine


def heard(engine: Engine, texts: Sequence[str], what: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit vectors (n, d): those given, and of a text that states less than it is the vector of its statement. Any
    other perishability model gets what it was promised, the vectors of the texts."""
    less = _less(engine, texts)
    # a handle without an embedder makes do with what is stored
    with suppress(EmbedderMismatchError):
        return _replaced(engine, less, what)
    return what


def stated(engine: Engine, kept: Kept, texts: Sequence[str]) -> Kept:
    """What is kept of memories with these texts, with the vectors of what they state; where those cannot be had, a
    memory's curve is that of its pi, tau and shape."""
    less = {i: core for i, core in _less(engine, texts).items() if kept.by_head[i]}
    with suppress(EmbedderMismatchError, EmbeddingError):
        return kept._replace(what=_replaced(engine, less, kept.what))
    by_head = kept.by_head.copy()
    by_head[list(less)] = False
    return kept._replace(by_head=by_head)


def _less(engine: Engine, texts: Sequence[str]) -> dict[int, str]:
    """The statements of those texts that state less than they are, where the model reads the vectors of texts."""
    model = engine.perishability
    if not isinstance(model, PerishabilityHead) or model.embedder is None:
        return {}
    return {i: core for i, text in enumerate(texts) if len(text) <= LIMIT and (core := statement(text)) != text}


def _replaced(engine: Engine, less: dict[int, str], what: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors with those of statements at their places."""
    if not less:
        return what
    known = engine.embed_known(list(less.values()), argument="text", allow_zero=True)
    what = what.copy()
    what[list(less)] = [known[core][0] for core in less.values()]
    return what
