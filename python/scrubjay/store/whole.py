"""Files that are there as a whole or not at all, and what the system says where there is no room for one.

A disk, a user's quota and a limit on the size of files end a write alike: each is a full disk to who writes.

>>> import os, tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     write_whole(os.path.join(folder, "a.json"), b"{}")
...     os.listdir(folder)
['a.json']
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import Final

from scrubjay.errors import StoreFullError, shown

NO_ROOM: Final = frozenset(
    code for name in ("ENOSPC", "EDQUOT", "EFBIG") if (code := getattr(errno, name, None)) is not None
)
"""System errors of a write that found no room: the disk, the user's quota, the limit on the size of a file."""


def write_whole(path: str, data: bytes) -> None:
    """Write a file that takes the place of the one of that name when it is complete and on the disk.

    StoreFullError: there is no room; other OSErrors as they are. What was there is left, and nothing beside it.
    """
    part = f"{path}.part"
    try:
        with open(part, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(part)
        if error.errno in NO_ROOM:
            raise StoreFullError(
                f"path {shown(path, 200)}: the disk is full ({error.strerror}): free some space and repeat; "
                "nothing was written"
            ) from error
        raise
