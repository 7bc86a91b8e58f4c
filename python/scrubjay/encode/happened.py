"""When something happened does not bound what came of it: "the contract was signed today" is so tomorrow as well.

The words of the present day, week or year bound what is so ("the kitchen is closed today") and what goes on ("Ben
worked from home today"), but only date what has happened once and left something behind. A clause tells of such an
event by its verb: a passive of the past ("was signed"), a perfect ("has moved", "ist umgezogen") or a past tense
("bought", "firmó") of a verb that is none of being, doing for a while or saying. A clause that denies, speaks of the
present or of what is to be, or says what is off for once ("was cancelled today") keeps its words, and so does a time
that more is said of ("until today", "to 3 pm today") or that may be of what is meant to be ("agreed to meet this
evening").

>>> without_date("The contract was signed today."), without_date("The kitchen is closed today.")
('The contract was signed.', 'The kitchen is closed today.')
>>> without_date("Sie ist heute Morgen nach Lissabon gezogen.")
'Sie ist nach Lissabon gezogen.'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from scrubjay.wordlist import word_set

SIGNS: Final = word_set(
    "today tonight this heute diese diesen dieses aujourd'hui aujourd’hui ce cette hoy esta este oggi stamattina"
    " stasera questa questo hoje vandaag vanmorgen vanochtend vanmiddag deze"
)
"""Words of which each such time has one."""
_AROUND: Final = re.compile(
    r"(?:\b(?:until|till?|by|since|as|of|from|for|to|than|before|after|like|bis|seit|ab|von|vor|nach|für|zu|jusqu['’]à"
    r"|jusqu['’]au|depuis|dès|pour|de|du|hasta|desde|para|fino|da|dal|per|até|tot|sinds|vanaf|voor"
    r"|[ap]m|[ap]\.m\.|o['’]clock|noon|uhr|(?:to|at|from|auf|um|à|a las|alle|às|om)\s+\d{1,2}(?:[:.]\d\d)?))\s+$",
    re.IGNORECASE,
)
"""What stands before a time that more is said of."""
_AHEAD: Final = re.compile(
    r"afternoon|evening|tonight|week|month|quarter|year|abend|soir|sera|noite|noche", re.IGNORECASE
)
_PURPOSE: Final = re.compile(
    r"\b(?:to (?!(?:the|an?|my|our|your|his|her|its|their|this|that)\b)[a-z]|zu [a-zäöü]"
    r"|(?:[Ff]or|für|pour|para|per|om|voor) )"
)
"""Beside a time that may lie ahead, and may be of what is meant to be: "agreed to meet this evening"."""
_EDGE: Final = re.compile(
    r"[.;:!?\n()–—]+(?!\d)|,(?=\s)|\s(?:and|but|while|because|so|which|who|that|if|when|und|aber|weil|dass|y|pero|porque|que"
    r"|et|mais|qui|e|ed|ma|mas|che|en|maar)(?=\s)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_STATES: Final = word_set(
    "cancelled canceled postponed skipped delayed paused closed call on-call oncall duty shift leave vacation"
    " holiday remote remotely abgesagt verschoben geschlossen urlaub bereitschaft annulé annulée reporté fermé"
    " fermée astreinte congé cancelado cancelada aplazado cerrado cerrada guardia vacaciones annullato annullata"
    " rinviato chiuso chiusa ferie cancelada fechado fechada férias afgezegd gesloten"
)
"""What is off, or what somebody is on, for once or for a while."""


class _Tongue(NamedTuple):
    """How a language dates and tells what happened."""

    time: re.Pattern[str]
    happened: Callable[[Sequence[str]], bool]


_DENIED: Final = word_set(
    "not never no nobody nothing none n't didn't hasn't haven't wasn't weren't hadn't nicht nie kein keine niemand pas"
    " jamais aucun no nunca nadie non mai nessuno não niet geen nooit"
)
_OPEN: Final = word_set(
    "is are am isn't aren't it's he's she's that's there's i'm we're they're will shall won't can could can't may might"
    " must should would going do does don't doesn't if whenever unless every each usually"
)
"""English words of what is so, will be or may be."""
_ENGLISH_HAVE: Final = word_set("has have had i've we've they've you've")
_ENGLISH_BE: Final = word_set("was were got been")
_IRREGULAR: Final = word_set(
    "became become began begun bit bitten bought broke broken brought built burnt came caught chose chosen cut"
    " fell fallen found forgot forgotten froze frozen gave given got gotten hidden hired hit hurt kicked laid left"
    " lent lost made met overtook paid proved put quit rebuilt rose sank sunk sent set shot shut sold split stole"
    " stolen struck swore sworn taken taught thrown threw tore torn took withdrew won woken wrote written done"
    " gone upset born led held let read"
)
_GOES_ON: Final = word_set(
    "worked stayed waited wanted needed liked loved hated looked seemed felt asked talked called played watched"
    " walked cooked rained snowed complained mentioned tried attended used lived remained rested relaxed helped"
    " practised practiced studied travelled traveled reported noted explained joked discussed tired excited"
    " worried annoyed bored stressed confused pleased scared blocked exhausted interested supposed expected"
    " scheduled planned allowed required watered fed cleaned washed emptied charged vacuumed hoovered mopped"
    " ironed refilled tidied dusted shaved showered red bed shed need speed feed embed indeed hundred speed weed"
    " seed breed gearbeitet geschlafen gewartet gewesen gehabt gefühlt gesagt erzählt gegessen getrunken gespielt"
    " geredet gesprochen geregnet gefragt verspätet travaillé dormi été eu mangé bu attendu dit joué parlé plu"
    " trabajado dormido estado comido bebido hablado dicho esperado trabajó durmió comió bebió habló esperó llovió"
    " lavorato dormito stato avuto mangiato bevuto aspettato detto giocato parlato piovuto trabalhou dormiu comeu"
    " bebeu falou ficou choveu esperou meu seu teu museu europeu gewerkt geslapen gewacht geweest gehad gezegd"
    " gegeten gedronken gespeeld gepraat geregend"
)
"""Verbs of doing for a while, of what is done each day, of being and saying; states in the form of a participle, and
other words of such a form."""
_ARTICLES: Final = word_set("the a an this my your our his her its their some of with by for in on at")
_ED: Final = re.compile(r"[a-z]{2,}ed$")


def _english(words: Sequence[str]) -> bool:
    if not _OPEN.isdisjoint(words):
        return False
    for i, word in enumerate(words):
        done = (_ED.match(word) is not None or word in _IRREGULAR) and word not in _GOES_ON
        if not done or (i > 0 and words[i - 1] in _ARTICLES):
            continue
        before = words[max(0, i - 3) : i]
        if word not in _PARTICIPLE_ALONE or not (_ENGLISH_HAVE | _ENGLISH_BE).isdisjoint(before):
            return True
    return False


_PARTICIPLE_ALONE: Final = word_set(
    "become begun bitten broken chosen fallen forgotten frozen given gotten hidden stolen sworn taken thrown torn woken"
    " written done gone upset born read set put cut let hurt hit shut"
)
"""Forms that tell of the past only behind "was" or "has"."""


def _with(helpers: str, done: str) -> Callable[[Sequence[str]], bool]:
    """Whether one of the helping verbs stands beside a participle of this form."""
    helping, form = word_set(helpers), re.compile(done)

    def happened(words: Sequence[str]) -> bool:
        return not helping.isdisjoint(words) and any(
            form.fullmatch(word) and word not in _GOES_ON and word not in helping for word in words[1:]
        )

    return happened


def _any(*laws: Callable[[Sequence[str]], bool]) -> Callable[[Sequence[str]], bool]:
    return lambda words: any(law(words) for law in laws)


def _tense(form: str) -> Callable[[Sequence[str]], bool]:
    """Whether a word has this form of a past tense."""
    past = re.compile(form)
    return lambda words: any(past.fullmatch(word) and word not in _GOES_ON for word in words)


_GERMAN_DONE: Final = (
    r"(?:[a-zäöüß]*ge[a-zäöüß]{3,}|(?:ver|be|er|ent|zer|über|unter)[a-zäöüß]{3,}|[a-zäöüß]{3,}ier)(?:t|en)"
)
_TIMES: Final = {
    "en": r"(?:(?:earlier|early|late|later) )?(?:today|tonight|this (?:very )?(?:morning|afternoon|evening|week|weekend"
    r"|month|quarter|year|sprint|spring|summer|autumn|fall|winter|noon))"
    r"(?: (?:at|around|just before|just after) (?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?| o'clock)?|noon|lunch))?",
    "de": r"heute(?: (?:früh|morgen|vormittag|mittag|nachmittag|abend))?|diese(?: woche|n monat|s jahr)",
    "fr": r"aujourd['’]hui|ce (?:matin|midi|soir|mois(?:-ci)?)|cet(?:te)? (?:après-midi|semaine|année)",
    "es": r"hoy(?: por la (?:mañana|tarde|noche))?|esta (?:mañana|tarde|noche|semana)|este (?:mes|año)",
    "it": r"oggi|stamattina|stasera|questa (?:mattina|settimana|sera)|questo (?:mese|pomeriggio)|quest['’]anno",
    "pt": r"hoje(?: de manhã| à tarde)?|esta (?:manhã|tarde|noite|semana)|este (?:mês|ano)",
    "nl": r"vandaag|van(?:morgen|ochtend|middag|avond)|deze (?:week|maand)|dit jaar",
}
_LAWS: Final = {
    "en": _english,
    "de": _any(
        _with("wurde wurden hat habe haben hast hatte hatten", _GERMAN_DONE),
        _with(
            "ist sind bin seid",
            r"(?:[a-zäöüß]*gezogen|[a-zäöüß]*gekommen|gestorben|geboren|geworden|worden|eingetroffen|abgereist"
            r"|zurückgekehrt|ausgefallen|verstorben|[a-zäöüß]*geflogen|beigetreten|ausgestiegen|eingestiegen)",
        ),
    ),
    "fr": _any(
        _with(
            "a ont ai avons as avez", r"[^\W\d_]{2,}(?:ées?|és?|is|ises?|its?|ites?|us?|ues?|erts?|ertes?|ints?|intes?)"
        ),
        _with(
            "est sont suis sommes s'est",
            r"(?:parti|arrivé|né|mort|devenu|venu|revenu|entré|sorti|tombé|décédé|marié|installé|inscrit)e?s?",
        ),
    ),
    "es": _any(
        _with("ha han he hemos fue fueron", r"[^\W\d_]{2,}(?:[ai]d[oa]s?|to|cho)"),
        _tense(r"[^\W\d_]{3,}(?:ó|aron|ieron)"),
    ),
    "it": _any(
        _with("ha hanno ho abbiamo", r"[^\W\d_]{2,}(?:[aiu]to|so|tto|rto|sto|nto)"),
        _with("stato stata stati state", r"[^\W\d_]{2,}(?:[aiu]t[oaie]|tt[oaie]|s[oaie]|rt[oaie]|nt[oaie])"),
        _with(
            "è sono si",
            r"(?:arrivat|partit|nat|mort|diventat|uscit|entrat|trasferit|sposat|laureat|iscritt|tornat|cadut)[oaie]",
        ),
    ),
    "pt": _any(
        _with("foi foram", r"[^\W\d_]{2,}(?:[ai]d[oa]s?|to|ta)"),
        _tense(r"[^\W\d_]{3,}(?:ou|eu|iu|aram|eram|iram)"),
    ),
    "nl": _any(
        _with("heeft hebben heb werd werden", r"(?:[a-z]*ge[a-z]{3,}|(?:ver|be|er|ont)[a-z]{3,})(?:t|d|en)"),
        _with("is zijn ben", r"(?:verhuisd|vertrokken|aangekomen|overleden|geboren|geworden|teruggekeerd)"),
    ),
}
_TONGUES: Final = tuple(
    _Tongue(re.compile(rf"(?<![\w'’-])(?:{_TIMES[name]})(?![\w'’-])", re.IGNORECASE), law)
    for name, law in _LAWS.items()
)


def without_date(text: str) -> str:
    """A text without the words of the present day, week, month or year that date what has happened.

    >>> without_date("Today, we decided to use Rust."), without_date("Hoy se firmó el contrato.")
    ('We decided to use Rust.', 'Se firmó el contrato.')
    >>> without_date("Nothing was signed today."), without_date("The demo was moved to 3 pm today.")
    ('Nothing was signed today.', 'The demo was moved to 3 pm today.')
    """
    for tongue in _TONGUES:
        for time in reversed(list(tongue.time.finditer(text))):
            text = _cut(text, time, tongue)
    return text


def _cut(text: str, time: re.Match[str], tongue: _Tongue) -> str:
    """The text without this time, where its clause tells of what has happened and says no more of the time."""
    if _AROUND.search(text[max(0, time.start() - 24) : time.start()]):
        return text
    start = max((edge.end() for edge in _EDGE.finditer(text, 0, time.start())), default=0)
    lead = text[start : time.start()].strip() == ""
    comma = text[time.end() :].startswith(",")
    edge = _EDGE.search(text, time.end() + (lead and comma))
    clause = text[start : len(text) if edge is None else edge.start()].replace(time[0], " ")
    words = [word.lower().replace("’", "'") for word in _WORD.findall(clause)]
    if _AHEAD.search(time[0]) and _PURPOSE.search(clause):
        return text
    if not _DENIED.isdisjoint(words) or not _STATES.isdisjoint(words) or not tongue.happened(words):
        return text
    left, right = text[: time.start()].rstrip(), text[time.end() :].lstrip(" ," if lead else " ")
    if not left:
        return right[:1].upper() + right[1:]
    return f"{left} {right}" if right[:1].isalnum() else left + right
