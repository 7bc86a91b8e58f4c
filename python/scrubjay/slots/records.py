"""Records as trackers, release notes and meeting notes write them: "BUG-412: closed", "OPS-7 reassigned to Felix",
"status of the audit: done", "Release 4.3 is out". What a record tells of has one value at a time: a seat
(`scrubjay.slots.seats`), whose holder is the value.

>>> record_of("BUG-412: closed").key, record_of("OPS-7: in progress -> blocked").holder
(('status', 'bug-412'), frozenset({'held'}))
>>> record_of("OPS-7 is assigned to Marta.").key == record_of("OPS-7 reassigned to Felix").key
True
>>> record_of("Release 4.3 is out.").out, record_of("Heron: call mum").key
((4, 3), ())
"""

from __future__ import annotations

import re
from typing import Final

from scrubjay.slots.ours import LINES, PERSONS, trade
from scrubjay.slots.seats import LISTED, NONE, Seat
from scrubjay.wordlist import word_set

_LONGEST: Final = 120
"""Characters of a text that may be a record."""
_PHASES: Final = {
    "new": "new|open|reopened|to ?do|backlog|not started|unassigned",
    "active": "in progress|ongoing|active|started|wip|under way|underway|investigating|being worked on|in work",
    "review": "in review|under review|in qa|in testing|(?:ready|waiting) for review|awaiting review|needs review",
    "held": "blocked|on hold|paused|stuck|waiting|parked",
    "over": "closed|resolved|done|fixed|completed|finished|merged|cancell?ed|won'?t ?fix|rejected|declined|mitigated"
    "|solved",
}
"""Phases of a ticket and what trackers call them."""
_CODE: Final = r"(?:#\d{1,6}|[A-Z][A-Z0-9]{1,9}-\d{1,7})"
_KIND: Final = r"(?:the )?(?:(?:incident|ticket|bug|issue|task|story|pr|mr|alert|case|card)s? )?"
_PHASE: Final = "|".join(f"(?P<{name}>{words})" for name, words in _PHASES.items())
_STATUS: Final = re.compile(
    rf"\s*{_KIND}(?P<code>{_CODE})(?::?(?: status)?:?| is| was| has been| got| went| moved)(?: now| still| marked"
    rf"| set| to| as| back)*\s+(?:[\w ]{{3,20}} ?(?:->|→|=>) ?)?(?:{_PHASE})(?P<more>.*)",
    re.IGNORECASE | re.DOTALL,
)
_DOUBT: Final = re.compile(r"\?|\b(?:if|unless|might|may|should|could|not|soon|when|once|until|before|almost)\b", re.I)
_NAME: Final = r"(?P<who>@?[^\W\d_][\w.\-]*(?: [A-Z][\w.\-]*)?)"
_ASSIGNED: Final = re.compile(
    rf"\s*(?P<what>\S.{{1,50}}?)(?: is| was| has been| got|:)?(?: now)? (?:re-?)?assigned to {_NAME}"
    r"(?: (?:now|today|yesterday|this week))?\s*[.!]?\s*",
)
_ASSIGNEE: Final = re.compile(
    rf"\s*(?:the )?assignee (?:of|for) (?P<what>\S.{{1,50}}?)(?: is(?: now)?|:) {_NAME}[.!]?\s*"
)
_VERSION: Final = r"(?:release |version |v\.? ?)?(?P<version>\d+(?:\.\d+){1,3})"
_LATEST: Final = (
    re.compile(
        rf"\s*(?P<product>[\w\- ]{{0,30}}?) ?\b{_VERSION} is (?:now )?(?:the|our) (?:latest|current|newest)"
        r"(?: (?:stable )?(?:release|version|one))?(?: of (?P<of>[\w\- ]{2,30}))?[.!]?\s*",
        re.IGNORECASE,
    ),
    re.compile(
        r"\s*(?:the |our )?(?:latest|current|newest)(?: (?P<product>[\w\-]{2,20}))?? (?:release|version)"
        rf"(?: of (?P<of>[\w\- ]{{2,30}}?))?(?: is(?: now)?|:) {_VERSION}[.!]?\s*",
        re.IGNORECASE,
    ),
)
_OUT: Final = re.compile(
    rf"\s*(?:we (?:just )?released |(?P<product>[\w\- ]{{0,30}}?) ?\b){_VERSION}"
    r"(?: (?:is|are) (?:now )?(?:out|released|available)(?: now)?| (?:has been|was|got|just) (?:released|published)"
    r"| (?:came|just came) out| shipped| landed)?(?: today| yesterday| this morning| last week)?[.!]?\s*",
    re.IGNORECASE,
)
_SAYS_OUT: Final = re.compile(r"\b(?:released|out|available|published|shipped|landed)\b", re.IGNORECASE)
_LABEL: Final = re.compile(r"\s*(?P<label>[^:?!.\n]{3,60}): +(?P<value>[^:?\n]{1,60}?)[.!]?\s*")
_SET: Final = re.compile(
    r"\s*(?:the )?(?P<label>[^:?!.\n]{3,60}?)(?: is| was| has been| got)?(?: now)?"
    r" (?:bumped|raised|lowered|set|changed|updated|increased|reduced|upgraded|downgraded)(?: up| down)?"
    r"(?: from \S+)? to (?P<value>[^:?\n]{1,40}?)[.!]?\s*",
    re.IGNORECASE,
)
_SINGLE: Final = word_set(
    "status state phase owner deadline eta priority severity stage progress budget headcount location venue room host"
    " version price rent fee balance score weight"
    " limit timeout size max maximum minimum quota retention capacity threshold ttl interval frequency port level"
    " password passcode pin code url link address number branch timezone language currency font theme headline slogan"
    " status zustand besitzer frist budget preis miete gewicht passwort adresse nummer sprache zeitzone größe"
    " limite taille délai prix loyer poids adresse numéro langue fuseau mot"
    " límite tamaño plazo precio alquiler peso contraseña dirección número idioma huso"
    " dimensione scadenza prezzo affitto indirizzo numero lingua limite tamanho prazo preço senha endereço"
)
"""What a label names of which there is one value,"""
_COMPOUND: Final = ("limit", "größe", "passwort", "nummer", "adresse", "frist", "budget", "preis", "status", "dauer")
"""what German labels end with that do,"""
_TIMEZONE: Final = word_set("timezone zeitzone")
"""and what says by itself of what it is the value."""
_SMALL: Final = word_set(
    "the a an of for our my new current now in on at to per the der die das des den dem für pro von le la les l de d du"
    " des pour par el los las del al para por il lo gli della di do da o os dos"
)
_REACHED: Final = re.compile(
    r"\s*(?:(?:the|our|my|unser[er]?|meine?|notre|mon|ma|nuestr[oa]|mi) )?(?P<role>[^\W\d_]{3,20})"
    r"(?: is(?: now)?| ist(?: jetzt)?| est| es| è| ?:) +(?:now )?"
    r"(?P<who>(?:[^\W\d_]+\.? ){0,2}[A-ZÄÖÜÉÁ][\w\-]+)(?:,? \(?\+?\d[\d /\-()]{3,20})[.!]?\s*",
    re.IGNORECASE,
)
_ADDRESS: Final = word_set("mr mrs ms dr herr frau m mme señor señora sr sra signor signora")
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|will|ist|sind|hat|est|sont|es|son|está|è|sono)\b", re.IGNORECASE
)
_WORD: Final = re.compile(r"[\w\-#]+")
_GENERIC: Final = word_set("release version latest current newest stable the our new")
_SIGNS: Final = tuple(
    map(
        re.compile,
        (
            r"[#A-Z\d]-?\d",
            r"assign",
            r"\d.*(?:latest|current|newest|out|released|shipped|published|landed|available)|(?:latest|current|newest).*\d",
            r": |(?:bumped|raised|lowered|set|changed|updated|increased|reduced|graded)\b.* to ",
            r"[吃素]",
            r" \(?\+?\d[\d /\-()]{3,20}[.!]?\s*\Z",
        ),
    )
)
"""What a text has that may be one of the records."""


_DIET: Final = re.compile(
    r"\s*(?P<who>\w{1,6}?)(?:(?:现在|已经)?(?P<plant>吃素|不吃肉|是素食(?:主义)?者|吃纯素)了?"
    r"|(?:现在|又|重新|已经|开始){1,3}吃(?:肉|鱼|鸡肉|牛肉|猪肉|海鲜)了?)[。！.]?\s*"
)
"""Who keeps a diet and who no longer does, in Chinese."""


def record_of(text: str) -> Seat:
    """The seat that a record says has a value; `NONE` for what is no record."""
    if len(text) > _LONGEST:
        return NONE
    for sign, law in zip(_SIGNS, (_status, _assignee, _release, _label, _diet, _contact), strict=True):
        seat = law(text) if sign.search(text) else None
        if seat is not None:
            return seat
    return NONE


def _status(text: str) -> Seat | None:
    found = _STATUS.fullmatch(text)
    if found is None or _DOUBT.search(found["more"]) or found["more"][:1].isalnum() or found["more"][:1] == "-":
        return None
    phase = next(name for name in _PHASES if found[name])
    return Seat(("status", found["code"].casefold()), frozenset((phase,)))


def _words(text: str) -> list[str]:
    return sorted(word for word in _WORD.findall(text.casefold()) if word not in _SMALL)


def _assignee(text: str) -> Seat | None:
    found = _ASSIGNED.fullmatch(text) or _ASSIGNEE.fullmatch(text)
    if found is None or _DOUBT.search(found["what"]):
        return None
    return Seat(("assignee", *_words(found["what"])), frozenset(_WORD.findall(found["who"].casefold())))


def _release(text: str) -> Seat | None:
    found = next((match for law in _LATEST if (match := law.fullmatch(text))), None)
    claim = found is not None
    found = found or (_OUT.fullmatch(text) if _SAYS_OUT.search(text) else None)
    if found is None:
        return None
    named = (found["product"] or "") + " " + (found.groupdict().get("of") or "")
    product = [word for word in _words(named) if word not in _GENERIC]
    if any(word in ("if", "once", "when", "until", "not", "after", "before") for word in product):
        return None
    version = found["version"]
    out = () if claim else tuple(map(int, version.split(".")))
    return Seat(("latest", *product), frozenset((version,)), out=out)


def _diet(text: str) -> Seat | None:
    found = _DIET.fullmatch(text)
    return None if found is None else Seat(("diet", found["who"]), frozenset(("plant" if found["plant"] else "any",)))


def _one_value(words: list[str]) -> bool:
    """Whether a label of these words has one value; "limit", with nothing of what, may be of many things."""
    if len(words) < 2:
        return not _TIMEZONE.isdisjoint(words) or any(word.endswith(_COMPOUND) and len(word) > 9 for word in words)
    return not _SINGLE.isdisjoint(words) or any(word.endswith(_COMPOUND) for word in words)


def _contact(text: str) -> Seat | None:
    """Who it is, and how to reach him: "Babysitter is Ana, 0151 555"."""
    found = _REACHED.fullmatch(text)
    key = trade(found["role"].casefold()) if found is not None else ()
    return (
        Seat(key, frozenset(_WORD.findall(found["who"].casefold())) - _ADDRESS) if found is not None and key else None
    )


def _label(text: str) -> Seat | None:
    found = _LABEL.fullmatch(text) or _SET.fullmatch(text)
    if found is None or _DOUBT.search(found["label"]):
        return None
    words = _words(found["label"])
    if not (LINES | PERSONS).isdisjoint(words) and found.re is _LABEL and _VERB.search(found["value"]) is None:
        return Seat((*LISTED, *words), frozenset((found["value"].casefold().strip(),)))
    if len(words) > 6 or not _one_value(words):
        return None
    value = found["value"]
    return Seat(("label", *words), frozenset((value.casefold().strip(),)))
