"""What a text states, whoever says so: labels, reports, greetings and partings in six languages change no horizon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.toys import Clock, WordHash

import scrubjay
from scrubjay.encode.features import _TOKEN, features
from scrubjay.encode.said import may_state_less, statement

STATED = {
    "The lift is out of order.": [
        "user: the lift is out of order.",
        '{"fact": "The lift is out of order."}',
        "[2026-06-02 09:00] The lift is out of order.",
        "**The lift is out of order.**",
        "The lift is out of order. Anyway, how are you?",
        "Customer said: the lift is out of order.",
        "tool_result: The lift is out of order.",
        "Remember that the lift is out of order.",
        "It turns out that the lift is out of order.",
        "The lift is out of order. Ask the caretaker. Please use the stairs.",
        "Human: the lift is out of order.",
        "[Priya] the lift is out of order.",
        "<omar> The lift is out of order.",
        "Our neighbour told me that the lift is out of order.",
        "I've heard from the caretaker that the lift is out of order.",
        "As Linh wrote, the lift is out of order.",
        "According to the caretaker, the lift is out of order.",
        "Linh informed us the lift is out of order.",
        "The lift is out of order, Linh says.",
        "The lift is out of order, according to Linh.",
        "It has been confirmed that the lift is out of order.",
        "Linh: The lift is out of order.",
        "Linh (10:32): The lift is out of order.",
        "**Linh**: The lift is out of order.",
        "THE LIFT IS OUT OF ORDER.",
        "user: THE LIFT IS OUT OF ORDER.",
        "I HEARD FROM LINH THAT THE LIFT IS OUT OF ORDER.",
        "Hi! assistant: Linh mentioned that the lift is out of order. Thanks!",
    ],
    "The lift is broken.": [
        '"The lift is broken."',
        "“The lift is broken.”",
        "‘The lift is broken’.",
        'user: "The lift is broken."',
        "Okay so the lift is broken.",
        "So the lift is broken.",
        "So, the lift is broken.",
        "Ok, so, the lift is broken.",
        "Well, so the lift is broken.",
        "Alright so the lift is broken.",
        "Anyway the lift is broken.",
        "- The lift is broken.",
        "* The lift is broken.",
        "\u2022 the lift is broken.",
        "- **The lift is broken.**",
        "> The lift is broken.",
        "2) The lift is broken.",
        "1. The lift is broken.",
        "And by the way, the lift is broken.",
        "(just so you know) The lift is broken.",
        "The lift is broken, and by the way.",
        "The lift is broken, by the way.",
        "The lift is broken, btw.",
        "The lift is broken btw.",
        "The lift is broken (just so you know).",
        "The lift is broken. (just so you know)",
        "The lift is broken - just saying.",
        "The lift is broken, thanks.",
    ],
    "Der Aufzug ist kaputt.": [
        "„Der Aufzug ist kaputt.“",
        "Übrigens, der Aufzug ist kaputt.",
        "Also der Aufzug ist kaputt.",
        "Der Aufzug ist kaputt (nur zur Info).",
        "Der Aufzug ist kaputt, nur damit du Bescheid weißt.",
        "Laut Omar, der Aufzug ist kaputt.",
        "Omar sagt, dass der Aufzug ist kaputt.",
    ],
    "L'ascenseur est en panne.": [
        "« L'ascenseur est en panne. »",
        "Au fait, l'ascenseur est en panne.",
        "L'ascenseur est en panne, soit dit en passant.",
        "Omar m'a raconté que l'ascenseur est en panne.",
        "Comme disait Omar, l'ascenseur est en panne.",
        "D'après Omar, l'ascenseur est en panne.",
    ],
    "El ascensor no funciona.": [
        "Por cierto, el ascensor no funciona.",
        "El ascensor no funciona, para que lo sepas.",
        "Mi vecina me contó que el ascensor no funciona.",
        "Según Omar, el ascensor no funciona.",
    ],
    "L'ascensore è rotto.": [
        "A proposito, l'ascensore è rotto.",
        "L'ascensore è rotto, tra l'altro.",
        "Ho letto che l'ascensore è rotto.",
        "Secondo Omar, l'ascensore è rotto.",
    ],
    "O elevador está parado.": [
        "Aliás, o elevador está parado.",
        "O elevador está parado (só para você saber).",
        "A vizinha avisou que o elevador está parado.",
        "Segundo Omar, o elevador está parado.",
    ],
    "电梯坏了。": ["顺便说一下，电梯坏了。", "“电梯坏了。”", "「电梯坏了。」"],
    "エレベーターは故障中です。": ["ちなみに、エレベーターは故障中です。", "「エレベーターは故障中です。」"],
}
WHOLE = [
    '"Gone with the Wind"',
    '"The Lift Is Broken"',
    '"The Lift Is Broken."',
    '"The lift is broken," nobody said.',
    '"The lift is broken." That is what Omar denies.',
    'Omar denies: "The lift is broken."',
    'Ana calls it "the lift".',
    '"Lift" or "elevator"',
    "‘Tis the season of the ants’",
    "So many lifts are broken.",
    "So tired of the stairs.",
    "So far the lift works.",
    "So is Ana.",
    "So long as it rains the lift is off.",
    "So what?",
    "So that it works, Omar came.",
    "OK Computer is an album.",
    "Well Street is closed.",
    "The lift is so broken.",
    "- 5 degrees",
    "-5 degrees outside",
    "> 5 people have a key.",
    "* 3",
    "+ 2 chairs",
    "1. Mai ist ein Feiertag.",
    "2. Stock ist gesperrt.",
    "1. FC Köln hat gewonnen.",
    "- Ana is out\n- Ben is in",
    "- [ ] Call the caretaker.",
    "#4",
    "The inn is by the way.",
    "He came by the way of Rome.",
    "Omar wants just so you know nothing.",
    "The talk is called (by the way) twice.",
    "by the way",
    "(btw)",
    "Nobody told me that the lift is out of order.",
    "Omar never said that he likes tea.",
    "If Linh says that it is open, go in.",
    '{"fact": "The lift is out of order.", "floor": "2"}',
    '{"fact": 4}',
    "The **lift** is out of order.",
    "Remember the milk.",
    "The tool result is 4.",
    "The lift is out of order. How long will it take?",
    "The lift is out of order. Use the stairs until Friday.",
    "Ask the caretaker. Use the stairs.",
    "Linh is a nurse. Order 4711 is late.",
    "Did Linh mention that she left?",
    "The message that Omar wrote is on the desk.",
    "Linh told us a joke.",
    "Omar said hello.",
    "Deadline: Friday",
    "Room: 4B",
    "Rent: 1,150",
    "Status: The build is running",
    "Friday: The office is closed",
    "Hobby: Chess",
    "Python: 3.12",
    "Linh: out of order",
    "HTTP 503",
    "SQL",
    "API v2",
    "We sell books, notes and reports.",
    "La cuenta que uso está vacía.",
    "He said that.",
    "user:",
    "Thanks!",
]
LEADS = [
    "...btw ",
    "!Heads-up: ",
    "Note to self: ",
    "good night! ",
    "By the way, ",
    "For your information, ",
    "Just so you know: ",
    "USER> ",
    "speaker B: ",
    "usuário: ",
    " <Omar> ",
    "(note) ",
    "as per Linh, ",
    "D’après Linh , ",
    "nach Angaben von Linh, ",
    "De acordo com Linh, ",
    "J'ai entendu qu’",
    "l'ha detto che ",
]
PARTINGS = [
    " Many thanks, Linh.",
    " :-)",
    " Hope that helps!",
    " Let me know.",
    " Got it.",
    " Take care",
    " Talk soon, Linh",
    " Have a nice day.",
    " Please keep this in mind.",
    " See you",
    " just in case",
    " VIELEN DANK!",
    ", m’écrit Linh",
    ", as per Linh",
    ", laut Linh!",
]
PIECES = ["I", "THE", "Linh: I", "Ana", "said", "that", "the", ",", ":", "user", "is", "not", ".", "Thanks!"]
PIECES += ['"', "- ", "* ", "1. ", "So", "okay", "btw", ", by the way.", "(fyi)", "d'ailleurs", "hmm"]


@pytest.mark.parametrize(("bare", "told"), [(bare, told) for bare, every in STATED.items() for told in every])
def test_who_says_so_is_not_part_of_what_is_said(bare: str, told: str) -> None:
    assert statement(told) == bare
    plain, wrapped = features([bare, told])
    assert np.array_equal(plain, wrapped)


@pytest.mark.parametrize("text", WHOLE)
def test_what_denies_asks_doubts_or_says_nothing_else_stays(text: str) -> None:
    assert statement(text) == text


@pytest.mark.parametrize("number", range(len(LEADS) + len(PARTINGS)))
def test_each_lead_and_parting_is_left_out(number: int) -> None:
    lead, parting = [*LEADS, *[""] * len(PARTINGS)][number], [*[""] * len(LEADS), *PARTINGS][number]
    said = "The lift is out of order" + "." * (not parting.startswith(","))
    told = lead + said + parting
    assert statement(told).rstrip("!") == said
    assert np.array_equal(*features([statement(told), told]))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*LEADS, *PARTINGS, *PIECES, "5:", "“", "\n", "l'ha"]), max_size=8),
    st.sampled_from(["", " "]),
)
def test_where_the_quick_check_says_no_nothing_is_left_out(pieces: list[str], between: str) -> None:
    told = between.join(pieces)
    assert statement(told) == told or may_state_less(told, _TOKEN.findall(told.lower()))


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=80),
        st.lists(st.sampled_from(PIECES)),
    )
)
def test_a_statement_is_a_part_of_its_text(text: str | list[str]) -> None:
    whole = text if isinstance(text, str) else " ".join(text)
    found = statement(whole)
    assert bool(found.strip()) == bool(whole.strip())
    # a capital may be longer: "ß" is "SS"; so may what is written in nothing else
    assert found == whole or len(found) <= len(whole) + 2 or len(found) <= len(whole.lower())


def test_a_report_goes_stale_as_what_it_reports_does(tmp_path: Path) -> None:
    embedder = WordHash(512, "use-multilingual-v3")  # the shipped head reads its vectors
    with scrubjay.open(tmp_path / "s", embedder=embedder, clock=Clock()) as store:
        texts = ["The lift is out of order.", *STATED["The lift is out of order."], WHOLE[0]]
        bare, *reports, denied = store.add_many(texts)
        for one in reports:
            assert one.perishability == bare.perishability
        assert denied.perishability != bare.perishability
        ages = [3600.0, 86400.0, 30 * 86400.0, 5 * 365 * 86400.0]
        valid = store.validity([one.id for one in (bare, *reports)], ages=ages)
        assert np.abs(valid - valid[0]).max() < 1e-6
        assert [one.text for one in reports] == texts[1:-1]  # stored as it was said


class Silent(WordHash):
    """An embedder that is out of order."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise RuntimeError("no answer")


def test_where_the_embedder_fails_a_report_has_the_curve_of_its_pi_tau_and_shape(tmp_path: Path) -> None:
    name = "use-multilingual-v3"
    with scrubjay.open(tmp_path / "s", embedder=WordHash(512, name), clock=Clock()) as store:
        one = store.add("user: the lift is out of order.")
    with scrubjay.open(tmp_path / "s", embedder=Silent(512, name), clock=Clock()) as store:
        held = float(store.validity([one.id], ages=[86400.0])[0, 0])
    p = one.perishability
    assert held == pytest.approx(np.exp(-((p.pi * 86400.0 / p.tau) ** p.shape)), rel=1e-5)


BEGUN = (
    ("The archive is on the fifth floor since yesterday.", "The archive is on the fifth floor."),
    ("Since last week, Lea leads the choir.", "Lea leads the choir."),
    ("Since this morning the archive is closed.", "The archive is closed."),
    ("From today on, the gate code is 8812.", "The gate code is 8812."),
    ("Mo told us yesterday that the archive is closed.", "The archive is closed."),
    ("Lea leads the choir, Mo told me last night.", "Lea leads the choir."),
    ("Seit gestern leitet Lea den Chor.", "Lea leitet den Chor."),
    ("Lea leitet seit gestern den Chor.", "Lea leitet den Chor."),
    ("Depuis hier, Lea dirige la chorale.", "Lea dirige la chorale."),
    ("Lea dirige la chorale depuis ce matin.", "Lea dirige la chorale."),
    ("Desde ayer Lea dirige el coro.", "Lea dirige el coro."),
    ("A partire da oggi, Lea dirige il coro.", "Lea dirige il coro."),
    ("Desde ontem a Lea dirige o coro.", "A Lea dirige o coro."),
    ("Sinds gisteren leidt Lea het koor.", "Lea leidt het koor."),
    ("Since 2019 Lea leads the choir.", "Since 2019 Lea leads the choir."),
    ("Since today is Monday, the archive is closed.", "Since today is Monday, the archive is closed."),
    ("Mo told me yesterday.", "Mo told me yesterday."),
    ("From now until Friday Mo is out.", "From now until Friday Mo is out."),
)
"""What has begun, and what is said of it."""


@pytest.mark.parametrize(("text", "stated"), BEGUN)
def test_since_when_it_holds_is_not_part_of_what_holds(text: str, stated: str) -> None:
    assert statement(text) == stated
    assert may_state_less(text, _TOKEN.findall(text.lower())) or stated == text
