"""The golden cases that the TypeScript compiler is tested with, computed by the engine's losses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from umagraph_learner.engine.losses import KL_KINDS, token_loss

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[4] / "tests" / "golden" / "objective-cases.json").read_text()
)


def tensor(value: float) -> torch.Tensor:
    return torch.tensor([value], dtype=torch.float64)


@pytest.mark.parametrize("case", [case for case in GOLDEN["eq9"] if case["clip"]["dual"] is None], ids=str)
def test_equation_9(case: dict[str, Any]) -> None:
    config = {
        "clip_low_threshold": 1 - case["clip"]["low"],
        "clip_high_threshold": 1 + case["clip"]["high"],
        "kl_beta": 0.0,
        "kl_kind": 0.0,
        "kl_clamp": 0.0,
    }
    out = token_loss("ppo", tensor(case["rho"]).log(), {"logprobs": tensor(0), "advantages": tensor(case["A"])}, config)
    assert float(-out.value) == pytest.approx(case["value"], rel=1e-9)
    assert float(-out.slope) == pytest.approx(case["slope"], rel=1e-9)


@pytest.mark.parametrize("case", [case for case in GOLDEN["kl"] if not case["clamp"]], ids=str)
def test_kl_estimates(case: dict[str, Any]) -> None:
    config = {
        "clip_low_threshold": 0.8,
        "clip_high_threshold": 1.2,
        "kl_beta": 1.0,
        "kl_kind": KL_KINDS.index(case["kind"]) + 1.0,
        "kl_clamp": 0.0,
    }
    logp = tensor(-3.0)
    tensors = {
        "logprobs": logp - tensor(case["rho"]).log(),
        "advantages": tensor(0),
        "ref_logprobs": logp - case["delta"],
        "kl_weights": tensor(1),
    }
    out = token_loss("ppo", logp, tensors, config)
    assert float(out.value) == pytest.approx(
        case["estimate"] if "estimate" in case else case["value"], rel=1e-9, abs=1e-12
    )
    assert float(out.slope) == pytest.approx(case["slope"], rel=1e-9, abs=1e-12)
