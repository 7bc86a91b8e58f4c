"""What a switch is between: "switched from Slack to Teams" says nothing of a browser, of tabs or of a seat.

>>> from scrubjay.slots.statements import statement
>>> said = "Ada uses Slack.", "Ada uses Firefox.", "Ada switched from Slack to Teams."
>>> chat, browser, switch = map(statement, said)
>>> elsewhere(browser, switch), elsewhere(chat, switch)
(True, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.products import kinds
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import content_of, ids_of

_SWITCH: Final = ids_of(
    "switched switch switches switching migrated migrate umgestiegen gewechselt passé passée passés cambiado cambió"
    " passato passata passati mudou"
)
_FROM: Final = ids_of("from von de desde da dal dalla do")
_TO: Final = ids_of("to auf zu zum zur à au aux a al alla para per")
_WIDEST: Final = 5
"""Most words of what is left."""


@kept_with
def between(said: Statement) -> frozenset[int]:
    """The words of what it says somebody switched from and of all behind; none where it does not tell from what."""
    ids = said.ids.tolist()
    at = next((i for i, word in enumerate(ids) if word in _SWITCH), -1)
    left = at + 1 if at >= 0 and at + 1 < len(ids) and ids[at + 1] in _FROM else 0
    to = next((i for i in range(left + 2, min(left + 2 + _WIDEST, len(ids) - 1)) if ids[i] in _TO), 0) if left else 0
    return content_of(said) & frozenset(ids[left + 1 :]) if to else frozenset()


def _elsewhere(one: Statement, switch: Statement) -> bool:
    return between(switch).isdisjoint(one.ids.tolist()) and kinds(one).isdisjoint(kinds(switch))


elsewhere: Final = Law(
    _elsewhere, lambda one: not between(one), words=frozenset(), other=lambda new: bool(between(new))
)
"""The second tells a switch from one thing to another, and the first names neither, nor another thing of their kind."""
