"""What a model replied, taken apart without trust.

A reply is bounded in bytes, JSON in bounded depth, of exactly the expected keys and types; NaN, infinity, booleans,
strings in place of numbers and keys that come twice are refused; what is finite is then clipped to its range. A reply
names nothing that is in a store: items are numbered within the prompt that showed them. Around the JSON there may be
prose, a fence, or a stretch of thinking; two different answers in one reply are no answer. In a list each entry stands
for itself: a bad one does not lose the others, nor does a reply that breaks off behind them.

>>> read_deltas('Sure! {"delta_value": -7, "delta_pi": 0.1, "delta_tau": -0.5, "summary": "moved"}').value
-1.0
>>> read_deltas('{"delta_value": NaN, "delta_pi": 0, "delta_tau": 0, "summary": ""}')
Traceback (most recent call last):
    ...
scrubjay.llm.replies.RefusedError: the reply was refused: no_answer
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import msgspec

from scrubjay.errors import ModelReplyError
from scrubjay.memory import LABELS, MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY, Opinion

MAX_BYTES: Final = 65536
"""Longest reply that is read (chosen)."""
MAX_DEPTH: Final = 16
"""Deepest nesting (chosen)."""
MAX_FALSE_STARTS: Final = 64
"""Brackets that open nothing readable before the search for JSON is given up (chosen)."""
SUMMARY_LENGTH: Final = 160
SENTENCE_LENGTH: Final = 300
"""Longest summary and annotation, in characters (chosen)."""
VALUE_RANGE: Final = (-1.0, 1.0)
PI_RANGE: Final = (-0.5, 0.5)
TAU_RANGE: Final = (-0.9, 1.0)
"""What deltas are clipped to."""

T = TypeVar("T")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_THINKING: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_CLOSES: Final = {"{": "}", "[": "]"}


class RefusedError(ModelReplyError):
    """A reply that cannot be used. `kind` says why in one word; the reply itself is never quoted."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"the reply was refused: {kind}")
        self.kind = kind


class DeltaReply(msgspec.Struct, frozen=True, kw_only=True):
    """What the deltas prompt asks for, clipped."""

    value: float
    pi: float
    tau: float
    summary: str


class _Deltas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    delta_value: float
    delta_pi: float
    delta_tau: float
    summary: str


class _Judged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    label: str
    pi: float
    tau_sec: float


class _JudgedItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    item: int
    label: str
    pi: float
    tau_sec: float


class _Sentence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sentence: str


class _SentenceItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    item: int
    sentence: str


class _Bad:
    """Stands in the decoded reply where something must not be used."""


_BAD: Final = _Bad()


def read_deltas(reply: object) -> DeltaReply:
    """The deltas of a reply. Raises RefusedError where there are none, or more than one."""
    found = [d for d in (_as(_Deltas, value) for value in _values(_text(reply))) if d is not None]
    if not found:
        raise RefusedError("no_answer")
    if any(d != found[0] for d in found):
        raise RefusedError("ambiguous")
    first = found[0]
    return DeltaReply(
        value=_clip(first.delta_value, VALUE_RANGE),
        pi=_clip(first.delta_pi, PI_RANGE),
        tau=_clip(first.delta_tau, TAU_RANGE),
        summary=clean(first.summary, SUMMARY_LENGTH),
    )


def read_opinions(reply: object, count: int) -> list[Opinion | None]:
    """One opinion per item asked about, None where the reply has none that can be used.

    Raises RefusedError where it has none at all.
    """
    return _entries(reply, count, _JudgedItem, _Judged, _opinion)


def read_sentences(reply: object, count: int) -> list[str | None]:
    """One sentence per item asked about, None where the reply has none that can be used.

    Raises RefusedError where it has none at all.
    """
    return _entries(reply, count, _SentenceItem, _Sentence, lambda s: clean(s.sentence, SENTENCE_LENGTH) or None)


def _opinion(judged: Any) -> Opinion | None:
    if judged.label not in LABELS:
        return None
    return Opinion(
        label=judged.label,
        pi=_clip(judged.pi, (MIN_PERISHABILITY, 1.0)),
        tau=_clip(judged.tau_sec, (MIN_HORIZON, MAX_HORIZON)),
    )


def _entries(
    reply: object, count: int, numbered: type[Any], plain: type[Any], use: Callable[[Any], T | None]
) -> list[T | None]:
    """Entries by their number; without numbers, exactly `count` of them in order."""
    entries = [entry for value in _values(_text(reply)) for entry in _flat(value)]
    answers: list[T | None] = [None] * count
    told = [(entry, _as(numbered, entry)) for entry in entries]
    if any(isinstance(entry, dict) and "item" in entry for entry in entries):
        seen: dict[int, Any] = {}
        spoilt: set[int] = set()
        for entry, item in told:
            number = item.item if item is not None else entry.get("item") if isinstance(entry, dict) else None
            if type(number) is not int or not 1 <= number <= count:
                continue
            if item is None or (number in seen and seen[number] != item):
                spoilt.add(number)
            seen[number] = item
        for number, item in seen.items():
            if number not in spoilt:
                answers[number - 1] = use(item)
    elif len(entries) == count:
        for i, entry in enumerate(entries):
            one = _as(plain, entry)
            answers[i] = None if one is None else use(one)
    if all(answer is None for answer in answers):
        raise RefusedError("no_answer")
    return answers


def _flat(value: Any) -> list[Any]:
    """The entries of {"items": [...]}, of a bare list, or one entry alone."""
    if isinstance(value, dict) and value.keys() == {"items"} and isinstance(value["items"], list):
        return list(value["items"])
    return list(value) if isinstance(value, list) else [value]


def _as(kind: type[T], value: object) -> T | None:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, TypeError, ValueError, OverflowError, RecursionError):
        return None


def _clip(value: float, bounds: tuple[float, float]) -> float:
    return min(max(float(value), bounds[0]), bounds[1])


def clean(text: str, longest: int) -> str:
    """One line of at most `longest` characters without control, bidirectional or broken ones.

    >>> clean("a" + chr(10) + "b" + chr(0x202e) + "c", 9), clean("abcdef", 4)
    ('a b c', 'abc…')
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _text(reply: object) -> str:
    if not isinstance(reply, str):
        raise RefusedError("no_text")
    if len(reply) > MAX_BYTES or len(reply.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise RefusedError("too_long")
    return _THINKING.sub("", reply, count=1)


def _values(text: str) -> Iterator[Any]:
    """The JSON objects and arrays in a text, outermost ones; within a broken one, those that are whole."""
    at, false_starts = 0, 0
    while false_starts < MAX_FALSE_STARTS:
        starts = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
        if not starts:
            return
        start = min(starts)
        end = _end(text, start)
        if end is not None:
            try:
                yield json.loads(
                    text[start:end],
                    object_pairs_hook=_object,
                    parse_constant=lambda _: _BAD,
                    parse_float=_number,
                    parse_int=_integer,
                )
                at = end
                continue
            except (ValueError, RecursionError):
                pass
        false_starts += 1
        at = start + 1


def _end(text: str, start: int) -> int | None:
    """Where the value that opens at `start` closes; None where it does not, or lies too deep."""
    stack: list[str] = []
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark in _CLOSES:
            stack.append(_CLOSES[mark])
            if len(stack) > MAX_DEPTH:
                return None
        elif mark in ("}", "]"):
            if stack.pop() != mark:
                return None
            if not stack:
                return token.end()
    return None


def _object(pairs: list[tuple[str, Any]]) -> Any:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    # a key that comes twice: the entry is bad, but still says which item it spoils
    return {"item": made["item"], "": _BAD} if "item" in made and "items" not in made else _BAD


def _number(digits: str) -> Any:
    value = float(digits)
    return value if math.isfinite(value) else _BAD


def _integer(digits: str) -> Any:
    # what is no finite float64 could not be clipped either
    return int(digits) if len(digits) <= 300 else _BAD
