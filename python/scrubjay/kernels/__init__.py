"""The native kernels: pure functions over arrays, the same results on every instruction set and thread count.

Arrays come in as NumPy arrays, as anything with Arrow's PyCapsule interface (pyarrow, polars, pandas, nanoarrow) or the
buffer protocol, or as objects with `__array__`. They are read where they stand when dtype and layout fit; byte order,
strides and narrower numbers of the same kind are converted exactly; anything that could lose a bit is refused with an
`ArgumentTypeError` that names the argument and the remedy. Results are new NumPy arrays (`record_batch` makes an Arrow
record batch of them); only the functions that say so change an argument in place.

A call releases the GIL. `threads` = 0 takes SCRUBJAY_THREADS, or every CPU of the process; results never depend on it.

>>> import numpy as np
>>> from scrubjay import kernels
>>> rows = np.array([[1, 0], [0.75, 0.5]], np.float32)
>>> kernels.dot(rows, np.array([0, 1], np.float32)).tolist()
[0.0, 0.5]
"""

from __future__ import annotations

from scrubjay.kernels.arrays import record_batch, view
from scrubjay.kernels.belief import beta_moments, beta_update
from scrubjay.kernels.decay import retrievability, utility
from scrubjay.kernels.elementary import exp, log, power
from scrubjay.kernels.fsrs import FsrsLaw, fsrs_interval, fsrs_retrievability, fsrs_review, fsrs_signal
from scrubjay.kernels.graph import Graph, edge_weights
from scrubjay.kernels.ranking import Best, contributions, rank
from scrubjay.kernels.revise import rci, rci_apply, rci_gate
from scrubjay.kernels.similarity import binding, dot, pack, product
from scrubjay.kernels.stores import Codes, Rows8, codes, quantize8, to_bf16
from scrubjay.protocols import Array

__all__ = [
    "Array",
    "Best",
    "Codes",
    "FsrsLaw",
    "Graph",
    "Rows8",
    "beta_moments",
    "beta_update",
    "binding",
    "codes",
    "contributions",
    "dot",
    "edge_weights",
    "exp",
    "fsrs_interval",
    "fsrs_retrievability",
    "fsrs_review",
    "fsrs_signal",
    "log",
    "pack",
    "power",
    "product",
    "quantize8",
    "rank",
    "rci",
    "rci_apply",
    "rci_gate",
    "record_batch",
    "retrievability",
    "to_bf16",
    "utility",
    "view",
]
