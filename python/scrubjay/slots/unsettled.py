"""Changes that are only considered, wished for or allowed, or to come at a time of their own: "might move", "is
thinking about leaving", "may close", "will move in June"; and what is so only if something else is.

>>> from scrubjay.slots.statements import statement
>>> [unsettled(statement(text)) for text in ("Ana may leave Acme.", "Ana left Acme in May.", "Ana may be in Rome.")]
[True, False, False]
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.statements import Statement, identity
from scrubjay.slots.vocabulary import ids_of

_MAYBE: Final = ids_of(
    "may might could would thinking considering considers contemplating wants hopes hoping wishes dreams plans planning"
    " intends tempted maybe perhaps possibly whether"
    " überlegt möchte könnte würde vielleicht plant erwägt hofft träumt will"
    " pense envisage voudrait aimerait pourrait songe peut-être espère veut"
    " piensa quiere quisiera podría quizás quizá planea considera espera"
    " pensa vorrebbe potrebbe forse vuole quer gostaria poderia talvez"
)
_CHANGE: Final = ids_of(
    "move moving relocate relocating leave leaving quit quitting resign resigning retire retiring close closing shut"
    " switch switching change changing replace replacing migrate migrating sell selling stop stopping cancel cancelling"
    " postpone postponing drop dropping join joining start starting become becoming buy buying raise raising upgrade"
    " upgrading rename renaming divorce end ending try trying learn learning take"
    " ziehen umziehen umzuziehen wechseln kündigen verlassen verkaufen aufhören schließen ersetzen verschieben werden"
    " déménager quitter changer vendre arrêter fermer remplacer partir devenir passer"
    " mudarse dejar cambiar vender cerrar reemplazar renunciar trasladarse pasar"
    " trasferirsi lasciare cambiare vendere chiudere smettere mudar mudar-se deixar trocar fechar"
)
_ENGLISH_WILL: Final = ids_of("will")
_GERMAN: Final = ids_of("nach zu in ziehen umziehen wechseln kündigen verlassen verkaufen aufhören schließen werden")
_IF: Final = ids_of("if wenn falls sollte si se unless supposing")
_SHALL: Final = ids_of("will going wird werden va vais vont verrà")
_SOON: Final = ids_of(
    "tomorrow next soon later eventually morgen nächsten nächstes bald demain bientôt prochain mañana"
)
_MONTHS: Final = ids_of(
    "january february march april may june july august september october november december spring summer autumn winter"
    " januar februar märz mai juni juli oktober dezember frühjahr sommer herbst janvier février mars avril juin juillet"
    " août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre"
) | frozenset(identity(str(year)) for year in range(2000, 2100))
_BE: Final = ids_of("be then probably likely")
_IN: Final = ids_of("in on im am en a")
_TO: Final = ids_of("to for until auf bis zum au pour para al")
_MONTH: Final = ids_of("in since until by on of early late mid from")


@kept_with
def unsettled(said: Statement) -> bool:
    """Whether a statement tells of a change that may not come."""
    ids = said.ids.tolist()
    if ids and ids[0] in _IF:
        return True
    if not _SHALL.isdisjoint(ids) and _to_come(ids):
        return True
    if _MAYBE.isdisjoint(ids) or _CHANGE.isdisjoint(ids):
        return False
    for at, word in enumerate(ids):
        if word not in _MAYBE or (at and ids[at - 1] in _MONTH):
            continue
        rest = ids[at + 1 :]
        if word in _ENGLISH_WILL and (not rest or rest[-1] not in _CHANGE & _GERMAN):
            continue
        return not _CHANGE.isdisjoint(rest)
    return False


def _to_come(ids: list[int]) -> bool:
    """ "Will move to Bern in June", "will leave next year"; not "will move to May 2"."""
    at = next(i for i, word in enumerate(ids) if word in _SHALL)
    rest = ids[at + 1 :]
    said = [word for word in rest if word not in _SOON and word not in _BE]
    if _CHANGE.isdisjoint(said[:2]) and (not rest or rest[-1] not in _CHANGE):
        return False
    for before, word in pairwise((0, *rest)):
        if (word in _SOON and before not in _TO) or (word in _MONTHS and before in _IN):
            return True
    return False
