"""What a text says, as far as words tell: tokens with classes, and the marks of a statement that others may replace.

Cheap and language-poor on purpose: no model, no tagger. English words carry the marks; in other languages only the
shape of tokens (numbers, names, identity, position) remains, and the pair model was trained to live with that.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_TOKENS: Final = 40
"""Tokens kept of a text; a longer text is judged by its beginning and is marked as long."""
EDGE: Final = 20
"""Tokens compared one by one from the front and from the back."""

STOP, WORD, NAME, NUMBER = range(4)

_TOKEN: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|#?[^\W_]+(?:(?:[.:/+@_'’\-]|\\u0026)[^\W_]+)*",
)
_SPEAKER: Final = re.compile(r"^\s*([^\W\d_][^\W\d_'’.\-]*(?: [^\W\d_][^\W\d_'’.\-]*){0,2}): ")
_SENTENCE_END: Final = re.compile(r"[.!?…。！？]['\")\]]*\s")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP: Final = _words(
    "a an the of in on at to for from by with and or as is are was were be been being am it its this that these those "
    "there here has have had having do does did will would shall should can could may might must i you he she we they "
    "me him her us them my your his our their mine yours ours theirs s t re ve ll d m so if then than but also just "
    "about into over under out up down off who what which when where why how today currently now still only very "
    "really please ok okay all both any some than as per via around"
)
_NEGATIVE: Final = _words(
    "not no never none cannot can't cant don't dont doesn't doesnt didn't didnt isn't isnt aren't arent wasn't weren't "
    "won't wont shouldn't mustn't hate hates hated dislike dislikes disliked despise despises detest detests loathe "
    "loathes avoid avoids avoiding disabled disable disables off closed closes forbidden prohibited banned denied "
    "rejected refused cancelled canceled quit quits stopped stop stops without unavailable offline broken failed "
    "failing fails inactive blocked locked unsafe disallowed disallow declined lost empty false wrong against unable "
    "nobody nothing neither hasn't haven't anymore nope deprecated removed revoked expired dead down"
)
_POSITIVE: Final = _words(
    "love loves loved like likes liked enjoy enjoys adore adores enabled enable enables open opens allowed permitted "
    "approved accepted confirmed active available online working works passing passed passes unblocked unlocked safe "
    "allow allows full true right supported keep keeps kept can yes always alive up"
)
_UPDATE: Final = _words(
    "now anymore instead moved moves moving changed changes switched switching switches replaced replaces renamed "
    "updated update became becomes longer new took reassigned rescheduled postponed upgraded bumped "
    "raised lowered dropped rose fell grew left joined promoted transferred migrated actually correction scratch since "
    "until currently used previously formerly as-of effective starting today"
)
_SINGLE: Final = _words(
    "latest current currently newest version release price cost costs status room office address phone number password "
    "deadline due branch lives live married engaged dating single divorced works owner owned assigned assignee on-call "
    "oncall lead leads manager ceo president director head capital champion default main primary favorite favourite "
    "deadline start starts ends end time date seat located headquarters based color colour weight age size score rank "
    "balance salary budget title role email timezone limit quota priority state phase plan temperature dose dosage "
    "population captain chair chairman username host port url region party represents is are was prefers prefer "
    "scheduled set runs expires"
)
_MULTI: Final = _words(
    "member serves owns own likes like loves love enjoys enjoy hates hate allergic allergy hobby hobbies speaks speak "
    "visited visit visits read reads watched watch bought buy buys knows know met attended attends has have friend "
    "friends sister brother child son daughter children supports support includes include contains another also too "
    "one among several went saw plays ate cooked made wrote learned studied subcommittee committee invested published "
    "collects follows uses tried wants want received won completed finished joined"
)
_EVENT: Final = _words(
    "yesterday ago last went saw met ate bought watched visited attended finished had did was were told said called "
    "took gave got made came ran played tried happened won lost found sent wrote read fixed merged deployed shipped "
    "heard felt learned spent started night morning afternoon evening tonight weekend week tomorrow next"
)
_HEDGE: Final = _words(
    "if might maybe perhaps wish hope hoping would could should think wonder wondering considering imagine suppose "
    "hypothetically someday probably possibly consider thinking"
)
_FIRST: Final = _words("i i'm i've i'll i'd my me mine we we're we've we'll our us ours")
_SECOND: Final = _words("you you're you've your yours u")
_QUESTION: Final = _words("who what which when where why how whose does did is are can could would will do should")
_CHAT: Final = _words(
    "thanks thank wow hey hi hello yeah yes cool awesome great amazing nice sure absolutely glad congrats sounds haha "
    "lol bye oh definitely totally agreed ok okay sorry good"
)
_VERB: Final = _words(
    "is are was were has have had lives live lived works work worked serves serve served plays play played owns own "
    "owned belongs belong represents represent reaches reach ends end starts start costs cost runs run ran uses use "
    "used prefers prefer likes like loves love hates hate dislikes dislike enjoys enjoy wants want needs need moved "
    "moves became becomes got gets takes take took meets meet met drives drive speaks speak studies study knows know "
    "married owes leads lead manages manage reports report sits sit stays stay opens open closes close expires expire "
    "points point listens listen ships ship deploys deploy targets target stands stand equals equal sells sell eats "
    "eat drinks drink wakes wake goes go went goes weighs measures begins begin happens happen handles handle "
    "covers cover will can "
    "should must does do did keeps keep changed switched joined left remains holds hold supports support "
    "tracks hosts returns accepts requires allows contains includes comes calls said says feels feel thinks think"
)


def _stem(word: str) -> str:
    """Fold the commonest English endings, so that "moved", "moves" and "moving" are one token."""
    if len(word) < 5 or not word.isascii() or not word.isalpha():
        return word
    for ending, keep in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
            return word[: len(word) - len(ending)] + keep
    return word


def _identity(word: str) -> int:
    """A stable 60-bit number of a folded word: the same in every process."""
    raw = word.encode("utf-8", "surrogatepass")
    return (zlib.crc32(raw) << 28) ^ zlib.crc32(raw, 0x5BD1E995) >> 4


def _shape(word: str) -> int:
    """Digits to 9 and letters to a, runs shortened: what kind of number or code it is (version, date, time, room)."""
    return _identity(re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", word)))


GROUPS: Final = (
    "stop", "word", "name", "number", "single", "multi", "head_word", "head_name", "head_number", "polar",
)  # fmt: skip
"""Token groups, a column each of `Statement.groups`."""
MARKS: Final = (
    "tokens", "long", "question", "chat", "first", "second", "update", "event", "hedge", "single", "multi", "negation",
    "polar", "verb", "speaker", "sentences", "third", "numbers", "names",
)  # fmt: skip
"""Marks of a text, an entry each of `Statement.marks`."""


@dataclass(frozen=True)
class Statement:
    """A text as arrays. `ids` (n,) int64 in order, n <= MAX_TOKENS; `groups` (n, len(GROUPS)) float32 holds 1 where a
    token's first occurrence belongs to a group; `marks` (len(MARKS),) float32; `speaker` and `shape` (that of the last
    number) are identities, 0 for none; `asks`: a question and nothing else, which states nothing."""

    ids: NDArray[np.int64]
    groups: NDArray[np.float32]
    marks: NDArray[np.float32]
    speaker: int
    shape: int
    asks: bool


def _is_name(word: str, folded: str, follows: str, starts: bool) -> bool:
    if not word[0].isupper() or folded in _STOP:
        return False
    if not starts:
        return True
    # At the start of a sentence every word is capitalised: only a second capital, or a genitive, tells a name.
    return (len(word) > 1 and word[1:] != word[1:].lower()) or follows[:1].isupper() or word.endswith(("'s", "’s"))


@lru_cache(maxsize=16384)
def statement(text: str) -> Statement:
    """Analyse a text (pure; the last 16,384 texts are remembered)."""
    speaker = 0
    spoken = _SPEAKER.match(text)
    if spoken:
        speaker = _identity(spoken.group(1).casefold())
        text = text[spoken.end() :]
    text = text[:4000]
    matches = list(_TOKEN.finditer(text))
    long = len(matches) > MAX_TOKENS
    matches = matches[:MAX_TOKENS]
    words = [m.group() for m in matches]
    starts = {0}
    for i in range(1, len(matches)):
        if _SENTENCE_END.match(text[matches[i - 1].end() : matches[i].start()]):
            starts.add(i)
    n = len(words)
    ids = np.zeros(n, np.int64)
    groups = np.zeros((n, len(GROUPS)), np.float32)
    seen: set[int] = set()
    count = dict.fromkeys(MARKS, 0)
    verb, shape = -1, 0
    folded_words = [w.casefold().replace("’", "'") for w in words]
    for i, folded in enumerate(folded_words):
        if verb < 0 and i > 0 and folded in _VERB:
            verb = i
    for i, (word, folded) in enumerate(zip(words, folded_words, strict=True)):
        genitive = folded.endswith("'s") and len(folded) > 2
        base = folded[:-2] if genitive else folded
        has_digit = any(c.isdigit() for c in base)
        if has_digit:
            kind = NUMBER
        elif base in _STOP or base in _NEGATIVE or "n't" in base or (base in _UPDATE and not word[0].isupper()):
            kind = STOP
        elif _is_name(word, base, words[i + 1] if i + 1 < n else "", i in starts):
            kind = NAME
        else:
            kind = WORD
        identity = _identity(_stem(base.lstrip("#")))
        ids[i] = identity
        count["negation"] += base in _NEGATIVE or "n't" in base
        count["polar"] += base in _POSITIVE
        count["update"] += base in _UPDATE
        count["event"] += base in _EVENT
        count["hedge"] += base in _HEDGE
        count["first"] += folded in _FIRST
        count["second"] += folded in _SECOND
        count["chat"] += base in _CHAT
        count["single"] += base in _SINGLE
        count["multi"] += base in _MULTI
        count["numbers"] += kind == NUMBER
        count["names"] += kind == NAME
        if identity in seen:
            continue
        seen.add(identity)
        row = groups[i]
        row[kind] = 1.0
        row[4] = base in _SINGLE
        row[5] = base in _MULTI
        if kind != STOP and i < verb:
            row[5 + kind] = 1.0
        row[9] = base in _NEGATIVE or base in _POSITIVE or "n't" in base
        if kind == NUMBER:
            shape = _shape(base)
    asks = "?" in text or "？" in text or (bool(folded_words) and folded_words[0] in _QUESTION and not long)
    only = asks and len(_SENTENCE_END.findall(text.strip() + " ")) <= 1
    ends = len(_SENTENCE_END.findall(text + " "))
    marks = {
        **count,
        "tokens": n,
        "long": long,
        "question": asks,
        "verb": verb >= 0,
        "speaker": speaker != 0,
        "sentences": ends,
        "third": not count["first"] and not count["second"],
    }
    return Statement(ids, groups, np.array([float(marks[name]) for name in MARKS], np.float32), speaker, shape, only)
