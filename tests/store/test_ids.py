from __future__ import annotations

import itertools
import threading
import uuid

import pytest

from scrubjay.errors import ArgumentError
from scrubjay.store import IdSource, to_bytes, to_text


def test_ids_are_uuid7_of_the_clock():
    id = IdSource(lambda: 1_700_000_000.123).next()
    parsed = uuid.UUID(bytes=id)
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122
    assert int.from_bytes(id[:6], "big") == 1_700_000_000_123
    assert to_text(id) == str(parsed)


@pytest.mark.parametrize("times", [[5.0], [5.0, 5.0, 1.0, 6.0, -3.0, 5.5, 1e18, 5.0]])
def test_ids_rise_whatever_the_clock_does(times):
    ticks = iter(range(10**9))
    ids = IdSource(lambda: times[next(ticks) % len(times)])
    made = [id for _ in range(500) for id in ids.many(7)]
    assert all(a < b for a, b in itertools.pairwise(made))
    assert {uuid.UUID(bytes=id).version for id in made} == {7}
    assert {uuid.UUID(bytes=id).variant for id in made} == {uuid.RFC_4122}


def test_a_source_is_shared_by_threads():
    ids = IdSource(lambda: 1.0)
    made: list[list[bytes]] = []
    threads = [threading.Thread(target=lambda: made.append([ids.next() for _ in range(2000)])) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({id for part in made for id in part}) == 8000
    assert all(part == sorted(part) for part in made)


def test_two_sources_do_not_meet():
    a, b = IdSource(lambda: 1.0), IdSource(lambda: 1.0)
    assert not set(a.many(5000)) & set(b.many(5000))


def test_text_is_read_back_and_nothing_else_is():
    id = IdSource(lambda: 3.0).next()
    assert to_bytes(to_text(id)) == id
    assert to_bytes(to_text(id).upper()) == id
    text = to_text(id)
    for bad in (
        "",
        "12",
        text[:-1],
        text + "0",
        text.replace("-", ""),
        f"{{{text}}}",
        " " + text,
        text + "\n",
        "é" * 36,
    ):
        with pytest.raises(ArgumentError, match="id"):
            to_bytes(bad)
    for wrong in (None, 5, id, ["x"]):
        with pytest.raises(TypeError, match="id must be a string"):
            to_bytes(wrong)
