"""What was moved, is new or is another version, and what takes the place of another for good by a law."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.competition import FLOOR, SlotModel

TAKEN = [
    ("The spare tyres are in the shed.", "The spare tyres were moved to the cellar."),
    ("The spare tyres are in the shed.", "The spare tyres are no longer in the garage but in the cellar."),
    ("The tape archive is stored in Oslo.", "The tape archive has been relocated to Bergen."),
    ("Our branch is based in Ghent.", "Our branch moved to Liège."),
    ("Der Kopierer steht im Keller.", "Der Kopierer wurde in die Bibliothek verlegt."),
    ("Le dépôt est à Nancy.", "Le dépôt a été transféré à Dijon."),
    ("El taller está en Cádiz.", "El taller se ha mudado a Huelva."),
    ("Il magazzino è a Parma.", "Il magazzino è stato trasferito a Lodi."),
    ("Uwe wohnt in Trier.", "Uwe ist nach Fulda gezogen."),
    ("Aline habite à Caen.", "Aline a déménagé à Tours."),
    ("Kim's locker number is 4410.", "Kim has a new locker number: 5520."),
    ("Kestrel 3.1 is live on staging.", "Kestrel 3.2 is live on staging."),
    ("Heron v1.4.1 is in production.", "Heron v1.5.0 is now in production."),
    ("Postgres 14 is installed on the replicas.", "Postgres 16 is installed on the replicas."),
    ("The switch debug_mode is on.", "The switch debug_mode has been turned off."),
    ("Karl raucht.", "Karl raucht nicht mehr."),
    ("Bea leads the harbour team.", "Rolf took over from Bea as lead of the harbour team."),
    ("The task LX-4 is open.", "The task LX-4 was resolved."),
    ("Kurt leitet das Archivteam.", "Gerda hat die Leitung des Archivteams von Kurt übernommen."),
]
KEPT = [
    ("The spare tyres are in the shed.", "The winter coats were moved to the cellar."),
    ("The spare tyres are in the shed.", "The winter coats are no longer in the hall but in the cellar."),
    ("The spare tyres are in the shed.", "The spare tyres are not cheap but in good shape."),
    ("The spare tyres are in the shed.", "The spare tyres may be moved to the cellar."),
    ("The spare tyres are in the shed.", "The spare tyres were not moved to the cellar."),
    ("The choir meets in the hall.", "The choir moved the piano to the cellar."),
    ("The seminar is on May 5.", "The seminar moved to room 7."),
    ("Kim's locker number is 4410.", "Kim has a new bicycle."),
    ("Kestrel 3.1 is live on staging.", "Heron 3.2 is live on staging."),
    ("Kestrel 3.1 is live on staging.", "Kestrel 3.2 is live in production."),
    ("Camera 3 is installed in the hall.", "Camera 4 is installed in the hall."),
    ("Karl raucht nicht mehr.", "Karl liest die Zeitung."),
]


@pytest.mark.parametrize(("old", "new"), TAKEN, ids=[new for _, new in TAKEN])
def test_what_is_elsewhere_new_or_another_version_takes_the_place_for_good(old: str, new: str) -> None:
    same = float(SlotModel.load().same_slot([new, old])[0, 1])
    assert same >= FLOOR
    assert agree(new, old, same)


@pytest.mark.parametrize(("old", "new"), KEPT, ids=[new for _, new in KEPT])
def test_another_thing_or_another_place_of_use_takes_no_place(old: str, new: str) -> None:
    assert not agree(new, old, float(SlotModel.load().same_slot([new, old])[0, 1]))
