from __future__ import annotations

import pytest

from scrubjay import errors, fold
from scrubjay.events import Forgotten, Updated
from scrubjay.protocols import EventLog as EventLogProtocol
from tests.store.helpers import DIM, context, fill, learned, open_log, space, unit


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
