"""The facade: `scrubjay.open` and `MemoryStore`, whose verbs are wired to the layers below and compute nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from time import time as wall_clock
from types import TracebackType
from typing import Any, Literal, cast

from scrubjay.encode.embedding import check_embedder
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.intake import (
    check_context,
    check_contexts,
    check_count,
    check_draft,
    check_drafts,
    check_flag,
    check_flags,
    check_namespace,
    check_progress,
    check_reach,
    check_scope,
    check_switch,
    check_time,
    checked_clock,
)
from scrubjay.encode.normal import check_text
from scrubjay.encode.perishability import check_model
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.encode.when import When, to_seconds
from scrubjay.errors import (
    ArgumentError,
    ArgumentTypeError,
    EmbedderMismatchError,
    StoreError,
    StoreReadOnlyError,
    shown,
)
from scrubjay.facets.bound import BoundStore, BoundVerbs, bound_labels
from scrubjay.facets.channels import ChannelVerbs
from scrubjay.facets.consolidation import ConsolidationVerbs
from scrubjay.facets.deletion import DeletionVerbs
from scrubjay.facets.graph import GraphVerbs
from scrubjay.facets.integration import IntegrationVerbs
from scrubjay.facets.migrate import MigrationVerbs
from scrubjay.facets.model import ModelVerbs
from scrubjay.facets.peers import PeerVerbs
from scrubjay.facets.perishability import PerishabilityVerbs
from scrubjay.facets.prepare import PrepareVerbs
from scrubjay.facets.quarantine import QuarantineVerbs
from scrubjay.facets.revision import RevisionVerbs
from scrubjay.facets.tiers import TierVerbs
from scrubjay.facets.timeline import TimelineVerbs
from scrubjay.facets.upkeep import UpkeepVerbs
from scrubjay.facets.weighting import WeightingVerbs
from scrubjay.fold import catch_up
from scrubjay.llm.tasks import annotate
from scrubjay.memory import Layer, MemoryUnit, NewMemory, Perishability, Subtree
from scrubjay.protocols import Clock, Embedder, LanguageModel, PerishabilityModel, Progress
from scrubjay.recall.diversity import Diversity
from scrubjay.recall.factors import Weights
from scrubjay.recall.frames import FrameLike
from scrubjay.recall.hits import Hits
from scrubjay.recall.prospective import PreparedBuffer
from scrubjay.recall.ranking import check_scoring
from scrubjay.slots.competition import SlotModel
from scrubjay.store.candidates import discard_foreign
from scrubjay.store.log import EventLog
from scrubjay.store.manifest import Status
from scrubjay.store.snapshot import due, load, save
from scrubjay.store.verify import Report, verify
from scrubjay.verbs import purge, read, stats, timeline, write
from scrubjay.verbs.advice import hear
from scrubjay.verbs.candidates import Keeper
from scrubjay.verbs.combine import Adds
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.read import HistoryEntry
from scrubjay.verbs.stats import Stats
from scrubjay.verbs.write import Remembered

Namespace = str | Sequence[str]
Scope = Namespace | Subtree
WeightsLike = Weights | dict[str, float] | Sequence[float]


def open(
    path: str | os.PathLike[str],
    *,
    embedder: Embedder | None = None,
    perishability: PerishabilityModel | None = None,
    model: LanguageModel | None = None,
    clock: Clock = wall_clock,
    durability: Literal["full", "normal"] = "full",
    scoring: Literal["competitive", "paper"] = "competitive",
    time: Literal["wall", "active"] | None = None,
    graph: bool = True,
    foresee: bool = False,
    candidates: bool | None = None,
    namespace: Namespace | None = None,
    read_only: bool = False,
    mapped: bool | None = None,
    timeout: float = 30.0,
) -> MemoryStore:
    """Open the store in folder `path`, creating it where there is none; ":memory:" keeps it in memory.

    A purge that was interrupted, or had to leave something, is finished first, unless `read_only`.

    Args:
        path: a folder, as text, path or bytes, or ":memory:".
        embedder: texts to vectors; None is the default, offline in 16 languages, 512-d. A store remembers the name and
            length of its embedder's vectors and refuses another.
        perishability: texts to perishability; None is the trained head that ships for the embedder.
        model: a language model (`scrubjay.llm`) that is heard where text is added or integrated, never by search: what
            it says of a text enters the perishability, what it says of evidence is bounded. None: nothing is asked.
        clock: seconds since the epoch (UTC): what `when` and `now` default to.
        durability: "full": what a verb returned survives a power cut; "normal": it survives the end of the process.
        time: what outcomes and forgetting are timed by; a new store keeps it for ever: "wall" (the default), or
            "active", which stands still outside of sessions. None: whatever the store has.
        scoring: the law of the when-term, see `scrubjay.recall.ranking`; `search` can name another.
        graph: make edges to neighbours when memories are written; False leaves that out and is faster.
        foresee: let `model` say of each new text in one sentence when it will be useful, and embed that with it; the
            stored text stays as it is. Without a model nothing is added.
        candidates: score only probable rows, found by an index that is made in the background, in place of all: None
            where there are so many that it pays (`scrubjay.recall.candidates.VALUES`), True from 1,024 rows on, False
            never. `Hits.exact` says whether a list is proved to be the full scan's; `stats` tells the expected recall.
        namespace: bind the handle to this namespace, see `MemoryStore.bound`; None: it may name any.
        read_only: refuse every verb that writes.
        mapped: leave the vectors of the last snapshot in their file, which is mapped instead of read: a store may be
            larger than memory. None: where they take 64 MiB or more.
        timeout: seconds to wait for another process's lock.

    Raises:
        EmbedderMismatchError, DimensionError: the store was made with another embedder.
        StoreFormatError: the folder is no store, or of a newer version.
        StoreReadOnlyError: the folder cannot be written to; open it with read_only=True.

    Example:
        >>> import scrubjay
        >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
        ...     memory = store.add("Ada prefers tea", namespace="ada")
        ...     [hit.memory.text for hit in store.search("what does she drink?", namespace="ada")]
        ['Ada prefers tea']
    """
    encoder = UniversalEncoder() if embedder is None else check_embedder(embedder)
    told = checked_clock(clock)
    check_flags(graph=graph, foresee=foresee, read_only=read_only)
    check_scoring(scoring)
    check_switch(mapped, argument="mapped")
    decider = None if perishability is None else check_model(perishability)
    labels = None if namespace is None else bound_labels(namespace)
    log = EventLog.open(
        path,
        embedder=encoder.name,
        dim=int(encoder.dim),
        clock=check_time(time) or "wall",
        durability=durability,
        read_only=read_only,
        timeout=timeout,
    )
    try:
        if time is not None and log.meta.clock != time:
            raise ArgumentError(f"time: the store was made with {shown(log.meta.clock)} time, not {shown(time)}")
        columns, status = load(log, mapped=mapped)
        engine = Engine(
            log,
            columns,
            embedder=encoder,
            perishability=PerishabilityHead.load(encoder.name) if decider is None else decider,
            slots=SlotModel.load(encoder.name),
            clock=told,
            scoring=scoring,
            graph=graph,
            mapped=mapped,
        )
        engine.candidates = Keeper(engine, check_switch(candidates, argument="candidates"))
        if not read_only:
            discard_foreign(log)
        if model is not None:
            hear(engine, model)
            if foresee:
                engine.annotator = lambda texts, contexts: annotate(model, texts, contexts, engine.ledger)
        engine.refresh()
        if not read_only:
            purge.resume(engine)
    except BaseException:
        log.close()
        raise
    store = MemoryStore(engine, status)
    return store if labels is None else cast("MemoryStore", BoundStore(store, labels, owns=True))


class MemoryStore(
    BoundVerbs,
    ChannelVerbs,
    DeletionVerbs,
    TierVerbs,
    ConsolidationVerbs,
    GraphVerbs,
    IntegrationVerbs,
    ModelVerbs,
    PeerVerbs,
    MigrationVerbs,
    PerishabilityVerbs,
    PrepareVerbs,
    QuarantineVerbs,
    RevisionVerbs,
    TimelineVerbs,
    UpkeepVerbs,
    WeightingVerbs,
):
    """An open store. Made by `scrubjay.open`; a with block or `close` ends it.

    Threads may share one. Times are given as aware datetimes, ISO text or epoch seconds; naive ones count as UTC.
    `namespace` is a label or a tuple of labels, compared label by label; () is the root, which sees no other's rows.
    """

    def __init__(self, engine: Engine, status: Status) -> None:
        self._engine = engine
        self._adds = Adds(engine)
        self._snapshot_status = status

    # -- opening and closing

    def close(self) -> None:
        """Release everything; what was acknowledged is kept. May be called again, and from another thread.

        The snapshot is a cache: where it cannot be written, on a full disk for example, the next open folds the log.
        """
        log = self._engine.log
        if log.closed:
            return
        self._engine.past.clear()
        if self._engine.candidates is not None:
            self._engine.candidates.close()
        status = self._snapshot_status
        stale = self._engine.replaced or not status.good
        try:
            if not log.read_only and (stale or due(self._engine.columns, status.seq)):
                with suppress(EmbedderMismatchError, StoreError), self._engine.gate.writing():
                    save(log, self._engine.columns, epoch=self._engine.epoch)
        finally:
            log.close()

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._engine.log.closed

    def __enter__(self) -> MemoryStore:
        self._engine.log.must_be_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"memories={self._engine.columns.live_count}"
        return f"<MemoryStore {self._engine.log.path!r} {state}>"

    def __reduce__(self) -> Any:
        raise TypeError("a MemoryStore cannot be pickled: open the store again where it is needed")

    # -- writing

    def add(
        self,
        text: str,
        *,
        context: str | None = None,
        namespace: Namespace = (),
        when: When | None = None,
        metadata: dict[str, Any] | None = None,
        key: str | None = None,
        perishability: Perishability | None = None,
        value: float = 1.0,
        pinned: bool = False,
        sensitive: str | None = None,
        layer: Layer = Layer.EPISODIC,
        importance: float = 0.5,
    ) -> MemoryUnit:
        """Remember a text; it is durable when this returns.

        The same `key`, or without one the same text up to white space, in the same namespace is the same memory: adding
        it again grows its evidence and moves its `when` forward, and stores nothing new. Another text under a `key`
        that is there replaces its memory's text as `update` does, with the context, metadata and perishability that
        come with it (none: it is judged anew, unless one was given before), unless its `when` is before the memory's:
        what arrives late is evidence and changes no text. `history` keeps what it said before. What contradicts an
        older memory does not change it here: search weighs the two (`Hit.superseded`), and `integrate` supersedes for
        good.

        Args:
            text: 1 character to 8 MiB, not blank; stored as it is.
            context: the task context it was learned in (eq. 1's where), as text.
            namespace: whose memory it is.
            when: since when it holds; None: now, by the store's clock. A future appointment is known now.
            metadata: a JSON object.
            key: the caller's own identity for it.
            perishability: how fast it goes stale; None: the store's perishability model decides.
            value: base value V >= 0.
            pinned: never pruned, immune to cuts by model output.
            sensitive: "medical", "financial", "safety" or "legal".
            layer: the layer it belongs to.
            importance: in [0, 1]; `rate` changes it.

        Raises:
            ArgumentError, ArgumentTypeError: an argument cannot be used; nothing was written.
            EmbeddingError: the embedder's answer cannot be used; nothing was written.
        """
        item = NewMemory(
            text=text,
            context=context,
            namespace=namespace,
            when=when,
            metadata=metadata,
            key=key,
            perishability=perishability,
            value=value,
            pinned=pinned,
            sensitive=sensitive,
            layer=layer,
            importance=importance,
        )
        draft = check_draft(item, self._engine.clock(), taxonomy=self._engine.columns.taxonomy)
        return self._adds.add(draft)

    def add_many(
        self,
        items: Iterable[str | dict[str, Any] | NewMemory],
        *,
        namespace: Namespace = (),
        progress: Progress | None = None,
        batch: int = write.CHUNK,
    ) -> Remembered:
        """Remember many texts, mappings or `NewMemory` values, embedded in batches; a memory per item, in order.

        All items are checked before the first is written; `namespace` is of those that name none. They are committed
        `batch` at a time: what `progress(done, total)` reports as done is durable, and running an interrupted call
        again adds only the rest. The list that is returned counts in `.added` how many of its memories are new.
        """
        engine, size = self._engine, check_count(batch, argument="batch", largest=65536)
        drafts = check_drafts(items, engine.clock(), namespace=namespace, taxonomy=engine.columns.taxonomy)
        return write.add_many(engine, drafts, batch=size, progress=check_progress(progress))

    # -- looking

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        context: str | None = None,
        namespace: Scope = (),
        now: When | None = None,
        weights: WeightsLike | None = None,
        frame: FrameLike | None = None,
        as_of: When | None = None,
        scoring: Literal["competitive", "paper"] | None = None,
        buffer: PreparedBuffer | None = None,
        around: int = 0,
        filter: Mapping[str, Any] | None = None,
        diversity: Diversity | None = None,
    ) -> Hits:
        """The k memories of the namespace that answer the query best as of `now`, best first.

        Args:
            query: any text; a blank one ranks by the other factors alone.
            k: how many at most, >= 1.
            context: the asker's task context; without one the where-term is 0.
            namespace: whose memories to look at; `Subtree("acme")` is ("acme",) and all below it. What one namespace
                says never takes the place of what another does.
            now: the time that is asked about; None: now, by the store's clock.
            weights: of the factors; None: from the query's words and the newest memory up to `now` (eq. 6).
            frame: instead of weights: "SELF", "ATTENTION", "TASK", "SIMULATE", "SCRUBJAY", one of `define_frame`, or a
                mixture {name: share} of them, whose score is the mean of theirs.
            as_of: look at the store as it was at this time, by what was recorded until then; `now` is then the same
                time unless it is given. The first such search folds the log; the last few states are kept.
            scoring: the law of the when-term; None: the one that the store was opened with.
            buffer: what `prepare` returned; it is looked into first, and everything only where it has no good answer.
            filter: look only at memories that pass it: a JSON object such as {"owner": "ada", "page": {"$gte": 3},
                "$when": {"$gte": "2026-01-01"}}; see `scrubjay.recall.filters` for fields and operators.
            diversity: leave out what repeats a better hit, or comes from a source that has its share already.
            around: give each hit this many turns before and behind it in its conversation, 0 to 100 (`Hit.around`).
                Turns are memories whose metadata names a "thread", in the order in which they were added.
        """
        check_text(query, argument="query", allow_blank=True)
        return self.search_many(
            [query],
            k=k,
            context=check_context(context),
            namespace=namespace,
            now=now,
            weights=weights,
            frame=frame,
            as_of=as_of,
            scoring=scoring,
            buffer=buffer,
            around=around,
            filter=filter,
            diversity=diversity,
        )[0]

    def search_many(
        self,
        queries: Sequence[str],
        *,
        k: int = 10,
        context: str | Sequence[str | None] | None = None,
        namespace: Scope = (),
        now: When | None = None,
        weights: WeightsLike | None = None,
        frame: FrameLike | None = None,
        as_of: When | None = None,
        scoring: Literal["competitive", "paper"] | None = None,
        buffer: PreparedBuffer | None = None,
        around: int = 0,
        filter: Mapping[str, Any] | None = None,
        diversity: Diversity | None = None,
    ) -> list[Hits]:
        """`search` for many queries in one pass over the memories; `context` is one for all or one per query."""
        if isinstance(queries, (str, bytes)) or not isinstance(queries, Sequence):
            raise ArgumentTypeError(f"queries: expected a sequence of str, got {type(queries).__name__}")
        contexts = check_contexts(context, len(queries))
        if as_of is not None and buffer is not None:
            raise ArgumentError("buffer: it holds the store's present; leave out one of as_of and buffer")
        engine = self._as_of(as_of)
        moment = as_of if now is None else now
        return read.search_many(
            engine,
            queries,
            k=check_count(k),
            contexts=contexts,
            namespace=check_scope(namespace),
            now=engine.clock() if moment is None else to_seconds(moment, argument="now"),
            weights=read.chosen_weights(self._engine, weights, frame, scoring),
            scoring=scoring,
            buffer=buffer,
            around=check_reach(around),
            diversity=diversity,
            filter=None if filter is None else read.checked_filter(filter, to_seconds, as_of=as_of, buffer=buffer),
        )

    def get(self, id: str, *, namespace: Namespace | None = None, as_of: When | None = None) -> MemoryUnit:
        """One memory by its id; with `as_of`, as it was at that time (see `search`).

        Raises:
            MemoryNotFoundError: unknown, deleted, or of another namespace than the given one.
        """
        return read.get(self._as_of(as_of), id, None if namespace is None else check_namespace(namespace))

    def _as_of(self, time: When | None) -> Engine:
        return self._engine if time is None else timeline.past(self._engine, to_seconds(time, argument="as_of"))

    def history(self, id: str, *, namespace: Namespace | None = None) -> list[HistoryEntry]:
        """Every event about a memory, oldest first, also of a deleted one."""
        return read.history(self._engine, id, None if namespace is None else check_namespace(namespace))

    def stats(self, *, namespace: Scope | None = None) -> Stats:
        """How the store stands: counts, sizes, embedder, instruction set. `namespace` counts its memories alone."""
        return stats.stats(self._engine, None if namespace is None else check_scope(namespace))

    def verify(self, *, repair: bool = False) -> Report:
        """Check what is stored against its checksums and its derivation; `repair` rebuilds what is derived.

        A repair mends events of which one bit was flipped, makes the rest of what is wrong anew from the log, and this
        handle and others that are open go on with that. Its findings are what is left, `repaired` says what was
        mended. All is compared as of one event, so that others may write meanwhile; a store in memory waits until it
        is done.
        """
        mend = check_flag(repair, argument="repair")
        if mend and self._engine.log.read_only:
            raise StoreReadOnlyError(
                "repair: the store was opened with read_only=True; open it for writing to repair it"
            )
        self._engine.refresh()
        engine = self._engine
        return verify(engine.log, catch_up, columns=engine.state, refold=engine.refold, repair=mend)

    def __len__(self) -> int:
        self._engine.refresh()
        return self._engine.columns.live_count

    def list(
        self, *, namespace: Scope = (), limit: int = 100, after: str | None = None, archived: bool = False
    ) -> list[MemoryUnit]:
        """A page of the memories of a namespace, or of a `Subtree`, in the order in which they were added.

        `after` is the id of the last memory of the page before; an empty list is the end. Those that `consolidate` has
        put aside are among them only where `archived`.
        """
        where, count = check_scope(namespace), check_count(limit, argument="limit")
        return read.listing(self._engine, where, count, after, archived=archived)
