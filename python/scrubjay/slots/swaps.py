"""What is given up, for another thing or for none: "replaced Slack with Teams", "moved from Jenkins to GitHub Actions",
"dropped Redux", "full paragraphs instead of bullet points".

`gives_up(old, new)` holds where the newer gives up a thing, and the older says of the same people, by a phrase of its
own, that this thing is in use: "our CI runs on Jenkins", "Stripe is our payment provider". A thing that the older only
names another one after ("the Slack bot") is not in use by that; who likes it likes it still; and what is given up for
one purpose ("for video calls") is in use for the others.

>>> from scrubjay.slots.statements import statement
>>> chat, bot, swap, part = map(statement, (
...     "Our team chats on Slack.", "The Slack bot posts the menu.", "We replaced Slack with Teams.",
...     "We replaced Slack with Teams for video calls."))
>>> gives_up(chat, swap), gives_up(bot, swap), gives_up(chat, part)
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.beside import NOT
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import GROUPS, KIN, Statement
from scrubjay.slots.subjects import same_subject, subject_of
from scrubjay.slots.vocabulary import BE, MARK, NOW, THE, content_of, ids_of, single

_NAME, _NUMBER = GROUPS.index("name"), GROUPS.index("number")
_LONGEST: Final = 4
"""Most words of what is given up."""

_REPLACE: Final = ids_of(
    "replaced replace replacing swapped swap swapping exchanged traded substituted"
    " ersetzt ersetzen ersetzten ausgetauscht getauscht eingetauscht remplacé remplacée remplace remplaçons troqué"
    " reemplazamos reemplazado reemplazó sustituimos sustituido sustituyó cambiamos cambiado cambió"
    " sostituito sostituita substituímos substituiu trocamos trocou"
)
_WITH: Final = ids_of("with by for durch gegen mit par contre por con per da pela pelo")
_MOVE: Final = ids_of(
    "moved move moving migrated migrate migrating switched switch switching changed went gone transitioned converted"
    " umgestiegen gewechselt migriert gezogen umgezogen gegangen passé passés passée migré changé basculé"
    " migramos migrado pasamos pasado cambiamos cambiado cambió passati passato migrato cambiato mudamos mudou passamos"
    " migrou passou"
)
_FROM: Final = ids_of("from off away von vom weg de depuis desde da dal dalla do")
_TO: Final = ids_of("to onto into in zu zum zur auf nach à au aux vers a al hacia para per alla allo")
_DROP: Final = ids_of(
    "dropped drop dropping rid phased ditched ditching abandoned scrapped discontinued decommissioned deprecated"
    " abgeschafft aufgegeben abgeschaltet abandonné abandonnons abandonnée abandonado abandonamos abandonó"
    " abbandonato abandonou abandonámos"
)
_USE: Final = ids_of(
    "use uses using used support supports run runs nutzen nutzt verwenden verwendet benutzen benutzt utilise utilisons"
    " utilisent usamos usa usan utilizamos usiamo utilizziamo usar utiliser"
    " utilizar utilizzare nutzen n'utilisons n'utilise"
)
_STOP: Final = ids_of("stopped stop quit aufgehört arrêté dejamos dejado smesso paramos deixamos")
_MORE: Final = ids_of("longer anymore mehr plus más più mais ya já")
_INSTEAD: Final = tuple(
    tuple(ids_of(word) for word in phrase.split())
    for phrase in (
        "instead of", "rather than", "statt", "anstatt", "anstelle von", "au lieu de", "en lugar de", "en vez de",
        "invece di", "em vez de",
    )
)  # fmt: skip
_THE: Final = THE | ids_of("a an my his her their its den dem unseren l nostro nostra as")
_OUT: Final = ids_of("of out support for")
"""What stands between "rid", "phased" and what is given up."""
_AUX: Final = ids_of(
    "was were is are has have had been be wurde wurden ist sind haben hat a été est avons fue ha sido hemos è stato"
    " stata abbiamo foi"
)
_CLOSED: Final = ids_of(
    "this last next today yesterday now since because and but after before as so in on at for with two weeks ago month"
    " und aber seit weil heute gestern im am und et mais depuis car hier y pero desde porque hoy ayer e ma da perché"
)
"""What ends a phrase."""
_SCOPE: Final = ids_of("for für pour para per")
_WE: Final = ids_of(
    "we we're we've our us team company wir unser unsere unserem uns team nous notre nos on nosotros nuestro nuestra"
    " noi nostro nós nosso nossa n'utilisons usamos utilizamos cambiamos pasamos reemplazamos sustituimos abandonamos"
    " dejamos usiamo utilizziamo siamo abbiamo haben avons hemos temos trocamos substituímos migramos mudamos passamos"
    " abandonámos deixamos paramos"
)
_I: Final = ids_of("i i'm i've my me ich mein meine je j'ai mon ma yo mi io mio mia eu meu minha")
_PEOPLE: Final = KIN | ids_of("user customer client manager nutzer kunde client cliente usuario utilisateur utente")
_IN_USE: Final = ids_of(
    "on in with at by via is are uses use using to through prefers wants from supports drives rides wears fährt conduit"
    " auf in mit bei über ist nutzen nutzt verwenden verwendet benutzt benutzen"
    " sur dans avec chez par est utilise utilisons utilisent en con por es usa usamos usan utilizamos su usiamo è no na"
    " com"
)
"""What stands before a thing that is in use."""
_ARE: Final = ids_of("are sind sont son sono são run get go have")
"""What no single person is said with."""
_UPGRADED: Final = ids_of(
    "upgraded upgrade updated bumped downgraded aktualisiert hochgezogen gehoben mise mis actualizado actualizada"
    " actualizamos aggiornato aggiornata atualizado atualizada atualizamos"
)
_FOND: Final = ids_of("like likes love loves hate hates enjoy enjoys mag liebt aime adore odia ama gosta")
_ON: Final = ids_of("on auf en sur im")
_IS: Final = BE | ids_of("remains stays")


_SIGNS: Final = _REPLACE | _MOVE | _DROP | _USE | frozenset().union(*(phrase[0] for phrase in _INSTEAD))
"""Words of which what gives something up has one."""


class Swap(NamedTuple):
    """What a statement says is given up, as identities of words; () for nothing."""

    up: tuple[int, ...] = ()
    scope: frozenset[int] = frozenset()
    """For what alone, where it is said."""


NOTHING: Final = Swap()


@kept_with
def swap(said: Statement) -> Swap:
    """What a statement says is given up."""
    ids = tuple(said.ids.tolist())
    if _SIGNS.isdisjoint(ids) or said.asks or said.marks[MARK["long"]] or said.marks[MARK["hedge"]] or len(ids) < 3:
        return NOTHING
    content = content_of(said)
    for law in (_instead, _replaced, _moved, _dropped, _unused):
        at, up = law(ids)
        up = _phrase(up)
        if up and content.issuperset(up):
            start = at + len(up)
            if law is _replaced:
                # "traded his Skoda in for a Tesla": what it was given for is no scope
                start = next((i + 1 for i in range(start, len(ids)) if ids[i] in _WITH), start)
            scope = next((i for i in range(start, len(ids)) if ids[i] in _SCOPE and i > at), len(ids))
            what = _moved_what(ids, content) if law is _moved else frozenset[int]()
            return Swap(up, what | frozenset(ids[scope + 1 :]) & content if law is not _instead else frozenset())
    return NOTHING


def _phrase(words: Sequence[int]) -> tuple[int, ...]:
    """The words up to where another phrase begins, an article apart; () for more than a few."""
    start = next((i for i, word in enumerate(words) if word not in _THE and word not in _OUT), len(words))
    words = words[start:]
    end = next((i for i, word in enumerate(words) if word in _CLOSED or word in _THE or word in _TO), len(words))
    return tuple(words[:end]) if end <= _LONGEST else ()


def _instead(ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    for phrase in _INSTEAD:
        n = len(phrase)
        for at in range(1, len(ids) - n):
            if all(word in some for word, some in zip(ids[at : at + n], phrase, strict=True)):
                return at + n, ids[at + n :]
    return 0, ()


def _replaced(ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    at = next((i for i, word in enumerate(ids) if (i or word in _WE) and word in _REPLACE), -1)
    if at < 0 or not NOT.isdisjoint(ids[:at]):
        return 0, ()
    by = next((i for i, word in enumerate(ids) if i and word in _WITH and i != at), 0)
    first = next((i for i, word in enumerate(ids) if i and word in _AUX), 0)
    if by and at == len(ids) - 1:
        # "wir haben Slack durch Teams ersetzt", "Slack wurde durch Teams ersetzt"
        return (first, ids[first + 1 : by]) if by - first > 1 else (0, ids[:first])
    if by == at + 1:
        return 0, ids[: first or at]
    return at + 1, ids[at + 1 : by if by > at else len(ids)]


def _moved(ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    at = next((i for i, word in enumerate(ids) if (i or word in _WE) and word in _MOVE), -1)
    if at < 0 or not NOT.isdisjoint(ids[:at]):
        return 0, ()
    start = next((i for i, word in enumerate(ids) if i and word in _FROM), 0)
    while start and start + 1 < len(ids) and ids[start + 1] in _FROM:
        start += 1
    to = next((i for i in range(start + 1, len(ids)) if ids[i] in _TO), 0)
    last = at == len(ids) - 1
    if not start or not to or not (start == at + 1 or last or ids[start - 1] in _FROM or 1 < start - at <= _LONGEST):
        return 0, ()
    return start + 1, ids[start + 1 : to]


def _moved_what(ids: tuple[int, ...], content: frozenset[int]) -> frozenset[int]:
    """The object in "moved the docs from Confluence to Notion", nothing for people who moved."""
    at = next((i for i, word in enumerate(ids) if (i or word in _WE) and word in _MOVE), -1)
    start = next((i for i in range(at + 1, len(ids)) if ids[i] in _FROM), 0) if at >= 0 else 0
    return frozenset(ids[at + 1 : start]) & content - _FROM


def _dropped(ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    at = next((i for i, word in enumerate(ids) if (i or word in _WE) and word in _DROP), -1)
    if at < 0 or not NOT.isdisjoint(ids[:at]):
        return 0, ()
    if at == len(ids) - 1:
        first = next((i for i in range(1, at) if ids[i] in _AUX), 0)
        return (first, ids[first + 1 : at]) if at - first > 1 else (0, ids[:first])
    return at + 1, ids[at + 1 :]


def _unused(ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """ "Stopped using X", "no longer support X", "nutzen X nicht mehr", "n'utilisons plus X"."""
    at = next((i for i, word in enumerate(ids) if (i or word in _WE) and word in _USE), -1)
    if at < 0 or (_STOP.isdisjoint(ids[:at]) and (_MORE.isdisjoint(ids) or len(ids) < at + 2)):
        return 0, ()
    if _STOP.isdisjoint(ids[:at]) and NOT.isdisjoint(ids[: at + 4]) and _NO.isdisjoint(ids):
        return 0, ()
    rest = ids[at + 1 :]
    start = next((i for i, word in enumerate(rest) if word not in _MORE and word not in NOT), len(rest))
    end = next((i for i in range(start, len(rest)) if rest[i] in NOT or rest[i] in _MORE), len(rest))
    return at + 1 + start, rest[start:end]


_NO: Final = ids_of("no n ne n'utilisons n'utilise")


def _in_use(old: Statement) -> bool:
    if old.past or old.ids.size < 2 or not single(old) or not _FOND.isdisjoint(old.ids.tolist()):
        return False
    return not any(old.marks[MARK[mark]] for mark in ("hedge", "event", "negation"))


def _given_up(old: Statement, new: Statement) -> bool:
    found, content = swap(new), content_of(old)
    if not content.issuperset(found.up) or not found.scope <= content or not _same_people(old, new, found.up):
        return False
    who = subject_of(new)
    told = bool(who.words) and who.words.isdisjoint(_SIGNS.union(_I, found.up))
    if told and _WE.isdisjoint(new.ids.tolist()) and not same_subject(old, new):
        # "the plumber no longer supports the plan"
        return False
    ids = tuple(old.ids.tolist())
    n = len(found.up)
    for at in range(len(ids) - n + 1):
        if ids[at : at + n] != found.up:
            continue
        before = next((ids[i] for i in range(at - 1, -1, -1) if ids[i] not in _THE), 0)
        after = ids[at + n] if at + n < len(ids) else 0
        if before == 0:
            # "Stripe is our payment provider"
            if after in _IS and not (_WE | _I).isdisjoint(ids[at + n :]):
                return True
        elif (before in _IN_USE or before in _TO) and after not in content:
            return True
    return False


gives_up: Final = Law(_given_up, _in_use, other=lambda s: bool(swap(s).up))
"""The newer says that what the older says is in use has been given up."""


def upgraded(said: Statement) -> bool:
    """Whether it says that something was upgraded."""
    return not _UPGRADED.isdisjoint(said.ids.tolist())


def _upgrades(old: Statement, new: Statement) -> bool:
    ids, before = new.ids.tolist(), old.ids.tolist()
    numbers = [frozenset(one.ids[one.groups[:, _NUMBER] > 0].tolist()) for one in (old, new)]
    versions = [
        {a: b for a, b in pairwise(one) if b in some and a not in some}
        for one, some in zip((before, ids), numbers, strict=True)
    ]
    shared = versions[0].keys() & versions[1].keys() & content_of(old)
    if not any(versions[0][name] != versions[1][name] for name in shared):
        return False
    if ids[0] in _UPGRADED:
        # "bumped the toolchain to Go 1.22": we did
        to = next((i for i, word in enumerate(ids) if i and word in _TO), 0)
        return frozenset(ids[1:to]) & content_of(new) <= content_of(old) | _ALL
    return new.parts <= content_of(old) if new.parts - shared else not _WE.isdisjoint(ids)


_ALL: Final = ids_of("toolchain version everything all dependency compiler runtime pin everywhere")
"""What is upgraded that nobody has named."""


upgrades: Final = Law(
    _upgrades,
    lambda old: not old.asks and not old.marks[MARK["event"]],
    other=lambda new: upgraded(new) and NOT.isdisjoint(new.ids.tolist()) and not new.asks,
)
"""The newer says that what the older names with a number has another now: "was upgraded to Postgres 16"."""


_TIERS: Final = ids_of(
    "gold silver bronze platinum free basic starter standard pro premium plus team business enterprise growth scale"
    " essential essentials advanced professional ultimate lite individual family"
)
_PLANS: Final = ids_of(
    "plan tier package subscription tarif abo paket abonnement forfait formule suscripción piano pacchetto"
)


def _tier(said: Statement) -> frozenset[int]:
    """The words of the plan that somebody is on, or has upgraded to; nothing where it names none."""
    ids = said.ids.tolist()
    at = next((i for i, word in enumerate(ids[:8]) if i and word in _UPGRADED), 0)
    if at:
        at = next((i for i in range(at + 1, len(ids) - 1) if ids[i] in _TO), 0)
    else:
        at = next((i for i in range(1, min(8, len(ids) - 1)) if ids[i] in BE and ids[i + 1] in _ON), -1) + 1
    rest = [word for word in ids[at + 1 :] if word not in _THE and word not in NOW]
    what = frozenset(rest) - _PLANS
    named = len(what) == 1 and (not what.isdisjoint(_TIERS) or not _PLANS.isdisjoint(rest))
    return what if at and named and len(rest) < 3 else frozenset()


def _replanned(old: Statement, new: Statement) -> bool:
    return not upgraded(old) and _tier(old) != _tier(new) and same_subject(old, new)


replanned: Final = Law(
    _replanned,
    lambda old: bool(_tier(old)) and NOT.isdisjoint(old.ids.tolist()) and single(old),
    other=lambda new: upgraded(new) and bool(_tier(new)) and single(new) and NOT.isdisjoint(new.ids.tolist()),
)
"""The newer says that who is on a plan by the older has another now: "upgraded to Gold"."""


def _same_people(old: Statement, new: Statement, up: tuple[int, ...]) -> bool:
    """We, I or somebody named in both, what is given up apart."""
    return _who(old, up) == _who(new, up)


def _who(one: Statement, up: tuple[int, ...]) -> int:
    """1 for the speaker alone, the first word of somebody who may be named, 0 for us and what is ours."""
    ids = one.ids.tolist()
    if not _WE.isdisjoint(ids):
        return 0
    if not _I.isdisjoint(ids):
        return 1
    some = next((word for word in ids[:3] if word in _PEOPLE), 0)
    if some or ids[1] in _ARE or ids[0] in _THE or ids[0] in up or one.groups[0, _NAME]:
        return some
    return int(ids[0])
