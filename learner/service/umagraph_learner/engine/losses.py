"""The protocol's losses, each a sum over tokens: the value per token and its slope by that token's log-probability.

With ℓ = log π(target), q the tensor ``logprobs``, ρ = e^(ℓ − q), A the tensor ``advantages``:

    cross_entropy        −w ℓ
    importance_sampling  −ρ A
    ppo                  −min(ρ A, clamp(ρ, low, high) A)      + kl_beta · kl_weights · k
    cispo                −sg[clamp(ρ, low, high)] ℓ A
    dro                  −(ℓ A − ½ beta (ℓ − q)²)

Thresholds are ratios, not distances from 1. The term in k, with Δ = ℓ − ref_logprobs, is an extension: kl_kind 1 is Δ,
2 is ½Δ², 3 is e^(−Δ) + Δ − 1, 4 is ρ times that; 0 leaves it out. A token whose factors are 0 adds exactly nothing, also
where ρ or k is not finite.

All tensors are float64 [n]: there are few of them, and ratios of small numbers are what this is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

Tensors = Mapping[str, Tensor]
Config = Mapping[str, float]


@dataclass(frozen=True)
class TokenLoss:
    """``value`` and ``slope`` [n]; ``sums`` and ``maxima`` are metrics of the trained tokens."""

    value: Tensor
    slope: Tensor
    sums: Mapping[str, float] = field(default_factory=dict)
    maxima: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class LossSpec:
    """Names of the tensors besides ``target_tokens``, and defaults of the config keys."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    defaults: Mapping[str, float]


_RATIO = ("logprobs", "advantages")
_BOUNDS = ("clip_low_threshold", "clip_high_threshold")
_CLIP = {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2}

#: Config keys that every loss takes. ``temperature`` divides the logits; ``trained_only`` 1 leaves 0 for the
#: log-probabilities of tokens that add nothing to the loss, and does not compute them.
COMMON = {"temperature": 1.0, "trained_only": 0.0}

LOSSES: Mapping[str, LossSpec] = {
    "cross_entropy": LossSpec((), ("weights",), {}),
    "importance_sampling": LossSpec(_RATIO, (), {}),
    "ppo": LossSpec(
        _RATIO, (*_BOUNDS, "ref_logprobs", "kl_weights"), {**_CLIP, "kl_beta": 0.0, "kl_kind": 0.0, "kl_clamp": 0.0}
    ),
    "cispo": LossSpec(_RATIO, _BOUNDS, _CLIP),
    "dro": LossSpec(_RATIO, (), {"beta": 0.05}),
}

KL_KINDS = ("k1", "k2", "k3", "rho-k3")


def trained(loss_fn: str, tensors: Tensors, config: Config) -> Tensor:
    """[n] bool: where the loss depends on ℓ at all."""
    if loss_fn == "cross_entropy":
        return tensors["weights"] != 0
    if loss_fn == "dro":
        # its quadratic term has no factor of its own; the protocol fills both tensors with 0 outside of sampled tokens
        return (tensors["advantages"] != 0) | (tensors["logprobs"] != 0)
    mask = tensors["advantages"] != 0
    return mask | (tensors["kl_weights"] != 0) if loss_fn == "ppo" and _has_kl(config) else mask


def token_loss(loss_fn: str, logp: Tensor, tensors: Tensors, config: Config) -> TokenLoss:
    """Of trained tokens only: every tensor has been cut down to them."""
    match loss_fn:
        case "cross_entropy":
            return TokenLoss(-tensors["weights"] * logp, -tensors["weights"])
        case "importance_sampling":
            rho, metrics = _ratio(logp, tensors)
            surrogate = _times(rho, tensors["advantages"])
            return TokenLoss(-surrogate, -surrogate, *metrics)
        case "ppo":
            return _ppo(logp, tensors, config)
        case "cispo":
            rho, (sums, maxima) = _ratio(logp, tensors)
            factor = rho.clamp(*_bounds(tensors, config)) * tensors["advantages"]
            clipped = {"clipped_tokens:sum": float((factor != rho * tensors["advantages"]).sum())}
            return TokenLoss(-factor * logp, -factor, {**sums, **clipped}, maxima)
        case "dro":
            _, metrics = _ratio(logp, tensors)
            gap = logp - tensors["logprobs"]
            beta, advantages = config["beta"], tensors["advantages"]
            return TokenLoss(0.5 * beta * gap.square() - logp * advantages, beta * gap - advantages, *metrics)
    raise AssertionError(loss_fn)


def _ppo(logp: Tensor, tensors: Tensors, config: Config) -> TokenLoss:
    rho, (sums, maxima) = _ratio(logp, tensors)
    advantages = tensors["advantages"]
    low, high = _bounds(tensors, config)
    free, bounded = _times(rho, advantages), _times(rho.clamp(low, high), advantages)
    # at a bound both sides are equal and the slope is the free side's
    active = free <= bounded
    value = -torch.minimum(free, bounded)
    slope = torch.where(active, -free, 0.0)
    sums = {**sums, "clipped_tokens:sum": float((~active).sum())}
    if _has_kl(config):
        weights = tensors["kl_weights"]
        on = weights != 0
        estimate, estimate_slope = _kl(int(config["kl_kind"]), logp - tensors["ref_logprobs"], rho, config["kl_clamp"])
        estimate, estimate_slope = (
            torch.where(on, estimate * weights, 0.0),
            torch.where(on, estimate_slope * weights, 0.0),
        )
        value = value + config["kl_beta"] * estimate
        slope = slope + config["kl_beta"] * estimate_slope
        sums["kl:sum"] = float(estimate.sum())
    return TokenLoss(value, slope, sums, maxima)


def _kl(kind: int, delta: Tensor, rho: Tensor, clamp: float) -> tuple[Tensor, Tensor]:
    """Estimate and slope. With ``clamp`` > 0, Δ is held within ± it and the slope by Δ is 0 outside."""
    inside = torch.ones_like(delta)
    if clamp > 0:
        inside = (delta.abs() <= clamp).to(delta.dtype)
        delta = delta.clamp(-clamp, clamp)
    match kind:
        case 1:
            return delta, inside
        case 2:
            return 0.5 * delta.square(), delta * inside
        case 3:
            return torch.expm1(-delta) + delta, -torch.expm1(-delta) * inside
        case 4:
            estimate = torch.expm1(-delta) + delta
            return rho * estimate, rho * (estimate - torch.expm1(-delta) * inside)
    raise AssertionError(kind)


def _has_kl(config: Config) -> bool:
    return config["kl_beta"] != 0 and config["kl_kind"] != 0


def _ratio(logp: Tensor, tensors: Tensors) -> tuple[Tensor, tuple[dict[str, float], dict[str, float]]]:
    gap = logp - tensors["logprobs"]
    if gap.numel() == 0:
        return gap, ({}, {})
    return gap.exp(), ({"log_ratio:sum": float(gap.sum())}, {"abs_log_ratio:max": float(gap.abs().max())})


def _times(rho: Tensor, advantages: Tensor) -> Tensor:
    """ρA, and 0 where A is 0 whatever ρ is."""
    return torch.where(advantages == 0, 0.0, rho * advantages)


def _bounds(tensors: Tensors, config: Config) -> tuple[Tensor, Tensor]:
    like = tensors["advantages"]
    low, high = (tensors[name] if name in tensors else torch.full_like(like, config[name]) for name in _BOUNDS)
    return low, high
