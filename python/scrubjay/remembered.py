"""Results that are remembered by the text that they are of, within a number of bytes.

>>> @remembered(room=4000)
... def parts(text: str) -> tuple[str, ...]:
...     return tuple(text.split())
>>> parts("a b"), parts("a b"), len(parts)
(('a', 'b'), ('a', 'b'), 1)
>>> parts.drop(["a b"])
>>> len(parts)
0
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from functools import update_wrapper, wraps
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
_EVERY: Final[weakref.WeakSet[Any]] = weakref.WeakSet()


class Remembered(Generic[T]):
    """A pure function of a text whose last results are kept, in about `room` bytes; see `remembered`.

    Threads may share it. What was asked for lately stays: results lie in two halves, and when the newer one is full
    the older one goes.
    """

    def __init__(self, make: Callable[[str], T], *, room: int, longest: int | None = None, beside: int = 0) -> None:
        self._make = make
        self._beside = beside
        self._longest = longest
        self._half = room // 2
        self._lock = threading.Lock()
        self._new: dict[str, tuple[T, int]] = {}
        self._old: dict[str, tuple[T, int]] = {}
        self._bytes = self._old_bytes = 0
        update_wrapper(self, make)
        forgettable(self)

    def __call__(self, text: str) -> T:
        """The result for a text, made where it is not kept."""
        text = text[: self._longest]
        kept = self._new.get(text)
        if kept is not None:
            return kept[0]
        kept = self._old.get(text)
        if kept is None:
            found = self._make(text)
            kept = found, _bytes(text, found) + self._beside
        if kept[1] <= self._half:
            self._keep(text, kept)
        return kept[0]

    def _keep(self, text: str, kept: tuple[T, int]) -> None:
        with self._lock:
            if text in self._new:
                return
            if self._bytes + kept[1] > self._half:
                self._old, self._old_bytes = self._new, self._bytes
                self._new, self._bytes = {}, 0
            elif self._old.pop(text, None) is not None:
                self._old_bytes -= kept[1]
            self._new[text] = kept
            self._bytes += kept[1]

    def __len__(self) -> int:
        """How many results are kept."""
        return len(self._new) + len(self._old)

    @property
    def nbytes(self) -> int:
        """Bytes of the texts and results that are kept, what refers to them included: less than `room`."""
        return self._bytes + self._old_bytes

    def drop(self, texts: Iterable[str]) -> None:
        """Forget the results of some texts."""
        with self._lock:
            for text in (given[: self._longest] for given in texts):
                self._bytes -= self._new.pop(text, (None, 0))[1]
                self._old_bytes -= self._old.pop(text, (None, 0))[1]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._new, self._old = {}, {}
            self._bytes = self._old_bytes = 0


class Recent(Generic[K, V]):
    """Results by small keys, the last of them: at most `room`, in two halves as `Remembered` has them; threads may
    share it.

    >>> some: Recent[str, int] = Recent(2)
    >>> some.keep("a", 1)
    >>> some.keep("b", 2)
    >>> some.keep("c", 3)
    >>> some.get("a"), some.get("b"), some.get("c"), len(some)
    (None, 2, 3, 2)
    """

    def __init__(self, room: int) -> None:
        self._half = room // 2
        self._lock = threading.Lock()
        self._new: dict[K, V] = {}
        self._old: dict[K, V] = {}
        forgettable(self)

    def get(self, key: K) -> V | None:
        """What is kept, None for nothing."""
        found = self._new.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.keep(key, found)
        return found

    def keep(self, key: K, value: V) -> None:
        """Keep a result."""
        with self._lock:
            if len(self._new) >= self._half and key not in self._new:
                self._new, self._old = {}, self._new
            self._new[key] = value

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._new) + len(self._old.keys() - self._new.keys())

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._new, self._old = {}, {}


def remembered(
    *, room: int, longest: int | None = None, beside: int = 0
) -> Callable[[Callable[[str], T]], Remembered[T]]:
    """Decorate a pure function of a text, of which `longest` characters are read: its last results are kept.

    Results are tuples or objects with attributes; they take about `room` bytes at most, where each takes as many as
    its attributes do and `beside` more for what is kept with it.

    >>> @remembered(room=0, longest=2)
    ... def letters(text: str) -> tuple[str, ...]:
    ...     return tuple(text)
    >>> letters("abc"), len(letters)
    (('a', 'b'), 0)
    """
    return lambda make: Remembered(make, room=room, longest=longest, beside=beside)


def kept_with(make: Callable[[K], T]) -> Callable[[K], T]:
    """Decorate a pure function of an object that never changes: its result is kept with the object.

    >>> class Word:
    ...     def __init__(self, text: str) -> None:
    ...         self.text = text
    >>> @kept_with
    ... def letters(word: Word) -> list[str]:
    ...     return list(word.text)
    >>> word = Word("ab")
    >>> letters(word) is letters(word)
    True
    """
    name = f"{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def found(thing: K) -> T:
        held = vars(thing)
        if name not in held:
            held[name] = make(thing)
        result: T = held[name]
        return result

    return found


def forgettable(some: Any) -> None:
    """Have `forget_all` call some.clear() as well, as long as anybody holds it."""
    _EVERY.add(some)


def forget_texts(texts: Iterable[str]) -> None:
    """Forget what is remembered of some texts, anywhere.

    >>> forget_texts(["The office is closed."])
    """
    gone = list(texts)
    for some in list(_EVERY):
        if isinstance(some, Remembered):
            some.drop(gone)


def forget_all() -> None:
    """Forget all that is remembered of texts, anywhere.

    >>> forget_all()
    """
    for some in list(_EVERY):
        some.clear()


def _bytes(text: str, found: Any) -> int:
    parts = found if isinstance(found, tuple) else vars(found).values()
    # an entry of a dict with its share of room to grow, and the object that holds the parts
    return 300 + sys.getsizeof(text) + sum(map(sys.getsizeof, parts))
