"""The element-wise parts of a Qwen3 or Llama layer with gradients written by hand: fewer passes over memory, less kept for backward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import FunctionCtx
from torch.nn import functional as F


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """x / √(mean x² + eps) · weight over the last dimension, in float32 inside."""
    if torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad):
        return _RmsNorm.apply(x, weight, eps)  # type: ignore[no-untyped-call, no-any-return]
    normed, _ = _normed(x, eps)
    return normed.to(x.dtype).mul_(weight)


def _normed(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    wide = x.float()
    root = torch.linalg.vector_norm(wide, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(eps).rsqrt_()
    return wide * root, root


class _RmsNorm(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        normed, root = _normed(x, eps)
        narrow = normed.to(x.dtype)
        ctx.save_for_backward(narrow, root, weight)
        return narrow * weight

    @staticmethod
    def backward(ctx: FunctionCtx, grad: Tensor) -> tuple[Tensor, Tensor | None, None]:  # type: ignore[override]
        normed, root, weight = ctx.saved_tensors  # type: ignore[attr-defined]
        by_weight = None
        if ctx.needs_input_grad[1]:  # type: ignore[attr-defined]
            by_weight = (grad * normed).reshape(-1, weight.shape[-1]).sum(0)
        scaled = (grad * weight).float()
        wide = normed.float()
        along = (scaled * wide).mean(-1, keepdim=True)
        return scaled.addcmul_(wide, along, value=-1).mul_(root).to(grad.dtype), by_weight, None


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding. ``x`` [T, heads, d]; ``cos`` and ``sin`` [T, 1, d / 2]; pairs are (i, i + d / 2)."""
    if torch.is_grad_enabled() and x.requires_grad:
        return _Rotate.apply(x, cos, sin)  # type: ignore[no-untyped-call, no-any-return]
    return _rotated(x, cos, sin, 1)


def _rotated(x: Tensor, cos: Tensor, sin: Tensor, direction: int) -> Tensor:
    half = x.shape[-1] // 2
    left, right = x[..., :half], x[..., half:]
    out = torch.empty_like(x)
    torch.mul(left, cos, out=out[..., :half]).addcmul_(right, sin, value=-direction)
    torch.mul(right, cos, out=out[..., half:]).addcmul_(left, sin, value=direction)
    return out


class _Rotate(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        ctx.save_for_backward(cos, sin)
        return _rotated(x, cos, sin, 1)

    @staticmethod
    def backward(ctx: FunctionCtx, grad: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        cos, sin = ctx.saved_tensors  # type: ignore[attr-defined]
        return _rotated(grad, cos, sin, -1), None, None


def silu_mul(gate: Tensor, up: Tensor) -> Tensor:
    """gate · sigmoid(gate) · up."""
    return F.silu(gate) * up


def rotate_both(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """``rotate`` for the queries and the keys of the same tokens."""
    return rotate(query, cos, sin), rotate(key, cos, sin)


@dataclass(frozen=True)
class Kernels:
    """Who computes the operations above. Others than these may write over what they are given, so nobody may need it afterwards."""

    rms_norm: Callable[[Tensor, Tensor, float], Tensor]
    silu_mul: Callable[[Tensor, Tensor], Tensor]
    rotate: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    #: Library and version.
    source: str
    #: Why these.
    reason: str


def torch_kernels(reason: str) -> Kernels:
    return Kernels(rms_norm, silu_mul, rotate_both, "torch", reason)
