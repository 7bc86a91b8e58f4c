"""What a model is asked: batched, concurrently, each call once, every refusal counted. Nothing here raises for a reply.

`Ledger` counts the calls of one store handle. A failure is written to the logger "scrubjay.llm" by its kind alone:
neither prompt nor reply nor key is ever logged.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, TypeVar

from scrubjay.errors import ModelReplyError
from scrubjay.llm.replies import (
    MAX_BYTES,
    PI_RANGE,
    TAU_RANGE,
    VALUE_RANGE,
    DeltaReply,
    RefusedError,
    read_deltas,
    read_opinions,
    read_sentences,
)
from scrubjay.llm.templates import Prompt, as_data, fill
from scrubjay.memory import LABELS, MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY, Opinion
from scrubjay.protocols import LanguageModel

BATCH: Final = 32
"""Items per call (chosen): n items take max(1, n // BATCH) calls, so that no call is made for a small rest."""
WORKERS: Final = 4
"""Calls at a time (chosen)."""

T = TypeVar("T")
_log: Final = logging.getLogger("scrubjay.llm")
_log.addHandler(logging.NullHandler())


class Ledger:
    """How often a model was called and how often, by kind, its answer could not be used. Safe to share."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._calls = 0
        self._refused: Counter[str] = Counter()

    def called(self) -> None:
        """One more call."""
        with self._turn:
            self._calls += 1

    def refused(self, kind: str, count: int = 1) -> None:
        """An answer, or `count` items of one, could not be used."""
        with self._turn:
            self._refused[kind] += count
        _log.warning("a language model's answer was refused: %s (%d)", kind, count)

    @property
    def calls(self) -> int:
        """Calls so far."""
        with self._turn:
            return self._calls

    @property
    def kinds(self) -> dict[str, int]:
        """Refusals so far by kind."""
        with self._turn:
            return dict(self._refused)


class Change(NamedTuple):
    """The answer to the deltas prompt, and which prompt it was."""

    reply: DeltaReply
    prompt: Prompt


def deltas(model: LanguageModel, text: str, context: str | None, ledger: Ledger) -> Change:
    """What new information means for older memories. One call; raises ModelReplyError where it has no usable answer."""
    prompt = fill("deltas", evidence=as_data(_fields(text, context)))
    try:
        return Change(read_deltas(_ask(model, prompt.text, _DELTAS, ledger)), prompt)
    except ModelReplyError as error:
        ledger.refused(_kind(error))
        raise


def classify(
    model: LanguageModel, texts: Sequence[str], contexts: Sequence[str | None], ledger: Ledger
) -> list[Opinion | None]:
    """The model's opinion of each text, None where it gave none that can be used."""
    return _batched(model, "perishability", texts, contexts, _OPINIONS, read_opinions, ledger)


def annotate(
    model: LanguageModel, texts: Sequence[str], contexts: Sequence[str | None], ledger: Ledger
) -> list[str | None]:
    """When each text will be useful, in one sentence; None where the model gave none that can be used."""
    return _batched(model, "annotation", texts, contexts, _SENTENCES, read_sentences, ledger)


def _batched(
    model: LanguageModel,
    name: str,
    texts: Sequence[str],
    contexts: Sequence[str | None],
    schema: dict[str, Any],
    read: Callable[[object, int], list[T | None]],
    ledger: Ledger,
) -> list[T | None]:
    n = len(texts)
    if not n:
        return []
    calls = max(1, n // BATCH)
    edges = [n * i // calls for i in range(calls + 1)]

    def one(i: int) -> list[T | None]:
        rows = range(edges[i], edges[i + 1])
        lines = [as_data({"item": row - rows.start + 1, **_fields(texts[row], contexts[row])}) for row in rows]
        prompt = fill(name, items="\n".join(lines), count=str(len(rows)))
        try:
            answers = read(_ask(model, prompt.text, schema, ledger), len(rows))
        except ModelReplyError as error:
            ledger.refused(_kind(error))
            return [None] * len(rows)
        missing = sum(answer is None for answer in answers)
        if missing:
            ledger.refused("item", missing)
        return answers

    if calls == 1:
        return one(0)
    with ThreadPoolExecutor(min(WORKERS, calls), thread_name_prefix="scrubjay-model") as pool:
        return [answer for part in pool.map(one, range(calls)) for answer in part]


def _ask(model: LanguageModel, prompt: str, schema: dict[str, Any], ledger: Ledger) -> object:
    ledger.called()
    try:
        return model.complete(prompt, schema=schema, max_bytes=MAX_BYTES)
    except ModelReplyError:
        raise
    except Exception as error:  # noqa: BLE001  whatever a model does, the text is kept and the fallback decides
        raise RefusedError(f"failed_{type(error).__name__}") from None


def _kind(error: ModelReplyError) -> str:
    return error.kind if isinstance(error, RefusedError) else "no_reply"


def _fields(text: str, context: str | None) -> dict[str, Any]:
    return {"text": text} if context is None else {"text": text, "context": context}


def _range(bounds: tuple[float, float]) -> dict[str, Any]:
    return {"type": "number", "minimum": bounds[0], "maximum": bounds[1]}


def _form(title: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": title,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(title: str, properties: dict[str, Any]) -> dict[str, Any]:
    item = _form("item", {"item": {"type": "integer"}, **properties})
    return _form(title, {"items": {"type": "array", "items": item}})


_DELTAS: Final = _form(
    "deltas",
    {
        "delta_value": _range(VALUE_RANGE),
        "delta_pi": _range(PI_RANGE),
        "delta_tau": _range(TAU_RANGE),
        "summary": {"type": "string"},
    },
)
_OPINIONS: Final = _list(
    "perishability",
    {
        "label": {"type": "string", "enum": list(LABELS)},
        "pi": _range((MIN_PERISHABILITY, 1.0)),
        "tau_sec": _range((MIN_HORIZON, MAX_HORIZON)),
    },
)
_SENTENCES: Final = _list("annotation", {"sentence": {"type": "string"}})
