"""Files that a caller names: what the system says of one that cannot be used becomes an error that names it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from scrubjay.errors import FileError, ScrubjayError, shown

READ: Final = "name a file that is there and can be read"
WRITE: Final = "name a file in a folder that is there and can be written to"


@contextmanager
def named(path: str | os.PathLike[str], remedy: str = READ, *, argument: str = "path") -> Iterator[None]:
    """While the block works with a file that the caller named, the system's errors are `FileError`.

    >>> with named("nowhere.json"):
    ...     open("nowhere.json")
    Traceback (most recent call last):
        ...
    scrubjay.errors.FileError: path 'nowhere.json': No such file or directory; name a file that is there and can be read
    """
    try:
        yield
    except ScrubjayError:
        raise
    except OSError as error:
        raise FileError(f"{argument} {shown(os.fspath(path), 200)}: {error.strerror}; {remedy}") from error


def read_named(path: str | os.PathLike[str], most: int, *, argument: str = "path") -> bytes:
    """At most so many bytes of a file that the caller named.

    >>> read_named(__file__, 3)
    b'\"\"\"'
    """
    with named(path, argument=argument), open(path, "rb") as file:
        return file.read(most)
