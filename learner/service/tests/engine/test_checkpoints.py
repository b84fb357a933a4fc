"""States come back whole or not at all; sampler weights are what other programs read."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from engine_case import batch, distance, gradient, weights
from transformers import AutoModelForCausalLM, AutoTokenizer

from umagraph_learner.contract import AdamParams, LoraConfig, ServerError, UserError
from umagraph_learner.engine import checkpoints, durable
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine

DATA = batch([12, 30, 7])
KINDS = [None, LoraConfig(4, seed=2, train_unembed=False)]


def step(engine: TorchEngine, name: str, seed: int = 0) -> None:
    engine.forward(name, batch([12, 30, 7], seed), "cross_entropy", {}, backward=True)
    engine.optim_step(name, AdamParams(1e-2))


@pytest.mark.parametrize("lora", KINDS)
def test_with_its_optimizer_a_state_goes_on_exactly_without_it_does_not(
    tiny_folder: Path, engine: TorchEngine, tmp_path: Path, lora: LoraConfig | None
) -> None:
    engine.create_model("a", lora)
    step(engine, "a", 0)
    step(engine, "a", 1)
    engine.save_state("a", tmp_path / "state")
    after = weights(engine, "a")
    step(engine, "a", 2)

    other = open_engine(str(tiny_folder))
    found = other.saved_lora(tmp_path / "state")
    assert found == lora
    for name, optimizer in (("with", True), ("without", False)):
        other.create_model(name, found)
        other.load_state(name, tmp_path / "state", optimizer=optimizer)
        assert distance(weights(other, name), after) == 0
        assert other.info(name).step == (2 if optimizer else 0)
        step(other, name, 2)
    assert distance(weights(other, "with"), weights(engine, "a")) == 0
    assert distance(weights(other, "without"), weights(engine, "a")) > 1e-4


def test_loading_drops_a_gradient_that_no_step_has_used(engine: TorchEngine, tmp_path: Path) -> None:
    engine.save_state("full", tmp_path / "state")
    engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    engine.load_state("full", tmp_path / "state", optimizer=True)
    with pytest.raises(UserError, match="no gradient"):
        engine.optim_step("full", AdamParams(1e-3))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "umagraph.json"])
@pytest.mark.parametrize("harm", [cut, flip, Path.unlink], ids=["cut", "flipped", "gone"])
def test_a_damaged_state_is_refused_and_nothing_changes(
    engine: TorchEngine, tmp_path: Path, name: str, harm: Callable[[Path], None]
) -> None:
    step(engine, "full")
    engine.save_state("full", tmp_path / "state")
    step(engine, "full")
    engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    before, gathered = weights(engine, "full"), gradient(engine, "full")
    harm(tmp_path / "state" / name)
    with pytest.raises(UserError, match=r"damaged|no umagraph.json"):
        engine.load_state("full", tmp_path / "state", optimizer=True)
    assert distance(weights(engine, "full"), before) == 0
    assert distance(gradient(engine, "full"), gathered) == 0


def test_a_state_of_another_kind_of_model_is_refused(engine: TorchEngine, tmp_path: Path, llama_folder: Path) -> None:
    engine.create_model("four", LoraConfig(4))
    engine.create_model("eight", LoraConfig(8))
    engine.create_model("attention", LoraConfig(4, train_mlp=False))
    engine.save_state("four", tmp_path / "four")
    engine.save_for_sampler("four", tmp_path / "adapter")
    for name in ("eight", "full"):
        with pytest.raises(UserError, match="rank 4"):
            engine.load_state(name, tmp_path / "four", optimizer=True)
    with pytest.raises(UserError, match="another model"):
        engine.load_state("attention", tmp_path / "four", optimizer=True)
    with pytest.raises(UserError, match="expected a saved training state"):
        engine.load_state("four", tmp_path / "adapter", optimizer=True)
    with pytest.raises(UserError, match="expected a saved sampler weights"):
        engine.open_sampler("s", tmp_path / "four")
    with pytest.raises(UserError, match="no umagraph.json"):
        engine.load_state("four", tmp_path / "nowhere", optimizer=True)
    engine.save_for_sampler("full", tmp_path / "weights")
    llama = open_engine(str(llama_folder))
    with pytest.raises(UserError, match="another model"):
        llama.open_sampler("s", tmp_path / "weights")


def test_a_save_that_fails_leaves_the_older_one(
    engine: TorchEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.save_state("full", tmp_path / "state")
    old = weights(engine, "full")
    step(engine, "full")
    with monkeypatch.context() as patch:

        def full_disk(*_: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(checkpoints, "write_manifest", full_disk)
        with pytest.raises(ServerError, match="No space left"):
            engine.save_state("full", tmp_path / "state")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    engine.load_state("full", tmp_path / "state", optimizer=True)
    assert distance(weights(engine, "full"), old) == 0


def test_a_state_that_was_moved_aside_when_the_process_died_is_found_again(engine: TorchEngine, tmp_path: Path) -> None:
    engine.save_state("full", tmp_path / "state")
    saved = weights(engine, "full")
    step(engine, "full")
    (tmp_path / "state").rename(tmp_path / ".state.0123.replaced")
    (tmp_path / ".state.4567.partial").mkdir()
    engine.load_state("full", tmp_path / "state", optimizer=True)
    assert distance(weights(engine, "full"), saved) == 0


@pytest.mark.parametrize("at", [1, 4])
def test_a_kill_while_saving_leaves_the_older_state(
    engine: TorchEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """``at``: the how manyth flush the process dies in."""
    engine.save_state("full", tmp_path / "state")
    saved = weights(engine, "full")
    step(engine, "full")
    flushes: list[Path] = []

    def deadly(path: Path) -> None:
        flushes.append(path)
        if len(flushes) == at:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(durable, "_flush", deadly)
        engine.save_state("full", tmp_path / "state")
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    engine.load_state("full", tmp_path / "state", optimizer=True)
    assert distance(weights(engine, "full"), saved) == 0


def test_saving_again_replaces(engine: TorchEngine, tmp_path: Path) -> None:
    engine.save_state("full", tmp_path / "state")
    step(engine, "full")
    engine.save_state("full", tmp_path / "state")
    new = weights(engine, "full")
    step(engine, "full")
    engine.load_state("full", tmp_path / "state", optimizer=True)
    assert distance(weights(engine, "full"), new) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_full_sampler_weights_load_in_transformers_with_their_tokenizer(engine: TorchEngine, tmp_path: Path) -> None:
    step(engine, "full")
    engine.save_for_sampler("full", tmp_path / "sampler")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "sampler")
    assert model.dtype == torch.float32
    assert distance(dict(model.named_parameters()), weights(engine, "full")) == 0
    assert AutoTokenizer.from_pretrained(tmp_path / "sampler")("rent 840").input_ids
    again = open_engine(str(tmp_path / "sampler"))
    again.create_model("m", None)
    for left, right in zip(
        again.forward("m", DATA, "cross_entropy", {}, backward=False).logprobs,
        engine.forward("full", DATA, "cross_entropy", {}, backward=False).logprobs,
        strict=True,
    ):
        np.testing.assert_array_equal(left, right)


def test_an_adapters_configuration_names_rank_scale_and_layers(engine: TorchEngine, tmp_path: Path) -> None:
    engine.create_model("lora", LoraConfig(4, train_mlp=False))
    engine.save_for_sampler("lora", tmp_path / "adapter")
    config = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert (config["r"], config["lora_alpha"], config["peft_type"]) == (4, 32, "LORA")
    assert config["target_modules"] == ["k_proj", "o_proj", "q_proj", "v_proj"]
