"""Memories from files: JSON lines, and chat exports in the LoCoMo layout.

Both are read as streams: a line, or a conversation, is in memory at a time. Input is untrusted: sizes are capped,
unknown fields refused, and every problem names its line.

- **JSON lines**: one object a line, {"text", "context", "when", "namespace", "metadata", "key", "perishability",
  "pinned", "sensitive"}; only text is required. "namespace" is a list of labels (or one label), "when" an ISO time or
  seconds since the epoch.
- **LoCoMo**: an array of {"sample_id", "conversation"} (or one of them), a conversation being "session_1",
  "session_1_date_time", ... A turn becomes "speaker: text [image caption]" at its session's time (UTC), in the
  namespace (sample_id,), with speaker, dia_id, session and sample_id as metadata and its dia_id as key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import msgspec

from scrubjay.encode.intake import check_draft
from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError, ScrubjayError, shown

Format: TypeAlias = Literal["jsonl", "locomo"]
Item: TypeAlias = dict[str, Any]
"""Keyword arguments of `MemoryStore.add`, checked: what `add_many` takes."""
OnBad: TypeAlias = Callable[["ImportFileError"], None]
"""Called with each entry that is left out."""

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest line of a JSON-lines file (chosen)."""
MAX_CONVERSATION_BYTES: Final = 256 * 1024 * 1024
"""Largest conversation of a LoCoMo file (chosen)."""

_CHUNK: Final = 1 << 20
_BOM: Final = b"\xef\xbb\xbf"
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SESSION_TIME: Final = re.compile(
    r"\s*([0-9]{1,2}):([0-9]{2})\s*([ap])\.?m\.?,?\s+(?:on\s+)?([0-9]{1,2})\s+([a-z]{3,9}),?\s+([0-9]{4})\s*",
    re.IGNORECASE,
)
_SESSION: Final = re.compile(r"session_([0-9]{1,6})")
_OUTSIDE: Final = re.compile(rb'[\[\]{}"]')
_INSIDE: Final = re.compile(rb'["\\]')
_BETWEEN: Final = b" \t\r\n,[]"


class ImportFileError(ArgumentError):
    """An entry of a file that cannot be imported; `line` is its line, or 0 where there is none."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    context: str | None = None
    when: str | float | int | None = None
    namespace: list[str] | str | None = None
    metadata: dict[str, Any] | None = None
    key: str | None = None
    perishability: dict[str, Any] | str | None = None
    pinned: bool = False
    sensitive: str | None = None


_LINE: Final = msgspec.json.Decoder(_Line)


def detect_format(path: str | Path) -> Format:
    """ "locomo" or "jsonl", by the file's beginning; its name does not matter.

    Raises OSError where it cannot be read.
    """
    with open(path, "rb") as file:
        head = file.read(_CHUNK).removeprefix(_BOM).lstrip()
    if head.startswith(b"["):
        return "locomo"
    first = head.partition(b"\n")[0]
    try:
        value = msgspec.json.decode(first)
    except (msgspec.DecodeError, RecursionError):
        return "locomo" if re.search(rb'"(?:conversation|session_[0-9]+)"\s*:', head) else "jsonl"
    return "locomo" if isinstance(value, dict) and "conversation" in value else "jsonl"


def read_items(
    path: str | Path, *, format: Format | None = None, namespace: tuple[str, ...] = (), on_bad: OnBad | None = None
) -> Iterator[Item]:
    """The file's entries as checked keyword arguments of `MemoryStore.add`, one by one.

    `namespace` is put before each entry's own labels. The first entry that cannot be imported raises `ImportFileError`,
    unless `on_bad` is given: then it is told of each and the rest go on.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "notes.jsonl")
    ...     _ = file.write_text('{"text": "The room is 4.12", "when": "2025-03-09"}')
    ...     list(read_items(file, namespace=("team",)))
    [{'text': 'The room is 4.12', 'when': 1741478400.0, 'namespace': ('team',)}]
    """
    reader = _read_locomo if (format or detect_format(path)) == "locomo" else _read_lines

    def report(error: ImportFileError) -> None:
        if on_bad is None:
            raise error
        on_bad(error)

    with open(path, "rb") as file:
        yield from reader(file, namespace, report)


def check_item(item: Mapping[str, Any]) -> Item:
    """What `add` would refuse is refused here; the time is resolved, and what is absent is left out."""
    given = {name: value for name, value in item.items() if value is not None and value is not False}
    draft = check_draft(given, now=0.0)
    return {name: getattr(draft, name, value) for name, value in given.items()}


def parse_session_time(text: str) -> float:
    """Seconds since the epoch of a LoCoMo session's time, read as UTC; ISO times are taken too.

    >>> parse_session_time("1:56 pm on 8 May, 2023") == to_seconds("2023-05-08T13:56Z")
    True
    """
    match = _SESSION_TIME.fullmatch(text)
    if match is None:
        return to_seconds(text, argument="session time")
    hour, minute, half, day, month, year = match.groups()
    number = _MONTHS.index(month[:3].lower()) + 1 if month[:3].lower() in _MONTHS else 0
    if not 1 <= int(hour) <= 12:
        number = 0
    clock = int(hour) % 12 + (12 if half.lower() == "p" else 0)
    return to_seconds(f"{year}-{number:02}-{int(day):02}T{clock:02}:{minute}Z", argument=f"session time {text!r:.40}")


def day_text(seconds: float) -> str:
    """The day of a time (UTC), as people write it: what a turn is embedded and indexed behind.

    >>> day_text(1683554160.0)
    '8 May 2023'
    """
    day = datetime.fromtimestamp(seconds, timezone.utc)
    return f"{day.day} {_MONTH_NAMES[day.month - 1]} {day.year}"


def _read_lines(file: BinaryIO, namespace: tuple[str, ...], report: OnBad) -> Iterator[Item]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = file.readline(_CHUNK)
            report(ImportFileError(f"line {number}: longer than {MAX_LINE_BYTES:,} bytes", number))
            continue
        if number == 1:
            line = line.removeprefix(_BOM)
        if not line.strip():
            continue
        try:
            entry = msgspec.structs.asdict(_LINE.decode(line))
            own = entry["namespace"] or ()
            entry["namespace"] = (*namespace, *((own,) if isinstance(own, str) else own))
            item = check_item(entry)
        except (ScrubjayError, msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            report(ImportFileError(f"line {number}: {_reason(error)}", number))
            continue
        yield item


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return str(error)


def _read_locomo(file: BinaryIO, namespace: tuple[str, ...], report: OnBad) -> Iterator[Item]:
    for position, (line, raw) in enumerate(_elements(file, report)):
        where = f"conversation {position + 1} (line {line})"
        try:
            sample = msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            report(ImportFileError(f"{where}: {_reason(error)}", line))
            continue
        conversation = sample.get("conversation") if isinstance(sample, dict) else None
        if not isinstance(conversation, dict):
            report(ImportFileError(f'{where}: expected an object with "conversation"; else one entry a line', line))
            continue
        sample_id = str(sample.get("sample_id") or f"conversation-{position + 1}")
        sessions = sorted(
            (int(match[1]), name) for name in conversation if (match := _SESSION.fullmatch(name)) is not None
        )
        seen: set[str] = set()
        for number, name in sessions:
            place = f"{where}, {name}"
            try:
                turns, when = conversation[name], conversation.get(f"{name}_date_time")
                if not isinstance(turns, list) or not isinstance(when, str):
                    raise ArgumentError(f'expected a list of turns and a "{name}_date_time"')
                seconds = parse_session_time(when)
                date = day_text(seconds)
            except ScrubjayError as error:
                report(ImportFileError(f"{place}: {error}", line))
                continue
            for turn_number, turn in enumerate(turns, start=1):
                try:
                    entry = _turn(turn, f"D{number}:{turn_number}")
                    if entry["key"] in seen:
                        raise ArgumentError(f"dia_id {shown(entry['key'])} is repeated")
                    seen.add(entry["key"])
                    entry["metadata"] |= {
                        "session": number,
                        "sample_id": sample_id,
                        "date": date,
                        "thread": f"{sample_id} {number}",
                    }
                    item = check_item(entry | {"when": seconds, "namespace": (*namespace, sample_id)})
                except ScrubjayError as error:
                    report(ImportFileError(f"{place}, turn {turn_number}: {error}", line))
                    continue
                yield item


def _turn(turn: object, default_id: str) -> Item:
    if not isinstance(turn, dict):
        raise ArgumentError(f"expected an object, got {type(turn).__name__}")
    speaker, text, caption = (turn.get(name) or "" for name in ("speaker", "text", "blip_caption"))
    if not all(isinstance(part, str) for part in (speaker, text, caption)):
        raise ArgumentError("speaker, text and blip_caption must be strings")
    words = " ".join(part for part in (text, f"[{caption}]" if caption else "") if part)
    if not words.strip():
        raise ArgumentError("neither text nor an image caption")
    dia_id = str(turn.get("dia_id") or default_id)
    return {
        "text": f"{speaker}: {words}" if speaker else words,
        "key": dia_id,
        "metadata": {"speaker": speaker, "dia_id": dia_id},
    }


def _elements(file: BinaryIO, report: OnBad) -> Iterator[tuple[int, bytes]]:
    """(line, raw JSON) of each element of a top-level array, or of each object of a sequence of objects."""
    line, first_line, depth, base = 1, 1, 0, 0
    in_string = escaped = False
    current: bytearray | None = None
    chunk = file.read(_CHUNK).removeprefix(_BOM)
    while chunk:
        cursor, taken = int(escaped), 0
        escaped = False
        while (match := (_INSIDE if in_string else _OUTSIDE).search(chunk, cursor)) is not None:
            sign, cursor = match.group(), match.end()
            if in_string:
                in_string = sign == b"\\"
                escaped = in_string and cursor == len(chunk)
                cursor += in_string
            elif sign == b'"':
                in_string = True
            elif sign in b"{[":
                if current is None and (depth > 0 or sign == b"{"):
                    if chunk[taken : match.start()].strip(_BETWEEN):
                        break
                    line += chunk.count(b"\n", taken, match.start())
                    first_line, current, taken = line, bytearray(), match.start()
                elif current is None:
                    base = 1
                depth += 1
            else:
                depth -= 1
                if depth == base and current is not None:
                    current += chunk[taken:cursor]
                    yield first_line, bytes(current)
                    line += chunk.count(b"\n", taken, cursor)
                    current, taken = None, cursor
                elif depth == 0:
                    base = 0
        rest = chunk[taken:]
        if current is None and rest.strip(_BETWEEN):
            report(ImportFileError(f"line {line}: neither an array of conversations nor conversations alone", line))
            return
        line += rest.count(b"\n")
        if current is not None:
            current += rest
            if len(current) > MAX_CONVERSATION_BYTES:
                size = f"{MAX_CONVERSATION_BYTES:,} bytes"
                report(ImportFileError(f"line {first_line}: a conversation of over {size}", first_line))
                return
        chunk = file.read(_CHUNK)
    if depth != 0 or in_string:
        report(ImportFileError(f"line {line}: the file ends inside a conversation", line))
