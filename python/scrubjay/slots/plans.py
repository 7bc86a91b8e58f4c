"""Changes that come at a time that they name: "will move to Linz in June", "from 1 June on Tom lives in Linz", "the
class is on Fridays from next week". Before that time nothing has changed; from then on it is told as what has come
("Tom moved to Linz").

Verbs come from a table with what is told of them; of what will be a value ("the demo will be on 3 May") nothing comes.

>>> told("Tom will move to Linz in June.", when=1.7e9, now=1.71e9)  # said in November, asked in March
('Tom will move to Linz in June.', 1717200000.0)
>>> told("Tom will move to Linz in June.", when=1.7e9, now=1.72e9)  # asked in July
('Tom moved to Linz.', 1717200000.0)
>>> told("From 1 June on Tom lives in Linz.", when=1.7e9, now=1.72e9)[0]
'Tom lives in Linz.'
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.calendar import NEXT, Token, phrase, tokens_of
from scrubjay.remembered import remembered
from scrubjay.wordlist import BE, word_set

_LONGEST: Final = 160
"""Characters of a text that may tell of a plan."""
_EPOCH: Final = datetime(1970, 1, 1)
_TOLD: Final = {
    "move": "moved", "relocate": "relocated", "join": "joined", "leave": "left", "become": "is", "switch": "switched",
    "change": "changed", "take": "took", "live": "lives", "work": "works", "study": "studies", "start": "started",
    "begin": "started", "quit": "quit", "retire": "retired", "stop": "stopped", "cost": "costs", "use": "uses",
    "migrate": "migrated", "replace": "replaced", "transfer": "transferred", "report": "reports", "drop": "dropped",
    "run": "runs", "lead": "leads", "rise": "rose", "go": "went", "drive": "drives", "close": "closed",
    "moving": "moved", "relocating": "relocated", "joining": "joined", "leaving": "left", "becoming": "is",
    "switching": "switched", "changing": "changed", "taking": "took", "starting": "started", "quitting": "quit",
    "retiring": "retired", "migrating": "migrated", "transferring": "transferred", "dropping": "dropped",
    "closing": "closed", "replacing": "replaced",
    "ziehen": "gezogen", "umziehen": "umgezogen", "wechseln": "gewechselt", "kündigen": "gekündigt",
    "verlassen": "verlassen", "déménager": "déménagé", "quitter": "quitté", "rejoindre": "rejoint",
    "mudarse": "mudó", "trasferirsi": "trasferito",
}  # fmt: skip
"""Verbs as they are said of what will come, with what is told once it has come."""
_ENGLISH: Final = frozenset(word for word in _TOLD if not word.endswith("ing")) - word_set(
    "ziehen umziehen wechseln kündigen verlassen déménager quitter rejoindre mudarse trasferirsi"
)
_ELSEWHERE: Final = {
    ("wird",): "ist", ("va",): "a", ("va", "a"): "se", ("si", "trasferirà"): "si è trasferito",
}  # fmt: skip
_IN: Final = word_set("in on from starting as of im ab am en le à en el dal da since at by")
_FROM: Final = word_set("from starting effective as ab à dal desde")
_ON: Final = word_set("on onwards onward an")
_TO: Final = word_set("to until till through bis - – — jusqu'au jusqu'en hasta fino")
_MAYBE: Final = word_set("might could would if unless perhaps maybe not never probably wants hopes plans")
_WILL: Final = word_set("will wird va is are am")


class Plan(NamedTuple):
    """What is told of a plan once it has come, and where among the tokens its time stands."""

    told: str
    tokens: tuple[Token, ...]
    at: int


@remembered(room=1 << 23)
def _plan(text: str) -> tuple[Plan, ...]:
    """The plan that a text tells of; () for none."""
    if len(text) > _LONGEST or text.rstrip()[-1:] == "?":
        return ()
    tokens = tokens_of(text)
    words = [token.word for token in tokens]
    doubted = not _MAYBE.isdisjoint(words) or any(token.raw == "may" for token in tokens)
    if len(words) < 5 or doubted or (_WILL | _FROM).isdisjoint(words):
        return ()
    first = _from_then(tokens, words)
    if first:
        return first
    at, behind = _time(tokens, words)
    said = _come(tokens, words, at, behind) if at else ""
    return (Plan(said, tuple(tokens), at),) if said else ()


def _from_then(tokens: list[Token], words: list[str]) -> tuple[Plan, ...]:
    """ "From 1 June on Tom lives in Linz"."""
    if words[0] not in _FROM:
        return ()
    at = next((i for i in range(1, len(words)) if words[i] not in ("of", "from", "partir", "de", "du")), 0)
    span = phrase(tokens, at, _EPOCH) if at else None
    if span is None or not span.dated:
        return ()
    end = span.next
    if end < len(words) and words[end] in _TO:
        return ()
    while end < len(words) and (words[end] in _ON or words[end] == ","):
        end += 1
    rest = tokens[end:]
    if words[0] == "ab" and len(rest) > 1:
        # "ab Mai wohnt Jens in Linz": the verb stands before its subject
        rest[:2] = rest[1::-1]
    return (Plan(_text(rest), tuple(tokens), at),) if len(rest) > 2 else ()


def _time(tokens: list[Token], words: list[str]) -> tuple[int, int]:
    """Where the last time begins that is named behind a word of time, and the token behind it."""
    for i in range(len(words) - 1, 2, -1):
        if words[i - 1] in _IN or words[i] in NEXT:
            span = phrase(tokens, i, _EPOCH)
            if span is not None and span.dated:
                return i, span.next
    return 0, 0


def _come(tokens: list[Token], words: list[str], at: int, behind: int) -> str:
    """What is told once it has come: the verb in another form, and no time."""
    start = at
    while start > 1 and words[start - 1] in _IN:
        start -= 1
    rest = [*tokens[:start], *tokens[behind:]]
    low = [token.word for token in rest]
    for i in range(1, len(rest) - 1):
        if low[i : i + 2] == ["will", "be"] and not _FROM.isdisjoint(words[start:at]):
            return _text([*rest[:i], Token("", "is"), *rest[i + 2 :]])
        going = 3 if low[i : i + 3] in (["is", "going", "to"], ["are", "going", "to"]) else 1 if low[i] == "will" else 0
        if going and i + going < len(low) and low[i + going] in _ENGLISH:
            return _text([*rest[:i], Token("", _TOLD[low[i + going]]), *rest[i + going + 1 :]])
        if low[i] in ("is", "are", "am") and low[i + 1].endswith("ing") and low[i + 1] in _TOLD:
            return _text([*rest[:i], Token("", _TOLD[low[i + 1]]), *rest[i + 2 :]])
        for aux, has in _ELSEWHERE.items():
            n = len(aux)
            verb = next((k for k in range(i + n, len(low)) if low[k] in _TOLD and low[k] not in _ENGLISH), 0)
            if tuple(low[i : i + n]) == aux and verb:
                changed = [*rest[i + n : verb], Token("", _TOLD[low[verb]]), *rest[verb + 1 :]]
                return _text([*rest[:i], Token("", has), *changed])
    verb = next((i for i, word in enumerate(low) if i and word in BE), len(low))
    if words[start] in _FROM and not (behind < len(words) and words[behind] in _TO) and verb + 2 < len(low):
        # "the class is on Fridays from next week"
        return _text(rest)
    return ""


def _text(tokens: Sequence[Token]) -> str:
    """The tokens as a sentence."""
    out = ""
    for token in tokens:
        out += token.raw if token.raw in (".", ",", "!", ";", ":") or not out else " " + token.raw
    return out


def planned(text: str) -> bool:
    """Whether it tells of what comes at a time that it names."""
    return bool(_plan(text))


def told(text: str, when: float, now: float) -> tuple[str, float]:
    """What a text that was said at `when` tells at `now`, and since when, which for a plan may be after `now`; all
    times in seconds since the epoch."""
    for plan in _plan(text):
        try:
            said = _EPOCH + timedelta(seconds=when)
        except OverflowError:
            break
        span = phrase(list(plan.tokens), plan.at, said)
        start = (span.start - _EPOCH) / timedelta(seconds=1) if span is not None else np.inf
        if start <= when:
            break
        return (plan.told if start <= now else text), start
    return text, when


def arrived(
    texts: Sequence[str], when: NDArray[np.float64], now: float
) -> tuple[list[str], NDArray[np.float64], NDArray[np.bool_]]:
    """`told` of m texts, each with its own `when` (m,), and which of them (m,) are of plans that have not come."""
    each = [told(text, moment, now) for text, moment in zip(texts, when.tolist(), strict=True)]
    since = np.array([moment for _, moment in each], np.float64)
    return [text for text, _ in each], since, (since > now) & (since > when)
