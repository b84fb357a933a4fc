"""What the engine uses of liger-kernel 0.8.5, in plain torch: the same places, signatures, layouts and in-place habits.

The habits are the point: the real kernels write over tensors that they are given, and a caller that still needs one gets
wrong gradients on a GPU only. Here it gets them on any machine.
"""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

#: How often each class ran, by ``<name>.forward`` and ``<name>.backward``.
CALLS: Counter[str] = Counter()


class LigerRMSNormFunction(Function):
    @staticmethod
    def forward(
        ctx: Any,
        X: Tensor,
        W: Tensor,
        eps: float,
        offset: float = 0.0,
        casting_mode: str = "llama",
        in_place: bool = True,
        row_mode: bool | None = None,
    ) -> Tensor:
        CALLS["rms_norm.forward"] += 1
        assert casting_mode == "llama" and X.shape[-1:] == W.shape
        X = X.contiguous()
        rows = X.view(-1, X.shape[-1])
        root = rows.float().square().mean(-1, keepdim=True).add(eps).rsqrt()
        ctx.in_place, ctx.offset = in_place, offset
        ctx.save_for_backward(rows, W, root)
        return ((rows.float() * root).to(X.dtype) * (offset + W)).to(X.dtype).view(X.shape)

    @staticmethod
    def backward(ctx: Any, dY: Tensor) -> tuple[Tensor | None, ...]:
        CALLS["rms_norm.backward"] += 1
        X, W, root = ctx.saved_tensors
        dY = dY.contiguous()
        rows = dY.view(-1, dY.shape[-1])
        x = X.float()
        m = (rows * (W.float() + ctx.offset)).float()
        dW = (rows * (x * root).to(X.dtype)).float().sum(0).to(W.dtype) if ctx.needs_input_grad[1] else None
        dX = root * m - root**3 * (m * x).mean(-1, keepdim=True) * x
        into = rows if ctx.in_place else torch.zeros_like(rows)
        into.copy_(dX)
        return into.view(dY.shape), dW, None, None, None, None, None


class LigerSiLUMulFunction(Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, gate_multiplier: float = 1.0, down_multiplier: float = 1.0) -> Tensor:
        CALLS["silu_mul.forward"] += 1
        assert gate_multiplier == down_multiplier == 1.0 and a.shape == b.shape
        a, b = a.contiguous(), b.contiguous()
        ctx.save_for_backward(a, b)
        wide = a.float()
        return (wide * wide.sigmoid()).to(b.dtype) * b

    @staticmethod
    def backward(ctx: Any, dc: Tensor) -> tuple[Tensor | None, ...]:
        CALLS["silu_mul.backward"] += 1
        a, b = ctx.saved_tensors
        wide = a.float()
        gate = wide.sigmoid()
        da, db = dc * (wide * gate * (1 - gate) + gate) * b, dc * wide * gate
        return a.copy_(da).view(dc.shape), b.copy_(db).view(dc.shape), None, None


class LigerRopeFunction(Function):
    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        cos: Tensor,
        sin: Tensor,
        position_ids: Tensor | None = None,
        unsqueeze_dim: int = 1,
        rotary_dim: int | None = None,
    ) -> tuple[Tensor, Tensor]:
        CALLS["rotate.forward"] += 1
        assert q.dim() == k.dim() == 4 and cos.dim() in (2, 3)
        cos, sin = (table[None] if table.dim() == 2 else table for table in (cos, sin))
        rotary_dim = min(cos.shape[-1], q.shape[-1]) if rotary_dim is None else rotary_dim
        assert cos.shape[:2] == (q.shape[0], q.shape[2]) and cos.shape[-1] >= rotary_dim // 2
        ctx.rotary_dim = rotary_dim
        ctx.save_for_backward(cos, sin)
        return _turn(q, cos, sin, rotary_dim), _turn(k, cos, sin, rotary_dim)

    @staticmethod
    def backward(ctx: Any, dq: Tensor, dk: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        CALLS["rotate.backward"] += 1
        cos, sin = ctx.saved_tensors
        turned = (_turn(d, cos, -sin, ctx.rotary_dim) for d in (dq, dk))
        return *turned, None, None, None, None, None


def _turn(x: Tensor, cos: Tensor, sin: Tensor, rotary_dim: int) -> Tensor:
    """``x`` [1, heads, T, d], in place where [1, T, heads, d] is how it lies in memory."""
    lying = x.transpose(1, 2).contiguous()
    half = rotary_dim // 2
    c, s = cos[:, :, None, :half], sin[:, :, None, :half]
    left, right = lying[..., :half].clone(), lying[..., half:rotary_dim].clone()
    lying[..., :half] = left * c - right * s
    lying[..., half:rotary_dim] = right * c + left * s
    return lying.transpose(1, 2)


def modules() -> dict[str, ModuleType]:
    """To be put into ``sys.modules``."""
    places = {"rms_norm": LigerRMSNormFunction, "swiglu": LigerSiLUMulFunction, "rope": LigerRopeFunction}
    made = {"liger_kernel": ModuleType("liger_kernel"), "liger_kernel.ops": ModuleType("liger_kernel.ops")}
    for place, function in places.items():
        module = ModuleType(f"liger_kernel.ops.{place}")
        setattr(module, function.__name__, function)
        made[module.__name__] = module
    return made
