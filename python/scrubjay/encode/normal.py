"""What may be stored as text, and when two texts are the same.

The stored text is the caller's own: nothing is stripped, folded or normalised. Only the digest by which `add` knows a
text again is taken of a normal form: Unicode NFC, runs of white space as one space, none at the ends; case counts.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b
from typing import Final

from scrubjay.errors import ArgumentError, ArgumentTypeError

MAX_TEXT_BYTES: Final = 8 * 1024 * 1024
"""Largest text, in bytes of UTF-8: 8 MiB (chosen)."""
MAX_KEY_BYTES: Final = 4096
"""Largest caller's key, in bytes of UTF-8 (chosen)."""
DIGEST_BYTES: Final = 16

_ACRONYM: Final = 5
"""Letters of the longest acronym that is not told from a word (chosen)."""
_TOKEN: Final = re.compile(r"[\w'’/-]+")
_DIGIT: Final = re.compile(r"\d")
_FIRST: Final = re.compile(r"(?:^|[.!?]\s)\W*\w|\bi\b")
"""First letters of sentences, and "I"."""

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


def check_text(
    text: object, *, argument: str = "text", max_bytes: int = MAX_TEXT_BYTES, allow_blank: bool = False
) -> str:
    """The text itself, if it can be stored; nothing about it is changed.

    Refused: what is no str (`ArgumentTypeError`); lone surrogates, which UTF-8 cannot hold; NUL, at which C strings
    end; more than `max_bytes` of UTF-8; and, unless `allow_blank`, a text without a visible character
    (`ArgumentError`). Messages never quote the text.

    >>> check_text("  the room is 4.12 ")
    '  the room is 4.12 '
    """
    if not isinstance(text, str):
        raise ArgumentTypeError(f"{argument}: expected str, got {type(text).__name__}")
    size = len(text)
    if size <= max_bytes and not text.isascii():
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise ArgumentError(
                f"{argument}: lone surrogate U+{ord(text[error.start]):04X} at character {error.start}; "
                "decode the bytes with errors='replace'"
            ) from None
    if size > max_bytes:
        raise ArgumentError(f"{argument}: over {max_bytes:,} bytes of UTF-8; split it")
    if "\0" in text:
        raise ArgumentError(f"{argument}: NUL at character {text.index(chr(0))}; remove it")
    if not allow_blank and is_blank(text):
        raise ArgumentError(f"{argument}: empty or blank; give at least one visible character")
    # what is stored is plain text, also where a subclass of str (np.str_, an enum's) was given
    return text if type(text) is str else str.__str__(text)


def is_blank(text: str) -> bool:
    """True where nothing would be seen: only white space, control and format characters.

    >>> is_blank(" \\u200b\\n"), is_blank("*")
    (True, False)
    """
    stripped = text.strip()
    return not stripped or all(unicodedata.category(char) in _INVISIBLE for char in stripped)


def normal_form(text: str) -> str:
    """The form under which two texts count as the same.

    >>> normal_form(" Cafe\\u0301  au\\nlait ") == "Café au lait"
    True
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def ordinary_case(text: str) -> str:
    """A text of several words all in capitals as it is ordinarily written; any other text as it is.

    Two short words alone may be acronyms, and a word with a digit in it keeps its case.

    >>> ordinary_case("THE LIFT IS BROKEN. USE LIFT B2."), ordinary_case("HTTP 503"), ordinary_case("Lift B2")
    ('The lift is broken. Use lift B2.', 'HTTP 503', 'Lift B2')
    """
    if not text.isupper():
        return text
    words = {token for token in _TOKEN.findall(text) if token.isupper() and not _DIGIT.search(token)}
    if len(words) < 2 or (len(words) == 2 and max(map(len, words)) <= _ACRONYM):
        return text
    lower = _TOKEN.sub(lambda token: token[0].lower() if token[0] in words else token[0], text)
    return _FIRST.sub(lambda letter: letter[0].upper(), lower)


def text_digest(text: str) -> bytes:
    """16 bytes that equal texts (see `normal_form`) share."""
    return blake2b(normal_form(text).encode("utf-8"), digest_size=DIGEST_BYTES, person=b"scrubjay-text").digest()


def key_digest(key: str) -> bytes:
    """16 bytes of a caller's own key, compared exactly; never those of a text."""
    check_text(key, argument="key", max_bytes=MAX_KEY_BYTES)
    return blake2b(key.encode("utf-8"), digest_size=DIGEST_BYTES, person=b"scrubjay-key").digest()


def dedupe_digest(text: str, key: str | None = None) -> bytes:
    """The digest that is unique among the living memories of a namespace: of the key where there is one, else the text.

    >>> dedupe_digest("a  b") == dedupe_digest("a b"), dedupe_digest("a", key="k") == dedupe_digest("b", key="k")
    (True, True)
    """
    return text_digest(text) if key is None else key_digest(key)
