"""Pairs of statements to learn competition from: facts with a history, and scenes of everyday memories.

Facts: two values of one (kind, subject, attribute) that held one after the other compete; two that held at the same
time do not (the attribute has many values). Hard negatives are the nearest texts of other keys and other facts of the
same subject. Some facts are retold in other words, so that their sentence patterns are not what is learned.

Scenes (`slots.jsonl`, `lives.jsonl` and `plans.jsonl` of `scrubjay/data`, ours): {"scene", "slots": [[statements that
replace one another], ...], "alone": [statements of their own]}; statements of one slot compete, all others do not.
Names and numbers that two statements share are exchanged in one of them to get negatives that differ in the subject
alone.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import combinations, pairwise
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.evaluate.validity import Facts
from scrubjay.slots.statements import statement

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to unit rows."""

PER_KEY: Final = 5
"""Pairs of versions taken from one key."""
ANCHORS: Final = 700
"""Texts of a kind for which negatives are looked for."""
NEAR: Final = 40
"""Nearest texts among which `TAKEN` are drawn as hard negatives."""
TAKEN: Final = 6
RETOLD: Final = 60
"""Keys of a kind that are retold."""

RETELLINGS: Final = {
    "latest_patch": ("{subj}: newest release {value}", "{subj} is currently at version {value}.",
                     "{value} is out for {subj}."),
    "eol_date": ("{subj} will not be maintained after {value}.", "End of life for {subj}: {value}"),
    "support_date": ("{subj} is actively supported until {value}.", "Support for {subj} stops on {value}."),
    "leg_office": ("{subj} can be found at {value}.", "{subj}'s office is now at {value}."),
    "leg_party": ("{subj} is a {value}.", "Party of {subj}: {value}"),
    "leg_seat": ("{subj} was elected {value}.", "{subj}'s seat: {value}"),
    "committee_role": ("On the {attr}, {subj} is {value}.", "{subj} acts as {value} of the {attr}."),
    "committee_member": ("{subj} sits on the {attr}.",),
    "isMarriedTo": ("{subj}'s spouse is {value}.", "{subj} and {value} are married."),
    "playsFor": ("{subj}'s team is {value}.", "{subj} is under contract with {value}."),
    "worksAt": ("{subj} has a job at {value}.", "{subj}'s employer is {value}."),
    "owns": ("{value} is owned by {subj}.",),
    "isAffiliatedTo": ("{subj} is a member of {value}.", "{subj}'s party is {value}."),
}  # fmt: skip
"""Other words for the facts of a kind; a kind without an entry is not retold."""


@dataclass
class Pairs:
    """Pairs of texts, whether they compete, and the group (kind or scene) that each is from."""

    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    same: list[bool] = field(default_factory=list)
    group: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.left)

    def add(self, left: str, right: str, same: bool, group: str) -> None:
        """One more pair; a text is never paired with itself."""
        if left != right:
            self.left.append(left)
            self.right.append(right)
            self.same.append(same)
            self.group.append(group)

    def extend(self, other: Pairs) -> None:
        """All pairs of another list."""
        self.left += other.left
        self.right += other.right
        self.same += other.same
        self.group += other.group

    @property
    def texts(self) -> list[str]:
        """Every text once."""
        return list(dict.fromkeys(self.left + self.right))


def fact_pairs(facts: Facts, vectors: Vectors, *, seed: int = 0) -> Pairs:
    """Pairs from facts (one side of a split). `vectors` finds the hard negatives, for every variant of the model."""
    rng = np.random.default_rng(seed)
    once: dict[str, int] = {}
    for i, text in enumerate(facts.text):
        once.setdefault(str(text), i)
    rows = np.array(sorted(once.values()), np.int64)
    key = [(facts.kind[i], facts.subject[i], facts.attribute[i]) for i in range(len(facts))]
    by_key: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    by_subject: dict[str, list[int]] = defaultdict(list)
    by_kind: dict[str, list[int]] = defaultdict(list)
    for i in rows.tolist():
        by_key[key[i]].append(i)
        by_subject[facts.subject[i]].append(i)
        by_kind[facts.kind[i]].append(i)

    def together(a: int, b: int) -> bool:
        def end(i: int) -> int:
            return int(facts.end[i]) if facts.ended[i] else np.iinfo(np.int64).max

        return bool(facts.start[a] < end(b) and facts.start[b] < end(a))

    single = {k: _single_valued(facts, by_key, k) for k in by_kind}
    out = Pairs()
    for (kind, _, _), own in by_key.items():
        pairs = list(combinations(own, 2))
        for n in rng.permutation(len(pairs))[:PER_KEY].tolist():
            a, b = pairs[n]
            if facts.value[a] != facts.value[b]:
                out.add(facts.text[a], facts.text[b], single[kind] or not together(a, b), kind)
    table = vectors([str(facts.text[i]) for i in rows])
    place = {int(i): n for n, i in enumerate(rows)}
    for kind, own in by_kind.items():
        anchors = rng.permutation(own)[:ANCHORS].tolist()
        near = _nearest(table, [place[i] for i in anchors])
        retold = 0
        for i, found in zip(anchors, near, strict=True):
            strangers = [int(rows[n]) for n in rng.permutation(found) if key[rows[n]] != key[i]]
            family = [j for j in rng.permutation(by_subject[facts.subject[i]]).tolist() if key[j] != key[i]]
            for j in [*strangers[:TAKEN], *family[:3], *rng.choice(rows, 1).tolist()]:
                if key[j] != key[i]:
                    out.add(facts.text[i], facts.text[j], False, kind)
            told = RETELLINGS.get(kind)
            if told is None or retold >= RETOLD:
                continue
            retold += 1
            others = [j for j in by_key[key[i]] if facts.value[j] != facts.value[i]]
            words = told[int(rng.integers(len(told)))]

            def tell(j: int, words: str = words) -> str:
                return words.format(subj=facts.subject[j], value=facts.value[j], attr=facts.attribute[j])

            for j in others[:2]:
                out.add(facts.text[i], tell(j), single[kind] or not together(i, j), kind)
            for j in [j for j in strangers if facts.kind[j] == kind][:2]:
                out.add(facts.text[i], tell(j), False, kind)
            for j in family[:1]:
                out.add(facts.text[j], tell(i), False, kind)
    return out


def _single_valued(facts: Facts, by_key: dict[tuple[str, str, str], list[int]], kind: str) -> bool:
    """Whether versions of a key of this kind hardly ever hold together: then an overlap is a slip of the data."""
    overlap = total = 0
    for (of, _, _), own in by_key.items():
        if of != kind:
            continue
        ordered = sorted(own, key=lambda i: int(facts.start[i]))
        for a, b in pairwise(ordered):
            total += 1
            overlap += not facts.ended[a] or bool(facts.end[a] > facts.start[b])
    return total > 0 and overlap / total < 0.05


def _nearest(table: NDArray[np.float32], rows: Sequence[int]) -> list[NDArray[np.int64]]:
    found: list[NDArray[np.int64]] = []
    take = min(NEAR, table.shape[0])
    for a in range(0, len(rows), 256):
        close = table[np.asarray(rows[a : a + 256])] @ table.T
        found += list(np.argpartition(-close, take - 1, axis=1)[:, :take].astype(np.int64))
    return found


class Scene(msgspec.Struct, frozen=True):
    """A handful of memories of one situation."""

    scene: str
    slots: tuple[tuple[str, ...], ...]
    alone: tuple[str, ...]

    @property
    def held_out(self) -> bool:
        """Whether it belongs to the third that is never trained on; by its name alone."""
        digest = hashlib.sha256(f"third:{self.scene}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2.0**64 < 1 / 3

    @property
    def statements(self) -> list[tuple[str, int]]:
        """(text, number of its slot), without the questions: those never compete by rule."""
        slots = [*self.slots, *((text,) for text in self.alone)]
        return [(text, n) for n, slot in enumerate(slots) for text in slot if not statement(text).asks]


def load_scenes(name: str = "slots.jsonl") -> list[Scene]:
    """The shipped scenes of a file of `data`: `slots.jsonl`, where nearly all is changed, or `lives.jsonl`, where a
    person or a thing has many attributes, or `plans.jsonl`, of meetings, rooms, plans and couples, where who says what
    is new often says why."""
    decoder = msgspec.json.Decoder(Scene)
    with (files("scrubjay") / "data" / name).open("rb") as stream:
        return [decoder.decode(line) for line in stream if line.strip()]


def scene_pairs(scenes: Sequence[Scene], *, cross: int = 3, seed: int = 0) -> Pairs:
    """Every pair within a scene, and `cross` random texts of other scenes for each text."""
    rng = np.random.default_rng(seed)
    pool = [text for scene in scenes for text, _ in scene.statements]
    out = Pairs()
    for scene in scenes:
        statements = scene.statements
        own = {text for text, _ in statements}
        for (a, x), (b, y) in combinations(statements, 2):
            out.add(a, b, x == y, scene.scene)
        for a, _ in statements:
            for n in rng.integers(0, len(pool), cross).tolist():
                if pool[n] not in own:
                    out.add(a, pool[n], False, scene.scene)
    return out


_NAME: Final = re.compile(r"\b[A-ZÄÖÜ][^\W\d_]{2,}\b")
_CODE: Final = re.compile(r"\b(?:[A-Z]{2,}-)?\d[\w.:/-]*\b")
_NOT_NAMES: Final = frozenset(
    (
        "The",
        "This",
        "That",
        "Our",
        "From",
        "Das",
        "Die",
        "Der",
        "These",
        "Please",
        "Currently",
        "Current",
        "User",
        "Now",
    )
)


def swapped_pairs(scenes: Sequence[Scene], *, seed: int = 0) -> Pairs:
    """Negatives that differ in the subject alone: a name or number common to two competing statements is exchanged in
    one of them for one of another scene."""
    rng = np.random.default_rng(seed)
    names = sorted({n for s in scenes for t, _ in s.statements for n in _NAME.findall(t[1:])} - _NOT_NAMES)
    codes = sorted({n for s in scenes for t, _ in s.statements for n in _CODE.findall(t)})
    out = Pairs()
    for scene in scenes:
        for slot in scene.slots:
            for a, b in combinations(slot, 2):
                for pattern, pool in ((_NAME, names), (_CODE, codes)):
                    common = sorted((set(pattern.findall(a)) & set(pattern.findall(b))) - _NOT_NAMES)
                    for old in common[:1]:
                        new = pool[int(rng.integers(len(pool)))]
                        if new not in a and new not in b:
                            out.add(a, re.sub(rf"\b{re.escape(old)}\b", new, b), False, scene.scene)
    return out


def restated_pairs(scenes: Sequence[Scene], *, seed: int = 0) -> Pairs:
    """Statements of a slot and their own words with other names and numbers. What the other statements of the slot do
    not share is the value: with another one the two compete. What they all share is the subject: with another one they
    do not, whether the value is the same or not."""
    rng = np.random.default_rng(seed)
    pool = sorted({token for s in scenes for t, _ in s.statements for token in _tokens(t[1:])})
    names, codes = ([t for t in pool if bool(_CODE.match(t)) is coded] for coded in (False, True))
    out = Pairs()
    for scene in scenes:
        for slot in scene.slots:
            for text in slot:
                known = Counter(token for other in slot if other != text for token in _tokens(other))
                drawn = {
                    old: some[int(rng.integers(len(some)))]
                    for old in sorted(_tokens(text))
                    for some in (codes if _CODE.match(old) else names,)
                }
                value = {old: new for old, new in drawn.items() if not known[old] and old in text[1:]}
                subject = {old: new for old, new in drawn.items() if known[old] == len(slot) - 1}
                if value:
                    out.add(text, _exchange(text, value), True, scene.scene)
                if subject:
                    out.add(text, _exchange(text, subject), False, scene.scene)
                    out.add(text, _exchange(text, value | subject), False, scene.scene)
    return out


def _tokens(text: str) -> set[str]:
    return (set(_NAME.findall(text)) | set(_CODE.findall(text))) - _NOT_NAMES


def _exchange(text: str, new: Mapping[str, str]) -> str:
    return re.sub("|".join(rf"\b{re.escape(old)}\b" for old in new), lambda found: new[found.group()], text)
