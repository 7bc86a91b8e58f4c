"""The lexical index lives and dies with the rows: one transaction, one rebuild, nothing of a deleted text left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import ArgumentError
from scrubjay.events import Forgotten, Updated
from scrubjay.fold import catch_up
from scrubjay.store import EventLog
from scrubjay.store import lexical as index
from scrubjay.store.verify import verify
from store.helpers import learned, open_log, space


def found(log: EventLog, text: str, *spaces: int) -> dict[int, float]:
    """Key of each memory that shares a word with `text`, and how many mentions there are."""
    with log.read() as view:
        mentions = view.mentions(spaces or (0,), text)
    assert mentions is not None
    out: dict[int, float] = {}
    for key, times in zip(mentions.key.tolist(), mentions.times.tolist(), strict=True):
        out[key] = out.get(key, 0) + times
    return out


def append(log: EventLog, *events: Any) -> None:
    with log.write() as tx:
        tx.append(list(events))


def test_words_are_found_in_their_namespace_alone() -> None:
    with open_log(":memory:") as log:
        append(
            log,
            space(0),
            space(1, ("v",)),
            learned(1, "the red fox", space=0),
            learned(2, "a red red rose", space=1),
            learned(3, "1~red"),
        )
        assert found(log, "red", 0) == {1: 1, 3: 1}
        assert found(log, "red", 1) == {2: 2}
        assert found(log, "red", 0, 1) == {1: 1, 2: 2, 3: 1}
        assert found(log, "blue") == {}
        assert found(log, "") == {}


def test_the_index_follows_updates_and_deletions() -> None:
    with open_log(":memory:") as log:
        append(log, space(), learned(1, "alpha"), learned(2, "alpha beta"))
        append(log, Updated(at=2000.0, key=1, text="gamma"))
        append(log, Updated(at=2001.0, key=2, metadata={"speaker": "Zoe", "date": "8 May 2023"}))
        assert found(log, "alpha") == {2: 1}
        assert found(log, "gamma") == {1: 1}
        assert found(log, "zoe may 2023") == {2: 3}
        append(log, Forgotten(at=2002.0, keys=[2]))
        assert found(log, "alpha zoe") == {}


def test_an_aborted_transaction_leaves_no_words() -> None:
    with open_log(":memory:") as log:
        append(log, space(), learned(1, "alpha"))
        with pytest.raises(ArgumentError), log.write() as tx:
            tx.append([learned(2, "alpha beta"), learned(2, "alpha gamma")])
        assert found(log, "alpha") == {1: 1}


@pytest.mark.parametrize(
    "text", ["'", '"', "*", "a OR", "NEAR(", "tokens:x", "a\u2028b", "-a", "^a", "a AND NOT b", "%"]
)
def test_bug_12_no_text_is_a_query_language(text: str) -> None:
    with open_log(":memory:") as log:
        append(log, space(), learned(1, f"{text} fox"))
        assert set(found(log, text)) <= {1}
        assert found(log, f"fox {text}")


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_is_found_is_what_a_scan_finds(a: str, b: str) -> None:
    from scrubjay.store.tokens import query_words, tokens

    a, b = ("".join(c for c in t if c != "\0" and not 0xD800 <= ord(c) < 0xE000) for t in (a, b))
    with open_log(":memory:") as log:
        append(log, space(), learned(1, a + " x"), learned(2, b + " y"))
        expected = {
            key: sum(tokens(text).count(word) for word in query_words(a))
            for key, text in ((1, a + " x"), (2, b + " y"))
            if set(tokens(text)) & set(query_words(a))
        }
        assert found(log, a) == expected


def test_words_beyond_the_budget_are_skipped_rarest_first_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MOST_MENTIONS", 5)
    with open_log(":memory:") as log:
        append(log, space(), *(learned(i, "common " + ("rare" if i == 3 else f"w{i}")) for i in range(1, 9)))
        assert found(log, "common rare") == {3: 1}
        with log.read() as view:
            mentions = view.mentions((0,), "common rare")
        assert mentions is not None
        assert (mentions.words, mentions.skipped) == (1, 1)


def test_a_deleted_word_is_gone_from_the_file(tmp_path: Path) -> None:
    with open_log(tmp_path / "s") as log:
        append(log, space(), *(learned(i, f"filler number {i}") for i in range(1, 50)))
        append(log, learned(50, "xylophonesecret is here"))
        append(log, Forgotten(at=3000.0, keys=[50]))
        file = tmp_path / "s" / "log.sqlite"
        with apsw.Connection(str(file)) as db:
            for (name,) in db.execute(
                "SELECT name FROM sqlite_schema WHERE name LIKE 'lexical!_%' ESCAPE '!'"
            ).fetchall():
                if name == "lexical_terms":
                    continue
                for row in db.execute(f'SELECT * FROM "{name}"'):
                    assert b"xylophone" not in b" ".join(c if isinstance(c, bytes) else str(c).encode() for c in row)


def test_a_store_without_the_index_gets_one_when_it_is_opened_for_writing(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_log(path) as log:
        append(log, space(), *(learned(i, f"word{i} fox") for i in range(1, 2000)))
    with apsw.Connection(str(path / "log.sqlite")) as db:
        for table in ("lexical_terms", "lexical", "lexical_sizes"):
            db.execute(f"DROP TABLE {table}")
    with open_log(path, read_only=True) as log, log.read() as view:
        assert view.mentions((0,), "fox") is None
    with open_log(path) as log:
        assert len(found(log, "fox")) == 1999
        assert verify(log, catch_up).ok


def test_verify_finds_and_mends_a_wrong_index(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_log(path) as log:
        append(log, space(), *(learned(i, f"word{i} fox") for i in range(1, 60)))
    with apsw.Connection(str(path / "log.sqlite")) as db:
        db.execute("DELETE FROM lexical WHERE rowid = 7")
        db.execute("UPDATE lexical_sizes SET size = 9 WHERE key = 8")
    with open_log(path) as log:
        report = verify(log, catch_up)
        assert not report.ok
        assert {f.where.split()[0] for f in report.findings if f.what == "table-differs"} == {
            "lexical",
            "lexical_sizes",
        }
        verify(log, catch_up, repair=True)
        assert verify(log, catch_up).ok
        assert len(found(log, "fox")) == 59


def test_a_handle_that_has_verified_sees_what_was_deleted_since(tmp_path: Path) -> None:
    with open_log(tmp_path / "s") as log:
        append(log, space())
        for key in range(1, 10):
            append(log, learned(key, f"word{key} fox"))
        assert verify(log, catch_up).ok
        append(log, Forgotten(at=3000.0, keys=[9]))
        assert verify(log, catch_up).ok
        assert 9 not in found(log, "fox")
