"""Foreign text as it may be shown: what moves a cursor, rings or turns the direction of writing is an escape."""

from __future__ import annotations

import unicodedata
from typing import Final

_TURNING: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def printable(text: str, *, limit: int | None = None, lines: bool = False) -> str:
    """The text as it may be sent to a terminal: on one line unless `lines`, cut to `limit` characters.

    >>> printable("red\\x1b[31m\\n alert", limit=60)
    'red\\\\x1b[31m alert'
    """
    if not lines:
        text = " ".join(text.split())
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    keep = "\n\t" if lines else ""
    return "".join(
        char
        if char in keep or not (unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _TURNING)
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )
