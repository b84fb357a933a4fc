"""Keys and values of the sequences being sampled: one row per sequence, the running ones always rows 0 to n − 1."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .decoder import Packed
from .network import Network
from .step_decoder import StepCache


class KvCache(StepCache):
    """Per layer keys and values [rows, length, kv heads, d]. Grows in length as needed; rows are fixed."""

    def __init__(self, network: Network, rows: int, length: int, longest: int) -> None:
        self.rows = rows
        self.length = 0
        self._longest = longest
        heads, width = kv_shape(network)
        self._device = network.device
        empty = torch.empty(rows, 0, heads, width, dtype=network.dtype, device=network.device)
        self._keys = [empty] * network.config.num_hidden_layers
        self._values = [empty] * network.config.num_hidden_layers
        self._mask = empty
        self._places = torch.empty(0, dtype=torch.int64, device=network.device)
        self._seen = 0
        self.reserve(length)

    def reserve(self, length: int) -> None:
        """Room for ``length`` tokens in every row; doubles, up to the longest that will be asked for."""
        if length <= self.length:
            return
        old = self.length
        self.length = max(length, min(max(2 * old, 64), self._longest))
        for tensors in (self._keys, self._values):
            for layer, tensor in enumerate(tensors):
                grown = tensor.new_zeros(self.rows, self.length, *tensor.shape[2:])
                grown[:, :old] = tensor
                tensors[layer] = grown

    def store(self, layer: int, row: int, key: Tensor, value: Tensor) -> None:
        """``key`` and ``value`` [n, kv heads, d] are a row's first n."""
        self._keys[layer][row, : len(key)] = key
        self._values[layer][row, : len(value)] = value

    def copy_row(self, source: int, to: Sequence[int], length: int) -> None:
        for tensor in (*self._keys, *self._values):
            for row in to:
                tensor[row, :length] = tensor[source, :length]

    def step_to(self, positions: Tensor, longest: int) -> None:
        """The next tokens of the first n rows stand at ``positions`` [n]; the farthest of them at ``longest`` − 1."""
        self._seen = longest
        rows = torch.arange(len(positions), device=self._device)
        self._places = rows * self.length + positions
        ahead = torch.arange(longest, device=self._device) > positions[:, None]
        blank = torch.zeros(ahead.shape, dtype=self._keys[0].dtype, device=self._device)
        self._mask = blank.masked_fill_(ahead, -torch.inf)[:, None, None]

    def extend(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n = len(key)
        self._keys[layer].flatten(0, 1).index_copy_(0, self._places, key)
        self._values[layer].flatten(0, 1).index_copy_(0, self._places, value)
        keys, values = (tensors[layer][:n, : self._seen].transpose(1, 2) for tensors in (self._keys, self._values))
        return keys, values, self._mask


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
        parts = zip(self._rows, key.split(self.lengths), value.split(self.lengths), strict=True)
        for row, its_key, its_value in parts:
            self._cache.store(layer, row, its_key, its_value)
        return super().attend(layer, query, key, value, scale)
