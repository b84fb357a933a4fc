"""One AdamW step on the float32 masters, in pieces, so that measuring the update needs no second copy of the model."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from ..contract import AdamParams, UserError
from .parameters import Parameters

_PIECE = 1 << 24
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

    The gradient is gone in the second case: nothing sensible could be done with it. Memory is taken before the first change,
    so that running out of it leaves everything as it was.
    """
    check_adam(params)
    gradient = parameters.gradient
    if gradient is None:
        raise UserError(
            "expected a forward_backward before optim_step, got none since the last step: there is no gradient to step along"
        )
    scratch = _Scratch(parameters)
    norm = math.sqrt(sum(scratch.squares(gradient[piece]) for piece in scratch.pieces))
    largest = max(float(_largest(gradient[piece])) for piece in scratch.pieces) if math.isfinite(norm) else math.inf
    if not largest < _LARGEST:
        parameters.clear_gradient()
        raise UserError(
            f"expected a finite gradient, got norm {norm}: no step was made, the accumulated gradient was dropped"
        )
    if parameters.moments is None:
        parameters.moments = (torch.zeros_like(gradient), torch.zeros_like(gradient))
    clip = params.grad_clip_norm
    if clip > 0 and norm > clip:
        gradient.mul_(clip / norm)
    moved = length = 0.0
    for piece in scratch.pieces:
        weights = parameters.masters[piece]
        before = scratch.copy(weights)
        first, second = (moment[piece] for moment in parameters.moments)
        fused_adamw(weights, gradient[piece], first, second, parameters.step, params)
        moved += scratch.squares(before.sub_(weights))
        length += scratch.squares(weights)
    parameters.step += 1
    parameters.clear_gradient()
    parameters.publish()
    return {
        "grad_norm": norm,
        "clipped_grad_norm": min(norm, clip) if clip > 0 else norm,
        "param_norm": math.sqrt(length),
        "update_norm": math.sqrt(moved),
        "step": float(parameters.step),
        "learning_rate": params.learning_rate,
        "beta1": params.beta1,
        "beta2": params.beta2,
        "eps": params.eps,
        "weight_decay": params.weight_decay,
        "grad_clip_norm": clip,
    }


def fused_adamw(
    weights: Tensor, gradient: Tensor, first: Tensor, second: Tensor, step: int, params: AdamParams
) -> None:
    """Steps ``weights`` and moments [n] float32 in place; ``step`` is the number of steps before this one."""
    weights.grad = gradient
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
        "step": torch.tensor(float(step), dtype=torch.float32, device=weights.device),
        "exp_avg": first,
        "exp_avg_sq": second,
    }
    adam.step()


class _Scratch:
    """Room for one piece of the parameters, and for its squares in float64."""

    def __init__(self, parameters: Parameters) -> None:
        size, room = parameters.size, min(_PIECE, parameters.size)
        self.pieces = [slice(start, min(start + _PIECE, size)) for start in range(0, size, _PIECE)]
        self._narrow = torch.empty(room, dtype=torch.float32, device=parameters.device)
        self._wide = torch.empty(room, dtype=torch.float64, device=parameters.device)

    def copy(self, vector: Tensor) -> Tensor:
        """A copy of [n] float32, until the next one."""
        return self._narrow[: len(vector)].copy_(vector)

    def squares(self, vector: Tensor) -> float:
        """Σ x²."""
        return float(torch.linalg.vector_norm(self._wide[: len(vector)].copy_(vector)).square())


def _largest(vector: Tensor) -> Tensor:
    return torch.linalg.vector_norm(vector, ord=math.inf)
