"""Titles and functions, gender, number and language apart: "jefa de ventas", "Vertriebsleiter", "head of sales".

>>> [norm(word) for word in ("head", "directora", "leiterin")], [common(norm(word)) for word in ("jefa", "ventas")]
(['lead', 'director', 'lead'], ['lead', 'sales'])
"""

from __future__ import annotations

from typing import Final

from scrubjay.wordlist import word_set

_SAME: Final = {
    "directrice": "directeur", "directora": "director", "direttrice": "direttore", "diretora": "diretor",
    "présidente": "président", "presidenta": "presidente", "cheffe": "chef", "jefa": "jefe", "trésorière": "trésorier",
    "tesorera": "tesorero", "chairman": "chair", "chairwoman": "chair", "chairperson": "chair", "capitana": "capitán",
    "head": "lead", "leader": "lead", "leads": "lead", "leitung": "lead", "prod": "production",
    "produktion": "production", "producción": "production", "produzione": "production", "produção": "production",
}  # fmt: skip
TITLES: Final = word_set(
    "captain ceo cto cfo coo ciso cio president champion manager boss owner supervisor director lead"
    " chair mayor principal"
    " dean treasurer secretary goalkeeper coach chief"
)
FOREIGN_TITLES: Final = word_set(
    "kapitän chef leiter direktor präsident vorsitzender vorsitzende geschäftsführer bürgermeister schatzmeister"
    " directeur patron capitaine président trésorier maire responsable jefe capitán presidente director"
    " tesorero alcalde"
    " capo capitano direttore sindaco diretor"
)
"""Titles that without an article may be trades: more must be said."""
_FEMININE: Final = {"ière": "ier", "trice": "teur", "ienne": "ien", "ciale": "cial"}
"""Endings of French adjectives and trades beside those of the other gender."""
FUNCTIONS: Final = word_set(
    "payroll billing sales marketing support finance operations recruiting hr it engineering procurement"
    " logistics legal"
    " security accounting onboarding compliance qa research design product infrastructure platform growth"
    " einkauf vertrieb finanzen buchhaltung personal entwicklung ventes ventas vendite achats compras acquisti"
)
_COMMON: Final = {
    "direktor": "director", "directeur": "director", "direttore": "director", "diretor": "director",
    "präsident": "president", "président": "president", "presidente": "president", "kapitän": "captain",
    "capitaine": "captain", "capitán": "captain", "capitano": "captain", "trésorier": "treasurer",
    "tesorero": "treasurer", "schatzmeister": "treasurer", "maire": "mayor", "alcalde": "mayor", "sindaco": "mayor",
    "bürgermeister": "mayor", "chef": "lead", "jefe": "lead", "capo": "lead", "responsable": "lead",
    "vertrieb": "sales", "verkauf": "sales", "sale": "sales", "vente": "sales", "venta": "sales", "vendite": "sales",
    "einkauf": "procurement", "achat": "procurement", "compra": "procurement", "acquisti": "procurement",
    "buchhaltung": "accounting", "comptabilité": "accounting", "contabilidad": "accounting",
    "contabilità": "accounting", "finanzen": "finance", "finanza": "finance", "finanzas": "finance",
    "entwicklung": "development", "développement": "development", "desarrollo": "development",
    "sviluppo": "development",
}  # fmt: skip
"""What titles and functions are called in one language."""


def norm(word: str) -> str:
    """Gender, genitive and number apart, as far as titles go."""
    word = _SAME.get(word, word)
    if word in TITLES or word in FOREIGN_TITLES:
        return "lead" if word == "leiter" else word
    if word.endswith("in") and word[:-2] in FOREIGN_TITLES:
        return norm(word[:-2])
    for ending, plain in _FEMININE.items():
        if word.endswith(ending):
            return word.removesuffix(ending) + plain
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


def common(word: str) -> str:
    """The same title or function in one language, the word itself where it is none."""
    return _COMMON.get(word, word)
