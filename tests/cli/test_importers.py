"""Memories from files: JSON lines and the LoCoMo layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay import importers
from scrubjay.encode.normal import is_blank
from scrubjay.encode.when import to_iso, to_seconds
from scrubjay.errors import ArgumentError
from scrubjay.importers import ImportFileError, check_item, detect_format, parse_session_time, read_items

json_text = st.text(min_size=1).filter(lambda text: text.isprintable() and not is_blank(text))


def write(folder: Path, content: str | bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def sample(**changes: Any) -> dict[str, Any]:
    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_10_date_time": "12:09 am on 13 September, 2023",
        "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": 'Bye ["}{\\', "blip_caption": "a dog, asleep"}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Ann", "dia_id": "D2:1", "text": "Hey Bo!", "img_url": ["x"]},
            {"speaker": "Bo", "dia_id": "D2:2", "text": "", "blip_caption": "a photo of a cake"},
        ],
        "session_3_date_time": "8:00 am on 9 May, 2023",
    }
    return {"sample_id": "conv-1", "conversation": conversation | changes, "qa": [{"question": "?"}]}


def test_json_lines_with_every_field(tmp_path: Path) -> None:
    full = {
        "text": " The room is 4.12 ",
        "context": "office",
        "when": "2025-03-09T12:00+09:00",
        "namespace": ["team", "ann"],
        "metadata": {"source": {"page": 3}},
        "key": "room",
        "perishability": {"label": "ephemeral", "pi": 0.9, "tau": 60},
        "pinned": True,
        "sensitive": "medical",
    }
    lines = [json.dumps(full), "", '{"text": "成语", "when": 0, "namespace": "solo"}\r', '  {"text": "last"}']
    path = write(tmp_path, b"\xef\xbb\xbf" + "\n".join(lines).encode())
    assert detect_format(path) == "jsonl"
    first, second, third = read_items(path, namespace=("all",))
    assert first.pop("perishability").tau == 60.0
    assert {k: first[k] for k in ("text", "context", "metadata", "key", "pinned", "sensitive")} == {
        k: full[k] for k in ("text", "context", "metadata", "key", "pinned", "sensitive")
    }
    assert first["namespace"] == ("all", "team", "ann")
    assert first["when"] == to_seconds("2025-03-09T03:00Z")
    assert second == {"text": "成语", "namespace": ("all", "solo"), "when": 0.0}
    assert third == {"text": "last", "namespace": ("all",)}


BAD_LINES = [
    "{",
    "[1]",
    "null",
    '{"context": "no text"}',
    '{"text": 5}',
    '{"text": " "}',
    '{"text": "x", "when": "soon"}',
    '{"text": "x", "when": true}',
    '{"text": "x", "when": NaN}',
    '{"text": "x", "when": 1e999}',
    '{"text": "x", "metadata": [1]}',
    '{"text": "x", "metadata": {"$x": 1}}',
    '{"text": "x", "namespace": [""]}',
    '{"text": "x", "namespace": [1]}',
    '{"text": "x", "key": " "}',
    '{"text": "x", "perishability": "forever"}',
    '{"text": "x", "typo": 1}',
    '{"text": "a\\u0000b"}',
    '{"text": "\\ud800"}',
    "[" * 100_000,
    '{"text": "x", "metadata": ' + '{"a":' * 5000 + "1" + "}" * 5001,
    b'{"text": "\xff"}',
    b"\x80\x04pickle",
]


@pytest.mark.parametrize("bad", BAD_LINES, ids=lambda bad: repr(bad)[:40])
def test_a_bad_line_is_named_and_can_be_left_out(tmp_path: Path, bad: str | bytes) -> None:
    raw = bad if isinstance(bad, bytes) else bad.encode()
    path = write(tmp_path, b'{"text": "one"}\n\n' + raw + b'\n{"text": "four"}\n')
    reader = read_items(path)
    assert next(reader)["text"] == "one"
    with pytest.raises(ImportFileError, match=r"^line 3: ") as caught:
        next(reader)
    assert caught.value.line == 3
    assert isinstance(caught.value, ArgumentError)
    errors: list[ImportFileError] = []
    assert [item["text"] for item in read_items(path, on_bad=errors.append)] == ["one", "four"]
    assert [error.line for error in errors] == [3]


def test_an_endless_line_is_refused_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importers, "MAX_LINE_BYTES", 1000)
    path = write(tmp_path, '{"text": "' + "x" * 5_000_000 + '"}\n{"text": "next"}\n')
    errors: list[ImportFileError] = []
    assert [item["text"] for item in read_items(path, on_bad=errors.append)] == ["next"]
    assert [str(error) for error in errors] == ["line 1: longer than 1,000 bytes"]


names = json_text.filter(lambda name: not name.startswith("$"))  # those are a filter's own
entries = st.builds(
    dict, text=json_text, key=st.none() | json_text, metadata=st.dictionaries(names, st.integers(-(2**60), 2**60))
)


@given(st.lists(entries))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, items: list[dict[str, Any]]) -> None:
    path = write(tmp_path_factory.mktemp("jsonl"), "".join(json.dumps(item) + "\n" for item in items))
    read = list(read_items(path, format="jsonl"))
    assert [item["text"] for item in read] == [item["text"] for item in items]
    assert [item.get("key") for item in read] == [item["key"] for item in items]
    assert [item.get("metadata", {}) for item in read] == [item["metadata"] for item in items]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("shape", ["array", "one", "lines"])
@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 1 << 20])
def test_locomo_in_any_shape_and_chunking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None, shape: str, chunk: int
) -> None:
    one, two = sample(), sample() | {"sample_id": "conv-2"}
    text = {
        "array": json.dumps([one, two], indent=indent),
        "one": json.dumps(one, indent=indent),
        "lines": json.dumps(one, indent=indent) + "\n" + json.dumps(two, indent=indent),
    }[shape]
    path = write(tmp_path, "\n " + text + "\n")
    assert detect_format(path) == "locomo"
    monkeypatch.setattr(importers, "_CHUNK", chunk)
    items = list(read_items(path, format="locomo", namespace=("all",)))
    assert len(items) == (3 if shape == "one" else 6)
    assert [item["text"] for item in items[:3]] == [
        "Ann: Hey Bo!",
        "Bo: [a photo of a cake]",
        'Bo: Bye ["}{\\ [a dog, asleep]',
    ]
    assert [to_iso(item["when"]) for item in items[:3]] == ["2023-05-08T13:56:00Z"] * 2 + ["2023-09-13T00:09:00Z"]
    assert items[0]["namespace"] == ("all", "conv-1")
    assert items[-1]["namespace"] == ("all", "conv-1" if shape == "one" else "conv-2")
    assert items[2]["metadata"] == {
        "speaker": "Bo",
        "dia_id": "D10:1",
        "session": 10,
        "sample_id": "conv-1",
        "date": "13 September 2023",
        "thread": "conv-1 10",
    }
    assert items[2]["key"] == "D10:1"


@pytest.mark.parametrize(
    ("changes", "message", "kept"),
    [
        ({"session_2_date_time": "13:70 pm on 8 May, 2023"}, "session_2", 1),
        ({"session_2_date_time": None}, "session_2", 1),
        ({"session_2": "text"}, "session_2", 1),
        ({"session_2": [7, {"speaker": "Ann", "text": "Hi"}]}, "session_2, turn 1", 2),
        ({"session_2": [{"speaker": "Ann", "text": " "}]}, "turn 1: empty|turn 1: text|turn 1: neither", 1),
        ({"session_2": [{"speaker": 5, "text": "Hi"}]}, "must be strings", 1),
        ({"session_2": [{"speaker": "Ann", "text": "Hi", "dia_id": "D10:1"}]}, "D10:1.* is repeated", 1),
    ],
)
def test_a_bad_turn_is_named_and_can_be_left_out(
    tmp_path: Path, changes: dict[str, Any], message: str, kept: int
) -> None:
    path = write(tmp_path, json.dumps([sample(**changes)], indent=1))
    with pytest.raises(ImportFileError, match=message):
        list(read_items(path))
    errors: list[ImportFileError] = []
    assert len(list(read_items(path, on_bad=errors.append))) == kept
    assert len(errors) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"text": "plain"}]', "one entry a line"),
        ("[1, 2]", "neither an array of conversations"),
        ('["x"]', "neither an array"),
        ('[{"conversation": {}}, {"conv', "ends inside"),
        ('[{"conversation": {}}, oops]', "neither"),
        ('{"conversation": 5}', 'expected an object with "conversation"'),
        ('[{"conversation": {"session_1": NaN}}]', "conversation 1"),
        ("[[[[", "ends inside"),
        ("]", "ends inside"),
    ],
)
def test_a_broken_locomo_file_is_an_error(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(ImportFileError, match=message):
        list(read_items(path, format="locomo"))
    errors: list[ImportFileError] = []
    assert list(read_items(path, format="locomo", on_bad=errors.append)) == []
    assert errors


def test_a_huge_conversation_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importers, "MAX_CONVERSATION_BYTES", 1000)
    monkeypatch.setattr(importers, "_CHUNK", 100)
    path = write(tmp_path, json.dumps([sample(padding="x" * 2000)]))
    with pytest.raises(ImportFileError, match="over 1,000 bytes"):
        list(read_items(path))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "jsonl"),
        ("\n\n", "jsonl"),
        ('{"text": "conversation"}', "jsonl"),
        ("{broken", "jsonl"),
        ('{"sample_id": 1, "conversation": {}}', "locomo"),
        ('{\n "sample_id": 1,\n "conversation": {}}', "locomo"),
        (" [", "locomo"),
    ],
)
def test_the_content_tells_the_format(tmp_path: Path, content: str, expected: str) -> None:
    path = write(tmp_path, content, name="misleading.json" if expected == "jsonl" else "misleading.jsonl")
    assert detect_format(path) == expected


def test_empty_files_hold_nothing(tmp_path: Path) -> None:
    for content in ("", "[]", " \n", "[\n]\n"):
        assert list(read_items(write(tmp_path, content))) == []


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
        ("12:48 am on 1 February, 2023", "2023-02-01T00:48:00Z"),
        ("12:00 PM on 29 Feb 2024", "2024-02-29T12:00:00Z"),
        ("2023-05-08T13:56+02:00", "2023-05-08T11:56:00Z"),
    ],
)
def test_session_times(text: str, iso: str) -> None:
    assert to_iso(parse_session_time(text)) == iso


@pytest.mark.parametrize(
    "text",
    ["0:10 am on 1 May, 2023", "13:00 pm on 1 May, 2023", "1:00 am on 31 June, 2023", "1:00 am on 1 Foo, 2023", ""],
)
def test_impossible_session_times_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="session time"):
        parse_session_time(text)


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_are_entries_or_named_errors(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = write(tmp_path_factory.mktemp("any"), content)
    for form in ("jsonl", "locomo", None):
        errors: list[ImportFileError] = []
        for item in read_items(path, format=form, on_bad=errors.append):
            assert check_item(item) == item


def test_the_real_conversations(data: Path) -> None:
    path = data / "locomo" / "locomo-dev.json"
    items = list(read_items(path))
    turns = sum(
        len(value)
        for entry in json.loads(path.read_text())
        for name, value in entry["conversation"].items()
        if isinstance(value, list)
    )
    assert len(items) == turns > 1000
    assert len({item["namespace"] for item in items}) == 3
    assert all("when" in item for item in items)
