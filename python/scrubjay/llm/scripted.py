"""A model that says what it was told to say: for tests, demos and simulations."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from scrubjay.errors import ArgumentTypeError, ModelReplyError

Script: TypeAlias = "str | Exception | Callable[[str], str]"
"""A reply, an error to raise, or a function of the prompt."""


class ScriptedModel:
    """Fits `scrubjay.protocols.LanguageModel`; safe to share between threads, and keeps every prompt in `prompts`.

    The script is one reply for all prompts, a sequence that is used up in order, or a mapping from the name of what is
    asked ("perishability", "deltas", "annotation") to a reply. A prompt without a reply raises ModelReplyError.

    >>> model = ScriptedModel(["first", "second"])
    >>> model.complete("a"), model.complete("b"), model.prompts
    ('first', 'second', ['a', 'b'])
    >>> model.complete("c")
    Traceback (most recent call last):
        ...
    scrubjay.errors.ModelReplyError: scripted: no reply is left
    """

    def __init__(self, script: Script | Iterable[Script] | Mapping[str, Script], *, name: str = "scripted") -> None:
        self.name = name
        self.prompts: list[str] = []
        self._turn = threading.Lock()
        self._always: Script | None = None
        self._by_task: dict[str, Script] = {}
        self._queue: list[Script] = []
        if isinstance(script, (str, Exception)) or callable(script):
            self._always = script
        elif isinstance(script, Mapping):
            self._by_task = dict(script)
        elif isinstance(script, Iterable):
            self._queue = list(script)
        else:
            raise ArgumentTypeError(f"script: expected replies, got {type(script).__name__}")

    def complete(self, prompt: str, *, schema: dict[str, Any] | None = None, max_bytes: int = 65536) -> str:  # noqa: ARG002
        """The next reply of the script."""
        with self._turn:
            self.prompts.append(prompt)
            reply: Script | None = self._always
            if reply is None:
                reply = self._by_task.get(str((schema or {}).get("title")))
            if reply is None and self._queue:
                reply = self._queue.pop(0)
        if reply is None:
            raise ModelReplyError(f"{self.name}: no reply is left")
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else reply(prompt)

    def __repr__(self) -> str:
        return f"<ScriptedModel {self.name!r} prompts={len(self.prompts)}>"
