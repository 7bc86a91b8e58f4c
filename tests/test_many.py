"""Many memories at once under one namespace, and a search whose words cannot be looked up."""

from __future__ import annotations

import pytest

import scrubjay
from toys import Clock, WordHash


def test_the_namespace_of_many_is_of_those_that_name_none() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(32), clock=Clock(1.7e9)) as store:
        units = store.add_many(["a b", {"text": "c d", "namespace": "y"}], namespace="x")
        assert [unit.namespace for unit in units] == [("x",), ("y",)]
        with pytest.raises(scrubjay.errors.ArgumentError, match="namespace"):
            store.add_many(["e f"], namespace=3)  # type: ignore[arg-type]
        assert len(store.list(namespace="x")) == 1


def test_without_its_words_a_search_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> None:
        raise scrubjay.errors.CorruptionError("a page")

    with scrubjay.open(":memory:", embedder=WordHash(32), clock=Clock(1.7e9)) as store:
        store.add("the lamp is red")
        assert store.search("lamp").exact
        monkeypatch.setattr("scrubjay.store.view.View.mentions", damaged)
        hits = store.search("red lamp")
        assert not hits.exact
        assert any("lexical index is damaged" in note for note in hits.notes)
