"""Lists of words, written as one text."""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which white space parts.

    >>> sorted(word_set("b a  c"))
    ['a', 'b', 'c']
    """
    return frozenset(text.split())


BE: Final = word_set("is are am ist sind bin est sont suis es está están son è sono é são")
"""Forms of "be" in the present."""
THE: Final = word_set("the our der die das unser unsere le la les notre el los las nuestro nuestra il lo gli o os")
"""What something known begins with: articles, and what is ours."""
