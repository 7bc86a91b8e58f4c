"""The clauses of a text that state something each, so that what bounds one of them does not bound the others.

A text falls apart at the ends of sentences and at semicolons, around what stands in brackets, between dashes or between
commas, and at the words that join clauses ("and", "but", a comma before a subject). It falls apart only where both
sides state something: have a verb of their own or, of sentences, some words. Two things are no clause beside the other:
an aside that says no more than for how long ("(valid until Friday)"), and a relative clause without commas, which only
tells of which one the rest speaks. What comes behind an end that the sentence begins with ("until Friday, Ana is in
Rome and Bo is here") is bounded as a whole.

>>> clauses("Kai, who is away until Monday, has a peanut allergy.")
['Kai has a peanut allergy.', 'who is away until Monday']
>>> clauses("The pool and the sauna are closed until Friday.")
['The pool and the sauna are closed until Friday.']
>>> clauses("The code is 4711 (valid until Friday).")
['The code is 4711 (valid until Friday).']
"""

from __future__ import annotations

import re
from typing import Final

from scrubjay.encode.tellings import BEING, PAST, UNTIL
from scrubjay.wordlist import word_set

_VERBS: Final = BEING | PAST | word_set(
    "has have had can can't could may might must should shall would does doesn't isn't aren't hasn't haven't"
    " works work lives live leads lead runs owns own uses use likes like loves love hates hate prefers prefer speaks"
    " speak studies study teaches teach plays play needs need wants want knows know comes come goes go drives drive"
    " makes make sells sell keeps keep holds sits lies stands stays stay eats eat drinks drink drinks takes take gets"
    " belongs belong costs cost opens starts reports manages manage handles handle covers writes write sings reads"
    " collects breeds grows cooks plans builds serves sleeps moved moves joined married born hired bought"
    " hat habe haben hast kann können muss müssen darf soll will mag möchte spricht wohnt wohnen lebt leben arbeitet"
    " arbeiten leitet leiten heißt kommt fährt isst trinkt spielt studiert unterrichtet gehört kostet steht liegt sitzt"
    " braucht kennt liebt hasst verträgt verkauft nutzt benutzt führt gibt macht heiratet trägt lautet betreut liest"
    " a ai as ont avons avez peut peuvent doit habite habitent vit vivent travaille travaillent dirige dirigent aime"
    " aiment parle parlent mange boit joue étudie enseigne possède coûte vend connaît préfère déteste vient s'appelle"
    " tiene tienen tengo es son soy puede pueden debe vive viven trabaja trabajan dirige dirigen habla hablan come bebe"
    " juega estudia enseña prefiere odia cuesta vende conoce gusta lleva viene llama"
    " ha hanno ho può possono deve abita abitano lavora lavorano vivono parla parlano mangia beve gioca studia insegna"
    " preferisce odia costa conosce guida gestisce viene possiede"
    " tem têm tenho é pode podem mora moram trabalha trabalham lidera fala falam bebe joga ensina prefere custa"
    " conhece gosta chama vem"
    " heeft hebben heb kan kunnen moet moeten woont wonen werkt werken leeft leidt spreekt eet drinkt speelt"
)  # fmt: skip
"""Finite verbs that state something."""
_FINITE: Final = _VERBS - word_set("a as ai come will use work like love study play need own lead live cost son es")
"""Those of `_VERBS` that a clause without a subject begins with: no other word is written alike."""
_ELIDED: Final = ("j'ai", "n'a", "n'e", "c'est", "s'appel", "l'a")
_NAMES_VERB: Final = re.compile(
    r"(?!please$|bitte$|nicht$|heute$|since$)(?:[^\W\d_]{3,}(?<!s)s$|[a-zäöüß]{3,}t$|[^\W\d_]{3,}[ea]$)"
)
"""Third persons by their form, directly behind a name."""
_SUBJECTS: Final = word_set(
    "he she it they we i you his her its their our my this that the there er sie es wir ich ihr sein seine ihre unsere"
    " mein meine das der die il elle ils elles on je nous son sa ses mon ma notre leur c'est ce cette él ella ellos"
    " ellas yo su sus mi nuestro lui lei loro io il suo sua mio mia ele ela eles elas eu seu meu minha hij zij ze we"
    " ik zijn haar mijn le la les el los las lo o os het de"
)
_ALONE: Final = word_set("he she it he's she's it's er il elle él lei lui ele ela hij")
"""Subjects that hardly ever stand beside another one, so that what they begin is a clause."""
_JOINTS: Final = (
    "and|but|while|whereas|und|aber|sowie|während|doch|et|mais|tandis que|y|pero|mientras que|e|ed|ma|mentre|mas"
    "|enquanto|en|maar|terwijl"
)
_SUBORDINATE: Final = word_set(
    "if when whenever because since as once unless although though after before while to for from wenn weil da falls"
    " obwohl sobald nachdem bevor um quand si parce comme lorsque puisque après avant pour cuando porque aunque como"
    " después antes para quando perché poiché dopo prima se porque depois als omdat want nadat voordat"
)
_RELATIVE: Final = (
    "who|whom|which|whose|where|der|die|das|den|dem|deren|dessen|welche[rsnm]?|wo|qui|que|dont|où|lequel|laquelle"
    "|quien|quienes|donde|cuy[oa]s?|che|cui|dove|quem|onde|cuj[oa]s?|wie|dat|waar"
)
_PREPOSITION: Final = "in|at|of|for|with|mit|von|bei|für|à|de|avec|con|di|da|com|em|met|van"
_VALID: Final = word_set(
    "valid good is are ist est es è é gültig gilt valable valide válido válida valido valida geldig expires expiring"
    " only nur seulement solo só still noch"
)
_VERB_LAST: Final = word_set("bis tot")
"""What stands before a state in languages whose verb comes last: "bis Freitag krank"."""
_SENTENCE: Final = re.compile(
    r"(?<!\d)(?<!\b[DSM][rt])(?<!\bMrs)(?<!\bMme)(?<!\bProf)(?<!\bNr)(?<!\bNo)(?<!\bSra)(?<!\bca)"
    r"[.!?]['\")\]]*\s+(?=[^\W\d_a-zß-öø-ÿ])|(?<=[。！？])(?=.)|\s*\n\s*|(?<=\d)[.]\s+(?=(?:" + "|".join(
        w.capitalize() for w in sorted(_SUBJECTS) if w.isascii()
    ) + r")\s)|;\s*"
)  # fmt: skip
_ASIDES: Final = (
    re.compile(r"\s*[(\[](?P<aside>[^()\[\]]+)[)\]](?P<rest>)"),
    re.compile(r"\s[–—-]\s(?P<aside>[^–—]+?)(?:\s[–—-](?=\s)|(?P<rest>[.!]?)\s*$)"),
    re.compile(
        rf",\s+(?P<aside>(?:(?:{_PREPOSITION})\s+)?(?:{_RELATIVE})\s[^,;()]+?)(?:,|(?P<rest>[.!]?)\s*$)", re.IGNORECASE
    ),
    re.compile(r",\s+(?P<aside>[^,;()]+),(?P<rest>)(?=\s)"),
)
_WHICH: Final = re.compile(r"(?<!,)\s(?:who|which|qui|that(?=\s(?:is|are|was|has|have)\b))\s", re.IGNORECASE)
_JOINT: Final = re.compile(rf",?\s+(?:{_JOINTS})\s+|,\s+", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W\d_]+)*")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def clauses(text: str) -> list[str]:
    """What a text states, one clause each; the text alone where it states one thing.

    >>> clauses("Maya works as a biologist and is on holiday until Friday.")
    ['Maya works as a biologist', 'is on holiday until Friday.']
    """
    parts, start = [], 0
    for mark in [*_SENTENCE.finditer(text), None]:
        stop = len(text) if mark is None else mark.end()
        part = text[start:stop].strip()
        if part and _says(part):
            parts.append(part)
            start = stop
        elif mark is None and part and parts:
            parts[-1] = f"{parts[-1]} {part}"
        elif mark is None:
            parts.append(text[start:])
    return [clause for part in parts for clause in _clauses(part)]


def _clauses(sentence: str) -> list[str]:
    for law in _ASIDES:
        for found in law.finditer(sentence):
            rest = sentence[: found.start()] + (found["rest"] or "") + sentence[found.end() :]
            if _has_verb(rest) and _own(found["aside"]):
                return [*_clauses(rest), found["aside"].strip()]
    which = _WHICH.search(sentence)
    if which is not None:
        before, behind = sentence[: which.start()], sentence[which.end() :]
        verbs = [word for word in _WORD.finditer(behind) if word[0].lower() in _FINITE]
        if _has_verb(before) or len(verbs) < 2:
            return [before, behind]
        # "the key that is red hangs here": which one, and then what is said of it
        return _clauses(f"{before} {behind[verbs[1].start() :]}")
    words = _words(sentence)
    if words[:1] and (words[0] in UNTIL or words[0] in _SUBORDINATE):
        return [sentence]
    for joint in _JOINT.finditer(sentence):
        left, right = sentence[: joint.start()], sentence[joint.end() :]
        first = _words(right)[:1]
        if not first or first[0] in _SUBORDINATE:
            continue
        if joint[0].strip() == ",":
            apart = first[0] in _SUBJECTS and _has_verb(left) and _has_verb(right)
        else:
            apart = first[0] in _FINITE or ((first[0] in _ALONE or _has_verb(left)) and _has_verb(right))
        if apart and len(_words(left)) > 1 + (first[0] in _ALONE):
            return [left, *_clauses(right)]
    return [sentence]


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def _says(sentence: str) -> bool:
    """Whether a sentence says something, be it without a verb."""
    long = 2 - (":" in sentence.rstrip()[:-1])
    return len(_WORD.findall(sentence)) > long or _has_verb(sentence) or len(_CJK.findall(sentence)) > 3


def _has_verb(text: str) -> bool:
    raw = _WORD.findall(text)
    words = [word.lower().replace("’", "'") for word in raw]
    if any(word in _VERBS or word.startswith(_ELIDED) for word in words[1:]):
        return True
    named = len(raw) > 1 and raw[0][:1].isupper() and words[0] not in _SUBJECTS
    at = 2 if len(raw) > 2 and raw[1][:1].isupper() else 1
    return named and raw[at][:1].islower() and words[at] not in UNTIL and _NAMES_VERB.match(words[at]) is not None


def _own(aside: str) -> bool:
    """Whether an aside states something of its own, rather than how long what it stands in holds."""
    words = _words(aside)
    until = next((i for i, word in enumerate(words) if word in UNTIL), None)
    if until is not None:
        last = [] if words[until] not in _VERB_LAST or _WORD.findall(aside)[-1][:1].isupper() else words[-1:]
        return any(word not in _VALID and not word.isdigit() for word in (*words[:until], *last))
    return words[:1] != [] and not set(words) & {"expires", "expiring", "ends"} and _has_verb(aside)
