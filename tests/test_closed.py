"""A closed store says that it is closed, whatever it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import scrubjay
from scrubjay.errors import StoreClosedError
from toys import WordHash

KNOWN = "01a22e40-c634-7244-aac2-0899420b9497"
ASKED: tuple[tuple[str, Callable[[scrubjay.MemoryStore, str], object]], ...] = (
    ("get", lambda s, one: s.get(one)),
    ("update", lambda s, one: s.update(one, text="x")),
    ("delete", lambda s, one: s.delete(one)),
    ("history", lambda s, one: s.history(one)),
    ("link", lambda s, one: s.link(one, one)),
    ("unlink", lambda s, one: s.unlink(one, one)),
    ("neighbors", lambda s, one: s.neighbors(one)),
    ("outcome", lambda s, one: s.outcome(one, 1.0)),
    ("restore", lambda s, one: s.restore(one)),
    ("validity", lambda s, one: s.validity(one)),
    ("search", lambda s, one: s.search(one)),
    ("add", lambda s, one: s.add(one)),
)


@pytest.mark.parametrize("id", ["nope", KNOWN])
@pytest.mark.parametrize(("verb", "ask"), ASKED, ids=[verb for verb, _ in ASKED])
def test_a_closed_store_says_so(verb: str, ask: Callable[[scrubjay.MemoryStore, str], object], id: str) -> None:
    store = scrubjay.open(":memory:", embedder=WordHash(32))
    store.close()
    with pytest.raises(StoreClosedError, match="closed: open it again"):
        ask(store, id)
