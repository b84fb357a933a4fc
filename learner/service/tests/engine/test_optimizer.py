"""The step is torch's AdamW on float32 masters, with what was applied reported."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from engine_case import batch, distance, gradient, weights

from umagraph_learner.contract import AdamParams, UserError
from umagraph_learner.engine.torch_engine import TorchEngine

DATA = batch([12, 30, 7])


def step(engine: TorchEngine, params: AdamParams) -> dict[str, float]:
    engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    return dict(engine.optim_step("full", params))


@pytest.mark.parametrize(
    "params",
    [
        AdamParams(1e-3),
        AdamParams(1e-2, beta1=0.8, beta2=0.99, eps=1e-6, weight_decay=0.1),
        AdamParams(1e-2, grad_clip_norm=0.5),
    ],
)
def test_three_steps_are_those_of_torch(engine: TorchEngine, params: AdamParams) -> None:
    own = {name: torch.nn.Parameter(tensor) for name, tensor in weights(engine, "full").items()}
    optimizer = torch.optim.AdamW(
        own.values(),
        lr=params.learning_rate,
        betas=(params.beta1, params.beta2),
        eps=params.eps,
        weight_decay=params.weight_decay,
    )
    for _ in range(3):
        engine.forward("full", DATA, "cross_entropy", {}, backward=True)
        before = weights(engine, "full")
        for name, tensor in gradient(engine, "full").items():
            own[name].grad = tensor
        norm = torch.linalg.vector_norm(torch.cat([p.grad.flatten() for p in own.values()]))
        if params.grad_clip_norm:
            torch.nn.utils.clip_grad_norm_(own.values(), params.grad_clip_norm)
        optimizer.step()
        metrics = engine.optim_step("full", params)
        assert metrics["grad_norm"] == pytest.approx(float(norm), rel=1e-5)
        after = weights(engine, "full")
        assert distance(after, {name: p.detach() for name, p in own.items()}) < 1e-6
        moved = sum(float((after[name] - before[name]).double().square().sum()) for name in after) ** 0.5
        assert metrics["update_norm"] == pytest.approx(moved, rel=1e-4)
        assert metrics["param_norm"] == pytest.approx(
            sum(float(t.double().square().sum()) for t in after.values()) ** 0.5, rel=1e-6
        )


def test_the_effective_numbers_are_reported(engine: TorchEngine) -> None:
    params = AdamParams(1e-3, beta1=0.7, beta2=0.8, eps=1e-7, weight_decay=0.2, grad_clip_norm=0.01)
    metrics = step(engine, params)
    assert {name: metrics[name] for name in vars(params)} == vars(params)
    assert metrics["clipped_grad_norm"] == pytest.approx(0.01)
    assert metrics["step"] == 1
    assert engine.info("full").step == 1


def test_a_step_clears_the_gradient_and_a_second_one_is_refused(engine: TorchEngine) -> None:
    step(engine, AdamParams(1e-3))
    before = weights(engine, "full")
    with pytest.raises(UserError, match="no gradient"):
        engine.optim_step("full", AdamParams(1e-3))
    assert distance(weights(engine, "full"), before) == 0
    assert engine.info("full").step == 1


def test_a_learning_rate_of_zero_moves_nothing(engine: TorchEngine) -> None:
    before = weights(engine, "full")
    assert step(engine, AdamParams(0.0))["update_norm"] == 0
    assert distance(weights(engine, "full"), before) == 0


def test_a_gradient_that_is_not_finite_makes_no_step_and_is_dropped(engine: TorchEngine) -> None:
    engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    before = weights(engine, "full")
    parameters = engine._models["full"].parameters
    assert parameters.gradient is not None
    parameters.gradient[7] = float("nan")
    with pytest.raises(UserError, match=r"finite gradient.*no step"):
        engine.optim_step("full", AdamParams(1e-3))
    assert distance(weights(engine, "full"), before) == 0
    assert parameters.gradient is None
    assert np.isfinite(step(engine, AdamParams(1e-3))["update_norm"])


@pytest.mark.parametrize(
    "params",
    [
        AdamParams(float("nan")),
        AdamParams(-1e-3),
        AdamParams(1e-3, beta1=1.0),
        AdamParams(1e-3, beta2=-0.1),
        AdamParams(1e-3, eps=0.0),
        AdamParams(1e-3, weight_decay=float("inf")),
        AdamParams(1e-3, grad_clip_norm=-1.0),
    ],
)
def test_numbers_that_make_no_sense_are_refused_and_the_gradient_is_kept(
    engine: TorchEngine, params: AdamParams
) -> None:
    engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    with pytest.raises(UserError, match="expected"):
        engine.optim_step("full", params)
    assert engine.optim_step("full", AdamParams(1e-3))["step"] == 1
