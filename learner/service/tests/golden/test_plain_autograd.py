"""(a) Plain autograd of the equations has the values and the gradients of the golden cases, which no one differentiated by hand."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from golden_files import CASES, EQ9, KL, TRACES
from plain_objective import divergence, objective, parts_of, surrogate


def leaf(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("row", EQ9, ids=str)
def test_equation_9(row: dict[str, Any]) -> None:
    now = leaf(0.0)
    rho = row["rho"] * now.exp()
    value = surrogate(rho, torch.tensor(float(row["A"]), dtype=torch.float64), row["clip"])
    value.backward()
    assert float(value.detach()) == pytest.approx(row["value"], rel=1e-12, abs=1e-15)
    assert now.grad is not None
    assert float(now.grad) == pytest.approx(row["slope"], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("row", KL, ids=str)
def test_divergences(row: dict[str, Any]) -> None:
    now = leaf(0.0)
    value = divergence(row["kind"], row["clamp"], row["delta"] + now, row["rho"] * now.exp())
    value.backward()
    assert float(value.detach()) == pytest.approx(row["value"], rel=1e-12, abs=1e-15)
    assert now.grad is not None
    assert float(now.grad) == pytest.approx(row["slope"], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_whole_objectives(name: str) -> None:
    case = CASES[name]
    parts = parts_of(case)
    value = objective(case["objective"], parts)
    value.backward()
    assert float(value.detach()) == pytest.approx(case["expected"]["value"], rel=1e-12)
    gradient = [part.now.grad for part in parts]
    expected = case["expected"]["gradient"]
    assert len(gradient) == len(expected)
    for got, row in zip(gradient, expected, strict=True):
        assert got is not None
        torch.testing.assert_close(got, torch.tensor(row, dtype=torch.float64), rtol=1e-11, atol=1e-15)


def test_every_kind_of_kl_aggregation_and_clip_is_among_them() -> None:
    specs = [case["objective"] for case in CASES.values()]
    assert {spec["kl"]["kind"] for spec in specs if spec.get("kl")} == {"k1", "k2", "k3", "rho-k3"}
    assert {str(spec["aggregation"]).strip("{'").split("'")[0] for spec in specs if "aggregation" in spec} == {
        "session-mean",
        "token-mean",
        "constant",
    }
    assert any(spec["clip"]["high"] != spec["clip"]["low"] for spec in specs if "clip" in spec)
    assert any(spec["clip"].get("dual") for spec in specs if "clip" in spec)


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace["name"])
def test_merged_sequences_hold_what_was_sampled_in_order(trace: dict[str, Any]) -> None:
    """What a learner is sent: the trained tokens of all parts are the sampled ones, each after exactly what the sampler saw."""
    parts = trace["expected"]["parts"]
    turns = [turn for turn in trace["turns"] if turn["completion"]]
    found = [
        (token, logprob, part["ids"][:t])
        for part in parts
        for t, (token, logprob, on) in enumerate(zip(part["ids"], part["sampler"], part["mask"], strict=True))
        if on
    ]
    sampled = [
        (token, logprob, turn["prompt"] + turn["completion"][:t])
        for turn in turns
        for t, (token, logprob) in enumerate(zip(turn["completion"], turn["logprobs"], strict=True))
    ]
    assert found == sampled
    assert len(found) == trace["expected"]["trainedTokens"]
    assert all(not part["mask"][0] for part in parts)
