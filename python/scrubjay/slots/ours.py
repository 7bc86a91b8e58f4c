"""What one has one of: "our payment provider", "unser Hoster", "my dentist". Who is said to be it is it alone.

A table of nouns. Some name by themselves what few have two of; of others ("provider", "tool") there is one of a kind,
and the kind must be said. Friends, customers and colleagues are none.

>>> sole("our new payment provider".split()) == sole("our payment provider".split()), sole("our friend".split())
(True, ())
>>> sole("our provider".split()), sole("a payment provider".split())
((), ())
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scrubjay.wordlist import word_set

_OUR: Final = word_set(
    "our my unser unsere unseren mein meine meinen notre mon ma nuestro nuestra mi nostro nostra mio mia"
    " nosso nossa meu minha"
)
_THEIRS: Final = {
    word: whose.split()[0] for whose in ("his", "her", "their", "sein seine", "ihr ihre", "son sa", "su", "suo sua")
    for word in whose.split()
}  # fmt: skip
"""Of somebody else one knows only that he has one of a trade of which one needs no second."""
_ARTICLES: Final = word_set("il la o a")
_SILENT: Final = word_set(
    "new neuer neue neuen nouveau nouvel nouvelle nuevo nueva nuovo nuova novo nova current actual"
)
_ONE: Final = word_set(
    "accountant lawyer notary landlord landlady insurer dentist gp vet registrar caterer auditor bookkeeper hoster"
    " isp host architect plumber electrician gardener tailor hairdresser"
    " babysitter nanny cleaner childminder midwife optician cardiologist dermatologist neurologist oncologist"
    " gynecologist gynaecologist paediatrician pediatrician psychiatrist therapist physiotherapist orthodontist"
    " caretaker janitor"
    " kardiologe kinderarzt hautarzt hebamme physiotherapeut therapeut tagesmutter putzfrau klempner elektriker gärtner"
    " hausmeister optiker"
    " cardiologue pédiatre dermatologue kiné nounou plombier électricien jardinier concierge"
    " cardiólogo pediatra dermatólogo fisioterapeuta niñera fontanero electricista jardinero"
    " cardiologo idraulico elettricista giardiniere tata"
    " steuerberater anwalt notar vermieter versicherer zahnarzt hausarzt tierarzt wirtschaftsprüfer internetanbieter"
    " stromanbieter ansprechpartner vermieterin"
    " comptable avocat notaire propriétaire assureur dentiste vétérinaire hébergeur opérateur interlocuteur"
    " contable abogado notario casero asegurador dentista veterinario operador transportista"
    " commercialista avvocato notaio padrone assicuratore veterinario operatore corriere contador advogado"
)
_ONE_OF_A_KIND: Final = word_set(
    "provider supplier vendor carrier host tool platform tracker agency registrar insurer doctor contact system"
    " anbieter lieferant dienstleister werkzeug plattform system agentur"
    " fournisseur prestataire plateforme outil agence transporteur médecin"
    " proveedor herramienta plataforma agencia médico fornitore strumento piattaforma agenzia medico corriere"
    " fornecedor ferramenta"
)
_COMPOUND: Final = ("anbieter", "lieferant", "dienstleister", "hoster", "werkzeug", "plattform", "spediteur")
_BEHIND: Final = word_set("de d du des di da della del do pour para per for in at bei für en à a im zum")
"""What says of which kind, or for what."""
LINES: Final = word_set(
    "todo to-do note notes idea ideas bug bugs expense expenses groceries shopping allergy allergies reading lesson"
    " risk task reminder quote wish gift present"
    " aufgabe notiz idee ausgabe einkauf einkaufsliste allergie allergien erinnerung"
    " tâche idée dépense courses rappel tarea nota gasto compra alergia recordatorio compito spesa despesa tarefa"
)
"""What one has many of, and writes before each,"""
PERSONS: Final = word_set(
    "friend friends participant participants attendee attendees guest guests freund freundin teilnehmer gast ami amie"
    " amigo amiga participante amico amica partecipante"
)
"""the same of persons, who may also be those who speak."""


def _plain(word: str) -> str:
    """German and Romance gender apart."""
    if word.endswith("in") and word[:-2] in _ONE:
        return word[:-2]
    return _FEMALE.get(word, word)


_FEMALE: Final = {
    "anwältin": "anwalt", "zahnärztin": "zahnarzt", "hausärztin": "hausarzt", "tierärztin": "tierarzt",
    "avocate": "avocat", "abogada": "abogado", "avvocata": "avvocato", "interlocutrice": "interlocuteur",
    "landlady": "landlord", "kardiologin": "kardiologe", "kinderärztin": "kinderarzt", "hautärztin": "hautarzt",
    "cardióloga": "cardiólogo", "cardiologa": "cardiologo", "niñero": "niñera",
}  # fmt: skip


def trade(word: str) -> tuple[str, ...]:
    """The key of `sole` for the trade alone, in lower case: "babysitter"; () for what one may have more of."""
    return ("ours", _plain(word)) if _plain(word) in _ONE else ()


def sole(words: Sequence[str]) -> tuple[str, ...]:
    """A key for what these words, in lower case, say that the speaker has one of; () for none.

    Two keys are equal where they say the same of it: its kind, and what or where it is for.
    """
    said = list(words[1:]) if len(words) > 2 and words[0] in _ARTICLES else list(words)
    if len(said) == 2 and said[0] in _THEIRS:
        return ("theirs", _THEIRS[said[0]], _plain(said[1])) if _plain(said[1]) in _ONE else ()
    if not 2 <= len(said) <= 7 or said[0] not in _OUR:
        return ()
    rest = [_plain(word) for word in said[1:] if word not in _SILENT]
    cut = next((i for i, word in enumerate(rest) if i and word in _BEHIND), len(rest))
    head = rest[:cut]
    if not head:
        return ()
    nouns = {head[0], head[-1]}
    kind = cut < len(rest) or len(head) > 1
    one = bool(nouns & _ONE) or any(head[-1].endswith(end) and len(head[-1]) > len(end) + 2 for end in _COMPOUND)
    if not one and not (kind and nouns & _ONE_OF_A_KIND):
        return ()
    return ("ours", *sorted(rest))
