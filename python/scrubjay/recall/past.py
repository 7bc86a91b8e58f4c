"""Whether a question asks for what was: then an older memory may be the one that is meant.

>>> of_the_past("Where did she live before?"), of_the_past("Where does she live?")
(True, False)
"""

from __future__ import annotations

import re
from typing import Final

_PAST: Final = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|earlier|used to|back then|at (?:the|that)"
    r" time|at first|in the beginning|in the past|ever|(?:was|were|did|had)\b.*\bbefore|before (?:that|this|then)"
    r"|(?:in|during|of|by|until) (?:19|20)\d\d|history"
    r"|(?:was|were|did|had)\b.*\b(?:(?:in|during|on|until) (?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|last (?:week|month|year|spring|summer|autumn|fall|winter)|yesterday|ago)"
    r"|früher\w*|vorher\w*|zuvor|ursprünglich\w*|damals|ehemalig\w*|anfangs|bisherig\w*|jemals"
    r"|avant|auparavant|autrefois|à l['’]origine|initialement|au début|à l['’]époque|jadis|ancien\w*|jamais"
    r"|antes|anteriormente|originalmente|al principio|inicialmente|antaño|no início|antigamente"
    r"|prima|in origine|all['’]inizio|inizialmente|un tempo|in passato|precedentemente)\b",
    re.IGNORECASE,
)
"""What a question about the past says; too many only leave such a question as it was."""


def of_the_past(question: str) -> bool:
    """Whether a question says that it asks for what was."""
    return bool(_PAST.search(question))
