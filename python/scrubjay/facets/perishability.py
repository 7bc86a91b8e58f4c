"""The verbs about how fast memories go stale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.encode.intake import check_ids
from scrubjay.encode.when import When, to_seconds
from scrubjay.errors import ArgumentError
from scrubjay.verbs import read
from scrubjay.verbs.engine import Engine


class PerishabilityVerbs:
    """validity."""

    _engine: Engine

    def validity(
        self, ids: str | Sequence[str], *, now: When | None = None, ages: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """P(still holds) of memories, each by its own curve; a search's `Hit.valid` counts competitors too.

        Where the trained head decided a memory's perishability this is the head's whole curve, stretched by what has
        moved the memory's horizon since; otherwise exp(-(pi age / tau)^shape) ("Caching for the Future", eq. 3).

        Args:
            ids: an id, or n of them.
            now: the time asked about; None: the store's clock.
            ages: instead of `now`, (a,) seconds after each memory's own `when`.

        Returns:
            (n,) or, with `ages`, (n, a) float64 in [0, 1].

        Raises:
            MemoryNotFoundError: an id is unknown. ArgumentError: `ages` is NaN, or given together with `now`.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> build, water = store.add_many(["The build is running right now.", "Water boils at 100 degrees."])
            >>> p = store.validity([build.id, water.id], ages=[0.0, 7 * 86400.0])
            >>> bool(p[0, 1] < p[1, 1]), p[:, 0].tolist()
            (True, [1.0, 1.0])
        """
        if ages is not None and now is not None:
            raise ArgumentError("ages, now: give one of the two")
        at = None if ages is None else np.atleast_1d(np.asarray(ages, np.float64)).ravel()
        if at is not None and np.isnan(at).any():
            raise ArgumentError("ages: NaN is no age; give seconds")
        time = self._engine.clock() if now is None else to_seconds(now, argument="now")
        return read.holds(self._engine, check_ids(ids), now=time, ages=at)
