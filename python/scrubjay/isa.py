"""Which instruction set the kernels run on.

The environment variable SCRUBJAY_ISA, read once at import, forces one by name.

>>> from scrubjay import isa
>>> isa.available()[0]
'scalar'
>>> isa.active() in isa.available()
True
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scrubjay import _core


def available() -> list[str]:
    """Names that this CPU can run, from the plainest to the widest."""
    return _core.isa_available()


def active() -> str:
    """The name in use: the widest available one unless another was asked for."""
    return _core.isa_active()


def use(name: str) -> None:
    """Switch every kernel to `name`, for the whole process.

    Raises:
        ArgumentError: this CPU cannot run `name`; the message lists what it can.
    """
    _core.isa_use(name)


@contextmanager
def using(name: str) -> Iterator[None]:
    """Switch to `name` for the length of a with block."""
    before = active()
    use(name)
    try:
        yield
    finally:
        use(before)
