"""The keyword rule for perishability, and the checks for values that others give.

Source: "Caching for the Future", section 3.2, eq. 4 and Appendix F: where no model decides, words in the memory's text
or context do, and the first row of `RULES` with a hit wins.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError, ArgumentTypeError, ModelReplyError, shown
from scrubjay.memory import LABELS, MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY, Opinion, Origin, Perishability
from scrubjay.protocols import PerishabilityModel

DAY: Final = 86400.0
MAX_SHAPE: Final = 16.0
"""Largest Weibull shape (chosen); the smallest is 1 / `MAX_SHAPE`."""


class Rule(NamedTuple):
    """One row of the rule: any of these words gives this label, pi and tau."""

    label: str
    pi: float
    tau: float
    """Seconds."""
    words: tuple[str, ...]


RULES: Final = (
    Rule("ephemeral", 0.9, 7200.0, ("today", "immediate", "right now", "session", "temporary")),
    Rule("procedural", 0.3, 10 * DAY, ("how to", "steps", "process", "procedure", "workflow")),
    Rule("task_specific", 0.6, DAY, ("task", "ticket", "issue", "meeting", "project")),
)
"""In the order in which they are tried."""
FACTUAL: Final = Rule("factual", 0.1, 45 * DAY, ())
"""What holds when no row does."""
DIVERGENCE: Final = 0.05
"""Most that the distance of what and where adds to a factual memory's pi."""

RANGES: Final = {
    "factual": (0.05, 0.15),
    "procedural": (0.2, 0.4),
    "task_specific": (0.5, 0.7),
    "ephemeral": (0.8, 1.0),
}
"""The taxonomy's range of pi per label."""


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    body = "|".join(r"\s+".join(map(re.escape, word.split())) for word in words)
    return re.compile(rf"\b(?:{body})\b", re.IGNORECASE)


# A word's first part is looked for as a plain substring before its row's pattern runs: most texts have none of them.
_ROWS: Final = tuple((rule, tuple(word.split()[0] for word in rule.words), _pattern(rule.words)) for rule in RULES)


class KeywordRule:
    """The deterministic rule, fitting `scrubjay.protocols.PerishabilityModel`.

    A word matches as it is listed, on word boundaries, in any case: "Meeting." does, "meetings", "issued" and
    "task_id" do not (the source lists the forms it means, "steps" among them; chosen). "right  now" may hold any white
    space. Text and context are read apart, so that no phrase is made of the end of one and the start of the other.

    >>> rule = KeywordRule()
    >>> none = np.zeros((1, 4), dtype=np.float32)
    >>> [p.label for p in rule.classify(["The Meeting is in room 4.12"], [None], none, none)]
    ['task_specific']
    """

    name: Final = "keywords-1"

    def classify(
        self,
        texts: Sequence[str],
        contexts: Sequence[str | None],
        what: NDArray[np.float32],
        where: NDArray[np.float32],
    ) -> list[Perishability]:
        """One value per text. `what` (n, d1) and `where` (n, d2) are unit rows; a row of zeros means no context.

        A factual memory's pi grows by `DIVERGENCE` times 1 - cos(what, where), clipped to [0, 1]; by nothing without a
        context or where d1 differs from d2.
        """
        if not len(texts) == len(contexts) == len(what) == len(where):
            raise ArgumentError(
                f"texts, contexts, what and where must be equally long, got {len(texts)}, {len(contexts)}, "
                f"{len(what)} and {len(where)}"
            )
        by_context: dict[str | None, int] = {None: len(RULES)}
        for context in contexts:
            if context not in by_context:
                by_context[context] = first_rule(context or "")
        rows = [min(first_rule(text), by_context[context]) for text, context in zip(texts, contexts, strict=True)]
        extra = divergence(what, where)
        return [
            _FIXED[row]
            if row < len(RULES)
            else Perishability(label=FACTUAL.label, pi=FACTUAL.pi + DIVERGENCE * float(extra[i]), tau=FACTUAL.tau)
            for i, row in enumerate(rows)
        ]


def first_rule(text: str) -> int:
    """Number of the first row of `RULES` that the text hits, or len(RULES)."""
    lower = text.lower()
    for number, (_, hints, pattern) in enumerate(_ROWS):
        if any(hint in lower for hint in hints) and pattern.search(text):
            return number
    return len(RULES)


def divergence(what: NDArray[np.float32], where: NDArray[np.float32]) -> NDArray[np.float64]:
    """(n,) float64 in [0, 1]: 1 - cos of each pair of unit rows; 0 where `where` is zero or of another length."""
    if what.shape[1] != where.shape[1] or not what.size:
        return np.zeros(len(what), dtype=np.float64)
    cosine = np.einsum("ij,ij->i", what, where, dtype=np.float64)
    return np.where(where.any(axis=1), np.clip(1.0 - cosine, 0.0, 1.0), 0.0)


_FIXED: Final = tuple(Perishability(label=rule.label, pi=rule.pi, tau=rule.tau) for rule in RULES)


def classify_texts(
    model: PerishabilityModel,
    texts: Sequence[str],
    contexts: Sequence[str | None],
    what: NDArray[np.float32],
    where: NDArray[np.float32],
) -> list[Perishability]:
    """The one door through which a perishability model is called: one checked and clipped value per text.

    Where the model has no answer (`ModelReplyError`, another number of values) or one that is refused (no
    `Perishability`, an unknown label, NaN), the keyword rule decides instead and the value says so: `degraded`.
    """
    answers: list[Any]
    try:
        answers = list(model.classify(texts, contexts, what, where))
    except (ModelReplyError, ArgumentError):
        # an answer that cannot even be made, with a NaN in it, is none
        answers = []
    if len(answers) != len(texts):
        answers = [None] * len(texts)
    checked = [_checked(answer) for answer in answers]
    left = [i for i, value in enumerate(checked) if value is None]
    rule = KeywordRule().classify([texts[i] for i in left], [contexts[i] for i in left], what[left], where[left])
    for i, value in zip(left, rule, strict=True):
        checked[i] = msgspec.structs.replace(value, degraded=True)
    return [value for value in checked if value is not None]


def check_model(model: object) -> PerishabilityModel:
    """A perishability model, if it has a name and a method `classify`; ArgumentTypeError otherwise.

    >>> check_model(KeywordRule()).name
    'keywords-1'
    """
    if isinstance(model, type):
        raise ArgumentTypeError(f"perishability: expected a model, got the class {model.__name__}; call it first")
    if not callable(getattr(model, "classify", None)) or not isinstance(getattr(model, "name", None), str):
        raise ArgumentTypeError(
            "perishability: expected a model with a name and classify(texts, contexts, what, where), got "
            f"{type(model).__name__}"
        )
    return cast("PerishabilityModel", model)


def _checked(answer: object) -> Perishability | None:
    if not isinstance(answer, Perishability) or not isinstance(answer.origin, Origin):
        return None
    try:
        return clip_perishability(
            answer.label,
            answer.pi,
            answer.tau,
            shape=answer.shape,
            origin=answer.origin,
            degraded=answer.degraded is True,
            said=answer.said,
        )
    except ArgumentError:
        return None


def clip_perishability(
    label: object,
    pi: object,
    tau: object,
    *,
    shape: object = 1.0,
    origin: Origin,
    degraded: bool = False,
    said: Opinion | None = None,
    argument: str = "perishability",
) -> Perishability:
    """A perishability from values that a user, a head or a model gave: checked, then clipped.

    The label must be one of `LABELS` and the numbers finite; then pi is clipped to [`MIN_PERISHABILITY`, 1] and tau to
    [`MIN_HORIZON`, `MAX_HORIZON`] seconds, shape to [1 / `MAX_SHAPE`, `MAX_SHAPE`]. A pi or tau that is no positive
    number is refused, not clipped. Raises `ArgumentTypeError` or `ArgumentError`.

    >>> clip_perishability("ephemeral", 2.0, 1.0, origin=Origin.MODEL).tau
    60.0
    """
    if not isinstance(label, str) or label not in LABELS:
        raise ArgumentError(f"{argument}.label = {shown(label)}: expected one of {', '.join(LABELS)}")
    return Perishability(
        label=label,
        pi=min(max(_positive(pi, f"{argument}.pi"), MIN_PERISHABILITY), 1.0),
        tau=min(max(_positive(tau, f"{argument}.tau"), MIN_HORIZON), MAX_HORIZON),
        shape=min(max(_positive(shape, f"{argument}.shape"), 1.0 / MAX_SHAPE), MAX_SHAPE),
        origin=origin,
        degraded=degraded,
        said=None if said is None else check_opinion(said, argument=f"{argument}.said"),
    )


def check_opinion(said: object, *, argument: str = "said") -> Opinion:
    """What a language model said, checked and clipped like a perishability.

    >>> check_opinion(Opinion(label="factual", pi=7.0, tau=1.0)).tau
    60.0
    """
    if not isinstance(said, Opinion):
        raise ArgumentTypeError(f"{argument}: expected an Opinion or None, got {type(said).__name__}")
    held = clip_perishability(said.label, said.pi, said.tau, origin=Origin.MODEL, argument=argument)
    return Opinion(label=held.label, pi=held.pi, tau=held.tau)


def check_perishability(value: Any, *, argument: str = "perishability") -> Perishability:
    """What a user gives to `add`: a `Perishability`, a mapping {label, pi, tau[, shape]}, or one of `LABELS` alone.

    A label alone takes the keyword rule's pi and tau. The values are checked and clipped, and the origin is the user.

    >>> check_perishability("ephemeral").pi
    0.9
    """
    if isinstance(value, Perishability):
        origin = value.origin if isinstance(value.origin, Origin) else Origin.USER
        return clip_perishability(
            value.label,
            value.pi,
            value.tau,
            shape=value.shape,
            origin=origin if origin is not Origin.KEYWORDS else Origin.USER,
            degraded=bool(value.degraded),
            said=value.said,
            argument=argument,
        )
    if isinstance(value, str):
        for rule in (*RULES, FACTUAL):
            if rule.label == value:
                return Perishability(label=rule.label, pi=rule.pi, tau=rule.tau, origin=Origin.USER)
        raise ArgumentError(f"{argument} = {shown(value)}: expected one of {', '.join(LABELS)}")
    if isinstance(value, dict):
        unknown = set(value) - {"label", "pi", "tau", "shape"}
        missing = {"label", "pi", "tau"} - set(value)
        if unknown or missing:
            given = ", ".join(shown(key) for key in list(value)[:6])
            raise ArgumentError(f"{argument}: expected the keys label, pi, tau and perhaps shape, got {given}")
        return clip_perishability(**value, origin=Origin.USER, argument=argument)
    raise ArgumentTypeError(
        f"{argument}: expected a Perishability, a mapping or one of {', '.join(LABELS)}; got {type(value).__name__}"
    )


def _positive(value: object, argument: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"{argument}: expected a number, got {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number <= 0.0:
        raise ArgumentError(f"{argument} = {shown(number)}: expected a finite number above 0")
    return number
