"""A text as the words by which it is found: the same for a stored text and for a query, in every script.

- Compatibility forms, case and the marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters are folded away.
- What is written with signs inside ("multi-agent", "GB/s", "a.b@c.org", "get_name", "3.5") counts whole and in its
  parts, an identifier in camel case too. "don't" is one word, a possessive 's is dropped.
- Scripts that put no space between words (Han, kana, Hangul, Thai, Lao, Khmer, Burmese, Tibetan) give their characters
  and pairs of neighbours.
- Plain English endings (-s, -es, -ies, -ed, -ing, -e) are cut off words in ASCII letters.

`VERSION` names these rules: an index that was made by others is made anew.

>>> tokens("Maya's GB/s don't 成语")
['maya', 'gb/s', 'gb', 's', 'dont', '成', '语', '成语']
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

VERSION: Final = 1
MAX_TOKEN: Final = 64
"""Longest token in characters; what is longer is cut."""
MAX_PARTS: Final = 8
"""A chain of more parts (a path, a key) is not also kept whole."""

_NO_CONTENT: Final = (
    "a an the and or but if then so as of at by for from in into on onto to with about over under up down out off "
    "between among during before after i me my we our ours you your yours he him his she her hers it its they "
    "them their theirs this that these those who whom whose which what when where why how is are am was were be "
    "been being do does did done has have had having would shall should can could might must not no nor than too "
    "very just there here also some any each all both such own same other more most dont isnt arent wasnt werent "
    "hasnt havent hadnt doesnt didnt wont wouldnt cant couldnt shouldnt im youre ive weve"
)
FUNCTION_WORDS: Final = frozenset(_NO_CONTENT.split())
"""English words that say nothing about what a question is about. A small store cannot tell by counting."""

_PAIRED: Final = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff\u3005-\u3007"
)
_PICTURES: Final = "\u2600-\u27bf\U0001f300-\U0001faff"
# \\w lacks the vowel signs of Indic scripts; the dandas U+0964 and U+0965 are punctuation
_LETTER: Final = rf"(?:[^\W_{_PAIRED}]|[\u0900-\u0963\u0966-\u0dff])"
_WORD: Final = re.compile(rf"[{_PAIRED}]+|{_LETTER}+(?:(?:[-./'’&+@:]|_+){_LETTER}+)*(?:\+\+|\#(?!\w))?|[{_PICTURES}]")
_ENDS: Final = frozenset(".!?…:\n")
_PAIRED_RUN: Final = re.compile(rf"[{_PAIRED}]+")
_PARTS: Final = re.compile(r"[-./'’&+@:_#]+")
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MARKS: Final = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]+")
_CONTRACTED: Final = frozenset({"t", "re", "ve", "ll", "d", "m"})


def tokens(text: str) -> list[str]:
    """The words of a text in order, repeated ones too; [] where there is none. Never raises for a str."""
    if not text.isascii():
        text = _folded(text)
    out: list[str] = []
    for word in _WORD.findall(text):
        out += _known(word) if len(word) <= 2 * MAX_TOKEN else _expanded(word)
    return out


def query_words(text: str) -> list[str]:
    """The distinct words of a query, without function words unless there is nothing else.

    >>> query_words("What is Maya's room?"), query_words("Who are you?")
    (['maya', 'room'], ['who', 'are', 'you'])
    """
    words = list(dict.fromkeys(tokens(text)))
    return [word for word in words if word not in _FUNCTION] or words


def names(text: str) -> frozenset[str]:
    """The words of those that a text names: capitals that do not begin a sentence, or that do and have a possessive.

    >>> sorted(names("Where does Maya's sister Ana-Maria live? Ask IBM.")), names("What's new?")
    (['ana', 'ana-maria', 'ibm', 'maria', 'maya'], frozenset())
    """
    out: set[str] = set()
    end = 0
    for match in _WORD.finditer(text):
        word, gap = match.group(), text[end : match.start()]
        begins = not end or any(sign in gap for sign in _ENDS)
        end = match.end()
        if word[0].isupper() and (not begins or word.endswith(("'s", "’s"))):
            out.update(tokens(word))
    return frozenset(out - _FUNCTION)


def _folded(text: str) -> str:
    # marks are decomposed to be dropped; what is left is composed again, or Hangul would stay in pieces
    return unicodedata.normalize("NFKC", _MARKS.sub("", unicodedata.normalize("NFKD", text)))


def _expanded(word: str) -> tuple[str, ...]:
    if _PAIRED_RUN.match(word):
        return (*word, *(word[i : i + 2] for i in range(len(word) - 1)))
    folded = word.casefold().replace("'", "’")
    parts = [part for part in _PARTS.split(folded) if part]
    if "’" in folded and len(parts) == 2:
        if parts[1] == "s":
            return (_stem(parts[0]),)
        if parts[1] in _CONTRACTED:
            return ("".join(parts),)
    if len(parts) <= 1:
        whole = folded.strip("_")
        humps = _CAMEL.findall(word) if word.isascii() and word.isalpha() and not word.islower() else ()
        if len(humps) > 1 and not word.isupper():
            return (whole[:MAX_TOKEN], *(_stem(hump.lower()) for hump in humps[:MAX_PARTS]))
        plus = (_stem(parts[0]),) if parts and whole != parts[0] else ()
        return (_stem(whole[:MAX_TOKEN]), *plus)
    single = tuple(_stem(part[:MAX_TOKEN]) for part in parts)
    if len(parts) > MAX_PARTS or len(folded) > MAX_TOKEN:
        return single
    return (folded, *single)


_known: Final = lru_cache(maxsize=1 << 15)(_expanded)


def _stem(word: str) -> str:
    """A word in ASCII letters without its plainest English endings."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and any(vowel in root for vowel in "aeiouy"):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_FUNCTION: Final = FUNCTION_WORDS | {_stem(word) for word in FUNCTION_WORDS}
