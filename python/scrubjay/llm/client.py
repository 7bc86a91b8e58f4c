"""A client for OpenAI-compatible endpoints, by the openai package. Extra: [llm].

The key comes from the environment alone: SCRUBJAY_LLM_API_KEY, or OPENAI_API_KEY where the endpoint is OpenAI's own, so
that a key is never sent to a server it was not made for. It is in no repr, log or error of ours.

What a server sends is bounded: bytes and seconds of a whole reply, no redirect is followed, no compressed body is
read. A server that is busy (429, 5xx) is asked again, after as long as its Retry-After says; one that asks for more
than `PATIENCE` seconds counts as failed at once.
"""

from __future__ import annotations

import os
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from scrubjay.errors import ArgumentError, MissingExtraError, ModelReplyError, shown

PATIENCE: Final = 60.0
"""Longest Retry-After that is waited for, in seconds (chosen)."""
MIN_BODY: Final = 1 << 20
"""Bytes that a reply with its envelope may always have (chosen)."""
_ERROR_BYTES: Final = 65536
_ERROR_TIME: Final = 5.0


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class ChatModel:
    """Fits `scrubjay.protocols.LanguageModel` over chat completions at temperature 0; safe to share between threads.

    Args:
        name: the model's name at the endpoint.
        base_url: the endpoint up to its version, as "http://localhost:11434/v1"; None: OpenAI's.
        timeout: seconds for one whole reply.
        retries: how often a busy or unreachable server is asked again.

    Raises:
        MissingExtraError: the openai package is not installed.

    Example:
        model = ChatModel("qwen3:8b", base_url="http://localhost:11434/v1")
        store = scrubjay.open("notes", model=model)
    """

    def __init__(self, name: str, *, base_url: str | None = None, timeout: float = 60.0, retries: int = 4) -> None:
        if not name:
            raise ArgumentError("name: empty; give the model's name at the endpoint")
        if not 0 < timeout < float("inf"):
            raise ArgumentError(f"timeout = {shown(timeout)}: expected seconds above 0")
        if base_url is not None and urlsplit(base_url).scheme not in ("http", "https"):
            raise ArgumentError("base_url: expected an http or https address")
        if find_spec("openai") is None:
            raise MissingExtraError("A language model", "llm")
        self.name = name
        self._base_url = base_url
        self._timeout = float(timeout)
        self._retries = retries
        self._held: tuple[int, Any] | None = None
        self._plainness = 0

    def complete(self, prompt: str, *, schema: dict[str, Any] | None = None, max_bytes: int = 65536) -> str:
        """The reply's text.

        A server that does not know response formats, or a temperature, is asked without them from then on. Raises
        ModelReplyError for a failed call, and for an empty or too long reply; the message holds no part of either.
        """
        openai: Any = import_module("openai")
        forms = [(schema, True), (None, True), (None, False)]
        first = self._plainness if schema is not None else max(self._plainness, 1)
        for plainness in range(first, len(forms)):
            try:
                text = self._call(prompt, *forms[plainness], max_bytes)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if plainness == len(forms) - 1:
                    raise self._failed(error) from None
                continue
            except openai.OpenAIError as error:
                raise self._failed(error) from None
            if plainness > first:
                self._plainness = plainness
            return text
        raise ModelReplyError(f"{self.name}: the call failed")

    def _call(self, prompt: str, schema: dict[str, Any] | None, temperature: bool, max_bytes: int) -> str:
        options: dict[str, Any] = {"temperature": 0} if temperature else {}
        if schema is not None:
            form = {"name": "reply", "schema": schema}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        limit = max(MIN_BODY, 8 * max_bytes)
        with self._client().chat.completions.with_streaming_response.create(
            model=self.name, messages=[{"role": "user", "content": prompt}], **options
        ) as response:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise ModelReplyError(f"{self.name}: the reply is compressed; that was not asked for")
            body = bytearray()
            until = time.monotonic() + self._timeout
            try:
                for part in response.iter_bytes():
                    body += part
                    if len(body) > limit:
                        raise ModelReplyError(f"{self.name}: a reply of over {limit:,} bytes")
                    if time.monotonic() > until:
                        raise ModelReplyError(f"{self.name}: the reply took longer than {self._timeout:g} s")
            except ModelReplyError:
                raise
            except Exception as error:  # noqa: BLE001  what breaks off a body is of the HTTP library's own tree
                raise ModelReplyError(f"{self.name}: the reply broke off ({type(error).__name__})") from None
        try:
            choices = msgspec.json.decode(bytes(body), type=_Completion).choices
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise ModelReplyError(f"{self.name}: the reply is no chat completion") from None
        text = (choices[0].message.content or "") if choices else ""
        if not text.strip() or len(text.encode("utf-8", "surrogatepass")) > max_bytes:
            raise ModelReplyError(f"{self.name}: an empty reply, or one of over {max_bytes:,} bytes")
        return text

    def _client(self) -> Any:
        # a connection must not be shared with the parent of a fork
        held = self._held
        if held is None or held[0] != os.getpid():
            openai: Any = import_module("openai")
            http = openai.DefaultHttpxClient(
                timeout=self._timeout, follow_redirects=False, event_hooks={"response": [_bounded]}
            )
            client = openai.OpenAI(
                base_url=self._base_url,
                api_key=_key(self._base_url) or "none",
                timeout=self._timeout,
                max_retries=self._retries,
                http_client=http,
                default_headers={"Accept-Encoding": "identity"},
            )
            self._held = held = (os.getpid(), client)
        return held[1]

    def _failed(self, error: Exception) -> ModelReplyError:
        status = getattr(error, "status_code", None)
        return ModelReplyError(f"{self.name}: the call failed ({type(error).__name__}{f' {status}' if status else ''})")

    def __repr__(self) -> str:
        where = "" if self._base_url is None else f" at {urlsplit(self._base_url).hostname}"
        return f"<ChatModel {self.name!r}{where}>"

    def __reduce__(self) -> Any:
        raise TypeError("a ChatModel cannot be pickled: make it again where it is needed")


def _bounded(response: Any) -> None:
    """Runs before a body is read: an error's body ends early, and an impatient Retry-After is not slept through."""
    if response.status_code < 300:
        return
    try:
        if float(response.headers.get("retry-after", "0")) > PATIENCE:
            response.headers["x-should-retry"] = "false"
    except ValueError:
        pass
    response.stream = _ended(response.stream)


def _ended(stream: Any) -> Any:
    """The stream, ended after `_ERROR_BYTES` or `_ERROR_TIME` seconds; of the stream class of its own library."""
    base = next(c for c in type(stream).__mro__ if c.__name__ == "SyncByteStream")

    class Ended(base):  # type: ignore[misc, valid-type]
        def __iter__(self) -> Any:
            size, until = 0, time.monotonic() + _ERROR_TIME
            for part in stream:
                size += len(part)
                yield part
                if size > _ERROR_BYTES or time.monotonic() > until:
                    return

        def close(self) -> None:
            stream.close()

    return Ended()


def _key(base_url: str | None) -> str | None:
    own = os.environ.get("SCRUBJAY_LLM_API_KEY")
    at_openai = base_url is None or urlsplit(base_url).hostname == "api.openai.com"
    return own or (os.environ.get("OPENAI_API_KEY") if at_openai else None)


def configured_model() -> ChatModel | None:
    """The model that the environment names, or None: SCRUBJAY_LLM_MODEL at SCRUBJAY_LLM_BASE_URL."""
    name = os.environ.get("SCRUBJAY_LLM_MODEL")
    return None if not name else ChatModel(name, base_url=os.environ.get("SCRUBJAY_LLM_BASE_URL") or None)
