"""Language models, for the few places that may use one: perishability, integration, annotation. Search never does.

A model is anything that fits `scrubjay.protocols.LanguageModel`. `ChatModel` speaks to an OpenAI-compatible endpoint
(extra [llm]):

    store = scrubjay.open("notes", model=ChatModel("gpt-4.1-mini"))
    store = scrubjay.open("notes", model=ChatModel("qwen3:8b", base_url="http://localhost:11434/v1"))   # Ollama
    store = scrubjay.open("notes", model=ChatModel("Qwen/Qwen3-8B", base_url="http://localhost:8000/v1"))   # vLLM

What a model says is untrusted: a reply is bounded, typed, finite and clipped before it is used (`replies`), and where
it is refused the deterministic rule decides and the memory says so.
"""

from scrubjay.llm.client import ChatModel, configured_model
from scrubjay.llm.scripted import ScriptedModel

__all__ = ["ChatModel", "ScriptedModel", "configured_model"]
