"""Whether an end is of one time, or comes again each day, week or year as the end of a habit does.

>>> from datetime import datetime
>>> from scrubjay.calendar import phrase, tokens_of
>>> def once(text, cue):
...     tokens = tokens_of(text)
...     at = [token.word for token in tokens].index(cue)
...     before = [token.word for token in tokens[:at]]
...     return single(tokens, at, phrase(tokens, at + 1, datetime(2025, 3, 4, 10)), before)
>>> once("The room is booked until 15:30.", "until"), once("Der Strom ist bis 18 Uhr weg.", "bis")
(True, True)
>>> once("Breakfast is served until 10:30.", "until")
False
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scrubjay.calendar import NEXT, UNITS, WEEKDAYS, Span, Token
from scrubjay.encode.tellings import BEING, of_a_kind
from scrubjay.wordlist import word_set

HABIT: Final = word_set(
    "every each always usually often daily weekly monthly yearly annually jeden jede jedes täglich immer meistens"
    " chaque toujours souvent cada siempre todos todas ogni sempre todo toda altijd elke iedere"
    " mondays tuesdays wednesdays thursdays fridays saturdays sundays weekdays weekends montags dienstags mittwochs"
    " donnerstags freitags samstags sonntags"
)
_EACH_DAY: Final = {"le": False, "les": False, "il": False, "la": False, "los": True, "las": True}
"""Articles before a day of the week that say each week, and whether they do beside a date as well: "le mardi", but "le
mardi 12 mai"."""
_OPEN: Final = word_set("open opens opened opening geöffnet offen ouvert ouverte abierto abierta abre aperto served")
_HELD: Final = word_set(
    "booked reserved occupied taken down busy away out off blocked unavailable offline gone up back on in still noch"
    " belegt besetzt gesperrt weg occupé occupée réservé réservée ocupado ocupada reservado reservada occupato occupata"
)
"""States in which something is now, rather than each day."""
_PLACED: Final = word_set("in on")
"""Those of them that only say where."""
_ROUTINE: Final = word_set(
    "breakfast brunch lunch dinner supper buffet parking hours check-in check-out checkout housekeeping laundry"
    " frühstück mittagessen abendessen sprechstunde petit-déjeuner déjeuner dîner desayuno almuerzo cena"
    " colazione pranzo"
)
"""What there is each day, at the same time."""
_TODAY: Final = word_set("today tonight tomorrow heute morgen aujourd'hui demain hoy mañana oggi domani hoje amanhã")
VALID: Final = word_set(
    "valid good valable valables valide válido válida vale valido valida valevole válidos gültig geldig"
)
_ISSUED: Final = word_set(
    "code password passcode pin otp link token url invite invitation coupon voucher offer quote estimate discount promo"
    " promotion pass key reservation hold booking price deal credential credentials access login permit badge bid code"
    " passwort kennwort gutschein angebot einladung rabatt kostenvoranschlag reservierung schlüssel zugang zugangscode"
    " passe bon offre devis lien remise réservation accès oferta cupón contraseña código presupuesto enlace invitación"
    " descuento reserva offerta buono codice preventivo sconto invito aanbod offerte wachtwoord korting senha cupom"
    " orçamento desconto convite temporary temp interim guest one-time temporär temporäres provisoire temporal"
)
"""What begins when it is given out; a warranty, a ticket or a passport begins with something else."""
_GIVEN: Final = ("code", "gutschein", "angebot", "passwort", "kennwort", "einladung", "rabatt")
_ABOUT_ONE: Final = word_set("i'm he's she's i'll he'll she'll")
_HE: Final = word_set("i he she")
_WHERE: Final = word_set("at in with on")
_VERB_LAST: Final = word_set("bis tot")
_OFF: Final = word_set("aus an zu uit weg dicht kaputt")
"""States at the end of a clause, where the verb comes last."""
FROM: Final = word_set("from between vom von du des del de dal dalle da desde van zwischen ab")
"""Words before a beginning."""


def single(tokens: Sequence[Token], i: int, span: Span, before: Sequence[str]) -> bool:
    """Whether nothing repeats the end behind token `i`: no timetable, no habit, no time of day that may be each day's.

    `before`: the words of its sentence before `i`.
    """
    every = [token.word for token in tokens]
    after = every[i + 1 : i + 6]
    if not span.dated and habitual(every):
        return False
    rest = every[span.next :]
    if rest[:1] == ["of"] and (rest[1:3] == ["the", "month"] or any(w in HABIT for w in rest)):
        return False
    if any(w in UNITS and UNITS[w] == "year" for w in after[:2]) and "age" in after:
        return False
    if not span.clock or any(w in _TODAY for w in every):
        return True
    # "is booked until 15:30" is about now, "served until 10:30" and "we work until two" about any day
    being = next((j for j, w in enumerate(before) if w in BEING or w.endswith(("'m", "'re", "'ll"))), -1)
    if being < 0 or any(w in _OPEN or w in FROM for w in before):
        return False
    # so is "breakfast is in the lobby until 10:30", where "Ana is in the lobby until 10:30" is about now
    routine = being > 0 and before[being - 1] in _ROUTINE
    held = _HELD - _PLACED if routine else _HELD
    last = every[span.next : span.next + 1] if every[i] in _VERB_LAST else []
    if any(w in held for w in before) or any(w in _OFF | _HELD for w in last):
        return True
    doing = not routine and any(w.endswith("ing") and len(w) > 4 for w in before)
    return doing or _whereabouts(before) or (not VALID.isdisjoint(before) and issued(before) and not of_a_kind(before))


def habitual(words: Sequence[str]) -> bool:
    """Whether words speak of each day or week.

    >>> habitual(["le", "cours", "a", "lieu", "le", "mardi"]), habitual(["le", "cours", "a", "lieu", "mardi"])
    (True, False)
    >>> habitual(["cierra", "los", "lunes"]), habitual(["le", "mardi", "12", "mai"])
    (True, False)
    """
    return not HABIT.isdisjoint(words) or any(
        a in _EACH_DAY and b in WEEKDAYS and (_EACH_DAY[a] or not (c[:1].isdigit() or c in NEXT))
        for a, b, c in zip(words, words[1:], [*words[2:], ""], strict=False)
    )


def issued(before: Sequence[str]) -> bool:
    """Whether words speak of what begins when it is given out: "visitor badge 17", "l'offre".

    >>> issued(["the", "code", "is", "valid"]), issued(["the", "shop", "is", "open"])
    (True, False)
    """
    return any(word.rpartition("'")[2] in _ISSUED or word.endswith(_GIVEN) for word in before)


def _whereabouts(before: Sequence[str]) -> bool:
    """Whether words say where somebody is now: "I'm at the dentist", "she is with a client"."""
    one = before[:1] and (before[0] in _ABOUT_ONE or (before[0] in _HE and any(w in BEING for w in before[1:3])))
    return bool(one) and not _WHERE.isdisjoint(before[1:4])
