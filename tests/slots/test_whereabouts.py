"""A person's town, seat, team, employer, trade and things beside each other, and each of them changing."""

from __future__ import annotations

from itertools import combinations

import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement
from scrubjay.slots.whereabouts import Post, post_of

POSTS = {
    "Dario has moved to Cork.": Post.TOWN | Post.EMPLOYER,
    "Dario lives in Graz.": Post.TOWN,
    "Dario moved to the security team.": Post.TEAM,
    "Dario is on the growth team.": Post.TEAM,
    "Dario now sits in room H24.": Post.SEAT,
    "Dario is on a keto diet.": Post.STATE,
    "Dario works as a chef.": Post.TRADE,
    "Dario joined Ikea.": Post.EMPLOYER,
    "Dario joined the tax team.": Post.TEAM,
    "Dario is employed by Nokia.": Post.EMPLOYER,
    "Dario plays rugby on weekends.": Post.GAME,
    "Dario plays rugby for Bath.": Post.NONE,
    "Dario is married to Ann Booth.": Post.TIE,
    "Dario est marié à Ann Hall.": Post.TIE,
    "Dario sits in booth 4.": Post.SEAT,
    "Dario moved to Cork in 2016.": Post.TOWN | Post.EMPLOYER,
    "Dario ist nach Kiel gezogen.": Post.TOWN,
    "Dario si è trasferito a Roma.": Post.TOWN | Post.EMPLOYER,
    "Dario is in the chess club.": Post.BODY,
    "Dario is a father of two.": Post.KIN,
    "Dario is Eva's uncle.": Post.KIN,
    "Dario is on his father's boat.": Post.NONE,
    "Dario was born in Cork.": Post.BIRTH,
    "Dario est né à Lyon.": Post.BIRTH,
    "Dario prefers an aisle seat.": Post.CHOICE,
    "Dario is now a staff engineer at Spotify.": Post.NONE,
    "Dario likes the team in Graz.": Post.NONE,
    "Is Dario in Graz?": Post.NONE,
}
BESIDE = (
    "Dario has moved to Cork.",
    "Dario moved to the security team.",
    "Dario now sits in room H24.",
    "Dario is on a keto diet.",
    "Dario now works as a baker.",
    "Dario plays rugby on weekends.",
    "Dario is married to Ann Hall.",
    "Dario is a member of the Green Party.",
    "Dario is a father of two.",
    "Dario was born in Leeds.",
    "Dario prefers an aisle seat.",
)
BORN = (
    ("Giulia è nata a Torino.", "Giulia si è trasferita a Roma."),
    ("Claire est née à Lyon.", "Claire a déménagé à Paris."),
    ("Ida ist in Kiel geboren.", "Ida ist nach Bremen gezogen."),
    ("Marta nació en Sevilla.", "Marta se mudó a Madrid."),
)
REPLACED = (
    ("Dario lives in Graz.", "Dario has moved to Cork."),
    ("Dario is on the growth team.", "Dario moved to the security team."),
    ("Dario sits in room D14.", "Dario now sits in room H24."),
    ("Dario works as a chef.", "Dario now works as a baker."),
    ("Dario is employed by Nokia.", "Dario joined Ikea."),
    ("Dario is a father of two.", "Dario is a father of three."),
    ("Dario prefers an aisle seat.", "Dario prefers a window seat."),
    ("Dario is married to Ann Booth.", "Dario is married to Lea Moser."),
    ("Dario is engaged to Lea Moser.", "Dario is married to Lea Hall."),
)


@pytest.mark.parametrize(("text", "post"), POSTS.items(), ids=range(len(POSTS)))
def test_what_a_place_may_be(text: str, post: Post) -> None:
    assert post_of(statement(text)) == post


def test_one_subject_has_one_of_each() -> None:
    c = SlotModel.load(None).same_slot(BESIDE)
    assert [(BESIDE[i], BESIDE[j]) for i, j in combinations(range(len(BESIDE)), 2) if c[i, j] >= 0.5] == []


@pytest.mark.parametrize(("old", "new"), REPLACED, ids=range(len(REPLACED)))
def test_each_is_replaced_by_another_of_its_own(old: str, new: str) -> None:
    assert SlotModel.load(None).same_slot([old, new])[0, 1] >= 0.6


@pytest.mark.parametrize(("old", "new"), BORN, ids=range(len(BORN)))
def test_a_birthplace_is_no_home(old: str, new: str) -> None:
    assert stands(statement(old), statement(new))
    assert SlotModel.load(None).same_slot([old, new])[0, 1] == 0


def test_what_two_have_is_apart() -> None:
    texts = [
        "Bruno's phone number is 555-0102.",
        "Dario has a new phone number: 555-0204.",
        "Bruno has a new phone number: 7.",
    ]
    c = SlotModel.load(None).same_slot(texts)
    assert c[0, 1] == c[1, 2] == 0.0
    assert c[0, 2] >= 0.5


def test_a_port_is_no_rewriting() -> None:
    assert SlotModel.load(None).same_slot(["Falcon is written in Go.", "Falcon listens on port 8001."])[0, 1] < 0.5
