"""What a text states, without who says so and without what people begin and end with.

How long a statement holds does not depend on who passed it on, nor on since when it does, nor on capitals (what is
written in nothing else is read in ordinary case): a greeting, a speaker's label ("user:", "[Ana]", and before a whole
sentence "Ana:"), a report ("I heard from Ana that", "wie Ben sagte,", "selon Marc,"), a parting ("Thanks!",
", said Ana") and news of a beginning ("since today", "depuis hier,") are not looked at. The law of a report: at most
`_REACH` words, the last of them a verb of saying or hearing or to whom it is said and from whom it is heard, none
that denies, asks or doubts, and then the word for "that", or a comma behind "as" or "according to". Where that word
is left out ("Ana says the room is taken"), what follows must have a verb of its own. Nor are the wrappings of programs
(an object of JSON with one text, bold type, the time of a message), a question of courtesy behind it, and instructions
behind what is so, where they have no time of their own ("Ask before ordering cake."), and when what has happened did so
(`scrubjay.encode.happened`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from scrubjay.calendar import MONTHS, NAMED_DAYS, WEEKDAYS
from scrubjay.encode.happened import SIGNS as DATES
from scrubjay.encode.happened import without_date
from scrubjay.encode.normal import ordinary_case
from scrubjay.encode.tellings import BEING
from scrubjay.encode.wrappings import MARKS, OPENING, SIGNS, lead, unwrapped, without_aside
from scrubjay.wordlist import word_set

_REPORTS: Final = word_set(
    "say says said saying tell tells told mention mentions mentioned hear heard report reports reported write writes"
    " wrote written confirm confirms confirmed announce announces announced explain explains explained claim claims"
    " claimed state states stated note notes noted add adds added learn learned learnt inform informs informed"
    " remind reminds reminded warn warns warned repeat repeats repeated gather gathered"
    " sagt sagte gesagt sagten erzählt erzählte meint meinte erwähnt erwähnte gehört hörte höre berichtet berichtete"
    " schreibt schrieb geschrieben bestätigt bestätigte mitgeteilt erklärt erklärte erfahren gelesen"
    " dit disait disent raconté raconte mentionné mentionne entendu signalé signale écrit confirmé confirme annoncé"
    " annonce expliqué explique précisé précise appris lu rappelé rappelle"
    " dice dijo dicho dicen contó contado cuenta mencionó mencionado menciona oí oído escuché escribió escrito confirmó"
    " confirmado confirma explicó explica comentó comenta avisó informó leí"
    " disse detto dicono raccontato racconta menzionato menziona accennato sentito scritto confermato conferma spiegato"
    " spiega riferito letto saputo"
    " diz dito dizem contou conta mencionou menciona ouvi escreveu confirmou explicou avisou informou comentou falou"
    " soube li"
)
_ASIDE: Final = word_set("as like wie comme como come")
_DOUBTS: Final = word_set(
    "not never nobody none no if whether when who what why how did does do don't didn't doesn't cannot can't should"
    " must nicht nie niemand kein keine wenn ob wer pas jamais personne si nunca nadie non mai nessuno se não ninguém"
)
_OWN_VERB: Final = BEING | word_set("has have had can can't isn't aren't was were does doesn't must should needs wants")
_ARTICLES: Final = word_set(
    "the a an this my your our his her their some der die das ein eine mein meine le la les un une mon ma ce el los las"
    " una mi su il lo gli uno o os as um uma meu minha"
)
_TOWARDS: Final = word_set("from by to through via at in von vom zu durch de du par à da do dal por di para")
_JOINS: Final = word_set("and or but und oder et ou y e")
_REACH: Final = 9
"""Most words of a report (chosen)."""
_LABELLED: Final = 40
"""Characters within which a speaker's label must end (chosen)."""
_FAR: Final = 120
"""Characters within which a report must end (chosen)."""
_HINTS: Final = _REPORTS | {f"{word}," for word in _REPORTS}
"""Where none of these stands no report is looked for: most texts are none, and this is cheap."""

_SENTENCES: Final = re.compile(r"(?<=[.!])(?<!\b\w\.)(?<!\b[DSM][rt]\.)(?<!\bMrs\.)(?<!\bProf\.)\s+(?=[A-ZÀ-Þ])")
_DOING: Final = word_set(
    "ask avoid bring call check confirm consider contact do don't ensure follow give handle include inform keep let"
    " look make mention never note offer order prefer read remember remind respect see send serve speak suggest take"
    " talk tell treat try use verify watch write bitte frag vermeide evite évitez demandez pregunta chiedi"
)
"""What an instruction begins with."""
_TIMED: Final = (
    MONTHS.keys()
    | WEEKDAYS.keys()
    | NAMED_DAYS.keys()
    | word_set("until till now soon next this tonight later in within hour hours minute minutes day days week weeks")
)
"""An instruction that has one of these is of its own time."""
_GREETING: Final = re.compile(
    r"\W*(?:(?:fyi|btw|nb|ps|psa|note(?: to self)?|reminder|update|memo|hi|hey|hello|hallo|hola|bonjour|ciao|ok|okay"
    r"|so|oh|well|also|anyway|by the way|just so you know|for your information|heads[- ]up"
    r"|(?:good )?(?:morning|afternoon|evening|night)|thanks|thank you)"
    r"(?: (?:there|all|everyone|team))?\s*[,:;!.]+\s*|(?:fyi|btw) )+(?=\S)",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"\s*(?:(?i:user|assistant|human|ai|agent|customer|client|bot|speaker(?: \w)?|benutzer|nutzer|utilisateur|usuario"
    r"|utente|usuário)\s*[:>]\s*|[\[<(](?:[^\W\d_][\w'’.-]*)(?: [^\W\d_][\w'’.-]*)?[\]>)]:?\s+)(?=\S)"
)
_SPEAKER: Final = re.compile(
    r"\s*\*{0,2}(?P<name>[^\W\d_]+)(?:\*\*)?(?: [(\[]\d\d?:\d\d(?::\d\d)?[)\]])?:(?:\*\*)?\s+(?=[^\W_])"
)
_HEADINGS: Final = (
    MONTHS.keys()
    | WEEKDAYS.keys()
    | NAMED_DAYS.keys()
    | word_set(
        "status rent update note warning caution notice important urgent todo task plan decision reason result summary"
        " address phone email password code price cost budget deadline date time place location room weather diet"
        " allergy allergies hobby job role owner version title subject topic fact question answer problem issue bug"
        " fix error context info hint tip rule goal name age password reminder attention danger achtung hinweis wichtig"
        " frage antwort adresse preis miete statut prix adresse remarque attention estado precio nota aviso prezzo"
    )
)
"""Words before a colon that name no speaker."""
_SPEAKERS_OWN: Final = word_set(
    "i we he she they it i'm we're he's she's they're it's i've we've ich wir er sie es je nous"
)
_STAMPED: Final = re.compile(
    r"\s*[\[(]\d{4}-\d\d-\d\d(?:[T ,]+\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?[\])]:?\s+(?=\S)"
)
"""When a message was sent, in brackets before it."""
_FRAME: Final = re.compile(
    r"\s*(?:(?:(?:the )?(?:customer|client|user|caller|patient|agent|assistant) (?:said|says|wrote|writes|reported)"
    r"|(?:tool|function|search)[_ ](?:result|output|response)|observation|memory|fact)\s*:\s+"
    r"|(?:please )?(?:remember|keep in mind|bear in mind|don't forget|note) that\s+"
    r"|it (?:turns|turned) out that\s+|(?:it seems|it looks like|apparently),?\s+that\s+)(?=\S)",
    re.IGNORECASE,
)
"""What a program or a speaker puts before what is so."""
_ASKED_BEHIND: Final = re.compile(
    r"(?<=[.!])\s+(?:(?:anyway|so|and|hey|well|by the way|btw),?\s+)*(?:how are (?:you|things)|how (?:is|was) your \w+"
    r"|how's it going|how about you|and you|what about you|what's up|what do you think|do you know what i mean|you know"
    r"|right|okay|ok|make sense|does that make sense|any (?:questions|thoughts|ideas)|can you (?:remember|note) that"
    r")(?: (?:today|doing|doing today|all|guys))?\s*\?\s*$",
    re.IGNORECASE,
)
"""A question of courtesy, which asks for nothing of what is said."""
_PARTING: Final = re.compile(
    r"(?<=[.!?,;:)])\s+(?:(?:many )?thanks|thank you|cheers|best|(?:kind )?regards|fyi|btw|ps|bye|see you|ok|okay"
    r"|just (?:so you know|saying|in case)|hope (?:that|this) helps|let me know|got it|noted|take care|talk soon"
    r"|(?:please )?(?:remember|note|keep) (?:that|this|it)(?: in mind)?|have a (?:nice|good|great) (?:day|one|week)"
    r"|danke|vielen dank|merci|gracias|:-?\)|lol|haha)(?:,? [^\W\d_]+){0,3}\s*[.!?:)]*\s*$",
    re.IGNORECASE,
)
_THAT: Final = re.compile(r",?\s+(?:that|dass|daß|que|che)\s+|,?\s+qu['’]", re.IGNORECASE)
_SOURCE: Final = r"(?:according to|as per|laut|selon|d['’]après|según|secondo|segundo|de acordo com|nach angaben von)"
_ACCORDING: Final = re.compile(_SOURCE + r"(?:\s+[\w'’.-]+){1,4}\s*,\s+", re.IGNORECASE)
_BEHIND: Final = re.compile(r",\s+((?:[\w'’-]+\s+){0,4}[\w'’-]+)\s*([.!]?)\s*$")
_SOURCE_BEHIND: Final = re.compile(_SOURCE + r"\s", re.IGNORECASE)
_OPENING: Final = OPENING | word_set(
    "remember please keep bear don't it apparently the tool function search observation memory fact caller patient"
    " fyi btw nb ps psa note reminder update memo hi hey hello hallo hola bonjour ciao ok okay so oh well also anyway"
    " by just for heads good morning afternoon evening night thanks thank user assistant human ai agent customer client"
    " bot speaker benutzer nutzer utilisateur usuario utente usuário ! ? $ € £ ¥ %"
)
"""First words of `_GREETING`, `_LABEL` and words by the way, and the marks that may stand before them."""
_LEADS: Final = word_set(
    "since seit ab depuis dès desde partir partire sinds vanaf starting effective beginning from as da"
)
"""What news of a beginning begin with; where none stands they are not looked for."""
_NEWS: Final = word_set(
    "since seit ab depuis dès desde partir sinds vanaf starting effective beginning today now oggi ieri stamattina"
)
"""Words of which news of a beginning have one."""
_SIGNS: Final = (
    _REPORTS
    | _NEWS
    | {f"{elided}{mark}{word}" for elided in ("m", "t", "l", "s", "n", "d", "qu") for mark in "'’" for word in _REPORTS}
    | word_set(
        "according per laut selon d'après d’après según secondo segundo acordo angaben : thanks thank cheers best"
        " regards fyi btw ps bye see ok okay just hope let got noted care talk remember note keep nice good great danke"
        " dank merci gracias lol haha"
    )
    | SIGNS
    | DATES
)
"""Words of which each report, source and parting has one; ":" begins a smiley."""
_MARKED: Final = MARKS | frozenset("[<(")
"""What wrappings begin with."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_TOLD_AT: Final = word_set(
    "this morning afternoon evening night today yesterday tonight earlier just now again recently last week"
    " heute gestern früh morgen abend vorhin gerade eben neulich"
    " ce matin hier soir aujourd'hui esta mañana hoy ayer noche stamattina oggi ieri sera hoje ontem manhã"
)
"""When it was said."""
_SUBJECT: Final = (
    r"(?:the|my|our|his|her|its|their|this|he|she|it|they|we|i|le|la|les|mon|ma|notre|nos|son|sa|il|elle|je|nous|el|los"
    r"|las|mi|nuestro|nuestra|su|lo|gli|mio|mia|nostro|nostra|suo|sua|o|os|as|a|meu|minha|nosso|nossa|(?-i:[A-ZÀ-Þ])[\w'’]+)"
    r"[\s'’]|l['’]"
)
_DAY: Final = (
    r"(?:today|yesterday|tonight|now|recently|(?:early |earlier )?(?:this|last) (?:morning|afternoon|evening|week)"
    r"|(?:this|last) month|heute(?: früh| morgen)?|gestern|kurzem|sofort|jetzt|(?:dieser|letzter|voriger) woche"
    r"|diesem monat|aujourd['’]hui|hier(?: soir)?|ce matin|ce mois(?:-ci)?|(?:cette semaine|la semaine dernière)|peu"
    r"|hoy|ayer|anoche|esta (?:mañana|semana|tarde)|este mes|la semana pasada|hace poco"
    r"|oggi|ieri|stamattina|questa (?:mattina|settimana)|questo mese|poco"
    r"|hoje|ontem|esta manhã|vandaag|gisteren|vanmorgen|deze week)(?: on(?:wards)?| an)?"
)
_SINCE: Final = (
    rf"(?:(?:since|effective|beginning|starting|seit|ab|depuis|dès|à partir d(?:e |['’])|a partire? (?:de|da)|desde"
    rf"|sinds|vanaf) ?{_DAY}|(?:from|as of|as from) (?:today|now)(?: on(?:wards)?)?|da (?:oggi|ieri|stamattina))\b"
)
_BEGAN: Final = re.compile(rf"{_SINCE}(?:,\s+(?=\S)|\s+(?={_SUBJECT}))", re.IGNORECASE)
_BEGAN_BEHIND: Final = re.compile(
    rf",?\s+(?:{_SINCE}\s*(?=[.!]?\s*$)|(?:seit|sinds|depuis|desde) {_DAY}(?=\s))", re.IGNORECASE
)
_INVERTED: Final = re.compile(
    rf"(?i:(?:seit|ab|sinds|vanaf) {_DAY})\s+(?P<verb>[a-zäöüß]+)\s+"
    r"(?P<who>(?:(?:der|die|das|mein|meine|unser|unsere|de|het|mijn|ons|onze)\s+)?"
    r"[A-ZÄÖÜ][\w-]*|er|sie|es|wir|ich|hij|zij|we|ik)\s+(?=\S)"
)
"""Where the verb comes before its subject behind what stands first."""
_BARE: Final = re.compile(
    r"[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,3} (?:says?|said|mentioned|reports|confirmed"
    r"|(?:tells|told|informed|reminded) (?:me|us|him|her|them|you|everyone))\s*[,:]?\s+(?=\S)"
)


def statement(text: str) -> str:
    """The statement in a text, with a capital where something before it is left out; the text itself where nothing is.

    >>> statement("user: I heard from Ana that the room is 4.12. Thanks!")
    'The room is 4.12.'
    >>> statement("Ben hat mir gesagt, dass das Büro zu ist."), statement("Nobody said that it is open.")
    ('Das Büro zu ist.', 'Nobody said that it is open.')
    >>> statement("Since today, the office is in room 4."), statement("Seit heute ist das Büro in Raum 4.")
    ('The office is in room 4.', 'Das Büro ist in Raum 4.')
    >>> statement("THE LIFT IS BROKEN"), statement("Ana: Tom has a cold."), statement("Rent: 1,150")
    ('The lift is broken', 'Tom has a cold.', 'Rent: 1,150')
    >>> statement("Tom is allergic to nuts. Ask before ordering cake."), statement('{"fact": "It rains."}')
    ('Tom is allergic to nuts.', 'It rains.')
    """
    plain = ordinary_case(text)
    rest = ordinary_case(unwrapped(text))
    heard = not _HINTS.isdisjoint(rest[:_FAR].lower().split())
    while True:
        start = _start(rest, heard)
        inside = unwrapped(rest[start:])
        if len(inside) == len(rest):
            break
        rest = inside
    rest = without_aside(rest)
    for law in (_ASKED_BEHIND, _PARTING):
        parted = law.search(rest)
        if parted is not None:
            rest = _ended(rest[: parted.start()], parted[0])
    rest = _uninstructed(rest)
    if ", " in rest:
        behind = _BEHIND.search(rest)
        if behind is not None and (_SOURCE_BEHIND.match(behind[1]) or _reports(behind[1], behind=True)):
            rest = rest[: behind.start()] + behind[2]
    if not _LEADS.isdisjoint(rest.lower().split()):
        rest = _undated(rest)
    if not DATES.isdisjoint(_WORD.findall(rest.lower())):
        rest = without_date(rest)
    rest = ordinary_case(rest)
    return plain if rest == plain or len(rest.strip()) == 0 else rest[:1].upper() + rest[1:]


def _ended(text: str, parting: str) -> str:
    """A text that ends in a comma before what was left out, with the mark behind that."""
    return text[:-1] + "." * (parting.rstrip()[-1:] in (".", "!")) if text[-1:] in (",", ";") else text


def _uninstructed(text: str) -> str:
    """A statement without the instructions behind it that have no time of their own: "Ask before ordering cake.".

    An instruction is a sentence that begins with a verb of doing; a text of instructions alone is left as it is.
    """
    if ". " not in text and "! " not in text:
        return text
    whole = text
    found = [0, *(gap.end() for gap in _SENTENCES.finditer(text))]
    while len(found) > 1 and _instructs(text[found[-1] :]):
        text = text[: found.pop()].rstrip()
    return text if len(found) > 1 or not _instructs(text) else whole


def _instructs(sentence: str) -> bool:
    words = _WORD.findall(sentence.lower().replace("’", "'"))
    if words[:1] == ["please"] or words[:1] == ["always"] or words[:1] == ["bitte"]:
        words = words[1:]
    timed = not _TIMED.isdisjoint(words) or any(c.isdigit() for c in sentence)
    return len(words) > 1 and words[0] in _DOING and words[1] not in _OWN_VERB and not timed


def _undated(text: str) -> str:
    """A statement without the news that it has just begun."""
    turned = _INVERTED.match(text)
    if turned is not None:
        return f"{turned['who']} {turned['verb']} {text[turned.end() :]}"
    began = _BEGAN_BEHIND.search(text)
    rest = text if began is None else text[: began.start()] + text[began.end() :]
    return rest if len(_WORD.findall(rest)) > 2 else text


def may_state_less(text: str, words: Sequence[str]) -> bool:
    """Whether `statement` may leave something of the text out, by its words and marks in lower case: quick, and false
    only where it leaves nothing out.

    >>> may_state_less("Room 4 is taken.", ["room", "4", "is", "taken"])
    False
    >>> may_state_less("So, room 4 is taken.", ["so", "room", "4", "is", "taken"])
    True
    """
    return (
        not _SIGNS.isdisjoint(words)
        or not words
        or words[0] in _OPENING
        or text.lstrip()[:1] in _MARKED
        or ". " in text
        or "! " in text
        or ":" in text[:_LABELLED]
        or text.isupper()
    )


def _start(text: str, heard: bool) -> int:
    """Where the text goes on behind one thing that says nothing of its own; 0 where it begins with none. `heard`:
    whether it begins with a word that reports."""
    for law in (_STAMPED, _GREETING, _LABEL, _FRAME, _ACCORDING, _BEGAN):
        found = law.match(text)
        if found is not None:
            return found.end()
    if (by_the_way := lead(text)) > 0:
        return by_the_way
    speaker = _SPEAKER.match(text, 0, _LABELLED) if text.find(":", 0, _LABELLED) > 0 else None
    if speaker is not None and _speaks(speaker["name"], text[speaker.end() :]):
        return speaker.end()
    if not heard:
        return 0
    that = _THAT.search(text, 0, _FAR)
    if that is not None and _reports(text[: that.start()]) and len(_WORD.findall(text, that.end())) > 1:
        return that.end()
    comma = text.find(", ", 0, _FAR)
    if comma > 0 and text[: text.find(" ")].lower() in _ASIDE and _reports(text[:comma]):
        return comma + 2
    bare = _BARE.match(text)
    # what is said must have a verb behind its first word: "says the room is taken", not "says hello"
    return bare.end() if bare is not None and _reports(bare[0]) and _has_own_verb(text[bare.end() :]) else 0


def _has_own_verb(text: str) -> bool:
    """Whether a verb stands near behind the first word."""
    return not _OWN_VERB.isdisjoint(_WORD.findall(text[:_FAR].lower())[1:6])


def _speaks(name: str, said: str) -> bool:
    """Whether a word before a colon is a speaker's name: what follows is a whole sentence, and it is no heading."""
    if not name.istitle() or name.lower() in _HEADINGS or not said[:1].isupper():
        return False
    first = _WORD.match(said.lower().replace("’", "'"))
    return _has_own_verb(said) or (first is not None and first[0] in _SPEAKERS_OWN)


def _reports(lead: str, *, behind: bool = False) -> bool:
    """Whether some words report what is said elsewhere, and do not deny or doubt it."""
    words = _WORD.findall(lead.lower().replace("’", "'"))
    if not 1 < len(words) <= _REACH or not _DOUBTS.isdisjoint(words) or (behind and not _JOINS.isdisjoint(words)):
        return False
    at = max((i for i, word in enumerate(words) if word.rpartition("'")[2] in _REPORTS), default=-1)
    if at < 0 or (at > 0 and words[at - 1] in _ARTICLES):
        return False
    after = [word for word in words[at + 1 :] if word not in _TOLD_AT]
    most = 2 if words[0] in _ASIDE or (behind and at == 0) else 1
    return len(after) <= most or (after[0] in _TOWARDS and len(after) <= 4)
