from __future__ import annotations

import msgspec
import pytest

from scrubjay import errors, fold
from scrubjay.events import Event, Forgotten, Reinforced, Updated
from scrubjay.memory import Perishability
from scrubjay.protocols import EventLog as EventLogProtocol
from tests.store.helpers import DIM, context, fill, learned, open_log, space, start, unit


@pytest.fixture(params=["file", "memory"])
def log(request, tmp_path):
    with open_log(tmp_path / "s" if request.param == "file" else ":memory:") as opened:
        yield opened


def test_what_is_written_is_read(log):
    assert isinstance(log, EventLogProtocol)
    with log.write() as tx:
        tx.append([space(), context(0)])
        assert tx.next_key == 1
        tx.append([learned(1, context=0), learned(2, metadata={"a": [1, None]})])
        assert tx.find_dedupe(0, [learned(1).dedupe, b"?" * 16]) == {learned(1).dedupe: 1}
        assert tx.next_key == 3
    with log.write() as tx:
        tx.append([Updated(at=9.0, key=1, text="new", vector=unit(77).tobytes()), Forgotten(at=9.0, keys=[2])])
    columns = fold.rebuild(log)
    assert log.seq == columns.seq == 6
    assert columns.live_count == 1
    assert columns.what[columns.row(1)].tobytes() == unit(77).tobytes()
    rows = log.rows([1, 2, 3])
    assert list(rows) == [1]
    assert (rows[1].text, rows[1].context_text) == ("new", "context 0")
    assert [r.seq for r in log.history(1)] == [3, 5]
    assert [r.seq for r in log.history(2)] == [4, 6]
    with log.read() as view:
        assert view.keys_of([learned(1).id, learned(2).id]) == {learned(1).id: 1}
        assert view.forgotten([learned(2).id]) == {learned(2).id: (2, 0)}


TEXTS = [
    "",
    " ",
    "\0",
    "a\0b",
    "\r\n",
    "成语 しりとり 설비",
    "🐦" * 100,
    "e\u0301",
    "\ufeff",
    "x" * 1_000_000,
    "%_'\";--",
    "\x7f\x80",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_text_comes_back_as_it_was(log, text):
    with log.write() as tx:
        tx.append(
            [space(0, (text, "b")), context(0, text), learned(1, text, context=0, metadata={text: [text, None, -1.5]})]
        )
        assert tx.find_contexts([text]) == {text: 0}
    row = log.rows([1])[1]
    assert (row.text, row.context_text, row.metadata) == (text, text, {text: [text, None, -1.5]})
    assert log.spaces() == {(text, "b"): 0}
    with log.read() as view:
        assert view.find_space((text, "b")) == 0
        assert view.find_space((text + "b",)) is None
        assert view.context_texts([0]) == {0: text}
    assert log.history(1)[0].event.text == text


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "given",
    [
        {"text": b"bytes"},
        {"text": None},
        {"text": "lone \ud800 surrogate"},
        {"text": 5},
        {"metadata": {"a": 2**70}},
        {"metadata": {"a": object()}},
        {"metadata": ["no object"]},
        {"metadata": {"a": deep(100_000)}},
        {"layer": 9},
        {"pinned": "yes"},
        {"sensitive": 3},
        {"key": True},
        {"key": 1.0},
        {"key": 0},
        {"key": -1},
        {"key": 2**63},
        {"id": b"short"},
        {"dedupe": b""},
        {"space": 1},
        {"space": -1},
        {"context": 0},
        {"context": -2},
        {"at": float("nan")},
        {"when": float("inf")},
        {"value": -1.0},
        {"value": 1e39},
        {"value": float("nan")},
        {"perishability": Perishability(label="odd", pi=0.1, tau=100.0)},
        {"perishability": Perishability(label="factual", pi=0.0, tau=100.0)},
        {"perishability": Perishability(label="factual", pi=1.1, tau=100.0)},
        {"perishability": Perishability(label="factual", pi=0.1, tau=float("inf"))},
        {"perishability": Perishability(label="factual", pi=0.1, tau=1.0, shape=float("inf"))},
        {"perishability": Perishability(label="factual", pi=0.1, tau=1.0, degraded=1)},
    ],
    ids=lambda given: "-".join(given),
)
def test_what_could_not_be_folded_or_read_back_is_refused(log, given):
    start(log)
    with pytest.raises(errors.ArgumentError), log.write() as tx:
        tx.append([learned(1), msgspec.structs.replace(learned(2), **given)])
    assert log.seq == 1
    fill(log, 2)
    assert fold.rebuild(log).live_count == 2


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([Reinforced(at=0.0, key=9)], "memory 9, which is not there"),
        ([Updated(at=0.0, key=9)], "memory 9"),
        ([Forgotten(at=0.0, keys=[1, 9])], "memory 9"),
        ([Forgotten(at=0.0, keys=[1]), Reinforced(at=0.0, key=1)], "memory 1"),
        ([Forgotten(at=0.0, keys=[1, 1])], "distinct"),
        ([Reinforced(at=0.0, key=4), learned(4)], "memory 4"),
        ([learned(3, "again")], "new key must be at least 4"),
        ([learned(5), learned(4)], "new key"),
        ([space(2, ("w",))], "next namespace is 1"),
        ([space(0, ("w",))], "next namespace is 1"),
        ([context(1)], "next context is 0"),
        ([Updated(at=0.0, key=1, context=0)], "context must have been seen"),
        ([Reinforced(at=0.0, key=1, count=0)], "count"),
        ([Event(at=0.0)], "no event"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_events_must_fit_what_is_there(log, events, message):
    fill(log, 3)
    with pytest.raises(errors.ArgumentError, match=message), log.write() as tx:
        tx.append(events)
    assert log.seq == 4
    with log.write() as tx:
        tx.append([learned(4), Reinforced(at=0.0, key=4), Forgotten(at=0.0, keys=[4])])
    assert fold.rebuild(log).live_count == 3


def test_keys_are_never_used_again(log):
    fill(log, 3)
    with log.write() as tx:
        tx.append([Forgotten(at=0.0, keys=[3])])
        assert tx.next_key == 4
    with log.write() as tx:
        assert tx.next_key == 4
        # the text of a deleted memory is free again
        tx.append([learned(4, "memory 3")])
    assert log.last_key == 4
    assert sorted(log.rows([1, 2, 3, 4])) == [1, 2, 4]


def test_the_tail_comes_in_batches_that_join(log, monkeypatch):
    monkeypatch.setattr("scrubjay.store.view.BATCH_EVENTS", 7)
    fill(log, 40)
    batches = list(log.tail(5, 37))
    assert [len(b.events) for b in batches] == [7, 7, 7, 7, 4]
    assert [b.after for b in batches] == [5, 12, 19, 26, 33]
    assert [s for b in batches for s in b.seqs] == list(range(6, 38))
    monkeypatch.setattr("scrubjay.store.view.BATCH_BYTES", 1)
    assert [b.upto for b in log.tail(30)] == list(range(31, 42))
    assert list(log.tail(41)) == list(log.tail(99)) == []


def test_history_of_one_among_many_reads_only_its_own(log):
    fill(log, 3000, per=1000)
    with log.read() as view:
        plan = view._db.execute(
            "EXPLAIN QUERY PLAN SELECT k.seq, e.body FROM event_keys k LEFT JOIN events e ON e.seq = k.seq"
            " WHERE k.key = 5 ORDER BY k.seq"
        ).fetchall()
    assert not [step for step in plan if "SCAN" in step[3]]
    assert [r.seq for r in log.history(1500)] == [1501]
    assert log.history(99999) == []


def test_a_failed_block_leaves_nothing(log):
    fill(log, 3)
    with pytest.raises(ZeroDivisionError), log.write() as tx:
        1 / len(tx.append([learned(9)]).damaged)
    assert log.seq == 4
    with pytest.raises(errors.DimensionError), log.write() as tx:
        tx.append([learned(4), learned(5, vector=bytes(4 * DIM + 4))])
    with pytest.raises(errors.ArgumentError), log.write() as tx:
        tx.append([learned(4, text="memory 1")])
    assert log.seq == 4
    assert len(fold.rebuild(log)) == 3


def test_single_events_are_read_by_number(log):
    fill(log, 5)
    last = log.seq
    with log.write() as tx:
        tx._db.execute("UPDATE events SET crc = crc + 1 WHERE seq = ?", (last - 1,))
        found = dict(tx.some([last, last - 1, 1, last + 9]))
    assert list(found) == [last, last - 1, 1, last + 9]
    assert found[last - 1] is None
    assert found[last + 9] is None
    assert found[1] == space()
    assert msgspec.structs.asdict(found[last]) == msgspec.structs.asdict(learned(5))
