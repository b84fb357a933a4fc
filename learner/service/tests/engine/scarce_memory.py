"""Memory that runs out at a chosen place, on any machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class ScarceMemory(TorchDispatchMode):
    """Of the tensors of at least ``size`` bytes that torch makes while this is entered, number ``spare`` cannot be had."""

    def __init__(self, spare: float, size: int = 1024) -> None:
        super().__init__()
        self.made = 0
        self._spare = spare
        self._size = size

    def __torch_dispatch__(
        self, func: Any, types: Sequence[Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        given = {_memory(tensor) for tensor in tree_leaves((args, kwargs)) if isinstance(tensor, Tensor)}
        for tensor in tree_leaves(out):
            if isinstance(tensor, Tensor) and tensor.nbytes >= self._size and _memory(tensor) not in given:
                if self.made >= self._spare:
                    raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {tensor.nbytes} bytes")
                self.made += 1
        return out


def _memory(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
