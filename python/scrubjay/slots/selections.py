"""Who plays for a country keeps a club: a call-up ends no contract, and a new club no career in the national team.

>>> from scrubjay.slots.statements import statement
>>> club, country, over = map(statement, (
...     "Ana plays for Ajax.", "Ana plays for the Dutch national team.", "Ana no longer plays for Ajax."))
>>> club_and_country(country, club), club_and_country(country, over), club_and_country(club, club)
(True, False, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.complements import PLAY
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import MARK, ids_of, single

_NATIONAL: Final = ids_of("national nationale nacional nazionale")
_TEAM: Final = ids_of("team side squad selection équipe sélection selección equipo squadra seleção")
_ONE_WORD: Final = ids_of("nationalmannschaft nationalelf nationalteam landslaget")
_CALLED: Final = ids_of("called capped debut debuted selected picked regular berufen sélectionné sélectionnée convocado"
                        " convocada convocato convocata")  # fmt: skip
_SIGNED: Final = ids_of("signed joined striker midfielder defender goalkeeper forward winger loan unterschrieben signé")
_NEAR: Final = 4
"""Words between which a team is national: "national under-21 football team"."""


def _steady(said: Statement) -> bool:
    return single(said) and not said.past and not said.complement.ended and not said.marks[MARK["negation"]]


@kept_with
def _country(said: Statement) -> bool:
    ids = said.ids.tolist()
    team = not _ONE_WORD.isdisjoint(ids) or any(
        word in _NATIONAL and not _TEAM.isdisjoint(ids[max(0, i - 1) : i + 1 + _NEAR]) for i, word in enumerate(ids)
    )
    plays = said.complement.verb == PLAY or not _CALLED.isdisjoint(ids)
    return team and plays and single(said) and not said.complement.ended and not said.marks[MARK["negation"]]


@kept_with
def _club(said: Statement) -> bool:
    ids = said.ids.tolist()
    plays = said.complement.verb == PLAY or not _SIGNED.isdisjoint(ids)
    return plays and _steady(said) and _NATIONAL.isdisjoint(ids) and _ONE_WORD.isdisjoint(ids)


def _same_player(one: Statement, other: Statement) -> bool:
    return one.parts == other.parts


club_and_country: Final = Law(_same_player, _country, other=_club)
"""The first plays for a country, the other for a club."""
