from typing import Any

from numpy import bool_, float32, float64, int64
from numpy.typing import ArrayLike, NDArray

def isa_available() -> list[str]: ...
def isa_active() -> str: ...
def isa_use(name: str) -> None: ...
def view(array: ArrayLike, dtype: str, axes: int = 1) -> tuple[NDArray[Any], NDArray[bool_] | None]: ...
def probe_read(values: ArrayLike) -> float: ...
def probe_peak(kind: str, rounds: int) -> float: ...
def dot(rows: ArrayLike, query: ArrayLike) -> NDArray[float32]: ...
def rank(
    queries: ArrayLike,
    what: ArrayLike,
    weights: ArrayLike,
    k: int,
    *,
    contexts: ArrayLike | None = None,
    where: ArrayLike | None = None,
    where_index: ArrayLike | None = None,
    value: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    when: ArrayLike | None = None,
    shape: ArrayLike | None = None,
    now: ArrayLike | None = None,
    utility: ArrayLike | None = None,
    graph: ArrayLike | None = None,
    usefulness: ArrayLike | None = None,
    retrievability: ArrayLike | None = None,
    importance: ArrayLike | None = None,
    exploration: ArrayLike | None = None,
    live: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[float64], NDArray[int64]]: ...
def contributions(
    queries: ArrayLike,
    what: ArrayLike,
    weights: ArrayLike,
    hits: ArrayLike,
    *,
    contexts: ArrayLike | None = None,
    where: ArrayLike | None = None,
    where_index: ArrayLike | None = None,
    value: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    when: ArrayLike | None = None,
    shape: ArrayLike | None = None,
    now: ArrayLike | None = None,
    utility: ArrayLike | None = None,
    graph: ArrayLike | None = None,
    usefulness: ArrayLike | None = None,
    retrievability: ArrayLike | None = None,
    importance: ArrayLike | None = None,
    exploration: ArrayLike | None = None,
) -> NDArray[float64]: ...
def utility(value: ArrayLike, pi: ArrayLike, tau: ArrayLike, when: ArrayLike, now: float) -> NDArray[float32]: ...
