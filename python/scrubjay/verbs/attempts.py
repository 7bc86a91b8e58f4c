"""Preparing ahead of a transaction, and noticing in it that another writer came between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from scrubjay.events import AnyEvent, Condensed
from scrubjay.store.view import Transaction

ATTEMPTS: Final = 8
"""How often something is prepared again when another writer changed what it relied on."""


class StaleError(Exception):
    """Another writer came between preparing and writing: prepare again."""


def undisturbed(tx: Transaction, seq: int, keys: Iterable[int], matters: Callable[[AnyEvent], bool]) -> None:
    """Raise StaleError where an event that matters has been about any of the memories since event `seq`."""
    if tx.base > seq:
        for key in tx.touched_since(seq).intersection(keys):
            if any(told.seq > seq and matters(told.event) for told in tx.history(key)):
                raise StaleError


def condenses(event: AnyEvent) -> bool:
    """True for an event that puts memories below a summary."""
    return isinstance(event, Condensed)
