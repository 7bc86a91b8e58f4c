"""The verbs that look: search, get, list, history. None of them writes, and none calls a language model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.encode.intake import check_context, check_flag, check_id
from scrubjay.encode.normal import check_text
from scrubjay.encode.scheduled import appointed
from scrubjay.encode.validity import Kept, Validity, validity
from scrubjay.errors import ArgumentError, ArgumentTypeError, CorruptionError, MemoryNotFoundError, shown
from scrubjay.events import Outcome, Outcomes, Recorded
from scrubjay.memory import MemoryUnit, Subtree
from scrubjay.recall.asked import rank_and_ask
from scrubjay.recall.candidates import Candidates
from scrubjay.recall.diversity import Diversity, choose
from scrubjay.recall.factors import FACTORS, LEXICAL_SHARE, TERMS, Weights
from scrubjay.recall.filters import Filter
from scrubjay.recall.frames import frame as frame_weights
from scrubjay.recall.hits import Hit, Hits
from scrubjay.recall.hop import GRAPH
from scrubjay.recall.intent import MOST_NORM, query_weights
from scrubjay.recall.lexical import NO_WORDS, Lexical, lexical
from scrubjay.recall.once import Once
from scrubjay.recall.pool import LEXICAL, Question
from scrubjay.recall.ranking import Ranked, check_scoring, rank
from scrubjay.recall.scope import Scope, narrowed
from scrubjay.recall.standing import SKEW
from scrubjay.sets import distinct
from scrubjay.store.ids import to_bytes
from scrubjay.store.lexical import MOST_SPACES
from scrubjay.upkeep.compaction import shares
from scrubjay.verbs.asking import queries_of
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.heard import stated
from scrubjay.verbs.notes import notes_on, unknown_fields
from scrubjay.verbs.passages import Spans, passage_of, spans_of
from scrubjay.verbs.prepare import check_buffer, through
from scrubjay.verbs.quarantine import left_out, trusted
from scrubjay.wordlist import word_set

_DAMAGED: Final = "the lexical index is damaged, so words counted nothing; run verify(repair=True)"
FIRST_WIDTH: Final = 50
WIDER: Final = 4
"""How many hits a varied list is chosen from: first FIRST_WIDTH, or WIDER times k, then WIDER times as many."""


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a memory's life."""

    seq: int
    """Its place in the log."""
    at: float
    """When it was recorded: seconds since the epoch."""
    event: str
    """Its kind: "learned", "reinforced", "updated", "forgotten", ..."""
    changes: dict[str, Any]
    """The fields that it set, without vectors."""

    def __str__(self) -> str:
        parts = ", ".join(f"{name}={value!r:.80}" for name, value in self.changes.items())
        return f"#{self.seq} {self.event} {parts}"


def search_many(
    engine: Engine,
    queries: Sequence[object],
    *,
    k: int,
    diversity: object = None,
    **options: Any,
) -> list[Hits]:
    """The k best memories for each query, see `_search`; as varied as `diversity` asks."""
    if diversity is None:
        return _search(engine, queries, k=k, **options)
    if not isinstance(diversity, Diversity):
        raise ArgumentTypeError(f"diversity: expected a Diversity, got {type(diversity).__name__}")
    wide = max(FIRST_WIDTH, WIDER * k)
    while True:
        found = _search(engine, queries, k=wide, **options)
        chosen = [choose(hits, _vectors(engine, hits, diversity), k, diversity) for hits in found]
        if all(len(some) >= k or len(hits) < wide for some, hits in zip(chosen, found, strict=True)):
            return [_kept(hits, some) for hits, some in zip(found, chosen, strict=True)]
        wide *= WIDER


def _vectors(engine: Engine, hits: Hits, law: Diversity) -> NDArray[np.float32]:
    out = np.zeros((len(hits), engine.columns.dim), np.float32)
    if law.mmr and len(hits):
        ids = [to_bytes(hit.memory.id) for hit in hits]
        with engine.log.read() as view:
            keys = view.keys_of(ids)
        with engine.gate.reading():
            rows = engine.columns.rows([keys.get(id, 0) for id in ids])
            out[rows >= 0] = engine.columns.vectors[rows[rows >= 0]]
    return out


def _kept(hits: Hits, positions: Sequence[int]) -> Hits:
    kept = [hits[i] for i in positions]
    return Hits(
        kept,
        query=hits.query,
        plan=f"{hits.plan}+diversity",
        exact=hits.exact,
        notes=hits.notes,
        context=hits.context,
        weights=hits.weights,
        answered=hits.answered,
    )


def _search(
    engine: Engine,
    queries: Sequence[object],
    *,
    k: int,
    contexts: Sequence[object],
    namespace: tuple[str, ...] | Subtree,
    now: float,
    weights: Weights | None,
    scoring: str | None,
    buffer: object = None,
    around: int = 0,
    among: NDArray[np.int64] | None = None,
    filter: Filter | None = None,
) -> list[Hits]:
    """The k best memories of the namespace, or of those `among` its keys, for each query."""
    prepared = None if buffer is None else check_buffer(buffer, namespace)
    law = engine.scoring if scoring is None else check_scoring(scoring)
    if len(contexts) != len(queries):
        raise ArgumentError(f"contexts: {len(contexts)} for {len(queries)} queries; give one per query or one for all")
    texts = [check_text(query, argument=f"queries[{i}]", allow_blank=True) for i, query in enumerate(queries)]
    where = [check_context(context, argument=f"contexts[{i}]") for i, context in enumerate(contexts)]
    if not texts:
        return []
    engine.refresh()
    embedded, bare, read = queries_of(engine, texts, law)
    known = engine.embed_known([context for context in where if context is not None])
    with engine.gate.reading():
        spaces, whole = engine.spaces(namespace), engine.scope(namespace)
        scope = whole if among is None else narrowed(engine.columns, whole, among)
        unknown: list[str] = []
        if filter is not None:
            scope = engine.narrowed(scope, filter, spaces, unknown=unknown)
        scope, aside = trusted(engine, scope, namespace, filter)
        if aside:
            # what was prepared may be of them
            prepared = None
        questions = []
        used: list[Weights] = []
        beside = engine.neighbours(scope)
        moment = engine.moment(now)
        latest = scope.latest(engine.columns, now) if weights is None else None
        said_first = ([unknown_fields(unknown)] if unknown else []) + ([left_out(aside)] if aside else [])
        notes = [list(said_first) for _ in texts]
        for i, text in enumerate(texts):
            vector, norm = (None, 1.0) if where[i] is None else known[str(where[i])]
            row = weights
            if row is None:
                row = query_weights(
                    text,
                    norm=min(MOST_NORM, float(embedded.norms[i])),
                    context_norm=min(MOST_NORM, norm),
                    elapsed=0.0 if latest is None else now - latest,
                )
                if engine.weighting is not None:
                    row = engine.weighting.weights(text, row, context=where[i] is not None)
            used.append(row)
            terms = row.terms(words=law != "paper")
            what = embedded.vectors[i]
            one = Question(vector=what, context=vector, weights=terms, now=now, moment=moment, neighbours=beside)
            questions.append(msgspec.structs.replace(one, appointed=appointed, asked=read[i]))

        def stored(rows: NDArray[np.int64]) -> tuple[NDArray[np.object_]]:
            with engine.log.read() as view:
                return (np.array(view.texts(engine.columns.key[rows].tolist()), np.object_),)

        once = Once(stored)

        def texts_of(rows: NDArray[np.int64]) -> list[str]:
            told: list[str] = once(rows)[0].tolist()
            return told

        narrow: set[int] = set()

        def ask(places: Sequence[int]) -> list[Ranked]:
            some = []
            source = None if engine.candidates is None else engine.candidates.source(engine.columns)
            for i in places:
                words, asked, total = NO_WORDS, spaces, whole.count
                if questions[i].weights[LEXICAL] > 0.0:
                    if len(spaces) > MOST_SPACES:
                        narrow.add(i)
                        asked = _nearest(engine.columns, questions[i], scope, source)
                        total = sum(engine.scope_of(number).count for number in asked)
                        notes[i].append(
                            f"words were looked up in {len(asked)} of {len(spaces):,} namespaces: those of the best by "
                            "everything else; search fewer at once to have them count in all"
                        )
                    words = _words(engine, texts[i], asked, scope, total, notes[i], bare.get(i))
                some.append(msgspec.structs.replace(questions[i], lexical=words))
            return rank_and_ask(
                engine.columns,
                some,
                k,
                model=engine.answers,
                succession=engine.succession,
                scope=scope,
                scoring=law,
                texts=texts_of,
                vectors=engine.vectors_of,
                slots=engine.slots,
                candidates=source,
            )

        if prepared is None:
            ranked = ask(range(len(questions)))
        else:
            ranked, told = through(engine, prepared, questions, k, scoring=law, scope=scope, texts=texts_of, ask=ask)
            notes = [[note, *said] if note else said for note, said in zip(told, notes, strict=True)]
        keys = [engine.columns.key[answer.rows].tolist() for answer in ranked]
        rows = distinct(np.concatenate([answer.rows for answer in ranked]))
        beside_keys = _beside(engine, scope, rows, around)
        spans = [spans_of(engine, answer, question.weights) for answer, question in zip(ranked, questions, strict=True)]
        found = engine.columns.key[rows].tolist()
        kept = Kept.of(engine.columns, rows)
    labels = None if isinstance(namespace, Subtree) else namespace
    units = dict(zip(found, engine.units(found, labels=labels), strict=True)) if found else {}
    others = sorted({key for some in beside_keys.values() for key in some})
    turns: dict[int, list[MemoryUnit]] = {}
    if others:
        known_turns = dict(zip(others, engine.units(others, labels=labels), strict=True))
        turns = {key: [u for u in map(known_turns.get, some) if u] for key, some in beside_keys.items()}
    held = None
    if law != "paper" and found:
        held = _validity(engine, kept, found, units, now)
    out = [
        _hits(engine, text, answer, some, units, held, now, said, turns, told)
        for text, answer, some, said, told in zip(texts, ranked, keys, notes, spans, strict=True)
    ]
    for i, hits in enumerate(out):
        hits.weights, hits.context = used[i], where[i] is not None
        hits.exact = hits.exact and i not in narrow and not engine.columns.damaged
    return out


def _nearest(columns: Columns, question: Question, scope: Scope, source: Candidates | None) -> list[int]:
    """The namespaces of the rows that are best without words, neighbours and competitors; at most MOST_SPACES."""
    weights = question.weights.copy()
    weights[[GRAPH, *range(len(FACTORS), len(weights))]] = 0.0
    asked = msgspec.structs.replace(question, weights=weights, neighbours=None, lexical=NO_WORDS)
    (best,) = rank(
        columns, [asked], 4 * MOST_SPACES, scope=scope, scoring="paper", texts=_silent, slots=None, candidates=source
    )
    return list(dict.fromkeys(columns.space[best.rows].tolist()))[:MOST_SPACES]


def _silent(rows: NDArray[np.int64]) -> list[str]:
    return [""] * len(rows)


def _beside(engine: Engine, scope: Scope, rows: NDArray[np.int64], reach: int) -> dict[int, list[int]]:
    """Keys of the turns around each row's, by the row's key. The caller holds the gate."""
    if not reach:
        return {}
    key, out = engine.columns.key, {}
    for row in rows.tolist():
        turns = engine.around(scope, row, reach)
        out[int(key[row])] = key[turns[turns != row]].tolist()
    return out


def _words(
    engine: Engine,
    text: str,
    spaces: Sequence[int],
    scope: Scope,
    total: int,
    notes: list[str],
    bare: NDArray[np.float32] | None,
) -> Lexical:
    """The rows of a scope that share words with a query. The caller holds the gate."""
    if not spaces or not scope.count:
        return NO_WORDS
    try:
        with engine.log.read() as view:
            mentions = view.mentions(spaces, text)
    except CorruptionError:
        notes.append(_DAMAGED)
        return NO_WORDS
    if mentions is None:
        notes.append("the store has no lexical index yet, so words counted nothing; open it once for writing")
        return NO_WORDS
    if mentions.skipped:
        notes.append(
            f"{mentions.skipped} of the query's words were too frequent or too many to look up, and counted nothing"
        )
    return lexical(engine.columns, scope, mentions, total, bare)


def _validity(
    engine: Engine, kept: Kept, keys: list[int], units: Mapping[int, MemoryUnit | None], now: float
) -> dict[int, tuple[float, float, float]]:
    """(p, low, high) by key."""
    p, low, high = _held(engine, kept, now - kept.when, [units[key] for key in keys])
    ahead = kept.when > now + SKEW
    for some in (p, low, high):
        some[ahead] = 0.0
    return dict(zip(keys, zip(p.tolist(), low.tolist(), high.tolist(), strict=True), strict=True))


def _held(engine: Engine, kept: Kept, ages: NDArray[np.float64], units: Sequence[MemoryUnit | None]) -> Validity:
    texts, contexts = [u.text if u else "" for u in units], [u.context if u else None for u in units]
    return validity(engine.perishability, stated(engine, kept, texts), ages, texts, contexts)


def holds(
    engine: Engine,
    ids: Sequence[str],
    *,
    now: float | None,
    ages: NDArray[np.float64] | None,
    namespace: tuple[str, ...] | None,
) -> NDArray[np.float64]:
    """P(still holds) of each memory by its own curve, at `now` or at `ages` after its own time."""
    engine.refresh()
    keys = [engine.key_of(id, namespace) for id in ids]
    with engine.gate.reading():
        rows = engine.columns.rows(keys)
        if (rows < 0).any():
            raise MemoryNotFoundError(f"id {shown(ids[int(np.argmin(rows))])}: no such memory")
        kept = Kept.of(engine.columns, rows)
    if ages is not None:
        return _held(engine, kept, np.tile(ages, (len(keys), 1)), engine.units(keys)).p
    time = now or 0.0
    p = _held(engine, kept, time - kept.when, engine.units(keys)).p
    p[kept.when > time + SKEW] = 0.0
    return p


def chosen_weights(engine: Engine, weights: Any, frame: object, scoring: str | None = None) -> Weights | None:
    """The row of weights that a caller chose; None for the query's own.

    A frame's weight of similarity is shared by vectors and words where words count, so that scores stay within its sum.
    """
    if frame is None:
        return None if weights is None else Weights.of(weights)
    if weights is not None:
        raise ArgumentError("frame: a frame is a row of weights; give one of frame and weights")
    row = frame_weights(frame, engine.frames)
    if row.lexical is not None or (engine.scoring if scoring is None else scoring) == "paper":
        return row
    what = row.what / (1.0 + LEXICAL_SHARE)
    return msgspec.structs.replace(row, what=what, lexical=row.what - what)


def checked_filter(given: object, seconds: Callable[[Any], float], *, as_of: object, buffer: object) -> Filter:
    """A caller's filter. Raises ArgumentError where it cannot be applied before ranking."""
    filter = Filter(given, seconds)
    if buffer is not None:
        raise ArgumentError("filter: a buffer was prepared without one; search without the buffer")
    if as_of is not None and filter.metadata:
        raise ArgumentError("filter: metadata is kept as it is now; with as_of filter by fields that begin with $")
    return filter


def _hits(
    engine: Engine,
    text: str,
    answer: Ranked,
    keys: Sequence[int],
    units: Mapping[int, MemoryUnit | None],
    held: Mapping[int, tuple[float, float, float]] | None,
    now: float,
    said: Sequence[str],
    turns: Mapping[int, Sequence[MemoryUnit]],
    spans: Sequence[Spans | None],
) -> Hits:
    hits = []
    for i, key in enumerate(keys):
        unit = units[key]
        if unit is None:
            continue
        lost = float(answer.superseded[i])
        p, low, high = (float(answer.valid[i]), math.nan, math.nan) if held is None else held[key]
        if held is not None:
            p, low, high = p * (1.0 - lost), low * (1.0 - lost), high * (1.0 - lost)
        hits.append(
            Hit(
                memory=unit,
                score=float(answer.scores[i]),
                factors=dict(zip(TERMS, answer.contributions[i].tolist(), strict=True)),
                valid=p,
                interval=None if math.isnan(low) else (low, high),
                superseded=lost,
                complete=int(answer.rows[i]) not in answer.unsettled,
                passage=passage_of(text, unit.text, spans[i]),
                around=tuple(turns.get(key, ())),
                answers=answer.share(i),
                now=now,
            )
        )
    notes = [*notes_on(engine, text, answer, hits, now), *said]
    exact = answer.exact and _DAMAGED not in said
    return Hits(hits, query=text, plan=answer.plan, exact=exact, notes=notes, answered=answer.answered)


def get(engine: Engine, id: str, namespace: tuple[str, ...] | None) -> MemoryUnit:
    """One living memory."""
    check_id(id)
    engine.refresh()
    unit = engine.units([engine.key_of(id, namespace)])[0]
    if unit is None:
        raise MemoryNotFoundError(f"id {shown(id)}: no such memory")
    return unit


def listing(
    engine: Engine, namespace: tuple[str, ...] | Subtree, limit: int, after: str | None, *, archived: bool = False
) -> list[MemoryUnit]:
    """The memories of a namespace in the order in which they were added, from the one behind `after` on."""
    check_flag(archived, argument="archived")
    engine.refresh()
    start = 0 if after is None else engine.key_of(after, namespace, deleted=True)
    spaces = engine.spaces(namespace)
    with engine.gate.reading():
        scope = engine.scope(namespace)
        columns = engine.columns
        if archived:
            keys = columns.key[columns.live() & np.isin(columns.space, spaces)]
        else:
            every = scope.rows is None and scope.live is None
            keys = columns.key if every else columns.key[scope.listed(columns)]
        page: list[int] = keys[np.searchsorted(keys, start, side="right") :][:limit].tolist()
    labels = None if isinstance(namespace, Subtree) else namespace
    return [unit for unit in engine.units(page, labels=labels) if unit is not None]


def history(engine: Engine, id: str, namespace: tuple[str, ...] | None) -> list[HistoryEntry]:
    """Every event about a memory, oldest first; a deleted memory keeps its history."""
    check_id(id)
    key = engine.key_of(id, namespace, deleted=True)
    with engine.log.read() as view:
        return [entry for recorded in view.history(key) for entry in _entries(recorded, key)]


def _entries(recorded: Recorded, key: int) -> list[HistoryEntry]:
    if not isinstance(recorded.event, Outcomes):
        return [_entry(recorded)]
    # what compaction gathered is told one by one
    return [
        _entry(
            Recorded(
                seq,
                Outcome(
                    at=at,
                    keys=[key],
                    signal=signal,
                    weight=weight,
                    source=source,
                    moment=None if moment == at else moment,
                ),
            )
        )
        for who, seq, signal, weight, moment, at, source in shares(recorded.seq, recorded.event)
        if who == key
    ]


def _entry(recorded: Recorded) -> HistoryEntry:
    fields: dict[str, Any] = msgspec.to_builtins(recorded.event, builtin_types=(bytes,))
    hidden = word_set("type utilities support at key keys id ids dedupe vector space spaces context")
    return HistoryEntry(
        seq=recorded.seq,
        at=recorded.event.at,
        event=str(fields["type"]),
        changes={name: value for name, value in fields.items() if name not in hidden},
    )
