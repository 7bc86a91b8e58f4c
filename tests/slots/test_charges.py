"""A second case, patient or class beside the first leaves both, whatever title stands before the name."""

from __future__ import annotations

import pytest

from scrubjay.slots.charges import another_charge
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Roy handles the Tander case.", "Roy handles the Marow case."),
        ("Partner Roy handles the Tander case.", "Partner Roy handles the Marow case."),
        ("Judge Ortiz hears the Tander case.", "Judge Ortiz hears the Marow case."),
        ("Dr. Evans treats patient 12.", "Dr. Evans treats patient 15."),
        ("Attorney Weiss represents the Miller family.", "Attorney Weiss represents the Novak family."),
        ("Frau Kern unterrichtet die 7b.", "Frau Kern unterrichtet die 9a."),
        ("Lea manages the Berlin client.", "Lea manages the Paris client."),
        ("Lea covers ward 3.", "Lea covers ward 5."),
        ("Nurse Kim looks after ward 2.", "Nurse Kim looks after ward 7."),
        ("Ravi teaches 4b.", "Ravi teaches 6a."),
        ("Lea covers the north region.", "Lea covers the east region."),
        ("Lea serves on the audit committee.", "Lea serves on the ethics committee."),
        ("Dr. Lam operates on Mrs. Cole.", "Dr. Lam operates on Mr. Ray."),
        ("Ana is lead counsel in the Acme case.", "Ana is lead counsel in the Globex case."),
        ("Ana is lead counsel in Smith v. Jones.", "Ana is lead counsel in Doe v. Roe."),
    ],
)
def test_two_charges_stand(old: str, new: str) -> None:
    assert stands(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] < 0.3


def test_an_amount_is_no_charge() -> None:
    assert not another_charge(statement("The clinic treats 200 patients a day."), statement("The clinic treats 300."))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Roy handles the Tander case.", "Roy handles the Marow case now."),
        ("Roy handles the Tander case.", "Roy no longer handles the Tander case."),
        ("Roy handles the Tander case.", "Ines handles the Tander case."),
        ("Ada leads the Alpha project.", "Ada leads the Beta project."),
        ("Lea covers ward 3.", "Lea now covers ward 5 instead."),
        ("Lea covers 80 % of the costs.", "Lea covers 90 % of the costs."),
        ("Lea manages the Berlin client.", "Lea no longer manages the Berlin client."),
        ("Lea manages the Berlin office.", "Lea manages the Paris office."),
        ("Lea sits on the third floor.", "Lea sits on the fifth floor."),
        ("The line operates on a 20 minute schedule.", "The line operates on a 30 minute schedule."),
        ("Ana is lead counsel in the Acme case.", "Ben is lead counsel in the Acme case."),
        ("The hearing is in room 4.", "The hearing is in room 7."),
        ("Ada is the representative for district 3.", "Ada is the representative for district 13."),
    ],
)
def test_what_changes_is_no_second_charge(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))
