"""The verbs by which a store learns from how it is used."""

from __future__ import annotations

import os
from collections.abc import Sequence

from scrubjay.encode.intake import check_flag, check_path, check_share
from scrubjay.encode.normal import check_text
from scrubjay.recall.hits import Hit
from scrubjay.store import backup as copying
from scrubjay.store.backup import Backup
from scrubjay.upkeep import observe as observing
from scrubjay.upkeep.fit import Fit, Reviews
from scrubjay.upkeep.observe import Credit
from scrubjay.verbs import upkeep
from scrubjay.verbs.engine import Engine


class UpkeepVerbs:
    """Implicit usefulness, the law of forgetting fitted to what happened, and backups."""

    _engine: Engine

    def backup(self, path: str | os.PathLike[str]) -> Backup:
        """Copy the store as it is at one moment into the new folder `path`, while others write on.

        The copy is a store: open it, or put it in the place of one that was lost. It holds the log, which is all that
        a store needs; the first opening folds it and makes the rest anew. What is purged later stays in the copies
        that were made before. A store in memory can be copied, too.

        Args:
            path: a folder that does not exist yet; those above it are made where they are missing.

        Raises:
            ArgumentError: something is there already.
            StoreError: it cannot be written, or the disk is full (StoreFullError); nothing is left of it.

        Example:
            >>> import scrubjay, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     _ = store.add("Ada likes tea.")
            ...     done = store.backup(f"{folder}/monday")
            ...     with scrubjay.open(done.path) as copy:
            ...         [memory.text for memory in copy.list()]
            ['Ada likes tea.']
        """
        return copying.backup(self._engine.log, check_path(path, argument="path"))

    def observe(
        self,
        answer: str,
        hits: Sequence[Hit],
        *,
        weight: float = observing.WEIGHT,
        source: str = observing.SOURCE,
        lexical: float = observing.LEXICAL,
        semantic: float = observing.SEMANTIC,
    ) -> list[Credit]:
        """Credit those of the hits that an answer used, by its words and sentences; returns what was credited.

        Each credited memory gets an outcome of a weak weight. One that was not used gets none: the answer says nothing
        against it. See `scrubjay.upkeep.observe` for the measures.

        Args:
            answer: the text that was made from the hits.
            hits: of a search.
            weight: of each outcome, in [1e-6, 1e6].
            source: of each outcome.
            lexical: least share of a memory's content words that the answer must have, in [0, 1].
            semantic: least cosine of a sentence to a memory, in [0, 1].

        Raises:
            ArgumentError: an argument cannot be used; nothing was written.
            MemoryNotFoundError: a hit was deleted meanwhile.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     _ = store.add_many(["The deploy needs the VPN.", "Lunch is at noon."])
            ...     hits = store.search("how do I deploy?")
            ...     used = store.observe("Switch the VPN on, the deploy needs it.", hits)
            ...     [store.get(credit.id).text for credit in used]
            ['The deploy needs the VPN.']
        """
        text = check_text(answer, argument="answer", allow_blank=True)
        return upkeep.observe(
            self._engine, text, hits, weight=weight, source=source, lexical=lexical, semantic=semantic
        )

    def fit_fsrs(
        self,
        reviews: str | os.PathLike[str] | Reviews | None = None,
        *,
        held_out: float = 0.2,
        use: bool = False,
    ) -> Fit:
        """Fit the weights of FSRS-6 to the store's own outcomes, or to a review log, and measure them on later ones.

        Args:
            reviews: None: this store's outcomes (learning counts as Good, a signal as the nearest grade); a CSV file
                with the columns card_id, review_rating and review_time; or `scrubjay.upkeep.fit.Reviews`.
            held_out: share of the reviews, the latest, that is only measured on.
            use: put the weights in force.

        Raises:
            MissingExtraError: the optimiser is not installed: pip install 'scrubjay[fit]'.
            ArgumentError: too few reviews, or a file that holds none.
            FileError: the file is not there or cannot be read.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     store.fit_fsrs()
            Traceback (most recent call last):
                ...
            scrubjay.errors.ArgumentError: reviews: 0 that can be predicted; a fit takes at least 32
        """
        if isinstance(reviews, (str, os.PathLike)):
            reviews = check_path(reviews, argument="reviews")
        share = check_share(held_out, argument="held_out")
        return upkeep.fit_fsrs(self._engine, reviews, share, check_flag(use, argument="use"))
