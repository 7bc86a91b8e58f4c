"""What is so after a change of a value: "the gate code was changed to 9023" says that it is 9023.

A change names what has changed, by its subject or, where somebody changed it, by its object, and the value behind "to"
at the end. What is so by it is said in the plain form of a state, so that every law about two states of one thing
judges it. A denial, a plan and a wish tell of none; a change "to" do something gives a state that agrees with no other.
English alone.

>>> outcome("The gate code was changed to 9023."), outcome("We switched the build server to jenkins-5.")
('The gate code is 9023.', 'The build server is jenkins-5.')
>>> outcome("We moved to Lisbon."), outcome("The gate code was not changed to 9023."), outcome("It was changed twice.")
('', '', '')
"""

from __future__ import annotations

import re
from typing import Final

_DONE: Final = (
    r"(?:changed|reset|updated|switched|set|raised|lowered|increased|decreased|reduced|cut|bumped|corrected|rotated)"
)
_THING: Final = r"(?:the|our|my|her|his|their|its|[A-Z][\w-]*['’]s) (?:[\w'’/.-]+ ){0,4}?[\w'’/.-]+"
_PART: Final = r"(?:[^\s,;:.!?]|[.:,](?=\w))+"
_VALUE: Final = rf"{_PART}(?: {_PART}){{0,3}}"
_WHEN: Final = r"(?: (?:today|yesterday|last (?:night|week|month)|this (?:morning|afternoon|week|month)))?"
_BEFORE: Final = r"(?:(?:today|yesterday|this morning|this week|as of today|from now on),? )?"
_FROM: Final = r"(?: from [^\s,;]+(?: [^\s,;]+)?)?"
_DOERS: Final = (
    r"(?:we|i|they|he|she|somebody|someone|the \w+|[A-Z][\w'’-]+)(?: have| has|['’]ve|['’]s)?(?: (?:just|now|finally))?"
)
_LAWS: Final = tuple(
    re.compile(rf"{_BEFORE}{said}{_FROM} to (?P<value>{_VALUE}?){_WHEN}[.!]?", re.IGNORECASE)
    for said in (
        rf"(?P<thing>{_THING}) (?:was|were|has been|have been|got)(?: (?:just|now|finally))? {_DONE}",
        rf"{_DOERS} {_DONE} (?P<thing>{_THING})",
    )
)
_CHANGE: Final = re.compile(rf"\b{_DONE}\b", re.IGNORECASE)
_OPEN: Final = re.compile(
    r"(?:\b(?:not|no|never|nobody|will|would|should|may|might|could|must|if|when|want|wants|plan|plans)|n['’]t)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 160
"""Characters that such a sentence has at most (chosen)."""


def outcome(text: str) -> str:
    """The state that a change of a value has led to, "" where the text tells of none.

    >>> outcome("Ana's rent was raised from 900 to 980 euros this month."), outcome("Nobody changed the code to 9023.")
    ("Ana's rent is 980 euros.", '')
    """
    if len(text) > _LONGEST or _CHANGE.search(text) is None or _OPEN.search(text) is not None:
        return ""
    found = next((match for law in _LAWS if (match := law.fullmatch(text.strip())) is not None), None)
    if found is None:
        return ""
    thing = found["thing"]
    return f"{thing[:1].upper()}{thing[1:]} is {found['value']}."
