"""Every file of a store but its log, in one place: what can be made anew, and therefore be dropped."""

from __future__ import annotations

from scrubjay.store import candidates, snapshot, staging
from scrubjay.store.log import EventLog


def discard_derived(log: EventLog) -> None:
    """Delete every file that is derived from the log. A new kind of such a file needs a line here.

    Raises OSError where one cannot be deleted.
    """
    if log.in_memory:
        return
    snapshot.discard(log)
    staging.discard(log.path)
    candidates.discard(log)
