"""Pairs of what is said of one subject and competes with nothing: "Marta is allergic to nuts", "Marta leads the team".

A person and a thing have many attributes, and two statements that share no more than their subject hold side by side.
Sentences of different families (`data/families.jsonl`) are given one subject: a leading name, "she" or "the user" is
exchanged for that of the pair; what begins with "I" or "my", "we" or "our" has one already. Left out are families of
which the names share a word, since they may say the same sort of thing, and two states that hardly last a day, of which
one may end the other ("is asleep", "is at the dentist").

>>> rest("Marta leads the team.", {"the", "team"})
('name', ' leads the team.')
>>> rest("My bike is blue.", set())
('I', 'My bike is blue.')
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

import numpy as np

from scrubjay.slots.tense import VERBS
from scrubjay.training.observations import Sentence
from scrubjay.training.slot_pairs import Pairs, Vectors

SUBJECTS: Final = {
    "name": (
        "Marta", "Jonas Abel", "Keiko", "Samuel Osei", "Ilse", "Pedro", "The user", "User", "She", "He", "My sister",
        "Anika Rao", "Louis", "Mrs Haddad", "Viktor", "Grace", "Our neighbour", "Henrik",
    ),
    "thing": (
        "The lift", "The north pump", "The printer", "Kestrel", "Server db-4", "The old bridge", "The van", "Osprey",
        "The library", "The archive", "Larkspur", "Ticket 881", "The blue house",
    ),
}  # fmt: skip
"""Subjects that a pair may be given, by the kind of what they take the place of."""
DAY: Final = 86_400.0
CANDIDATES: Final = 24
"""Sentences of the same kind among which each other partner is the nearest: half of the pairs are hard."""

_NAMED: Final = re.compile(r"(?:(?:Mrs?|Ms|Dr)\.? )?[A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)?(?='s | [a-z])")
_THING: Final = re.compile(r"The [a-z]+(?: [a-z]+)?(?= [a-z])")
_OWN: Final = {"I": "I", "My": "I", "I'm": "I", "I've": "I", "We": "we", "Our": "we", "We're": "we"}
_PRONOUNS: Final = ("She", "He", "User")
_HIS: Final = {"She": "Her", "He": "His"}


class Said(NamedTuple):
    """A sentence without its subject."""

    rest: str
    of: Sentence


def rest(text: str, common: Set[str]) -> tuple[str, str] | None:
    """(kind of subject, what is said of it) where the text begins with a subject that can be told, else None.
    `common`: words that are no names, in lower case."""
    if text.split(" ", 1)[0] in _OWN:
        return _OWN[text.split(" ", 1)[0]], text
    named = re.match(r"The user(?= )", text) or _NAMED.match(text)
    if named and (named.group().split()[-1].lower() not in common or named.group() in (*_PRONOUNS, "The user")):
        kind = "name"
    else:
        named, kind = _THING.match(text), "thing"
    if not named:
        return None
    said = text[named.end() :]
    first = said.split(None, 1)[0]
    acts = first in VERBS or (len(first) > 3 and first.endswith("s") and first.islower() and kind == "name")
    return (kind, said) if acts or first == "'s" else None


def subject_pairs(
    sentences: Sequence[Sentence], vectors: Vectors, *, held_out: bool = False, each: int = 8, seed: int = 0
) -> Pairs:
    """`each` pairs for every sentence that has a subject, of the families for training or of those held out; every
    other partner is the nearest of a few by `vectors`."""
    rng = np.random.default_rng(seed)
    part = "held_out" if held_out else "train"
    common = {word for s in sentences for word in re.findall(r"(?<!^)\b[a-z]+\b", s.text)}
    by_kind: dict[str, list[Said]] = defaultdict(list)
    for sentence in sentences:
        found = rest(sentence.text, common) if sentence.part == part else None
        if found:
            by_kind[found[0]].append(Said(found[1], sentence))
    out = Pairs()
    for kind, said in by_kind.items():
        table = vectors([s.rest.strip() for s in said])
        subjects = SUBJECTS.get(kind, ("",))
        for at, one in enumerate(said):
            for n in range(each):
                drawn = rng.integers(0, len(said), CANDIDATES).tolist()
                fit = [i for i in drawn if _side_by_side(one.of, said[i].of)]
                if fit:
                    other = said[fit[0] if n % 2 else fit[int(np.argmax(table[fit] @ table[at]))]]
                    subject = subjects[int(rng.integers(len(subjects)))]
                    out.add(_say(subject, one.rest), _say(subject, other.rest), False, f"shared {kind}")
    return out


def _side_by_side(one: Sentence, other: Sentence) -> bool:
    """Whether both may well be true of one subject, as far as their families tell."""
    shared = {word.rstrip("s") for word in one.family.split("_")} & {w.rstrip("s") for w in other.family.split("_")}
    return not shared and max(one.median_s, other.median_s) >= DAY


def _say(subject: str, said: str) -> str:
    return _HIS[subject] + said[2:] if subject in _HIS and said.startswith("'s") else subject + said
