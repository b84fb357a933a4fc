"""Every loss against its formula in plain autograd, through the whole model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from engine_case import Reference, batch, datum, distance, gradient, rows
from torch import Tensor

from umagraph_learner.contract import Datum
from umagraph_learner.engine.torch_engine import TorchEngine

LENGTHS = (9, 31, 4, 17)


def policy_data(
    engine: TorchEngine, spread: float, seed: int = 5, **more: Callable[[np.random.Generator, np.ndarray], np.ndarray]
) -> list[Datum]:
    """Sampled tokens are the last two thirds; their old log-probabilities lie around the model's own."""
    rng = np.random.default_rng(seed)
    plain = [datum(row) for row in rows(LENGTHS, seed)]
    current = engine.forward("full", plain, "cross_entropy", {}, backward=False).logprobs
    made = []
    for one, logp in zip(plain, current, strict=True):
        n = len(logp)
        mask = np.arange(n) >= n // 3
        made.append(
            datum(
                np.append(one.tokens, one.inputs["target_tokens"][-1]),
                logprobs=np.where(mask, logp + rng.normal(scale=spread, size=n), 0),
                advantages=np.where(mask, rng.normal(size=n) * 0.01, 0),
                **{name: make(rng, np.where(mask, logp, 0)) for name, make in more.items()},
            )
        )
    return made


def compare(
    engine: TorchEngine,
    reference: Reference,
    data: list[Datum],
    loss_fn: str,
    config: dict[str, float],
    formula: Callable[[Tensor, dict[str, Tensor]], Tensor],
) -> None:
    out = engine.forward("full", data, loss_fn, config, backward=True)
    temperature = config.get("temperature", 1.0)
    terms = []
    for one, logprobs in zip(data, out.logprobs, strict=True):
        logp = reference.logprobs(one, temperature)
        np.testing.assert_allclose(logprobs, logp.detach().numpy(), rtol=1e-5, atol=1e-5)
        terms.append(
            formula(
                logp, {name: torch.from_numpy(x).double() for name, x in one.inputs.items() if name != "target_tokens"}
            )
        )
    every = torch.cat(terms)
    # terms of both signs cancel, so a sum is as exact as its terms are large
    assert abs(out.metrics["loss:sum"] - float(every.detach().sum())) < 1e-5 * float(every.detach().abs().sum())
    assert distance(gradient(engine, "full"), reference.gradient(every.sum())) < 1e-5


def test_cross_entropy_sums_signed_weights(engine: TorchEngine, reference: Reference) -> None:
    compare(engine, reference, batch(LENGTHS), "cross_entropy", {}, lambda logp, x: -(x["weights"] * logp))


def test_importance_sampling(engine: TorchEngine, reference: Reference) -> None:
    data = policy_data(engine, 0.3)
    compare(
        engine,
        reference,
        data,
        "importance_sampling",
        {},
        lambda logp, x: -((logp - x["logprobs"]).exp() * x["advantages"]),
    )


def ppo(logp: Tensor, x: dict[str, Tensor], low: float | Tensor = 0.8, high: float | Tensor = 1.2) -> Tensor:
    rho = (logp - x["logprobs"]).exp()
    low, high = torch.as_tensor(low).double(), torch.as_tensor(high).double()
    return -torch.minimum(rho * x["advantages"], rho.clamp(low, high) * x["advantages"])


@pytest.mark.parametrize("config", [{}, {"clip_low_threshold": 0.5, "clip_high_threshold": 1.05}, {"temperature": 0.7}])
def test_ppo_clips_by_absolute_ratios(engine: TorchEngine, reference: Reference, config: dict[str, float]) -> None:
    bounds = (config.get("clip_low_threshold", 0.8), config.get("clip_high_threshold", 1.2))
    compare(engine, reference, policy_data(engine, 0.3), "ppo", config, lambda logp, x: ppo(logp, x, *bounds))


def test_ppo_takes_thresholds_per_token(engine: TorchEngine, reference: Reference) -> None:
    data = policy_data(
        engine,
        0.3,
        clip_low_threshold=lambda rng, logp: rng.uniform(0.5, 0.9, len(logp)),
        clip_high_threshold=lambda rng, logp: rng.uniform(1.05, 1.4, len(logp)),
    )
    compare(
        engine,
        reference,
        data,
        "ppo",
        {},
        lambda logp, x: ppo(logp, x, x["clip_low_threshold"], x["clip_high_threshold"]),
    )


def test_cispo_holds_the_clipped_ratio_constant(engine: TorchEngine, reference: Reference) -> None:
    def formula(logp: Tensor, x: dict[str, Tensor]) -> Tensor:
        rho = (logp - x["logprobs"]).exp().clamp(0.8, 1.2).detach()
        return -(rho * logp * x["advantages"])

    compare(engine, reference, policy_data(engine, 0.3), "cispo", {}, formula)


def test_dro(engine: TorchEngine, reference: Reference) -> None:
    def formula(logp: Tensor, x: dict[str, Tensor]) -> Tensor:
        on = (x["advantages"] != 0) | (x["logprobs"] != 0)
        return -((logp * x["advantages"] - 0.5 * 0.2 * (logp - x["logprobs"]) ** 2) * on)

    compare(engine, reference, policy_data(engine, 0.3), "dro", {"beta": 0.2}, formula)


def kl(kind: int, logp: Tensor, x: dict[str, Tensor]) -> Tensor:
    delta = logp - x["ref_logprobs"]
    k3 = torch.exp(-delta) + delta - 1
    return [delta, 0.5 * delta**2, k3, torch.exp(logp - x["logprobs"]) * k3][kind - 1]


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_ppo_with_a_kl_term(engine: TorchEngine, reference: Reference, kind: int) -> None:
    data = policy_data(
        engine,
        0.3,
        ref_logprobs=lambda rng, logp: np.where(logp != 0, logp + rng.normal(scale=0.5, size=len(logp)), np.nan),
        kl_weights=lambda rng, logp: np.where(logp != 0, 0.02, 0),
    )

    def formula(logp: Tensor, x: dict[str, Tensor]) -> Tensor:
        used = {**x, "ref_logprobs": torch.where(x["kl_weights"] != 0, x["ref_logprobs"], 0.0)}
        return ppo(logp, x) + 0.5 * x["kl_weights"] * kl(kind, logp, used)

    compare(engine, reference, data, "ppo", {"kl_beta": 0.5, "kl_kind": kind}, formula)


def test_without_weights_the_kl_term_counts_where_there_is_an_advantage(
    engine: TorchEngine, reference: Reference
) -> None:
    data = policy_data(engine, 0.3, ref_logprobs=lambda rng, logp: logp - 0.2)
    compare(
        engine,
        reference,
        data,
        "ppo",
        {"kl_beta": 0.1, "kl_kind": 3},
        lambda logp, x: ppo(logp, x) + 0.1 * kl(3, logp, x) * (x["advantages"] != 0),
    )


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_the_kl_clamp_bounds_the_log_ratio_and_stops_its_gradient(
    engine: TorchEngine, reference: Reference, kind: int
) -> None:
    data = policy_data(
        engine,
        0.3,
        ref_logprobs=lambda rng, logp: logp + rng.normal(scale=2, size=len(logp)),
        kl_weights=lambda rng, logp: np.where(logp != 0, 1, 0),
    )

    def formula(logp: Tensor, x: dict[str, Tensor]) -> Tensor:
        bounded = {**x, "ref_logprobs": torch.zeros_like(logp)}
        delta = (logp - x["ref_logprobs"]).clamp(-1.5, 1.5)
        k3 = torch.exp(-delta) + delta - 1
        estimate = [delta, 0.5 * delta**2, k3, torch.exp(logp - x["logprobs"]) * k3][kind - 1]
        return ppo(logp, bounded) + 0.01 * x["kl_weights"] * estimate

    compare(engine, reference, data, "ppo", {"kl_beta": 0.01, "kl_kind": kind, "kl_clamp": 1.5}, formula)


def test_at_ratio_one_ppo_is_importance_sampling_is_weighted_cross_entropy(engine: TorchEngine) -> None:
    data = policy_data(engine, 0.0)
    made = {}
    for loss_fn in ("ppo", "importance_sampling"):
        engine.forward("full", data, loss_fn, {}, backward=True)
        made[loss_fn] = gradient(engine, "full")
        engine._models["full"].parameters.clear_gradient()
    weighted = [
        Datum(one.tokens, {"target_tokens": one.inputs["target_tokens"], "weights": one.inputs["advantages"]})
        for one in data
    ]
    engine.forward("full", weighted, "cross_entropy", {}, backward=True)
    assert distance(made["ppo"], gradient(engine, "full")) < 1e-5
    assert distance(made["importance_sampling"], gradient(engine, "full")) < 1e-5


@pytest.mark.parametrize(
    ("rho", "advantage", "moves"),
    [(1.19, 1, True), (1.21, 1, False), (0.5, 1, True), (0.81, -1, True), (0.79, -1, False), (2.0, -1, True)],
)
def test_a_token_beyond_the_clip_on_its_advantages_side_moves_nothing(
    engine: TorchEngine, rho: float, advantage: float, moves: bool
) -> None:
    (row,) = rows([1])
    (logp,) = engine.forward("full", [datum(row)], "cross_entropy", {}, backward=False).logprobs
    one = datum(row, logprobs=logp - np.log(rho), advantages=np.array([advantage]))
    out = engine.forward("full", [one], "ppo", {}, backward=True)
    assert out.metrics["loss:sum"] == pytest.approx(
        -min(rho * advantage, min(max(rho, 0.8), 1.2) * advantage), rel=1e-5
    )
    assert out.metrics["clipped_tokens:sum"] == (0 if moves else 1)
    assert any(float(tensor.abs().max()) > 0 for tensor in gradient(engine, "full").values()) == moves


def test_an_untrained_token_adds_nothing_even_where_its_ratio_overflows(engine: TorchEngine) -> None:
    (row,) = rows([6])
    quiet = datum(row, logprobs=np.array([-3e4, 0, 0, 0, -1, -1]), advantages=np.array([0, 0, 0, 0, 1, 1]))
    out = engine.forward("full", [quiet], "ppo", {}, backward=True)
    assert np.isfinite(out.metrics["loss:sum"])
    assert out.metrics["trained_tokens:sum"] == 2


def test_trained_only_leaves_zeros_elsewhere_and_the_same_gradient(engine: TorchEngine) -> None:
    data = [*policy_data(engine, 0.3), datum(rows([5])[0], logprobs=np.zeros(5), advantages=np.zeros(5))]
    whole = engine.forward("full", data, "ppo", {}, backward=True)
    expected = gradient(engine, "full")
    engine._models["full"].parameters.clear_gradient()
    cut = engine.forward("full", data, "ppo", {"trained_only": 1}, backward=True)
    assert distance(gradient(engine, "full"), expected) < 1e-5
    assert cut.metrics["loss:sum"] == pytest.approx(whole.metrics["loss:sum"], rel=1e-5)
    for one, full, part in zip(data, whole.logprobs, cut.logprobs, strict=True):
        on = one.inputs["advantages"] != 0
        np.testing.assert_allclose(part[on], full[on], rtol=1e-5, atol=1e-6)
        assert not part[~on].any()
