"""Fitting FSRS to a review log: log loss and RMSE(bins) of default and fitted weights on the same held-out reviews.

    python bench/bench_fsrs_fit.py REVIEWS.csv

The columns are card_id, review_rating and review_time. The fit is by fsrs-rs; its own evaluation of all reviews stands
beside ours, which weighs and filters nothing.
"""

from __future__ import annotations

import sys
import time

import fsrs_rs_python as peer
import numpy as np

from scrubjay.dynamics.retrievability import FSRS_6, Fsrs
from scrubjay.upkeep.fit import DAY, Reviews, fit, predict, quality, read_reviews


def items(reviews: Reviews) -> list[peer.FSRSItem]:
    """The peer's form: each predicted review with those of its card before it."""
    out = []
    order = np.argsort(reviews.card, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(reviews.card[order])) + 1):
        days = np.floor(np.diff(reviews.time[rows], prepend=reviews.time[rows[:1]]) / DAY).astype(int).tolist()
        told = [peer.FSRSReview(g, t) for g, t in zip(reviews.grade[rows].tolist(), days, strict=True)]
        out += [peer.FSRSItem(told[: end + 1]) for end in range(1, len(told)) if days[end] >= 1]
    return out


def main(path: str) -> None:
    reviews = read_reviews(path)
    start = time.perf_counter()
    found = fit(reviews)
    took = time.perf_counter() - start
    print(f"{len(reviews.card):,} reviews, fitted on {found.fitted_on:,} in {took:.2f} s by {found.optimiser}")
    print("                          log loss   RMSE(bins)   reviews")
    for name, told in (("held out, default", found.before), ("held out, fitted", found.after)):
        print(f"{name:24}  {told.log_loss:8.4f}   {told.rmse_bins:10.4f}   {told.reviews:7,}")
    every = items(reviews)
    for name, weights in (("default", FSRS_6), ("fitted", found.weights)):
        ours, theirs = quality(predict(reviews, Fsrs(weights=weights))), peer.FSRS(list(weights)).evaluate(every)
        print(f"{'all, ' + name:24}  {ours.log_loss:8.4f}   {ours.rmse_bins:10.4f}   {ours.reviews:7,}")
        print(f"{'  by the peer':24}  {theirs.log_loss:8.4f}   {theirs.rmse_bins:10.4f}   {len(every):7,}")


if __name__ == "__main__":
    main(sys.argv[1])
