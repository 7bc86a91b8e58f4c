"""Cheap features of a text that say how long such a statement tends to hold: what the words, not the names, reveal.

One pass of one tokeniser and one dictionary lookup per word: word classes (time words, tense, roles, states, ...), the
form of numbers (version, date, year, clock time, money, percent) and the shape of the sentence. Nothing here knows an
embedder, so a head on these features alone serves any embedder.

>>> x = features(["The latest release is 3.4.1.", "Lena was born in 1988."])
>>> x.shape == (2, len(NAMES))
True
>>> bool(x[0, NAMES.index("version")]), bool(x[1, NAMES.index("past")])
(True, True)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import log1p
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.said import may_state_less, statement
from scrubjay.wordlist import word_set

_CLASSES: Final[dict[str, str]] = {
    "moment": "currently right moment immediately minute minutes hour hours soon still already meanwhile just",
    "day": "today tonight tomorrow yesterday morning afternoon evening noon lunch midnight tonight's",
    "week": "week weekend weekly sprint monday tuesday wednesday thursday friday saturday sunday days",
    "month": "month months monthly january february march april may june july august september october november"
    " december quarter semester season",
    "year": "year years annual yearly annually decade",
    "latest": "latest newest current recent newest actual",
    "always": "always never every each forever permanently permanent lifelong general",
    "present": "is are am isn't aren't i'm it's we're they're",
    "past": "was were had did wasn't weren't didn't became",
    "future": "will shall going plan plans planned planning wants want hope hopes intend next upcoming i'll we'll"
    " scheduled should must",
    "perfect": "has have been hasn't haven't i've we've",
    "negation": "not no never none nobody nothing without isn't aren't don't doesn't can't cannot won't didn't wasn't",
    "ended": "longer former formerly ex used discontinued closed deprecated retired vacant previously ago",
    "until": "until till by due deadline before expires expiry ends end reaches valid runs",
    "support": "support supported maintenance updates eol life warranty",
    "release": "release releases released version build patch stable beta tag firmware edition upgrade snapshot",
    "software": "server database api app software compiler browser framework library code sdk kernel package repo"
    " repository driver plugin docker",
    "work_state": "deploy deploying deployed migration branch merge pull ticket bug issue task todo incident outage"
    " staging production pipeline ci test tests failing blocked prototype",
    "state": "open running pending down up broken stuck late full empty red green ready waiting processing on off"
    " progress delayed",
    "session": "session conversation cursor step line clipboard temporary temporarily here this",
    "role": "president minister chancellor mayor governor chairman chairwoman chairperson chair secretary director"
    " manager head chief ceo cfo cto captain coach trainer editor rector dean principal commissioner spokesperson"
    " leader lead ambassador envoy judge justice speaker commander king queen",
    "politics": "committee subcommittee senator senate parliament congress house council seat district constituency"
    " party caucus ministry government democrat republican elected cabinet delegation ranking board",
    "serves": "serves serve sits chairs leads holds represents member belongs belong affiliated joined commands",
    "office": "office room suite building floor desk hall tower",
    "contact": "phone telephone fax email mail website url www address number",
    "home": "lives live living resides residence home house flat apartment moved rents rent stays staying",
    "work": "works work employed employer job employee staff engineer nurse teacher professor lecturer researcher"
    " company firm employs teaches",
    "study": "student studies degree school university college class course semester pupil grade exam",
    "family": "married wife husband spouse father mother brother sister son daughter children child parents uncle aunt"
    " cousin divorced widow wed",
    "couple": "dating girlfriend boyfriend engaged fiance fiancee relationship partner",
    "sport": "plays play player goalkeeper striker midfielder defender fc club team league season match game"
    " champion championship squad loan coach",
    "own": "owns own owned owner belongs property bought subsidiary parent holding acquired stake",
    "money": "price costs cost dollars dollar euros euro usd eur budget salary fee paid rate earns pay share revenue",
    "count": "population inhabitants members employees people million billion thousand percent downloads stars"
    " followers ranked rank temperature degrees level",
    "like": "like likes love loves prefer prefers preferred favourite favorite hate hates enjoy enjoys dislike dislikes"
    " fond into",
    "health": "allergic allergy diabetes asthma blood blind deaf disease chronic vegetarian vegan intolerant",
    "ill": "sick cold fever headache pain hurts tired cough flu broke slept stressed nervous angry happy sad mood"
    " hungry upset",
    "procedure": "how first then steps step procedure process workflow recipe guide press click install configure"
    " follow whenever after mix hold button",
    "rule": "policy rule rules law requires required allowed convention default standard minimum maximum limit",
    "place": "located capital river mountain lake island border north south east west continent sea coast region",
    "lifelong": "allergic allergy intolerant born birthplace birthday native tongue bilingual blood diabetes"
    " asthma coeliac"
    " celiac epilepsy blind deaf handed twin twins sibling siblings"
    " orphan adopted descent ancestry roots degree diploma doctorate phd bachelor's master's bachelor master thesis"
    " alumna alumnus graduated studied eyes freckles dyslexia dyslexic autistic haemophilia grew raised emigrated",
    "craving": "hungry thirsty sleepy freezing dizzy nauseous sweating shivering exhausted starving yawning"
    " awake asleep"
    " bored impatient grumpy upset nervous late lost stuck busy drunk tipsy crying laughing smiling hot cold",
    "birth": "born birthday died death birth founded invented discovered wrote written composed built established"
    " graduated won award awarded designed signed named",
    "nature": "planet chemical species atom molecule energy cell element physics equation theorem speed light mammal"
    " language means word called defined",
    "happened": "arose ate beat began bent bit blew bought broke brought built burnt came caught chose clung"
    " crept dealt drank dreamt drew drove dug fed fell felt flew forbade forgave forgot fought found"
    " fled froze gave got grew heard held hid hung kept knelt knew laid learnt led lent lit lost made"
    " meant met overcame paid proved ran rang rode rose said sang sank sat saw sent shook shone shot"
    " slept slid sold sought spent spoke spoilt sprang stole stood struck stuck sung swam swept swore"
    " swung taught tore thought threw told took undertook understood went withdrew woke won wore wove"
    " wrote",
    "schooled": "degree degrees diploma doctorate phd mba ba bsc msc md bachelor bachelor's master's masters"
    " thesis alma alumna alumnus graduate graduated majored honours certificate certified licence"
    " license licensed qualified qualification chartered trained apprenticeship",
    "defines": "means denotes definition defined refers describes term word abbreviation acronym synonym equals"
    " contains consists",
    "weather": "weather rain raining snow snowing sunny storm wind cloudy forecast",
    "travel": "flight train bus station airport gate trip holiday vacation visiting hotel booking booked",
    "meeting": "meeting call appointment dinner standup interview workshop conference concert party reservation",
    "schedule": "opens opening closes hours timetable leaves daily mondays tuesdays wednesdays thursdays fridays"
    " saturdays sundays",
    "first_person": "i my me we our us mine i'm i've we're",
    "second_person": "you your yours please thanks hey hello",
    "user": "user assistant customer client",
    "opinion": "think thinks believe believes find feel feels trust guess seems probably maybe perhaps unclear unsure",
    "ask": "what where when who why how which can could",
}  # fmt: skip
"""Word classes: a word may be in several."""

_OTHER_LANGUAGES: Final[dict[str, str]] = {
    "present": "ist sind bin seid est sont suis sommes está están estoy estamos sono siamo è são estão sou soy",
    "past": "war waren wurde wurden hatte était étaient fut fue era estaba fueron nació visitó stato estava foi nasceu",
    "perfect": "hat habe haben ont avons tiene tengo ho abbiamo tem tenho",
    "negation": "nicht kein keine keinen nie pas jamais nunca non não",
    "home": "wohnt wohne wohnen lebt lebe leben habite habitent vit vivent vive vivo viven mora moro abita"
    " abito wohnung"
    " umgezogen déménagé mudó",
    "work": "arbeitet arbeite arbeiten travaille travaillent travail trabaja trabajo trabajan trabalha trabalho lavora"
    " lavoro firma chez",
    "like": "mag mögen liebt liebe bevorzugt lieber aime aiment adore préfère gusta gustan prefiere prefiero piace"
    " preferisce prefere gosta lieblingsessen",
    "meeting": "besprechung treffen termin sitzung réunion reunión riunione reunião rendez-vous cita",
    "office": "raum zimmer büro salle bureau sala oficina ufficio escritório stock étage piso",
    "family": "verheiratet frau mann schwester bruder mutter vater kinder kind tochter sohn marié mariée sœur"
    " frère mère"
    " père enfants casada casado hermana hermano madre padre hijos sorella fratello figli irmã irmão filhos filho",
    "lifelong": "allergisch geboren geburtsort muttersprache blutgruppe linkshänder linkshänderin abschluss"
    " allergique née"
    " né natale maternelle sanguin gauchère gaucher diplôme alérgico alérgica nació natal materna sangre zurdo zurda"
    " título allergico allergica nato nata madrelingua mancino mancina laurea alergia alergico nasceu canhoto canhota"
    " diploma zwilling jumelle jumeau gemelo gemela",
    "craving": "hunger hungrig durst durstig müde friert wach faim soif sommeil froid chaud hambre sed sueño frío calor"
    " fame sete sonno freddo caldo fome sono frio",
    "health": "allergisch vegetarier vegetarierin allergique allergie alérgica alérgico allergico vegetariano fleisch"
    " viande carne alkohol alcool",
    "ill": "krank müde erkältet laune malade fatigué fatiguée enfermo enferma cansado cansada stanco stanca doente",
    "travel": "zug flughafen unterwegs train avion aéroport tren aeropuerto treno aeroporto trem",
    "state": "kaputt geschlossen besetzt panne cassé roto rotta quebrada gesperrt fermé cerrado",
    "birth": "geboren studiert né née étudié estudió nato nata nasceu estudou",
    "role": "leitet leiterin leiter chef chefin dirige directeur directora jefe",
    "study": "schule universität école université universidad escuela scuola università",
    "rule": "muss immer doit toujours debe siempre deve sempre regel règle regla",
    "procedure": "zuerst dann d'abord ensuite primero luego prima poi pour para um",
}
"""The same in other languages."""
_BEGINS: Final = (
    "from_now as_of starting_today starting_this starting_next effective_immediately with_effect ab_sofort"
    " partir_de from_today henceforth désormais künftig nunmehr neuerdings seither fortan ormai"
)
"""Words of news: what has begun holds from now on."""


_TIMES: Final[dict[str, str]] = {
    "this_moment": "right_now just_now as_we momentarily gerade ahora_mismo ahorita"
    " next_hour another_hour next_minutes few_minutes this_minute this_second",
    "for_now": "for_now further_notice the_moment time_being temporarily temporary meanwhile momentan"
    " vorübergehend zurzeit ce_moment"
    " provisoirement momento por_ahora temporalmente temporaneamente temporariamente",
    "this_day": "today tonight this_morning this_afternoon this_evening this_noon heute aujourd'hui hoy oggi hoje"
    " ce_matin ce_soir cet_après-midi esta_noche esta_mañana esta_tarde stasera stamattina",
    "next_day": "tomorrow tomorrow's morgen demain mañana domani amanhã overmorrow",
    "this_week": "this_week this_weekend this_sprint the_week current_week current_sprint diese_woche dieses_wochenende"
    " cette_semaine ce_week-end esta_semana questa_settimana",
    "this_month": "this_month this_quarter the_month the_quarter diesen_monat ce_mois este_mes questo_mese",
    "this_year": "this_year this_season this_term this_semester the_year dieses_jahr cette_année este_año quest'anno",
    "current": "currently nowadays these_days at_present presently actuellement actualmente derzeit aktuell attualmente"
    " atualmente for_the_time",
    "lasting": "always never forever permanently permanent for_good for_life lifelong immer nie toujours jamais siempre"
    " nunca sempre",
}
"""Time expressions: words, and pairs of words joined by an underscore. They bound how long a statement holds."""
_UNTIL: Final = word_set("until till til by before bis jusqu'à hasta fino até")
_CLOCK_WORDS: Final = word_set(
    "noon midnight lunch am pm o'clock one two three four five six seven eight nine ten eleven twelve tonight "
    "mittag midi mediodía"
)
_DAY_WORDS: Final = word_set(
    "monday tuesday wednesday thursday friday saturday sunday tomorrow weekend week montag dienstag mittwoch "
    "donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes "
    "miércoles jueves viernes sábado domingo"
)
_BOUNDS: Final = ("until_clock", "until_day", "until_date")
"""What stands behind "until": a time of day, a day of the week, a date."""
_UNSPACED: Final = (
    ("this_moment", ("现在", "正在", "目前", "暂时", "今は", "いま", "現在", "지금")),
    ("this_day", ("今天", "今日", "今晚", "今夜", "今朝", "오늘")),
    ("next_day", ("明天", "明日", "내일")),
    ("this_week", ("这周", "本周", "今週", "이번 주")),
    ("home", ("住", "搬到", "引っ越")),
    ("work", ("工作", "上班", "働")),
    ("like", ("喜欢", "好き")),
    ("meeting", ("会议", "会議", "开会")),
    ("travel", ("机场", "空港", "火车", "電車")),
    ("ill", ("生病", "病気", "累", "疲れ", "心情")),
    ("health", ("过敏", "アレルギー", "吃肉", "肉を食べ")),
    ("birth", ("出生", "生まれ", "毕业", "卒業")),
    (
        "lifelong",
        ("过敏", "アレルギー", "出生", "生まれ", "毕业", "卒業", "母语", "母語", "血型", "血液型", "左撇子", "左利き"),
    ),
    ("craving", ("饿", "渴", "困", "冷", "お腹", "喉", "眠", "寒", "暑")),
    ("family", ("结婚", "結婚", "孩子", "子供")),
    ("state", ("坏了", "壊れ")),
    ("past", ("去年", "昨天", "昨日")),
)
"""The same in scripts without spaces, looked for as they are."""

_FORMS: Final = (
    "version", "date", "year_number", "clock", "money_sign", "percent", "integer", "decimal", "code",
)  # fmt: skip
"""What a token with digits looks like."""
_SHAPE: Final = (
    "question", "exclaim", "imperative", "names", "name_share", "length", "past_verb", "gerund", "third_person",
    "colon", "digits", "ends_in_number", "caseless", "begins", "sentences",
)  # fmt: skip
_LEVELS: Final = ("first_of_line", "patch_level", "minor_level", "version_parts")
"""Of the last version number: whether it ends in 0, the logarithms of its last and its second part, how many parts it
has. What has just been released is patched soon; a line that has had many patches has a rhythm."""
TIMES: Final[tuple[str, ...]] = (*_TIMES, *_BOUNDS)
"""Columns that bound how long a statement holds."""
NAMES: Final[tuple[str, ...]] = (*_CLASSES, *_FORMS, *_SHAPE, *_LEVELS, *TIMES)
"""Names of the columns of `features`."""

_INDEX: Final = {name: i for i, name in enumerate(NAMES)}
_WORDS: Final[dict[str, tuple[int, ...]]] = {}
for _name, _words in _CLASSES.items():
    for _word in _words.split():
        _WORDS[_word] = (*_WORDS.get(_word, ()), _INDEX[_name])

_PAIRS: Final[dict[tuple[str, str], int]] = {}
for _name, _words in _OTHER_LANGUAGES.items():
    for _word in _words.split():
        if _INDEX[_name] not in _WORDS.get(_word, ()):
            _WORDS[_word] = (*_WORDS.get(_word, ()), _INDEX[_name])
for _name, _words in (*_TIMES.items(), ("begins", _BEGINS)):
    for _word in _words.split():
        if "_" in _word:
            _first, _second = _word.split("_", 1)
            _PAIRS[_first, _second] = _INDEX[_name]
        else:
            _WORDS[_word] = (*_WORDS.get(_word, ()), _INDEX[_name])
_SECONDS: Final = frozenset(second for _, second in _PAIRS)
_LEADS: Final = _UNTIL | {"this", "the"}
_CLOCKS: Final = ("clock", "integer")
_RANGES: Final = word_set("from between von zwischen de desde dalle")
"""Before one of these and an "until" lies a timetable, which is no bound: "from seven until three"."""
_BEGUN: Final = _INDEX["begins"]
_TIME_COLUMNS: Final = frozenset(_INDEX[name] for name in (*TIMES, "moment"))
_CLOCK_AT, _DAY_AT, _DATE_AT = (_INDEX[name] for name in _BOUNDS)

_TOKEN: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\w.,:/+-]*%?|[?!:$€£¥%]")
_NUMBER: Final = re.compile(
    r"(?P<date>\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4})$"
    r"|(?P<clock>\d\d?:\d\d(?::\d\d)?)$"
    r"|(?P<percent>[\d.,]+%)$"
    r"|(?P<year_number>(?:1[5-9]|20|21)\d\d)$"
    r"|(?P<version>\d+\.\d+(?:\.[\w-]+)+|\d+\.\d+[-_a-z+]\S*)$"
    r"|(?P<decimal>\d+[.,]\d+)$"
    r"|(?P<integer>\d+)$"
    r"|(?P<code>.)",
)
_SENTENCE_END: Final = re.compile(r"[.!?]\s+(?=\S)|[。！？](?=.)")
_IMPERATIVE: Final = frozenset(
    " ".join(
        (
            "remember note call use run add do don't never always avoid remind write send buy make take set first to",
            "let check please keep open press click install configure water store answer",
        )
    ).split()
)
_MARKS: Final = {"?": "question", "!": "exclaim", ":": "colon", "$": "money_sign", "€": "money_sign",
                 "£": "money_sign", "¥": "money_sign", "%": "percent"}  # fmt: skip
_SHAPES: Final = {name: _INDEX[name] for name in _SHAPE}
_CACHE_LIMIT: Final = 65536
LIMIT: Final = 2000
"""Characters of a text that are looked at."""


def _columns(token: str) -> tuple[int, ...]:
    """Columns that a lower-case token switches on."""
    if token[0].isdigit():
        match = _NUMBER.match(token.rstrip(".,:/+-"))
        return (_INDEX[match.lastgroup], _SHAPES["digits"]) if match and match.lastgroup else ()
    mark = _MARKS.get(token)
    if mark is not None:
        return (_INDEX[mark],)
    found = _WORDS.get(token.replace("’", "'"), ())
    if not found and len(token) > 4:
        if token.endswith("ed"):
            found = (_SHAPES["past_verb"],)
        elif token.endswith("ing"):
            found = (_SHAPES["gerund"],)
        elif token.endswith("'s"):
            found = _WORDS.get(token[:-2], ())
        elif token.endswith("s"):
            found = (*_WORDS.get(token[:-1], ()), _SHAPES["third_person"])
    return found


def _expression(before: str, token: str) -> int:
    """Column of a time expression of two tokens, -1 for none."""
    if before in _UNTIL:
        digits = token[0].isdigit()
        if token in _CLOCK_WORDS or (digits and (token[-2:] in ("am", "pm") or _number_form(token) in _CLOCKS)):
            return _CLOCK_AT
        if token in _DAY_WORDS:
            return _DAY_AT
        if digits or _INDEX["month"] in _WORDS.get(token, ()):
            return _DATE_AT
    return _PAIRS.get((before, token.removesuffix("'s").removesuffix("’s")), -1)


def _number_form(token: str) -> str:
    match = _NUMBER.match(token.rstrip(".,:/+-"))
    return (match.lastgroup or "") if match else ""


class _Seen(dict[str, tuple[int, ...]]):
    """Memo of `_columns`, emptied when it has grown large, so that a long-lived process stays small."""

    def __missing__(self, token: str) -> tuple[int, ...]:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        value = self[token] = _columns(token)
        return value


_SEEN: Final = _Seen()
_LEVELS_AT: Final = _INDEX[_LEVELS[0]]
_PARTS: Final = re.compile(r"\d+")


@lru_cache(maxsize=4096)
def _levels(token: str) -> tuple[float, float, float, float] | None:
    """`_LEVELS` of a token that is a version number of two parts or more, None for any other.

    >>> _levels("3.12.0")[0], _levels("2024-05-01")
    (1.0, None)
    """
    if "." not in token or _number_form(token) not in ("version", "decimal"):
        return None
    parts = [min(int(part[:9]), 9999) for part in _PARTS.findall(token)]
    if len(parts) < 2:
        return None
    level, minor = (min(log1p(part) / 6.0, 1.0) for part in (parts[-1], parts[1]))
    return float(parts[-1] == 0), level, minor, min(len(parts) / 4.0, 1.0)


def features(texts: Sequence[str]) -> NDArray[np.float32]:
    """(n, len(NAMES)) float32: 0 or 1 per word class and form; shares and the logarithm of the length lie in [0, 1].

    Any text will do, the empty one too; only the first `LIMIT` characters are read, and of those what is stated
    (`scrubjay.encode.said`).
    """
    n, width = len(texts), len(NAMES)
    out = np.zeros((n, width), dtype=np.float32)
    flat = out.reshape(-1)
    hits: list[int] = []
    seen, find, imperative = _SEEN, _TOKEN.findall, _IMPERATIVE
    counts = np.zeros((n, 2), dtype=np.float32)
    ends = np.zeros(n, dtype=np.float32)
    first, last, caseless = [], [], []
    for i, text in enumerate(texts):
        text = text[:LIMIT]
        lower = text.lower()
        tokens = find(lower)
        if may_state_less(text, tokens):
            text = statement(text)
            lower = text.lower()
            tokens = find(lower)
        base = i * width
        before, ranged, began, number = "", False, 0, ""
        for token in tokens:
            if "." in token:
                number = token
            if token in _RANGES:
                ranged = True
            elif token in _SECONDS or before in _LEADS:
                column = _expression(before, token)
                if column >= 0 and not (ranged and column == _CLOCK_AT):
                    if column == _BEGUN:
                        # "as of today", "starting this week" are news: they say nothing of today alone
                        began = 3
                    if not began or column == _BEGUN:
                        hits.append(base + column)
                    if token == "now" and not began:
                        # "right now" is of the moment; "she now works there" says that something has begun
                        hits.append(base + _INDEX["moment"])
            for column in seen[token]:
                if not began or column not in _TIME_COLUMNS:
                    hits.append(base + column)
            began = max(began - 1, 0)
            before = token
        if number:
            levels = _levels(number)
            if levels is not None:
                out[i, _LEVELS_AT : _LEVELS_AT + len(levels)] = levels
        if tokens:
            if tokens[0] in imperative:
                first.append(i)
            if tokens[-1][0].isdigit():
                last.append(i)
        capitals = sum(map(str.isupper, text))
        if not capitals and lower == text.upper():
            caseless.append(i)
        if not text.isascii():
            hits += [base + _INDEX[name] for name, words in _UNSPACED if any(word in text for word in words)]
        counts[i] = len(tokens), capitals
        ends[i] = len(_SENTENCE_END.findall(text))
    flat[hits] = 1.0
    out[first, _SHAPES["imperative"]] = 1.0
    out[last, _SHAPES["ends_in_number"]] = 1.0
    out[caseless, _SHAPES["caseless"]] = 1.0
    words = np.maximum(counts[:, 0], 1.0)
    out[:, _SHAPES["names"]] = np.minimum(counts[:, 1] / 8.0, 1.0)
    out[:, _SHAPES["name_share"]] = np.minimum(counts[:, 1] / words, 1.0)
    out[:, _SHAPES["sentences"]] = np.minimum(ends / 4.0, 1.0)
    out[:, _SHAPES["length"]] = np.minimum(np.log1p(counts[:, 0]) / 5.0, 1.0)
    return out
