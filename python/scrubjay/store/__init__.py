"""The store on disk: an append-only event log in SQLite (the truth), Arrow snapshots of its fold (a cache).

How they work together:

>>> from scrubjay import fold
>>> from scrubjay.events import NamespaceSeen
>>> from scrubjay.store import EventLog, snapshot
>>> log = EventLog.open(":memory:", embedder="toy", dim=2)
>>> columns, status = snapshot.load(log)      # status says whether one was there, and why it was not used
>>> fold.catch_up(columns, log)               # what came since, also from other processes
0
>>> with log.write() as tx:                   # look up, number, append: one step, durable when the block ends
...     batch = tx.append([NamespaceSeen(at=0.0, space=tx.next_space, labels=("a",))])
>>> fold.apply(columns, batch)                # or catch_up, where others may write
>>> if snapshot.due(columns, status.seq):
...     status = snapshot.save(log, columns)
>>> log.close()
"""

from __future__ import annotations

from scrubjay.store.ids import IdSource, to_bytes, to_text
from scrubjay.store.log import EventLog
from scrubjay.store.meta import StoreMeta
from scrubjay.store.projection import Row
from scrubjay.store.view import Transaction, View

__all__ = ["EventLog", "IdSource", "Row", "StoreMeta", "Transaction", "View", "to_bytes", "to_text"]
