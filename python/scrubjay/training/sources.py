"""The real facts that models are trained on, and who they are from.

>>> SOURCES
('endoflife', 'congress', 'yago')
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scrubjay.evaluate.validity import Facts, load_facts

SOURCES: Final = ("endoflife", "congress", "yago")
"""Files of DATA/validity, in the order in which they are read."""


def load_sources(folder: str | Path) -> Facts:
    """The facts of all sources in a folder of data sets."""
    return load_facts([Path(folder) / "validity" / f"{name}.jsonl" for name in SOURCES])
