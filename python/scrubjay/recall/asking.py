"""What a question asks for, its names apart: "What does Ada drink?" asks for what somebody drinks.

To an embedder a question about Ada is near to everything that is said of Ada, and little nearer to "Ada takes her
coffee black" than to "Ada drives a van". Its words without her name tell the two apart. So the vector of those words is
compared with whatever mentions the names, as a part of the lexical factor (`scrubjay.recall.lexical`): the names say of
whom, the rest says what. Stored vectors and the question's own stay as they are.

A name is a word with a capital inside the question. German writes all nouns so: what is asked in German is left alone,
as is whatever is no question.

>>> unnamed("What is Ada's phone number?"), unnamed("Where does Mr Howell sit?")
('What is phone number?', 'Where does sit?')
>>> unnamed("What does the printer cost?"), unnamed("Was trinkt Ada?"), unnamed("Ada drinks tea.")
('', '', '')
"""

from __future__ import annotations

import re
from typing import Final

from scrubjay.recall.standing import asks
from scrubjay.slots.statements import statement
from scrubjay.slots.vocabulary import content_of
from scrubjay.wordlist import word_set

EMBEDDERS: Final = frozenset(("use-multilingual-v3", "minilm-l6-v2-int8"))
"""Names of the embedders for which it was measured; no other one is asked for a second vector."""

_WORD: Final = re.compile(r"[^\W_]+(?:[.\-][^\W_]+)*(?:['’][^\W_]+)?")
_GENITIVE: Final = re.compile(r"['’]s$")
_ELIDED: Final = re.compile(r"^(?:[dl]|qu)['’]", re.IGNORECASE)


_GERMAN: Final = word_set(
    "wer wen wem wessen wo wann wie welche welcher welches welchen welchem warum wieso wogegen woran womit wovor worin"
    " woher wohin wofür wovon worauf wozu ist hatte wurde sind haben habe der das dem den ein eine einen im und von zu"
    " mit für bei nach gibt kann muss soll ich mag macht trinkt isst heißt sich nicht noch über beim zur zum wir"
)
"""Words that English and the Romance languages have not."""
_NO_NAMES: Final = word_set(
    "i i'm i'd i'll i've monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december english french german spanish italian christmas easter"
)
_ADDRESS: Final = word_set("mr mrs ms dr prof mme m señor señora sr sra signor signora maître")


def unnamed(text: str) -> str:
    """The question without the names in it; "" where it has none, is nothing but names, or is no question."""
    if not asks(text):
        return ""
    words = list(_WORD.finditer(text))
    low = [word.group().casefold() for word in words]
    if not _GERMAN.isdisjoint(low):
        return ""
    named = [i for i, word in enumerate(words) if i and _name(word.group(), low[i])]
    gone = set(named) | {i - 1 for i in named if i and low[i - 1].rstrip(".") in _ADDRESS}
    if not named:
        return ""
    out, end = [], 0
    for i in sorted(gone):
        out.append(text[end : words[i].start()])
        end = words[i].end()
    bare = " ".join("".join([*out, text[end:]]).split())
    return bare if content_of(statement(bare)) else ""


def names_of(text: str) -> frozenset[str]:
    """The names inside a question, folded and without a genitive.

    >>> sorted(names_of("When does Ada's sister meet Tom?"))
    ['ada', 'tom']
    """
    words = [word.group() for word in _WORD.finditer(text)]
    found = [word for word in words[1:] if _name(word, word.casefold())]
    return frozenset(_GENITIVE.sub("", word).casefold() for word in found)


def _name(word: str, low: str) -> bool:
    plain = _ELIDED.sub("", _GENITIVE.sub("", word))
    shouted = len(plain) > 1 and plain.isupper()
    return plain[:1].isupper() and not shouted and low not in _NO_NAMES and not any(c.isdigit() for c in plain)
