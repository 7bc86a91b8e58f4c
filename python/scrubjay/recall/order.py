"""Which one of a series a question asks for: the newest, the one before it, or the first.

"When was the last backup?" is answered by every backup alike as far as words and vectors go; "last" says which of them
is meant. Such a word is an order word where it stands before what it orders ("the last backup", "when did Ada last
call?"), and none where it is part of a time ("last week"), of a fixed phrase ("last name", "first aid"), or a verb
("how long does it last?"). English, German, French, Spanish, Italian and Portuguese.

>>> order_of("When was the last backup?"), order_of("What was Ada's previous address?"), order_of("her first job?")
('newest', 'previous', 'first')
>>> order_of("What is Ada's last name?"), order_of("What did she eat last week?"), order_of("How long does it last?")
(None, None, None)
"""

from __future__ import annotations

import re
from typing import Final, Literal

from scrubjay.wordlist import word_set

Order = Literal["newest", "previous", "first"]

_WORDS: Final[dict[Order, frozenset[str]]] = {
    "newest": word_set(
        "last latest newest letzte letzter letztes letzten letztem neueste neuester neuestes neuesten neueste neuste"
        " neuster neustes neusten zuletzt dernier dernière derniers dernières último última últimos últimas ultimo"
        " ultima ultimi ultime"
    ),
    "previous": word_set(
        "previous previously former formerly prior penultimate vorige voriger voriges vorigen"
        " vorherige vorheriger vorheriges vorherigen"
        " frühere früherer früheres früheren vorletzte vorletzter vorletztes vorletzten vorher zuvor précédent"
        " précédente avant-dernier avant-dernière anterior precedente penúltimo penúltima penultimo penultima"
    ),
    "first": word_set(
        "first earliest erste erster erstes ersten erstem früheste frühester frühestes frühesten premier première"
        " primer primero primera primo prima primeiro primeira"
    ),
}
"""Words by what they ask for."""
ORDERING: Final = frozenset().union(*_WORDS.values())
"""All of them."""
_PHRASES: Final[dict[str, str]] = {
    r"(?:the )?most recent(?:ly)?|(?:plus|le plus) récente?s?|más recientes?|più recent[ei]|mais recentes?": "latest",
    r"(?:the )?(?:last but one|second to last|second last|next to last)": "previous",
}
"""What several words say, by the one that says as much."""
_AFTER: Final = word_set("dernier dernière précédent précédente anterior precedente latest")
"""Those that may follow what they order: "l'adresse précédente"."""
_ADVERBS: Final = word_set("zuletzt previously formerly vorher zuvor")
"""Those that stand anywhere."""

TIMES: Final = word_set(
    "second seconds minute minutes hour hours day days night nights morning evening afternoon weekend week weeks month"
    " months quarter year years term semester season summer winter spring autumn fall century decade monday tuesday"
    " wednesday thursday friday saturday sunday january february march april may june july august september october"
    " november december christmas easter sekunde sekunden stunde stunden tag tage tagen nacht abend morgen woche wochen"
    " monat monate monaten jahr jahre jahren sommer winter herbst frühling frühjahr wochenende montag dienstag mittwoch"
    " donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember"
    " heure heures jour jours nuit soir matin semaine semaines mois an ans année années été hiver printemps automne"
    " lundi mardi mercredi jeudi vendredi samedi dimanche"
    " hora horas día días noche tarde mañana semana semanas mes meses año años verano invierno primavera otoño lunes"
    " martes miércoles jueves viernes sábado domingo"
    " ora ore giorno giorni notte sera settimana settimane mese mesi anno anni estate inverno"
    " dia dias noite manhã mês ano anos verão"
)
"""What is no thing of a series but a time."""
_FIXED: Final[dict[Order, frozenset[str]]] = {
    "newest": word_set(
        "name names digit digits page straw resort will wish wishes word words row place possible thing but longer"
        " hurrah laugh supper rites post stand piso plazo piano andar étage willen"
    ),
    "previous": word_set("to notice experience knowledge permission approval consent warning art"),
    "first": word_set(
        "name names digit digits aid aider floor floors class lady language thing things place prize responder half"
        " glance sight light hand person minister author gear degree edition principles step row impression hilfe stock"
        " stocks klasse linie stelle weltkrieg hand étage secours ministre classe degré piso planta auxilios ministro"
        " plazo clase lugar piano soccorso classe che di andar socorros lugar"
    ),
}
"""What makes a fixed phrase with the order word before it."""
_STOPS: Final = word_set(
    "a an the this that these those of in on at to for from by with and or as is are was were i you he she we they it"
    " me him her us them if when while until till after before than then more less about into over under out up down so"
    " very only just too two three four five six seven eight nine ten few several couple some many der die das dem den"
    " und oder in im am auf von zu mit bei für nach bis le la les un une du de des et à pour el los las en y con para"
    " il lo gli e o os no na do da por per con"
)
"""Behind these an order word orders nothing; "the last three" asks for several."""
_PLACES: Final = word_set("at in on with to by")
"""Behind these it does where "when" is asked: "when was Ada first in Rome?"."""
_NOT_BEHIND: Final = word_set("at least por au en")
_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_GENITIVE: Final = re.compile(r"(?:^[ldLD]|\b[Qq]u)['’]|['’]s$")


_SHORTER: Final = tuple((re.compile(rf"\b(?:{long})\b", re.IGNORECASE), short) for long, short in _PHRASES.items())


def order_of(text: str) -> Order | None:
    """Which of a series a question asks for; None where it asks for none of one."""
    for long, short in _SHORTER:
        text = long.sub(short, text)
    words = [_GENITIVE.sub("", word.casefold()) for word in _WORD.findall(text)]
    return next(
        (
            order
            for i, word in enumerate(words)
            for order in _WORDS
            if word in _WORDS[order] and _orders(words, i, order)
        ),
        None,
    )


def _orders(words: list[str], i: int, order: Order) -> bool:
    """Whether the order word at place i orders what stands beside it."""
    before, after = words[i - 1] if i else "", words[i + 1] if i + 1 < len(words) else ""
    if words[i] in _ADVERBS:
        return True
    if words[i] in _AFTER and before and before not in _STOPS:
        return before not in TIMES
    if words[0] == "when" and words[i] in ("first", "last") and after in _PLACES and before not in _STOPS:
        return True
    if not after or after in _STOPS or after in _FIXED[order] or after.isdigit() or before in _NOT_BEHIND:
        return False
    return after not in TIMES
