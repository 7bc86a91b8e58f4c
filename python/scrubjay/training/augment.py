"""More to learn from than was written down: patterns filled in, time words added, wrappings that change nothing.

Three tables of data. A *pattern* is a sentence with slots and a labelled horizon (`data/patterns.jsonl`); two thirds of
each family's patterns are for training. An *anchor* is a time expression ("right now", "until Friday") that bounds how
long whatever it is attached to holds. A *wrapper* is what tools and people put around a text (a speaker, a date, a
reference): the horizon stays what it was. All choices follow from a seed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import Final, NamedTuple

import msgspec
import numpy as np

from scrubjay.encode.curves import DAY
from scrubjay.training.observations import Sentence

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
    Anchor("Right now ", " right now", 3 * DAY, 0.02, 1.0),
    Anchor("At the moment ", " at the moment", 21 * DAY, 0.05, 1.0),
    Anchor("Just now ", " just now", 1 * DAY, 0.02, 1.0),
    Anchor("For now ", " for now", 30 * DAY, 0.1, 1.0),
    Anchor("", " for the time being", 60 * DAY, 0.15, 1.0),
    Anchor("", " temporarily", 30 * DAY, 0.1, 1.0),
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
    Anchor("Currently ", " currently", 4000 * DAY, 0.7, 1.0),
    Anchor("These days ", " these days", 1500 * DAY, 0.6, 1.0),
    Anchor("", " nowadays", 2000 * DAY, 0.8, 1.0),
    Anchor("As always ", " as always", 30000 * DAY, 2.0, 1.0),
    Anchor("", " for good", 30000 * DAY, 3.0, 1.0),
)
"""Medians are one author's judgement, like those of the sentences."""

WRAPPERS: Final = (
    "Note: {}", "FYI: {}", "Reminder: {}", "{} (noted by {name})", "{name}: {}", "User: {}", "[user] {}",
    "[{date}] {}", "{date} {clock} {}", "{} [ref {number}]", "{} Source: call notes.", "From the chat: {}",
    "{name} says: {}", "{name} told me: {}", "- {}", "* {}", "{} (entry {number})", "Memory {number}: {}",
    "Observation: {}", "{} #notes", "According to {name}, {}", "{} {it} {was_noted} {somewhere}.",
    "{} {it} {was_noted} {somewhere}.", "{} {it} {was_noted} {somewhere}.", "{it} {was_noted} {somewhere}: {}",
    "{} ({was_noted} {somewhere})", "{} Reference {code}.", "{} Filed under {code}.",
)  # fmt: skip
"""What surrounds a text without changing how long it holds."""

SLOTS: Final[dict[str, tuple[str, ...]]] = {
    "n": ("Mara", "Tobias", "Yuki", "Leila", "Kofi", "Sven", "Priya", "Hugo", "Nadia", "Oskar", "Wanjiru", "Felipe"),
    "n2": ("Ines", "Bram", "Chiara", "Tarek", "Signe", "Pavel", "Aiko", "Ruben", "Malik", "Greta"),
    "name": ("Joel", "Vera", "Samir", "Kirsten", "Dario", "Anouk", "Lewis", "Zeynep"),
    "place": ("lobby", "canteen", "warehouse", "library", "pharmacy", "platform", "workshop", "gym", "harbour"),
    "room": ("2.07", "Atlas", "Linden", "B14", "Copper", "31", "Orchid", "5-110"),
    "file": ("notes.md", "config.yaml", "router.ts", "billing.py", "schema.sql", "Makefile", "report.tex", "app.css"),
    "project": ("Kestrel", "Saltmarsh", "Juniper", "Pylon", "Quarry", "Lighthouse", "Ember", "Tidepool"),
    "module": ("login page", "importer", "billing service", "search index", "mobile app", "cache layer", "scheduler"),
    "job": ("backup", "import", "nightly batch", "data export", "training run", "index rebuild", "load test"),
    "doc": ("quarterly report", "travel claim", "offer", "budget plan", "contract", "slide deck", "survey", "manual"),
    "meeting": ("planning round", "retro", "board meeting", "kick-off", "budget talk", "interview", "stand-up"),
    "tool": ("Postgres", "Figma", "Emacs", "Excel", "Terraform", "Notion", "Redis", "Blender", "SQLite", "Jira"),
    "org": ("Halvorsen & Co", "the city library", "Meridian Foods", "Arbor Bank", "the tax office", "Polaris Labs"),
    "city": ("Porto", "Ghent", "Leeds", "Turin", "Oslo", "Accra", "Kyoto", "Valparaiso", "Graz", "Tartu"),
    "food": ("lentil soup", "sushi", "pierogi", "mango", "ramen", "olives", "rye bread", "risotto"),
    "language": ("Portuguese", "Rust", "Japanese", "Python", "Welsh", "Go", "Arabic", "Haskell"),
    "version": ("4.2.1", "1.19", "2024.3", "v0.8.5", "12.0-rc2", "3.11.4"),
    "clock": ("14:30", "9:15", "16:00", "11:45", "17:20"),
    "day": ("Thursday", "Monday", "the 14th", "Saturday", "3 June", "next Tuesday"),
    "date": ("2023-05-17", "2024-11-02", "2021-08-30", "12.03.2024"),
    "number": ("17", "204", "3", "58", "1182"),
    "it": ("It", "This", "That", "The above", "All this", "This entry"),
    "was_noted": (
        "was noted", "was written down", "has been recorded", "was mentioned", "was saved", "was reported",
        "was entered", "came up", "was stored", "was picked up", "is kept",
    ),
    "somewhere": (
        "in session {number}", "during the weekly call", "on page {number}", "under {code}", "by {name}",
        "in the minutes", "as item {number}", "in step {number} of the run", "in ticket {code}", "in my diary",
        "in note {code}", "at the stand-up", "in thread {number}", "with tag {code}", "for {name}",
    ),
    "code": ("K4-11", "B7", "N-203", "X19", "QA-5"),
}  # fmt: skip
_SLOT: Final = re.compile(r"\{(\w+)\}")
_LOWERED: Final = re.compile(r"(?:The|We|There|You|Our|At|To|A|An|Two|Three|Someone|Nobody|My|Your|If|All|Every)\b")
_ENDS: Final = re.compile(r"[.!?…。]+$")


def load_patterns() -> list[Pattern]:
    """The shipped patterns, in file order."""
    data = (resources.files("scrubjay") / "data" / "patterns.jsonl").read_bytes()
    decoder = msgspec.json.Decoder(Pattern)
    return [decoder.decode(line) for line in data.splitlines() if line.strip()]


def filled(template: str, rng: np.random.Generator) -> str:
    """A template with each of its slots filled by a random word of `SLOTS`."""
    while _SLOT.search(template):
        template = _SLOT.sub(lambda m: str(rng.choice(np.asarray(SLOTS[m.group(1)], object))), template)
    return template


def expand(patterns: Sequence[Pattern], fills: int, *, seed: int) -> list[Sentence]:
    """`fills` different sentences per training template, one per held-out template (every third of a family)."""
    out: list[Sentence] = []
    for number, p in enumerate(patterns):
        for place, template in enumerate(p.templates):
            rng = np.random.default_rng([seed, 11, number, place])
            part = "held_out" if place % 3 == 2 else "train"
            texts = {filled(template, rng): None for _ in range(fills if part == "train" else 1)}
            out += [
                Sentence(
                    text=text, family=p.family, part=part, median_s=p.median_s, shape=p.shape, never=p.never, like=""
                )
                for text in texts
            ]
    return out


def expires(sentence: Sentence) -> bool:
    """True for an English sentence that can expire and has no time expression yet: one can be added."""
    return sentence.never < 0.5 and not _TIMED.search(sentence.text) and not sentence.family.startswith(_FOREIGN)


def anchored(sentence: Sentence, anchor: Anchor, *, leading: bool) -> Sentence:
    """The sentence with a time expression, and the horizon that it then has.

    >>> s = Sentence(text="Mara is in Porto.", family="f", part="train", median_s=8 * DAY, shape=1.0, never=0.0)
    >>> t = anchored(s, ANCHORS[0], leading=False)
    >>> t.text, round(t.median_s / HOUR, 1)
    ('Mara is in Porto right now.', 3.8)
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
    ['Mara works in Porto from now on.', 'Mara now works in Porto.']
    """
    verbs, words = next((row for name, *row in _NEWS if sentence.family.startswith(name)), _NEWS[-1][1:])
    found = re.search(rf"\b({verbs})\b", sentence.text)
    if found is None:
        return None
    word = str(rng.choice(np.asarray(words, object)))
    text = sentence.text
    if word.startswith(" "):
        end = _ENDS.search(text)
        text = f"{text[: end.start()]}{word}{end.group()}" if end else f"{text}{word}"
    else:
        text = f"{text[: found.start()]}{word.replace('_', found.group())}{text[found.end() :]}"
    return msgspec.structs.replace(sentence, text=text)


def wrapped(text: str, rng: np.random.Generator) -> str:
    """The text inside a random wrapper."""
    wrapper = str(rng.choice(np.asarray(WRAPPERS, object)))
    return filled(wrapper.replace("{}", "\0"), rng).replace("\0", text)


def augmented(sentences: Sequence[Sentence], *, seed: int, anchors: int, wrappers: int) -> list[Sentence]:
    """New sentences from those of the train part: `anchors` with a time expression (of each that can expire and has no
    time expression yet) and `wrappers` wrapped, anchored ones among them."""
    out: list[Sentence] = []
    for number, s in enumerate(sentences):
        if s.part != "train":
            continue
        rng = np.random.default_rng([seed, 12, number])
        mine = [s]
        if expires(s):
            for choice in rng.choice(len(ANCHORS), anchors, replace=False):
                mine.append(anchored(s, ANCHORS[int(choice)], leading=bool(rng.random() < 0.4)))
        if rng.random() < 0.6 and not _TIMED.search(s.text):
            news = renewed(s, rng)
            mine += [] if news is None else [news]
        out += mine[1:]
        for choice in rng.permutation(len(mine))[:wrappers]:
            out.append(msgspec.structs.replace(mine[int(choice)], text=wrapped(mine[int(choice)].text, rng)))
    return out


_NEWS: Final = (
    ("deutsch", "ist|sitzt|wohnt|arbeitet|spielt|trinkt", ("_ jetzt", "_ nun", "_ seit kurzem")),
    ("francais", "est|habite|travaille|joue", ("_ maintenant", "_ désormais")),
    ("espanol", "está|vive|trabaja|es|toca", ("ahora _", "_ ahora")),
    ("", "is|are|works|lives|uses|plays|owns|prefers|runs|has|leads|takes", ("_ now", "now _", " now", " from now on")),
)
"""Beginning of a family's name, verbs, and how news is worded around one of them ("_")."""
_FOREIGN: Final = ("deutsch", "francais", "espanol", "german", "romance")
"""Families that are not English: English time words do not fit them."""
_TIMED: Final = re.compile(
    r"\b(now|today|tonight|tomorrow|yesterday|moment|currently|until|till|this (?:morning|afternoon|evening|week|month"
    r"|year|sprint|quarter)|week|month|year|day|days|hour|minutes?|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|soon|later|since|always|never|no longer|\d{4})\b",
    re.IGNORECASE,
)
