"""One new token for each of many sequences: the same layers as ``decoder``, arranged so that a step takes few, joined operations.

A small model's step is bound by the number of operations, not by arithmetic, so projections that read the same input are one
product, additions are part of the product before them, and queries and keys are normalised and rotated together. Adapters come
as block-diagonal factors. Weights are views of the network's where these lie side by side in memory, which ``join`` sees to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .lora import AdaptedLinear


class StepDecoder:
    """Reads a network's weights and what it wears at construction; build a new one when either changes."""

    def __init__(self, model: nn.Module) -> None:
        self._embed: nn.Module = model.embed_tokens  # type: ignore[assignment]
        self._rotary: nn.Module = model.rotary_emb  # type: ignore[assignment]
        self._layers = [_StepLayer(layer) for layer in model.layers]  # type: ignore[union-attr]
        self._norm = _Norm([model.norm])

    def __call__(self, ids: Tensor, positions: Tensor, cache: StepCache) -> Tensor:
        """``ids`` and ``positions`` [n] to states [n, width]; keys and values go to the cache."""
        x = self._embed(ids)
        cos, sin = (table[0, :, None] for table in self._rotary(x, positions[None]))
        # so that rotating is x · cos + swapped halves · signed
        half = sin.shape[-1] // 2
        signed = torch.cat((-sin[..., :half], sin[..., half:]), dim=-1)
        for index, layer in enumerate(self._layers):
            x = layer(x, cos, signed, cache, index)
        return self._norm(x)


class StepCache:
    """What a step needs of the cache: see ``kv_cache``."""

    def extend(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Stores ``key`` and ``value`` [n, kv heads, d]; returns all keys and values [n, kv heads, L, d] and a mask [n, 1, 1, L]."""
        raise NotImplementedError


class _StepLayer:
    def __init__(self, module: nn.Module) -> None:
        attn, mlp = module.self_attn, module.mlp
        self._width: int = attn.head_dim  # type: ignore[union-attr, assignment]
        self._scale: float = attn.scaling  # type: ignore[union-attr, assignment]
        query, key, value = attn.q_proj, attn.k_proj, attn.v_proj  # type: ignore[union-attr]
        self._queries = query.out_features // self._width  # type: ignore[union-attr, operator]
        self._keys = key.out_features // self._width  # type: ignore[union-attr, operator]
        self._qkv = _Product([query, key, value])  # type: ignore[list-item]
        self._out = _Product([attn.o_proj])  # type: ignore[union-attr, list-item]
        self._gate_up = _Product([mlp.gate_proj, mlp.up_proj])  # type: ignore[union-attr, list-item]
        self._down = _Product([mlp.down_proj])  # type: ignore[union-attr, list-item]
        self._act = mlp.act_fn  # type: ignore[union-attr]
        self._before, self._between = _Norm([module.input_layernorm]), _Norm([module.post_attention_layernorm])
        self._heads_norm: _Norm | None = None
        if hasattr(attn, "q_norm"):
            self._heads_norm = _Norm([attn.q_norm] * self._queries + [attn.k_norm] * self._keys)  # type: ignore[list-item]

    def __call__(self, x: Tensor, cos: Tensor, signed: Tensor, cache: StepCache, index: int) -> Tensor:
        n = len(x)
        heads = self._qkv(self._before(x)).view(n, -1, self._width)
        turning, value = heads[:, : self._queries + self._keys], heads[:, self._queries + self._keys :]
        if self._heads_norm is not None:
            turning = self._heads_norm(turning)
        swapped = turning.unflatten(2, (2, -1)).flip(2).flatten(2)
        turned = torch.addcmul(turning * cos, swapped, signed)
        keys, values, mask = cache.extend(index, turned[:, self._queries :], value)
        # the queries that share a key's head stand where a sequence's queries would
        query = turned[:, : self._queries].unflatten(1, (self._keys, -1))
        mixed = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask, scale=self._scale)
        x = self._out.added(x, mixed.reshape(n, -1))
        gate, up = self._gate_up(self._between(x)).chunk(2, dim=-1)
        return self._down.added(x, self._act(gate).mul_(up))


class _Norm:
    """x / √(mean x² + eps) · weight, as x · (weight √d) / hypot(|x|, √(d eps)). Several norms apply to one head each."""

    def __init__(self, norms: Sequence[nn.Module]) -> None:
        weights = torch.stack([norm.weight.detach().float() for norm in norms])  # type: ignore[operator]
        width, eps = weights.shape[-1], float(norms[0].variance_epsilon)  # type: ignore[arg-type]
        self._weight = (weights if len(norms) > 1 else weights[0]) * math.sqrt(width)
        self._floor = torch.tensor(math.sqrt(width * eps), device=weights.device)

    def __call__(self, x: Tensor) -> Tensor:
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
        return (x / length.hypot_(self._floor)).mul_(self._weight).to(x.dtype)


class _Product:
    """Linear layers that read the same input, as one, with what they wear."""

    def __init__(self, layers: Sequence[AdaptedLinear]) -> None:
        weights = [layer.weight.detach() for layer in layers]
        beside = beside_each_other(weights)
        self._weight = (torch.cat(weights) if beside is None else beside).T
        biases = [layer.bias for layer in layers]
        self._bias: Tensor | None = None
        if any(bias is not None for bias in biases):
            self._bias = torch.cat(
                [
                    weight.new_zeros(len(weight)) if bias is None else bias.detach()
                    for weight, bias in zip(weights, biases, strict=True)
                ]
            )
        worn = [layer.factors for layer in layers]
        self._down: Tensor | None = None
        if any(factors is not None for factors in worn):
            down, up = [], []
            for weight, factors in zip(weights, worn, strict=True):
                down.append(
                    weight.new_zeros(0, weight.shape[1]) if factors is None else factors.a.detach().to(weight.dtype)
                )
                up.append(
                    weight.new_zeros(len(weight), 0)
                    if factors is None
                    else (factors.b.detach() * factors.scale).to(weight.dtype)
                )
            self._down, self._up = torch.cat(down).T, torch.block_diag(*up).T

    def __call__(self, x: Tensor) -> Tensor:
        y = torch.mm(x, self._weight) if self._bias is None else torch.addmm(self._bias, x, self._weight)
        return y if self._down is None else y.addmm_(x @ self._down, self._up)

    def added(self, to: Tensor, x: Tensor) -> Tensor:
        y = torch.addmm(to, x, self._weight)
        if self._bias is not None:
            y.add_(self._bias)
        return y if self._down is None else y.addmm_(x @ self._down, self._up)


def beside_each_other(weights: Sequence[Tensor]) -> Tensor | None:
    """One view of matrices that follow each other in memory; None when they do not."""
    first = weights[0]
    at = first.storage_offset()
    for weight in weights:
        same = weight.untyped_storage().data_ptr() == first.untyped_storage().data_ptr()
        if not (
            same and weight.storage_offset() == at and weight.is_contiguous() and weight.shape[1:] == first.shape[1:]
        ):
            return None
        at += weight.numel()
    return first.as_strided((sum(len(weight) for weight in weights), *first.shape[1:]), first.stride())


@torch.no_grad()
def join(model: nn.Module) -> None:
    """Moves the weights that a step joins side by side. Their values, names and shapes stay."""
    for layer in model.layers:  # type: ignore[union-attr]
        attn, mlp = layer.self_attn, layer.mlp
        for group in ((attn.q_proj, attn.k_proj, attn.v_proj), (mlp.gate_proj, mlp.up_proj)):
            whole = torch.cat([member.weight for member in group])
            for member, part in zip(group, whole.split([len(member.weight) for member in group]), strict=True):
                member.weight.data = part
