"""Peers on the same conversations, questions, embedder and metrics as `scrubjay evaluate conversations`.

    python bench/peers.py LOCOMO_FILE [--embedder minilm] [--peers elfmem,a-mem,mem0] [--json OUT]

Each peer runs as it comes, with our embedder in place of a downloaded one and without a language model (elfmem: its own
deterministic stand-in; A-MEM: an endpoint that is not there, so that its notes stay plain; mem0: `infer=False`). A peer
that is not installed, or does not run, is named with the reason. Install them in an environment of their own:

    pip install scrubjay[eval,minilm] elfmem mem0ai
    pip install --no-deps a-mem && pip install chromadb rank_bm25 nltk scikit-learn litellm openai requests

None of them takes the time of a memory, so none can be asked about validity: retrieval is all that is compared.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrubjay.evaluate import conversations, report
from scrubjay.evaluate.registry import candidates, open_embedder
from scrubjay.evaluate.systems import Answer, Item, Ranking, top_answer
from scrubjay.protocols import Embedder

T = TypeVar("T")
DEPTH = 50
"""Hits that are asked for; what is below counts as not found."""


class Peer(ABC):
    """What the adapters share: texts to rows, and no idea of validity."""

    title: ClassVar[str] = ""

    def __init__(self, embedder: Embedder) -> None:
        self.name = self.title
        self.embedder = embedder
        self.items: list[Item] = []
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)

    def rows(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Rows of returned texts, in order; a repeated text stands for all its rows."""
        at: dict[str, list[int]] = {}
        for row, item in enumerate(self.items):
            at.setdefault(item.text, []).append(row)
        return np.array([row for text in dict.fromkeys(texts) for row in at.get(text, [])], np.int64)

    @abstractmethod
    def store(self, texts: Sequence[str]) -> None:
        """Keep the texts."""

    @abstractmethod
    def find(self, query: str, k: int) -> list[str]:
        """The k texts that answer best, best first."""

    def ingest(self, items: Sequence[Item]) -> None:
        self.items += items
        self.embedder.embed([item.text for item in items])
        self.store([item.text for item in items])

    def rank(self, queries: Sequence[str], nows: Sequence[float], k: int) -> list[Ranking]:  # noqa: ARG002
        self.embedder.embed(list(queries))
        out = []
        for query in queries:
            rows = self.rows(self.find(query, min(k, DEPTH)))[:k]
            out.append(Ranking(rows, -np.arange(rows.size, dtype=np.float64), np.ones(rows.size)))
        return out

    def answer(self, query: str, now: float, ranking: Ranking | None = None) -> Answer:
        return top_answer(self.items, ranking or self.rank([query], [now], 1)[0])

    def survival(self, ages: NDArray[np.float64]) -> NDArray[np.float64] | None:  # noqa: ARG002
        return None

    def close(self) -> None:
        self._folder.cleanup()


class Elfmem(Peer):
    """elfmem: hybrid retrieval with its "attention" frame; blocks are consolidated without a model."""

    title = "elfmem"

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        from elfmem.adapters.mock import MockLLMService
        from elfmem.api import MemorySystem
        from elfmem.db.engine import create_engine
        from elfmem.db.models import metadata
        from elfmem.db.queries import seed_builtin_data

        class Ours:
            model_name = embedder.name

            async def embed(self, text: str) -> NDArray[np.float32]:
                return embedder.embed([text])[0]

            async def embed_batch(self, texts: list[str]) -> list[NDArray[np.float32]]:
                return list(embedder.embed(texts))

        self._loop = asyncio.new_event_loop()

        async def start() -> Any:
            engine = await create_engine(str(self.folder / "elfmem.db"))
            async with engine.begin() as connection:
                await connection.run_sync(metadata.create_all)
                await seed_builtin_data(connection)
            return MemorySystem(engine=engine, llm_service=MockLLMService(), embedding_service=Ours())

        self._system = self._run(start())
        self._run(self._system.begin_session())

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    def store(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._run(self._system.learn(text))
        while self._system.should_dream or self._pending():
            if self._run(self._system.dream(skip_llm=True, inbox_max=len(texts))) is None:
                break

    def _pending(self) -> bool:
        return bool(self._run(self._system.inbox(max_count=1)))

    def find(self, query: str, k: int) -> list[str]:
        return [block.content for block in self._run(self._system.recall(query, top_k=k))]

    def close(self) -> None:
        self._run(self._system.close())
        self._loop.close()
        super().close()


class AMem(Peer):
    """A-MEM: one note a memory, Chroma's vector search."""

    title = "A-MEM"

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise its import asks the network
        _stand_in_for_sentence_transformers(embedder)
        from agentic_memory.memory_system import AgenticMemorySystem

        self._system = AgenticMemorySystem(
            llm_backend="sglang", sglang_port=9, storage_path=str(self.folder), enable_cache=False
        )
        self._texts: dict[str, str] = {}

    def store(self, texts: Sequence[str]) -> None:
        for text in texts:
            note = self._system.add_note(text)
            self._texts[note] = text

    def find(self, query: str, k: int) -> list[str]:
        return [self._texts[hit["id"]] for hit in self._system.search(query, k=k) if hit["id"] in self._texts]


def _stand_in_for_sentence_transformers(embedder: Embedder) -> None:
    """A-MEM asks sentence-transformers for a model that is downloaded; here our embedder answers instead."""

    class SentenceTransformer:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def encode(self, texts: Sequence[str], **_: Any) -> NDArray[np.float32]:
            return embedder.embed([texts] if isinstance(texts, str) else list(texts))

    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer  # type: ignore[attr-defined]
    sys.modules["sentence_transformers"] = module


class Mem0(Peer):
    """mem0: memories as they are (`infer=False`) in its default store, its own scoring."""

    title = "mem0"

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        os.environ["MEM0_TELEMETRY"] = "false"
        os.environ["MEM0_DIR"] = str(self.folder)
        os.environ.setdefault("OPENAI_API_KEY", "none")
        from mem0 import Memory
        from mem0.embeddings.mock import MockEmbeddings

        class Ours(MockEmbeddings):
            def embed(self, text: str, memory_action: Any = None) -> list[float]:  # noqa: ARG002
                return [float(x) for x in embedder.embed([text])[0]]

        config = {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(self.folder / "qdrant"), "embedding_model_dims": embedder.dim, "on_disk": False},
            },
            "history_db_path": str(self.folder / "history.db"),
        }  # fmt: skip
        self._memory = Memory.from_config(config)
        self._memory.embedding_model = Ours()

    def store(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.add([{"role": "user", "content": text}], user_id="all", infer=False)

    def find(self, query: str, k: int) -> list[str]:
        found = self._memory.search(query, filters={"user_id": "all"}, top_k=k, threshold=0.0)
        return [hit["memory"] for hit in found["results"]]


PEERS: dict[str, Callable[[Embedder], Peer]] = {"elfmem": Elfmem, "a-mem": AMem, "mem0": Mem0}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="a file in the LoCoMo layout")
    parser.add_argument("--embedder", default="minilm", choices=["minilm", "universal"])
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--json", type=Path, help="write the rows here")
    parser.add_argument("--draws", type=int, default=1000)
    given = parser.parse_args()
    embedder = open_embedder(given.embedder)
    talks = conversations.load_conversations(given.file)
    makers: dict[str, Callable[[], Any]] = {
        c.title: c.make for c in candidates(("ours", "bm25", "dense", "zsum"), embedder)
    }
    for name in given.peers.split(","):
        makers[name] = lambda make=PEERS[name]: make(embedder)  # type: ignore[misc]
    rows, skipped = {}, {}
    for name, make in makers.items():
        try:
            with contextlib.redirect_stdout(sys.stderr):  # peers print
                rows[name] = conversations.evaluate(make, talks, draws=given.draws)
            print(f"{name}: done", file=sys.stderr)
        except ImportError as error:
            skipped[name] = f"not installed: {error}"
        except Exception as error:  # noqa: BLE001  (a peer may fail in any way; the reason is the result)
            skipped[name] = f"does not run here: {type(error).__name__}: {str(error)[:200]}"
    body = [
        [name, report.span(s.overall["R@5"]), *(report.number(s.overall[m].estimate) for m in conversations.METRICS)]
        for name, s in rows.items()
    ]
    print(report.table(["system", "R@5 with interval", *conversations.METRICS], body))
    for name, reason in skipped.items():
        print(f"skipped {name}: {reason}")
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_bytes(report.to_json({"embedder": embedder.name, "rows": rows, "skipped": skipped}) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
