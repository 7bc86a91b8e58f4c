"""What a text says, as far as words tell: tokens with classes, and the marks of a statement that others may replace.

Cheap and language-poor on purpose: no model, no tagger. English words carry the marks; in other languages only the
shape of tokens (numbers, names, identity, position) remains, and the pair model was trained to live with that.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice, pairwise
from operator import or_
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.remembered import remembered
from scrubjay.slots.attributes import attributes, bit
from scrubjay.slots.complements import NOTHING, Complement, complement_of
from scrubjay.slots.handovers import given_over
from scrubjay.slots.jobs import job_of
from scrubjay.slots.ours import LINES, PERSONS, trade
from scrubjay.slots.prefaces import bare
from scrubjay.slots.records import record_of
from scrubjay.slots.seats import NONE, Seat, seat_of
from scrubjay.slots.settings import setting_of
from scrubjay.slots.splits import main_clauses
from scrubjay.slots.tense import COUNTING, HAVING, PLACES, VERBS, past
from scrubjay.slots.versions import version_of
from scrubjay.wordlist import word_set

MAX_TOKENS: Final = 40
"""Tokens kept of a text; a longer text is judged by its beginning and is marked as long."""
LONG: Final = 400
"""Characters up to which a text is one meaning and has no passages (chosen on conversations)."""
SENTENCES: Final = 3
"""Most sentences, or lines, of a text that states one thing with what belongs to it (chosen)."""
TITLE: Final = 4
"""Most words of an office's title."""
EDGE: Final = 20
"""Tokens compared one by one from the front and from the back."""

STOP, WORD, NAME, NUMBER = range(4)

_TOKEN: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|#?[^\W_]+(?:(?:[.:/+@_'’\-]|&)[^\W_]+)*",
)
_SPEAKER: Final = re.compile(r"^\s*([^\W\d_][^\W\d_'’.\-]*(?: [^\W\d_][^\W\d_'’.\-]*){0,2}): ")
_NEW_VALUE: Final = re.compile(r"(?:the )?new \w+(?: is\b|:)", re.IGNORECASE)
"""What nobody says of himself: "Offsite: new date is 12 May"."""
_PHONE: Final = re.compile(r"\d[\d /()\-]{4,}\d[.!]?\s*\Z")
_GERMAN_MONTH: Final = r"(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)"
_SENTENCE_END: Final = re.compile(
    r"(?:(?<!\b[DMS][rst])(?<!\bM)(?<!\bMrs)(?<!\bMme)(?<!\bProf)(?:(?<!\d)\.|(?<=\d)\.(?!\s"
    + _GERMAN_MONTH
    + r"))|[!?…。！？])['\")\]]*\s"
)

_BEING: Final = word_set("is are am was were ist sind bin war est sont suis était está estoy están era è sono são")
_WEAK: Final = word_set("now currently still also always usually really not no longer only just again")

_STOP: Final = word_set(
    "a an the of in on at to for from by with and or as is are was were be been being am it its this that these those "
    "there here has have had having do does did will would shall should can could may might must i you he she we they "
    "me him her us them my your his our their mine yours ours theirs s t re ve ll d m so if then than but also just "
    "about into over under out up down off who what which when where why how today currently now still only very "
    "really please ok okay all both any some than as per via around "
    "der die das den dem des ein eine einen im am auf und mit bei nach zum zur le la les un une du au aux dans en et à "
    "chez el los las una del al con y il lo gli di da nel nella ha o os na não que se si "
    "的 了 在 は が を に で へ の と も す ま し て い る た"
)
NEGATIVE: Final = word_set(
    "not no never none cannot can't cant don't dont doesn't doesnt didn't didnt isn't isnt aren't arent wasn't weren't "
    "won't wont shouldn't mustn't hate hates hated dislike dislikes disliked despise despises detest detests loathe "
    "loathes avoid avoids avoiding disabled disable disables off closed closes forbidden prohibited banned denied "
    "rejected refused cancelled canceled quit quits stopped stop stops without unavailable offline broken failed "
    "failing fails inactive blocked locked unsafe disallowed disallow declined lost empty false wrong against unable "
    "nicht kein keine keinen nie ne pas jamais nunca non mai 不 没 无 "
    "nobody nothing neither hasn't haven't anymore nope deprecated removed revoked expired dead down"
)
_POSITIVE: Final = word_set(
    "love loves loved like likes liked enjoy enjoys adore adores enabled enable enables open opens allowed permitted "
    "approved accepted confirmed active available online working works passing passed passes unblocked unlocked safe "
    "allow allows full true right supported keep keeps kept can yes always alive up"
)
UPDATE: Final = word_set(
    "renommé verlegt verschoben umgezogen gezogen gewechselt déménagé déplacée rejoint reportée mudó mudado trasferita "
    "nuevamente wieder nouveau plus again recovered repaired fixed quit sold divorced relocated turned passed signed "
    "now anymore instead moved moves moving changed changes switched switching switches replaced replaces renamed "
    "updated update became becomes longer new took reassigned rescheduled postponed upgraded bumped "
    "raised lowered dropped rose fell grew left joined promoted transferred migrated actually correction scratch since "
    "jetzt neue neuer neues nunmehr inzwischen mittlerweile maintenant désormais nouveau nouvelle ahora nuevo nueva "
    "adesso ora nuovo nuova agora novo nova "
    "现 改 今 "
    "until currently used previously formerly as-of effective starting today"
)
_SINGLE: Final = word_set(
    "latest current currently newest version release price cost costs status room office address phone number password "
    "deadline due branch lives live married engaged dating single divorced works owner owned assigned assignee on-call "
    "oncall lead leads manager ceo president director head capital champion default main primary favorite favourite "
    "deadline start starts ends end time date seat located headquarters based color colour weight age size score rank "
    "balance salary budget title role email timezone limit quota priority state phase plan temperature dose dosage "
    "population captain chair chairman username host port url region party represents is are was prefers prefer "
    "scheduled set runs expires"
)
_MULTI: Final = word_set(
    "member serves owns own likes like loves love enjoys enjoy hates hate allergic allergy hobby hobbies speaks speak "
    "visited visit visits read reads watched watch bought buy buys knows know met attended attends has have friend "
    "friends sister brother child son daughter children supports support includes include contains another also too "
    "one among several went saw plays ate cooked made wrote learned studied subcommittee committee invested published "
    "collects follows uses tried wants want received won completed finished joined"
)
_EVENT: Final = word_set(
    "yesterday ago last went saw met ate bought watched visited attended finished had did was were told said called "
    "took gave got made came ran played tried happened won lost found sent wrote read fixed merged deployed shipped "
    "heard felt learned spent started night morning afternoon evening tonight weekend week tomorrow next"
)
_HEDGE: Final = word_set(
    "if might maybe perhaps wish hope hoping would could should think wonder wondering considering imagine suppose "
    "hypothetically someday probably possibly consider thinking"
)
_FIRST: Final = word_set("i i'm i've i'll i'd my me mine we we're we've we'll our us ours")
_SECOND: Final = word_set("you you're you've your yours u")
_NO_OFFICE: Final = word_set("full out part half most one two three fond proud afraid aware sure capable tired sick")
_EMPTY: Final = word_set("a an the this that of and so well")
_WHO: Final = word_set("i my me we our you your he his she her they their it its user user's")
_QUESTION: Final = word_set("who what which when where why how whose does did is are can could would will do should")
_CHAT: Final = word_set(
    "thanks thank wow hey hi hello yeah yes cool awesome great amazing nice sure absolutely glad congrats sounds haha "
    "lol bye oh definitely totally agreed ok okay sorry good"
)


def _stem(word: str) -> str:
    """Fold the commonest English endings, so that "moved", "moves" and "moving" are one token."""
    if len(word) < 5 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    for ending in ("ing", "ed", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _identity(word: str) -> int:
    """A stable 60-bit number of a folded word: the same in every process."""
    raw = word.encode("utf-8", "surrogatepass")
    return (zlib.crc32(raw) << 28) ^ zlib.crc32(raw, 0x5BD1E995) >> 4


def told_of(word: str) -> int:
    """The identity that a word has among `Statement.ids`."""
    return _lexeme(word).identity


def identity(word: str) -> int:
    """The same of a word that is to stand in a list, which laws know it by from then on."""
    found = told_of(word)
    _LISTED.add(found)
    return found


def listed(word: int) -> bool:
    """Whether a word, by its identity, stands in a list; all others laws know only by whether they are the same."""
    return word in _LISTED


_CLOCK: Final = re.compile(r"\d{1,2}:\d\d|\d{1,2}(?:am|pm)")
TIME: Final = bit("time")


def _shape(word: str) -> int:
    """Digits to 9 and letters to a, runs shortened: what kind of number or code it is (version, date, time, room)."""
    return _identity(re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", word)))


_PARTICIPLES: Final = frozenset(_stem(word) for word in ("born", "married", "employed", "retired", "buried"))
_MANY: Final = frozenset(
    _stem(word)
    for word in word_set(
        "speaks speak owns own collects reads visited allergic knows met spricht parle habla allergisch allergique"
        " alérgica"
    )
)
_CARRIERS: Final = frozenset(
    _stem(word)
    for word in word_set(
        "has have had will can should must does do did became becomes got gets moved moves changed switched"
        " left remains stays stay keeps goes went takes love loves hate hates like likes enjoy enjoys dislikes"
        " prefers prefer wants starts start begins ends end costs runs run uses use says said joined"
    )
)
"""Verbs that say little by themselves, or stand for change: another verb may state the same slot."""

KIN: Final = frozenset(
    _identity(_stem(word))
    for word in word_set(
        "parent parents mother father mom mum dad brother sister son daughter wife husband uncle aunt cousin friend "
        "boss neighbour neighbor colleague grandmother grandfather girlfriend boyfriend mutter vater bruder "
        "schwester mère "
        "père frère sœur madre padre hermano hermana"
    )
)
"""Identities of words that make another person of a person: "David", "David's parents"."""

_LISTED: Final = set(KIN)

GROUPS: Final = (
    "stop", "word", "name", "number", "single", "multi", "head_word", "head_name", "head_number", "polar", "head_who",
)  # fmt: skip
"""Token groups, a column each of `Statement.groups`."""
_COUNTS: Final = {
    "negation": NEGATIVE, "polar": _POSITIVE, "update": UPDATE, "event": _EVENT, "hedge": _HEDGE, "first": _FIRST,
    "second": _SECOND, "chat": _CHAT, "single": _SINGLE, "multi": _MULTI,
}  # fmt: skip
MARKS: Final = (
    *_COUNTS, "numbers", "names", "tokens", "long", "question", "verb", "speaker", "sentences", "third",
)  # fmt: skip
"""Marks of a text, an entry each of `Statement.marks`: words counted by list, then what the whole text is."""
_COUNTS_OF: Final = {
    word: sum((word in some) << i for i, some in enumerate(_COUNTS.values())) for word in reduce(or_, _COUNTS.values())
}
_COUNT_BITS: Final = np.arange(len(_COUNTS), dtype=np.int64)
_GROUP_BITS: Final = np.arange(len(GROUPS), dtype=np.int64)
_NEGATES, _PRAISES, _UPDATES, _SINGLES, _MULTIS = (
    1 << list(_COUNTS).index(name) for name in ("negation", "polar", "update", "single", "multi")
)
_FIRST_AT, _SECOND_AT, _UPDATE_AT = (list(_COUNTS).index(name) for name in ("first", "second", "update"))
_ASKING: Final = frozenset(_stem(word) for word in _QUESTION)


@dataclass(frozen=True)
class Statement:
    """A text as arrays. `ids` (n,) int64 in order, n <= MAX_TOKENS; `groups` (n, len(GROUPS)) float32 holds 1 where a
    token's first occurrence belongs to a group; `marks` (len(MARKS),) float32; `speaker`, `shape` (that of the
    last number) and `subject` (the words before the verb, without articles) are identities, 0 for none;
    `asks`: a question and nothing else, which states nothing."""

    ids: NDArray[np.int64]
    groups: NDArray[np.float32]
    marks: NDArray[np.float32]
    speaker: int
    shape: int
    subject: int
    asks: bool
    verb: int
    """Identity of the stem of the main verb where it says something by itself ("lives", not "is"), 0 for none."""
    place: bool
    """A form of "be" and at once a word of place: "is in", "are on"."""
    bare: bool
    """A form of "be" without one."""
    many: bool
    """Its verb may hold of many things at once: "speaks", "owns", "is allergic to"."""
    parts: frozenset[int]
    """The content words before the verb, as identities."""
    about: int
    """The attributes that its words speak of (`scrubjay.slots.attributes`), 0 for none that is known."""
    office: int
    """Identity of the body that its subject has an office in ("is chair of the committee"; no article), 0 for none."""
    beyond: int = 0
    """The attributes that the words behind the verb speak of."""
    tells: int = 0
    """The attributes that its verb and the words behind it speak of, those of all its words where no verb is known."""
    owns: bool = False
    """It says what its subject has: "has a cat", "hat zwei Kinder"."""
    past: bool = False
    """It tells of what was: "lived in", "was the head of"; not "was moved", "has lived"."""
    used: bool = False
    """It tells of what was and is no more: "used to live"."""
    sundry: bool = False
    """It states many things: more than `SENTENCES` sentences or lines, or more than `LONG` characters."""
    seat: Seat = NONE
    """What one alone can fill, and who it says does (`scrubjay.slots.seats`)."""
    complement: Complement = NOTHING
    """What its verb is said with (`scrubjay.slots.complements`)."""
    clauses: tuple[Statement, ...] = ()
    """Its main clauses, where it has more than one."""


class _Lexeme(NamedTuple):
    """What a word is by itself."""

    identity: int
    counts: int
    """Bits by position in _COUNTS."""
    kind: int
    """STOP, NUMBER, or WORD; the place in the sentence may still make a NAME of a WORD."""
    stem: str
    capital: bool
    inner_capital: bool
    genitive: bool
    verb: bool
    who: bool
    silent: bool
    """Left out of the subject: an article, or a word of change."""
    about: int


@remembered(room=1 << 23)
def _lexeme(word: str) -> _Lexeme:
    folded = word.casefold().replace("’", "'")
    genitive = folded.endswith("'s") and len(folded) > 2
    base = folded[:-2] if genitive else folded
    counts = _COUNTS_OF.get(base, 0) | _COUNTS_OF.get(folded, 0)
    if "n't" in base:
        counts |= _NEGATES
    capital = word[0].isupper()
    if any(c.isdigit() for c in base):
        kind = NUMBER
    elif base in _STOP or counts & _NEGATES or (counts & _UPDATES and not capital):
        kind = STOP
    else:
        kind = WORD
    stem = _stem(base.lstrip("#"))
    return _Lexeme(
        identity=_identity(stem),
        counts=counts,
        kind=kind,
        stem=stem,
        capital=capital,
        inner_capital=len(word) > 1 and word[1:] != word[1:].lower(),
        genitive=genitive,
        verb=folded in VERBS,
        who=folded in _WHO,
        silent=folded in _EMPTY or base in UPDATE,
        about=TIME if _CLOCK.fullmatch(folded) else attributes((folded,) if folded == base else (folded, base)),
    )


_MAY: Final = _lexeme("mai")._replace(counts=0, kind=WORD)
"""The month: "5 mai", "Ende Mai"; elsewhere it is Italian for "never"."""
_IN: Final = _lexeme("no")._replace(counts=0)
"""The Portuguese "in the": "fica no Porto"; elsewhere it denies."""
_BEFORE_IN: Final = word_set("fica ficam mora moram moro trabalha trabalho trabalham vive vivem está estão")
_SHORT_NAMES: Final = word_set("di al")
"""Small words that with a capital, inside a sentence or before its verb, are names."""
_BEFORE_MONTHS: Final = word_set("en début fin mi im in bis seit ab anfang mitte ende au ce")


def _line(label: str, rest: str) -> bool:
    """Whether it is a line of a list, "Expense: taxi", or tells how somebody is reached: nobody says it."""
    if label in LINES:
        return VERBS.isdisjoint(rest.casefold().split())
    return bool((label in PERSONS or trade(label)) and _PHONE.search(rest))


def _speaker(text: str) -> tuple[int, str]:
    """(identity of who says it or 0, what is said). "Ana: I moved" has a speaker, "Deadline: Friday" has a label."""
    spoken = _SPEAKER.match(text)
    if spoken is None:
        return 0, text
    name, rest = spoken.group(1), text[spoken.end() :]
    words = name.split()
    if _NEW_VALUE.match(rest) or _line(name.casefold(), rest):
        return 0, text
    if not all(w[0].isupper() or not w[0].isascii() for w in words) or words[0].casefold() in _SINGLE:
        return 0, text
    if len(rest.split(None, 2)) < 2 and rest[-1:] not in ("!", "?", ".", ")"):
        return 0, text
    return _identity(name.casefold()), rest


def _office(stems: Sequence[str], verb: int) -> int:
    """See `Statement.office`: at most `TITLE` words, none of them an article or a preposition, then "of" and a body."""
    of = next((i for i in range(verb + 2, min(len(stems), verb + 2 + TITLE)) if stems[i] == "of"), 0)
    if (
        not of
        or stems[verb + 1 : of] == ["member"]
        or any(stem in _STOP or stem in _NO_OFFICE for stem in stems[verb + 1 : of])
    ):
        return 0
    body = " ".join(stem for stem in stems[of + 1 :] if stem != "the")
    return _identity(body) if body else 0


def _seat(text: str, words: Sequence[str]) -> Seat:
    setting = setting_of(text) if len(words) < 6 else None
    if setting is not None:
        return Seat(*setting)
    found = next((seat for seat in (record_of(text), given_over(words)) if seat.key), None) or seat_of(words)
    return found if found.key or found.ousted else Seat(*version_of(words))


def _complement(words: Sequence[str]) -> Complement:
    found = complement_of(words)
    return found if found.verb else job_of(words)


@remembered(room=1 << 24, longest=4000, beside=2000)
def statement(text: str) -> Statement:
    """Analyse a text by its beginning (pure; the last texts are remembered)."""
    whole_text, text = text, bare(text)
    speaker, text = _speaker(text)
    before_it = whole_text[: len(whole_text) - len(text)] if not speaker else ""
    matches = list(islice(_TOKEN.finditer(text), MAX_TOKENS + 1))
    long = len(matches) > MAX_TOKENS
    matches = matches[:MAX_TOKENS]
    words = [_lexeme(m.group()) for m in matches]
    n = len(words)
    for i in range(1, n):
        if words[i].identity == _MAY.identity and (words[i - 1].kind == NUMBER or words[i - 1].stem in _BEFORE_MONTHS):
            words[i] = _MAY
        elif words[i].identity == _IN.identity and words[i - 1].stem in _BEFORE_IN:
            words[i] = _IN
    for i, word in enumerate(words):
        if word.stem in _SHORT_NAMES and word.capital and (i or (n > 1 and words[1].verb and not words[1].capital)):
            words[i] = word._replace(kind=WORD)
    # a capital inside a sentence is a name ("Go 1.22 is ..."), not a verb
    verb = next((i for i in range(1, n) if words[i].verb and not words[i].capital), -1)
    if verb < 0:
        verb = next((i for i in range(1, n) if ":" in text[matches[i - 1].end() : matches[i].start()]), -1)
    groups: list[int] = []
    seen: set[int] = set()
    names = numbers = 0
    number = ""
    end = 0
    for i, (match, word) in enumerate(zip(matches, words, strict=True)):
        gap = text[end : match.start()]
        starts = i == 0 or (gap != " " and _SENTENCE_END.match(gap) is not None)
        end = match.end()
        kind = word.kind
        if kind == WORD and word.capital:
            # At the start of a sentence every word is capitalised: a second capital, or a genitive, tells a name.
            following = i + 1 < n and words[i + 1].capital
            kind = NAME if not starts or word.inner_capital or word.genitive or following else WORD
        names += kind == NAME
        numbers += kind == NUMBER
        if kind == NUMBER:
            number = word.stem
        if word.identity in seen:
            groups.append(0)
            continue
        seen.add(word.identity)
        mask = 1 << kind
        if word.counts:
            mask |= (word.counts & _SINGLES > 0) << 4 | (word.counts & _MULTIS > 0) << 5
            mask |= (word.counts & (_NEGATES | _PRAISES) > 0) << 9
        if i < verb:
            if kind != STOP:
                mask |= 1 << (5 + kind)
            mask |= word.who << 10
        groups.append(mask)
    counts = ((np.array([w.counts for w in words], np.int64)[:, None] >> _COUNT_BITS) & 1).sum(0)
    for match in _TOKEN.finditer(before_it):
        counts[_UPDATE_AT] += (_lexeme(match.group()).counts & _UPDATES) > 0
    before = [w.stem for w in words[: max(verb, 0)] if not w.silent]
    # "Will is on call" asks nothing
    begins = n > 0 and words[0].stem in _ASKING and not (words[0].stem == "will" and n > 1 and words[1].verb)
    asks = "?" in text or "？" in text or (begins and not long)
    said = words[verb].stem if verb > 0 else ""
    behind = [w.stem for w in words[verb + 1 : verb + 6] if w.stem not in _WEAK] if verb > 0 else []
    being = said in _BEING
    acts = "" if being or said in _CARRIERS else said
    if being and behind and behind[0] in _PARTICIPLES:
        acts = behind[0]
    placed = being and bool(behind) and (behind[0] in PLACES or behind[:2] == ["next", "to"])
    sentences = len(_SENTENCE_END.findall(text.rstrip() + " "))
    persons = counts[_FIRST_AT] + counts[_SECOND_AT]
    raw = [match.group().casefold() for match in matches]
    used = ("used", "to") in pairwise(raw) and "is" not in raw[:4]
    whole = (numbers, names, n, long, asks, verb >= 0, speaker != 0, sentences, persons == 0)
    return Statement(
        ids=np.array([w.identity for w in words], np.int64),
        groups=((np.array(groups, np.int64)[:, None] >> _GROUP_BITS) & 1).astype(np.float32),
        marks=np.concatenate([counts, whole]).astype(np.float32),
        speaker=speaker,
        shape=_shape(number) if numbers else 0,
        subject=_identity(" ".join(before)) if before else 0,
        asks=bool(asks and sentences <= 1),
        verb=_identity(acts) if acts else 0,
        place=placed,
        bare=being and not placed and not acts,
        many=said in _MANY
        or (said == "play" and behind[:1] == ["the"])
        or (being and bool(behind) and behind[0] in _MANY),
        parts=frozenset(w.identity for w in words[: max(verb, 0)] if w.kind != STOP and not w.silent),
        about=reduce(or_, (w.about for w in words), 0),
        office=_office([w.stem for w in words], verb) if being and not placed and sentences <= 1 else 0,
        beyond=reduce(or_, (w.about for w in words[verb + 1 :]), 0),
        tells=reduce(or_, (w.about for w in words[max(verb, 0) :]), 0),
        owns=said in HAVING and bool(behind) and behind[0] in COUNTING,
        past=used or past(raw, [w.capital for w in words]),
        used=used,
        sundry=len(whole_text) > LONG or max(sentences, whole_text.strip().count("\n") + 1) > SENTENCES,
        seat=NONE if asks or sentences > 1 else _seat(text, [m.group() for m in matches]),
        complement=NOTHING if asks or sentences > 1 else _complement([m.group() for m in matches]),
        clauses=() if asks or sentences > 1 or long else tuple(map(statement, main_clauses(text))),
    )
