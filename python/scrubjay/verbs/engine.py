"""What an open store consists of, and how it keeps up with its log.

The log is the truth; the columns are its fold up to some event. `Engine.refresh` folds what has been appended since, by
this handle or by another process, before any verb looks at the columns.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import ARCHIVED, CURRENT, KEYED, PINNED, ROOM, Columns, short
from scrubjay.dynamics.channels import intervals, law_of
from scrubjay.dynamics.evidence import exploration, usefulness
from scrubjay.dynamics.retrievability import DAY
from scrubjay.encode.embedding import Embedded, embed_texts
from scrubjay.encode.head import PerishabilityHead
from scrubjay.errors import (
    EmbedderMismatchError,
    MemoryNotFoundError,
    SegmentError,
    StoreError,
    StoreFormatError,
    shown,
)
from scrubjay.fold import apply, rebuild
from scrubjay.graph.csr import Csr
from scrubjay.graph.recent import Recent
from scrubjay.llm.tasks import Ledger
from scrubjay.memory import Layer, MemoryUnit, Subtree, Tier
from scrubjay.protocols import Clock, Embedder, PerishabilityModel
from scrubjay.recall.answers import AnswerModel
from scrubjay.recall.factors import Weights
from scrubjay.recall.filters import Filter
from scrubjay.recall.frames import FRAMES
from scrubjay.recall.pool import Neighbours
from scrubjay.recall.scope import Scope, ScopeIndex, of_rows
from scrubjay.recall.spaces import SpaceTree
from scrubjay.recall.succession import SuccessionModel
from scrubjay.recall.threads import ThreadIndex
from scrubjay.recall.weighting import WeightHead
from scrubjay.remembered import forget_all
from scrubjay.slots.competition import SlotModel
from scrubjay.store.erase import is_nameless
from scrubjay.store.ids import IdSource, to_bytes, to_text
from scrubjay.store.log import EventLog
from scrubjay.store.projection import Row
from scrubjay.store.snapshot import load, save
from scrubjay.upkeep.reading import Reader, read_words
from scrubjay.verbs.candidates import Keeper
from scrubjay.verbs.gate import Gate

KNOWN_VECTORS: Final = 1024
"""Contexts and statements whose vectors a handle remembers (chosen)."""


Annotator = Callable[[Sequence[str], Sequence[str | None]], Sequence[str | None]]
"""Texts and their contexts to one sentence each, None where there is none."""


class Engine:
    """An open store: log, columns, models, clock, and the locks that hold them together."""

    def __init__(
        self,
        log: EventLog,
        columns: Columns,
        *,
        embedder: Embedder | None,
        perishability: PerishabilityModel,
        slots: SlotModel | None,
        clock: Clock,
        scoring: str,
        reader: Reader = read_words,
        graph: bool = True,
        mapped: bool | None = False,
    ) -> None:
        self.log = log
        self.columns = columns
        self.mapped = mapped
        """Whether vectors stay in their file (`scrubjay.store.snapshot.load`)."""
        self.unread = columns.seq
        """The last event that a snapshot has stood for, so that this handle has not read it."""
        self.replaced = False
        """A mapped file was lost, so that the snapshot is due."""
        self._stays = False
        """What is in memory could not be moved out: no more attempts."""
        self._opened_with = perishability
        self._fitted: tuple[int, PerishabilityModel] = (0, perishability)
        self.slots = slots
        self.answers = None if embedder is None else AnswerModel.load(embedder.name)
        """Says which of the first hits answer; None: there is none for the embedder."""
        self.succession = None if embedder is None else SuccessionModel.load(embedder.name)
        """Says which of them another has taken the place of; None alike."""
        self.clock = clock
        self.scoring = scoring
        self.reader = reader
        self.adviser: PerishabilityModel | None = None
        """Decides the perishability of what is added, where a language model is heard; None: `perishability` alone."""
        self.weighting: WeightHead | None = None
        """Moves the rule's weights, where one was fitted."""
        self.model = ""
        self.ledger = Ledger()
        self.graph = graph
        self.recent = Recent()
        self.csr = Csr()
        self.annotator: Annotator | None = None
        """Says when a text will be useful; what it says is embedded with it. None: nothing is added."""
        self.recent_turn = threading.Lock()
        self.ids = IdSource(clock)
        self.gate = Gate(lambda: log.has_turn, lambda: self.columns.must_hold())
        self.frames: dict[str, Weights] = dict(FRAMES)
        self.candidates: Keeper | None = None
        """What a search scores in place of all rows, where there are many; None: all are scored."""
        self.remark = ""
        """What whoever searches here is to know, in words."""
        self.past: OrderedDict[tuple[int, int], Engine] = OrderedDict()
        """Stores as they were, by epoch and last event."""
        self.past_turn = threading.Lock()
        self._epoch = log.meta.epoch
        self._embedder = embedder
        self._index = ScopeIndex()
        self._threads = ThreadIndex()
        self._index_turn = threading.Lock()
        self._spaces: dict[tuple[str, ...], int] = {}
        self._tree = SpaceTree()
        self._tree_turn = threading.Lock()
        self._known: OrderedDict[str, tuple[NDArray[np.float32], float]] = OrderedDict()
        self._known_turn = threading.Lock()

    @property
    def embedder(self) -> Embedder:
        """The embedder of the store; a handle that was opened without one cannot embed."""
        if self._embedder is None:
            raise EmbedderMismatchError(
                f"store {self.log.path!r} was made with embedder {self.log.meta.embedder!r}: "
                "open it with that embedder to add or search"
            )
        return self._embedder

    @property
    def perishability(self) -> PerishabilityModel:
        """What decides how fast memories go stale: the model that the store was opened with, or, where that is the
        shipped head, what the store has fitted of it."""
        seq = self.columns.head_seq
        if self._fitted[0] != seq:
            data = self.columns.head
            fits = isinstance(self._opened_with, PerishabilityHead) and data
            self._fitted = (seq, PerishabilityHead.read(BytesIO(data)) if fits else self._opened_with)
        return self._fitted[1]

    @property
    def shipped(self) -> PerishabilityModel:
        """The model that the store was opened with."""
        return self._opened_with

    def refresh(self) -> None:
        """Fold what the log has and the columns have not."""
        held = self.columns
        mended = bool(held.damaged or held.orphans) and self.log.epoch != self._epoch
        if self.log.seq == held.seq and not held.lost and not mended:
            return
        with self.gate.writing():
            while True:
                epoch = self.log.epoch
                if self.columns.lost:
                    self._begin_again(epoch)
                if epoch != self._epoch:
                    # events were rewritten in place: what was folded may hold a part of what comes next
                    self.replace(Columns(self.columns.dim), epoch=epoch)
                try:
                    for batch in self.log.tail(self.columns.seq):
                        apply(self.columns, batch)
                except SegmentError:
                    continue
                if self.log.epoch == epoch and not self.columns.lost and not self._moved_out():
                    return

    def refold(self) -> None:
        """Fold the log anew from its beginning and go on with that: what was folded may be of damaged bytes."""
        with self.gate.writing():
            while True:
                epoch = self.log.epoch
                fresh = rebuild(self.log)
                if self.log.epoch == epoch:
                    break
            self.replace(fresh, epoch=epoch)
            self.replaced, self.unread = True, 0

    def _begin_again(self, epoch: int) -> None:
        """Go on without a mapped file that was lost: from the snapshot that is there now, or the log."""
        if self.columns.broken:
            self.log.broken.add(self.columns.broken)
            self.log.distrusted.add(self.columns.broken)
        columns, _ = load(self.log, mapped=self.mapped)
        self.replaced, self.unread = True, columns.seq
        self.replace(columns, epoch=epoch)

    def _moved_out(self) -> bool:
        """True where the columns were put into a new snapshot, whose vectors lie in a file, and have room again."""
        held = self.columns
        large = self.mapped and not held.mapped_bytes and 4 * held.dim * len(held) > ROOM
        if not (held.crowded or large) or self.log.read_only or self._stays:
            return False
        self._stays = True
        with suppress(StoreError):
            save(self.log, held, epoch=self._epoch)
        if held.lost:
            return True
        columns, status = load(self.log, mapped=self.mapped)
        if status.outcome != "loaded" or columns.seq < held.seq or columns.crowded:
            return False
        self._stays = False
        self.replace(columns)
        return True

    @property
    def epoch(self) -> int:
        """The log's epoch in which the columns were folded."""
        return self._epoch

    def state(self) -> tuple[int, str]:
        """The last event that is folded, and the digest of the columns there."""
        self.refresh()
        with self.gate.reading():
            return self.columns.seq, self.columns.digest()

    def replace(self, columns: Columns, *, epoch: int | None = None) -> None:
        """Go on with other columns. The caller holds the gate for writing."""
        # whatever was derived from rows is made anew, and what may have been purged is not remembered
        self._spaces.clear()
        self._tree = SpaceTree()
        with self._known_turn:
            self._known.clear()
        if epoch is not None:
            self.past.clear()
            forget_all()
        columns.generation = self.columns.generation + 1
        if self.candidates is not None:
            self.candidates.forget()
        self.columns = columns
        self._epoch = self._epoch if epoch is None else epoch

    def beside(self, log: EventLog, columns: Columns) -> Engine:
        """An engine over another log, with the same models, frames and clock."""
        other = Engine(
            log,
            columns,
            embedder=self._embedder,
            perishability=self.shipped,
            slots=self.slots,
            clock=self.clock,
            scoring=self.scoring,
            reader=self.reader,
            graph=self.graph,
        )
        other.frames = self.frames
        other.weighting = self.weighting
        other.model, other.ledger = self.model, self.ledger
        other.adviser, other.annotator = self.adviser, self.annotator
        return other

    def moment(self, now: float) -> float:
        """What the store's clock says at `now`, seconds since the epoch: `now` itself, or the active seconds so far."""
        if self.log.meta.clock == "wall":
            return now
        session = self.columns.session
        return session.active + (max(0.0, now - session.at) if session.running else 0.0)

    def stamp(self, at: float) -> float | None:
        """What an event records as its moment: None where the store's clock is the wall's."""
        return None if self.log.meta.clock == "wall" else self.moment(at)

    def space(self, labels: tuple[str, ...]) -> int | None:
        """Number of a namespace, None when nothing was ever added to it."""
        number = self._spaces.get(labels)
        if number is None:
            with self.log.read() as view:
                number = view.find_space(labels)
            if number is not None:
                self._spaces[labels] = number
        return number

    def spaces(self, where: tuple[str, ...] | Subtree) -> list[int]:
        """Numbers of a namespace, or of one and all below it; [] when nothing was ever added there."""
        if isinstance(where, Subtree):
            numbers: list[int] = self._known_tree().below(where.labels).tolist()
            return numbers
        number = self.space(where)
        return [] if number is None else [number]

    def _known_tree(self) -> SpaceTree:
        with self._tree_turn:
            tree = self._tree
            with self.log.read() as view:
                found = view.spaces_from(tree.next)
            # a purge has taken the names of some
            tree.add((number, labels) for number, labels in found if not (labels and is_nameless(labels[0])))
            return tree

    def scope(self, where: tuple[str, ...] | Subtree) -> Scope:
        """The living rows of a namespace, or of one and all below it. The caller holds the gate."""
        if isinstance(where, Subtree):
            numbers = np.array(self.spaces(where), np.int64)
            with self._index_turn:
                return self._index.several(self.columns, where.labels, numbers)
        number = self.space(where)
        return Scope(count=0) if number is None else self.scope_of(number)

    def scope_of(self, space: int) -> Scope:
        """The living rows of the namespace with this number. The caller holds the gate."""
        with self._index_turn:
            return self._index.scope(self.columns, space)

    def narrowed(
        self, scope: Scope, filter: Filter, spaces: Sequence[int], *, unknown: list[str] | None = None
    ) -> Scope:
        """The rows of a scope that pass a filter; `unknown` is told the names of metadata that no memory there has.

        The caller holds the gate.
        """
        columns = self.columns
        rows = scope.listed(columns)
        with self.log.read() as view:

            def marked(name: str, test: str, value: Any) -> NDArray[np.int64]:
                found = view.marked(spaces, name, test, value)
                if found is None:
                    raise StoreFormatError(
                        f"store {self.log.path!r} is of an earlier version and cannot be filtered by metadata yet: "
                        "open it once for writing"
                    )
                if unknown is not None and not len(found) and test != "exists" and name not in unknown:
                    known = view.marked(spaces, name, "exists", None)
                    unknown.extend([name] if known is not None and not len(known) else [])
                return found

            rows = rows[filter.mask(columns, rows, marked)] if len(rows) else rows
        return of_rows(columns, rows)

    def neighbours(self, scope: Scope) -> Neighbours | None:
        """How to find the turns beside a turn within `scope`; None where there are none. The caller holds the gate."""
        columns = self.columns
        with self._index_turn:
            if not self._threads.update(columns):
                return None

        def beside(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            with self._index_turn:
                return self._threads.neighbours(columns, scope, rows)

        return beside

    def around(self, scope: Scope, row: int, reach: int) -> NDArray[np.int64]:
        """A row with up to `reach` turns before and behind it, in order. The caller holds the gate."""
        with self._index_turn:
            self._threads.update(self.columns)
            return self._threads.around(self.columns, scope, row, reach)

    def embed_known(
        self, texts: Sequence[str], *, argument: str = "context", allow_zero: bool = False
    ) -> dict[str, tuple[NDArray[np.float32], float]]:
        """Unit vector and norm of each distinct text that is likely to come again; recent ones are remembered."""
        with self._known_turn:
            known = {text: self._known[text] for text in set(texts) if text in self._known}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            embedded = self.embed(missing, argument=argument, allow_zero=allow_zero)
            fresh = {text: (embedded.vectors[i], float(embedded.norms[i])) for i, text in enumerate(missing)}
            known |= fresh
            with self._known_turn:
                self._known.update((text, one) for text, one in fresh.items() if one[1] > 0.0)
                while len(self._known) > KNOWN_VECTORS:
                    self._known.popitem(last=False)
        return known

    def vectors_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(m, d): unit vectors of sentences of stored texts, zeros for one without direction; recent ones are kept."""
        known = self.embed_known(texts, argument="text", allow_zero=True)
        return np.stack([known[text][0] for text in texts])

    def embed(self, texts: Sequence[str], *, argument: str, allow_zero: bool = False) -> Embedded:
        """Unit vectors and norms of texts."""
        return embed_texts(self.embedder, texts, argument=argument, allow_zero=allow_zero)

    def key_of(self, id: str, namespace: tuple[str, ...] | Subtree | None, *, deleted: bool = False) -> int:
        """Row key of a memory by its id; in `namespace` where one is given. `deleted` finds deleted ones too.

        Raises MemoryNotFoundError, with the same words whether the id is unknown or another namespace's.
        """
        self.log.must_be_open()
        numbers = None if namespace is None else set(self.spaces(namespace))
        missing = MemoryNotFoundError(
            f"id {shown(id)}: no such memory" + ("" if namespace is None else " in this namespace")
        )
        try:
            raw = to_bytes(id)
        except ValueError:
            raise missing from None
        with self.log.read() as view:
            key = view.keys_of([raw]).get(raw)
            if key is not None:
                row = view.rows([key]).get(key)
                if row is not None and (numbers is None or row.space in numbers):
                    return key
            elif deleted:
                found = view.forgotten([raw]).get(raw)
                if found is not None and (numbers is None or found[1] in numbers):
                    return found[0]
        raise missing

    def units(self, keys: Sequence[int], *, labels: tuple[str, ...] | None = None) -> list[MemoryUnit | None]:
        """The memories of those keys as a caller sees them; None for one that is not living. Takes the gate."""
        with self.gate.reading():
            found = self.columns.rows(np.asarray(keys, np.int64))
            held = found[found >= 0]
            by = self.columns.superseded_by[held]
            successors = by[by != 0].tolist()
            keyed = self.columns.key[held[(self.columns.flags[held] & KEYED) != 0]].tolist()
        with self.log.read() as view:
            rows = view.rows(keys)
            taken = {key: to_text(row.id) for key, row in view.rows(successors).items()} if successors else {}
            callers = {key: event.caller for key in keyed if (event := view.learned(key)) is not None}
        names = self._tree.labels
        if labels is None and not all(row.space in names for row in rows.values()):
            names = self._known_tree().labels
        with self.gate.reading():
            columns = self.columns
            where = columns.rows(np.asarray(keys, np.int64)).tolist()
            there = [at for at in where if at >= 0]
            a, b, stability = columns.a[there], columns.b[there], columns.stability[there]
            told = (usefulness(a, b), exploration(a, b), stability, intervals(stability, law_of(columns.settings)))
            channels = dict(zip(there, zip(*(x.tolist() for x in told), strict=True), strict=True))
            return [
                None
                if at < 0 or key not in rows
                else self._unit(
                    at,
                    rows[key],
                    names[rows[key].space] if labels is None else labels,
                    taken,
                    callers.get(key),
                    channels[at],
                )
                for key, at in zip(keys, where, strict=True)
            ]

    def _unit(
        self,
        at: int,
        row: Row,
        labels: tuple[str, ...],
        successors: dict[int, str],
        caller: str | None,
        channels: tuple[float, ...],
    ) -> MemoryUnit:
        columns = self.columns
        flags = int(columns.flags[at])
        mean, bonus, stability, days = channels
        reviewed = float(columns.reviewed[at])
        return MemoryUnit(
            id=to_text(row.id),
            text=row.text,
            namespace=labels,
            key=caller or None,
            context=row.context_text,
            metadata=row.metadata,
            when=float(columns.when[at]),
            created=float(columns.created[at]),
            updated=float(columns.updated[at]),
            perishability=columns.perishability(at),
            value=float(columns.value[at]),
            evidence=int(columns.evidence[at]),
            until=until if (until := float(columns.until[at])) < math.inf else None,
            current=bool(flags & CURRENT),
            superseded_by=successors.get(int(columns.superseded_by[at])),
            pinned=bool(flags & PINNED),
            sensitive=row.sensitive,
            layer=Layer(int(columns.layer[at])),
            tier=Tier(int(columns.tier[at])),
            archived=bool(flags & ARCHIVED),
            importance=short(columns.importance[at]),
            usefulness=mean,
            uncertainty=bonus,
            stability=stability,
            difficulty=float(columns.difficulty[at]),
            reviewed=reviewed,
            due=reviewed + DAY * days,
        )
