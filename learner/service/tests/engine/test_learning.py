"""It learns: by heart, and by reward."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from engine_case import datum, rows

from umagraph_learner.contract import AdamParams, LoraConfig, SampleRequest, SamplingParams
from umagraph_learner.engine.torch_engine import TorchEngine


@pytest.mark.parametrize("lora", [None, LoraConfig(16, seed=1)])
def test_a_few_sequences_are_learnt_by_heart(engine: TorchEngine, lora: LoraConfig | None) -> None:
    engine.create_model("m", lora)
    data = [datum(row, weights=np.full(len(row) - 1, 1 / 40)) for row in rows([12, 20, 8])]
    losses = []
    for _ in range(40):
        losses.append(engine.forward("m", data, "cross_entropy", {}, backward=True).metrics["loss:sum"])
        engine.optim_step("m", AdamParams(1e-2))
    assert losses[0] > 5
    assert losses[-1] < 0.3


@pytest.mark.parametrize("lora", [None, LoraConfig(8, seed=1)])
def test_a_token_that_is_rewarded_is_sampled_more_than_nine_times_in_ten(
    engine: TorchEngine, tmp_path: Path, lora: LoraConfig | None
) -> None:
    """GRPO on a bandit: 64 samples of one token, rewarded when its id is below 60; then the same data is trained on."""
    engine.create_model("m", lora)
    prompt = rows([5])[0].astype(np.int32)
    rate = 0.0
    for step in range(50):
        folder = tmp_path / str(step)
        engine.save_for_sampler("m", folder)
        engine.open_sampler(str(step), folder)
        (result,) = engine.sample(
            str(step), [SampleRequest(prompt, SamplingParams(1, seed=step, stop=[]), num_samples=64)]
        )
        engine.close_sampler(str(step))
        rewards = np.array([float(sequence.tokens[0] < 60) for sequence in result.sequences])
        rate = rewards.mean()
        if rate > 0.9:
            break
        advantages = (rewards - rate) / (rewards.std() + 1e-6)
        zeros = np.zeros(len(prompt) - 1)
        data = [
            datum(
                np.append(prompt, sequence.tokens),
                logprobs=np.append(zeros, sequence.logprobs),
                advantages=np.append(zeros, advantage / 64),
            )
            for sequence, advantage in zip(result.sequences, advantages, strict=True)
        ]
        engine.forward("m", data, "ppo", {}, backward=True)
        engine.optim_step("m", AdamParams(5e-3))
    assert rate > 0.9
