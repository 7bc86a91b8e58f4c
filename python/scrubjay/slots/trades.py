"""Another trade: who was a nurse and is now an engineer is a nurse no more.

A table of trades, since by their endings they are like much that one is beside them ("a runner", "a vegetarian"). That
somebody is both without a word of change ("is a nurse", "is an author") says nothing of either.

>>> from scrubjay.slots.statements import statement
>>> nurse, now, both = map(statement, ("Tom is a nurse.", "Tom is now an engineer.", "Tom is an engineer."))
>>> another_trade(nurse, now), another_trade(nurse, both)
(True, False)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import BE, NOW, claims, ids_of

_TRADES: Final = ids_of(
    "nurse engineer teacher doctor lawyer chef cook baker carpenter plumber electrician accountant architect designer"
    " developer programmer analyst journalist editor pharmacist surgeon dentist midwife paramedic firefighter soldier"
    " waiter waitress barista bartender cashier driver pilot mechanic technician consultant manager secretary"
    " receptionist librarian professor lecturer researcher scientist biologist chemist physicist economist translator"
    " interpreter photographer farmer gardener butcher tailor hairdresser welder builder mason painter roofer"
    " salesman saleswoman salesperson recruiter broker banker auditor actuary paralegal judge therapist psychologist"
    " physiotherapist veterinarian vet tutor clerk courier"
    " krankenschwester krankenpfleger krankenpflegerin pfleger pflegerin ingenieur ingenieurin lehrer lehrerin arzt"
    " ärztin koch köchin bäcker bäckerin tischler tischlerin schreiner schreinerin elektriker elektrikerin"
    " buchhalter buchhalterin architekt architektin entwickler entwicklerin journalist journalistin verkäufer"
    " verkäuferin"
    " infirmier infirmière ingénieur ingénieure professeur professeure médecin avocat avocate cuisinier cuisinière"
    " boulanger boulangère menuisier comptable architecte développeur développeuse journaliste vendeur vendeuse"
    " enfermero enfermera ingeniero ingeniera profesor profesora médico médica abogado abogada cocinero cocinera"
    " panadero panadera contable arquitecto arquitecta periodista"
    " infermiere infermiera ingegnere insegnante avvocato cuoco cuoca panettiere architetto architetta giornalista"
)
_BECAME: Final = ids_of("became wurde devenu devenue diventato diventata")
_A: Final = ids_of("a an ein eine un une una")
_CLOSE: Final = ids_of("since in at seit in bei depuis chez desde en da dal")
_WIDEST: Final = 4
"""Most words of a trade with what stands before it: "a senior software engineer"."""


class Trade(NamedTuple):
    """What somebody is by trade, 0 for none that is known."""

    at: int = 0
    """Where its verb stands,"""
    name: int = 0
    """the word for it,"""
    anew: bool = False
    """and whether it says that this is so now."""


NONE: Final = Trade()


@kept_with
def trade_of(said: Statement) -> Trade:
    """The trade that a statement says somebody has."""
    ids = said.ids.tolist()
    if _TRADES.isdisjoint(ids) or said.past or not claims(said):
        return NONE
    be = next((i for i, word in enumerate(ids[:5]) if i and (word in BE or word in _BECAME)), 0)
    end = next((i for i in range(be + 1, len(ids)) if ids[i] in _CLOSE), len(ids))
    words = [word for word in ids[be + 1 : end] if word not in NOW and word not in _A and word not in _BECAME]
    if not be or not 1 <= len(words) <= _WIDEST or words[-1] not in _TRADES:
        return NONE
    return Trade(be, words[-1], not NOW.isdisjoint(ids) or not _BECAME.isdisjoint(ids))


def _another(old: Statement, new: Statement) -> bool:
    was, now = trade_of(old), trade_of(new)
    return was.name != now.name and old.ids[: was.at].tolist() == new.ids[: now.at].tolist()


another_trade: Final = Law(_another, lambda old: trade_of(old).at > 0, other=lambda new: trade_of(new).anew)
"""The newer says that somebody has another trade now."""
