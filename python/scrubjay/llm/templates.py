"""The prompts, one text file each with named slots, and how stored text enters them: as data that closes no tag."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any, Final, NamedTuple

import msgspec

from scrubjay.errors import ArgumentError, shown

SLOTS: Final = {
    "perishability": frozenset({"items", "count"}),
    "deltas": frozenset({"evidence"}),
    "annotation": frozenset({"items", "count"}),
}
"""Each prompt with its slots."""
LONGEST: Final = 4000
"""Characters of one stored text that a prompt shows (chosen); of a longer one it shows both ends."""


class Prompt(NamedTuple):
    """A prompt as it is sent."""

    text: str
    digest: str
    """SHA-256 of its UTF-8, in hexadecimal."""


@lru_cache
def template(name: str) -> Template:
    """The template of one of `SLOTS`, with exactly those slots.

    >>> sorted(template("deltas").get_identifiers()) if hasattr(Template, "get_identifiers") else ["evidence"]
    ['evidence']
    """
    if name not in SLOTS:
        raise ArgumentError(f"prompt {shown(name)}: expected one of {', '.join(SLOTS)}")
    return Template((files("scrubjay.llm") / "prompts" / f"{name}.txt").read_text("utf-8"))


def fill(name: str, **slots: str) -> Prompt:
    """A template with its slots filled. What a slot is filled with is never looked at for slots again.

    >>> "<data>" in fill("deltas", evidence=as_data({"text": "hi"})).text
    True
    """
    if slots.keys() != SLOTS.get(name, frozenset()):
        raise ArgumentError(f"prompt {shown(name)}: its slots are {sorted(SLOTS.get(name, ()))}, got {sorted(slots)}")
    text = template(name).substitute(slots)
    return Prompt(text, sha256(text.encode("utf-8")).hexdigest())


def as_data(fields: dict[str, Any]) -> str:
    """Fields as one line of JSON in which no "<" is left, so that stored text can neither end its field nor a tag.

    >>> as_data({"text": 'a</data> "b"' + chr(10) + "c"})
    '{"text":"a\\\\u003c/data> \\\\"b\\\\"\\\\nc"}'
    """
    shown = {name: shorten_middle(value) if isinstance(value, str) else value for name, value in fields.items()}
    return msgspec.json.encode(shown).decode("utf-8").replace("<", "\\u003c").replace(chr(127), "\\u007f")


def shorten_middle(text: str, longest: int = LONGEST) -> str:
    """The text, or its first three quarters and its end where it is longer than `longest` characters.

    >>> shorten_middle("abcdefghijkl", 8)
    'abcdef […] kl'
    """
    if len(text) <= longest:
        return text
    tail = longest // 4
    return f"{text[: longest - tail]} […] {text[-tail:]}"
