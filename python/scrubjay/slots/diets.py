"""What somebody's diet leaves out: who eats fish again is a vegetarian no more, who eats tofu is one still.

>>> from scrubjay.slots.statements import statement
>>> diet, fish, tofu = map(statement, (
...     "Ana is vegetarian.", "Ana started eating fish again.", "Ana eats tofu."))
>>> breaks(diet, fish), breaks(diet, tofu), allowed(diet, tofu)
(True, False, True)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.complements import DRINK, EAT, KINDS, NAMED, OBJECT, kind_called
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.subjects import same_subject
from scrubjay.slots.vocabulary import ids_of
from scrubjay.wordlist import word_set

_MEAT: Final = (
    KINDS["meat"] | KINDS["seafood"] | word_set("meat seafood fleisch fisch viande poisson carne pescado pesce")
)
_ANIMAL: Final = _MEAT | KINDS["dairy"] | word_set("egg eggs honey dairy ei eier honig œuf oeuf miel huevo uova")
_TABLE: Final = (EAT, DRINK)
_DIETS: Final = (
    (
        EAT,
        ids_of("vegetarian vegetarier vegetarierin végétarien végétarienne vegetariano vegetariana vegetarisch"),
        _MEAT,
    ),
    (EAT, ids_of("vegan veganer veganerin végan végane végétalien vegano vegana"), _ANIMAL),
    (EAT, ids_of("pescatarian pescetarian pescetariano"), KINDS["meat"] | word_set("meat fleisch viande carne")),
    (
        DRINK,
        ids_of("teetotal teetotaler teetotaller sober abstinent abstemio sobre sobria abstinente trocken nüchtern"),
        KINDS["alcohol"] | word_set("alcohol alkohol alcool alcol álcool"),
    ),
    (
        EAT,
        ids_of(
            "omnivore omnivorous flexitarian meat-eater allesesser allesesserin omnívoro omnívora onnivoro onnivora"
        ),
        frozenset[str](),
    ),
)
"""What is eaten or drunk, what who keeps a diet is called, and what it leaves out."""
_ALL: Final = word_set("everything anything all alles tout todo tutto tudo")
_PLANT: Final = word_set("vegan vegetarian plant tofu soy vegane veganen végétal vegano vegetal free alkoholfreies")
FOODWAYS: Final = frozenset().union(*(words for family, words, _ in _DIETS if family == EAT))
"""What somebody is called by what he eats."""
_ANY: Final = frozenset().union(*(words for _, words, _ in _DIETS))
FOOD: Final = NAMED.union(_ALL, _PLANT, *(out for _, _, out in _DIETS))
"""The words of complements that laws know."""
_BE: Final = ids_of("is am are i'm ist bin est suis es soy è sono é sou lives eats ernährt")


@kept_with
def diets(said: Statement) -> int:
    """The diets that it says its subject keeps, a bit each."""
    ids = frozenset(said.ids.tolist())
    if _ANY.isdisjoint(ids) or _BE.isdisjoint(ids) or said.asks or said.marks[0]:
        return 0
    return sum((not words.isdisjoint(ids)) << i for i, (_, words, _) in enumerate(_DIETS))


@kept_with
def eaten(said: Statement) -> int:
    """The diets that what it says its subject eats or drinks is none of, a bit each."""
    verb, parts, ended, _ = said.complement
    if verb not in _TABLE:
        return 0
    what = dict(parts).get(OBJECT, frozenset())
    if ended or not what or not _PLANT.isdisjoint(what):
        return 0
    if verb == EAT and not _ALL.isdisjoint(what):
        return sum((family == EAT and bool(out)) << i for i, (family, _, out) in enumerate(_DIETS))
    what |= {kind_called(word) for word in what}
    return sum((verb == family and not what.isdisjoint(out)) << i for i, (family, _, out) in enumerate(_DIETS))


def _broken(diet: Statement, food: Statement) -> bool:
    if not diets(diet) & eaten(food):
        return False
    return same_subject(diet, food)


breaks: Final = Law(_broken, lambda s: diets(s) != 0, other=lambda s: eaten(s) != 0)
"""What one says that its subject eats is none of the other's diet, of the same subject."""


def _allowed(diet: Statement, food: Statement) -> bool:
    return not diets(diet) & eaten(food)


def _other_than_food(diet: Statement) -> bool:
    return diets(diet) != 0 and diet.complement.verb not in _TABLE


def _food(food: Statement) -> bool:
    verb, parts, ended, _ = food.complement
    return verb in _TABLE and not ended and bool(parts) and parts[0][0] == OBJECT


allowed: Final = Law(_allowed, _other_than_food, other=_food)
"""One keeps a diet and the other says what is eaten or drunk that it allows."""
