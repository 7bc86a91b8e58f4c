"""The end that a text names: what is read, what is left alone, and that nothing makes it fail."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.encode.ends import stated_end

SAID = datetime(2025, 3, 4, 10, tzinfo=timezone.utc)
"""A Tuesday."""

ENDS = (
    ("Sam is on call until Monday the 10th.", "2025-03-11"),
    ("The offer ends on 3 May.", "2025-05-04"),
    ("The certificate is valid through 2026-03-31.", "2026-04-01"),
    ("Das Büro ist bis Freitag geschlossen.", "2025-03-08"),
    ("Le musée est fermé jusqu'au 12 mars.", "2025-03-13"),
    ("La oficina está cerrada hasta el 20 de abril.", "2025-04-21"),
    ("La promozione è valida fino al 15 marzo.", "2025-03-16"),
    ("A promoção vai até 30 de abril.", "2025-05-01"),
    ("De winkel is gesloten tot vrijdag.", "2025-03-08"),
    ("优惠有效期至2025年6月30日。", "2025-07-01"),
    ("会議室は3月20日まで使えません。", "2025-03-21"),
    ("今日から金曜日まで休みです。", "2025-03-08"),
    ("Ferien vom 24. Juli bis 5. September.", "2025-09-06"),
    ("Submit expenses no later than Friday.", "2025-03-08"),
    ("The coupon can be used till the end of next week.", "2025-03-17"),
    ("I'm out of office until next Wednesday.", "2025-03-13"),
    ("The sale runs from 1 to 15 June.", "2025-06-16"),
    ("The exhibition runs 10-28 March.", "2025-03-29"),
    ("The deadline for the grant is Friday 17:00.", "2025-03-07T17:00"),
    ("The trial licence expires in 30 days.", "2025-04-04"),
    ("Nadia is covering support for the next two weeks.", "2025-03-19"),
    ("We need the slides by end of the month.", "2025-04-01"),
    ("Jo covers the front desk for the rest of the month.", "2025-04-01"),
    ("Submit your timesheet before Thursday.", "2025-03-06"),
    ("Registration closes tomorrow at noon.", "2025-03-05T12:00"),
    ("The VPN will be down until 6pm.", "2025-03-04T18:00"),
    ("Interim CFO through Q2 2025 is Hanna Weiss.", "2025-07-01"),
    ("We meet every Tuesday until 30 June.", "2025-07-01"),
)
NONE = (
    "The shop was open until recently.",
    "Clara was born on 3 May 1990.",
    "The bakery is open from seven until three every day.",
    "The company was founded in 2020.",
    "The new menu is not available until the 10th.",
    "He worked at Siemens until 2019.",
    "From 2010 to 2014 she studied law in Leiden.",
    "The store is open until 8pm.",
    "Breakfast is served until 10:30.",
    "月曜日から金曜日まで営業しています。",
    "On Fridays we work until two.",
    "I can't log in until IT resets my password.",
    "The offer ended last Friday.",
    "The road was closed for two months.",
    "He lived in Rome for ten years.",
    "The book was written by May Sarton.",
    "The bug was fixed by Friday's deploy.",
    "The elevator is out of service until further notice.",
    "The permit is good until 5/6/2025.",
    "The lift carries up to 8 people.",
    "The ticket is valid for 90 minutes.",
    "The trial period runs for 14 days.",
    "Rent is due by the 5th of every month.",
    "Support for version 3.9 ends on 2026-10-05.",
    "Is Sam on call until Friday?",
    "I like pottery. Sam is on call until Friday. Ana has a cat.",
    "Er war bis 2018 Trainer in Köln.",
    "",
    "until",
    "by",
    "from 1 to",
    "until 31 February",
    "until 99/99/9999",
)


def iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()[:16].removesuffix("T00:00")


@pytest.mark.parametrize(("text", "end"), ENDS)
def test_an_end_is_read(text: str, end: str) -> None:
    found = stated_end(text, SAID.timestamp())
    assert found is not None
    assert iso(found.at) == end
    assert 0.0 <= found.edge <= 92 * 86400.0


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_end_is_left_alone(text: str) -> None:
    assert stated_end(text, SAID.timestamp()) is None


def test_an_end_is_resolved_against_the_time_of_saying() -> None:
    text = "Mia is away until Friday."
    first, second = (stated_end(text, SAID.timestamp() + days * 86400.0) for days in (0, 7))
    assert first is not None
    assert second is not None
    assert second.at - first.at == 7 * 86400.0


@pytest.mark.parametrize("when", [-62135596800.0, 253402300799.0, 1e9])
@pytest.mark.parametrize(("text", "end"), ENDS)
def test_every_time_of_the_domain_will_do(text: str, end: str, when: float) -> None:
    found = stated_end(text, when)
    assert found is None or when < found.at < 253402300800.0


WORDS = st.sampled_from(
    (
        *("until", "by", "from", "to", "the", "of", "next", "1", "3rd", "31", "may", "friday", "17:00", "2026"),
        *("2026-13-45", "31.2.", "0/0/0000", "end", "week", "for", "in", "two", "days", "expires", "deadline", "not"),
        *("was", "and", ",", ".", "月", "3月20日まで", "jusqu'au", "le", "bis", "am", "9999", "q4", "midnight"),
    )
)


@given(st.lists(WORDS, max_size=12), st.floats(-6.2e10, 2.5e11))
def test_an_end_lies_behind_what_is_said(words: list[str], when: float) -> None:
    found = stated_end(" ".join(words), when)
    assert found is None or (found.at > when and found.edge >= 0.0)


@given(st.text(max_size=200))
def test_any_text_will_do(text: str) -> None:
    stated_end(text, SAID.timestamp())
