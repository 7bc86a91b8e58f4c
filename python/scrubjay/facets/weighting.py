"""The verbs about learned weights."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scrubjay.encode.intake import check_flag
from scrubjay.errors import ArgumentTypeError
from scrubjay.recall.hits import Hits
from scrubjay.recall.weighting import WeightFit, WeightHead, fit_weights, judged
from scrubjay.verbs.engine import Engine


class WeightingVerbs:
    """fit_weights and weighting."""

    _engine: Engine

    def fit_weights(self, searches: Iterable[tuple[Hits, Collection[str]]], *, use: bool = True) -> WeightFit:
        """Learn which terms of the score to trust for which kind of question (`scrubjay.recall.weighting`).

        The rule of "Caching for the Future", eq. 6, is the prior. A fifth of the questions is held out, and only a head
        that orders more of their memories rightly, by more than two standard errors, comes out. Search widely (k of 20
        or more) for the lists to learn from: what a list does not show cannot be learned.

        Args:
            searches: lists of hits, each with the ids of those that were of use.
            use: search with the head from now on, where there is one; see `weighting`.

        Raises:
            ArgumentTypeError: an item is no (Hits, ids).

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> tea = store.add("Ada prefers tea")
            >>> store.fit_weights([(store.search("what does she drink?"), [tea.id])]).head is None  # too few
            True
        """
        check_flag(use, argument="use")
        try:
            every = iter(searches)
        except TypeError:
            told = type(searches).__name__
            raise ArgumentTypeError(f"searches: expected pairs of Hits and ids, got {told}") from None
        fit = fit_weights([judged(*_pair(item)) for item in every])
        if use and fit.head is not None:
            self._engine.weighting = fit.head
        return fit

    @property
    def weighting(self) -> WeightHead | None:
        """The head by which this handle moves the rule's weights; None for the rule as it is. It is not stored: keep
        `WeightHead.to_json()`, and set what `WeightHead.from_json` makes of it."""
        return self._engine.weighting

    @weighting.setter
    def weighting(self, head: WeightHead | None) -> None:
        if head is not None and not isinstance(head, WeightHead):
            raise ArgumentTypeError(f"weighting: expected a WeightHead or None, got {type(head).__name__}")
        self._engine.weighting = head


def _pair(item: object) -> tuple[Hits, Collection[str]]:
    if not isinstance(item, tuple) or len(item) != 2 or not isinstance(item[0], Hits):
        raise ArgumentTypeError(f"searches: expected pairs of Hits and ids, got {type(item).__name__}")
    ids = item[1]
    if not isinstance(ids, Collection) or isinstance(ids, str) or not all(isinstance(id, str) for id in ids):
        raise ArgumentTypeError(f"searches: expected the ids of useful hits beside Hits, got {type(ids).__name__}")
    return item
