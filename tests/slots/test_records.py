"""Records of trackers and chats, another value of the same thing, and what one occasion or environment was like."""

from __future__ import annotations

import pytest

from scrubjay.slots.changes import replaces
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.occasions import occasion
from scrubjay.slots.prefaces import bare
from scrubjay.slots.records import record_of
from scrubjay.slots.seats import NONE
from scrubjay.slots.shifts import NOTHING, shift
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement
from scrubjay.slots.states import other_state

REPLACED = (
    ("BUG-412: open", "BUG-412: closed"),
    ("OPS-77 status: in progress", "OPS-77: in progress -> blocked"),
    ("The incident INC-2044 is ongoing.", "INC-2044 resolved at 14:20"),
    ("OPS-91 is assigned to Marta.", "OPS-91 reassigned to Felix"),
    ("The login bug is assigned to Marta Lund.", "login bug: assigned to Felix"),
    ("status of the migration: not started", "status of the migration: 40% done"),
    ("Release 4.2 is the latest release.", "Release 4.3 is out."),
    ("The latest version of Heron is 1.9.", "Heron 1.10 has been released."),
    ("The Netflix plan costs 12.99 a month.", "Netflix went up to 15.99 a month."),
    ("The CI runs on CircleCI.", "CI was migrated to Buildkite last week."),
    ("We use npm for the frontend packages.", "btw we're on pnpm now"),
    ("The team uses Emacs.", "The whole team switched to Zed."),
    ("Ben works full-time.", "Ben went part-time."),
    ("The repo is private.", "The repo went public."),
    ("The offsite is on 5 May.", "Offsite: new date is 12 May"),
    ("The backend is written in Django.", "fyi the backend got rewritten in FastAPI"),
    ("The landlord is Mr Petrov.", "The flat was sold, the new landlord is Mrs Okafor."),
    ("A reunião é na sala 3.", "A reunião mudou para a sala 7."),
    ("Ana lives with Ben.", "Ana moved in with Carl."),
    ("The team uses VS Code.", "The whole team switched to Zed."),
    ("小李是素食者。", "小李现在吃肉了。"),
    ("我不吃肉。", "我又开始吃鱼了。"),
    ("PR #210 is waiting for review.", "PR #210 merged"),
    ("PAY-33 priority: low", "PAY-33 priority bumped to high"),
    ("There are 12 open tickets.", "only 4 open tickets left"),
    ("Reply to me in English.", "please answer in German from now on"),
    ("The user likes short answers.", "The user now wants long, detailed answers."),
    ("My phone is a Pixel 6.", "I got a new phone, an iPhone 15."),
    ("Jana ist Single.", "Jana hat seit Mai einen Freund."),
    ("Hugo est en CDD.", "Hugo est passé en CDI."),
    ("The support hotline is open 9 to 17.", "The support hotline is now open 8 to 20."),
    ("We're planning to go to Crete in July.", "We decided on Sardinia instead of Crete."),
)
KEPT = (
    ("BUG-412: open", "BUG-421: closed"),
    ("BUG-412 is open.", "Is BUG-412 closed?"),
    ("OPS-91 is assigned to Marta.", "OPS-92 reassigned to Felix"),
    ("Release 4.2 is the latest release.", "Release 4.1.9 is out."),
    ("The latest version of Heron is 1.9.", "Finch 2.0 is out."),
    ("status of the migration: not started", "status of the audit: done"),
    ("The Netflix plan has 4 screens.", "Netflix went up to 15.99 a month."),
    ("The Netflix plan costs 12.99 a month.", "Spotify went up to 15.99 a month."),
    ("The docs site is on npm.", "btw we're on pnpm now"),
    ("We use Postgres.", "btw we're on pnpm now"),
    ("Ben works full-time.", "Ida went part-time."),
    ("Standup is at 9:30.", "Yesterday standup was at 9:45 because of the fire drill."),
    ("Ana lives in Cardiff.", "Ana moved in with Carl."),
    ("小李是素食者。", "小王现在吃肉了。"),
    ("Deploys happen on Fridays.", "A deploy failed on Tuesday."),
    ("The session timeout is 15 minutes.", "the session starts in 10 minutes"),
    ("Maya reports to Joel.", "Maya sent the report to Priscilla."),
    ("Uncle Leo smokes.", "Aunt Mia quit smoking in spring."),
    ("Isabel is vegetarian.", "Isabel cooked meat for her guests."),
    ("Reply to me in English.", "Write commit messages in German."),
    ("There are 12 open tickets.", "only 4 seats left"),
    ("My phone is a Pixel 6.", "I got a new bike, a Canyon."),
    ("The feature flag new_checkout is off in production.", "new_checkout flag turned on in staging"),
)


def _c(old: str, new: str) -> float:
    return float(SlotModel.load(None).same_slot([old, new])[0, 1])


@pytest.mark.parametrize(("old", "new"), REPLACED, ids=[new for _, new in REPLACED])
def test_what_has_another_value_now_is_replaced(old: str, new: str) -> None:
    assert _c(old, new) >= FLOOR


@pytest.mark.parametrize(("old", "new"), KEPT, ids=[f"{old} {new}" for old, new in KEPT])
def test_another_thing_or_occasion_replaces_nothing(old: str, new: str) -> None:
    assert _c(old, new) < FLOOR


def test_two_environments_are_values_where_nothing_else_differs() -> None:
    live, test = (statement(f"Release 4.2 is in {where}.") for where in ("production", "staging"))
    assert not stands(live, test)


def test_a_state_until_yesterday_is_no_occasion() -> None:
    assert not occasion(statement("Ana was at the clinic until yesterday.")).once
    assert occasion(statement("Yesterday Ana was at the clinic.")).once


@pytest.mark.parametrize(
    "text", ["Heron: call mum", "Ana: I moved to Rome", "BUG-412 is not closed yet", "", "12", ": :"]
)
def test_what_is_no_record_has_no_seat(text: str) -> None:
    assert record_of(text) == NONE


def test_laws_of_values_look_at_one_side() -> None:
    old, new = statement("Ben works full-time."), statement("Ben went part-time.")
    assert other_state(old, new)
    assert shift(statement("Ben likes tea.")) == NOTHING
    assert replaces(old, new)
    assert replaces(new, old)


def test_prefaces_of_chats_are_no_part_of_what_is_said() -> None:
    assert bare("btw we're on pnpm now") == "we're on pnpm now"
    assert bare("gate change: it leaves from C4") == "it leaves from C4"
    assert bare("btw") == "btw"
