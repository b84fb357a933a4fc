"""The layers of a Qwen3- or Llama-like model over rows of tokens that belong to many sequences.

It computes with the modules of the Hugging Face model, which keeps the parameters, but in an order of its own: no padding,
no masks, no cache object, and fewer passes over memory. ``network`` compares the two when a model is loaded.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from transformers.activations import SiLUActivation

from ..contract import UserError
from .cuda import has_packed_attention, packed_attention
from .ops import Kernels

_ATTENTION = {"q_proj", "k_proj", "v_proj", "o_proj"}
_NORMS = {"q_norm", "k_norm"}
_LAYER = {"self_attn", "mlp", "input_layernorm", "post_attention_layernorm"}
_MLP = {"gate_proj", "up_proj", "down_proj", "act_fn"}
_MODEL = {"embed_tokens", "layers", "norm", "rotary_emb"}
#: Rotary embeddings whose angles depend on nothing but the position.
_ROTARY = {"default", "linear", "llama3", "yarn"}


class Attention(Protocol):
    """Says which keys a query sees."""

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        """``query`` [T, heads, d], ``key`` and ``value`` [T, kv heads, d], to [T, heads, d]."""
        ...


class Decoder:
    def __init__(self, model: nn.Module, kernels: Kernels) -> None:
        _check(model)
        self._kernels = kernels
        self._embed: nn.Module = model.embed_tokens  # type: ignore[assignment]
        self._rotary: nn.Module = model.rotary_emb  # type: ignore[assignment]
        self._norm: nn.Module = model.norm  # type: ignore[assignment]
        self._layers = [_Layer(layer, index, kernels) for index, layer in enumerate(model.layers)]  # type: ignore[arg-type]

    def __call__(self, ids: Tensor, positions: Tensor, attention: Attention, *, recompute: bool = False) -> Tensor:
        """``ids`` and ``positions`` [T] int64 to states [T, width]. ``recompute`` keeps only the layers' inputs for backward."""
        x = self._embed(ids)
        cos, sin = (
            table[0, :, None, : table.shape[-1] // 2].contiguous() for table in self._rotary(x, positions[None])
        )
        for layer in self._layers:
            if recompute and torch.is_grad_enabled():
                # nothing is random here
                x = checkpoint(layer, x, cos, sin, attention, use_reentrant=False, preserve_rng_state=False)
            else:
                x = layer(x, cos, sin, attention)
        return _normalised(x, self._norm, self._kernels)


class _Layer:
    def __init__(self, module: nn.Module, index: int, kernels: Kernels) -> None:
        self._index = index
        self._kernels = kernels
        self._before, self._between = module.input_layernorm, module.post_attention_layernorm
        attn, mlp = module.self_attn, module.mlp
        self._q, self._k, self._v, self._o = attn.q_proj, attn.k_proj, attn.v_proj, attn.o_proj  # type: ignore[union-attr]
        self._q_norm, self._k_norm = (getattr(attn, name, None) for name in ("q_norm", "k_norm"))
        self._width: int = attn.head_dim  # type: ignore[union-attr, assignment]
        self._scale: float = attn.scaling  # type: ignore[union-attr, assignment]
        self._gate, self._up, self._down, self._act = mlp.gate_proj, mlp.up_proj, mlp.down_proj, mlp.act_fn  # type: ignore[union-attr]
        self._is_silu = isinstance(self._act, (nn.SiLU, SiLUActivation))

    def __call__(self, x: Tensor, cos: Tensor, sin: Tensor, attention: Attention) -> Tensor:
        kernels = self._kernels
        inner = _normalised(x, self._before, kernels)
        query, key, value = (project(inner).unflatten(-1, (-1, self._width)) for project in (self._q, self._k, self._v))
        if self._q_norm is not None:
            query, key = _normalised(query, self._q_norm, kernels), _normalised(key, self._k_norm, kernels)
        query, key = kernels.rotate(query, key, cos, sin)
        x = x + self._o(attention.attend(self._index, query, key, value, self._scale).flatten(1))
        inner = _normalised(x, self._between, kernels)
        gate, up = self._gate(inner), self._up(inner)
        return x + self._down(kernels.silu_mul(gate, up) if self._is_silu else self._act(gate) * up)


def _normalised(x: Tensor, norm: nn.Module, kernels: Kernels) -> Tensor:
    return kernels.rms_norm(x, norm.weight, norm.variance_epsilon)  # type: ignore[arg-type]


class Packed:
    """Whole sequences end to end, each attending causally to itself only."""

    def __init__(self, lengths: list[int]) -> None:
        self.lengths = lengths
        self._bounds: Tensor | None = None

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        if has_packed_attention(query):
            return packed_attention(query, key, value, self._bounds_on(query.device), max(self.lengths), scale)
        groups = query.shape[1] // key.shape[1]
        if groups > 1:
            key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
        # split, not slices: its backward is one concatenation, that of n slices fills n times T zeros
        parts = zip(*(x.transpose(0, 1)[None].split(self.lengths, dim=2) for x in (query, key, value)), strict=True)
        done = [
            F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)[0].transpose(0, 1) for q, k, v in parts
        ]
        return done[0] if len(done) == 1 else torch.cat(done)

    def _bounds_on(self, device: torch.device) -> Tensor:
        if self._bounds is None:
            self._bounds = torch.tensor([0, *self.lengths]).cumsum(0).to(device, torch.int32)
        return self._bounds


def _check(model: nn.Module) -> None:
    config = model.config
    rope = (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default")  # type: ignore[union-attr]
    layers = list(getattr(model, "layers", ()))
    sliding = set(getattr(config, "layer_types", None) or ()) - {"full_attention"}
    odd: str | None = None
    if _names(model) != _MODEL or not layers:
        odd = f"its parts are {', '.join(sorted(_names(model)))}"
    elif any(_names(layer) != _LAYER or _names(layer.mlp) != _MLP for layer in layers):
        odd = f"a layer's parts are {', '.join(sorted(_names(layers[0]) | _names(layers[0].mlp)))}"
    elif any(_names(layer.self_attn) - _NORMS != _ATTENTION for layer in layers):
        odd = f"its attention's parts are {', '.join(sorted(_names(layers[0].self_attn)))}"
    elif sliding or (getattr(config, "sliding_window", None) and not hasattr(config, "layer_types")):
        odd = "it attends within a window"
    elif rope not in _ROTARY:
        odd = f"its rotary embedding is of type {rope}"
    if odd is not None:
        raise UserError(f"expected a Qwen3- or Llama-like model with full attention, got {config.model_type}: {odd}")  # type: ignore[union-attr]


def _names(module: nn.Module) -> set[str]:
    return {name for name, _ in module.named_children()}
