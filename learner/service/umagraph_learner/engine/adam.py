"""One AdamW step on the float32 masters, in pieces, so that measuring the update needs no second copy of the model."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from ..contract import AdamParams, UserError
from .parameters import Parameters

_PIECE = 1 << 26
#: Its square must fit float32.
_LARGEST = 1e18


def check_adam(params: AdamParams) -> None:
    for name in ("learning_rate", "weight_decay", "grad_clip_norm"):
        value = getattr(params, name)
        if not (math.isfinite(value) and value >= 0):
            raise UserError(f"expected a finite {name} of at least 0, got {value}")
    for name in ("beta1", "beta2"):
        value = getattr(params, name)
        if not 0 <= value < 1:
            raise UserError(f"expected {name} in [0, 1), got {value}")
    if not (math.isfinite(params.eps) and params.eps > 0):
        raise UserError(f"expected a finite eps above 0, got {params.eps}")


@torch.no_grad()
def adam_step(parameters: Parameters, params: AdamParams) -> Mapping[str, float]:
    """Applies and clears the accumulated gradient. Raises ``UserError`` without a step when there is none, or none that is finite.

    The gradient is gone in the second case: nothing sensible could be done with it.
    """
    check_adam(params)
    gradient = parameters.gradient
    if gradient is None:
        raise UserError(
            "expected a forward_backward before optim_step, got none since the last step: there is no gradient to step along"
        )
    norm = _norm(gradient)
    largest = float(gradient.abs().max()) if math.isfinite(norm) else math.inf
    if not largest < _LARGEST:
        parameters.clear_gradient()
        raise UserError(
            f"expected a finite gradient, got norm {norm}: no step was made, the accumulated gradient was dropped"
        )
    clip = params.grad_clip_norm
    if clip > 0 and norm > clip:
        gradient.mul_(clip / norm)
    if parameters.moments is None:
        parameters.moments = (torch.zeros_like(gradient), torch.zeros_like(gradient))
    moved = sum(
        _step_piece(parameters, params, slice(start, start + _PIECE)) for start in range(0, parameters.size, _PIECE)
    )
    parameters.step += 1
    parameters.clear_gradient()
    parameters.publish()
    return {
        "grad_norm": norm,
        "clipped_grad_norm": min(norm, clip) if clip > 0 else norm,
        "param_norm": _norm(parameters.masters),
        "update_norm": math.sqrt(moved),
        "step": float(parameters.step),
        "learning_rate": params.learning_rate,
        "beta1": params.beta1,
        "beta2": params.beta2,
        "eps": params.eps,
        "weight_decay": params.weight_decay,
        "grad_clip_norm": clip,
    }


def _step_piece(parameters: Parameters, params: AdamParams, piece: slice) -> float:
    """Squared length of the update."""
    assert parameters.gradient is not None and parameters.moments is not None
    weights = parameters.masters[piece]
    before = weights.clone()
    first, second = (moment[piece] for moment in parameters.moments)
    weights.grad = parameters.gradient[piece]
    adam = torch.optim.AdamW(
        [weights],
        lr=params.learning_rate,
        betas=(params.beta1, params.beta2),
        eps=params.eps,
        weight_decay=params.weight_decay,
        fused=True,
    )
    # the moments are ours, so that they live in one piece and are saved by name
    adam.state[weights] = {
        "step": torch.tensor(float(parameters.step), device=weights.device),
        "exp_avg": first,
        "exp_avg_sq": second,
    }
    adam.step()
    return float(_squares(before.sub_(weights)))


def _norm(vector: Tensor) -> float:
    return math.sqrt(sum(float(_squares(vector[start : start + _PIECE])) for start in range(0, len(vector), _PIECE)))


def _squares(vector: Tensor) -> Tensor:
    return torch.linalg.vector_norm(vector, dtype=torch.float64).square()
