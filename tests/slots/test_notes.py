"""What agents note of people, work, systems and things: what takes the place of which, and what stands beside it."""

from __future__ import annotations

import pytest

from scrubjay.slots.competition import FLOOR, SlotModel

REPLACED = [
    ("Mona is dating Felix.", "Mona and Felix split up in May."),
    ("Pavel is a student at Charles University.", "Pavel graduated from Charles University."),
    ("Meine Tochter studiert in Jena.", "Meine Tochter hat ihr Studium abgeschlossen."),
    ("Inge drives a Golf.", "Inge traded her Golf in for a Zoe."),
    ("Omar works three days a week.", "Omar went up to four days."),
    ("The lease with Bellway runs through 2026.", "The Bellway lease was extended through 2029."),
    ("The export button is behind a flag.", "The export button was released to everyone."),
    ("The client supports Windows 7.", "We dropped support for Windows 7."),
    ("The certificate is stored in the repo.", "The certificate now lives in the key store."),
    ("The ladder is behind the shed.", "The ladder is with our neighbours now."),
    ("The worker pool runs two processes.", "We scaled the worker pool to six processes."),
    ("The sync timeout happens on slow links.", "The sync timeout is fixed."),
    ("Grandpa takes 40 mg of furosemide.", "The doctor put Grandpa on 20 mg of furosemide."),
    ("Paul est le directeur commercial de Nimbus.", "Ada a succédé à Paul comme directrice commerciale de Nimbus."),
    ("A loja fica no Rossio.", "A loja mudou-se para Belém."),
    ("The electricity bill is unpaid.", "The electricity bill was paid on Tuesday."),
    ("Nils is Berta's coach.", "Berta got a new coach, Sam."),
    ("Yan owns the search module.", "The search module belongs to Mira now."),
    ("The water tank is empty.", "We refilled the water tank."),
    ("My visa is pending.", "My visa was approved."),
    ("Ute is a trainee at the harbour.", "Ute finished her internship at the harbour."),
    ("Max is the secretary of the ski club.", "The ski club elected Pia as secretary."),
    ("倉庫は神戸にあります。", "倉庫は横浜に移転しました。"),
]
BESIDE = [
    ("Omar works three days a week.", "Omar works from the Riga office on Mondays."),
    ("Omar works remotely.", "Omar works part-time."),
    ("OPS-77 is in review.", "OPS-77 will soon be closed."),
    ("The lift is broken.", "The lift is from 1998."),
    ("Grandpa takes 40 mg of furosemide.", "Grandpa takes 100 mg of aspirin."),
    ("We fly to Turin on the 3rd.", "We fly back from Turin on the 9th."),
    ("Lea wants Greek wine for the dinner.", "Lea likes Spanish wine."),
    ("Mona is dating Felix.", "Mona introduced Felix to her aunt."),
    ("The wifi code is rain44.", "The guest wifi code is hello12."),
    ("Lena lives in Cardiff.", "Lena is now a staff engineer at Spotify."),
    ("The garden gate is locked.", "The garden gate is next to the pond."),
    ("Rosa has an appointment with Dr. Stein on May 4.", "Rosa has an appointment with Dr. Vogel on May 9."),
    ("The user wants answers in English.", "The team hosted a workshop."),
]


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_the_newer_note_takes_the_place(older: str, newer: str) -> None:
    assert SlotModel.load().same_slot([older, newer])[0, 1] >= FLOOR


@pytest.mark.parametrize(("older", "newer"), BESIDE)
def test_both_notes_stand(older: str, newer: str) -> None:
    assert SlotModel.load().same_slot([older, newer])[0, 1] < FLOOR
