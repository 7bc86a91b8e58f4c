"""What a question asks for, the frame that it stands in apart.

"What should I remember about Ada's employer for the board meeting?" asks for Ada's employer, and so do "Remind me of
Ada's employer." and "Has Ada's employer changed recently?". To an embedder the frame is half of what such a question
says, and whatever tells of meetings, of reminders or of changes is near to it. So what stands in a frame is asked of
the memories plainly: the answer model (`scrubjay.recall.answers`) and the words without names
(`scrubjay.recall.asking`) read "What is Ada's employer?". The question's own vector and words stay as they are, so that
what is told of the occasion still gains by it.

A frame is taken off an attribute alone, which belongs to somebody or something: "Ada's employer", "my diet", "the
employer of Ada"; with it goes the occasion behind. What is asked of Ada as a whole has no plainer form. English only.

>>> plainly("What should I remember about Ada's employer for the board meeting?")
"What is Ada's employer?"
>>> plainly("Please remind me of Ada's plans."), plainly("Is the rent of the flat still the same?")
("What are Ada's plans?", 'What is the rent of the flat?')
>>> plainly("What do you know about Ada?"), plainly("Who is Ada's employer?"), plainly("Tell me about a storm.")
('', '', '')
"""

from __future__ import annotations

import re
from typing import Final

_KNOW: Final = "(?:know|remember|recall|consider|note|keep in mind|bear in mind)"
_OF: Final = "(?:about|of|on|regarding|concerning)"
_NEWS: Final = "(?:news|changes?|updates?|anything new|something new)"
_ASK: Final = "(?:(?:can|could|would|will) you )?(?:please )?"
_LATELY: Final = (
    "(?:,? (?:recently|lately|meanwhile|yet|at all|again|since [^?]{1,60}|in the (?:last|past) [^?]{1,40}))?"
)
_SAME: Final = "(?:the same|valid|right|correct|current|up to date|accurate|true)"
_FRAMES: Final = (
    (f"what (?:should|must|do|can|could|would) (?:i|we|you|one) (?:(?:need|have|want|ought) to )?{_KNOW} {_OF}", ""),
    (f"what (?:is|was) (?:there to know|known) {_OF}", ""),
    (f"what can you tell (?:me|us) {_OF}", ""),
    (f"(?:(?:is|are) there )?(?:any )?{_NEWS} (?:{_OF}|to|in)", ""),
    (f"do (?:you|we|i) (?:know|remember|recall)(?: anything {_OF})?", ""),
    (f"{_ASK}(?:tell|remind|inform|brief|update) (?:me|us) {_OF}", ""),
    (f"{_ASK}(?:look up|check|recall|(?:tell|show|give) (?:me|us))", ""),
    ("(?:has|have|did|had)", f"(?:changed?|been (?:changed|updated)){_LATELY}"),
    ("(?:is|are|was|were)", f"still {_SAME}{_LATELY}"),
)
"""What stands before the topic of a question, and behind it."""
_TOPICS: Final = tuple(
    re.compile(rf"\s*{before} (?P<topic>.+?){' ' if behind else ''}{behind}(?:,? please)?[\s?.!]*", re.IGNORECASE)
    for before, behind in _FRAMES
)
_THING: Final = "(?:the|my|our|your|a|an|this|that|next|today's|tomorrow's|tonight's) [^,?]{1,60}"
_BEFORE: Final = re.compile(f" (?:before|during|in time for|ahead of|prior to) {_THING}", re.IGNORECASE)
_OCCASION: Final = re.compile(f" (?:for|before|during|in time for|ahead of|prior to) {_THING}", re.IGNORECASE)
"""What one should know is for an occasion; what one is told "for" something may be that thing's."""
_NO_OWNER: Final = (
    "(?!(?:a|an|some|any|if|whether|that|who|whom|whose|what|where|when|which|why|how) |"
    "(?:it|that|this|what|who|where|when|how|he|she|here|there|let)['’]s )"
)
_ATTRIBUTES: Final = (
    re.compile(rf"{_NO_OWNER}(?:[\w.’'\-]+ ){{0,4}}[\w.\-]+(?:['’]s|s['’]) [\w\- ]{{2,60}}", re.IGNORECASE),
    re.compile(r"(?:my|our|your|his|her|their) [\w\- ]{2,60}", re.IGNORECASE),
    re.compile(r"the [\w\-]+(?: [\w\-]+)? of \w[\w.\- ]{1,60}", re.IGNORECASE),
)
"""Something of somebody's or of something's."""
_MANY: Final = re.compile(r"[^su]s$")
_LONGEST: Final = 300
"""Characters of a question that is looked at; a longer one says more than a frame."""


def plainly(text: str) -> str:
    """The question that one in a frame comes to; "" for one that stands in none."""
    if len(text) > _LONGEST:
        return ""
    number, topic = next(
        ((i, found["topic"]) for i, one in enumerate(_TOPICS) if (found := one.fullmatch(text))), (0, "")
    )
    occasion = _BEFORE if number else _OCCASION
    # the last one alone: "the plan for the day for the site visit" is of the day
    spaces = [found.start() for found in re.finditer(" ", topic)]
    topic = topic[: next((at for at in reversed(spaces) if occasion.fullmatch(topic, at)), None)]
    if not any(one.fullmatch(topic) for one in _ATTRIBUTES):
        return ""
    return f"What {'are' if _MANY.search(topic.split(' of ')[0]) else 'is'} {topic}?"
