"""Bfloat16 layers over float32 masters, as on CUDA; here on the CPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from engine_case import batch, datum, distance, gradient, rows, weights

from umagraph_learner.contract import AdamParams, LoraConfig, SampleRequest, SamplingParams
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine

DATA = batch([12, 30, 7])


@pytest.fixture
def narrow(tiny_folder: Path) -> TorchEngine:
    return open_engine(str(tiny_folder), dtype="bfloat16")


@pytest.mark.parametrize("lora", [None, LoraConfig(8, seed=1)])
def test_gradients_are_float32s_up_to_the_layers_precision(
    narrow: TorchEngine, engine: TorchEngine, lora: LoraConfig | None
) -> None:
    for opened in (narrow, engine):
        opened.create_model("m", lora)
        out = opened.forward("m", DATA, "cross_entropy", {}, backward=True)
        assert all(scores.dtype == np.float32 for scores in out.logprobs)
    assert 1e-5 < distance(gradient(narrow, "m"), gradient(engine, "m")) < 0.05


def test_updates_too_small_for_bfloat16_add_up_in_the_masters(narrow: TorchEngine) -> None:
    narrow.create_model("m", None)
    before = weights(narrow, "m")
    for _ in range(3):
        narrow.forward("m", DATA, "cross_entropy", {}, backward=True)
        metrics = narrow.optim_step("m", AdamParams(1e-6))
    size = sum(tensor.numel() for tensor in before.values())
    # Adam's steps have about the length of the learning rate per parameter
    assert 0.3 < metrics["update_norm"] / (1e-6 * size**0.5) < 3
    name = "model.layers.0.mlp.up_proj.weight"
    moved = (weights(narrow, "m")[name] - before[name]).abs()
    assert float(moved.max()) > 2e-6
    live = dict(narrow._models["m"].network.model.named_parameters())[name]
    np.testing.assert_array_equal(live.float().detach().numpy(), weights(narrow, "m")[name].bfloat16().float().numpy())


@pytest.mark.parametrize("lora", [None, LoraConfig(8, seed=1)])
def test_it_learns_saves_and_samples(narrow: TorchEngine, tmp_path: Path, lora: LoraConfig | None) -> None:
    narrow.create_model("m", lora)
    row = rows([12])[0]
    for _ in range(40):
        loss = narrow.forward("m", [datum(row)], "cross_entropy", {}, backward=True).metrics["loss:sum"]
        narrow.optim_step("m", AdamParams(1e-2))
    assert loss < 1
    narrow.save_for_sampler("m", tmp_path / "s")
    narrow.open_sampler("s", tmp_path / "s")
    (result,) = narrow.sample(
        "s", [SampleRequest(row[:4].astype(np.int32), SamplingParams(9, temperature=0.0, stop=[]))]
    )
    np.testing.assert_array_equal(result.sequences[0].tokens, row[4:])
    narrow.save_state("m", tmp_path / "state")
    narrow.load_state("m", tmp_path / "state", optimizer=True)
    assert narrow.forward("m", [datum(row)], "cross_entropy", {}, backward=False).metrics["loss:sum"] < 1
