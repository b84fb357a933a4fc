"""Causal attention over sequences laid end to end without padding, plugged into transformers' attention interface.

The model's other layers see one row of T tokens; only attention has to know where a sequence ends. Which keys a query
sees is decided by the plan that the caller hands to the model as the keyword ``plan``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AttentionInterface

NAME = "umagraph_ragged"


class AttentionPlan(Protocol):
    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        """``query`` [1, heads, T, d], ``key`` and ``value`` [1, kv heads, T, d], to [1, T, heads, d]."""
        ...


def _ragged_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    *,
    plan: AttentionPlan,
    **_: object,
) -> tuple[Tensor, None]:
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    return plan.attend(int(module.layer_idx), query, key, value, scale), None  # type: ignore[arg-type]


AttentionInterface.register(NAME, _ragged_attention)


class Packed:
    """Whole sequences end to end, each attending to itself only."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = list(lengths)
        self._bounds: Tensor | None = None

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        if query.is_cuda and query.dtype in (torch.bfloat16, torch.float16):
            return self._varlen(query, key, value, scale)
        groups = query.shape[1] // key.shape[1]
        if groups > 1:
            key = key.repeat_interleave(groups, dim=1)
            value = value.repeat_interleave(groups, dim=1)
        if len(self.lengths) == 1:
            return _causal(query, key, value, scale).transpose(1, 2)
        # split, not slices: its backward is one concatenation, that of n slices fills n times T zeros
        parts = zip(
            query.split(self.lengths, dim=2), key.split(self.lengths, dim=2), value.split(self.lengths, dim=2), strict=True
        )
        return torch.cat([_causal(q, k, v, scale) for q, k, v in parts], dim=2).transpose(1, 2)

    def _varlen(self, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        from torch.nn.attention.varlen import varlen_attn

        if self._bounds is None:
            bounds = torch.tensor([0, *self.lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)
            self._bounds = bounds.to(query.device, non_blocking=True)
        longest = max(self.lengths)
        q, k, v = (x[0].transpose(0, 1).contiguous() for x in (query, key, value))
        out = varlen_attn(
            q,
            k,
            v,
            self._bounds,
            self._bounds,
            longest,
            longest,
            scale=scale,
            window_size=(-1, 0),
            enable_gqa=q.shape[1] != k.shape[1],
        )
        return out[None]


def _causal(query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, is_causal=True, scale=scale)
