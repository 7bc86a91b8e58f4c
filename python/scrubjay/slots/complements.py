"""What a verb is said with: "works at Bosch", "works as a nurse", "works with Priya" are three attributes, not one.

An attribute is a verb and the class of what completes it: the object, the employer or the place, a role, company, a
time, a manner, where it is done from. Statements of one verb whose classes have nothing in common say different things,
and so do those that agree in all the classes they share. An end ("no longer", "stopped", "nicht mehr", "ne ... plus")
ends what it names: its object must be that of the other statement, or a kind that includes it.

>>> work, role, moved, rest = (complement_of(text.split()) for text in (
...     "Ana works at Bosch", "Ana works as a nurse", "Ana works for Seat now", "Ana works remotely"))
>>> apart(work, role), apart(work, rest), apart(work, moved)
(True, True, False)
>>> tea, beer, alcohol = (complement_of(text.split()) for text in (
...     "Ana drinks wine", "Ana no longer drinks beer", "Ana no longer drinks alcohol"))
>>> apart(tea, beer), apart(tea, alcohol)
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from scrubjay.wordlist import word_set

OBJECT, PLACE, ROLE, COMPANY, TIME, MANNER, SEAT, LOCATION, TOPIC, OTHER, SPOT, AMOUNT = range(12)
"""Classes of complements; PLACE is also the employer, SEAT where work is done, LOCATION the town of it, SPOT what one
lives in or near ("in a flat", "above a bakery", "on the third floor"), AMOUNT how much of the time ("four days a
week", "part-time")."""

WORK, LIVE, EAT, DRINK, PLAY = 1, 2, 5, 4, 6
"""Families of verbs that others ask for."""


class Complement(NamedTuple):
    """A verb with what completes it."""

    verb: int = 0
    """The family of the verb, 0 for none that is known, or where the sentence says more than one thing."""
    parts: tuple[tuple[int, frozenset[str]], ...] = ()
    """The classes, rising, each with its words."""
    ended: bool = False
    """It says that this is so no more, or is not so."""
    anew: bool = False
    """It says that this is so now: it was otherwise before."""


NOTHING: Final = Complement()


_VERBS: Final = {
    form: family
    for family, forms in enumerate(
        (
            "work works working arbeitet arbeite arbeiten travaille travailler trabaja trabajo trabajar lavora lavoro"
            " lavorare trabalha trabalhar",
            "live lives living resides wohnt wohne wohnen lebt lebe leben habite habiter vit vivre réside vive vivo"
            " vivir vivere abita abitare mora morar viver",
            "study studies studying studiert studiere studieren étudie étudier estudia estudio estudiar studia studiare"
            " estuda estudar",
            "drink drinks drinking trinkt trinke trinken boit boire bebe bebo beber beve bere",
            "eat eats eating isst esse essen mange manger come comer mangia mangiare",
            "play plays playing spielt spiele spielen joue jouer juega jugar toca tocar gioca giocare suona suonare"
            " joga jogar",
            "drive drives driving fährt fahre fahren conduit conduire conduce conducir guida guidare dirige dirigir",
            "speak speaks speaking spricht spreche sprechen parle parler habla hablar parla parlare fala falar",
            "teach teaches teaching unterrichtet unterrichten enseigne enseigner enseña enseñar insegna insegnare"
            " ensina ensinar",
            "read reads reading liest lesen lit lire lee leer legge leggere lê ler",
            "learn learns learning lernt lernen apprend apprendre aprende aprender impara imparare",
            "smoke smokes smoking raucht rauchen fume fumer fuma fumar fumare",
            "sing sings singing singt singen chante chanter canta cantar cantare",
            "write writes writing schreibt schreiben écrit écrire escribe escribir scrive scrivere escreve escrever",
            "cook cooks cooking kocht kochen cuisine cuisiner cocina cocinar cucina cucinare cozinha cozinhar",
            "travel travels travelling traveling reist reisen voyage voyager viaja viajar viaggia viaggiare",
            "train trains training trainiert trainieren",
            "collect collects collecting sammelt sammeln collectionne colecciona collezionare",
            "prefer prefers preferring bevorzugt bevorzugen préfère préférer"
            " prefiere preferir preferisce preferire prefere",
            "go goes going geht gehe gehen va vais aller voy ir andare vado vai",
            "meet meets meeting trifft treffen réunit réunir reúne reunir riunisce riunire",
            "manage manages managing gère gérer gestiona gestionar gestisce gestire verwaltet verwalten",
        ),
        1,
    )
    for form in forms.split()
}
_ENGLISH: Final = frozenset(
    form for form in _VERBS if re.fullmatch(r"[a-z]+(ing|s)|work|live|study|drink|eat|play|drive|speak|teach", form)
)
_MANY: Final = frozenset(
    _VERBS[verb] for verb in ("drink", "eat", "play", "speak", "learn", "sing", "cook", "collect", "manage", "go")
)
"""Verbs that hold of several things at once."""
_GO: Final = _VERBS["go"]
PREFER: Final = _VERBS["prefer"]
"""Another family that others ask for."""
_LOOSE: Final = frozenset((_GO, PREFER))
"""Verbs of which only the object tells."""
_PARTITIVE: Final = frozenset((_VERBS["drink"], _VERBS["eat"], _VERBS["play"]))
_STOPPED: Final = word_set(
    "no not never stopped stop quit quits longer anymore gave given nicht nie kein keine keinen keinem mehr aufgehört"
    " ne n plus pas jamais arrêté arrête cessé ya nunca dejó dejado non più smesso não mais parou deixou deixado"
    " doesn't don't isn't won't didn't doesnt dont cannot can't"
)
_ANEW: Final = word_set(
    "now instead again only nowadays today's anymore currently jetzt nun inzwischen mittlerweile neuerdings wieder"
    " stattdessen nur maintenant désormais plutôt ahora actualmente ora adesso ormai agora"
)
_NOT: Final = _STOPPED - word_set("longer more mehr plus ya más mais gave given no") | word_set("no")
_FILL: Final = _STOPPED | word_set(
    "the an this that his her their my our your its now currently still also always just again any much all some"
    " actually only instead these days nowadays today's up"
    " der die das den dem des ein eine einen einem einer jetzt nun inzwischen mittlerweile derzeit aktuell wieder noch"
    " auch nur seit sein seine seinem seinen seiner ihr ihre ihrem ihren ihrer mein meine meinem meinen meiner zusammen"
    " le la les l un une son sa ses leur leurs mon ma mes maintenant désormais actuellement encore aussi d ensemble"
    " el los las una unos unas su sus mi mis ahora actualmente todavía también siempre"
    " il lo gli i uno suo sua ora adesso ancora anche o os as um uma seu agora atualmente ainda também"
)
_HALT: Final = word_set(
    "but because while when where who which that although if so than weil aber wenn obwohl während dass mais parce"
    " quand qui que pero porque cuando donde perché quando dove mas since until seit bis depuis dopo"
)
_AND: Final = word_set("and or und oder et ou y e ed of 's")
_BY_CLASS: Final = {
    PLACE: "at in for near behind above below beside inside outside under within bei beim im auf über neben für chez à"
    " au aux dans pour sous près en para por al alla allo nel nella nello nei in a ad presso per em na no nas nos",
    ROLE: "as like als comme como come wie",
    COMPANY: "with mit avec con com samt",
    TIME: "until till during since bis seit depuis pendant durante hasta fino dal até",
    MANNER: "without ohne sans sin senza sem via by per pro",
    SEAT: "from von vom aus desde dalla",
    TOPIC: "on about an am sur sobre su sul sulla upon",
    OTHER: "to into onto against zu zum zur nach gegen vers contre hacia contra verso across through towards",
}
_PREPOSITIONS: Final = {word: kind for kind, words in _BY_CLASS.items() for word in words.split()}
_TIMES: Final = word_set(
    "night nights day days daily week weeks weekly weekend weekends weekday weekdays month months monthly year years"
    " morning mornings evening evenings afternoon afternoons today tonight tomorrow yesterday hour hours minutes"
    " overnight late early weeknights shifts shift holidays summer winter noon midnight christmas"
    " monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays"
    " sundays nachts tagsüber abends morgens mittags vormittags nachmittags täglich heute morgen abend nacht woche"
    " wochenende wochenenden tag tage tagen stunden monat spät früh montag dienstag mittwoch donnerstag freitag samstag"
    " sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags schicht"
    " nuit jour jours soir soirs matin matins semaine week-end aujourd'hui demain heures lundi mardi mercredi jeudi"
    " vendredi samedi dimanche noche noches día días mañana mañanas tarde tardes hoy semana horas lunes martes"
    " miércoles jueves viernes sábado sábados domingo domingos notte giorno giorni sera mattina oggi domani settimana"
    " ore lunedì martedì mercoledì giovedì venerdì noite manhã dia dias hoje amanhã"
)
_OFTEN: Final = word_set("every each once twice jeden jede jedes zweimal chaque cada ogni")
"""What begins a time behind an object."""
_MANNERS: Final = word_set(
    "alone hard well remotely fast slow together much lot too very more less often sometimes seldom full-time part-time"
    " freelance abroad solo independently mostly mainly usually rarely occasionally online remote hybrid full part"
    " allein alleine viel wenig oft gern gerne hart gut schlecht sehr manchmal selten meist meistens fleißig schnell"
    " langsam teilzeit vollzeit selbständig selbstständig freiberuflich gründlich remote"
    " seul seule beaucoup peu souvent parfois bien mal dur vite domicile distance télétravail partiel plein trop très"
    " solo sola mucho poco bien duro demasiado distancia remoto muy parcial completa"
    " molto spesso bene tanto troppo distanza sodo muito pouco sozinho sozinha bem demais"
)
_SHARES: Final = word_set("full-time part-time half-time teilzeit vollzeit halbtags")
_COUNTED: Final = word_set(
    "one two three four five six seven eight zwei drei vier fünf sechs deux trois quatre cinq six dos tres cuatro cinco"
    " due tre quattro cinque dois três"
)
_AT_HAND: Final = word_set(
    "above below beside behind inside under über unter hinter neben opposite gegenüber sotto sopra"
)
_DWELLINGS: Final = word_set(
    "floor storey flat apartment studio loft basement attic house bungalow cottage dorm hostel houseboat caravan van"
    " stock stockwerk etage erdgeschoss dachgeschoss wohnung haus wg altbau keller einzimmerwohnung"
    " étage appartement maison studio rez-de-chaussée colocation immeuble piso planta apartamento ático casa bajo"
    " piano appartamento palazzo andar apartamento prédio"
)
_SEATS: Final = word_set(
    "home office kitchen garden garage café cafe coffee library desk room building floor headquarters hq train hause"
    " zuhause büro homeoffice küche garten haus bureau maison cuisine casa oficina cocina ufficio cucina escritório"
    " cozinha"
)
_NEAR: Final = word_set("near by outside près cerca junto vicino perto nahe")
_THERE: Final = word_set(
    "abroad downtown upstairs downstairs here there nearby overseas hier dort ici là aquí allí qui lì"
)
_INCLUDES: Final = {
    "meat": "pork beef chicken ham bacon sausage steak lamb veal turkey duck burger salami schwein schweinefleisch"
    " rindfleisch rind huhn hähnchen schinken speck wurst lamm kalb pute porc boeuf bœuf poulet jambon saucisse agneau"
    " veau cerdo pollo jamón cordero ternera maiale manzo prosciutto agnello porco frango",
    "alcohol": "beer wine whisky whiskey gin vodka rum spirits champagne cider liquor cocktail bier wein schnaps sekt"
    " bière vin champagne cidre cerveza vino ron birra grappa cerveja vinho",
    "sport": "football tennis handball basketball volleyball hockey rugby golf squash badminton baseball soccer cricket"
    " fußball fussball foot fútbol baloncesto calcio pallavolo futebol",
    "dairy": "milk cheese butter yoghurt yogurt cream milch käse joghurt sahne lait fromage beurre yaourt leche queso"
    " latte formaggio burro leite queijo manteiga",
    "seafood": "fish shrimp prawn lobster crab mussel oyster fisch garnele poisson crevette pescado gamba pesce peixe",
    "animal": "meat fish pork beef chicken egg",
}
_CALLED: Final = {
    "fleisch": "meat", "viande": "meat", "carne": "meat", "alkohol": "alcohol", "alcool": "alcohol",
    "alcol": "alcohol", "álcool": "alcohol", "sports": "sport", "deporte": "sport", "esporte": "sport",
    "meeresfrüchte": "seafood", "marisco": "seafood", "dairy": "dairy",
}  # fmt: skip
KINDS: Final = {kind: word_set(words) for kind, words in _INCLUDES.items()}
NAMED: Final = frozenset((*KINDS, *_CALLED, *_CALLED.values(), "over")).union(*KINDS.values())
"""The words of complements that `apart` and `taken_up` know; of all others only whether they are the same."""
_TURNED: Final = word_set(
    "moved left joined switched quit started sold became replaced died retired gekündigt gewechselt verlassen"
    " quitté rejoint commencé dejó cambió lasciato cambiato mudou ido fue parti partie andato andata"
)
_ELIDED: Final = re.compile(r"^(?:d|l|n|j|s|c|m|qu|all|nell|un)['’](?=.)")
_ADVERB: Final = re.compile(r".{3,}(?:ly|mente|erweise|-time)$")
_LONGEST: Final = 20


def _bare(words: Sequence[str]) -> list[tuple[str, bool]]:
    """The words in lower case, an elided small word apart, and whether they have a capital."""
    out: list[tuple[str, bool]] = []
    for word in words:
        low = word.casefold().replace("’", "'")
        short = _ELIDED.match(low)
        if short is not None:
            out.append((short.group()[:-1], False))
            word, low = word[short.end() :], low[short.end() :]
        out.append((low, word[:1].isupper()))
    return out


def complement_of(words: Sequence[str]) -> Complement:
    """The verb of a sentence of these words and what completes it, `NOTHING` where none is known."""
    said = _bare(words)
    n = len(said)
    if not 2 <= n <= _LONGEST:
        return NOTHING
    at = next((i for i in range(1, n) if said[i][0] in _VERBS and not said[i][1]), 0)
    if not at or (at > 1 and said[at - 1][0] in ("the", "his", "her", "their", "my", "our", "das", "der", "le", "la")):
        return NOTHING
    # what another clause denies ("dejó Correos y trabaja en Seur") is not denied of this verb
    clause = max((i for i in range(1, at) if said[i][0] in _AND), default=0)
    ended = any(word in _NOT or (word in ("gave", "given")) for word, _ in said[clause + 1 :])
    # "started eating fish": the turn is to the verb
    if any(word in _TURNED and word not in _STOPPED for i, (word, _) in enumerate(said) if not at - 3 < i < at):
        return NOTHING
    rest = said[at + 1 :]
    if ended and not rest:
        # "hat aufgehört, Handball zu spielen"
        stop = next((i for i in range(1, at) if said[i][0] in ("aufgehört",)), 0)
        rest = [one for one in said[stop + 1 : at] if one[0] != "zu"] if stop else []
    verb = said[at][0]
    anew = any(word in _ANEW or (word == "days" and said[i - 1][0] == "these") for i, (word, _) in enumerate(said))
    anew = anew or any(word in _TURNED for word, _ in said[at - 2 : at])
    return Complement(_VERBS[verb], _parts(rest, _VERBS[verb], english=verb in _ENGLISH), ended, anew)


def _parts(rest: Sequence[tuple[str, bool]], family: int, *, english: bool) -> tuple[tuple[int, frozenset[str]], ...]:
    found: dict[int, set[str]] = {}
    kind, segment, lead, article = OBJECT, list[tuple[str, bool]](), "", False

    def close() -> None:
        if segment:
            sort = _sort(kind, lead, segment, family, article=article)
            found.setdefault(sort, set()).update(singular(word) for word, _ in segment)
        segment.clear()

    for word, capital in rest:
        if word in _HALT and word != "que" and word not in _STOPPED:
            break
        if word in _OFTEN and (segment or kind != OBJECT):
            close()
            kind, lead = TIME, word
        preposition = -1 if capital or (english and word == "a") else _PREPOSITIONS.get(word, -1)
        if word in ("de", "du", "des", "da") and not segment:
            if word == "da" or family not in _PARTITIVE:
                kind, lead = SEAT, word
            continue
        if preposition >= 0 and (not lead or segment):
            close()
            kind, lead, article = preposition, word, False
        elif word in _AND or word in ("de", "del", "di", "do", "du", "des", "zu"):
            continue
        elif word in _FILL or word in ("a", "as", "o") or preposition >= 0:
            article = article or word not in _STOPPED
        elif (word in _MANNERS or _ADVERB.fullmatch(word)) and not capital and (kind == OBJECT or not lead):
            if not article or word in _MANNERS:
                found.setdefault(AMOUNT if word in _SHARES else MANNER, set()).add(word)
        else:
            segment.append((word, capital))
    close()
    return tuple((sort, frozenset(some)) for sort, some in sorted(found.items()))


def _sort(kind: int, lead: str, segment: Sequence[tuple[str, bool]], family: int, *, article: bool) -> int:
    """The class of a segment by its preposition, its words and the verb."""
    words = [word for word, _ in segment]
    named = any(capital for _, capital in segment)
    if kind in (ROLE, COMPANY):
        return kind
    if lead == "desde":
        return SEAT if any(word in _SEATS for word in words) else TIME
    if family != PREFER and any(word in _TIMES for word in words):
        return AMOUNT if kind == OBJECT and (words[0] in _COUNTED or words[0].isdigit()) else TIME
    if kind in (PLACE, SEAT) and all(word in _MANNERS for word in words):
        return MANNER
    if family == LIVE:
        if lead in ("bei", "beim", "chez") and not (named and not article):
            return COMPANY
        if (
            lead in _AT_HAND
            or not _DWELLINGS.isdisjoint(words)
            or (kind in (PLACE, TOPIC) and lead in _NEAR and not named)
        ):
            return SPOT
        if kind in (TOPIC, SEAT) or (kind == OBJECT and (named or not _THERE.isdisjoint(words))):
            return PLACE
    if family == WORK and kind in (PLACE, SEAT):
        if any(word in _SEATS for word in words):
            return SEAT
        if lead in ("in", "à") and not article:
            return LOCATION if named else TOPIC
    return kind


def singular(word: str) -> str:
    """The word without the ending of a plural or a genitive."""
    word = word.removesuffix("'s")
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def apart(one: Complement, other: Complement) -> bool:
    """Whether two sentences of one verb say things of which neither ends the other; False for two verbs."""
    if not one.verb or one.verb != other.verb or not one.parts or not other.parts:
        return False
    mine, others = dict(one.parts), dict(other.parts)
    shared = mine.keys() & others.keys()
    if not shared:
        return one.verb not in _LOOSE
    if one.ended != other.ended:
        over, still = (mine, others) if one.ended else (others, mine)
        return not all(_covers(over[kind], still[kind], whole=kind == OBJECT) for kind in shared)
    if one.ended or mine == others:
        return one.ended
    what = OTHER if one.verb == _GO else OBJECT
    if what in shared and not (one.anew or other.anew) and _two(one.verb, mine[what], others[what]):
        return True
    if one.verb in _LOOSE:
        return False
    return all(mine[kind] <= others[kind] or others[kind] <= mine[kind] for kind in shared)


def taken_up(one: Complement, other: Complement) -> bool:
    """Whether one says that something is so no more and the other that it is so again."""
    over, still = (one, other) if one.ended else (other, one)
    if not one.verb or one.verb != other.verb or one.ended == other.ended or not still.anew:
        return False
    mine, others = dict(over.parts), dict(still.parts)
    shared = mine.keys() & others.keys()
    return bool(shared) and all(_covers(mine[kind], others[kind], whole=kind == OBJECT) for kind in shared)


def _two(verb: int, one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two objects of a verb are two things: "prefers morning meetings", "prefers oat milk"; not "prefers tea",
    "prefers coffee"."""
    return not one & other and (
        verb in _MANY or (verb == PREFER and (min(len(one), len(other)) > 1 or "over" in one | other))
    )


def kind_called(word: str) -> str:
    """What a kind of food is called in one language, the word itself where it is none."""
    return _CALLED.get(word, word)


def _covers(over: frozenset[str], still: frozenset[str], *, whole: bool) -> bool:
    """Whether what is over names what the other says, or a kind that includes it."""
    for word in over:
        kind = KINDS.get(_CALLED.get(word, word))
        if kind is not None and not kind.isdisjoint(still):
            return True
    return over <= still if whole else bool(over & still)
