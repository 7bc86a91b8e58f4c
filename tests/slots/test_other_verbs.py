"""An end or a change told by another verb than the state: "rules", "was deposed"; "on the Starter plan", "upgraded"."""

from __future__ import annotations

import pytest

from scrubjay.slots.changes import replaces
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.endings import either_ends
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

OVER = (
    ("Queen Isa reigns over the north.", "Isa was overthrown."),
    ("Duke Ferran governs the isles.", "Duke Ferran abdicated."),
    ("The old mill is still standing.", "The old mill was torn down last week."),
    ("Das Tor steht.", "Das Tor wurde abgerissen."),
    ("Corporal Lind is alive.", "Lind was murdered."),
    ("Their inn is called the Lame Fox.", "The inn has been rechristened the Blue Hen."),
    ("The nightly export fires at 01:00.", "The export was shifted to 03:15."),
    ("Fenwick is on the Starter plan.", "Fenwick upgraded to Pro."),
    ("Fenwick is on the Team tier.", "Fenwick was downgraded to the Free tier."),
    ("The manifest pins Ruby 3.1.", "Bumped the toolchain to Ruby 3.3."),
    ("Alerts go to PagerDuty.", "We replaced PagerDuty with Opsgenie."),
    ("Our handbook lives in Confluence.", "We moved the handbook from Confluence to Notion."),
    ("Elective hip surgery is scheduled for 9 May.", "Hip operation cancelled at her own wish."),
    ("Omar leads the night shift team.", "Rita is back in charge of the night shift team."),
    ("Omar is on call.", "Rita is back on call."),
)
GOES_ON = (
    ("Queen Isa reigns over the north.", "King Orm was deposed."),
    ("The old mill is still standing.", "The barn was torn down last week."),
    ("The nightly export fires at 01:00.", "The import was shifted to 03:15."),
    ("Fenwick is on the Starter plan.", "Marlow upgraded to Pro."),
    ("Fenwick is on the Starter plan.", "Fenwick upgraded to Windows 11."),
    ("Fenwick is on the phone.", "Fenwick upgraded to Pro."),
    ("The manifest pins Ruby 3.1.", "Bumped the billing service to Ruby 3.3."),
    ("Omar uses PagerDuty.", "We replaced PagerDuty with Opsgenie."),
    ("Elective hip surgery is scheduled for 9 May.", "Knee operation cancelled."),
    ("Hip surgery is scheduled for 9 May.", "Hip physiotherapy cancelled."),
    ("The weekly sync is on Tuesday.", "Sync cancelled on 4 May."),
    ("Omar leads the night shift team.", "Rita is back in charge of the day shift team."),
)


@pytest.mark.parametrize(("old", "new"), OVER)
def test_it_is_over_whatever_the_verb(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert either_ends(one, other) or replaces(one, other)
    assert SlotModel.load().same_slot([old, new])[0, 1] > FLOOR


@pytest.mark.parametrize(("old", "new"), GOES_ON)
def test_of_another_thing_it_ends_nothing(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert stands(one, other) or not (either_ends(one, other) or replaces(one, other))
    assert SlotModel.load().same_slot([old, new])[0, 1] < FLOOR
