"""The calls that torch serves on CUDA only, each behind a function, so that tests can put tensors without a device through them."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

#: The widest head that flash attention computes; widths must be a multiple of 8 as well.
_WIDEST = 256
#: Ampere: what came before has neither flash attention nor bfloat16 in hardware.
_OLDEST = (8, 0)


def has_packed_attention(query: Tensor) -> bool:
    """Whether ``packed_attention`` serves a [T, heads, d] of this device, type and width."""
    width = query.shape[-1]
    return (
        query.is_cuda
        and query.dtype in (torch.bfloat16, torch.float16)
        and width % 8 == 0
        and width <= _WIDEST
        and _has_flash(query.device)
    )


@lru_cache
def _has_flash(device: torch.device) -> bool:
    return torch.backends.cuda.is_flash_attention_available() and torch.cuda.get_device_capability(device) >= _OLDEST


def packed_attention(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor, longest: int, scale: float) -> Tensor:
    """Causal attention within each of n sequences that lie end to end, the i-th from ``bounds[i]`` to ``bounds[i + 1]``.

    ``query`` [T, heads, d], ``key`` and ``value`` [T, kv heads, d], ``bounds`` [n + 1] int32 on their device; to [T, heads, d].
    """
    from torch.nn.attention.varlen import varlen_attn

    # the same object twice: one of torch's backends takes only that for causal
    return varlen_attn(  # type: ignore[return-value]
        query,
        key,
        value,
        bounds,
        bounds,
        longest,
        longest,
        scale=scale,
        window_size=(-1, 0),
        enable_gqa=query.shape[1] != key.shape[1],
    )


def wide_product(left: Tensor, right: Tensor) -> Tensor:
    """[n, k] by [k, m] of bfloat16 to float32 without rounding on the way."""
    return torch.mm(left, right, out_dtype=torch.float32)
