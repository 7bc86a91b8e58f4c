"""What must not be left of a memory: its words in every coding that a file may have, and the bytes of its vectors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SHORTEST = 16
"""Bytes of a vector that are looked for at each of its places: chance does not repeat so many."""


def needles(words: Iterable[str], vectors: Iterable[NDArray[np.float32]]) -> dict[str, bytes]:
    """Named byte strings, none of which may be found."""
    out: dict[str, bytes] = {}
    for word in words:
        for form in {word, word.lower(), word.upper()}:
            for coding in ("utf-8", "utf-16-le", "utf-16-be"):
                out[f"{form} in {coding}"] = form.encode(coding)
            out[f"{form} in JSON"] = json.dumps(form)[1:-1].encode()
    for i, vector in enumerate(vectors):
        wide = vector.astype("<f4")
        short = (wide.view("<u4") >> 16).astype("<u2")
        rounded = ((wide.view("<u4") + 0x7FFF + ((wide.view("<u4") >> 16) & 1)) >> 16).astype("<u2")
        whole = np.clip(np.rint(wide / max(float(np.abs(wide).max()), 1e-9) * 127), -127, 127).astype(np.int8)
        unit = np.clip(np.rint(wide * 127), -127, 127).astype(np.int8)
        forms = {"float32": wide, "bfloat16": short, "rounded bfloat16": rounded, "int8": whole, "int8 of a unit": unit}
        for name, form in forms.items():
            data = form.tobytes()
            for start in range(0, len(data) - SHORTEST + 1, 4 * SHORTEST):
                if np.ptp(np.frombuffer(data[start : start + SHORTEST], np.uint8)) > SHORTEST:
                    out[f"vector {i} as {name} from byte {start}"] = data[start : start + SHORTEST]
    return out


def files(folder: str | Path) -> Iterator[Path]:
    """Every file below a folder."""
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in names)


def found(folder: str | Path, wanted: dict[str, bytes]) -> list[str]:
    """Where one of the needles lies."""
    out = []
    for file in files(folder):
        data = file.read_bytes()
        out += [f"{file.name}: {name}" for name, needle in wanted.items() if needle in data]
    return out
