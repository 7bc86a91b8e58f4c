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
    ("Ana is out until 10:30.", "2025-03-04T10:30"),
    ("The demo is on until 14:30.", "2025-03-04T14:30"),
    ("The breakfast meeting is in the lobby until 10:30.", "2025-03-04T10:30"),
    ("Breakfast is in the lobby until 10:30 today.", "2025-03-04T10:30"),
    ("Interim CFO through Q2 2025 is Hanna Weiss.", "2025-07-01"),
    ("We meet every Tuesday until 30 June.", "2025-07-01"),
    ("Can't talk, in a meeting for the next two hours.", "2025-03-04T12:00"),
    ("Reserved for 24 hours.", "2025-03-05T10:00"),
    ("On hold for 3 days.", "2025-03-08"),
    ("Ausverkauf nur noch diese Woche.", "2025-03-10"),
    ("Disponible sólo hoy.", "2025-03-05"),
    ("Rain is expected for the rest of the afternoon.", "2025-03-04T18:00"),
    ("The lease of unit 4 is up on July 31.", "2025-08-01"),
    ("The road is closed until the work is finished on June 9.", "2025-06-10"),
    ("Out for lunch, back at 1:30 pm.", "2025-03-04T13:30"),
    ("This tax year ends on April 5.", "2025-04-06"),
    ("La oferta termina el lunes.", "2025-03-11"),
)
NONE = (
    "Le cours a lieu le mardi.",
    "Le musée ferme le lundi.",
    "Il museo chiude il lunedì.",
    "El museo cierra los lunes.",
    "Los lunes tenemos reunión de equipo.",
    "Our tax year ends on April 5.",
    "The fiscal year closes on 31 March.",
    "Das Geschäftsjahr endet am 30. September.",
    "Open for 24 hours.",
    "Calls are on hold for 2 minutes on average.",
    "He was away for the rest of the afternoon.",
    "It rained only today.",
    "Only this week did I learn of it.",
    "The kids are back at 3:30 pm.",
    "The table is reserved for guests.",
    "The shop was open until recently.",
    "Clara was born on 3 May 1990.",
    "The bakery is open from seven until three every day.",
    "The company was founded in 2020.",
    "The new menu is not available until the 10th.",
    "He worked at Siemens until 2019.",
    "From 2010 to 2014 she studied law in Leiden.",
    "The store is open until 8pm.",
    "Breakfast is served until 10:30.",
    "Breakfast is in the lobby until 10:30",
    "Lunch is in the canteen until 2pm.",
    "Parking is free until 9pm.",
    "Visiting hours are on the second floor until 8pm.",
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

LATER = datetime(2026, 8, 4, 10, tzinfo=timezone.utc)
"""A Tuesday."""
TOLD = (
    ("Passwords expire in 90 days by policy.", None),
    ("Every invoice is due in 30 days.", None),
    ("Tokens issued by the API expire in 30 days.", None),
    ("Gift cards expire in 2 years.", None),
    ("API keys expire in 60 days.", None),
    ("All reports are due in 5 days.", None),
    ("My passport expires in 90 days.", "2026-11-03"),
    ("The TLS certificate expires in 14 days.", "2026-08-19"),
    ("Our vouchers expire in 3 days.", "2026-08-08"),
    ("Ana's tickets expire in 3 days.", "2026-08-08"),
    ("Jede Rechnung ist in 30 Tagen fällig.", None),
    ("Chaque facture expire dans 30 jours.", None),
    ("Cada factura vence en 30 días.", None),
    ("La factura vence en 30 días.", "2026-09-04"),
    ("Ogni buono scade entro 30 giorni.", None),
    ("A session cookie expires in 30 days.", None),
    ("Invoices must be paid within 30 days.", None),
    ("Your password expires in 90 days by policy.", None),
    ("Priya's visa expires in 30 days.", "2026-09-04"),
    ("FYI, the trial ends in 3 days.", "2026-08-08"),
    ("Passwords expire on Friday.", "2026-08-08"),
    ("All staff are on leave until Friday.", "2026-08-08"),
    ("Read the book 'Until Friday' by Mel Wood.", None),
    ('Kofi loves the film "Until Friday".', None),
    ("Lies „Bis Freitag“ von Jana Holt.", None),
    ("Lire « Jusqu'à vendredi » de Paul Roy.", None),
    ('Sam wrote: "I\'m away until Friday."', "2026-08-08"),
    ('The status says "closed until Friday".', "2026-08-08"),
    ('The "Spring Sale" ends on Friday.', "2026-08-08"),
    ("Ana's team is away until Friday, the 'big one'.", "2026-08-08"),
    ("The boys' club is closed until Friday.", "2026-08-08"),
    ("Max arbeitete bis 3. Mai bei Siemens.", None),
    ("Max arbeitet bis 3. Mai bei Siemens.", "2027-05-04"),
    ("Lena wohnte bis Freitag in Köln.", None),
    ("Lena wohnt bis Freitag in Köln.", "2026-08-08"),
    ("Wir arbeiten bis Freitag von zu Hause.", "2026-08-08"),
    ("Die geplante Sperrung gilt bis Freitag.", "2026-08-08"),
    ("Karl leitete das Team bis 3. Mai.", None),
    ("Max hat bis 3. Mai bei Siemens gearbeitet.", None),
    ("Bis 3. Mai arbeitete Max bei Siemens.", None),
    ("Paul travaillait chez Renault jusqu'au 3 mai.", None),
    ("Paul travaille chez Renault jusqu'au 3 mai.", "2027-05-04"),
    ("Paul a travaillé chez Renault jusqu'au 3 mai.", None),
    ("Ana a réservé la salle jusqu'au 3 mai.", "2027-05-04"),
    ("Inés trabajó en Seat hasta el 3 de mayo.", None),
    ("Inés trabajaba en Seat hasta el 3 de mayo.", None),
    ("Inés trabaja en Seat hasta el 3 de mayo.", "2027-05-04"),
    ("Luca lavorava alla Fiat fino al 3 maggio.", None),
    ("Luca lavora alla Fiat fino al 3 maggio.", "2027-05-04"),
    ("João trabalhou na TAP até 3 de maio.", None),
    ("João trabalha na TAP até 3 de maio.", "2027-05-04"),
    ("Until 3 May, Max worked at Siemens.", None),
    ("Until Friday, Ana is covering support.", "2026-08-08"),
    ("Temporary password valid for 24 hours", "2026-08-05T10:00"),
    ("The coupon is valid for 2 weeks.", "2026-08-19"),
    ("The warranty is valid for 2 years.", None),
    ("Gift cards are valid for 3 months.", None),
    ("Das Angebot gilt noch 10 Tage.", "2026-08-15"),
    ("L'offre est valable 10 jours.", "2026-08-15"),
    ("La oferta es válida por 10 días.", "2026-08-15"),
    ("L'offerta è valida per 10 giorni.", "2026-08-15"),
    ("Das Angebot ist 10 Tage gültig.", "2026-08-15"),
    ("Der Gutschein ist noch 10 Tage gültig.", "2026-08-15"),
    ("The ticket is valid for 90 minutes.", None),
    ("The link is valid for 30 days after activation.", None),
    ("The quote was valid for 30 days.", None),
    ("Leo is away until February 29.", "2028-03-01"),
    ("Leo is away until 31 February.", None),
    ("Do not deploy until Friday.", "2026-08-07"),
    ("Please don't deploy before Friday.", "2026-08-07"),
    ("Bitte bis Freitag nicht deployen.", "2026-08-07"),
    ("No deploys until Friday.", "2026-08-07"),
    ("Don't wait until Friday.", None),
    ("The menu is not available until Friday.", None),
    ("You must not restart the server until Friday.", "2026-08-07"),
    ("The sale runs September 1 - September 20.", "2026-09-21"),
    ("The sale runs September 1-20.", "2026-09-21"),
    ("The exhibition is open May 2 to June 14.", "2027-06-15"),
    ("The sale is over on September 3.", "2026-09-04"),
    ("Der Ausverkauf ist am 3. September vorbei.", "2026-09-04"),
    ("Ana ist am 3. September vorbei gekommen.", None),
    ("Das Projekt war am 3. September vorbei.", None),
    ("The game is over.", None),
    ("Ana is travelling this week.", "2026-08-10"),
    ("Ana is on call this week.", "2026-08-10"),
    ("Ana was out this week.", None),
    ("Ana started at Bosch this week.", None),
    ("The shop is closed today.", "2026-08-05"),
    ("Ana ist diese Woche krank.", "2026-08-10"),
    ("Luc est en congé cette semaine.", "2026-08-10"),
    ("Leila está de viaje esta semana.", "2026-08-10"),
    ("The room is 3 - 4 metres wide.", None),
    ("Versions 1 - 3 are supported.", None),
    ("Ne déployez pas avant vendredi.", "2026-08-07"),
    ("The sale ends on 2026-09-03.", "2026-09-04"),
    ("Ana's leave ends on 3 September 2026.", "2026-09-04"),
    ("Support for version 3.9 ends on 2026-10-05.", None),
    ("Security updates for Debian end on 2026-10-05.", None),
    ("Der Sommerschlussverkauf endet am 3. September 2026.", "2026-09-04"),
    ("The offer ends on 3 May.", "2027-05-04"),
    ("Leo is out of office till 9/15.", "2026-09-16"),
    ("Leo is out of office till 9/10.", None),
    ("Leo is out until 15/9.", "2026-09-16"),
    ("The support desk is staffed until 24/7.", None),
    ("The permit is good until 9/15/26.", "2026-09-16"),
    ("Licences expire in 12 months.", None),
    ("Unused credits expire in 6 months.", None),
    ("By default, links expire in 7 days.", None),
    ("Any unpaid order expires in 48 hours.", None),
    ("The order expires in 48 hours.", "2026-08-06T10:00"),
    ("Their permits expire in 10 days.", "2026-08-15"),
    ("These tokens expire in 10 days.", "2026-08-15"),
    ("Two coupons expire in 3 days.", "2026-08-08"),
    ("Toutes les factures expirent dans 30 jours.", None),
    ("Todos los cupones vencen en 30 días.", None),
    ("El cupón caduca en 30 días.", "2026-09-04"),
    ("Il buono scade tra 30 giorni.", "2026-09-04"),
    ("Elke factuur verloopt binnen 30 dagen.", None),
    ("Mes billets expirent dans 3 jours.", "2026-08-08"),
    ("Marta's domain expires in 20 days.", "2026-08-25"),
    ("Parking permits are due in 10 days.", None),
    ("The lease runs out in 30 days.", "2026-09-04"),
    ("Subscriptions run out in 30 days.", None),
    ('Nadia watched "Closed Until Monday" yesterday.', None),
    ("Her song 'Till Sunday' is number one.", None),
    ("The novel “Before Friday” is by Ola Berg.", None),
    ("Ein Film namens „Bis Montag“ läuft.", None),
    ('The notice reads: "Road closed until Friday."', "2026-08-08"),
    ('"Closed until Friday."', "2026-08-08"),
    ("Erik studierte bis 3. Mai in Uppsala.", None),
    ("Erik studiert bis 3. Mai in Uppsala.", "2027-05-04"),
    ("Die Kinder spielten bis Freitag draußen.", None),
    ("Wir warten bis Freitag.", "2026-08-08"),
    ("Sara mietete das Auto bis Freitag.", None),
    ("Die letzte Frist läuft bis Freitag.", "2026-08-08"),
    ("Heute bitte bis Freitag bestellen.", "2026-08-08"),
    ("Claire habitait à Lyon jusqu'au 3 mai.", None),
    ("Claire habite à Lyon jusqu'au 3 mai.", "2027-05-04"),
    ("Claire a vécu à Lyon jusqu'au 3 mai.", None),
    ("La route est fermée jusqu'au 3 mai.", "2027-05-04"),
    ("Marta vivió en Lima hasta el viernes.", None),
    ("Marta estudiaba hasta el viernes.", None),
    ("Marta ha vivido en Lima hasta el viernes.", None),
    ("Marta vive en Lima hasta el viernes.", "2026-08-08"),
    ("La tienda amplió la oferta hasta el viernes.", "2026-08-08"),
    ("Giulia abitò a Roma fino al 3 maggio.", None),
    ("Giulia ha vissuto a Roma fino al 3 maggio.", None),
    ("Giulia abita a Roma fino al 3 maggio.", "2027-05-04"),
    ("Rita morava no Porto até sexta.", None),
    ("Rita está no Porto até sexta.", "2026-08-08"),
    ("Sanne werkte bij Philips tot 3 mei.", None),
    ("Sanne werkt bij Philips tot 3 mei.", "2027-05-04"),
    ("Hasta el 3 de mayo Inés trabajó en Seat.", None),
    ("Jusqu'à vendredi, Ana est en congé.", "2026-08-08"),
    ("Bis Freitag leitet Jens das Team.", "2026-08-08"),
    ("The one-time code is valid for 10 minutes.", "2026-08-04T10:10"),
    ("This invite link is valid for 3 days.", "2026-08-08"),
    ("The guest pass is good for 2 weeks.", "2026-08-19"),
    ("The discount is valid for another 5 days.", "2026-08-10"),
    ("A passport is valid for 10 years.", None),
    ("My passport is valid for 10 years.", None),
    ("Every voucher is valid for 3 months.", None),
    ("The prescription is valid for 6 months.", None),
    ("Der Code ist 24 Stunden gültig.", "2026-08-05T10:00"),
    ("Le devis reste valable pendant 30 jours.", "2026-09-04"),
    ("El presupuesto vale 15 días.", "2026-08-20"),
    ("Het aanbod is nog 10 dagen geldig.", "2026-08-15"),
    ("Der Gutschein war 10 Tage gültig.", None),
    ("Ich habe noch 10 Tage Urlaub.", None),
    ("Don't merge until Monday.", "2026-08-10"),
    ("Do not book flights before 10 September.", "2026-09-10"),
    ("Never deploy on Friday.", None),
    ("No meetings until the 10th.", "2026-08-10"),
    ("We should not announce it until 1 September.", "2026-09-01"),
    ("Don't leave it until Friday.", None),
    ("The store does not open until Friday.", None),
    ("Nobody knows until Friday.", None),
    ("Don't forget to submit the form by Friday.", "2026-08-08"),
    ("Nicht deployen bis Freitag.", "2026-08-07"),
    ("No publicar hasta el viernes.", "2026-08-07"),
    ("Non pubblicare fino a venerdì.", "2026-08-07"),
    ("La tienda no abre hasta el viernes.", None),
    ("Registration closes on 2026-09-01.", "2026-09-02"),
    ("Mika's shift ends on 2026-08-09.", "2026-08-10"),
    ("The rental contract ends on 30 September 2026.", "2026-10-01"),
    ("Mainstream support ends on 30 September 2026.", None),
    ("Node 20 maintenance ends on 30 April 2027.", None),
    ("Das Praktikum endet am 30.9.2026.", "2026-10-01"),
    ("La promoción termina el 30 de septiembre de 2026.", "2026-10-01"),
    ("Zoe is out until 8/31.", "2026-09-01"),
    ("Zoe is out until 8/9.", None),
    ("The road is closed through 12/24.", "2026-12-25"),
    ("Submit by 8/20.", "2026-08-21"),
    ("La oficina está cerrada hasta el 15/9.", "2026-09-16"),
    ("The clinic is open until 24/7 staffing is over.", None),
    ("La date limite a été prolongée jusqu'à vendredi.", "2026-08-08"),
    ("Paul a été maire jusqu'au 3 mai.", None),
    ("Kunden konnten bis 3. Mai bestellen.", None),
    ("Use code SAVE20, valid for 48h.", "2026-08-06T10:00"),
    ("Le billet est encore valable 10 jours.", "2026-08-15"),
    ("The ticket is still valid for 10 days.", "2026-08-15"),
    ("Sara said she is in Rome until Friday.", "2026-08-08"),
    ("Sara said she was in Rome until Friday.", None),
)
"""What is ended and what is not: kinds, titles, the past, bans, what is given out, dates with a year."""

NEAR = (
    ("The badge lapses on 2026-09-01T07:30Z.", "2026-09-01T07:30", 900.0),
    ("The lease token expires at 2026-09-01T07:30:00+02:00.", "2026-09-01T05:30", 900.0),
    ("The lease token expires at 2026-08-31T23:30:00-01:00.", "2026-09-01T00:30", 900.0),
    ("Die Pumpe ist bis 16 Uhr aus.", "2026-08-04T16:00", 900.0),
    ("Das Netz ist bis 16 Uhr weg.", "2026-08-04T16:00", 900.0),
    ("Die Post ist bis 18 Uhr geöffnet.", None, 0.0),
    ("The flash sale ends at midnight.", "2026-08-05", 900.0),
    ("Registration closes at 17:00.", "2026-08-04T17:00", 900.0),
    ("The late shift ends at 22:00.", None, 0.0),
    ("The gate closes at 22:00.", None, 0.0),
    ("Inès est en congé jusqu'au 20.", "2026-08-21", 7200.0),
    ("Ouvrez le livre jusqu'au 20 du cahier.", None, 0.0),
    ("Omar won't be back until 9 September.", "2026-09-09", 7200.0),
    ("Ute ist bis 9. September nicht zurück.", "2026-09-09", 7200.0),
    ("The visa is valid until 2026-12-31.", "2027-01-01", 7200.0),
    ("The tram is on strike through 12 August.", "2026-08-13", 7200.0),
    ("The tent is up until May.", "2027-06-01", 31 * 86400.0),
    ("The tent is up until the end of May.", "2027-06-01", 7200.0),
    ("The trial licence expires in 30 days.", "2026-09-04", 7200.0),
    ("The trial licence expires in two weeks.", "2026-08-19", 86400.0),
)
"""How near its end what ends is over: a named day's end is near midnight."""


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


HOURS = (
    ("Ben is out sick for the rest of the day", "2025-03-05", 7200.0),
    ("Mein Zug geht in 20 Minuten", "2025-03-04T11:20", 3615.0),
    ("Ana kommt in einer Stunde zurück", "2025-03-04T12:15", 4500.0),
    ("Standup is cancelled this week", "2025-03-10", 7200.0),
    ("I'm working from home this week", "2025-03-10", 7200.0),
    ("Der Aufzug ist diese Woche gesperrt", "2025-03-10", 7200.0),
    ("maintenance window: 2025-03-05 02:00-04:00 UTC", "2025-03-05T08:00", 14400.0),
    ("Demo: 14 May", "2025-05-15", 7200.0),
    ("I'm at the dentist until noon", "2025-03-04T12:00", 900.0),
    ("I'll be at the dentist until noon", "2025-03-04T12:00", 900.0),
    ("She is with a client until 4pm", "2025-03-04T16:00", 900.0),
    ("Room 5 is booked from 10 to 12 today", "2025-03-04T12:00", 900.0),
    ("Room 5 is booked from 2 to 4 today", "2025-03-04T16:00", 900.0),
    ("I'm in meetings from 10:30 to 11:00 today", "2025-03-04T11:00", 900.0),
    ("Raum 5 ist heute von 10 bis 12 Uhr belegt", "2025-03-04T12:00", 900.0),
    ("visitor badge 17 is valid till 6pm", "2025-03-04T18:00", 900.0),
    ("The guest code is valid until 18:00", "2025-03-04T18:00", 900.0),
)
ANY_DAY = (
    "A day pass is valid until 6pm",
    "The day pass is valid until 6pm every day",
    "The shop is at the corner until noon",
    "He's at his best until noon every day",
    "The pharmacy is open from 10 to 12",
    "The library is open from 9 to 5",
    "Room 5 was booked from 10 to 12 today",
    "I worked from 10 to 12 today",
    "The dose is from 10 to 12 mg today",
    "The flight was cancelled this week",
    "My subscription is cancelled",
    "Max geht am 1. September in die Schule",
    "Max geht in zwei Jahren in Rente",
    "Das Buch kommt in einer Reihe heraus",
    "Standup: 9:30",
    "Maintenance: Monday",
    "Version: 3.12",
)
"""What may be so on any day, is over, or says nothing of an end."""


@pytest.mark.parametrize(("text", "end", "edge"), HOURS)
def test_an_end_of_this_day_or_week(text: str, end: str, edge: float) -> None:
    found = stated_end(text, SAID.timestamp())
    assert found is not None
    assert (iso(found.at), found.edge) == (end, edge)


@pytest.mark.parametrize("text", ANY_DAY)
def test_what_may_be_so_on_any_day_has_no_end(text: str) -> None:
    assert stated_end(text, SAID.timestamp()) is None


@pytest.mark.parametrize(("text", "end"), TOLD)
def test_an_end_by_how_it_is_said(text: str, end: str | None) -> None:
    found = stated_end(text, LATER.timestamp())
    assert (None if found is None else iso(found.at)) == end


@pytest.mark.parametrize(("text", "end", "edge"), NEAR)
def test_an_end_is_as_exact_as_it_is_said(text: str, end: str | None, edge: float) -> None:
    found = stated_end(text, LATER.timestamp())
    assert (None if found is None else (iso(found.at), found.edge)) == (None if end is None else (end, edge))


def test_an_end_by_how_it_is_said_at_every_time_of_the_domain() -> None:
    for text, _ in TOLD:
        for when in (-62135596800.0, 253402300799.0, 1e9):
            found = stated_end(text, when)
            assert found is None or when < found.at < 253402300800.0, (text, when)


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
