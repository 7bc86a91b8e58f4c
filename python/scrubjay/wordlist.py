"""Lists of words, written as one text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which white space parts.

    >>> sorted(word_set("b a  c"))
    ['a', 'b', 'c']
    """
    return frozenset(text.split())
