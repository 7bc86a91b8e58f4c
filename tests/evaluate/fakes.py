"""Small stand-ins at the protocols' seams."""

import hashlib
import re

import numpy as np


class HashEmbedder:
    """A bag of hashed words: texts that share words are near; counts what it was asked."""

    def __init__(self, dim=64, name="hashed-words"):
        self.name, self.dim = name, dim
        self.calls: list[list[str]] = []

    def embed(self, texts):
        self.calls.append(list(texts))
        out = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
                out[row, digest[0] % self.dim] += 1 if digest[1] % 2 else -1
        return out


class ScriptedModel:
    """Replies from a function of the prompt."""

    name = "scripted"

    def __init__(self, reply):
        self._reply = reply
        self.prompts: list[str] = []

    def complete(self, prompt, *, schema=None, max_bytes=65536):
        self.prompts.append(prompt)
        return self._reply(prompt)
