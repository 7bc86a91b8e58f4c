"""The model that the environment configures, for the baselines, the judge and the rewriting that need one.

SCRUBJAY_LLM_MODEL names it; without that there is none. SCRUBJAY_LLM_BASE_URL is any OpenAI-compatible endpoint (the
client's default without it), SCRUBJAY_LLM_API_KEY its key (else OPENAI_API_KEY; a local server needs none).
"""

from __future__ import annotations

import os
from typing import Any

from scrubjay.errors import MissingExtraError, ModelReplyError
from scrubjay.protocols import LanguageModel


class ChatModel:
    """A `LanguageModel` over the chat completions of an OpenAI-compatible endpoint (extra [llm])."""

    def __init__(
        self, name: str, *, base_url: str | None = None, key: str | None = None, timeout: float = 120.0
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("A language model", "llm") from error
        self.name = name
        self._failures = openai.OpenAIError
        self._client: Any = openai.OpenAI(base_url=base_url, api_key=key or "none", timeout=timeout, max_retries=3)

    def complete(self, prompt: str, *, schema: dict[str, Any] | None = None, max_bytes: int = 65536) -> str:
        """The reply's text at temperature 0. Raises ModelReplyError for a failed call or an empty or too long reply."""
        options: dict[str, Any] = {}
        if schema is not None:
            options["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        try:
            reply = self._client.chat.completions.create(
                model=self.name, messages=[{"role": "user", "content": prompt}], temperature=0, **options
            )
        except self._failures as error:
            raise ModelReplyError(f"{self.name}: the call failed ({type(error).__name__})") from error
        text = (reply.choices[0].message.content or "") if reply.choices else ""
        if not text.strip() or len(text.encode()) > max_bytes:
            raise ModelReplyError(f"{self.name}: a reply of {len(text.encode())} bytes; 1 to {max_bytes} are accepted")
        return text


def configured_model() -> LanguageModel | None:
    """The environment's model, or None."""
    name = os.environ.get("SCRUBJAY_LLM_MODEL")
    if not name:
        return None
    key = os.environ.get("SCRUBJAY_LLM_API_KEY") or os.environ.get("OPENAI_API_KEY")
    return ChatModel(name, base_url=os.environ.get("SCRUBJAY_LLM_BASE_URL") or None, key=key)
