"""All that the core asks of the outside, as structural types: nothing here is inherited, only matched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scrubjay.events import Batch, Recorded
from scrubjay.memory import Perishability

Clock: TypeAlias = Callable[[], float]
"""Seconds since the Unix epoch (UTC)."""
Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) while a long verb runs."""


class ArrowArray(Protocol):
    """An array with Arrow's PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """A pair of capsules: the schema and the array."""
        ...


class ArrowStream(Protocol):
    """Chunks of an array with Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule that holds the stream."""
        ...


Array: TypeAlias = NDArray[Any] | ArrowArray | ArrowStream | memoryview | bytearray | bytes
"""What a kernel reads: rows of a matrix come as two axes, or as an Arrow FixedSizeList."""


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors. `name` is recorded in the store: opening it with another name is an error."""

    @property
    def name(self) -> str:
        """Identity of the model and its version, for example "use-multilingual-v3"."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dim) float32, finite; rows need no unit norm. Called with n >= 1 texts, in batches."""
        ...


@runtime_checkable
class PerishabilityModel(Protocol):
    """Texts to perishability: eq. 4's phi. The keyword rule, a trained head and a language model all fit it."""

    @property
    def name(self) -> str:
        """Identity of the model and its version."""
        ...

    def classify(
        self,
        texts: Sequence[str],
        contexts: Sequence[str | None],
        what: NDArray[np.float32],
        where: NDArray[np.float32],
    ) -> list[Perishability]:
        """One value per text. `what` (n, d1) and `where` (n, d2) are unit rows; a row of zeros means no context."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """A prompt to a reply, for the few places that may use one; never called by search."""

    @property
    def name(self) -> str:
        """Identity of the model and its version."""
        ...

    def complete(self, prompt: str, *, schema: dict[str, Any] | None = None, max_bytes: int = 65536) -> str:
        """The reply's text. Raises ModelReplyError when there is none."""
        ...


@runtime_checkable
class EventLog(Protocol):
    """The append-only log as its readers see it. `scrubjay.store.log.EventLog` keeps one in SQLite."""

    @property
    def seq(self) -> int:
        """Sequence number of the last committed event, 0 when there is none."""
        ...

    @property
    def dim(self) -> int:
        """Length of the vectors in its events."""
        ...

    @property
    def last_key(self) -> int:
        """The highest key that it has given to a memory, 0 for none: no more memories than that."""
        ...

    def tail(self, after: int = 0, upto: int | None = None) -> Iterator[Batch]:
        """The events of (after, upto] in order, in batches; `upto` defaults to the last committed one."""
        ...

    def history(self, key: int) -> list[Recorded]:
        """Every event about one memory, oldest first."""
        ...
