"""What stands around a statement and is none of it: marks of a list, quotation marks, and words by the way.

A mark of a list is one before a word, never before a number ("- 5 degrees"), and on a text of one line. Quotation marks
are left out where they hold the whole text and that is a sentence: a title ("Gone with the Wind") keeps them, and so
does a quote of which the text says more. "So", "okay", "well" without a comma go before a subject: "so many" is a
degree.
"""

from __future__ import annotations

import json
import re
from typing import Final

from scrubjay.encode.tellings import BEING
from scrubjay.wordlist import word_set

_FIELD: Final = re.compile(r'\s*\{\s*"[\w -]{1,40}"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}\s*')
"""An object of JSON with one field, which is text."""
_BOLD: Final = re.compile(r"\s*(\*\*|__)(?=\S)(?P<bold>(?:(?!\1).)+?)(?<=\S)\1(?P<mark>[.!]?)\s*")
_ITEM: Final = re.compile(
    r"\s*(?:(?:[-*•‣◦▪+–—>]|#{1,6}|\d{1,2}\))[ \t]+(?=[^\W\d_]|[\"“„«‘'「『]|\*\*\w|__\w)"
    r"|\d{1,2}\.[ \t]+(?=(?:The|My|Our|His|Her|Its|Their|This|He|She|It|They|We|I|There|Der|Die|Das|Wir|Ich|Er|Sie|Es"
    r"|Le|La|Les|Nous|Je|Il|Elle|El|Los|Las|O|Os|As|Lo|Gli)\s))"
)
"""A number with a full stop is one before a subject alone: "1. Mai" is a day, "2. Stock" a floor."""
_PAIRS: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "”": "”",
    "„": "“”",
    "‚": "‘’",
    "‘": "’",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
}
"""Each opening quotation mark with those that may close it."""
_QUOTES: Final = frozenset(_PAIRS) | frozenset("".join(_PAIRS.values()))
_INSIDE: Final = frozenset("'’‘")
"""Quotation marks that are apostrophes too: between letters they close nothing."""
_SMALL: Final = word_set(
    "a an the of in on at to for from by with and or but nor as vs der die das des dem den und oder von vom zu im am le"
    " la les l d de du des et ou à au aux el los las y o en del lo gli un una e di da della do os dos das em na no"
)
"""Words that a title writes small too."""
_VERBS: Final = BEING | word_set("has have had can can't isn't aren't was were does doesn't must should needs wants")

_ASIDE: Final = (
    r"by the way|btw|fyi|jsyk|just so you know|so you know|just saying|just to let you know|for your information"
    r"|for info|for what it['’]s worth|fwiw|in case you (?:were|are) wondering|übrigens|nebenbei(?: bemerkt| gesagt)?"
    r"|(?:nur )?zur info(?:rmation)?|nur damit (?:du|ihr|sie) (?:es )?(?:bescheid )?(?:weißt|wisst|wissen)"
    r"|au fait|d['’]ailleurs|soit dit en passant|pour (?:ton |votre )?info(?:rmation)?"
    r"|por cierto|dicho sea de paso|para que (?:lo )?sepas|para (?:tu|su) información"
    r"|a proposito|tra l['’]altro|per la cronaca|(?:giusto )?per (?:tua )?info(?:rmazione)?"
    r"|a propósito|aliás|por sinal|só (?:para|pra) (?:você |vocês )?(?:saber|saberem)(?:es)?"
    r"|para (?:sua|tua) informação"
)
"""Words by the way, in six languages."""
_JOINED: Final = r"(?:(?:and|oh|and oh|oh and|und|ach|et|y|e)[, ]\s*)?"
_BY_THE_WAY: Final = re.compile(
    rf"\s*(?:\(\s*{_JOINED}(?:{_ASIDE})\s*\)[,:.]?|{_JOINED}(?:{_ASIDE})\s*[,:;!.]+)\s+(?=\S)"
    r"|\s*(?:顺便说一下|顺便说一句|顺便提一下|对了|ちなみに|ところで|そういえば)[，、,:：]\s*(?=\S)",
    re.IGNORECASE,
)
_BY_THE_WAY_BEHIND: Final = re.compile(
    rf"(?:\s*(?P<before>[.!]?)\s*\(\s*{_JOINED}(?:{_ASIDE})\s*[.!]?\s*\)|\s*(?:[,;]|\s[-–—])\s*{_JOINED}(?:{_ASIDE})"
    r"|\s+(?:btw|fyi|fwiw|jsyk|übrigens))\s*(?P<mark>[.!]?)[.!]*\s*$",
    re.IGNORECASE,
)
_SET_OFF: Final = frozenset("(,;-–—")
_SHORT: Final = ("btw", "fyi", "fwiw", "jsyk", "übrigens")
"""Words by the way need a mark before them, but for these."""
_ASIDE_REACH: Final = 80
"""Characters within which they must stand."""
_FILLERS: Final = (
    r"(?:okay|ok|alright|all right|right|well|oh|yeah|yep|hm{1,3}|um{1,3}|uh|anyway|na gut|na ja|also|bon|bueno|bem)"
)
_PRONOUNS: Final = (
    r"(?:the|my|our|his|her|its|their|this|he|she|it|they|we|(?-i:I)|there|der|die|das|mein|meine|unser|unsere|wir"
    r"|ich|er|sie|es|le|la|les|mon|ma|notre|nous|je|il|elle|el|los|las|mi|nuestro|nuestra|o|os|as|meu|minha"
    r"|nosso|nossa|lo|gli|il)(?=\s)|(?-i:I)['’]|l['’]"
)
_DEGREES: Final = r"(?:long|far|many|much|few|little|good|close|called|what|is|are|was|be|sorry|help)\b"
_FILLED: Final = re.compile(
    rf"\s*(?:(?:{_FILLERS}[,.!…]*\s+)*so,?\s+"
    rf"(?:(?={_PRONOUNS})|(?!{_DEGREES})(?=(?-i:[A-ZÀ-Þ])[\w'’-]+ (?-i:[a-zß-ÿ])))"
    rf"|(?:{_FILLERS}\s+)+(?={_PRONOUNS}))",
    re.IGNORECASE,
)
OPENING: Final = word_set(
    "by btw fyi jsyk just so for fwiw in übrigens nebenbei nur zur au d'ailleurs soit pour por dicho para a tra per"
    " giusto aliás só and oh und ach et y e okay ok alright all right well yeah yep um umm ummm hm hmm"
    " hmmm uh anyway na also bon bueno bem"
)
"""First words of what `lead` finds."""
_FIRST: Final = re.compile(r"[^\w']")
MARKS: Final = _QUOTES | frozenset("{*_-•‣◦▪+–—>#([…顺对ちとそ") | frozenset("0123456789")
"""First characters of what `unwrapped` and `lead` find otherwise."""
SIGNS: Final = word_set(
    "way btw fyi jsyk know saying information info worth fwiw wondering übrigens nebenbei bemerkt gesagt weißt wisst"
    " wissen fait d'ailleurs d’ailleurs ailleurs passant cierto paso sepas información proposito altro l'altro l’altro"
    " cronaca informazione propósito aliás sinal saber saberem saberes informação"
)
"""Words of which each aside behind a statement has one."""


def unwrapped(text: str) -> str:
    """What one wrapping around the whole text holds: JSON with one text, bold type, a mark of a list, quotation marks.

    >>> unwrapped("- The lift is broken."), unwrapped("- 5 degrees"), unwrapped("“The lift is broken.”")
    ('The lift is broken.', '- 5 degrees', 'The lift is broken.')
    >>> unwrapped('"Gone with the Wind"'), unwrapped('"It is open," said nobody.')
    ('"Gone with the Wind"', '"It is open," said nobody.')
    """
    if text.lstrip()[:1] not in MARKS:
        return text
    field = _FIELD.fullmatch(text) if text.lstrip()[:1] == "{" else None
    if field is not None:
        try:
            text = json.loads(field[1])
        except ValueError:  # a control character
            return text
    bold = _BOLD.fullmatch(text)
    if bold is not None:
        return bold["bold"] + bold["mark"]
    item = _ITEM.match(text)
    if item is not None and "\n" not in text.strip():
        return text[item.end() :]
    return _quoted(text)


def _quoted(text: str) -> str:
    bare = text.strip()
    mark = bare[-1] if bare[-1:] in (".", "!") and bare[-2:-1] in _QUOTES else ""
    bare = bare[: len(bare) - len(mark)]
    if len(bare) < 3 or bare[-1] not in _PAIRS.get(bare[0], ""):
        return text
    inside = bare[1:-1].strip()
    own = {bare[0], bare[-1]} - _INSIDE
    if any(c in own for c in inside) or (bare[0] in _INSIDE and re.search(r"(?<!\w)['’‘]|['’‘](?!\w)", inside)):
        return text
    if not _whole(inside, stopped=bool(mark)):
        return text
    return inside + mark * (inside[-1] not in ".!")


def _whole(inside: str, *, stopped: bool) -> bool:
    """Whether what stands in quotation marks is a sentence and no title."""
    if inside[-1:] in ("。", "！"):
        return True
    words = re.findall(r"[^\W\d_][\w'’-]*", inside)
    small = [word for word in words[1:] if word[:1].islower() and word not in _SMALL]
    if len(words) < 3 or not small:
        return False
    ends = inside[-1] in ".!" and not stopped
    return ends or not _VERBS.isdisjoint(word.lower() for word in words[1:6])


def lead(text: str) -> int:
    """Where a text goes on behind words by the way or a filler before its subject; 0 where it begins with neither.

    >>> [text[lead(text):] for text in ("Okay so it rains.", "So many are broken.", "And by the way, it rains.")]
    ['it rains.', 'So many are broken.', 'it rains.']
    """
    if text.lstrip()[:1] not in MARKS and _FIRST.split(text.lstrip().lower(), 1)[0] not in OPENING:
        return 0
    found = _BY_THE_WAY.match(text) or _FILLED.match(text)
    return 0 if found is None else found.end()


def without_aside(text: str) -> str:
    """A statement without the words by the way behind it.

    >>> without_aside("The lift is broken, and by the way."), without_aside("Der Aufzug ist kaputt (nur zur Info).")
    ('The lift is broken.', 'Der Aufzug ist kaputt.')
    """
    if _SET_OFF.isdisjoint(text[-_ASIDE_REACH:]) and not text.rstrip(" .!").lower().endswith(_SHORT):
        return text
    found = _BY_THE_WAY_BEHIND.search(text, max(0, len(text) - _ASIDE_REACH))
    if found is None or not text[: found.start()].strip():
        return text
    return text[: found.start()] + (found["before"] or found["mark"])
