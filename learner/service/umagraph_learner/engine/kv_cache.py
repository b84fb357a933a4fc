"""Keys and values of the sequences being sampled: one row per sequence, the running ones always rows 0 to n − 1."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from .decoder import Packed
from .network import Network


class KvCache:
    """Per layer keys and values [rows, kv heads, length, d]. Grows in length as needed; rows are fixed."""

    def __init__(self, network: Network, rows: int, length: int, longest: int) -> None:
        self.rows = rows
        self._longest = longest
        self._network = network
        self._layers = network.config.num_hidden_layers
        self.length = 0
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []
        self.reserve(length)

    def reserve(self, length: int) -> None:
        """Room for ``length`` tokens in every row; doubles, up to the longest that will be asked for."""
        if length <= self.length:
            return
        old = self.length
        self.length = min(max(length, 2 * old, 64), max(self._longest, length))
        heads, width = kv_shape(self._network)
        for tensors in (self.keys, self.values):
            for layer in range(self._layers):
                grown = torch.zeros(
                    self.rows, heads, self.length, width, dtype=self._network.dtype, device=self._network.device
                )
                if old:
                    grown[:, :, :old] = tensors[layer]
                    tensors[layer] = grown
                else:
                    tensors.append(grown)

    def copy_row(self, source: int, to: Sequence[int], length: int) -> None:
        for tensor in (*self.keys, *self.values):
            for row in to:
                tensor[row, :, :length] = tensor[source, :, :length]


def kv_shape(network: Network) -> tuple[int, int]:
    """Key-value heads, and the width of each."""
    config = network.config
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return config.num_key_value_heads, width


class Prefill(Packed):
    """Whole prompts end to end; what they leave goes to their rows of the cache."""

    def __init__(self, lengths: list[int], rows: list[int], cache: KvCache) -> None:
        super().__init__(lengths)
        self._rows = rows
        self._cache = cache

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        at = 0
        for row, length in zip(self._rows, self.lengths, strict=True):
            self._cache.keys[layer][row, :, :length] = key[at : at + length].transpose(0, 1)
            self._cache.values[layer][row, :, :length] = value[at : at + length].transpose(0, 1)
            at += length
        return super().attend(layer, query, key, value, scale)


class Step:
    """One new token for each of the first rows. ``positions`` [n]: where it stands, so how many came before."""

    def __init__(self, positions: Tensor, longest: int, cache: KvCache) -> None:
        self._n = len(positions)
        self._cache = cache
        self._positions = positions
        self._longest = longest
        self._rows = torch.arange(self._n, device=positions.device)
        ahead = torch.arange(longest, device=positions.device)[None] > positions[:, None]
        blank = torch.zeros(ahead.shape, dtype=cache.keys[0].dtype, device=positions.device)
        self._mask = blank.masked_fill_(ahead, -torch.inf)[:, None, None]

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        keys, values = self._cache.keys[layer][: self._n], self._cache.values[layer][: self._n]
        keys[self._rows, :, self._positions] = key
        values[self._rows, :, self._positions] = value
        # the queries that share a key's head stand where a sequence's queries would
        grouped = query.unflatten(1, (keys.shape[1], -1))
        mixed = F.scaled_dot_product_attention(
            grouped, keys[:, :, : self._longest], values[:, :, : self._longest], attn_mask=self._mask, scale=scale
        )
        return mixed.flatten(1, 2)
