"""The Temporal Generalization Test ("Caching for the Future", section 4.2 and appendix B).

A schedule says which memory is still valid at which age; five intervals of ages are asked, two of them held out. The
test asks whether a memory finds the fact AND says whether it still holds.
"""

from scrubjay.evaluate.tgt.artefact import Benchmark, Instance, Memory, Query, dumps, loads
from scrubjay.evaluate.tgt.auditing import AuditError, audit
from scrubjay.evaluate.tgt.generator import generate
from scrubjay.evaluate.tgt.judging import Verdict, judge

__all__ = [
    "AuditError",
    "Benchmark",
    "Instance",
    "Memory",
    "Query",
    "Verdict",
    "audit",
    "dumps",
    "generate",
    "judge",
    "loads",
]
