"""What bounds one clause of a text does not bound the others."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.encode.clauses import clauses
from scrubjay.encode.ends import stated_end

SAID = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
"""A Monday."""

HOLD_ON = (
    "Rosa, who is in hospital until Thursday, speaks Finnish.",
    "Rosa, who speaks Finnish, is in hospital until Thursday.",
    "Nils (in Lyon until 20 March) owns the billing service.",
    "Nils (he is vegan) is in Lyon until 20 March.",
    "Nils – in Lyon until 20 March – owns the billing service.",
    "Nils, in Lyon until 20 March, owns the billing service.",
    "Eve lives in Ghent and is off sick until Wednesday.",
    "Eve is off sick until Wednesday and she lives in Ghent.",
    "Eve is off sick until Wednesday but has the keys.",
    "The lab is in building 7; it is closed until 9 March.",
    "The lab is in building 7. It is closed until 9 March.",
    "The lab is closed until 9 March. Its phone number is 555-0100.",
    "My dentist is Dr. Roth, she is on leave until 1 April.",
    "The engineer who is away until Friday maintains the parser and has a dog.",
    "Theo verträgt keine Milch und ist bis Donnerstag krank.",
    "Theo, der bis Donnerstag krank ist, verträgt keine Milch.",
    "Theo (bis Donnerstag krank) leitet den Einkauf.",
    "Das Lager ist in Halle 3; es ist bis 9. März gesperrt.",
    "Inès, qui est en congé jusqu'à jeudi, dirige les achats.",
    "Inès habite à Nantes et elle est en congé jusqu'à jeudi.",
    "Inès (en congé jusqu'à jeudi) dirige les achats.",
    "Pablo, que está de viaje hasta el jueves, es alérgico al polen.",
    "Pablo trabaja en Seat y está de vacaciones hasta el jueves.",
    "Giulia, che è in ferie fino a giovedì, ha un fratello.",
    "Giulia lavora alla Fiat ed è in ferie fino a giovedì.",
    "A Rita, que está de férias até quinta, mora no Porto.",
    "Rita mora no Porto e está de férias até quinta.",
    "Sanne woont in Utrecht en is ziek tot donderdag.",
)
ENDED = (
    ("The old pool and the sauna are closed until Friday.", "2026-03-07"),
    ("Max and Ana are away until Friday.", "2026-03-07"),
    ("Dr. Smith is away until Friday.", "2026-03-07"),
    ("Until Friday, the office is closed and calls go to Bo.", "2026-03-07"),
    ("The door code is 4711 (valid until Friday).", "2026-03-07"),
    ("Kofi (until Friday) is on call.", "2026-03-07"),
    ("The key that opens the shed is with Bo until Friday.", "2026-03-07"),
    ("Kai is away until Friday because he has a cold.", "2026-03-07"),
    ("Ana is away until Friday. Bo is on leave until 9 March.", "2026-03-10"),
    ("Ana is on leave until 9 March and Bo is away until Friday.", "2026-03-10"),
    ("Der Aufzug und die Rampe sind bis Freitag gesperrt.", "2026-03-07"),
    ("Luc et Marie sont absents jusqu'à vendredi.", "2026-03-07"),
    ("Marta y Luis están de viaje hasta el viernes.", "2026-03-07"),
    ("Hi team, I'm out of office until Friday. Thanks!", "2026-03-07"),
    ("Ben told me that the ramp is closed until Friday.", "2026-03-07"),
)


@pytest.mark.parametrize("text", HOLD_ON)
def test_what_holds_on_beside_an_end_has_none(text: str) -> None:
    assert len(clauses(text)) > 1 or "who" in text
    assert stated_end(text, SAID.timestamp()) is None


@pytest.mark.parametrize(("text", "end"), ENDED)
def test_what_all_ends_has_the_last_end(text: str, end: str) -> None:
    found = stated_end(text, SAID.timestamp())
    assert found is not None
    assert datetime.fromtimestamp(found.at, timezone.utc).isoformat()[:10] == end


@given(st.text(max_size=200))
def test_any_text_has_clauses_of_its_own_words(text: str) -> None:
    found = clauses(text)
    assert found
    assert sum(len(clause) for clause in found) <= len(text) + 2 * len(found)
