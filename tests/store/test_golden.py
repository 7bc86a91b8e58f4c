"""Stores that earlier versions wrote stay readable."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from scrubjay import fold
from scrubjay.columns import CURRENT, LIVE, PINNED, SENSITIVE
from scrubjay.events import Learned
from scrubjay.store import EventLog, verify
from tests.store.helpers import fill, learned, unit

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s"
    path.mkdir()
    (path / "log.sqlite").write_bytes(gzip.decompress((GOLDEN / "log-format-1.sqlite.gz").read_bytes()))
    return path


def test_format_1_is_read(store):
    with EventLog.open(store, embedder="toy", dim=8) as log:
        assert log.seq == 9
        assert log.spaces() == {("u",): 0, ("équipe", "a:b"): 1}
        rows = log.rows([1, 2, 3])
        assert sorted(rows) == [1, 2]
        assert (rows[1].text, rows[1].context_text) == ("Ada prefers tea", "desk")
        assert rows[1].metadata == {"source": "chat", "n": [1, None, 2.5]}
        assert (rows[2].text, rows[2].sensitive, rows[2].space) == ("会議は4階です", "medical", 1)
        columns = fold.rebuild(log)
        assert columns.key[columns.live()].tolist() == [1, 2]
        assert columns.evidence[:2].tolist() == [3, 1]
        assert columns.updated[:2].tolist() == [2000.0, 2001.0]
        assert columns.value[:2].tolist() == [1.0, 0.5]
        assert columns.flags[:2].tolist() == [LIVE | CURRENT | PINNED, LIVE | CURRENT | SENSITIVE]
        assert columns.what[1].tobytes() == unit(44).tobytes()
        assert columns.what[0].tobytes() == learned(1).vector
        first = log.history(3)[0].event
        assert isinstance(first, Learned)
        assert first.text == "gone soon"
        assert verify.verify(log, fold.catch_up, columns=columns).ok


def test_format_1_is_written_on(store):
    with EventLog.open(store) as log:
        fill(log, 2)
        assert log.last_key == 5
        assert verify.verify(log, fold.catch_up).ok
