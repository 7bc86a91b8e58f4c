"""What tells whether a statement answers a question: likeness, shared words, and the sort of thing that is asked for.

Sorts are lists of words: "where" asks for a place, "at six" tells a time. Each sort that a question may ask for meets
each that a statement may tell, and the model learns which of them belong together. English first; other languages have
their words of asking, and else the vectors.

>>> dict(zip(ASKED, asked_for("Where does Ada live?").tolist()))["where"]
1.0
>>> dict(zip(TOLD, told_by("Ada lives at 14 Mill Lane.", frozenset(["ada"])).tolist()))["digit"]
1.0
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.recall.asking import names_of, unnamed
from scrubjay.remembered import remembered
from scrubjay.slots.statements import statement
from scrubjay.slots.vocabulary import content_of
from scrubjay.wordlist import word_set

_ASKS: Final = {
    "who": word_set("who whom whose wer wen wem wessen qui quién quien quienes chi quem"),
    "where": word_set("where wo wohin woher où dónde donde adónde dove onde"),
    "when": word_set("when wann quand cuándo cuando quando"),
    "time": word_set(
        "time day date year month weekday week uhr tag jahr heure jour année hora día año since until"
    ),
    "count": word_set(
        "many much number combien cuánto cuánta cuántos cuántas quanto viele viel big large old long far fast often"
        " high tall heavy expensive cost price age size length"
    ),
    "why": word_set("why warum wieso pourquoi perché reason cause"),
    "how": word_set("how wie comment cómo como"),
    "which": word_set("which welche welcher welches quel quelle quels quelles cuál qué what was que"),
    "place": word_set(
        "city town country place street address room region village building floor stadt ville ciudad"
    ),
    "person": word_set(
        "person name called husband wife partner brother sister friend boss manager colleague doctor owner head lead"
        " responsible"
    ),
    "is": word_set("is are was were does do did has have can could will would should ist sind hat est es"),
}  # fmt: skip
"""Words by what a question that has them asks for."""
_FIRST: Final = ("who", "where", "when", "how", "which", "is")
ASKED: Final = (*_ASKS, *(f"first_{name}" for name in _FIRST))
"""What is seen of a question, 1 or 0 each: it has a word of the sort, or begins with one."""

_TIMES: Final = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays"
    " sundays january february march april may june july august september october november december morning evening"
    " night nightly midnight noon spring summer autumn winter weekend weekends weekly daily monthly yearly yesterday"
    " tomorrow today o'clock year years month months week weeks day days hour hours minutes until since lunch easter"
    " christmas am pm uhr quarter annually before after during"
)
_NUMBERS: Final = word_set(
    "one two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty hundred"
    " thousand million twins triplets dozen half once twice zero both pair none no single several percent"
)
_PLACES: Final = word_set(
    "in at near on under behind beside from to above below outside inside between across opposite next off into"
)
_CAUSES: Final = word_set("because since due after so for to therefore reason caused")
_ARTICLES: Final = word_set("the a an")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DIGIT: Final = re.compile(r"\d")
_DATED: Final = re.compile(r"\d{1,2}[:.]\d\d|\b(?:19|20)\d\d\b|\b\d{1,2}(?:am|pm|st|nd|rd|th)\b", re.IGNORECASE)
_MONEY: Final = re.compile(r"[$€£]|\b(?:euros?|dollars?|pounds?|eur|usd|cents?)\b", re.IGNORECASE)
_LONGEST: Final = 400
"""Characters of a text that are looked at: what answers stands in one sentence."""

TOLD: Final = (
    "names", "begins_named", "digit", "dated", "time", "number", "place_word", "place", "cause", "money", "words"
)  # fmt: skip
"""What is seen of a statement, in [0, 2] each."""
PAIR: Final = (
    "cosine", "cosine_behind", "bare", "bare_behind", "apart", "apart_behind", "nameless", "overlap", "overlap_share",
    "overlap_behind", "asked_words", "named", "has_names", "about", "about_other",
)  # fmt: skip
"""What is seen of the two together; `_behind` is the distance to the best of those that are compared."""
FEATURES: Final = (*PAIR, *(f"{asked}:{told}" for asked in ASKED for told in TOLD))
"""Names of the columns of `features`."""


class Query(NamedTuple):
    """What was asked, as the model reads it."""

    text: str
    vector: NDArray[np.float32]
    """(d,) unit."""
    bare: NDArray[np.float32]
    """(d,) unit vector of its words without names; `vector` where it has none."""
    words: str
    """Its words without names; `text` where it has none."""


def asked_by(text: str, vector: NDArray[np.float32], bare: NDArray[np.float32] | None) -> Query:
    """A text and its vector as a query; `bare` is the vector of its words without names, None where it has none."""
    return Query(text, vector, vector, text) if bare is None else Query(text, vector, bare, unnamed(text))


class _Words(NamedTuple):
    """A statement's words that are counted without what a question names."""

    capitals: tuple[str, ...]
    first: str
    """Its first word, where that has a capital."""
    seen: tuple[float, ...]
    """The rest of TOLD."""


def asked_for(text: str) -> NDArray[np.float32]:
    """(len(ASKED),) float32 of a question."""
    words = [word.casefold() for word in _WORD.findall(text[:_LONGEST])]
    every, first = set(words), set(words[:1])
    sorts = [not every.isdisjoint(some) for some in _ASKS.values()]
    return np.array([*sorts, *(not first.isdisjoint(_ASKS[name]) for name in _FIRST)], np.float32)


def told_by(text: str, names: frozenset[str]) -> NDArray[np.float32]:
    """(len(TOLD),) float32 of a statement; `names` are those that the question knows already, folded."""
    words = _words(text)
    others = sum(word not in names for word in words.capitals)
    begins = bool(words.first) and words.first not in names
    return np.array([min(others, 3) / 2, begins, *words.seen], np.float32)


@remembered(room=2_000_000, longest=_LONGEST)
def _words(text: str) -> _Words:
    written = _WORD.findall(text)
    low = [word.casefold() for word in written]
    capital = [word[:1].isupper() for word in written]
    every = set(low)

    def named(at: int) -> bool:
        return at < len(low) and capital[at] and low[at] not in _TIMES

    places = [i for i, word in enumerate(low) if word in _PLACES]
    place = any(named(i + 1) or (low[i + 1 : i + 2] and low[i + 1] in _ARTICLES and named(i + 2)) for i in places)
    return _Words(
        capitals=tuple(low[i] for i in range(1, len(low)) if named(i)),
        first=low[0] if capital[:1] == [True] else "",
        seen=(
            float(bool(_DIGIT.search(text))),
            float(bool(_DATED.search(text))),
            float(not every.isdisjoint(_TIMES)),
            float(not every.isdisjoint(_NUMBERS)),
            float(bool(places)),
            float(place),
            float(not every.isdisjoint(_CAUSES)),
            float(bool(_MONEY.search(text))),
            min(len(written), 24) / 12,
        ),
    )


def features(query: Query, texts: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """(m, len(FEATURES)) float32 of m >= 1 statements and their unit vectors (m, d)."""
    m = len(texts)
    likeness = [vectors @ query.vector, vectors @ query.bare, _apart(vectors) @ query.bare]
    asked = statement(query.words)
    content = content_of(asked)
    said = [statement(text) for text in texts]
    words = [content_of(one) for one in said]
    rarity = {word: np.log1p((m + 0.5) / (sum(word in some for some in words) + 0.5)) for word in content}
    overlap = np.array([sum(rarity[word] for word in content & some) for some in words]) / 2
    names = names_of(query.text)
    who = content_of(statement(" ".join(sorted(names)))) if names else frozenset()
    about = [bool(asked.about & one.about) for one in said]
    known = [bool(asked.about)] * m
    columns = [
        *(part for one in likeness for part in (one, one - one.max())),
        np.full(m, query.words == query.text),
        overlap,
        [len(content & some) / max(len(content), 1) for some in words],
        overlap - overlap.max(),
        np.full(m, min(len(content), 6) / 3),
        [len(who & some) / max(len(who), 1) for some in words],
        np.full(m, bool(who)),
        about,
        [knows and not same for knows, same in zip(known, about, strict=True)],
    ]
    told = np.stack([told_by(text, names) for text in texts])
    met = asked_for(query.text)[None, :, None] * told[:, None, :]
    pair = np.stack([np.asarray(column, np.float32) for column in columns], axis=1)
    return np.concatenate([pair, met.reshape(m, -1)], axis=1)


def _apart(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors without what all of them share, mostly whom they are about; unit rows."""
    rest = vectors - vectors.mean(axis=0)
    norm = np.linalg.norm(rest, axis=1, keepdims=True)
    return np.asarray(rest / np.maximum(norm, 1e-6), np.float32)
