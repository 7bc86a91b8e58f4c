"""What takes another's place by one of its clauses, or the place of what another says first.

"Kidney function is worse, the dose was reduced to 5 mg": the second clause is what changes something; and what a
sentence says first is what it is kept for, "the captain is alive and hides in the lighthouse".

>>> from scrubjay.slots.statements import statement
>>> old, new, other = map(statement, (
...     "Captain Orr is alive and hides in the fort.", "The fort fell, Captain Orr was killed.", "The fort fell."))
>>> by_clause(old, new), by_clause(old, other)
(True, False)
"""

from __future__ import annotations

from itertools import product

from scrubjay.slots.changes import REPLACES
from scrubjay.slots.endings import ends
from scrubjay.slots.standing import STANDS
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import MARK


def by_clause(old: Statement, new: Statement) -> bool:
    """Whether a main clause of the newer says that what the older says first is over."""
    if not (old.clauses or new.clauses) or old.marks[MARK["hedge"]] or new.marks[MARK["hedge"]]:
        return False
    return any(
        (ends(before, after) or REPLACES.forth(before, after)) and not STANDS.hold(before, after)
        for before, after in product(old.clauses[:1] or (old,), new.clauses or (new,))
    )
