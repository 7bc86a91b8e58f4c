"""The verbs of a statement, and whether it tells of what was: "lived in Rome", "was the head of"; not "has lived".

>>> "lives" in VERBS, "lovely" in VERBS
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scrubjay.wordlist import word_set

PLACES: Final = word_set(
    "in on at under near behind inside outside above below beside upstairs downstairs im am auf dans en à nella"
)
HAVING: Final = word_set("ha has have had hat hab habe haben a ont ai tiene tengo tien ho tem tenho")
COUNTING: Final = word_set(
    "a an the no two three four five six seven many several some ein eine einen zwei drei vier un une des deux trois"
    " una dos tres uno due tre um uma dois"
)
VERBS: Final = word_set(
    "is are was were has have had lives live lived works work worked serves serve served plays play played owns own "
    "owned belongs belong represents represent reaches reach ends end starts start costs cost runs run ran uses use "
    "used prefers prefer likes like loves love hates hate dislikes dislike enjoys enjoy wants want needs need moved "
    "moves became becomes got gets takes take took meets meet met drives drive speaks speak studies study knows know "
    "married owes leads lead manages manage reports report sits sit stays stay opens open closes close expires expire "
    "points point listens listen ships ship deploys deploy targets target stands stand equals equal sells sell eats "
    "eat drinks drink wakes wake goes go went goes weighs measures begins begin happens happen handles handle "
    "covers cover will can "
    "ist sind bin hat habe haben hatte wohnt wohne lebt lebe arbeitet arbeite fährt isst mag spricht spielt heißt "
    "kostet findet beginnt leitet wurde est sont suis ai habite vit travaille mange parle joue préfère utilise "
    "commence dirige coûte s'est está estoy vive vivo trabaja trabajo tiene tengo come habla prefiere usa empieza "
    "cuesta se ahora è é ha abita lavora mora trabalha 是 住 在 搬 换 有 叫 は "
    "benutzen benutze nutzen nutze verwenden verwende utilisons usamos usiamo mudou mudou-se "
    "should must does do did keeps keep changed switched joined left remains holds hold supports support "
    "tracks hosts returns accepts requires allows contains includes dejó quitté lasciato deixou läuft endet kostete "
    "comes calls said says feels feel thinks think"
)
_WAS: Final = word_set("was were war waren était étaient era eran fue era erano foi")
DID: Final = word_set(
    "lived worked resided had played led managed owned studied drove headed chaired coached taught rented served ran "
    "lebte wohnte arbeitete hatte leitete studierte spielte habitait vivait travaillait avait dirigeait "
    "fuhr trank sprach aß "
    "étudiait jouait vivía vivió trabajaba trabajó tenía dirigía abitava viveva lavorava aveva dirigeva "
    "morava trabalhava"
)
_PERFECT: Final = HAVING | word_set("been has've i've we've they've you've be is are")
_AFTER_WAS: Final = (
    PLACES | COUNTING | word_set("his her their our my der die das la le les el il lo chez bei at with from")
)


def past(words: Sequence[str], capital: Sequence[bool]) -> bool:
    """Whether words in lower case tell of what was; `capital` says which have one. The first verb that is known tells.

    >>> past(["ada", "lived", "abroad"], (True, False, False)), past(["ada", "has", "lived"], (True, False, False))
    (True, False)
    """
    for i, word in enumerate(words[1:8], 1):
        if word in _WAS:
            return i + 1 < len(words) and (words[i + 1] in _AFTER_WAS or capital[i + 1])
        if word in DID:
            return words[i - 1] not in _PERFECT
        if word in VERBS:
            return False
    return False
