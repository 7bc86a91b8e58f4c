"""scrubjay: agent memory that knows what still holds."""

from __future__ import annotations

from scrubjay.errors import ScrubjayError
from scrubjay.memory import Layer, MemoryUnit, Perishability, Tier

__version__ = "0.1.0"

__all__ = ["Layer", "MemoryUnit", "Perishability", "ScrubjayError", "Tier", "__version__"]
