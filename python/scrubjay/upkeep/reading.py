"""Evidence read for what it says of the memories that it reaches: bounded deltas and one line of summary.

A `Reader` is a function of (text, context). `read_words` is the deterministic one that works without a model: it looks
for the words of change in `CUES`, whole and in any case, and adds up what each row says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import msgspec

from scrubjay.dynamics.integration import Deltas, Integration

SUMMARY_LENGTH: Final = 160
"""Longest summary, in characters (chosen)."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read."""

    deltas: Deltas
    summary: str
    model: str
    """Name of what read it."""
    prompt: str = ""
    """Digest of the prompt, where a model was asked."""
    degraded: bool = False
    """True where a model should have read it and the fallback did."""


Reader: TypeAlias = Callable[[str, str | None], Reading]
"""(text, context) -> Reading. Raises ModelReplyError where it cannot tell."""


class Cue(NamedTuple):
    """Words of change and what they say of the memories they reach."""

    words: str
    """A regular expression over whole words."""
    deltas: Deltas


CUES: Final = (
    Cue(
        r"no longer|not any ?more|n't any ?more|anymore|stopped|ceased|cancel(?:l?ed)|revoked|withdrawn|ended|left"
        r"|sold|quit|resigned|took over from|handed over",
        Deltas(value=-0.5, pi=0.3, tau=-0.5),
    ),
    Cue(
        r"(?:has |have |was |were )?(?:moved|changed|switched|migrated|renamed"
        r"|postponed|rescheduled|pushed back|bumped|upgraded) (?:to|from)|replaced by|instead of"
        r"|from now on|as of (?:now|today)",
        Deltas(value=-0.3, pi=0.2, tau=-0.4),
    ),
    Cue(r"now|currently|at the moment", Deltas(value=-0.1, pi=0.1, tau=-0.2)),
    Cue(
        r"until|till|for now|temporar(?:y|ily)|by (?:mon|tues|wednes|thurs|fri|satur|sun)day", Deltas(pi=0.1, tau=-0.2)
    ),
    Cue(r"not|never|n't", Deltas(value=-0.2, pi=0.1)),
    Cue(r"still|confirmed|as before|unchanged|again|always|remains?", Deltas(value=0.3, pi=-0.1, tau=0.3)),
)
"""Each row counts once, however many of its words appear (chosen)."""

_PATTERNS: Final = tuple((re.compile(rf"(?<!\w)(?:{cue.words})\b", re.IGNORECASE), cue.deltas) for cue in CUES)
_NEGATED: Final = re.compile(r"\w(n't)\b", re.IGNORECASE)


def read_words(text: str, context: str | None = None) -> Reading:  # noqa: ARG001  a Reader takes both
    """The deterministic reading of a text; `context` is not read.

    >>> read_words("The review is no longer in B12.").deltas
    Deltas(value=-0.5, pi=0.3, tau=-0.5)
    >>> read_words("The sky is blue.").deltas
    Deltas(value=0.0, pi=0.0, tau=0.0)
    """
    spaced = _NEGATED.sub(lambda match: match.group(0)[0] + " " + match.group(1), text)
    hit = [deltas for pattern, deltas in _PATTERNS if pattern.search(spaced)]
    value, pi, tau = (round(sum((getattr(d, name) for d in hit), 0.0), 6) for name in ("value", "pi", "tau"))
    total = Deltas(value=value, pi=pi, tau=tau)
    return Reading(deltas=total.bounded(Integration()), summary=shorten(text), model="words-1")


def shorten(text: str, length: int = SUMMARY_LENGTH) -> str:
    """One line of at most `length` characters.

    >>> shorten("a\\nb  c"), shorten("abcdef", 4)
    ('a b c', 'abc…')
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
