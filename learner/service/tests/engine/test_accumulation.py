"""A sum stays a sum however the work is cut: micro-batches, requests, order, packing, recomputation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from engine_case import batch, distance, gradient, weights

from umagraph_learner.contract import AdamParams, LoraConfig
from umagraph_learner.engine.settings import Settings, default_settings
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine

LENGTHS = (40, 3, 77, 12, 25, 8, 61)


def with_settings(folder: Path, **changes: int) -> TorchEngine:
    import torch

    settings: Settings = replace(default_settings(torch.device("cpu")), **changes)
    made = open_engine(str(folder), settings=settings)
    made.create_model("full", None)
    return made


def test_micro_batches_chunks_and_recomputation_change_no_result(tiny_folder: Path, engine: TorchEngine) -> None:
    data = batch(LENGTHS)
    whole = engine.forward("full", data, "cross_entropy", {}, backward=True)
    for changes in (
        {"micro_batch_tokens": 1},
        {"micro_batch_tokens": 64},
        {"logits_bytes": 1},
        {"checkpoint_bytes": 0},
    ):
        other = with_settings(tiny_folder, **changes)
        out = other.forward("full", data, "cross_entropy", {}, backward=True)
        assert out.metrics["loss:sum"] == pytest.approx(whole.metrics["loss:sum"], rel=1e-5)
        assert distance(gradient(other, "full"), gradient(engine, "full")) < 1e-5
        for left, right in zip(out.logprobs, whole.logprobs, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)


def test_recomputation_really_runs_the_layers_again(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from umagraph_learner.engine import decoder

    calls: list[int] = []
    plain = decoder.Packed.attend
    monkeypatch.setattr(
        decoder.Packed, "attend", lambda self, layer, *rest: calls.append(layer) or plain(self, layer, *rest)
    )
    for limit, expected in ((1 << 40, 2), (0, 4)):
        other = with_settings(tiny_folder, checkpoint_bytes=limit)
        calls.clear()
        other.forward("full", batch([9]), "cross_entropy", {}, backward=True)
        assert len(calls) == expected


def test_an_adapter_can_be_trained_with_recomputation(tiny_folder: Path, engine: TorchEngine) -> None:
    other = with_settings(tiny_folder, checkpoint_bytes=0)
    for opened in (engine, other):
        opened.create_model("lora", LoraConfig(4, seed=1))
        opened.forward("lora", batch(LENGTHS), "cross_entropy", {}, backward=True)
    assert distance(gradient(other, "lora"), gradient(engine, "lora")) < 1e-6


def test_order_of_datums_changes_no_gradient_and_logprobs_come_in_the_order_sent(engine: TorchEngine) -> None:
    data = batch(LENGTHS)
    forth = engine.forward("full", data, "cross_entropy", {}, backward=True)
    expected = gradient(engine, "full")
    engine._models["full"].parameters.clear_gradient()
    back = engine.forward("full", data[::-1], "cross_entropy", {}, backward=True)
    assert distance(gradient(engine, "full"), expected) < 1e-5
    for left, right in zip(forth.logprobs, back.logprobs[::-1], strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("lora", [None, LoraConfig(4, seed=1)])
def test_two_requests_and_a_step_are_one_big_request_and_a_step(engine: TorchEngine, lora: LoraConfig | None) -> None:
    data = batch(LENGTHS)
    for name, parts in (("one", [data]), ("three", [data[4:], data[:1], data[1:4]])):
        engine.create_model(name, lora)
        for _ in range(2):
            for part in parts:
                engine.forward(name, part, "cross_entropy", {}, backward=True)
            engine.optim_step(name, AdamParams(1e-3))
    assert distance(weights(engine, "one"), weights(engine, "three")) < 1e-5


def test_a_doubled_datum_doubles_the_gradient(engine: TorchEngine) -> None:
    data = batch([20])
    engine.create_model("twice", None)
    engine.forward("full", data, "cross_entropy", {}, backward=True)
    engine.forward("twice", data + data, "cross_entropy", {}, backward=True)
    doubled = {name: 2 * tensor for name, tensor in gradient(engine, "full").items()}
    assert distance(gradient(engine, "twice"), doubled) < 1e-6


def test_forward_without_backward_leaves_no_gradient(engine: TorchEngine) -> None:
    out = engine.forward("full", batch([8, 3]), "cross_entropy", {}, backward=False)
    assert engine._models["full"].parameters.gradient is None
    again = engine.forward("full", batch([8, 3]), "cross_entropy", {}, backward=True)
    assert out.metrics == again.metrics
    for left, right in zip(out.logprobs, again.logprobs, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-6)
