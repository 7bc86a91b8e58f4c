"""scrubjay: agent memory that knows what still holds.

>>> import scrubjay
>>> with scrubjay.open(":memory:") as store:
...     _ = store.add("Ada is allergic to peanuts", namespace="ada")
...     store.search("what must Ada not eat?", namespace="ada")[0].memory.text
'Ada is allergic to peanuts'

`open` gives a `MemoryStore`, `aopen` the same for asyncio, `reembed` gives a store another embedder; `scrubjay.kernels`
has the native kernels, `scrubjay.isa` the instruction set they run on, `scrubjay.errors` everything that is raised.
Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from scrubjay import errors, isa
    from scrubjay.aio import AsyncMemoryStore, aopen, areembed
    from scrubjay.errors import ScrubjayError
    from scrubjay.facets.reembed import reembed
    from scrubjay.memory import Layer, MemoryUnit, NewMemory, Perishability, Subtree, Tier
    from scrubjay.memorystore import MemoryStore, open
    from scrubjay.recall.diversity import Diversity
    from scrubjay.recall.factors import Weights
    from scrubjay.recall.hits import Hit, Hits, Passage

__version__ = "0.1.0"

__all__ = [
    "AsyncMemoryStore",
    "Diversity",
    "Hit",
    "Hits",
    "Layer",
    "MemoryStore",
    "MemoryUnit",
    "NewMemory",
    "Passage",
    "Perishability",
    "ScrubjayError",
    "Subtree",
    "Tier",
    "Weights",
    "__version__",
    "aopen",
    "areembed",
    "errors",
    "isa",
    "open",
    "reembed",
]

_HOMES: Final = {
    "AsyncMemoryStore": "scrubjay.aio",
    "Diversity": "scrubjay.recall.diversity",
    "Hit": "scrubjay.recall.hits",
    "Hits": "scrubjay.recall.hits",
    "Layer": "scrubjay.memory",
    "MemoryStore": "scrubjay.memorystore",
    "MemoryUnit": "scrubjay.memory",
    "NewMemory": "scrubjay.memory",
    "Passage": "scrubjay.recall.hits",
    "Perishability": "scrubjay.memory",
    "ScrubjayError": "scrubjay.errors",
    "Subtree": "scrubjay.memory",
    "Tier": "scrubjay.memory",
    "Weights": "scrubjay.recall.factors",
    "aopen": "scrubjay.aio",
    "areembed": "scrubjay.aio",
    "open": "scrubjay.memorystore",
    "reembed": "scrubjay.facets.reembed",
}
_MODULES: Final = ("errors", "isa")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"scrubjay.{name}")
    raise AttributeError(f"module 'scrubjay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
