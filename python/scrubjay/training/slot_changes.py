"""Changes that only another word shows: "moved to Vienna" after "lives in Hamburg", in several languages.

A change is an attribute of a subject with ways to state it (a value each), ways to say that it ended or changed, and
statements that are near and yet about something else: what somebody visited is not where they live. They are lines of
`data/changes.jsonl`; two thirds are for training, the others are held out whole, by name. The texts are ours.

>>> changes = load_changes()
>>> 0.2 < sum(c.held_out for c in changes) / len(changes) < 0.5
True
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

import msgspec
import numpy as np

from scrubjay.training.slot_pairs import Pairs

_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "s": ("Marta", "Jonas Abel", "Keiko", "Samuel", "Ilse", "Pedro Alves", "my sister", "the user", "Anika", "Louis",
          "my neighbour", "Viktor", "Grace Mbeki", "Henrik", "our landlord", "I"),
    "s2": ("Oskar", "my cousin", "Nadia", "Bruno Falk", "Tamar", "Wei", "my brother", "Yara"),
    "city": ("Ghent", "Osaka", "Leeds", "Quito", "Adelaide", "Graz", "Tartu", "Lyon", "Porto", "Boston", "Basel"),
    "org": ("Nordwind", "Kestrel Labs", "the city hospital", "Blue Harbor Bank", "Tessera AG", "a start-up",
            "Omega Foods", "the university", "Corvo Press", "Zenith"),
    "car": ("red car", "grey estate car", "small electric car", "blue van", "diesel", "Volvo", "Fiat", "pick-up truck"),
    "n": ("two", "three", "four", "five", "one", "six"),
    "room": ("B12", "room C4", "the atrium", "Hall 9", "room 2.07", "the big room on floor 3", "Kepler"),
    "event": ("the design review", "the retro", "the board meeting", "the workshop", "the interview", "the seminar"),
    "clock": ("9:30", "ten", "half past four", "15:00", "noon", "8 am", "17:45", "quarter past two"),
    "day": ("Monday", "Tuesday", "Thursday", "Friday", "the 12th", "3 May", "Wednesday"),
    "thing": ("the build", "the lift", "the printer", "the heating", "the staging server", "the north gate"),
    "task": ("ticket 881", "the migration", "the report", "the audit", "project Osprey", "the import", "the contract"),
    "team": ("the payments team", "project Heron", "the search service", "the sales department", "the canteen"),
    "amount": ("12 euros", "49 euros", "900 euros", "1,200 euros", "35 euros", "80 euros", "7 euros"),
    "tool": ("Vim", "Emacs", "Nano", "VS Code", "Zed", "Sublime", "Helix", "Kate"),
    "person": ("Bruno", "Tamar", "Wei", "Yara", "Olaf", "Chiara", "Dov", "Mina"),
    "subject": ("physics", "law", "history", "medicine", "music", "economics"),
    "number": ("555 0134", "555 0922", "4471", "8820", "1093", "555 7716"),
    "version": ("1.4.2", "2.0", "7.3", "7.11", "2024.1", "5.15"),
    "age": ("34", "35", "36", "41", "42"),
    "weight": ("71", "74", "78", "82"),
    "club": ("FC Almaviva", "Riverside United", "Sporting Velan", "Ajax", "the Rivermen", "Vale Rovers"),
    "mood": ("tired", "happy", "stressed", "sad", "cheerful", "anxious"),
    "de": ("Jonas", "Frau Keller", "meine Schwester", "der Nutzer", "Svenja", "Herr Brandt"),
    "fr": ("Camille", "ma sœur", "Bastien", "l'utilisateur", "Manon", "Amadou"),
    "es": ("Lucía", "mi hermana", "Andrés", "el usuario", "Ximena", "Iker"),
    "it": ("Giulia", "mia sorella", "Davide", "Elena"),
    "zh": ("小明", "李华", "王芳", "张伟", "陈静"),
    "ja": ("田中さん", "佐藤さん", "由美", "健太", "鈴木さん"),
    "zcity": ("北京", "上海", "成都", "广州", "杭州"),
    "jcity": ("東京", "大阪", "京都", "札幌", "福岡"),
    "zorg": ("银行", "大学", "医院", "一家初创公司"),
    "jorg": ("銀行", "大学", "病院", "出版社"),
}  # fmt: skip


class Change(msgspec.Struct, frozen=True):
    """An attribute of which one value holds at a time."""

    name: str
    subject: str
    """List of `_VALUES` that the subject, "{s}", is drawn from."""
    value: str
    """The same for the value, "{v}"."""
    said: tuple[str, ...]
    """Ways to state it, or that it has become so."""
    ended: tuple[str, ...]
    """Ways to say that it is no longer as it was, without a value."""
    near: tuple[str, ...]
    """About something else."""

    @property
    def held_out(self) -> bool:
        """Whether it belongs to the third that is never trained on; by its name alone."""
        digest = hashlib.sha256(f"alter:{self.name}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2.0**64 < 0.3


def load_changes() -> list[Change]:
    """The shipped changes, in file order."""
    decoder = msgspec.json.Decoder(Change)
    with (files("scrubjay") / "data" / "changes.jsonl").open("rb") as stream:
        return [decoder.decode(line) for line in stream if line.strip()]


def change_pairs(changes: Sequence[Change], *, held_out: bool = False, each: int = 24, seed: int = 0) -> Pairs:
    """Pairs of statements of these changes, those for training or those held out; `each` draws of every sort."""
    out = Pairs()
    for number, change in enumerate(changes):
        if change.held_out != held_out:
            continue
        rng = np.random.default_rng([seed, number])
        for _ in range(each):
            _draw(out, change, rng)
    return out


def _draw(out: Pairs, change: Change, rng: np.random.Generator) -> None:
    """A competing pair, an ending, and pairs that do not compete: near, of another subject, near to one another."""

    def two(rows: Sequence[str]) -> tuple[str, str]:
        a, b = rng.permutation(len(rows))[:2] if len(rows) > 1 else (0, 0)
        return rows[int(a)], rows[int(b)]

    s, t = two(_VALUES[change.subject])
    v, w = two(_VALUES[change.value])

    def own(template: str, value: str = v, subject: str = s) -> str:
        return _say(template, subject, value)

    one, other = two(change.said)
    fixed = not any("{v}" in way for way in change.said)
    if fixed and _stance(one) == _stance(other):
        other = next((way for way in change.said if _stance(way) != _stance(one)), other)
    out.add(own(one), own(other, w), True, change.name)
    if not fixed:
        out.add(own(one), own(one, w), True, change.name)
    if change.ended:
        out.add(own(one), own(change.ended[int(rng.integers(len(change.ended)))]), True, change.name)
    out.add(own(one), own(other, w, t), False, change.name)
    near, far = two(change.near)
    out.add(own(one), own(near, w), False, change.name)
    out.add(own(other), own(far), False, change.name)
    out.add(own(near), own(far, w), False, change.name)


def _stance(template: str) -> bool:
    """Whether a statement of a yes or no says no or that it changed, roughly."""
    said = f" {template} "
    return any(word in said for word in (" not ", " again", "repaired", "fixed", "quit", "stopped", "no longer"))


def _say(template: str, subject: str, value: str) -> str:
    if subject == "I":
        template = _FIRST.get(template, template)
        for third, first in ("is", "am"), ("has", "have"), ("was", "was"), ("does", "do"):
            template = template.replace(f"{{s}} {third} ", f"I {first} ")
        template = template.replace("{s}'s", "my")
        if template.startswith(("{s} ", "the ", "call ")):
            head, _, rest = template.partition(" ")
            verb, _, said = rest.partition(" ")
            if head == "{s}" and verb.endswith("s") and not verb.endswith("ss") and verb != "was":
                verb = "go" if verb == "goes" else verb[:-3] + "y" if verb.endswith("ies") else verb[:-1]
            template = f"{head} {verb} {said}".rstrip()
            subject = "I" if head == "{s}" else "me"
    text = template.replace("{s}", subject).replace("{v}", value)
    text = text[:1].upper() + text[1:]
    return text if text[-1] in ".。" else f"{text}."


_FIRST: Final = {
    "{s} and her husband separated": "my husband and {s} separated",
    "{s} passed the driving test": "{s} passed the driving test",
}
