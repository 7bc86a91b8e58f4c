"""Whom or what two statements are about: the same, another, or nobody can tell.

Their first words do not tell: "my wife" and "my brother", "Mr Adams" and "Mr Brown", "the cook" and "the driver" begin
alike. `subject_of` reads what stands before the verb: whose it is, what somebody is called by (kinship, trade, title)
and the names. Of two subjects:

- `other_subject`: surely two. Names that have nothing in common behind one title, kinship or trade; kinships, trades or
  animals that are none of one another; the same of two owners ("Ana's wife", "Ben's wife") or to two places ("the ferry
  to Skye", "the ferry to Mull"); and somebody and a relative of his.
- `same_subject`: not surely two, and the same words, a common name, or the same first word behind the article.

Neither holds of "my sister" and "Ana". A pronoun tells of nobody but itself.

>>> from scrubjay.slots.statements import statement
>>> wife, brother, jo, em, sister = map(statement, (
...     "My wife lives in Rome.", "My brother left Oslo.", "My sister Jo is vegan.", "My sister Em quit smoking.",
...     "Jo eats fish again."))
>>> other_subject(wife, brother), other_subject(jo, em), other_subject(jo, sister), other_subject(wife, sister)
(True, True, False, False)
>>> same_subject(wife, brother), same_subject(jo, em), same_subject(jo, sister), same_subject(wife, sister)
(False, False, True, False)
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.seats import contend
from scrubjay.slots.statements import GROUPS, NEGATIVE, UPDATE, Statement, identity
from scrubjay.slots.tense import VERBS
from scrubjay.slots.titles import TITLES
from scrubjay.slots.vocabulary import MARK, NOW, OFTEN, content_of, ids_of

_NAME, _STOP, _NUMBER = (GROUPS.index(name) for name in ("name", "stop", "number"))
_LONGEST: Final = 7
"""Most words of a subject."""

_OF_WHOM: Final = tuple(
    map(
        ids_of,
        (
            "my our mein meine unser unsere mon ma mes notre nos mi mis nuestro nuestra mio mia nostro nostra meu minha"
            " nosso nossa",
            "your dein deine euer eure ton ta votre tu tus vuestro tuo tua vostro teu",
            "his her their sein seine ihr ihre son sa leur su sus suo sua loro seu",
        ),
    )
)
"""Whose it is: ours, yours, or somebody else's."""
_ARTICLES: Final = ids_of("the der die das le la les l el los las il lo gli o os a an ein eine un une una uno um uma")
_GENDERS: Final = tuple(map(ids_of, ("die la ma une una meine unsere mia minha", "der le un il el mein unser mio meu")))
_BEFORE: Final = _ARTICLES.union(*_OF_WHOM)
_PRONOUNS: Final = ids_of(
    "i i'm i've i'll i'd he he's she she's they they're it it's we we're we've you you're this that these those there"
    " who everyone everybody nobody somebody someone ich er sie es wir ihr du man je j'ai il elle ils elles nous vous"
    " on tu yo él ella ellos ellas nosotros usted io lui lei noi loro eu ele ela nós você"
)
_OF: Final = ids_of("of von vom de d del della di da do")
_TO: Final = ids_of("to from for in at with nach aus für zu im mit à pour dans avec para en con per a")
_KINSHIPS: Final = (
    ("", "parents parent eltern genitori pais"),
    ("f", "mother mum mom mama mutter mère madre mãe"),
    ("m", "father dad papa vater père padre pai"),
    ("f", "sister schwester sœur soeur hermana sorella irmã"),
    ("m", "brother bruder frère hermano fratello irmão"),
    ("", "sibling twin"),
    ("f", "daughter tochter fille hija figlia filha"),
    ("m", "son sohn fils hijo figlio filho"),
    ("", "child kid baby toddler kind enfant bébé bebé bambino"),
    ("f", "wife girlfriend fiancée frau freundin ehefrau femme mujer esposa novia moglie esposa"),
    ("m", "husband boyfriend fiancé mann freund ehemann mari marido esposo novio marito"),
    ("", "partner spouse partnerin"),
    ("f", "grandmother grandma granny oma großmutter grand-mère abuela nonna avó"),
    ("m", "grandfather grandpa opa großvater grand-père abuelo nonno avô"),
    ("", "grandparents großeltern"),
    ("f", "aunt auntie tante tía zia tia"),
    ("m", "uncle onkel oncle tío zio tio"),
    ("f", "ex-wife ex-girlfriend exfrau exfreundin ex-femme exmujer"),
    ("m", "ex-husband ex-boyfriend exmann exfreund ex-mari exmarido"),
    ("f", "godmother patentante marraine madrina"),
    ("m", "godfather patenonkel parrain padrino"),
    ("f", "stepmother stiefmutter madrastra"),
    ("m", "stepfather stiefvater padrastro"),
    ("f", "stepdaughter stieftochter hijastra"),
    ("m", "stepson stiefsohn hijastro"),
    ("f", "granddaughter enkelin petite-fille nieta nipotina"),
    ("m", "grandson enkel petit-fils nieto nipotino"),
    ("f", "half-sister halbschwester stepsister stiefschwester"),
    ("m", "half-brother halbbruder stepbrother stiefbruder"),
    ("", "cousin cousine prima primo cugino cugina"),
    ("f", "niece nichte nièce sobrina sobrinha"),
    ("m", "nephew neffe neveu sobrino sobrinho"),
    ("f", "mother-in-law schwiegermutter belle-mère suegra suocera sogra"),
    ("m", "father-in-law schwiegervater beau-père suegro suocero sogro"),
    ("f", "sister-in-law schwägerin belle-sœur cuñada cognata cunhada"),
    ("m", "brother-in-law schwager beau-frère cuñado cognato cunhado"),
)
"""A gender, "" for either, and the words for one kinship."""
_CLASSES: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11), (12, 13, 14), (15, 16))
"""Kinships of which one without a gender may be either of the others, by their places."""
_TRADES: Final = (
    "cook chef köchin koch cuisinier cocinero cocinera cuoco", "driver chauffeur fahrer fahrerin conducteur conductor",
    "gardener gärtner gärtnerin jardinier jardinero", "cleaner housekeeper putzfrau reinigungskraft limpiadora",
    "doctor gp physician arzt ärztin hausarzt hausärztin médecin médico médica medico", "nurse krankenschwester pfleger"
    " pflegerin infirmière enfermera infermiera", "dentist zahnarzt zahnärztin dentiste dentista",
    "teacher tutor lehrer lehrerin professeur maestro maestra profesor profesora insegnante",
    "coach trainer trainerin entrenador", "professor professorin", "postdoc phd student studentin étudiant estudiante",
    "florist", "baker bäcker bäckerin boulanger panadero", "butcher metzger", "plumber klempner plombier fontanero",
    "electrician elektriker électricien electricista", "carpenter tischler", "painter maler", "builder",
    "architect architekt architektin", "lawyer attorney solicitor anwalt anwältin avocat avocate abogado abogada",
    "accountant bookkeeper steuerberater steuerberaterin comptable contable",
    "boss manager supervisor chef chefin vorgesetzter jefe jefa capo", "intern praktikant praktikantin becario",
    "assistant secretary assistentin sekretärin", "receptionist", "janitor caretaker hausmeister concierge conserje",
    "landlord landlady vermieter vermieterin propriétaire casero", "tenant lodger mieter mieterin locataire inquilino",
    "neighbour neighbor nachbar nachbarin voisin voisine vecino vecina vicino vicina vizinho vizinha",
    "flatmate roommate housemate mitbewohner mitbewohnerin colocataire compañero",
    "colleague coworker teammate kollege kollegin collègue colega collega",
    "friend freund freundin ami amie amigo amiga amico amica",
    "client customer kunde kundin cliente patron patient patientin paciente paziente",
    "guest visitor gast", "babysitter nanny", "waiter waitress kellner kellnerin camarero camarera",
    "pilot captain pilotin", "engineer developer programmer ingenieur ingenieurin entwickler entwicklerin",
    "designer", "therapist psychologist therapeut therapeutin", "vet tierarzt tierärztin", "judge", "player",
    "queen princess", "king prince", "priest pastor", "guard wizard bard knight goblin dwarf elf",
)  # fmt: skip
"""What somebody is called by for what he does, a row for each that may be one."""
_ANIMALS: Final = (
    "cat kitten katze kater chat chatte gato gata gatto", "dog puppy hund hündin chien chienne perro perra cane",
    "rabbit bunny kaninchen hase lapin conejo coniglio", "hamster guinea", "parrot budgie canary papagei",
    "horse pony pferd cheval caballo cavallo", "tortoise turtle schildkröte tortue", "fish goldfish", "snake",
    "cow kuh", "goat", "hen chicken",
)  # fmt: skip
_TITLES: Final = (
    ("m", "mr herr monsieur señor signor senhor sir m"),
    ("f", "mrs ms miss frau mme madame señora signora senhora lady"),
    ("", "dr prof doctor professor captain nurse sergeant officer lord queen king baron"),
)
"""What stands before a name."""
_GROUPS: Final = ids_of("team group tech project shift squad scout branch section department crew")
_LEAD: Final = list(ids_of("lead"))
_COUNTED: Final = ids_of(
    "one two three four five six seven eight nine ten eins zwei drei vier fünf deux trois quatre cinq dos tres cuatro"
)
_GENERAL: Final = OFTEN | ids_of(
    "new old current main primary own whole entire latest final actual same neue neuer neues alte alter altes nouveau"
    " nouvelle ancien ancienne nuevo nueva actual nuovo nuova"
)
"""What says of a thing how it is, and makes no other thing of it."""
_TAKES: Final = ids_of(
    "took take taken takes over replaced replaces succeeded inherited bought stole snatched received won got swapped"
    " übernommen übernahm übernimmt übernehmen ersetzt repris reprend remplacé asumió heredó sustituyó rilevato herdou"
)
"""How something passes from one to another."""
_DOING: Final = frozenset((3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
"""Families of verbs of what persons do (`scrubjay.slots.complements`), and many at once."""


def _gender(word: str, row: frozenset[str]) -> str:
    """What a word is beside the one it is formed from: "vecina", "vecino"; "" where there are no two."""
    if any(word in _formed(other) for other in row):
        return "f"
    return "m" if any(other in row for other in _formed(word)) else ""


def _formed(word: str) -> tuple[str, ...]:
    return f"{word}e", f"{word}in", f"{word}a", f"{word.removesuffix('e')}in", f"{word.removesuffix('o')}a"


def _rows() -> dict[int, frozenset[tuple[int, int, str]]]:
    """What each word for somebody may be: (sort, row, gender)."""
    found: dict[int, set[tuple[int, int, str]]] = {}
    kin = {at: group for group, rows in enumerate(_CLASSES) for at in rows}
    for at, (gender, words) in enumerate(_KINSHIPS):
        for word in ids_of(words):
            found.setdefault(word, set()).add((0, kin.get(at, len(_CLASSES) + at), gender))
    for sort, rows in enumerate((_TRADES, _ANIMALS), 1):
        for at, words in enumerate(rows):
            row = frozenset(words.split())
            for name in row:
                found.setdefault(identity(name), set()).add((sort, at, _gender(name, row)))
    return {word: frozenset(some) for word, some in found.items()}


_CALLED: Final = _rows()
_ADDRESS: Final = {word: gender for gender, words in _TITLES for word in ids_of(words)}
_VERBS: Final = (
    ids_of(" ".join(VERBS))
    | ids_of(
        "wurde a été fue was has had got gets gave started stopped began quit retired died became returned went lost"
        " found bought sold left moved changed switched joined smoke smokes raucht fume fuma reads writes"
        " sings cooks teaches kicks fires downgraded"
    )
    | ids_of(" ".join(word for word in UPDATE if word.endswith("ed")))
)
_ADVERBS: Final = ids_of(
    "mostly hardly rarely usually often sometimes always never still now already currently only just also again"
)
_ENDS: Final = _VERBS | _ADVERBS | ids_of(" ".join(NEGATIVE | UPDATE - {"current", "new", "nouveau", "nouvelle"}))
"""What a subject is before."""
_NO_NAME: Final = _ENDS | _TO | _OF | ids_of(" ".join(UPDATE))
_DENIES: Final = ids_of(" ".join(NEGATIVE)) | ids_of("gave given gives quit stopped mehr longer")


class Subject(NamedTuple):
    """What a statement is about, as identities of words."""

    owner: int = 0
    """1 for ours, 2 for yours, 3 for somebody else's, 0 where it is not said."""
    whose: frozenset[int] = frozenset()
    """The names of the owner,"""
    called: tuple[int, ...] = ()
    """what somebody is called by, titles apart,"""
    titles: frozenset[int] = frozenset()
    names: frozenset[int] = frozenset()
    nouns: frozenset[int] = frozenset()
    """the other words,"""
    where: frozenset[int] = frozenset()
    """the names behind "to", "in" and the like,"""
    first: int = 0
    """and the first word behind articles and titles."""
    bare: bool = False
    """A single word, with nothing before it."""
    words: frozenset[int] = frozenset()
    """All words of it,"""
    head: int = 0
    """the last of `nouns`,"""
    gender: int = 0
    """and what the article tells, 1 or 2."""


NOBODY: Final = Subject()


@kept_with
def subject_of(said: Statement) -> Subject:
    """What a statement is about: what stands before its verb, or what begins it where no verb is known."""
    ids = said.ids.tolist()
    if len(ids) < 2 or said.asks:
        return NOBODY
    name = said.groups[:, _NAME] > 0
    if ids[0] in _PRONOUNS and ids[0] not in _BEFORE and not name[0]:
        return Subject(first=ids[0])
    # "my son", and the French and the Spanish "son"
    start = next((i for i, word in enumerate(ids[:3]) if word not in _BEFORE or (i and word in _CALLED)), 0)
    after = start + (start > 0 and ids[start] in _CALLED)
    if ids[start] in _GROUPS and ids[start + 1 : start + 2] == _LEAD and name[start + 2 :].any():
        # "team lead Ana"
        after = start + 2
    end = next((i for i in range(max(1, after), min(len(ids), _LONGEST)) if ids[i] in _ENDS and not name[i]), 0)
    if end and end <= start:
        return Subject(first=ids[0], words=frozenset(ids[:end]))
    verb = next((word for word in ids[end:] if word in _VERBS or word not in _ENDS), 0) if end else 0
    if verb not in _VERBS:
        # "Frau Klein nimmt jetzt": a verb that no list has
        end = min(end or len(ids), _begins(ids, name.tolist(), start))
    owner = next((at for at, some in enumerate(_OF_WHOM, 1) if not some.isdisjoint(ids[:start])), 0)
    gender = next((at for at, some in enumerate(_GENDERS, 1) if not some.isdisjoint(ids[:start])), 0)
    called: list[int] = []
    titles: set[int] = set()
    names: set[int] = set()
    nouns: set[int] = set()
    whose: set[int] = set()
    where: set[int] = set()
    behind, head = names, 0
    for i in range(start, end):
        word = ids[i]
        if word in _ADDRESS and i + 1 < end and not owner and (word not in _CALLED or name[i + 1]):
            titles.add(word)
        elif word in _OF and i > start and not name[i]:
            behind = whose
        elif word in _TO and i > start and not name[i]:
            behind = where
        elif word in _CALLED and not (name[i] and (names or titles)):
            if names and not called and behind is names and ids[i - 1] not in _BEFORE:
                # "Ana's wife"; not "Ana, my wife"
                whose, names = names, set[int]()
                behind = names
            if behind is names:
                called.append(word)
        elif i > start and behind is names and (word in _COUNTED or said.groups[i, _NUMBER]) and (called or nouns):
            # "player two"
            names.add(word)
        elif name[i] or (i == start and end == start + 1 and not start and _nameable(said, word)):
            behind.add(word)
        elif said.groups[i, _STOP] == 0 and behind is names:
            nouns.add(word)
            head = word
    first = next((word for word in ids[start:end] if word not in _ADDRESS and word not in OFTEN), ids[start])
    return Subject(
        owner, frozenset(whose), tuple(called), frozenset(titles), frozenset(names), frozenset(nouns),
        frozenset(where), first, not start and end == 1, frozenset(ids[:end]), head, gender,
    )  # fmt: skip


def _nameable(said: Statement, word: int) -> bool:
    return word not in _NO_NAME and not said.groups[0, _STOP] and not said.groups[0, _NUMBER]


def _begins(ids: list[int], name: list[bool], start: int) -> int:
    """Where the subject ends if no verb is known: behind what somebody is called by and the names."""
    at = start
    while at < len(ids) and (ids[at] in _CALLED or ids[at] in _ADDRESS or name[at]):
        at += 1
    if at == start:
        at += 1
        while start and at < len(ids) and name[at]:
            at += 1
    if at + 1 < len(ids) and ids[at] in _TO | _OF and name[at + 1]:
        at += 2
    return min(at, len(ids), start + _LONGEST)


def _exclusive(one: Iterable[int], other: Iterable[int]) -> bool:
    """Whether nobody is called by both."""
    a, b = ([_CALLED[word] for word in some] for some in (one, other))
    return bool(a and b) and all(_two_called(x, y) for some in a for x in some for others in b for y in others)


def _two_called(x: tuple[int, int, str], y: tuple[int, int, str]) -> bool:
    if x[0] != y[0]:
        # a relative is no animal; a friend may be a cousin
        return 2 in (x[0], y[0])
    return x[1] != y[1] or bool(x[2] and y[2] and x[2] != y[2])


def _two_titles(one: Subject, other: Subject) -> bool:
    """ "Frau Klein", "Herr Klein"."""
    a, b = ({_ADDRESS[word] for word in some.titles} - {""} for some in (one, other))
    return bool(a and b) and a.isdisjoint(b)


def other_subject(one: Statement, other: Statement) -> bool:
    """Whether they are surely about two: two persons, two animals, two of a kind."""
    a, b = subject_of(one), subject_of(other)
    if not (a.words and b.words) or (a.owner and b.owner and a.owner != b.owner and not (a.names and b.names)):
        return False
    if _two_of_whom(a, b) or _two_of_whom(b, a):
        return True
    alike = bool(frozenset(a.called) & frozenset(b.called) or a.titles & b.titles or a.nouns & b.nouns)
    apart = bool(a.gender and b.gender and a.gender != b.gender and a.called and b.called)
    if _two_titles(a, b) or (apart and not a.names & b.names):
        # "la voisine", "le voisin"
        return True
    if a.names and b.names:
        if a.names & b.names:
            both = bool(a.names - b.names and b.names - a.names)
            return both or (_exclusive(a.called, b.called) and _kin(a) and _kin(b))
        return alike or _exclusive(a.called, b.called)
    if _exclusive(a.called, b.called) and ((_kin(a) and _kin(b)) or not (a.names or b.names)):
        return True
    if _modified(a, b):
        return True
    same_head = a.called == b.called and a.nouns == b.nouns and (a.called or a.nouns)
    return bool(same_head and a.where and b.where and a.where.isdisjoint(b.where))


def _modified(a: Subject, b: Subject) -> bool:
    """ "My older sister", "my younger sister"; "the red van", "the blue van"."""
    if a.called != b.called or not (a.called or a.head == b.head):
        return False
    return bool(a.nouns - b.nouns - _GENERAL and b.nouns - a.nouns - _GENERAL)


def _kin(one: Subject) -> bool:
    return any(sort == 0 for word in one.called for sort, _, _ in _CALLED[word])


def _two_of_whom(a: Subject, b: Subject) -> bool:
    """ "Ana's wife" and "Ben's wife", "Ana's wife" and "Ana"."""
    if a.called and a.called == b.called[:-1] and not (a.names or b.names):
        # "my sister's wife"
        return _exclusive(a.called[-1:], b.called[-1:])
    if not (b.whose and b.called):
        return False
    return bool(a.names and a.names <= b.whose and not a.called) or bool(
        a.whose and a.whose.isdisjoint(b.whose) and a.called == b.called
    )


def same_subject(one: Statement, other: Statement) -> bool:
    """Whether they are about the same, as far as words tell."""
    if other_subject(one, other):
        return False
    if one.subject == other.subject != 0:
        return True
    a, b = subject_of(one), subject_of(other)
    if not (a.first and b.first):
        return False
    if a.names and b.names:
        return bool(a.names & b.names)
    if a.owner and b.owner and a.owner != b.owner:
        return False
    return _plain(a.first) == _plain(b.first)


def same_thing(one: Statement, other: Statement) -> bool:
    """Whether they are about one thing, called by the same words but for how often it is: "the nightly job"."""
    a, b = subject_of(one), subject_of(other)
    return bool(a.nouns - OFTEN) and (a.nouns - OFTEN, a[1:5], a.where) == (b.nouns - OFTEN, b[1:5], b.where)


def _plain(word: int) -> int:
    return _I if word in _AM else word


_AM: Final = ids_of("i'm i've i'd i'll j'ai")
_I: Final = next(iter(ids_of("i")))
_ROLES: Final = ids_of(" ".join(TITLES)) | ids_of("charge duty call turn")


@kept_with
def _told(said: Statement) -> bool:
    found = subject_of(said)
    return bool(found.called or found.titles or found.names or found.where or len(found.nouns) > 1)


@kept_with
def _beyond(said: Statement) -> frozenset[int]:
    """What it says of its subject."""
    return content_of(said) - subject_of(said).words - NOW


def _two(one: Statement, other: Statement) -> bool:
    if contend(one.seat, other.seat) or one.seat.ousted or other.seat.ousted:
        return False
    if not (other_subject(one, other) or _both_do(one, other)):
        return False
    a, b = subject_of(one), subject_of(other)
    mine, others = frozenset(one.ids.tolist()) - a.words, frozenset(other.ids.tolist()) - b.words
    apart = (a.words ^ b.words) & (content_of(one) | content_of(other))
    denies = _DENIES.isdisjoint(one.ids.tolist()) != _DENIES.isdisjoint(other.ids.tolist())
    if (mine | others) & (apart if denies else apart | _ROLES):
        # one is named in what is said of the other, or it is of a role that passes on
        return False
    if _beyond(one) == _beyond(other) and not denies:
        return False
    return not (not _TAKES.isdisjoint(mine | others) and _things(one) & _things(other))


def _both_do(one: Statement, other: Statement) -> bool:
    """ "Jo quit smoking", "Em smokes again": names alone, of what many do."""
    verb = one.complement.verb
    a, b = subject_of(one), subject_of(other)
    if verb not in _DOING or other.complement.verb != verb or not (a.bare and b.bare and a.names and b.names):
        return False
    return a.names.isdisjoint(b.names)


def _things(said: Statement) -> frozenset[int]:
    """What is spoken of as something known: the words behind "the" and its like."""
    return frozenset(b for a, b in pairwise(said.ids.tolist()) if a in _BEFORE - _SOME) & _beyond(said)


_SOME: Final = ids_of("a an ein eine un une una uno um uma")
two_subjects: Final = Law(_two, lambda s: _told(s) and not s.asks and not s.marks[MARK["long"]], mutual=True)
"""What is said of two stands, unless something that one has or does passes to the other."""
