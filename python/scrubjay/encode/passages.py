"""Long texts as passages: stretches of whole sentences, each short enough to have one meaning.

A text of more than `LONG` characters is cut behind sentences and at blank lines into passages of about `LENGTH`
characters; a sentence that is longer than that by itself is cut at white space. Where there would be more than
`MOST` passages they become longer, up to `LONGEST` characters, and beyond that so many evenly spaced ones stand for
the text, the first and the last always among them: what a text costs is bounded, and full-text search still sees every
word.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from scrubjay.sets import distinct
from scrubjay.slots.statements import LONG

LENGTH: Final = 200
"""Characters of a passage, about (chosen on conversations)."""
LONGEST: Final = 2048
"""Characters of a passage at most (chosen)."""
MOST: Final = 512
"""Passages of a text at most (chosen)."""

Span = tuple[int, int]
"""Where a passage begins and ends in its text, in characters."""

# a sentence ends with its marks, what closes it, and the white space behind; the marks of Han and kana need none. Only
# the first of several marks is tried: from each of a long run, the search for white space would take quadratic time
_END: Final = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*\s+|[。！？]+[」』”’]*\s*|\n\s*")


def split_passages(text: str) -> list[Span]:
    """The passages of `text` in order, without white space at their ends; [] for a short text.

    Spans do not overlap; what lies between two is white space, unless the text is longer than `MOST` of them can hold.

    >>> split_passages("A short note.")
    []
    >>> text = "The quick brown fox jumps over the lazy dog. " * 30
    >>> [text[a:b].count("fox") for a, b in split_passages(text)]
    [4, 4, 4, 4, 4, 4, 6]
    """
    if len(text) <= LONG:
        return []
    ends = [found.end() for found in _END.finditer(text)]
    ends = [end for end in ends if end < len(text)] + [len(text)]
    length = max(LENGTH, min(LONGEST, len(text) // MOST))
    spans = _packed(text, ends, length)
    while len(spans) > MOST and length < LONGEST:
        length = min(LONGEST, length + length // 2)
        spans = _packed(text, ends, length)
    if len(spans) > MOST:
        spans = [spans[i] for i in distinct(np.linspace(0, len(spans) - 1, MOST).round().astype(np.intp)).tolist()]
    return spans if len(spans) > 1 else []


def _packed(text: str, ends: list[int], length: int) -> list[Span]:
    """Sentences, which end at `ends`, put together to stretches of at most `length` characters."""
    spans: list[Span] = []
    start = stop = 0
    for end in ends:
        if end - start > length and stop > start:
            _keep(text, start, stop, spans)
            start = stop
        while end - start > length:
            # one sentence that is too long by itself
            cut = _cut(text, start, start + length)
            _keep(text, start, cut, spans)
            start = cut
        stop = end
    _keep(text, start, stop, spans)
    if len(spans) > 1 and spans[-1][1] - spans[-1][0] < length // 2 and spans[-1][1] - spans[-2][0] <= LONGEST:
        # a few words alone would be nearer to a query than any passage that says more
        spans[-2:] = [(spans[-2][0], spans[-1][1])]
    return spans


def _cut(text: str, start: int, place: int) -> int:
    """The end of the last word before `place`, unless that is nearer to `start`."""
    for at in range(place, (start + place) // 2, -1):
        if text[at - 1].isspace():
            return at
    return place


def _keep(text: str, start: int, stop: int, spans: list[Span]) -> None:
    part = text[start:stop]
    left, right = len(part) - len(part.lstrip()), len(part.rstrip())
    if left < right:
        spans.append((start + left, start + right))
