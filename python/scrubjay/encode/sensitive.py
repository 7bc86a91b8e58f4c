"""Which texts are raised to a sensitive class by rule, so that nothing but their user lets them go.

Words match whole, in any case. The user's own word goes before: a class that is given is kept, and one that was cleared
by `update(sensitive=None)` is not raised again.
"""

from __future__ import annotations

import re
from typing import Final

WORDS: Final = {
    "medical": (
        "allergic", "allergy", "allergies", "diagnosed", "diagnosis", "medication", "prescription", "insulin",
        "diabetes", "diabetic", "epilepsy", "pacemaker", "blood type", "anaphylaxis", "chemotherapy",
    ),
    "financial": (
        "iban", "account number", "credit card", "debit card", "routing number", "tax id", "mortgage", "bankruptcy",
    ),
    "safety": (
        "emergency contact", "restraining order", "suicide", "suicidal", "self-harm", "domestic violence",
        "evacuation plan",
    ),
    "legal": (
        "court date", "lawsuit", "subpoena", "custody", "power of attorney", "probation", "visa expires",
    ),
}  # fmt: skip
"""The words of each class (chosen), in the order in which classes are tried."""

_PATTERNS: Final = tuple(
    (name, re.compile(rf"\b(?:{'|'.join(re.escape(word) for word in words)})\b", re.IGNORECASE))
    for name, words in WORDS.items()
)


def raised(text: str) -> str | None:
    """The sensitive class that a text's words raise it to, None for none.

    >>> raised("Maya is allergic to peanuts."), raised("The design review is in room B12.")
    ('medical', None)
    """
    for name, pattern in _PATTERNS:
        if pattern.search(text):
            return name
    return None
