"""Weights that come with the package: arrays in `scrubjay/data/heads`.

>>> shipped_arrays("of nobody.npz") is None
True
>>> "mean" in shipped_arrays("slot-text.npz")
True
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray


def shipped_arrays(file: str) -> dict[str, NDArray[Any]] | None:
    """The arrays of a file by its name; None where there is none of that name."""
    folder = files("scrubjay") / "data" / "heads"
    # a name is looked for among the files and never made a path
    entry = next((one for one in folder.iterdir() if one.name == file), None) if folder.is_dir() else None
    if entry is None:
        return None
    with entry.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
