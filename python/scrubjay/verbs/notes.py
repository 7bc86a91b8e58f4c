"""What a list of hits says in words beside them."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.recall.answers import UNLIKELY
from scrubjay.recall.hits import Hit
from scrubjay.recall.ranking import LARGEST_POOL, Ranked
from scrubjay.recall.standing import SKEW, asks
from scrubjay.verbs.ends import AHEAD
from scrubjay.verbs.engine import Engine


def unknown_fields(names: Sequence[str]) -> str:
    """What to say of names in a filter that no memory's metadata have."""
    fields = ", ".join(f"{name!r:.60}" for name in names[:5])
    return (
        f"filter: no memory here has {fields} as a plain value of its metadata; fields of objects have dotted names, "
        "and times, labels and layers begin with $, such as $when"
    )


def notes_on(engine: Engine, query: str, answer: Ranked, hits: Sequence[Hit], now: float) -> list[str]:
    """What nobody who uses these hits should overlook. The columns may have gone on meanwhile: rows tell nothing."""
    notes = []
    ahead = sum(hit.memory.when > now + SKEW for hit in hits)
    if ahead:
        notes.append(f"{ahead} of these begin after `now`: what they say does not hold yet, so `valid` is 0")
    far = sum(hit.memory.when > now + AHEAD for hit in hits)
    if far:
        notes.append(f"{far} of these begin more than five years after `now`; update(id, when=...) corrects a year")
    if answer.probable and engine.candidates is not None:
        notes.append(engine.candidates.warning())
    elif not answer.exact and answer.plan != "buffer":
        if "+graph" in answer.plan:
            notes.append("not proved exact: neighbours could still lift other memories; a graph weight of 0 settles it")
        else:
            notes.append(
                f"not proved exact: only the best {LARGEST_POOL} were examined for competitors; "
                "scoring='paper' is exact"
            )
    if engine.candidates is not None and (unused := engine.candidates.unused()):
        notes.append(unused)
    if answer.unsettled:
        notes.append(
            f"{len(answer.unsettled)} of these may have been replaced by newer statements that were not compared: "
            "`complete` is False there; a narrower filter settles it"
        )
    place = {row: i for i, row in enumerate(answer.rows.tolist(), 1)} if answer.undated else {}
    pairs = [f"{place[a]} and {place[b]}" for a, b in answer.undated if a in place and b in place]
    if pairs:
        notes.append(
            f"hits {', '.join(pairs)} say different things of one subject with the same `when`: neither is known to be "
            "newer, and the one that was written later counts as holding"
        )
    if answer.answered is not None and answer.answered < UNLIKELY and hits and asks(query):
        notes.append(f"no memory seems to answer this: {answer.answered:.0%} likely that one of the first does")
    if engine.remark:
        notes.append(engine.remark)
    if engine.columns.damaged:
        notes.append(f"{len(engine.columns.damaged)} damaged events are left out; run verify(repair=True)")
    return notes
