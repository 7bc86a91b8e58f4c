"""What tells whether a newer memory has taken an older one's place as the answer to a question.

A pair of texts seldom shows that: "Signed the lease: two floors in Marvila" says nothing of an office. Beside the
question it does: both answer "where is our office?", and one is newer. So each pair is seen as the question sees it:
how well either answers, what they share of the question's words and beside them, whether they tell the same sorts of
things, and whether the newer one speaks of a change.

>>> changes("They gave up the flat and live in Leeds now."), changes("They live in Leeds.")
(3, 0)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.recall.answer_features import ASKED, TOLD, Query, asked_for, told_by
from scrubjay.recall.asking import names_of
from scrubjay.remembered import remembered
from scrubjay.slots.statements import statement
from scrubjay.slots.vocabulary import MARK, content_of
from scrubjay.wordlist import word_set

Floats = NDArray[np.float64]

_CHANGES: Final = word_set(
    "now anymore longer instead since from moved moves move switch switched swap swapped change changed changes"
    " replaced replaces upgraded bumped new took takes over handed gave gives stopped stops quit left dropped gone went"
    " back again off up down became becomes raised retired sold bought broke fixed until successor finally already"
    " cancelled canceled shifted transferred promoted renamed"
    " jetzt nun mehr statt stattdessen ab seit wieder neu neue neuer neues neuen neuem gewechselt umgezogen zieht"
    " übernimmt übernommen übergeben getauscht fertig"
    " ahora ya desde nuevo nueva nuevos nuevas vez cambió cambiado mudado sustituye"
    " maintenant plus désormais nouveau nouvelle nouveaux nouvelles depuis déménagé reprend arrête partir"
    " adesso ora più nuovo nuova nuovi nuove agora novo nova novos novas mais"
)
"""Words that speak of something else than before."""
_PAST: Final = word_set(
    "did was were had before previous previously former formerly used originally hat hatte hatten war waren wurde"
    " damals früher vorher fue fueron era había antes était étaient avait avant fu erano aveva prima foi"
)
"""Words of a question about what was."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\w*\d(?:[\w.:]*\w)?")
_LONGEST: Final = 400
"""Characters of a text in which a change is looked for."""
_SORTS: Final = ("names", "begins_named", "digit", "dated", "time", "number")
"""Of TOLD those that two answers to one question are expected to share."""
_MOST_CHANGES: Final = 3

PAIR: Final = (
    "gap", "odds", "share_older", "share_newer", "cosine", "what_gap", "both", "beside", "asked_older", "asked_newer",
    "update_older", "update_newer", "about", "told_apart", "changes_older", "changes_newer", "names_older",
    "names_newer", "valid_older", "valid_newer", "lost_older", "lost_newer", "words_older", "words_newer",
    "digits_both", "past", "named", "named_older", "named_newer", "numbered", "numbered_older", "numbered_newer",
)  # fmt: skip
"""What is seen of an older and a newer memory and a question."""
FEATURES: Final = (*PAIR, *(f"asks_{sort}" for sort in ASKED))
"""Names of the columns of `features`."""


class Seen(NamedTuple):
    """The first memories of a search, m of them, as they stand before any has taken another's place here."""

    query: Query
    texts: Sequence[str]
    """What they say, without the time of a change that has come."""
    stored: Sequence[str]
    """The same as they were told."""
    vectors: NDArray[np.float32]
    """(m, d) unit."""
    scores: Floats
    """(m,) by all terms but the answer's, in units of the weight of "what"."""
    shares: Floats
    """(m,) in [0, 1]: the probability that each answers."""
    valid: Floats
    """(m,) in [0, 1]."""
    lost: Floats
    """(m,) in [0, 1]: what each has lost to a newer statement of the same slot."""
    after: NDArray[np.int64]
    """(m,) the place of what has taken each one's slot by their words, -1 for none."""
    present: Floats
    """(m,) in [0, 1]: 0 for what is over by its own words; that takes nothing any more."""
    newer: NDArray[np.bool_]
    """(m, m): whether the second is newer than the first, and has begun."""


@remembered(room=500_000, longest=_LONGEST)
def _changes(text: str) -> tuple[int]:
    return (len(_CHANGES.intersection(_WORD.findall(text.casefold()))),)


def changes(text: str) -> int:
    """How many words of a change a text has, at most three."""
    return min(_changes(text)[0], _MOST_CHANGES)


def features(seen: Seen) -> NDArray[np.float32]:
    """(m, m, len(FEATURES)) float32: of each memory, the older, with each, the newer; m >= 1."""
    m = len(seen.texts)
    asked = content_of(statement(seen.query.text))
    said = [statement(text) for text in seen.texts]
    content = [content_of(one) for one in said]
    shared, beside, of_asked = _words(asked, content)
    known = names_of(seen.query.text)
    told = np.array([told_by(text, known) for text in seen.texts])
    sorts = told[:, [TOLD.index(name) for name in _SORTS]]
    log = np.log(np.clip(seen.shares, 1e-4, 1.0))
    what = (seen.vectors @ seen.query.vector).astype(np.float64)
    update = np.array([one.marks[MARK["update"]] > 0 for one in said], np.float64)
    changed = np.array([changes(text) for text in seen.texts], np.float64)
    about = np.array([[bool(one.about & other.about) for other in said] for one in said], np.float64)
    digit = told[:, TOLD.index("digit")]
    names = content_of(statement(" ".join(sorted(known))))
    named = np.array([len(names & one) / max(len(names), 1) for one in content])
    numbers = _numbers(seen.query.text)
    numbered = np.array([len(numbers & _numbers(text)) / max(len(numbers), 1) for text in seen.texts])
    past = not _PAST.isdisjoint(_WORD.findall(seen.query.text.casefold()))
    columns = (
        _apart(seen.scores), _apart(log), _older(log), _newer(log), seen.vectors @ seen.vectors.T, _apart(what),
        shared, beside, _older(of_asked), _newer(of_asked), _older(update), _newer(update), about,
        -np.abs(sorts[:, None] - sorts[None]).sum(axis=2), _older(changed), _newer(changed),
        _older(told[:, TOLD.index("names")]), _newer(told[:, TOLD.index("names")]), _older(seen.valid),
        _newer(seen.valid), _older(seen.lost), _newer(seen.lost), _older(told[:, TOLD.index("words")]),
        _newer(told[:, TOLD.index("words")]), np.minimum(_older(digit), _newer(digit)), np.full((m, m), float(past)),
        np.full((m, m), float(bool(names))), _older(named), _newer(named),
        np.full((m, m), float(bool(numbers))), _older(numbered), _newer(numbered),
    )  # fmt: skip
    out = np.empty((m, m, len(FEATURES)), np.float32)
    for i, column in enumerate(columns):
        out[:, :, i] = column
    out[:, :, len(PAIR) :] = asked_for(seen.query.text)
    return out


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text[:_LONGEST].casefold()))


def _older(x: Floats) -> Floats:
    return np.broadcast_to(x[:, None], (len(x), len(x)))


def _newer(x: Floats) -> Floats:
    return np.broadcast_to(x[None, :], (len(x), len(x)))


def _apart(x: Floats) -> Floats:
    return np.asarray(x[:, None] - x[None, :])


def _words(asked: frozenset[int], content: Sequence[frozenset[int]]) -> tuple[Floats, Floats, Floats]:
    """(m, m) the share of the question's words that two texts both have, (m, m) the share of the others of the one of
    fewer that the other has, (m,) the share of the question's words that each has; rare words count for more."""
    m = len(content)
    words = sorted(asked.union(*content))
    has = np.array([[word in one for word in words] for one in content], np.float64).reshape(m, len(words))
    rarity = np.log1p((m + 0.5) / (has.sum(axis=0) + 0.5))
    of_question = np.array([word in asked for word in words], bool)
    whole = float(rarity[of_question].sum()) or 1.0
    inside, outside = has[:, of_question] * rarity[of_question], has[:, ~of_question] * rarity[~of_question]
    shared = inside @ has[:, of_question].T / whole
    size = outside.sum(axis=1)
    beside = outside @ has[:, ~of_question].T / np.maximum(np.minimum(size[:, None], size[None, :]), 1e-9)
    return shared, beside, inside.sum(axis=1) / whole
