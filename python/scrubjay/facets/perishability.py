"""The verbs about how fast memories go stale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.encode.intake import check_flag, check_ids, check_namespace, check_progress, check_reach
from scrubjay.encode.when import When, to_seconds
from scrubjay.errors import ArgumentError, ArgumentTypeError
from scrubjay.protocols import Progress
from scrubjay.verbs import read, refit
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.refit import PerishabilityFit


class PerishabilityVerbs:
    """validity, fit_perishability, unfit_perishability."""

    _engine: Engine

    def validity(
        self,
        ids: str | Sequence[str],
        *,
        now: When | None = None,
        ages: ArrayLike | None = None,
        namespace: str | Sequence[str] | None = None,
    ) -> NDArray[np.float64]:
        """P(still holds) of memories, each by its own curve; a search's `Hit.valid` counts competitors too.

        Where the trained head decided a memory's perishability this is the head's whole curve, stretched by what has
        moved the memory's horizon since; otherwise exp(-(pi age / tau)^shape) ("Caching for the Future", eq. 3).
        Behind the end that its words name (`MemoryUnit.until`) it is 0.

        Args:
            ids: an id, or n of them.
            now: the time asked about; None: the store's clock. A memory of a time more than 5 minutes later has not
                begun: 0.
            ages: instead of `now`, (a,) seconds after each memory's own `when`.
            namespace: they must be of this one.

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
        try:
            given = None if ages is None else np.asarray(ages)
            fits = given is None or (given.ndim < 2 and (given.dtype.kind in "iuf" or not given.size))
            at = None if given is None or not fits else np.atleast_1d(given).astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            kind = "numbers of this size or kind" if isinstance(ages, (list, tuple, int)) else type(ages).__name__
            raise ArgumentTypeError(
                f"ages: expected seconds as floats or 64-bit integers, one number or a row of them, got {kind}"
            )
        if at is not None and np.isnan(at).any():
            raise ArgumentError("ages: NaN is no age; give seconds")
        time = self._engine.clock() if now is None else to_seconds(now, argument="now")
        labels = None if namespace is None else check_namespace(namespace)
        return read.holds(self._engine, check_ids(ids), now=time, ages=at, namespace=labels)

    def fit_perishability(
        self,
        *,
        now: When | None = None,
        checks: Sequence[tuple[str, When, bool]] | None = None,
        seed: int = 0,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> PerishabilityFit:
        """Fit the trained head to what this store has seen of how long its memories hold.

        Memories that an integration has superseded, and those to which a newer memory gives the lie (same subject and
        attribute, another value), ended at a known age; the newest of such a chain holds until now; the rest tells
        nothing. Where the newer is told long after the older ended, this is too late, and no held-out part can show it,
        as `notes` say: give `checks`. They tell where somebody has looked whether memories still held, and only they
        are learned from: a memory ended between the last check that found it holding and the first that did not.

        With checks the pace of the whole domain is fitted first, a slope and a shift of the logarithm of every horizon:
        check a fair sample of all memories. Then the head's last layer moves, with its weights so far as the prior. A
        fifth of the subjects is held out, each with all its versions: only where these become likelier, by more than
        the error of the comparison, is anything changed. Then every memory that the head has decided gets its new
        values, stretched by whatever has moved it since, and so will new ones. What users said stays. All of it is
        recorded at once: a crash leaves the old head or the new one. It is of the whole store, all namespaces, and
        needs about 250 observations, so that 50 are held out; `why` says what was there.

        Args:
            now: until when the newest of a chain holds; None: the store's clock.
            checks: (id, time, whether it held then), any number for a memory; None: what the store itself has seen.
            seed: an int >= 0, of the sample and the held-out part.
            dry_run: measure, and change nothing.
            progress: called with (done, total) while memories get their values.

        Raises:
            ArgumentError: the store was opened with a perishability model that cannot be fitted, or a check is none or
                of a time before its memory's own. MemoryNotFoundError: a check's id is unknown.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> fit = store.fit_perishability()
            >>> fit.improved, fit.observations
            (False, 0)
            >>> build = store.add("The build is red.", when=1.7e9)
            >>> fit = store.fit_perishability(checks=[(build.id, 1.7e9 + 3600, True), (build.id, 1.7e9 + 86400, False)])
            >>> fit.improved, fit.observations, fit.ended, fit.why[-23:]  # one memory is too little to learn from
            (False, 1, 1, 'about 250 are the least')
        """
        engine = self._engine
        time = engine.clock() if now is None else to_seconds(now, argument="now")
        start = check_reach(seed, argument="seed", largest=2**63 - 1)
        dry = check_flag(dry_run, argument="dry_run")
        told = refit.checked(checks)
        return refit.fit(engine, now=time, checks=told, seed=start, dry_run=dry, progress=check_progress(progress))

    def unfit_perishability(self, *, progress: Progress | None = None) -> int:
        """Go back to the shipped head; returns the number of memories that got their values by it again.

        They are those of before to the bit, save where something else has stretched a horizon: there to 1e-6 of it.

        Example:
            >>> import scrubjay
            >>> scrubjay.open(":memory:", clock=lambda: 1.7e9).unfit_perishability()
            0
        """
        return refit.unfit(self._engine, check_progress(progress))
