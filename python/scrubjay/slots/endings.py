"""What ends a state that something is in: "is pregnant", "gave birth"; "is on March 20", "has been cancelled".

A table of states, each with the words that say that it is over. `ends(old, new)` holds where the two are about the same
subject, the older says that it is in a state, and the newer says of that subject that this state is over. What is
denied, asked, wished or still to come ends nothing.

>>> from scrubjay.slots.statements import statement
>>> old, born, other = (statement(text) for text in ("Ada is pregnant.", "Ada gave birth.", "Eva gave birth."))
>>> ends(old, born), ends(old, other), ends(born, old)
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.beside import NOT
from scrubjay.slots.changes import timed
from scrubjay.slots.statements import KIN, Statement
from scrubjay.slots.subjects import same_subject, subject_of
from scrubjay.slots.vocabulary import MARK, PLANNED, content_of, ids_of, single
from scrubjay.wordlist import word_set


def _all(phrases: str) -> tuple[frozenset[int], ...]:
    """Phrases, their words joined by "+": all of these words are there."""
    return tuple(ids_of(phrase.replace("+", " ")) for phrase in phrases.split())


_OFF: Final = _all(
    "cancelled canceled called+off scrapped axed is+off are+off abgesagt fällt+aus ausgefallen entfällt gestrichen"
    " annulé annulée annulés annulées supprimé supprimée cancelado cancelada suspendido suspendida anulado anulada"
    " annullato annullata cancellata soppresso 取消 中止"
)
_NOT_ON: Final = _all(
    "not+take+place won't+take+place not+taking+place not+happening isn't+happening findet+nicht+statt"
    " n'aura+pas+lieu pas+lieu no+lugar no+celebra"
)
"""What is said of a plan that is none any more."""
_STATES: Final = tuple(
    (_all(states), _all(ends))
    for states, ends in (
        (
            "pregnant expecting schwanger enceinte embarazada incinta grávida",
            "birth gave+birth had+baby had+boy had+girl had+son had+daughter had+twins delivered+baby miscarried"
            " born geboren"
            " entbunden bekommen+baby bekommen+tochter bekommen+sohn bekommen+kind bekommen+zwillinge eu+fille"
            " eu+garçon eu+bébé eu+fils tuvo+hijo tuvo+hija tuvo+niño tuvo+niña tuvo+bebé avuto+figlio"
            " avuto+figlia accouché luz+dio partorito miscarriage",
        ),
        (
            "hospital clinic icu intensive krankenhaus klinik hôpital l'hôpital hospital ospedale",
            "discharged was+released been+released left+hospital home+hospital out+hospital entlassen sorti"
            " sortie alta dimesso dimessa"
            " zuhause+krankenhaus raus+krankenhaus",
        ),
        (
            "airport flight plane flying flughafen flugzeug l'aéroport aéroport avion aeropuerto avión",
            "landed boarded departed took+off taken+off touched+down gelandet abgeflogen atterri décollé aterrizó"
            " aterrizado despegó",
        ),
        (
            "asleep sleeping nap schläft dort endormi endormie dormido dormida duerme addormentato",
            "woke woken awake up+got aufgewacht wach aufgestanden réveillé réveillée despertó despierta despierto"
            " sveglio sveglia svegliato",
        ),
        (
            "awake wach réveillé réveillée despierto despierta",
            "asleep fell+asleep went+bed eingeschlafen endormi endormie s'est+endormie dormido dormida",
        ),
        (
            "red broken down failing offline out+order defective unavailable unreachable stuck blocked crashed"
            " leaking faulty"
            " kaputt defekt ausgefallen betrieb rot undicht panne cassé cassée rouge roto rota averiado averiada"
            " guasto",
            "fixed repaired restored resolved is+green back+up back+online recovered working+again running+again"
            " unblocked"
            " läuft+wieder funktioniert+wieder geht+wieder repariert behoben grün réparé réparée remarche"
            " vert marche+nouveau fonctionne+nouveau arreglado arreglada reparado reparada funciona+nuevo riparato",
        ),
        (
            "sick ill flu cold fever unwell covid injured krank erkältet grippe fieber verletzt malade grippé enfermo"
            " enferma malato malata",
            "recovered is+healthy is+better feels+better feeling+better got+better is+well healed cured gesund"
            " genesen guéri guérie rétabli rétablie recuperado"
            " recuperada guarito guarita",
        ),
        (
            "student studies undergraduate apprentice trainee intern azubi apprenti apprentie studiert étudiant"
            " étudiante étudie estudiante estudia studentessa studia"
            " estudante estuda",
            "graduated finished+apprenticeship finished+internship ausbildung+abgeschlossen finished+studies"
            " finished+degree completed+degree"
            " dropped+out studium+abgeschlossen studium+beendet diplômé diplômée"
            " graduó graduado laureato laureata formou-se",
        ),
        (
            "flag beta preview pre-release",
            "released shipped went+live launched rolled+out generally+available veröffentlicht publié publicado",
        ),
        (
            "unpaid outstanding overdue unbezahlt überfällig impayé impayée impagado impagada",
            "paid settled bezahlt beglichen payé payée réglé réglée pagado pagada",
        ),
        ("dirty schmutzig dreckig sale sucio sucia", "washed cleaned geputzt gewaschen lavé lavée nettoyé limpiado"),
        ("empty leer vide vacío vacía", "filled refilled restocked aufgefüllt nachgefüllt rempli remplie rellenado"),
        ("transit way unterwegs chemin camino", "arrived delivered angekommen zugestellt arrivé livré llegó entregado"),
        (
            "pending awaiting waiting ausstehend attente pendiente",
            "approved rejected granted declined accepted genehmigt abgelehnt approuvé approuvée refusé aprobado"
            " rechazado",
        ),
        ("sale vendre verkaufen venta vendita", "was+sold been+sold verkauft vendu vendue vendido vendida venduto"),
        ("construction renovation bau travaux obras", "completed finished reopened fertiggestellt terminé terminada"),
        ("available free frei libre disponible", "was+booked been+booked been+taken been+rented vergeben réservé"),
        ("vacant unbesetzt vacante", "filled besetzt pourvu pourvue cubierto cubierta"),
        (
            "open advertised offen ausgeschrieben ouvert abierto abierta",
            "position+filled role+filled post+filled job+filled vacancy+filled opening+filled"
            " stelle+besetzt poste+pourvu puesto+cubierto vacante+cubierta",
        ),
        (
            "vacation holiday holidays leave sabbatical urlaub ferien vacances congé vacaciones ferie vacanza"
            " travelling"
            " traveling",
            "is+back came+back got+back back+from returned zurück zurückgekehrt rentré rentrée revenu revenue"
            " retour vuelto volvió regresó tornato"
            " tornata",
        ),
        (
            "missing lost misplaced verschwunden weg verloren disparu disparue perdu perdue perdido perdida",
            "was+found were+found been+found turned+up reappeared aufgetaucht gefunden retrouvé retrouvée"
            " encontrado encontrada apareció"
            " trovato ritrovato",
        ),
        (
            "jail prison custody gefängnis haft prison cárcel prigione",
            "was+released been+released freed acquitted entlassen libéré libre",
        ),
        ("strike streik grève huelga sciopero", "ended is+over back+work beendet terminée terminó finito"),
        ("locked gesperrt verriegelt verrouillé bloqueado", "unlocked entsperrt entriegelt déverrouillé desbloqueado"),
        ("paused hold suspended pausiert suspendu", "resumed continues+again continued wieder+aufgenommen repris"),
        ("draft drafted entwurf brouillon borrador", "published released veröffentlicht publié publiée publicado"),
        (
            "unemployed jobless arbeitslos chômage desempleado",
            "was+hired been+hired found+job new+job eingestellt embauché embauchée",
        ),
        ("hungry hungrig faim hambre", "ate eaten gegessen mangé comido comió"),
        (
            "single ledig célibataire soltero soltera",
            "has+boyfriend has+girlfriend is+dating"
            " hat+freund hat+freundin a+copain a+copine tiene+novio tiene+novia"
            " ha+fidanzato ha+fidanzata married engaged geheiratet verheiratet marié mariée casó",
        ),
        (
            "engaged dating verlobt fiancé fiancée",
            "married broke+up broken+up split+up separated geheiratet getrennt marié rompu casó",
        ),
        (
            "married verheiratet marié mariée casado",
            "divorced separated widowed geschieden scheiden+lassen divorcé divorcée divorciado divorziato divorziata",
        ),
        (
            "written geschrieben écrit écrite escrito escrita scritto scritta",
            "rewritten ported+to neu+geschrieben umgeschrieben réécrit réécrite reescrito reescrita riscritto"
            " riscritta",
        ),
        (
            "open geöffnet ouvert ouverte abierto abierta aperto aperta aberto aberta",
            "closed+down shut+down closed+permanently closed+good endgültig+geschlossen dauerhaft+geschlossen"
            " fermé+définitivement cerró+siempre cerrado+siempre cerró+definitivamente chiuso+definitivamente"
            " chiuso+sempre fechou+sempre",
        ),
        (
            "heißt heisst appelle s'appelle llama chiama called genannt chama",
            "renamed umbenannt renommé renommée rebaptisé rebaptisée renombrado renombrada rinominato rinominata"
            " renomeado renomeada rechristened redubbed",
        ),
        (
            "alive lebt vivant vivante vivo viva",
            "died passed+away dead gestorben verstorben mort morte murió killed murdered slain executed perished"
            " drowned getötet ermordet umgebracht tué tuée assassiné assassinée asesinado asesinada ucciso uccisa",
        ),
        (
            "standing stands intact steht intakt debout",
            "destroyed demolished collapsed razed torn+down burned+down burnt+down knocked+down zerstört abgerissen"
            " eingestürzt abgebrannt détruit détruite démoli démolie destruido destruida derribado derribada distrutto"
            " distrutta demolito demolita",
        ),
        (
            "rules reigns governs herrscht regiert règne gouverne reina gobierna regna governa",
            "deposed overthrown dethroned abdicated toppled gestürzt abgesetzt abgedankt renversé renversée destitué"
            " destituée abdiqué derrocado derrocada abdicó deposto deposta",
        ),
    )
)
_LEFT: Final = _all(
    "left gone+from departed checked+out moved+out dropped+out walked+out verlassen raus ausgezogen quitté parti+de"
    " partie+de salió lasciato uscito uscita deixou"
    " flew+home flew+back drove+home came+back came+home went+home is+back is+home got+back back+from returned+from"
    " home+from zurück+aus zurück+von zurückgekehrt heimgekehrt rentré+de rentrée+de revenu+de revenue+de volvió+de"
    " regresó+de tornato+da tornata+da voltou+de regressou+de"
)
_FAULTS: Final = ids_of("crash bug bugs error leak flicker timeout fehler absturz erreur fallo errore")
_MENDED: Final = _all("fixed resolved solved is+gone behoben corrigé corrigée resuelto corregido risolto corretto")
_BEING: Final = _all(
    "is are am was be been were got gets 's ist sind bin wurde worden liegt est sont a été es está fue ha è stato"
    " stata"
    " sono são foi lies remains"
)
_IS: Final = frozenset().union(*_BEING)
_AUX: Final = _IS | frozenset().union(
    *_all("has have had just finally already now will won't hat haben hatte wird s'est vient n'est se se+ha does")
)
_NOT_YET: Final = frozenset().union(
    *_all(
        "will shall going should must needs wants hopes plans may might could would if wird soll muss will könnte"
        " wenn"
        " falls va doit devrait peut si puede debe sarà almost nearly expected supposed fast presque when until"
    )
)
_IN_MAY: Final = frozenset(ids_of(f"{word} may") for word in word_set("in of since by until last next early late"))
"""The month: "may" elsewhere says that it may not come."""
_BECAUSE: Final = frozenset().union(
    *_all(
        "because due owing since as for by after until till wegen aufgrund weil durch von à cause pour par car"
        " faute por"
        " debido causa per this again today yesterday now altogether completely entirely"
    )
)
_HAPPENS: Final = frozenset().union(*_all("starts begins beginnt commence empieza inizia"))

_WORKS: Final = frozenset().union(*_all("works arbeitet travaille trabaja lavora trabalha"))
_STUDIES: Final = frozenset().union(*_all("studies studiert étudie estudia studia estuda"))
_CALLED: Final = frozenset().union(*_all("heißt heisst s'appelle llama chiama chama"))
_SELF: Final = frozenset().union(*_all("se si sich s'"))
_DOES: Final = _STUDIES | ids_of("rules reigns governs herrscht regiert règne gouverne gobierna regna stands steht")
"""Verbs that are states by themselves."""
_VERBS: Final = _DOES | _IS | _HAPPENS | _WORKS | _CALLED
_OFF_WORDS: Final = frozenset().union(*_OFF, *_NOT_ON) - _IS
_FINISHED: Final = frozenset().union(
    *_OFF, *_NOT_ON, *_LEFT, *_MENDED, *(phrase for _, finished in _STATES for phrase in finished)
)


class Course(NamedTuple):
    """What `ends` reads of a statement: the states that it says its subject is in, and those that it says are over."""

    states: int
    over: int
    """A bit for each row of the table, then for plans, for what was left and for faults."""


_PLAN: Final = 1 << len(_STATES)
_PLACE: Final = _PLAN << 1
_FAULT: Final = _PLACE << 1


def _index(rows: Iterable[tuple[int, tuple[frozenset[int], ...]]]) -> dict[int, list[tuple[int, frozenset[int]]]]:
    """(bit of the row, phrase) by one word of the phrase, the least common."""
    found: dict[int, list[tuple[int, frozenset[int]]]] = {}
    for bit, phrases in rows:
        for phrase in phrases:
            found.setdefault(min(phrase, key=lambda word: (word in _COMMON, word)), []).append((bit, phrase))
    return found


_COMMON: Final = _AUX | NOT | _SELF
_BY_STATE: Final = _index((1 << at, states) for at, (states, _) in enumerate(_STATES))
_BY_END: Final = _index(
    [*((1 << at, ends) for at, (_, ends) in enumerate(_STATES)), (_PLACE, _LEFT), (_FAULT, _MENDED)]
)


def _bits(index: Mapping[int, Sequence[tuple[int, frozenset[int]]]], words: frozenset[int]) -> int:
    """The rows of which the words have a phrase."""
    out = 0
    for word in words & index.keys():
        for bit, phrase in index[word]:
            if phrase <= words:
                out |= bit
    return out


def _any(phrases: tuple[frozenset[int], ...], words: frozenset[int]) -> bool:
    return any(phrase <= words for phrase in phrases)


@kept_with
def course(said: Statement) -> Course:
    """The states that a statement says its subject is in, and those that it says are over."""
    ids = said.ids.tolist()
    words = frozenset(ids)
    if len(ids) < 2 or not single(said):
        return Course(0, 0)
    inside = over = 0
    negated = not words.isdisjoint(NOT)
    if not negated and not said.past:
        if not words.isdisjoint(_IS | _CALLED | _DOES):
            inside |= _bits(_BY_STATE, words - said.parts)
        if said.place or (timed(said) and not words.isdisjoint(_IS)) or not words.isdisjoint(_HAPPENS):
            inside |= _PLAN
        if said.place or not words.isdisjoint(_WORKS):
            inside |= _PLACE
        if not said.parts.isdisjoint(_FAULTS):
            inside |= _FAULT
    if _any(_NOT_ON if negated else _OFF, words):
        over |= _PLAN
    to_come = any(two[1] in _NOT_YET and frozenset(two) not in _IN_MAY for two in pairwise((0, *ids)))
    if not negated and not to_come and not said.marks[MARK["hedge"]]:
        over |= _bits(_BY_END, words)
    return Course(inside, over)


def ends(old: Statement, new: Statement, *, for_good: bool = False) -> bool:
    """Whether the newer says that the state is over which the older says its subject is in. `for_good`: not where
    it is a plan, which may be taken up again."""
    over = course(old).states & course(new).over
    if for_good:
        over &= ~_PLAN
    if not over or not _subject(old):
        return False
    if over & _PLAN and _nothing_more(old, new):
        return True
    if not _same_subject(old, new):
        return False
    return (
        over < _PLAN
        or over & (_PLAN - 1 | _FAULT) > 0
        or bool(over & _PLACE and (content_of(old) - _subject(old)) & content_of(new))
    )


def either_ends(one: Statement, other: Statement) -> bool:
    """The same, whichever of the two is the newer."""
    return ends(one, other) or ends(other, one)


_ALIKE: Final = {
    word: next(iter(ids_of(one)))
    for one, others in (("surgery", "operation op procedure"), ("visit", "trip journey"), ("meeting", "sync call"))
    for word in ids_of(others)
}
"""What a plan is also called."""


def _nothing_more(old: Statement, new: Statement) -> bool:
    """The newer says of the plan that it is off, or that somebody called it off, and no more than why."""
    ids = new.ids.tolist()
    at = next((i for i, word in enumerate(ids) if i > 1 and word in _BECAUSE), len(ids))
    content, known = content_of(new), content_of(old)
    said = [word for word in ids[:at] if word in content and word not in _OFF_WORDS and word not in _AUX]
    if _same_subject(old, new):
        return known.issuperset(said)
    off = next((i for i, word in enumerate(ids) if word in _OFF_WORDS), 0)
    if off and not timed(new) and not new.marks[MARK["numbers"]]:
        # "elective knee surgery is on June 3", "knee operation cancelled at his own request"
        plan, gone = (
            frozenset(_ALIKE.get(word, word) for word in words) - PLANNED
            for words in (_subject(old), content & frozenset(ids[:off]) - _AUX)
        )
        if plan == gone and not plan <= frozenset(_ALIKE.values()):
            return True
    # "we cancelled the offsite"
    call = next((i for i, word in enumerate(ids) if word in _OFF_WORDS), at)
    what = frozenset(word for word in ids[call:at] if word in said)
    return bool(call) and ids[call - 1] not in _IS and _subject(old) <= what <= known


def _head(ids: Sequence[int]) -> int:
    """How many words come before the verb, 0 where none is known."""
    return next((i for i, word in enumerate(ids) if i and word in _VERBS), 0)


def _subject(one: Statement) -> frozenset[int]:
    ids = one.ids.tolist()
    return one.parts or (content_of(one) & frozenset(ids[: _head(ids)]))


def _same_subject(old: Statement, new: Statement) -> bool:
    if (frozenset(new.ids.tolist()) - frozenset(old.ids.tolist())) & KIN & _subject(new):
        return False
    if old.subject and (old.subject == new.subject or old.parts <= new.parts <= content_of(old)):
        return True
    a, b = subject_of(old), subject_of(new)
    if a.names & b.names and a.nouns == b.nouns and same_subject(old, new):
        # "Baron Oswin rules", "Oswin was deposed"
        return True
    before, after = old.ids.tolist(), new.ids.tolist()
    if not new.parts and _subject(old):
        # "Nadia and Oscar broke up": its verb is not known
        first = next((i for i, word in enumerate(after) if word in _FINISHED), 0)
        if _subject(old) <= frozenset(after[:first]) & content_of(new) <= content_of(old):
            return True
    head = _head(before)
    if head and before[head - 1] in _SELF:
        # "se llama": "fue renombrada"
        head -= 1
    if not head or len(after) <= head or after[:head] != before[:head]:
        return False
    return after[head] in _AUX or after[head] in _FINISHED
