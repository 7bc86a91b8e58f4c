"""Plain relations, some with one value at a time and some with many: what the word order of a fact does not tell.

Patterns are ours and none is a pattern of the fact data, so that leaving a source out still means what it says.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrubjay.training.slot_pairs import Pairs

VALUES: Final = {
    "person": (
        "Marta Lindqvist", "Jonas Abel", "Keiko Mori", "Samuel Osei", "Ilse Brandt", "Pedro Alves", "Anika Rao",
        "Louis Garnier", "Nadia Haddad", "Viktor Sokol", "Grace Mbeki", "Henrik Dahl",
    ),
    "org": (
        "Nordwind Logistics", "the University of Sarn", "Kestrel Labs", "FC Almaviva", "Blue Harbor Bank", "Tessera AG",
        "Riverside United", "the Institute of Optics", "Omega Foods",
        "Maple Street School", "Sporting Velan", "Corvo Press",
    ),
    "place": (
        "Ghent", "Osaka", "Leeds", "Quito", "Tromsø", "Adelaide", "Kraków", "Room 14", "Building C, floor 2",
        "17 Mill Lane", "the east wing", "Hall 9",
    ),
    "role": (
        "chair", "deputy chair", "treasurer", "secretary", "acting director", "vice president", "head", "spokesperson",
        "adviser", "honorary president",
    ),
    "body": (
        "the Committee on Fisheries", "the board of Tessera AG", "the Chess Federation",
        "the Panel on Energy, Water and Soil",
        "the Parents' Council", "the Commission on Rural Roads", "the Alumni Club", "the Task Force on Housing",
    ),
    "date": ("2024-03-01", "2025-11-30", "5 May 2026", "12 October 2025", "2027-01-15", "July 2026", "next Tuesday"),
    "version": ("1.4.2", "1.4.9", "2.0.0", "7.3", "7.11", "2024.1", "10.0.3-rc1", "3u12", "5.15.2"),
    "number": ("12", "48", "350", "1,200", "17.5", "92 %", "3 million", "0.8"),
    "party": ("Liberal", "Conservative", "Green", "Centrist", "Socialist", "independent"),
    "state": ("active", "on hold", "open", "closed", "under repair", "healthy", "degraded", "archived"),
    "thing": (
        "a sailing boat", "two horses", "a vineyard", "an old radio", "a piano", "a printing press", "a hotel",
        "a ferry", "a cinema", "a quarry",
    ),
    "instrument": ("cello", "piano", "harp", "trumpet", "organ", "flute"),
    "tongue": ("German", "Italian", "Urdu", "Polish", "Thai", "Dutch"),
    "allergen": ("nuts", "cats", "pollen", "latex", "shellfish", "dust"),
    "topic": ("botany", "jazz", "chess", "photography", "Portuguese", "welding", "topology", "pottery"),
    "software": (
        "Larkspur 4", "Larkspur 5", "Quill Server 2.1", "Quill Server 2.2", "Tundra OS 18", "Tundra OS 20",
        "Moth 0.9",
        "Orchid SDK",
    ),
    "object": (
        "the north pump", "the blue van", "lift 3", "the canteen", "project Osprey", "ticket 881", "the archive",
    ),
}  # fmt: skip
"""Made-up values by type."""

ONE_VALUE: Final = (
    ("person", "{s} is employed by {v}.", "org"), ("person", "{s} lives in {v}.", "place"),
    ("person", "{s} is engaged to {v}.", "person"), ("person", "{s} reports to {v}.", "person"),
    ("person", "{s} is under contract at {v}.", "org"), ("person", "{s} currently studies at {v}.", "org"),
    ("person", "The desk of {s} is in {v}.", "place"), ("person", "{s} is the new CEO of {v}.", "org"),
    ("person", "{s} votes {v}.", "party"), ("person", "{s} sits in parliament for {v}.", "place"),
    ("person", "{s} is coached by {v}.", "person"), ("person", "The salary of {s} is {v}.", "number"),
    ("person", "{s} weighs {v} kg.", "number"), ("person", "{s} has the phone extension {v}.", "number"),
    ("org", "{s} is headquartered in {v}.", "place"), ("org", "{s} is led by {v}.", "person"),
    ("org", "The chief executive of {s} is {v}.", "person"), ("org", "{s} employs {v} people.", "number"),
    ("org", "The share price of {s} is {v}.", "number"), ("org", "{s} belongs to {v}.", "org"),
    ("software", "The newest build of {s} is {v}.", "version"), ("software", "{s} was last updated to {v}.", "version"),
    ("software", "Maintenance of {s} stops on {v}.", "date"), ("software", "{s} is supported until {v}.", "date"),
    ("software", "The stable version of {s} is {v}.", "version"), ("software", "{s} is maintained by {v}.", "person"),
    ("object", "The status of {s} is {v}.", "state"), ("object", "{s} is {v}.", "state"),
    ("object", "{s} is located in {v}.", "place"), ("object", "The person in charge of {s} is {v}.", "person"),
    ("object", "{s} will be finished on {v}.", "date"), ("object", "The value of {s} is {v}.", "number"),
    ("body", "The chair of {s} is {v}.", "person"), ("body", "{s} meets in {v}.", "place"),
)  # fmt: skip
"""(type of the subject, pattern, type of the value), one value at a time."""
MANY_VALUES: Final = (
    ("person", "{s} sits on {v}.", "body"), ("person", "{s} belongs to {v}.", "body"),
    ("person", "{s} takes part in {v}.", "body"), ("person", "{s} possesses {v}.", "thing"),
    ("person", "{s} bought {v}.", "thing"), ("person", "{s} has {v}.", "thing"),
    ("person", "{s} teaches {v}.", "topic"),
    ("person", "{s} is interested in {v}.", "topic"), ("person", "{s} has visited {v}.", "place"),
    ("person", "{s} met {v}.", "person"), ("person", "{s} is a friend of {v}.", "person"),
    ("person", "{s} wrote a book about {v}.", "topic"), ("person", "{s} donated to {v}.", "org"),
    ("person", "{s} chairs {v}.", "body"), ("org", "{s} has an office in {v}.", "place"),
    ("org", "{s} holds shares of {v}.", "org"), ("org", "{s} acquired {v}.", "org"),
    ("org", "{s} sponsors {v}.", "org"), ("software", "{s} fixes a bug found in {v}.", "version"),
    ("software", "{s} is used by {v}.", "org"), ("software", "{s} can read files of {v}.", "version"),
    ("object", "{s} was inspected by {v}.", "person"), ("object", "{s} is mentioned in {v}.", "topic"),
    ("person", "{s} is the owner of {v}.", "object"), ("person", "{s} is responsible for {v}.", "object"),
    ("person", "{s} maintains {v}.", "software"), ("person", "{s} plays the {v}.", "instrument"),
    ("person", "{s} speaks {v}.", "tongue"), ("person", "{s} ran a race in {v}.", "place"),
    ("person", "{s} broke a record on {v}.", "date"), ("person", "{s} watched a film about {v}.", "topic"),
    ("person", "{s} was in {v} for a week.", "place"), ("object", "{s} was repaired on {v}.", "date"),
    ("person", "{s} likes {v}.", "topic"), ("person", "{s} is allergic to {v}.", "allergen"),
    ("body", "{s} has heard {v}.", "person"), ("body", "{v} is a member of {s}.", "person"),
)  # fmt: skip
"""The same for relations with many values at a time."""
HOLDS: Final = (
    "{s} acts as {v} of {o}.", "{s} is the {v} of {o}.", "{s} was elected {v} of {o}.", "At {o}, {s} is {v}.",
    "{s} serves {o} as {v}.",
)  # fmt: skip
"""A person's role (the value) in a body: one role in a body at a time, roles in several bodies side by side."""


def relation_pairs(*, each: int = 8, seed: int = 0) -> Pairs:
    """`each` pairs of every sort for every pattern."""
    rng = np.random.default_rng(seed)
    out = Pairs()

    def two(kind: str) -> tuple[str, str]:
        a, b = rng.choice(len(VALUES[kind]), 2, replace=False)
        return VALUES[kind][int(a)], VALUES[kind][int(b)]

    def say(pattern: str, **words: str) -> str:
        text = pattern.format(**words)
        return text[0].upper() + text[1:]

    for patterns, same in ((ONE_VALUE, True), (MANY_VALUES, False)):
        for n, (kind, pattern, values) in enumerate(patterns):
            related = [p for p in (*ONE_VALUE, *MANY_VALUES) if p[0] == kind and p[1] != pattern]
            for _ in range(each):
                (s, t), (v, w) = two(kind), two(values)
                if {s, t} & {v, w}:
                    continue
                group = f"relation {n} {same}"
                out.add(say(pattern, s=s, v=v), say(pattern, s=s, v=w), same, group)
                out.add(say(pattern, s=s, v=v), say(pattern, s=t, v=w), False, group)
                out.add(say(pattern, s=s, v=v), say(pattern, s=t, v=v), False, group)
                _, other, others = related[int(rng.integers(len(related)))]
                out.add(say(pattern, s=s, v=v), say(other, s=s, v=two(others)[0]), False, group)
    for pattern in HOLDS:
        for _ in range(2 * each):
            (s, t), (o, p), (v, w) = two("person"), two("body"), two("role")
            out.add(say(pattern, s=s, v=v, o=o), say(pattern, s=s, v=w, o=o), True, pattern)
            out.add(say(pattern, s=s, v=v, o=o), say(pattern, s=s, v=v, o=p), False, pattern)
            out.add(say(pattern, s=s, v=v, o=o), say(pattern, s=s, v=w, o=p), False, pattern)
            out.add(say(pattern, s=s, v=v, o=o), say(pattern, s=t, v=w, o=o), False, pattern)
    return out
