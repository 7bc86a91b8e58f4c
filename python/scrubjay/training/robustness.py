"""How much the curve moves on words that do not matter: the spread of the horizon among paraphrases.

A group (`data/paraphrases.jsonl`) says one sort of thing in many ways, with other names and nouns, in the first person,
with a prefix, a speaker or a sentence that adds nothing. Its horizon is one, so what the head makes of its members
should be: the spread is the standard deviation, within groups, of the logarithm of the horizon in decades. Beside it
stands the distance to the labelled horizon, since a head that says the same of everything has no spread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.curves import DAY
from scrubjay.encode.head import PerishabilityHead
from scrubjay.training.augment import FOREIGN, Pattern, filled, held_out, worn, wrapped
from scrubjay.training.observations import Sentence, spearman
from scrubjay.training.words import words

AGES = np.geomspace(60.0, 36500.0 * DAY, 120)
"""Ages in seconds at which curves are compared, evenly spaced in the logarithm."""
NAMES = 12
"""Names with which each sentence is said."""
PREFIXES = (
    "{}", "PSA: {}", "Hello everyone, {}", "As a reminder, {}", "One more thing: {}", "Heya! {}", "Good afternoon. {}",
    "Just noting that {}", "For your information: {}", "Ah, {}", "{} Just saying.", "Morning! {}", "Anyway, {}",
)  # fmt: skip
"""What is put around a sentence, none of it among the wrappings that are learned from."""
LASTING = 0.9
"""What a lasting fact's labelled curve, and what is made of it, should be at `FIVE_YEARS` at least."""
FIVE_YEARS = 5 * 365.25 * DAY
FILLS = 3
"""Fillings of each way to say something."""


class Robustness(msgspec.Struct, frozen=True):
    """Scores of a set of groups, in decades (factors of ten) of the horizon."""

    groups: int
    texts: int
    spread: float
    """Root mean square over groups of the standard deviation within a group."""
    within: float
    """Mean largest factor, in decades, between two members of a group, the outermost tenth left out."""
    distance: float
    """Root mean square distance to the labelled horizon."""
    rank: float
    """Rank correlation of the groups' mean horizon with the labelled one."""


def variants(group: Pattern, *, seed: int = 0) -> list[str]:
    """The group's texts, with words that no training sentence has, every second one wrapped or worn.

    >>> from scrubjay.training.augment import load_paraphrases
    >>> texts = variants(load_paraphrases()[0])
    >>> len(texts) > 10 and len(set(texts)) == len(texts)
    True
    """
    out: dict[str, None] = {}
    for place, template in enumerate(group.templates):
        rng = np.random.default_rng([seed, 21, place])
        for number in range(FILLS):
            text = filled(template, rng, held_out=True)
            if number % 2:
                text = wrapped(text, rng) if rng.random() < 0.75 else worn(text, rng)
            out[text] = None
    return list(out)


def horizons(curve: Callable[[NDArray[np.float64]], NDArray[np.float64]], n: int) -> NDArray[np.float64]:
    """(n): mean log10 of the age in seconds at which curves end, those that never do at a century."""
    p = curve(np.tile(AGES, (n, 1)))
    step = np.log10(AGES[1] / AGES[0])
    result: NDArray[np.float64] = np.log10(AGES[0]) + (p[:, 1:] + p[:, :-1]).sum(axis=1) * step / 2.0
    return result


def robustness(
    head: PerishabilityHead, vectors: Callable[[Sequence[str]], NDArray[np.float32]], groups: Sequence[Pattern]
) -> Robustness:
    """Score a head on paraphrase groups."""
    spread, within, distance, means, truths = [], [], [], [], []
    said = [variants(group) for group in groups]
    texts = [text for own in said for text in own]
    every = horizons(head.curve(vectors(texts), texts).at, len(texts))
    for group, found in zip(groups, np.split(every, np.cumsum([len(own) for own in said])[:-1]), strict=True):
        label = Sentence(text="", family="", part="", median_s=group.median_s, shape=group.shape, never=group.never)
        truth = float(horizons(label.survival, 1)[0])
        low, high = np.quantile(found, [0.1, 0.9])
        spread.append(float(found.var()))
        within.append(float(high - low))
        distance.append(float(((found - truth) ** 2).mean()))
        means.append(float(found.mean()))
        truths.append(truth)
    return Robustness(
        groups=len(groups),
        texts=len(texts),
        spread=float(np.sqrt(np.mean(spread))),
        within=float(np.mean(within)),
        distance=float(np.sqrt(np.mean(distance))),
        rank=spearman(np.array(means), np.array(truths)),
    )


def robustness_rows(
    head: PerishabilityHead, vectors: Callable[[Sequence[str]], NDArray[np.float32]], groups: Sequence[Pattern]
) -> Iterator[tuple[str, Robustness]]:
    """Name and score of the groups that were learned from and of those that were not."""
    for name, held in (("paraphrases of learned groups", False), ("paraphrases of groups held out", True)):
        yield name, robustness(head, vectors, [g for g in groups if held_out(g.family) == held])


class Moves(msgspec.Struct, frozen=True):
    """How far one change of words moves the horizon of a sentence, in decades."""

    sentences: int
    texts: int
    spread: float
    """Root mean square over sentences of the standard deviation among its versions."""
    week: float
    """Mean over sentences of the largest difference between two versions of P(valid) after a week."""


class Lasting(msgspec.Struct, frozen=True):
    """What is made of facts that never or hardly end, after five years."""

    texts: int
    mean: float
    """Mean P(valid)."""
    above: float
    """Share of texts at which it is at least `LASTING`."""
    low: float
    """Its lowest tenth."""


Embed = Callable[[Sequence[str]], NDArray[np.float32]]


def moves(head: PerishabilityHead, vectors: Embed, versions: Sequence[Sequence[str]]) -> Moves:
    """Score a head on sentences, each in several versions of the same horizon."""
    texts = [text for own in versions for text in own]
    curves = head.curve(vectors(texts), texts)
    every = horizons(curves.at, len(texts))
    week = curves.at(np.full(len(texts), 7 * DAY))
    ends = np.cumsum([len(own) for own in versions])[:-1]
    return Moves(
        sentences=len(versions),
        texts=len(texts),
        spread=float(np.sqrt(np.mean([part.var() for part in np.split(every, ends)]))),
        week=float(np.mean([np.ptp(part) for part in np.split(week, ends)])),
    )


def renamed(groups: Sequence[Pattern], *, seed: int = 0) -> list[list[str]]:
    """Each way to say something about one person, with `NAMES` names that no training sentence has."""
    names = words("n", held_out=True)
    out = []
    for number, group in enumerate(groups):
        for place, template in enumerate(group.templates):
            if template.count("{p}") + template.count("{n}") != 1:
                continue
            rng = np.random.default_rng([seed, 22, number, place])
            whole = filled(template.replace("{p}", "\0").replace("{n}", "\0"), rng, held_out=True)
            some = rng.choice(len(names), NAMES, replace=False)
            out.append([whole.replace("\0", names[int(i)]) for i in some])
    return out


def prefixed(groups: Sequence[Pattern], *, seed: int = 0) -> list[list[str]]:
    """Each way to say something, inside each of `PREFIXES`."""
    out = []
    for number, group in enumerate(groups):
        for place, template in enumerate(group.templates):
            text = filled(template, np.random.default_rng([seed, 23, number, place]), held_out=True)
            out.append([prefix.replace("{}", text) for prefix in PREFIXES])
    return out


def chatted(groups: Sequence[Pattern], *, seed: int = 0) -> list[list[str]]:
    """Each way to say something, alone and with chatter before and behind it that nothing was learned from."""
    before, behind = (words(slot, held_out=True) for slot in ("said_before", "said_behind"))
    out = []
    for number, group in enumerate(groups):
        for place, template in enumerate(group.templates):
            rng = np.random.default_rng([seed, 25, number, place])
            text = filled(template, rng, held_out=True)
            some = [f"{rng.choice(before)} {text}", f"{text} {rng.choice(behind)}", f"{text} {rng.choice(behind)}"]
            out.append([text, *(filled(one, rng, held_out=True) for one in some)])
    return out


def lengthened(groups: Sequence[Pattern], *, seed: int = 0) -> list[list[str]]:
    """Each way to say something that ends, alone and with a lasting fact before and behind it."""
    facts = [t for g in groups if g.never >= LASTING for t in g.templates]
    out = []
    for number, group in enumerate(groups):
        for place, template in enumerate(group.templates if group.never < 0.05 else ()):
            rng = np.random.default_rng([seed, 24, number, place])
            text, fact = filled(template, rng, held_out=True), filled(str(rng.choice(facts)), rng, held_out=True)
            out.append([text, f"{text} {fact}", f"{fact} {text}"])
    return out


def lasting(head: PerishabilityHead, vectors: Embed, groups: Sequence[Pattern]) -> Lasting:
    """Score a head on the lasting ones of the groups, each template with `FILLS` fillings."""
    texts = [text for g in groups if g.never >= LASTING for text in variants(g)]
    p = head.p_valid(vectors(texts), texts, np.full(len(texts), FIVE_YEARS))
    return Lasting(
        texts=len(texts),
        mean=float(p.mean()),
        above=float((p >= LASTING).mean()),
        low=float(np.quantile(p, 0.1)),
    )


def moved_rows(
    head: PerishabilityHead, vectors: Embed, groups: Sequence[Pattern]
) -> Iterator[tuple[str, Moves | Lasting]]:
    """Name and score of what names, prefixes and an added lasting fact move in the groups held out whole, and what is
    made of the lasting facts among all groups and among those held out."""
    held = [g for g in groups if held_out(g.family)]
    plain = [g for g in held if not g.family.startswith(FOREIGN)]
    yield "other names", moves(head, vectors, renamed(plain))
    yield "prefixes", moves(head, vectors, prefixed(plain))
    yield "chatter", moves(head, vectors, chatted(plain))
    yield "a lasting fact added", moves(head, vectors, lengthened(plain))
    yield "lasting facts after five years", lasting(head, vectors, [g for g in groups if not held_out(g.family)])
    yield "lasting facts held out, after five years", lasting(head, vectors, held)
