"""The error tree: every error that scrubjay raises on purpose.

::

    ScrubjayError
    ├── ArgumentError (ValueError)      a value out of its range or of the wrong shape
    │   ├── ArgumentTypeError (TypeError)   a value of the wrong type
    │   ├── FileError (OSError)     a file that was named is not there, or cannot be read or written
    │   └── DimensionError              an embedding whose length does not fit the store
    ├── EmbeddingError (ValueError)     an embedder answered with something unusable
    ├── EmbedderMismatchError           the store was written with another embedder
    ├── MissingExtraError (ImportError) an optional dependency is absent; names its pip line
    ├── MemoryNotFoundError (KeyError)  no such memory in this namespace
    ├── ScopeError (AttributeError)     a handle bound to a namespace was asked for what is the whole store's
    ├── ModelReplyError (ValueError)    a model's reply was refused
    └── StoreError
        ├── StoreClosedError            use after close
        ├── StoreLockedError            another process holds the store for too long
        ├── StoreForkedError            a handle crossed fork()
        ├── StoreFullError              the disk is full: nothing of the write was kept
        ├── StoreReadOnlyError (PermissionError)  a write to a store that can only be read
        ├── StoreFormatError            the folder is no store, or of a newer format
        └── CorruptionError             stored bytes do not match their checksum
            └── SegmentError            a mapped file was changed or cut while it was read

Each message names the argument, the value and the remedy. Catch `ScrubjayError` for all of them;
the builtin in brackets is a second base, so that idiomatic handlers keep working.

>>> from scrubjay.errors import ArgumentError
>>> issubclass(ArgumentError, ValueError)
True
"""

from __future__ import annotations

import numbers


class ScrubjayError(Exception):
    """Base of every error that scrubjay raises on purpose."""


class ArgumentError(ScrubjayError, ValueError):
    """An argument's value is out of its range, or its shape does not fit."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument is of a type that cannot be used."""


class FileError(ArgumentError, OSError):
    """A file that an argument names is not there, is a folder, or cannot be read or written."""


class DimensionError(ArgumentError):
    """An embedding has another length than the store's."""


class EmbeddingError(ScrubjayError, ValueError):
    """An embedder answered with the wrong shape, with NaN, with infinity or with nothing."""


class EmbedderMismatchError(ScrubjayError):
    """The store was written with another embedder than the one it was opened with."""


class MissingExtraError(ScrubjayError, ImportError):
    """An optional dependency is not installed; the message holds the pip line that adds it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency. Install it with: pip install 'scrubjay[{extra}]'")
        self.feature = feature
        self.extra = extra


class MemoryNotFoundError(ScrubjayError, KeyError):
    """No memory of that id in this namespace."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else "memory not found"


class ScopeError(ScrubjayError, AttributeError):
    """A handle that is bound to a namespace was asked for what concerns the whole store."""


class ModelReplyError(ScrubjayError, ValueError):
    """A language model's reply was refused; nothing was changed."""


class StoreError(ScrubjayError):
    """Something about the store's files or its handle."""


class StoreClosedError(StoreError):
    """The store was used after close()."""


class StoreLockedError(StoreError):
    """Another process held the store's write lock for longer than the timeout."""


class StoreForkedError(StoreError):
    """A store handle was used in a child of fork(); open the store again in the child."""


class StoreFullError(StoreError):
    """The disk is full; nothing of the write was kept. A deletion still works, with the room of the store's ballast."""


class StoreReadOnlyError(StoreError, PermissionError):
    """A write was asked of a store that was opened for reading, or whose files cannot be written."""


class StoreFormatError(StoreError):
    """The path is no scrubjay store, or it was written by a newer version."""


class CorruptionError(StoreError):
    """Stored bytes do not match their checksum."""


class SegmentError(CorruptionError):
    """A file of vectors that is mapped was shortened, written to or damaged; the next call goes on from the log."""


def shown(value: object, most: int = 44) -> str:
    """A wrong value as a message shows it: at most so many characters, whatever its repr does; a number, a text or None
    itself, any other thing by its type, so that no container is walked however deep it is.

    >>> shown("wall" * 30), shown(10**5000), shown(-1)
    ("'wallwallwallwallwallwallwallwallwallwall...", 'an int', '-1')
    >>> shown([[1], 2]), shown(None)
    ('a list', 'None')
    """
    text = _told(value, most)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _told(value: object, most: int) -> str:
    if isinstance(value, str):
        # a subclass may say anything of itself
        return repr(str.__str__(value)[:most])
    if value is None or isinstance(value, bool):
        return str(value)
    try:
        if isinstance(value, numbers.Integral) and abs(int(value)) < 10**20:
            return str(int(value))
        if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational):
            return str(float(value))
    except Exception:  # noqa: BLE001 - a type of the caller's, which fails as it likes
        pass
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
