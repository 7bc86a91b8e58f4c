"""The store on disk: an append-only event log in SQLite (the truth), Arrow snapshots of its fold (a cache)."""

from __future__ import annotations

from scrubjay.store.ids import IdSource, to_bytes, to_text
from scrubjay.store.log import EventLog
from scrubjay.store.meta import StoreMeta
from scrubjay.store.projection import Row
from scrubjay.store.view import Transaction, View

__all__ = ["EventLog", "IdSource", "Row", "StoreMeta", "Transaction", "View", "to_bytes", "to_text"]
