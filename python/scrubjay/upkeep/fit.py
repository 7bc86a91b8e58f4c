"""Fitting FSRS to reviews, and measuring how well a law predicts them.

The optimiser is fsrs-rs (an extra); what is measured is measured here, by the same kernels that a store folds with.
A review is a grade (1 Again to 4 Easy) of a card at a time. Elapsed time counts in whole days, as the optimiser has it;
the first review of a card, and those within a day of the one before, teach but are not predicted.

    log loss    mean of -log of the probability that was given to what happened
    RMSE(bins)  reviews in bins of similar interval, number and lapses: root of the weighted mean over the bins of
                (mean recalled - mean predicted)^2

Source: FSRS-6; the bins are those of the open-spaced-repetition benchmark.
"""

from __future__ import annotations

import csv
import importlib
import os
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.dynamics.channels import turns
from scrubjay.dynamics.retrievability import DEFAULT, FSRS_6, Fsrs, retrievability, review
from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError, MissingExtraError, shown
from scrubjay.files import named

DAY: Final = 86400.0
LEAST: Final = 32
"""Fewest reviews that a fit takes."""
COLUMNS: Final = ("card_id", "review_rating", "review_time")


class Reviews(NamedTuple):
    """Reviews in the order of time."""

    card: NDArray[np.int64]
    grade: NDArray[np.uint8]
    time: NDArray[np.float64]
    """Seconds."""


class Predicted(NamedTuple):
    """Reviews that can be predicted, with what was predicted."""

    probability: NDArray[np.float64]
    recalled: NDArray[np.bool_]
    days: NDArray[np.float64]
    number: NDArray[np.int64]
    """Which review of its card, from 1."""
    lapses: NDArray[np.int64]
    """Times it was forgotten before."""
    time: NDArray[np.float64]


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """How well a law predicts reviews."""

    log_loss: float
    rmse_bins: float
    reviews: int


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """What fitting gave."""

    weights: tuple[float, ...]
    """The 21 weights of FSRS-6, for `configure(weights=...)`."""
    before: Quality
    """The default weights, on the reviews that were held out."""
    after: Quality
    """The fitted weights, on the same."""
    fitted_on: int
    """Reviews that the weights were fitted to."""
    optimiser: str

    @property
    def better(self) -> bool:
        """True where the fitted weights predict what was held out better than the default ones."""
        return self.after.log_loss < self.before.log_loss


def ordered(card: Any, grade: Any, time: Any) -> Reviews:
    """Reviews from columns of one length, checked and sorted by time.

    >>> ordered([1, 1], [3, 1], [9.0, 5.0]).grade.tolist()
    [1, 3]
    """
    cards, grades, times = np.asarray(card, np.int64), np.asarray(grade), np.asarray(time, np.float64)
    if not cards.shape == grades.shape == times.shape or cards.ndim != 1:
        raise ArgumentError("reviews: card, grade and time must be columns of one length")
    if not np.isin(grades, (1, 2, 3, 4)).all():
        raise ArgumentError("reviews: grades are 1 (Again) to 4 (Easy)")
    if not np.isfinite(times).all():
        raise ArgumentError("reviews: times must be finite seconds")
    order = np.argsort(times, kind="stable")
    return Reviews(cards[order], grades[order].astype(np.uint8), times[order])


def read_reviews(path: str | os.PathLike[str]) -> Reviews:
    """Reviews from a CSV file with the columns card_id, review_rating and review_time (ISO, or seconds).

    Raises ArgumentError, with the line, for what is no review, FileError for a file that cannot be read.
    """
    # a byte that is no UTF-8 is no number and no time, and is told by its line
    with named(path, argument="reviews"), open(path, newline="", encoding="utf-8", errors="replace") as file:
        try:
            return _reviews(csv.DictReader(file))
        except csv.Error as error:
            raise ArgumentError(f"reviews: no CSV: {error}") from error


def _reviews(lines: csv.DictReader[str]) -> Reviews:
    missing = [name for name in COLUMNS if name not in (lines.fieldnames or ())]
    if missing:
        raise ArgumentError(f"reviews: column {shown(missing[0])} is missing; there must be {', '.join(COLUMNS)}")
    names: dict[str, int] = {}
    card, grade, time = [], [], []
    for line in lines:
        try:
            card.append(names.setdefault(line["card_id"], len(names)))
            grade.append(int(line["review_rating"]))
            text = line["review_time"]
            time.append(float(text) if text.replace(".", "", 1).isdigit() else to_seconds(text))
        except (ValueError, TypeError, AttributeError) as error:
            raise ArgumentError(f"reviews: line {lines.line_num} is no review: {error}") from error
    return ordered(card, grade, time)


def predict(reviews: Reviews, law: Fsrs = DEFAULT) -> Predicted:
    """What a law predicts of each review from those before it.

    >>> told = ordered([7, 7, 7], [3, 3, 1], [0.0, 3 * DAY, 13 * DAY])
    >>> predict(told).probability.round(4).tolist()
    [0.8809, 0.9207]
    """
    cards, place = np.unique(reviews.card, return_inverse=True)
    n, m = len(reviews.card), len(cards)
    s, d, last = np.zeros(m), np.zeros(m), np.zeros(m)
    lapses, seen = np.zeros(m, np.int64), np.zeros(m, np.int64)
    r, days, number, lapsed = np.ones(n), np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for turn in turns(place):
        at = place[turn]
        first = seen[at] == 0
        t = np.where(first, 0.0, np.floor((reviews.time[turn] - last[at]) / DAY))
        days[turn], number[turn], lapsed[turn] = t, seen[at] + 1, lapses[at]
        r[turn] = np.where(first, 1.0, retrievability(s[at], t, law))
        s[at], d[at] = review(s[at], d[at], t, reviews.grade[turn], law)
        last[at], seen[at] = reviews.time[turn], seen[at] + 1
        lapses[at] += (reviews.grade[turn] == 1) & ~first
    keep = (number > 1) & (days >= 1)
    return Predicted(r[keep], reviews.grade[keep] > 1, days[keep], number[keep], lapsed[keep], reviews.time[keep])


def quality(told: Predicted) -> Quality:
    """Log loss and RMSE(bins) of predictions.

    >>> one, two = np.ones(1), np.full(1, 2)
    >>> quality(Predicted(0.5 * one, one > 0, one, two, two, one)).rmse_bins
    0.5
    """
    if not len(told.probability):
        return Quality(log_loss=float("nan"), rmse_bins=float("nan"), reviews=0)
    p = np.clip(told.probability, 1e-15, 1 - 1e-15)
    loss = float(-np.where(told.recalled, np.log(p), np.log1p(-p)).mean())
    bins = np.stack(
        [
            np.floor(np.log(told.days) / np.log(3.62)),
            np.floor(np.log(told.number) / np.log(1.89)),
            np.where(told.lapses > 0, np.floor(np.log(np.maximum(told.lapses, 1)) / np.log(1.73)), -1.0),
        ]
    )
    _, which = np.unique(bins, axis=1, return_inverse=True)
    which = which.reshape(-1)
    counts = np.bincount(which)
    gap = np.bincount(which, told.recalled.astype(np.float64)) - np.bincount(which, told.probability)
    return Quality(log_loss=loss, rmse_bins=float(np.sqrt((gap**2 / counts).sum() / counts.sum())), reviews=len(p))


def enough(reviews: Reviews) -> int:
    """How many of the reviews can be predicted; ArgumentError where a fit takes more."""
    count = len(predict(reviews).probability)
    if count < LEAST:
        raise ArgumentError(f"reviews: {count} that can be predicted; a fit takes at least {LEAST}")
    return count


def fit_weights(reviews: Reviews) -> tuple[float, ...]:
    """Weights of FSRS-6 for these reviews, by the optimiser of fsrs-rs.

    Raises MissingExtraError where it is not installed, ArgumentError where there is too little to learn from.
    """
    enough(reviews)
    try:
        optimiser = importlib.import_module("fsrs_rs_python")
    except ImportError as error:
        raise MissingExtraError("Fitting FSRS", "fit") from error
    items: list[Any] = []
    cards: list[int] = []
    by_card = np.argsort(reviews.card, kind="stable")
    starts = np.flatnonzero(np.diff(reviews.card[by_card], prepend=reviews.card[by_card[:1]] - 1))
    for rows in np.split(by_card, starts[1:]):
        days = np.floor(np.diff(reviews.time[rows], prepend=reviews.time[rows[:1]]) / DAY).astype(int).tolist()
        told = [optimiser.FSRSReview(grade, t) for grade, t in zip(reviews.grade[rows].tolist(), days, strict=True)]
        # what is predicted is the last review of an item
        fresh = [optimiser.FSRSItem(told[: end + 1]) for end in range(1, len(told)) if days[end] >= 1]
        items += fresh
        cards += [int(reviews.card[rows[0]])] * len(fresh)
    found = optimiser.FSRS(list(FSRS_6)).compute_parameters(items, cards)
    if len(found) != len(FSRS_6):
        raise ArgumentError(
            f"the optimiser gave {len(found)} weights, FSRS-6 has {len(FSRS_6)}: install another version"
        )
    return tuple(float(w) for w in found)


def fit(reviews: Reviews, *, held_out: float = 0.2) -> Fit:
    """Fit FSRS-6 to the earlier reviews and measure it on the later ones.

    Args:
        reviews: of all cards.
        held_out: share of the time-ordered reviews that is only measured on, in (0, 1).

    Raises:
        MissingExtraError, ArgumentError: as in `fit_weights`.
    """
    if not 0.0 < held_out < 1.0:
        raise ArgumentError(f"held_out = {held_out}: expected a share in (0, 1)")
    from importlib.metadata import version

    n = len(reviews.card)
    cut = int(n * (1.0 - held_out))
    early = Reviews(reviews.card[:cut], reviews.grade[:cut], reviews.time[:cut])
    enough(early)
    weights = fit_weights(early)
    late = reviews.time[cut:]
    before, after = (_after(reviews, late[0], law) for law in (DEFAULT, Fsrs(weights=weights)))
    return Fit(
        weights=weights,
        before=before,
        after=after,
        fitted_on=len(predict(early).probability),
        optimiser=f"fsrs-rs-python {version('fsrs-rs-python')}",
    )


def _after(reviews: Reviews, since: float, law: Fsrs) -> Quality:
    """Quality on reviews from a time on; the earlier ones of their cards are known."""
    told = predict(reviews, law)
    keep = told.time >= since
    late = [column[keep] for column in told]
    return quality(Predicted._make(late))
