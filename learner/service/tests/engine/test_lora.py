"""Adapters: nothing at first, alone in what they train, several on one base, readable by peft."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from engine_case import batch, distance, rows, weights
from peft import PeftModel
from transformers import AutoModelForCausalLM

from umagraph_learner.contract import AdamParams, LoraConfig, SampleRequest, SamplingParams, UserError
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine

DATA = batch([12, 30, 7])


def trained(engine: TorchEngine, name: str, lora: LoraConfig | None, steps: int = 3) -> None:
    engine.create_model(name, lora)
    for _ in range(steps):
        engine.forward(name, DATA, "cross_entropy", {}, backward=True)
        engine.optim_step(name, AdamParams(1e-2))


def logprobs(engine: TorchEngine, name: str) -> np.ndarray:
    return np.concatenate(engine.forward(name, DATA, "cross_entropy", {}, backward=False).logprobs)


def test_a_fresh_adapter_equals_the_base_exactly_and_a_trained_one_does_not(engine: TorchEngine) -> None:
    engine.create_model("fresh", LoraConfig(8, seed=1))
    np.testing.assert_array_equal(logprobs(engine, "fresh"), logprobs(engine, "full"))
    trained(engine, "trained", LoraConfig(8, seed=1))
    assert np.abs(logprobs(engine, "trained") - logprobs(engine, "full")).max() > 1e-3


def test_models_on_one_base_do_not_touch_each_other_or_the_base(engine: TorchEngine) -> None:
    before = logprobs(engine, "full")
    trained(engine, "a", LoraConfig(4, seed=1))
    alone = logprobs(engine, "a")
    trained(engine, "b", LoraConfig(16, seed=2))
    trained(engine, "c", None)
    np.testing.assert_array_equal(logprobs(engine, "a"), alone)
    np.testing.assert_array_equal(logprobs(engine, "full"), before)


def test_the_seed_decides_the_start(engine: TorchEngine) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        engine.create_model(name, LoraConfig(4, seed=seed))
    assert distance(weights(engine, "a"), weights(engine, "b")) == 0
    assert distance(weights(engine, "a"), weights(engine, "c")) > 0.5


def test_tied_embeddings_are_not_adapted_and_the_model_says_so(engine: TorchEngine) -> None:
    info = engine.create_model("lora", LoraConfig(4))
    assert any("train_unembed" in warning for warning in info.warnings)
    assert not any("lm_head" in name for name in weights(engine, "lora"))
    assert not engine.create_model("quiet", LoraConfig(4, train_unembed=False)).warnings
    with pytest.raises(UserError, match="nothing to train"):
        engine.create_model("none", LoraConfig(4, train_attn=False, train_mlp=False))


@pytest.mark.parametrize("rank", [0, -1, 100_000])
def test_ranks_that_make_no_sense_are_refused(engine: TorchEngine, rank: int) -> None:
    with pytest.raises(UserError, match="rank"):
        engine.create_model("lora", LoraConfig(rank))


@pytest.mark.parametrize(
    "config", [LoraConfig(4, seed=3), LoraConfig(8, train_mlp=False), LoraConfig(4, train_attn=False, train_mlp=False)]
)
def test_the_gradient_is_autograds_through_peft(llama_folder: Path, tmp_path: Path, config: LoraConfig) -> None:
    engine = open_engine(str(llama_folder))
    trained(engine, "lora", config)
    engine.save_for_sampler("lora", tmp_path / "adapter")
    model = PeftModel.from_pretrained(
        AutoModelForCausalLM.from_pretrained(llama_folder, dtype=torch.float64), tmp_path / "adapter", is_trainable=True
    ).double()
    engine.forward("lora", DATA, "cross_entropy", {}, backward=True)
    parameters = engine._models["lora"].parameters
    assert parameters.gradient is not None
    loss = torch.zeros((), dtype=torch.float64)
    for one in DATA:
        logits = model(input_ids=torch.from_numpy(one.tokens.astype(np.int64))[None]).logits[0]
        logp = torch.log_softmax(logits, -1).gather(1, torch.from_numpy(one.inputs["target_tokens"])[:, None])[:, 0]
        loss = loss - (torch.from_numpy(one.inputs["weights"]) * logp).sum()
    loss.backward()
    expected = {
        name.removeprefix("base_model.model.").replace(".default.weight", ""): p.grad
        for name, p in model.named_parameters()
        if p.requires_grad
    }
    assert distance(parameters.named(parameters.gradient), expected) < 1e-5


def test_a_sampler_of_an_adapter_scores_as_its_model_does(engine: TorchEngine, tmp_path: Path) -> None:
    trained(engine, "lora", LoraConfig(8, seed=1))
    engine.save_for_sampler("lora", tmp_path / "adapter")
    engine.open_sampler("s", tmp_path / "adapter")
    (row,) = rows([25], seed=9)
    (result,) = engine.sample("s", [SampleRequest(row.astype(np.int32), SamplingParams(1), prompt_logprobs=True)])
    from engine_case import datum

    (expected,) = engine.forward("lora", [datum(row)], "cross_entropy", {}, backward=False).logprobs
    assert result.prompt_logprobs is not None
    np.testing.assert_allclose(result.prompt_logprobs[1:], expected, atol=1e-5)
    trained(engine, "more", None)
    engine.forward("lora", DATA, "cross_entropy", {}, backward=True)
    engine.optim_step("lora", AdamParams(1e-1))
    (later,) = engine.sample("s", [SampleRequest(row.astype(np.int32), SamplingParams(1), prompt_logprobs=True)])
    np.testing.assert_array_equal(later.prompt_logprobs, result.prompt_logprobs)
