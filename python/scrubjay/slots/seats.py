"""Seats: what one alone can fill at a time, and who or what a statement says fills it.

Of most that is said of a subject another subject may be said to be the same: two servers are down, two people are
engineers. A seat is what is said to be one's alone:

- a duty or an office: "is on call", "took over the on-call duty", "is the head of sales", "became head of sales",
  "leads the billing team", "hat Rufbereitschaft", "est la directrice de l'école";
- the version that runs somewhere: "version 3.4 is live in production", "we deployed version 3.4 to production";
- the one that is picked out of many of a kind: "ticket 12 is the current priority", "room B12 hosts the design review".

Two statements of one seat with different holders say of each other that they are over. Word order, articles, gender and
words of time ("now", "the new", "until Friday") make no other seat; all other words do.

>>> old, new = seat_of("Nora is on call".split()), seat_of("Klara took over the on-call duty".split())
>>> old.key == new.key, contend(old, new)
(True, True)
>>> contend(seat_of("Server web-01 is down".split()), seat_of("Server web-02 is down".split()))
False
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from scrubjay.slots.ours import sole
from scrubjay.slots.titles import FOREIGN_TITLES, FUNCTIONS, TITLES, common, norm
from scrubjay.wordlist import THE, word_set


class Seat(NamedTuple):
    """What is filled, and by whom."""

    key: tuple[str, ...] = ()
    """The seat, () for none."""
    holder: frozenset[str] = frozenset()
    denied: bool = False
    """The holder fills it no longer."""
    ousted: frozenset[str] = frozenset()
    """Whom the holder has replaced, where it is not said as what."""
    out: tuple[int, ...] = ()
    """The number of a release that came out: it says nothing of releases above it."""


NONE: Final = Seat()
COMPARED: Final = ("latest",)
"""How seats begin of which the holders are compared by their numbers; of all others only whether they are the same."""

LISTED: Final = ("listed",)
"""How those begin that are lines of a list: one line says nothing of another."""


def contend(one: Seat, other: Seat) -> bool:
    """Whether of two statements one alone can hold."""
    if one.key and one.key == other.key:
        if one.key[:1] == LISTED:
            return False
        if one.denied or other.denied:
            return one.denied != other.denied and one.holder == other.holder
        if one.out or other.out:
            return _outdone(one, other) or _outdone(other, one)
        return not one.holder & other.holder
    for new, old in ((one, other), (other, one)):
        if new.ousted and old.key and not old.denied and new.ousted == old.holder:
            return True
    return False


def _outdone(claim: Seat, release: Seat) -> bool:
    """A release came out that is above the one that is said to be the latest."""
    if claim.out or not release.out:
        return False
    return all(tuple(map(int, version.split("."))) < release.out for version in claim.holder)


_ELIDED: Final = re.compile(r"^(?:d|l|n|j|s|c|m|qu|un|all|dell)['’](?=.)")
_BE: Final = word_set("is are am 's ist sind est sont es está è são é")
_BECAME: Final = word_set("became becomes wurde devenu devenue devient diventata diventato tornou-se")
_MADE: Final = word_set(
    "appointed named elected made ernannt gewählt nommé nommée élu élue nombrado nombrada nominato nominata"
)
_TOOK: Final = word_set("took takes taken übernommen übernimmt übernahm pris prend repris asumió asume assunto")
_LEADS: Final = word_set(
    "leads heads runs manages chairs captains coaches directs supervises leitet führt dirige lidera guida pilote gère"
)
_HOSTS: Final = word_set("hosts houses beherbergt accueille acoge ospita")
_HAS: Final = word_set("has hat a tiene ha tem")
_THE: Final = THE | word_set("dem den des l")
_A: Final = word_set("a an ein eine einer einen un une una uno um uma one another some")
_GLUE: Final = word_set("of for de d du des von vom für fürs del della dell di do da in im und")
_TIMES: Final = word_set(
    "now currently jetzt nun aktuell derzeit inzwischen maintenant désormais actuellement ahora actualmente adesso ora"
    " agora new neue neuer neues neuen nouveau nouvel nouvelle nuevo nueva nuovo nuova novo nova again"
    " wieder officially"
)
_TAIL: Final = word_set("until till bis jusqu jusqu'à jusqu'au hasta fino até since seit depuis ab")
_REFUSED: Final = word_set(
    "not never nicht kein keine ne n pas non nunca if might may will would should could can must maybe perhaps wants"
    " wanted hopes wird werden sera será sarà soll möchte kann veut also auch aussi également también anche too either"
    " was were war waren était era used former formerly ex ehemalige ehemaliger ancien ancienne antiguo next nächste"
    " nächster prochain prochaine próximo prossimo and und et or oder ou planned unless almost called"
    " like than as if ob"
    " both co who whose which how what's said says thinks"
)
_PRONOUNS: Final = word_set(
    "i you he she it we they this that there here ich du er sie es wir ihr das je tu il elle on nous"
    " vous ils elles ce c"
    " yo ella nosotros ellos esto io lui lei noi loro eu ele ela"
)
_CALL: Final = word_set(
    "on-call oncall rufbereitschaft bereitschaftsdienst bereitschaft astreinte reperibile reperibilità"
)
_ON_CALL: Final = (("on", "call"), ("on", "duty"), ("de", "garde"), ("de", "guardia"), ("di", "turno"))
_NOW_ON: Final = (("this", "week"), ("diese", "woche"), ("cette", "semaine"), ("esta", "semana"))
"""Of a duty that goes round, whoever has it now."""
_DUTY: Final = word_set("duty rotation shift pager dienst")
_SUFFIX: Final = re.compile(r"^(.{3,}?)-?(leiter|chef|direktor|präsident|meister|führer|vorsitzende)(in|r)?$")
_NO_OFFICE: Final = re.compile(
    r"^(?:be|an|halb|blitz|haus|über|fremden|stadt|berg|reise|lok|wärme|hoch|welt|team|projekt|abteilungs|gruppen"
    r"|filial"
    r"|schicht|bereichs|bau|co|vize|handwerks|elektro|schreiner|maler|koch|sous)"
)
_RUN: Final = word_set(
    "marathon race errand risk dishwasher test script linux windows debian ubuntu mile km build course"
)
_KINDS: Final = word_set(
    "version release build revision tag image commit branch edition firmware ausgabe versión versione versão"
)
_RUNS: Final = word_set(
    "live deployed deploys deploy running runs run rolled serving installed active upgraded updated bumped"
    " ausgerollt läuft aktiv live deployt installiert ausgeliefert déployé déployée déployons tourne installée active"
    " desplegada desplegado desplegamos corre activa attiva distribuita"
)
_ENVIRONMENTS: Final = word_set(
    "production staging test testing preprod preproduction dev qa uat canary recette préproduction"
)
_QUIET: Final = word_set(
    "we have has been was wurde haben hat wir nous avons a été on to in into onto at auf en out it is ist est está es"
    " ha sido hemos abbiamo are the to via successfully just today yesterday heute gestern hier"
)
_CHOSEN: Final = word_set(
    "current main primary default official sole aktuelle aktueller aktuelles hauptsächliche primäre offizielle actuel"
    " actuelle principal principale officiel officielle oficial predeterminado predeterminada attuale ufficiale"
)
_RELATIVE: Final = word_set(
    "same one kind type sort result reason problem cause end best size first last second selbe même"
)
_LONGEST: Final = 16


def _bare(words: Sequence[str]) -> list[str]:
    """The words in lower case, an elided article apart."""
    out: list[str] = []
    for word in words:
        low = word.casefold().replace("’", "'")
        short = _ELIDED.match(low)
        if short is not None:
            out.append(short.group()[:-1])
            low = low[short.end() :]
        if low.startswith(("jusqu'", "qu'")):
            low = low.split("'")[0]
        out.append(low)
    return out


def _content(words: Sequence[str]) -> tuple[str, ...]:
    """What makes one seat another: a sorted key."""
    return tuple(sorted(common(norm(word)) for word in words if word not in _THE and word not in _GLUE))


def _before_tail(words: list[str]) -> list[str]:
    at = next((i for i, word in enumerate(words) if i and word in _TAIL), len(words))
    return words[:at]


def duty(words: Sequence[str]) -> tuple[str, ...]:
    """The key of "on call" with all that is said beyond it."""
    for at in range(len(words)):
        if tuple(words[at : at + 2]) in _ON_CALL:
            kind, rest = "on-duty" if words[at + 1] in ("duty", "turno") else "on-call", words[at + 2 :]
        elif words[at] in _CALL:
            kind, rest = "on-call", words[at + 1 :]
        else:
            continue
        if any(word not in _THE and word not in _GLUE for word in words[:at]):
            return ()
        rest = rest[2:] if tuple(rest[:2]) in _NOW_ON else rest
        return (kind, *_content([word for word in rest if word not in _DUTY]))
    return ()


def office(words: Sequence[str]) -> tuple[str, ...]:
    """The key of an office that one alone holds, () for none."""
    if not words or words[0] in _A or len(words) > 8:
        return ()
    definite = words[0] in _THE
    said = [word for word in words if word not in _THE and word not in _GLUE]
    if words[:2] == ["in", "charge"]:
        return ("office", *_content(["lead", *words[2:]]))
    for i, word in enumerate(said[:3]):
        split = _SUFFIX.match(word) if word not in FOREIGN_TITLES else None
        if split is not None and (definite or len(said) > 1 or not _NO_OFFICE.match(word)):
            if _NO_OFFICE.match(word) and not definite:
                return ()
            stem = split[1][:-1] if split[1].endswith("s") and len(split[1]) > 4 else split[1]
            title = "lead" if split[2] in ("leiter", "chef") else split[2]
            return (
                "office",
                *sorted((common(norm(stem)), common(title), *_content(said[:i]), *_content(said[i + 1 :]))),
            )
        title = norm(word)
        if title in TITLES or (title in FOREIGN_TITLES and (definite or len(said) > 1)):
            return ("office", *_content(said))
    return ()


def led(verb: str, words: Sequence[str]) -> tuple[str, ...]:
    """The key of what one leads, () for what many may run."""
    said = [word for word in words if word not in _THE]
    if verb == "owns" and not (said and norm(said[-1]) in _OWNED):
        return ()
    if not said or len(said) > 5 or said[0] in _A or words[0] in _A:
        return ()
    definite = words[0] in _THE
    if not (definite or (len(said) <= 2 and said[0] in FUNCTIONS)):
        return ()
    last = said[-1]
    if last in _RUN or any(norm(word) in _RUN for word in said):
        return ()
    if verb in ("runs", "run", "manages", "manage", "führt", "gère") and last.endswith("s") and last not in FUNCTIONS:
        return ()
    return ("office", *_content([_CHAIRS.get(verb, "lead"), *said]))


_CHAIRS: Final = {"chairs": "chair", "captains": "captain", "coaches": "coach", "owns": "owner"}
"""Verbs that name a title of their own."""
_OWNED: Final = word_set(
    "service services repo repository module codebase pipeline project component feature roadmap backlog dashboard api"
    " epic library package queue database cluster runbook process integration workstream infrastructure infra"
)
"""What "owns" is said of as of a duty."""


def _version(words: list[str]) -> Seat:
    """Which version runs where."""
    at = next((i for i, w in enumerate(words[:-1]) if w in _KINDS and any(c.isdigit() for c in words[i + 1])), -1)
    if at < 0:
        return NONE
    value, rest = words[at + 1], [*words[:at], *words[at + 2 :]]
    places = {norm(word) for word in rest} & _ENVIRONMENTS
    runs = any(word in _RUNS for word in rest) or any(
        word in _BE and rest[i + 1 : i + 2] and rest[i + 1] in ("in", "en", "on", "auf") and places
        for i, word in enumerate(rest)
    )
    past = "live" in rest and not {"was", "were", "war"}.isdisjoint(rest)
    if not runs or past or not (places or "live" in rest):
        return NONE
    other = [w for w in rest if w not in _RUNS and w not in _QUIET and norm(w) not in _ENVIRONMENTS]
    where = tuple(sorted(places)) or ("production",)
    # a branch or a build is another row of numbers than a version
    kind = words[at] if words[at] in ("branch", "commit", "tag", "image", "firmware") else "version"
    return Seat((kind, *where, *_content(other)), frozenset((value,)))


def _picked(head: list[str], verb: str, rest: list[str]) -> Seat:
    """Which of a kind is the one: the kind and the value stand first, and what it is follows."""
    if not rest or not head or rest[0] in _A:
        return NONE
    definite = rest[0] in _THE
    chosen = definite and len(rest) > 2 and rest[1] in _CHOSEN and verb in _BE
    value = head[-1]
    coded = any(c.isdigit() for c in value) or (len(head) > 1 and len(value) == 1)
    said = [word for word in rest if word not in _THE]
    if not said or any(word in _RELATIVE for word in said[:2]):
        return NONE
    one = (verb in _BE and (definite or said[0] in ("what", "was"))) or (verb in _HOSTS and definite)
    if coded and one and len(head) <= 4:
        kind = [word for word in head[:-1] if word not in _THE]
        return Seat(("picked", *kind, "|", verb if verb in _HOSTS else "is", *said), frozenset((value,)))
    if chosen and len(head) <= 3:
        return Seat(("picked", "is", *said), frozenset(head))
    return NONE


def _without_denial(words: list[str]) -> tuple[list[str], bool]:
    """The words without "no longer" and its like, and whether they said so."""
    for one, two in (("no", "longer"), ("nicht", "mehr"), ("ya", "no")):
        for at in range(1, len(words) - 1):
            if words[at] == one and words[at + 1] == two:
                return [*words[:at], *words[at + 2 :]], True
    for one, two in (("n", "plus"), ("ne", "plus"), ("non", "più"), ("not", "anymore")):
        if one in words[1:] and two in words[words.index(one, 1) :]:
            first = words.index(one, 1)
            second = words.index(two, first)
            return [w for i, w in enumerate(words) if i not in (first, second)], True
    return words, False


def _named(head: list[str]) -> bool:
    """Whether the words before the verb may name somebody or something."""
    return bool(head) and len(head) <= 4 and not (len(head) == 1 and head[0] in _PRONOUNS) and head[0] not in _A


def seat_of(words: Sequence[str]) -> Seat:
    """The seat that a sentence of these words says somebody fills; `NONE` for none, or where it is not sure."""
    if not 3 <= len(words) <= _LONGEST:
        return NONE
    low, denied = _without_denial(_relieved(_bare(words)))
    ran = _version(_before_tail([w for i, w in enumerate(low) if i == 0 or w not in _TIMES]))
    if ran.key and not denied and not any(word in _REFUSED - {"was", "were", "war"} for word in low[1:]):
        return ran
    said = _before_tail([w for i, w in enumerate(low) if i == 0 or w not in _TIMES])
    said = _made(said)
    refused = any(word in _REFUSED for word in said[1:])
    handed = _handed(said)
    if handed is not None:
        return handed
    if refused:
        # "is what we follow", German "was": the only ones of these that pick out
        return _first(said) if not (set(said[1:]) & _REFUSED) - {"was"} else NONE
    found = _led_by_duty(words, said)
    found = found if found.key else _filled(words, said)
    return found._replace(holder=found.holder - _ADDRESS - _OUR or found.holder, denied=denied) if found.key else NONE


def _made(said: list[str]) -> list[str]:
    """ "has become", "was appointed", "took over as": became."""
    out = list(said)
    for at in range(1, len(out) - 1):
        one, two = out[at], out[at + 1]
        if (one in _HELPS and two in ("become", *_BECAME)) or (one in _WAS and two in _MADE):
            return [*out[:at], "became", *out[at + 2 :]]
        if one in _HELPS and two == "been" and at + 2 < len(out) and out[at + 2] in _MADE:
            return [*out[:at], "became", *out[at + 3 :]]
        if one in _TOOK and out[at + 1 : at + 3] == ["over", "as"]:
            return [*out[:at], "became", *out[at + 3 :]]
        if one in _BE and out[at + 1 : at + 4] == ["taking", "over", "as"]:
            return [*out[:at], "became", *out[at + 4 :]]
    return out


def _first(said: list[str]) -> Seat:
    at = next((i for i, word in enumerate(said) if i and word in ("ist", "is")), 0)
    return _picked(said[:at], "is", said[at + 1 :]) if at and said[at + 1 : at + 2] == ["was"] else NONE


def _says(said: list[str], at: int) -> bool:
    """Whether the word may be the verb of a seat."""
    word = said[at]
    if word in _HAS:
        # "plan A is": a letter
        return at < 4 and not _BE & set(said[at + 1 : at + 2])
    return word in _BE or word in _BECAME or word in _LEADS or word in _HOSTS or word in _TOOK or word == "owns"


def _filled(words: Sequence[str], said: list[str]) -> Seat:
    at = next((i for i in range(1, len(said)) if _says(said, i)), 0)
    head, rest = [word for i, word in enumerate(said[:at]) if i or word not in _THE], said[at + 1 :]
    if not at or not rest:
        return NONE
    verb, holder = said[at], frozenset(head)
    if verb in _BE and rest[0] == "back" and len(rest) > 2:
        # "is back in charge of", "is back on call", "is back as head of"
        rest = rest[2:] if rest[1] == "as" else rest[1:]
    if _named(head):
        key: tuple[str, ...] = ()
        if verb in _HAS or verb in _TOOK or verb in _BE:
            key = _has(verb, rest)
        if not key and (verb in _BE or verb in _BECAME):
            while rest and rest[0] in _BECAME:
                rest = rest[1:]
            key = duty(rest) or office([word for word in rest if word != "geworden"])
        if not key and (verb in _LEADS or verb == "owns"):
            key = led(verb, rest)
        if not key and verb in _BE and not sole(said[:at]):
            key = sole(rest)
        if key:
            return Seat(key, holder)
        picked = _picked([w for i, w in enumerate(said[:at]) if i or w not in _THE], verb, rest)
        if picked.key:
            return picked
    if verb in _BE and said[0] in _THE | _OUR:
        # "the head of sales is Nora", "el jefe de ventas es el señor Gil"
        who = [w for i, w in enumerate(rest) if i or w not in _THE]
        key = sole(said[:at]) or office(said[:at])
        if key and _names(words, who):
            return Seat(key, frozenset(who))
    return NONE


def _names(words: Sequence[str], who: list[str]) -> bool:
    """Whether these are one to three words that name somebody, behind a form of address or not."""
    capital = {word.casefold() for word in words[1:] if word[:1].isupper()}
    said = [word for word in who if word not in _ADDRESS]
    return 1 <= len(said) <= 3 and all(word in capital for word in said)


def _led_by_duty(words: Sequence[str], said: list[str]) -> Seat:
    """ "On call is Nora", "on duty tonight: Olga", "Bereitschaft hat Jonas"."""
    said = said[1:] if said[:1] == ["d"] else said
    width = 2 if tuple(said[:2]) in _ON_CALL else 0 if _CALL.isdisjoint(said[:1]) else 1
    if not width:
        return NONE
    at = next((i for i in range(width, len(said)) if said[i] in _BE or said[i] in _HAS), 0)
    first = at or next((i for i in range(width, len(said)) if said[i] not in _SHIFTS), len(said))
    who = said[first + 1 :] if at else said[first:]
    key = duty([word for word in said[:first] if word not in _SHIFTS])
    return Seat(key, frozenset(who)) if key and _names(words, who) else NONE


_OUR: Final = word_set("our my unser unsere mein meine notre mon ma nuestro nuestra mi il la")
_ADDRESS: Final = word_set("mr mrs ms dr prof herr frau m mme maître señor señora sr sra signor signora")
_SHIFTS: Final = word_set(
    "this week weekend tonight today tomorrow diese dieses woche wochenende heute nacht morgen cette semaine ce soir"
    " aujourd'hui demain esta semana hoy noche questa settimana oggi stasera"
)


def _has(verb: str, rest: list[str]) -> tuple[str, ...]:
    """The key of a duty that one has or has taken over."""
    words = list(rest)
    took = verb in _TOOK
    if words and words[-1] in _TOOK:
        took, words = True, words[:-1]
    if words and words[0] in _TOOK:
        took, words = True, words[1:]
    if words and words[0] == "over":
        words = words[1:]
    elif verb in ("took", "takes", "taken") or "taken" in rest:
        took = False
    if verb in _HAS or took or verb in ("took", "takes"):
        giver = next((i for i, word in enumerate(words) if i and word in ("from", "von")), len(words))
        words = words[:giver]
        if not words or (verb in _BE and not took):
            return ()
        key = duty(words) if verb in _HAS or took or "call" in words or words[-1] in _DUTY or words[-1] in _CALL else ()
        if key or not took:
            return key
        said = [word for word in words if word not in ("leitung", "direction", "lead", "leadership", "dirección")]
        # "die Teamleitung": the lead of the team
        split = _LEADING.match(said[-1]) if said else None
        return led("leads", ["the", *said[:-1], split[1]] if split else said)
    return ()


_LEADING: Final = re.compile(r"^(.{3,}?)s?leitung$")


_REPLACED: Final = word_set(
    "replaced replaces succeeded succeeds ersetzt abgelöst remplacé remplace succède succédé succedida sucedió relieved"
    " relieves sustituyó reemplazó sostituito"
)
_AS: Final = word_set("as als comme como come")
_WAS: Final = word_set("was is wurde est fue è")
_HELPS: Final = word_set("has hat have a ha is ist")


def _relieved(said: list[str]) -> list[str]:
    """ "löst Jens im Einkauf ab", as if it were "ersetzt Jens"."""
    at = next((i for i, word in enumerate(said) if i and word in ("löst", "löste")), 0)
    if not at or said[-1] != "ab" or len(said) - at < 3:
        return said
    where = next((i for i in range(at + 2, len(said)) if said[i] in ("im", "in", "bei", "am", "beim")), len(said) - 1)
    as_what = next((i for i in range(at + 2, len(said)) if said[i] == "als"), 0)
    return [*said[:at], "ersetzt", *(said[at + 1 : -1] if as_what else said[at + 1 : where])]


def _handed(said: list[str]) -> Seat | None:
    """ "Devin replaced Carla as my boss", "Petra hat Jens abgelöst", "Ines took over from Nora"; None for others."""
    at = next((i for i, word in enumerate(said) if i and word in _REPLACED), 0)
    over = next(
        (
            i
            for i in range(1, len(said) - 2)
            if said[i] in ("took", "taken") and said[i + 1 : i + 3] == ["over", "from"]
        ),
        0,
    )
    if not at and not over:
        return None
    if any(word in _REFUSED - _AS for word in said[1:]):
        return NONE
    first = next((i for i, word in enumerate(said) if i and (word in _HELPS or word in _REPLACED or word == "took")), 0)
    holder = frozenset(word for word in said[:first] if word not in _THE)
    behind = (
        said[over + 3 :]
        if over
        else [word for i, word in enumerate(said[first:], first) if i != at and (word not in _HELPS or i > at > 0)]
    )
    last = next((i for i, word in enumerate(behind) if word in _AS), len(behind))
    old = frozenset(word for word in behind[:last] if word not in _THE and word not in ("a", "à"))
    if not holder or not old or len(old) > 2 or holder & _PRONOUNS:
        return NONE
    role = behind[last + 1 :]
    if not role:
        return Seat(ousted=old, holder=holder)
    key = duty(role) or office(role) or (office(["the", *role]) if role[0] not in _A else ())
    return Seat(key, holder) if key else NONE
