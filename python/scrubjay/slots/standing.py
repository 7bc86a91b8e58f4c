"""All laws of pairs of which neither ends the other: a table, each line a module's.

>>> from scrubjay.slots.statements import statement
>>> home, car, denied, moved = map(statement, (
...     "Tom lives in Leeds.", "Tom moved his car to Bonn.", "Tom has not moved to Bonn.", "Tom moved to Bonn."))
>>> stands(home, car), stands(home, denied), stands(home, moved)
(True, True, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.slots.aspects import led_beside_held, of_two_aspects
from scrubjay.slots.beside import BESIDE
from scrubjay.slots.bodies import two_bodies
from scrubjay.slots.charges import another_charge
from scrubjay.slots.confirmed import confirmed
from scrubjay.slots.designated import told_apart
from scrubjay.slots.diets import allowed
from scrubjay.slots.laws import Laws
from scrubjay.slots.occasions import ASIDE
from scrubjay.slots.products import side_by_side, unlike
from scrubjay.slots.routines import at_other_times
from scrubjay.slots.selections import club_and_country
from scrubjay.slots.sides import SIDES
from scrubjay.slots.statements import Statement
from scrubjay.slots.subjects import two_subjects
from scrubjay.slots.switches import elsewhere
from scrubjay.slots.whereabouts import apart_by_post

STANDS: Final = Laws(
    "what stands",
    two_subjects,  # they are about two persons, two animals, two of a kind
    *BESIDE,  # something else has changed, or nothing
    allowed,  # who keeps a diet eats what it allows
    side_by_side,  # both name software or a device, but none of one kind
    unlike,  # a device and a program in use
    told_apart,  # they name two things, or say different sorts of things of one
    apart_by_post,  # different places or posts of one, as its town and its team
    two_bodies,  # two clubs, or a club and a choir
    elsewhere,  # a switch from something else
    another_charge,  # a second case, patient or class
    club_and_country,  # a club and a national team
    confirmed,  # the same again, and since when
    at_other_times,  # another doing at another time of day
    led_beside_held,  # who leads what is held, and where or when it is
    of_two_aspects,  # who leads a thing, and where it runs
    led_beside_held,  # who leads what is held, and where or when it is
    *ASIDE,  # an occasion, one of many, another environment
    *SIDES,  # two sides of one thing, or what was and what is
)


def stands(one: Statement, other: Statement) -> bool:
    """Whether both stay true, whichever of the two is the later, by what they say."""
    return STANDS.hold(one, other)
