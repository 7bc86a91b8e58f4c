"""Which version of a product is in use somewhere: "Parcel 2.4 is live in production". One is at a time.

>>> version_of("Parcel 2.4 is live in production".split())[1]
frozenset({'2.4'})
>>> version_of("Flight 2104 is late".split()), version_of("Camera 3 is installed".split())
(((), frozenset()), ((), frozenset()))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from scrubjay.wordlist import word_set

_DOTTED: Final = re.compile(r"v?\d+(?:\.\d+){1,3}(?:-?(?:rc|beta|alpha)\.?\d*)?|v\d+", re.IGNORECASE)
_RUNTIMES: Final = word_set(
    "node nodejs deno bun python ruby php java kotlin scala elixir postgres postgresql mysql mariadb mongodb redis"
    " kafka elasticsearch kubernetes docker ubuntu debian fedora centos windows macos android ios"
    " django rails angular react vue"
)
"""Software whose versions are whole numbers."""
_IS: Final = word_set("is runs ist läuft est tourne está corre è gira é")
_USED: Final = word_set(
    "live deployed installed running active released production prod staging"
    " produktiv installiert ausgerollt aktiv produktion déployé déployée installé installée ligne desplegado desplegada"
    " instalado instalada producción installato installata produzione produção"
)
_NOW: Final = word_set("now currently already finally jetzt nun maintenant ahora adesso agora")
_NOT: Final = word_set("not no never longer nicht nie pas ne non não anymore mehr")


def version_of(words: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """What is in use where, and which version of it is; nothing where the words say no such thing."""
    low = [word.casefold() for word in words[:16]]
    at = next((i for i, word in enumerate(low[:4]) if i and word[-1].isalnum() and any(map(str.isdigit, word))), 0)
    if not at or len(low) < at + 3 or low[at + 1] not in _IS or not _NOT.isdisjoint(low):
        return (), frozenset()
    whole = low[at].isdigit() and low[at - 1] in _RUNTIMES
    where = [word for word in low[at + 2 :] if word not in _NOW]
    if not (whole or _DOTTED.fullmatch(low[at])) or _USED.isdisjoint(where):
        return (), frozenset()
    return ("version", *low[:at], *where), frozenset((low[at].removeprefix("v"),))
