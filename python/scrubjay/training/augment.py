"""More to learn from than was written down: patterns filled in, time words added, wrappings that change nothing.

Tables of data. A *pattern* is a sentence with slots and a labelled horizon (`data/patterns.jsonl`); two thirds of
each family's patterns are for training. A *paraphrase group* (`data/paraphrases.jsonl`) is many ways to say one sort of
thing; a third of the groups is held out whole, and with words (`scrubjay.training.words`) that no training sentence
has. An *anchor* is a time expression ("right now", "until Friday") that bounds how
long whatever it is attached to holds. A *wrapper* is what tools and people put around a text (a speaker, a date, a
reference): the horizon stays what it was. Sentences *joined* hold as long as all of them do. All choices follow from a
seed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib import resources
from typing import Final, NamedTuple

import msgspec
import numpy as np

from scrubjay.encode.curves import DAY
from scrubjay.encode.happened import without_date
from scrubjay.training.observations import Sentence
from scrubjay.training.words import words

HOUR: Final = 3600.0


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """One line of patterns.jsonl."""

    family: str
    median_s: float
    shape: float
    never: float
    templates: list[str]


class Anchor(NamedTuple):
    """A time expression and what it does to a statement's horizon."""

    before: str
    """At the start of the sentence; empty: it only follows."""
    after: str
    """At the end of the sentence; empty: it only leads."""
    most: float
    """Seconds: the median is at most this."""
    factor: float
    """Share of the statement's own median that is left, before `most`."""
    shape: float


ANCHORS: Final = (
    Anchor("Right now ", " right now", 90 * DAY, 0.08, 1.0),
    Anchor("At the moment ", " at the moment", 150 * DAY, 0.12, 1.0),
    Anchor("Just now ", " just now", 20 * DAY, 0.05, 1.0),
    Anchor("For now ", " for now", 60 * DAY, 0.1, 1.0),
    Anchor("", " for the time being", 90 * DAY, 0.15, 1.0),
    Anchor("", " until further notice", 120 * DAY, 0.3, 1.0),
    Anchor("", " temporarily", 45 * DAY, 0.1, 1.0),
    Anchor("Today ", " today", 10 * HOUR, 1.0, 1.5),
    Anchor("This morning ", " this morning", 6 * HOUR, 1.0, 1.5),
    Anchor("This afternoon ", " this afternoon", 5 * HOUR, 1.0, 1.5),
    Anchor("Tonight ", " tonight", 8 * HOUR, 1.0, 1.5),
    Anchor("For the next hour ", " for another hour", HOUR, 1.0, 2.0),
    Anchor("", " until noon", 4 * HOUR, 1.0, 2.0),
    Anchor("", " until 5 pm", 5 * HOUR, 1.0, 2.0),
    Anchor("", " until tomorrow", 14 * HOUR, 1.0, 2.0),
    Anchor("This week ", " this week", 3.5 * DAY, 1.0, 1.5),
    Anchor("", " until Friday", 3 * DAY, 1.0, 2.0),
    Anchor("", " for the rest of the week", 3 * DAY, 1.0, 2.0),
    Anchor("This sprint ", " this sprint", 7 * DAY, 1.0, 1.5),
    Anchor("This month ", " this month", 14 * DAY, 1.0, 1.5),
    Anchor("", " until the end of the month", 14 * DAY, 1.0, 2.0),
    Anchor("This quarter ", " this quarter", 45 * DAY, 1.0, 1.5),
    Anchor("This year ", " this year", 180 * DAY, 1.0, 1.5),
    Anchor("Currently ", " currently", 3000 * DAY, 0.6, 1.0),
    Anchor("These days ", " these days", 1500 * DAY, 0.6, 1.0),
    Anchor("", " nowadays", 2000 * DAY, 0.8, 1.0),
    Anchor("As always ", " as always", 30000 * DAY, 2.0, 1.0),
    Anchor("", " for good", 30000 * DAY, 3.0, 1.0),
)
"""Medians are one author's judgement, like those of the sentences."""

WRAPPERS: Final = (
    "Note: {}", "FYI: {}", "FYI {}", "FYI, {}", "(note) {}", "NB: {}", "Btw, {}", "By the way: {}",
    "Just so you know: {}",
    "Heads-up: {}", "So, {}", "Ok, {}", "Hey, {}", "Hi! {}", "Remember: {}", "Please remember: {}", "Update: {}",
    "Fact: {}", "Memo: {}", "Important: {}", "Info: {}", "Reminder: {}", "{} (noted by {name})", "{name}: {}",
    "User: {}",
    "Assistant: {}", "user> {}", "{name} - {}", "[user] {}", "[{name}] {}", "[{date}] {}", "({date}) {}", "{date}: {}",
    "{date} {clock} {}", "{} [ref {number}]", "{} Source: call notes.", "From the chat: {}", "{name} says: {}",
    "{name} told me: {}", "{name} mentioned this: {}", "- {}", "* {}", "> {}", "{number}. {}", "{} (entry {number})",
    "Memory {number}: {}", "Observation: {}", "{} #notes", "According to {name}, {}", "{} Just so you know.",
    "{} Hope that helps.", "{} Please keep that in mind.", "{} That is important.", "As discussed, {}", "Thanks. {}",
    "Good morning. {}", "Good evening! {}", "Hi there! {}", "Hello, {}", "Hello {name}, {}", "btw {}", "btw: {}",
    "Quick update: {}", "Note to self: {}", "As I said, {}", "Also, {}", "PS: {}", "Oh, {}", "Well, {}", "Look: {}",
    "{} btw", "{} FYI", "{} Thanks!", "{} :)", "{} Cheers, {name}", "Dear all, {}", "{name}, {}", "I think {}",
    "I heard that {}", "Please note that {}", "Did you know? {}", "Hallo, {}", "Bonjour, {}", "Hola, {}",
    "Übrigens: {}",
    "Au fait, {}", "I checked: {}", "Merke: {}", "Notiz: {}", "Nota: {}", "\u00c0 noter : {}", "Por cierto: {}",
    "\u5099\u6ce8\uff1a{}", "\u30e1\u30e2\uff1a{}", "{} {it} {was_noted} {somewhere}.", "{} {it} {was_noted}"
    " {somewhere}.",
    *(("{} {it} {was_noted} {somewhere}.",) * 8), "{it} {was_noted} {somewhere}: {}",
    *(("{said_before} {}", "{} {said_behind}") * 12), *(("{said_before} {} {said_behind}",) * 2),
    "{} ({was_noted} {somewhere})", "{} Reference {code}.", "{} Filed under {code}.",
)  # fmt: skip
"""What surrounds a text without changing how long it holds."""

_SLOT: Final = re.compile(r"\{(\w+)\}")
_LOWERED: Final = re.compile(r"(?:The|We|There|You|Our|At|To|A|An|Two|Three|Someone|Nobody|My|Your|If|All|Every)\b")
_ENDS: Final = re.compile(r"[.!?…。]+$")


def _load(name: str) -> list[Pattern]:
    data = (resources.files("scrubjay") / "data" / name).read_bytes()
    decoder = msgspec.json.Decoder(Pattern)
    return [decoder.decode(line) for line in data.splitlines() if line.strip()]


def load_patterns() -> list[Pattern]:
    """The shipped patterns, in file order."""
    return _load("patterns.jsonl")


def load_paraphrases() -> list[Pattern]:
    """The shipped paraphrase groups, in file order."""
    return _load("paraphrases.jsonl")


def held_out(family: str) -> bool:
    """Whether a paraphrase group belongs to the third that is never trained on; by its name alone."""
    digest = hashlib.sha256(f"third:{family}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2.0**64 < 1 / 3


def filled(template: str, rng: np.random.Generator, *, held_out: bool = False) -> str:
    """A template with each of its slots filled by a random word (`words`), those for what is held out if so wished."""

    def word(match: re.Match[str]) -> str:
        slot = match.group(1)
        if slot == "p":
            slot = "n" if rng.random() < 0.6 else "kin"
        return str(rng.choice(np.asarray(words(slot, held_out=held_out), object)))

    starts = template.startswith("{") or template[:1].islower()
    while _SLOT.search(template):
        template = _SLOT.sub(word, template)
    return template[:1].upper() + template[1:] if starts and template[:1].islower() else template


def in_first_person(template: str) -> str | None:
    """The template said by its person "{p}" of themselves, None where that cannot be told.

    >>> [in_first_person(t) for t in ("{p} is at the {place}.", "{p} watches her diet.", "The {job} is running.")]
    ["I'm at the {place}.", 'I watch my diet.', None]
    """
    if not template.startswith("{p}"):
        return None
    rest = template[3:]
    if rest.startswith("'s "):
        return f"My {rest[3:]}"
    verb, _, said = rest.lstrip().partition(" ")
    if verb in _SELF:
        verb = _SELF[verb]
    elif verb.endswith(("ches", "shes", "oes")):
        verb = verb[:-2]
    elif verb.endswith("ies") and len(verb) > 4:
        verb = f"{verb[:-3]}y"
    elif verb.endswith("s") and not verb.endswith("ss"):
        verb = verb[:-1]
    verb = verb if verb.startswith("'") else f" {verb}"
    said = _OWN.sub(lambda m: _SELF[m.group()], said)
    return f"I{verb} {said}"


def expand(patterns: Sequence[Pattern], fills: int, *, seed: int) -> list[Sentence]:
    """`fills` different sentences per training template, one per held-out template (every third of a family)."""
    out: list[Sentence] = []
    for number, p in enumerate(patterns):
        for place, template in enumerate(p.templates):
            rng = np.random.default_rng([seed, 11, number, place])
            out += _said(p, template, fills, rng, held=place % 3 == 2)
    return out


def expand_groups(groups: Sequence[Pattern], fills: int, *, seed: int) -> list[Sentence]:
    """`fills` different sentences per template of a paraphrase group, about a third of those about a person in the
    first person; the part is that of the group."""
    out: list[Sentence] = []
    for number, p in enumerate(groups):
        for place, template in enumerate(p.templates):
            rng = np.random.default_rng([seed, 15, number, place])
            out += _said(p, template, fills, rng, held=held_out(p.family), self_share=0.35)
    return out


def _said(
    p: Pattern, template: str, fills: int, rng: np.random.Generator, *, held: bool, self_share: float = 0.0
) -> list[Sentence]:
    mine = in_first_person(template) if self_share else None
    texts = {
        filled(mine if mine and rng.random() < self_share else template, rng, held_out=held): None
        for _ in range(fills if not held or self_share else 1)
    }
    part = "held_out" if held else "train"
    return [
        Sentence(text=text, family=p.family, part=part, median_s=p.median_s, shape=p.shape, never=p.never, like="")
        for text in texts
    ]


def swapped(patterns: Sequence[Pattern], count: int, *, seed: int) -> list[tuple[str, str]]:
    """`count` pairs of sentences of one training template: with other words in its slots, or one of them wrapped."""
    rng = np.random.default_rng([seed, 16])
    ways = [
        template
        for p in patterns
        for place, template in enumerate(p.templates)
        if not held_out(p.family) and place % 3 != 2 and "{" in template
    ]
    out = []
    for number in range(count):
        template = ways[int(rng.integers(len(ways)))]
        one, other = (filled(template, rng) for _ in range(2))
        if number % 3 == 2:
            other = wrapped(one, rng) if rng.random() < 0.75 else worn(one, rng)
        out.append((one, other))
    return out


def expires(sentence: Sentence) -> bool:
    """True for an English sentence that can expire and has no time expression yet: one can be added."""
    return sentence.never < 0.5 and not _TIMED.search(sentence.text) and not sentence.family.startswith(FOREIGN)


def anchored(sentence: Sentence, anchor: Anchor, *, leading: bool) -> Sentence:
    """The sentence with a time expression, and the horizon that it then has.

    >>> s = Sentence(text="Mara is in Porto.", family="f", part="train", median_s=8 * DAY, shape=1.0, never=0.0)
    >>> t = anchored(s, ANCHORS[0], leading=False)
    >>> t.text, round(t.median_s / HOUR, 1)
    ('Mara is in Porto right now.', 15.4)
    """
    text = sentence.text.strip()
    if (leading and anchor.before) or not anchor.after:
        first, _, rest = text.partition(" ")
        text = f"{anchor.before}{first.lower() if _LOWERED.fullmatch(first) else first} {rest}".rstrip()
    else:
        end = _ENDS.search(text)
        body, stop = (text[: end.start()], end.group()) if end else (text, "")
        text = f"{body}{anchor.after}{stop}"
    own = sentence.median_s if sentence.never < 0.5 else 36500 * DAY
    median = min(own * anchor.factor, anchor.most) if anchor.factor <= 1.0 else min(own * anchor.factor, 60000 * DAY)
    # an hour that was already shorter than what the words allow stays as it was
    median = max(median, min(own, HOUR))
    never = sentence.never if anchor.factor > 1.0 else 0.0
    return msgspec.structs.replace(sentence, text=text, median_s=median, shape=anchor.shape, never=never)


def renewed(sentence: Sentence, rng: np.random.Generator) -> Sentence | None:
    """The sentence as news: "she now works there", "from now on". Its horizon stays: that something has begun does not
    say that it ends soon. None where no word for it fits.

    >>> s = Sentence(text="Mara works in Porto.", family="f", part="train", median_s=8 * DAY, shape=1.0, never=0.0)
    >>> [renewed(s, np.random.default_rng(i)).text for i in (0, 1)]
    ['Mara works in Porto, effective immediately.', 'As of this week Mara works in Porto.']
    """
    verbs, words = next((row for name, *row in _NEWS if sentence.family.startswith(name)), _NEWS[-1][1:])
    found = re.search(rf"\b({verbs})\b", sentence.text)
    if found is None:
        return None
    word = str(rng.choice(np.asarray(words, object)))
    text = sentence.text
    if word.endswith(" "):
        first, _, rest = text.partition(" ")
        text = f"{word}{first.lower() if _LOWERED.fullmatch(first) else first} {rest}".rstrip()
    elif word[0] in " ,":
        end = _ENDS.search(text)
        text = f"{text[: end.start()]}{word}{end.group()}" if end else f"{text}{word}"
    else:
        text = f"{text[: found.start()]}{word.replace('_', found.group())}{text[found.end() :]}"
    return msgspec.structs.replace(sentence, text=text)


def joined(first: Sentence, second: Sentence) -> Sentence:
    """Both in one text: it holds as long as both do, S = S1 S2, as the Weibull curve of the one that ends sooner with
    the median of the product.

    >>> a = Sentence(text="It rains.", family="f", part="train", median_s=DAY, shape=1.0, never=0.0)
    >>> b = Sentence(text="Iron rusts.", family="g", part="train", median_s=9e4 * DAY, shape=1.0, never=0.98)
    >>> t = joined(a, b)
    >>> t.text, round(t.median_s / DAY, 2), t.never
    ('It rains. Iron rusts.', 1.0, 0.0)
    """
    ages = np.geomspace(60.0, 60000.0 * DAY, 400)
    never = first.never * second.never
    left = (first.survival(ages) * second.survival(ages) - never) / (1.0 - never)
    sooner = first if first.survival(ages).sum() <= second.survival(ages).sum() else second
    # the last age at which more than half of what ends at all still holds
    median = float(np.interp(-0.5, -left, ages))
    body = first.text if _ENDS.search(first.text) else f"{first.text}."
    gap = "" if body[-1] in "\u3002\uff01" else " "
    return msgspec.structs.replace(sooner, text=f"{body}{gap}{second.text}", median_s=median, never=never)


def worn(text: str, rng: np.random.Generator) -> str:
    """The text as people type it: without capitals, without the stop, or with another one."""
    choice = int(rng.integers(4))
    end = _ENDS.search(text)
    body = text[: end.start()] if end else text
    return (body, text.lower(), body.lower(), f"{body}!")[choice]


def wrapped(text: str, rng: np.random.Generator) -> str:
    """The text inside a random wrapper."""
    wrapper = str(rng.choice(np.asarray(WRAPPERS, object)))
    return filled(wrapper.replace("{}", "\0"), rng).replace("\0", text)


def augmented(sentences: Sequence[Sentence], *, seed: int, anchors: int, wrappers: int) -> list[Sentence]:
    """New sentences from those of the train part: `anchors` with a time expression (of each that can expire and has no
    time expression yet), some as news, some joined with another, and `wrappers` wrapped or worn, changed ones among
    them."""
    out: list[Sentence] = []
    train = [s for s in sentences if s.part == "train"]
    partners = [s for s in train if not s.family.startswith(_CHAT) and len(s.text) < 120]
    lasting = [s for s in partners if s.never >= 0.9 and not s.family.startswith(FOREIGN)]
    for number, s in enumerate(train):
        rng = np.random.default_rng([seed, 12, number])
        mine = [s]
        if expires(s):
            for choice in rng.choice(len(ANCHORS), anchors, replace=False):
                anchor = ANCHORS[int(choice)]
                if anchor.most > 2 * DAY or s.median_s < 400 * DAY:
                    bound = anchored(s, anchor, leading=bool(rng.random() < 0.4))
                    # what happened is dated by such a time, not bounded
                    mine += [bound] if without_date(bound.text) == bound.text else []
        if rng.random() < 0.6 and s.median_s >= 14 * DAY and not _TIMED.search(s.text):
            news = renewed(s, rng)
            mine += [] if news is None else [news]
        if rng.random() < 0.5 and partners and not s.family.startswith(_CHAT):
            some = lasting if lasting and rng.random() < 0.5 else partners
            other = some[int(rng.integers(len(some)))]
            mine.append(joined(s, other) if rng.random() < 0.5 else joined(other, s))
        if lasting and s.never < 0.05 and rng.random() < 0.5 and not s.family.startswith((*_CHAT, *FOREIGN)):
            # what ends does so whatever else is said that lasts
            other = lasting[int(rng.integers(len(lasting)))]
            mine.append(joined(s, other) if rng.random() < 0.5 else joined(other, s))
        out += mine[1:]
        for choice in rng.permutation(len(mine))[:wrappers]:
            text = mine[int(choice)].text
            text = wrapped(text, rng) if rng.random() < 0.75 else worn(text, rng)
            out.append(msgspec.structs.replace(mine[int(choice)], text=text))
    return out


_NEWS: Final = (
    ("deutsch", "ist|sitzt|wohnt|arbeitet|spielt|trinkt", ("_ jetzt", "_ nun", "_ seit kurzem", " ab sofort")),
    ("francais", "est|habite|travaille|joue", ("_ maintenant", "_ désormais", " à partir de maintenant")),
    ("espanol", "está|vive|trabaja|es|toca", ("ahora _", "_ ahora", " a partir de ahora")),
    (
        "",
        "is|are|works|lives|uses|plays|owns|prefers|runs|has|leads|takes",
        (
            "_ now",
            "now _",
            " now",
            " from now on",
            "From now on ",
            "From now on, ",
            "As of today, ",
            "As of this week ",
            "Starting today, ",
            "Now ",
            "News: ",
            " as of today",
            ", effective immediately",
            " (changed)",
            " starting this week",
        ),
    ),
)
"""Beginning of a family's name, verbs, and how news is worded around one of them ("_")."""
FOREIGN: Final = (
    *(
        f"{code}_"
        for code in ("ar", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh", "zht")
    ),
    "deutsch",
    "francais",
    "espanol",
    "italiano",
    "portugues",
    "german",
    "french",
    "spanish",
    "italian",
    "chinese",
    "japanese",
    "romance",
    "cjk_",
)
"""Families that are not English: English time words do not fit them."""
_CHAT: Final = ("question", "thanks", "small_talk", "chat_style")
"""Families that say nothing: joined to a statement they take nothing from it."""
_SELF: Final = {
    "is": "'m", "has": "have", "does": "do", "was": "was", "can": "can", "must": "must", "may": "may", "will": "will",
    "just": "just", "never": "never", "always": "always", "cannot": "cannot", "can't": "can't", "her": "my",
    "his": "my", "she": "I", "still": "still", "now": "now", "no": "no", "would": "would",
}  # fmt: skip
_OWN: Final = re.compile(r"\b(?:her|his|she)\b")
_TIMED: Final = re.compile(
    r"\b(now|today|tonight|tomorrow|yesterday|moment|currently|until|till|this (?:morning|afternoon|evening|week|month"
    r"|year|sprint|quarter)|week|month|year|day|days|hour|minutes?|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|soon|later|since|always|never|no longer|\d{4})\b",
    re.IGNORECASE,
)
