"""How a text says something: of the past, of a kind, as a ban, or as the title of something.

What is told ("worked there until 3 May"), what holds of each thing of a kind ("invoices are due in 30 days") and what
is only a title ("Read 'Until Friday'") has no end of its own; a ban ("do not deploy until Friday")
has, though it denies.

>>> told(["max", "arbeitete"], [], "bis"), told(["max", "arbeitet"], [], "bis")
(True, False)
>>> of_a_kind(["passwords", "expire"]), of_a_kind(["my", "passwords", "expire"])
(True, False)
>>> is_ban(["do", "not", "deploy"]), is_ban(["it", "is", "not", "open"])
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from scrubjay.wordlist import word_set

BEING: Final = word_set(
    "is are am 's 'm 're it's i'm he's she's we're they're you're there's will i'll he'll she'll we'll they'll it'll"
    " ist sind bin bleibt bleiben wird werden est sont suis sera seront reste está están estoy estamos será serán"
    " è sono siamo sarà estou está estão são zijn ben blijft was"
)
STATES: Final = word_set(
    "closed booked reserved extended suspended blocked postponed delayed paused banned cancelled scheduled allowed"
    " permitted locked assigned loaned rented leased planned expected required needed"
)
UNTIL: Final = word_set("until till til 'til bis jusqu'au jusqu'à jusqu'en hasta fino finché até tot t/m")
PAST: Final = word_set(
    "was were had did been lived worked stayed went ran slept kept took held stood came sat began saw got"
    " knew fell wrote waited lasted spent thought taught met told said"
    " war waren hatte hatten wurde wurden blieb blieben gab ging gingen lief stand lag sah war's gewesen kam fuhr"
    " schlief trug hielt schrieb half zog saß verbrachte galt"
    " était étaient fut furent avait avaient fue fueron era eran estaba estaban estuvo tenía había vivió trabajó"
    " aveva furono rimase foi foram estava estavam tinha viveu morou stato"
)
_TELLS: Final = {
    "bis": re.compile(
        r"(?!(?:heute|bitte|letzte|erste|zweite|dritte|vierte|fünfte|sechste|nächste|beste|meiste|rechte|alte|seite"
        r"|sollte|könnte|möchte|müsste|dürfte|hätte|konnte|weite|breite|echte|späte|feste)$)[a-zäöüß]{3,}te$"
        r"|[a-zäöüß]{2,}(?:tet|det|[bgkmp]t|hnt|ielt|hrt|hlt|ier|[^s]er)en$(?<=ten)|(?:konn|muss|durf|woll|soll)ten$|[a-zäöüß]+(?:teten|deten|ierten)$"
    ),
    "jusqu": re.compile(
        r"(?!(?:fait|lait|parfait|souhait|portrait|extrait|retrait|trait|attrait)$)[^\W\d_]{3,}(?<!r)(?:ait|aient)$"
        r"|durait$|préparait$|travailla$|habita$|vécut$|dura$|dirigea$|étudia$|resta$|demeura$|enseigna$|occupa$"
    ),
    "hasta": re.compile(
        r"(?!(?:amplió|extendió|prorrogó|reservó|aplazó|alquiló|canceló|cerró|suspendió|bloqueó)$)[^\W\d_]{2,}ó$"
        r"|[^\W\d_]{3,}(?:aba|aban|ábamos|aron|ieron)$|(?:viv|dirig|asist|serv|exist|hac|dorm|cubr|com|ten)ían?$"
        r"|estuvieron$|hizo$|hubo$|tuvo$|anduvo$"
    ),
    "fin": re.compile(
        r"[^\W\d_]{3,}ò$|(?!(?:ottava|nuova|brava)$)[^\W\d_]{3,}(?:ava|avano|eva|evano|iva|ivano)$|visse$|fu$"
    ),
    "até": re.compile(
        r"(?!(?:estou)$)[^\W\d_]{3,}ou$|[^\W\d_]{3,}(?:ava|avam|aram|eram|iram)$|(?:viv|dirig|serv)ia[m]?$"
    ),
    "tot": re.compile(
        r"[^\W\d_]{3,}eerden?$|(?:werk|maak|kook)ten?$|(?:woon|leid|duur|speel|leef|huur|leer|regel|wachte?)de?n?$"
        r"|bleef$|bleven$|hadden$"
    ),
}
"""Past tenses by the word for "until" that they stand beside (its beginning)."""
_DONE: Final = word_set(
    "gearbeitet gewohnt gelebt studiert geleitet gewartet gedauert geschlafen gespielt gelernt unterrichtet trainiert"
    " geführt gedient verbracht gegolten geblieben gewesen"
    " travaillé habité vécu étudié dirigé attendu duré dormi joué enseigné resté restée restés servi géré logé"
    " trabajado vivido estado estudiado dirigido durado dormido enseñado"
    " lavorato abitato vissuto studiato diretto durato dormito insegnato rimasto rimasta"
    " trabalhado vivido morado gewerkt gewoond geleefd gestudeerd geleid gebleven"
)
"""Participles of what goes on and is over, rather than of what is left by it."""
_HAVE: Final = word_set(
    "hat habe haben hast ist sind bin a ai as ont avons avez est sont suis ha han he hemos ho hanno abbiamo è sono"
    " heeft heb hebben tem têm"
)
_PASSIVE: Final = re.compile(r"[^\W\d_]+(?:ée?s?|ies?|ues?|is|ises?|tes?)$")
"""A French participle: "a été prolongée" is so until then."""
_ARTICLE: Final = word_set(
    "der die das den dem des ein eine einen einem einer eines diese dieser dieses jene meine deine seine ihre unsere"
    " keine alle im am zur zum vom"
)
_MODAL: Final = ("will", "shall", "'ll", "must", "should", "wird", "werden", "muss", "sera", "será", "sarà")
_SAID: Final = word_set("said told wrote announced mentioned confirmed replied sagte schrieb dijo disse")
_ED: Final = re.compile(r"[a-z]{3,}(?:ed|ied)$")

_EACH: Final = word_set(
    "every each any all jeder jede jedes jeden alle aller sämtliche chaque tout toute tous toutes cada todo toda todos"
    " todas cualquier ogni tutti tutte qualsiasi qualquer elke elk ieder iedere normally usually typically generally"
    " always policy policies default standardmäßig normalerweise grundsätzlich üblicherweise généralement normalement"
    " habituellement défaut normalmente generalmente defecto solitamente norma standaard normaal meestal"
)
_ONE: Final = word_set("a an ein eine einen une un una uno um uma een")
_GENERIC_PLURAL: Final = word_set("les los las i gli le os as")
_THESE: Final = word_set(
    "the my our your his her its their these those this that both some two three four five six seven eight nine ten"
    " i we you he she they it der die das den unsere meine deine eure ihre seine diese beide zwei drei vier"
    " mes tes ses nos vos leurs ces deux trois mis tus sus nuestros nuestras estos estas esos dos tres"
    " miei mie tuoi nostri nostre questi queste due tre meus minhas nossos nossas estes de het mijn onze deze twee drie"
)
_LEAD: Final = word_set("note that remember reminder please fyi also and but so bitte achtung nb btw hi hello")
_PLURAL_VERB: Final = word_set(
    "expire lapse end close run finish terminate are must should shall can may need have"
    " verfallen laufen enden sind müssen gelten ablaufen"
    " expirent prennent finissent sont vencen caducan expiran terminan acaban son scadono terminano sono vencem expiram"
    " terminam são verlopen eindigen zijn"
)
_NAMED: Final = re.compile(r"(?:[^\W\d_]+'s|\d+)$")
_PLURAL: Final = re.compile(r"[^\W\d_]{2,}(?<![siu])s$|[^\W\d_]{3,}(?:en|er|e|n)$")

_NEGATED: Final = word_set("not never nicht nie pas ne no non não niet n'")
_MUST: Final = word_set("must should shall may darf dürfen darfst sollen soll sollte mustn't shouldn't")
_WAITING: Final = word_set("wait hold delay postpone leave put warten attendre esperar aspettare wachten")

_TITLE: Final = re.compile(
    r"(?P<lead>(?:^|[\w:,]+)\s*)(?:\"(?P<a>[^\"\n]{2,90})\"|“(?P<b>[^”\n]{2,90})”|„(?P<c>[^“”\n]{2,90})[“”]"
    r"|«(?P<d>[^»\n]{2,90})»|»(?P<e>[^«\n]{2,90})«|‘(?P<f>(?:[^’\n]|(?<=\w)’(?=\w)){2,90})’(?!\w)"
    r"|(?<!\w)'(?!til\b)(?P<g>(?:[^'\n]|(?<=\w)'(?=\w)){2,90})'(?!\w))|[《『](?P<h>[^》』\n]{1,60})[》』]"
)
_SAYING: Final = re.compile(
    r"(?:[:,]|\b(?:says?|said|wrote|writes|reads|announce[sd]?|replie[sd]|tells?|reply|status|sagt|sagte|schreibt"
    r"|schrieb|steht|dit|écrit|dice|escribe|scrive|diz|zegt))\s*$",
    re.IGNORECASE,
)


def untitled(text: str) -> str:
    """A text without the titles in it; what somebody says in quotation marks stays.

    >>> untitled("Read the book 'Until Friday' by Mel Wood.")
    'Read the book … by Mel Wood.'
    >>> untitled('Sam says: "I am away until Friday"')
    'Sam says: "I am away until Friday"'
    """

    def cut(found: re.Match[str]) -> str:
        lead = found["lead"]
        if lead is None:
            return "…"
        whole = not lead.strip() and found.end() >= len(text.rstrip().rstrip(".!"))
        return found[0] if whole or _SAYING.search(lead) else f"{lead}…"

    return _TITLE.sub(cut, text)


def told(before: Sequence[str], after: Sequence[str], cue: str, raw: Sequence[str] = ()) -> bool:
    """Whether the words around an end tell of the past. `raw`: those before it, in their own case.

    >>> told(["until"], [], "until"), told(["she", "stayed"], [], "until")
    (False, True)
    """
    said = max((j + 1 for j, w in enumerate(before) if w in _SAID), default=0)
    if any(w in BEING and w != "was" for w in before[said:]):  # what somebody said is
        before, raw = before[said:], raw[said:]
    if any(w in _MODAL or w.endswith("'ll") for w in before):
        return False
    for j, w in enumerate(before):
        if w in PAST and not (w == "been" and j and before[j - 1] in ("has", "have", "'s", "'ve")):
            return True
        regular = _ED.match(w) is not None and w not in STATES and w not in ("need", "speed", "feed", "embed", "bed")
        if regular and not any(b in BEING or b in ("has", "have", "be", "been", "being") for b in before[:j]):
            return True
    have = any(w in _HAVE for w in before)
    if have and any(w in _DONE for w in (*before, *after)):
        return True
    if any(w == "été" and not _PASSIVE.match(follow) for w, follow in pairwise([*before, ""])):
        return True
    tense = next((law for lead, law in _TELLS.items() if cue.startswith(lead)), None)
    if tense is None:
        return False
    for j, w in enumerate(before):
        noun = bool(raw) and raw[j][:1].isupper()
        adjective = cue == "bis" and j > 0 and before[j - 1] in _ARTICLE
        if not noun and not adjective and tense.match(w):
            return True
    return False


def of_a_kind(before: Sequence[str]) -> bool:
    """Whether the words before a span that is counted ("in 30 days") speak of each thing of a kind, not of one.

    >>> of_a_kind(["every", "invoice", "is"]), of_a_kind(["the", "invoice", "is"])
    (True, False)
    """
    if any(w in _EACH for w in before):
        return True
    start = max((j + 1 for j, w in enumerate(before) if w in (",", ":", ";", "-", "–", "—")), default=0)
    clause = list(before[start:])
    while clause and clause[0] in _LEAD:
        clause.pop(0)
    if not clause:
        return False
    if clause[0] in _ONE:
        return True
    plural = next((j for j, w in enumerate(clause) if w in _PLURAL_VERB), None)
    if plural is None or plural == 0:
        return False
    if clause[0] in _GENERIC_PLURAL:
        return True
    subject = clause[:plural]
    head = next((j for j, w in enumerate(subject) if _PLURAL.match(w)), None)
    if head is None:
        return False
    return not any(w in _THESE or w in ("and", "und", "et", "y", "e") or _NAMED.match(w) for w in subject[: head + 1])


def is_ban(before: Sequence[str]) -> bool:
    """Whether words that deny forbid something, so that it holds until then: "do not deploy", "no meetings".

    >>> is_ban(["don't", "wait"]), is_ban(["please", "don't", "touch", "it"])
    (False, True)
    """
    start = max((j + 1 for j, w in enumerate(before) if w in (",", ":", ";", "-", "–", "—")), default=0)
    clause = list(before[start:])
    while clause and (clause[0] in _LEAD or clause[0] in ("you", "we", "s'il", "vous", "plaît", "por", "favor")):
        clause.pop(0)
    if len(clause) < 2 or any(w in _WAITING for w in clause[:4]):
        return False
    first, second = clause[:2]
    last = clause[2] if len(clause) > 2 else ""
    if first in ("don't", "dont") or (first == "do" and second == "not"):
        return True
    if any(a in _MUST and (b in _NEGATED or a.endswith("n't")) for a, b in zip(clause, [*clause[1:], ""], strict=True)):
        return True
    if any(a == "not" and b in ("allowed", "permitted") for a, b in pairwise(clause)):
        return True
    if first == "no" and not any(w in BEING or w in ("one", "body") for w in clause):
        return second[-1:] in "srg" and not second.endswith("ss")
    if first in ("non", "não") or (first == "nicht" and second.endswith("en")):
        return second.endswith(("re", "ar", "er", "ir", "en"))
    return first == "ne" and (second.endswith("ez") or (second == "pas" and last.endswith(("er", "ir", "re"))))
