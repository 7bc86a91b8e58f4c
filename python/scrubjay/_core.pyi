from collections.abc import Sequence
from typing import Any, Literal, overload

from numpy import bool_, float32, float64, int32, int64, uint8, uint16
from numpy.typing import NDArray

from scrubjay.protocols import Array as ArrayLike

Floats = NDArray[float32] | NDArray[float64]
Vectors = ArrayLike | tuple[ArrayLike, ArrayLike]
Codes = tuple[ArrayLike, ArrayLike, ArrayLike]

def isa_available() -> list[str]: ...
def isa_active() -> str: ...
def isa_use(name: str) -> None: ...

class Region:
    def __init__(self, file: int, offset: int, size: int, capacity: int) -> None: ...
    def bytes(self) -> NDArray[uint8]: ...
    def let_write(self) -> None: ...
    @property
    def lost(self) -> bool: ...
    @property
    def size(self) -> int: ...
    def resident(self) -> int: ...

def arm() -> None: ...
def view(array: ArrayLike, dtype: str, axes: int = 1) -> tuple[NDArray[Any], NDArray[bool_] | None]: ...
def probe_read(values: ArrayLike) -> float: ...
def probe_peak(kind: str, rounds: int) -> float: ...
def dot(rows: ArrayLike, query: ArrayLike) -> NDArray[float32]: ...
def product(rows: ArrayLike, panels: ArrayLike, *, threads: int = 0) -> NDArray[float32]: ...
def to_bf16(rows: ArrayLike, *, threads: int = 0) -> NDArray[uint16]: ...
def quantize8(rows: ArrayLike, *, threads: int = 0) -> tuple[NDArray[uint8], NDArray[float32]]: ...
def codes(rows: ArrayLike, *, threads: int = 0) -> tuple[NDArray[uint8], NDArray[uint8], NDArray[float32]]: ...
def nearest(
    queries: ArrayLike,
    rows: ArrayLike,
    centres: ArrayLike,
    apart: ArrayLike,
    *,
    ends: ArrayLike,
    heads: ArrayLike,
    next: ArrayLike,
    m: int,
    reach: float,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[float32], NDArray[int64], NDArray[int64]]: ...
@overload
def rank(
    queries: ArrayLike,
    what: Vectors,
    weights: ArrayLike,
    k: int,
    *,
    contexts: ArrayLike | None = None,
    where: Vectors | None = None,
    where_index: ArrayLike | None = None,
    value: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    when: ArrayLike | None = None,
    shape: ArrayLike | None = None,
    now: ArrayLike | None = None,
    utility: ArrayLike | None = None,
    graph: ArrayLike | Graph | None = None,
    usefulness: ArrayLike | None = None,
    retrievability: ArrayLike | None = None,
    importance: ArrayLike | None = None,
    exploration: ArrayLike | None = None,
    live: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    parts: ArrayLike | None = None,
    what_codes: Codes | None = None,
    where_codes: Codes | None = None,
    touched: NDArray[uint8] | None = None,
    threads: int = 0,
    plan: Literal[False] = False,
) -> tuple[NDArray[int64], NDArray[float64], NDArray[int64]]: ...
@overload
def rank(
    queries: ArrayLike,
    what: Vectors,
    weights: ArrayLike,
    k: int,
    *,
    contexts: ArrayLike | None = None,
    where: Vectors | None = None,
    where_index: ArrayLike | None = None,
    value: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    when: ArrayLike | None = None,
    shape: ArrayLike | None = None,
    now: ArrayLike | None = None,
    utility: ArrayLike | None = None,
    graph: ArrayLike | Graph | None = None,
    usefulness: ArrayLike | None = None,
    retrievability: ArrayLike | None = None,
    importance: ArrayLike | None = None,
    exploration: ArrayLike | None = None,
    live: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    parts: ArrayLike | None = None,
    what_codes: Codes | None = None,
    where_codes: Codes | None = None,
    touched: NDArray[uint8] | None = None,
    threads: int = 0,
    plan: Literal[True],
) -> tuple[NDArray[int64], NDArray[float64], NDArray[int64], str]: ...
def contributions(
    queries: ArrayLike,
    what: Vectors,
    weights: ArrayLike,
    hits: ArrayLike,
    *,
    contexts: ArrayLike | None = None,
    where: Vectors | None = None,
    where_index: ArrayLike | None = None,
    value: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    when: ArrayLike | None = None,
    shape: ArrayLike | None = None,
    now: ArrayLike | None = None,
    utility: ArrayLike | None = None,
    graph: ArrayLike | Graph | None = None,
    usefulness: ArrayLike | None = None,
    retrievability: ArrayLike | None = None,
    importance: ArrayLike | None = None,
    exploration: ArrayLike | None = None,
) -> NDArray[float64]: ...
def edge_weights(
    sources: ArrayLike,
    targets: ArrayLike,
    what: ArrayLike,
    when: ArrayLike,
    where: ArrayLike | None = None,
    *,
    where_index: ArrayLike | None = None,
    shares: tuple[float, float, float],
    what_least: float,
    where_least: float,
    rate: float,
    window: float,
    threads: int = 0,
) -> NDArray[float32]: ...

class Graph:
    def __init__(self, offsets: ArrayLike, targets: ArrayLike, weights: ArrayLike) -> None: ...
    @staticmethod
    def from_edges(sources: ArrayLike, targets: ArrayLike, weights: ArrayLike, nodes: int) -> Graph: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def offsets(self) -> NDArray[int64]: ...
    @property
    def targets(self) -> NDArray[int32]: ...
    @property
    def weights(self) -> NDArray[float32]: ...
    def hop(
        self, score: ArrayLike, utility: ArrayLike | None = None, *, rows: ArrayLike | None = None, threads: int = 0
    ) -> NDArray[float32]: ...
    def strongest(self, score: ArrayLike, *, weighted: bool = False, threads: int = 0) -> NDArray[float32]: ...

def rci_gate(
    what: ArrayLike,
    vector: ArrayLike,
    *,
    theta: float,
    among: ArrayLike | None = None,
    codes: Codes | None = None,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[float32]]: ...
def rci(
    what: ArrayLike,
    value: ArrayLike,
    pi: ArrayLike,
    tau: ArrayLike,
    vector: ArrayLike,
    *,
    theta: float,
    value_step: float,
    pi_step: float,
    tau_step: float,
    what_step: float,
    pi_floor: float,
    tau_low: float,
    tau_high: float,
    among: ArrayLike | None = None,
    codes: Codes | None = None,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[float32], NDArray[int64]]: ...
def rci_apply(
    what: ArrayLike,
    value: ArrayLike,
    pi: ArrayLike,
    tau: ArrayLike,
    vector: ArrayLike,
    rows: ArrayLike,
    affinities: ArrayLike,
    *,
    value_step: float,
    pi_step: float,
    tau_step: float,
    what_step: float,
    pi_floor: float,
    tau_low: float,
    tau_high: float,
    codes: Codes | None = None,
) -> NDArray[int64]: ...
def binding(
    what: ArrayLike,
    where: ArrayLike,
    when: ArrayLike,
    tau: ArrayLike,
    *,
    period: float = 10.0,
    out: NDArray[float32] | None = None,
    threads: int = 0,
) -> NDArray[float32]: ...
def exp(x: ArrayLike, *, out: Floats | None = None, threads: int = 0) -> NDArray[Any]: ...
def log(x: ArrayLike, *, out: Floats | None = None, threads: int = 0) -> NDArray[Any]: ...
def power(x: ArrayLike, y: ArrayLike, *, out: NDArray[float64] | None = None, threads: int = 0) -> NDArray[float64]: ...
def utility(
    value: ArrayLike,
    pi: ArrayLike,
    tau: ArrayLike,
    when: ArrayLike,
    now: float,
    *,
    shape: ArrayLike | None = None,
    out: NDArray[float32] | None = None,
    threads: int = 0,
) -> NDArray[float32]: ...
def retrievability(
    stability: ArrayLike,
    last: ArrayLike,
    now: float,
    *,
    curve: float,
    day: float = 86400.0,
    out: NDArray[float32] | None = None,
    threads: int = 0,
) -> NDArray[float32]: ...
def beta_update(
    a: ArrayLike,
    b: ArrayLike,
    signal: ArrayLike,
    weight: ArrayLike | float,
    *,
    keep: float = 1.0,
    out: tuple[Floats | None, Floats | None] | None = None,
    moments: tuple[Floats | None, Floats | None, Floats | None] | None = None,
    threads: int = 0,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def beta_moments(
    a: ArrayLike,
    b: ArrayLike,
    *,
    out: tuple[Floats | None, Floats | None, Floats | None] | None = None,
    threads: int = 0,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...

class FsrsLaw:
    def __init__(
        self,
        weights: Sequence[float],
        *,
        thresholds: Sequence[float],
        wanted: float,
        same_day: float,
        most: float,
        longest: float,
    ) -> None: ...
    @property
    def version(self) -> int: ...

def fsrs_review(
    law: FsrsLaw,
    stability: ArrayLike,
    difficulty: ArrayLike,
    elapsed: ArrayLike,
    grade: ArrayLike,
    *,
    interval: bool = False,
    out: tuple[Floats | None, ...] | None = None,
    threads: int = 0,
) -> tuple[NDArray[Any], ...]: ...
def fsrs_signal(
    law: FsrsLaw,
    stability: ArrayLike,
    difficulty: ArrayLike,
    elapsed: ArrayLike,
    signal: ArrayLike,
    *,
    interval: bool = False,
    out: tuple[Floats | None, ...] | None = None,
    threads: int = 0,
) -> tuple[NDArray[Any], ...]: ...
def fsrs_interval(
    law: FsrsLaw, stability: ArrayLike, *, out: Floats | None = None, threads: int = 0
) -> NDArray[Any]: ...
def fsrs_retrievability(
    law: FsrsLaw, stability: ArrayLike, elapsed: ArrayLike, *, out: Floats | None = None, threads: int = 0
) -> NDArray[Any]: ...
