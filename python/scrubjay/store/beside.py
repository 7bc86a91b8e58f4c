"""What a store leaves beside its log: where any of it is there, a log was, whatever became of that.

Looked at before a log is created, so that an emptied or missing one is never taken for a new store.
"""

from __future__ import annotations

import os
import re
from typing import Final

from scrubjay.store.ballast import NAME as BALLAST
from scrubjay.store.manifest import FILE_NAME, MANIFEST
from scrubjay.store.schema import CANDIDATES_NAME, LOG_NAME, SNAPSHOT_NAME
from scrubjay.store.staging import NAME as STAGED

_CANDIDATES: Final = re.compile(r"(?:graph|slots)-[0-9a-f]{16}\.bin")


def left_behind(folder: str) -> str | None:
    """The name of something in `folder` that only an earlier log can have left; None where there is nothing.

    A folder of candidates counts where it holds what this library writes: anything else of that name is the user's.

    >>> left_behind("/a/folder/that/is/not/there") is None
    True
    """
    names = _names(folder)
    for name in (SNAPSHOT_NAME, STAGED, BALLAST):
        if name in names:
            return name
    held = _names(os.path.join(folder, CANDIDATES_NAME)) if CANDIDATES_NAME in names else []
    for name in held:
        if name == MANIFEST or _CANDIDATES.fullmatch(name) is not None:
            return f"{CANDIDATES_NAME}/{name}"
    # what somebody has moved or restored out of its own folder
    return next((name for name in names if FILE_NAME.fullmatch(name) is not None), None)


def foreign(folder: str) -> str | None:
    """The name of something in `folder` that no store has there; None for an empty folder, or one that is a store's.

    Hidden files, and what a file system keeps at its root, do not count.

    >>> foreign("/a/folder/that/is/not/there") is None
    True
    """
    ours = (LOG_NAME, SNAPSHOT_NAME, STAGED, BALLAST, CANDIDATES_NAME, "lost+found", ".")
    return next((name for name in _names(folder) if not name.startswith(ours)), None)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
