"""Who has said a text: a memory lives as long as one of its sayings was not taken back.

A memory is said when it is learned and whenever its text comes again; an integration says its evidence just before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import msgspec

from scrubjay.events import AnyEvent, Integrated, Learned, Reinforced


def unsay(told: Mapping[int, AnyEvent], undone: Set[int], keys: Set[int]) -> tuple[dict[int, AnyEvent], set[int]]:
    """The events by sequence number without what undone integrations said; and the keys that nobody else has said.

    `told` holds the whole history of each of `keys`, `undone` numbers of integrations. A memory that was learned by an
    undone one is learned by the first saying that is left.
    """
    kept = dict(told)
    lost: set[int] = set()
    for key in sorted({e.key for seq in undone if isinstance(e := told.get(seq), Integrated)} & keys):
        sayings = [seq for seq, e in sorted(told.items()) if isinstance(e, Learned | Reinforced) and e.key == key]
        mine = {
            max(said for said in sayings if said < seq)
            for seq in undone
            if isinstance(e := told.get(seq), Integrated) and e.key == key and sayings and sayings[0] < seq
        }
        left = [seq for seq in sayings if seq not in mine]
        first = told[sayings[0]] if sayings else None
        for seq in mine:
            if not isinstance(told[seq], Learned):
                del kept[seq]
        if not left:
            lost.add(key)
        elif sayings[0] in mine and isinstance(first, Learned):
            again = kept.pop(left[0])
            if isinstance(again, Reinforced) and again.when is not None:
                end = {} if again.until is None else {"until": again.until, "edge": again.edge}
                kept[sayings[0]] = msgspec.structs.replace(first, when=again.when, **end)
    return kept, lost
