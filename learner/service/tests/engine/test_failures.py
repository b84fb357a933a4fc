"""Whatever goes wrong, the model, its optimiser and the gradient gathered so far are as they were."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from engine_case import batch, datum, distance, gradient, rows, weights
from scarce_memory import ScarceMemory

from umagraph_learner.contract import (
    AdamParams,
    Datum,
    LoraConfig,
    SampleRequest,
    SamplingParams,
    ServerError,
    UserError,
)
from umagraph_learner.engine import head, ops
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine

DATA = batch([12, 30, 7])


def good(n: int = 6, **changes: Any) -> Datum:
    (row,) = rows([n])
    inputs = {
        "target_tokens": row[1:].astype(np.int64),
        "logprobs": np.full(n, -6, dtype=np.float32),
        "advantages": np.ones(n, dtype=np.float32),
        **changes,
    }
    tokens = inputs.pop("tokens", row[:-1].astype(np.int32))
    return Datum(tokens, {name: tensor for name, tensor in inputs.items() if tensor is not None})


def with_value(value: float, at: int = 3, n: int = 6) -> np.ndarray:
    tensor = np.zeros(n, dtype=np.float32)
    tensor[at] = value
    return tensor


F = np.float32
CASES: list[tuple[str, list[Datum], dict[str, float], str]] = [
    ("hinge", [good()], {}, "expected a loss_fn of"),
    ("ppo", [], {}, "at least one datum"),
    ("ppo", [good()], {"epsilon": 0.2}, "config keys of ppo"),
    (
        "cross_entropy",
        [good(logprobs=None, advantages=None)],
        {"clip_low_threshold": 0.8},
        "config keys of cross_entropy",
    ),
    ("ppo", [good()], {"clip_high_threshold": float("nan")}, "finite number for clip_high_threshold"),
    ("ppo", [good()], {"clip_low_threshold": "x"}, "finite number"),  # type: ignore[dict-item]
    ("ppo", [good()], {"clip_low_threshold": 0.2, "clip_high_threshold": 0.2 - 1e-3}, "as ratios"),
    ("ppo", [good()], {"temperature": 0}, "temperature above 0"),
    ("ppo", [good()], {"kl_beta": 0.1}, "kl_kind with kl_beta"),
    ("ppo", [good()], {"kl_beta": 0.1, "kl_kind": 5}, "kl_kind 0"),
    ("ppo", [good()], {"kl_beta": 0.1, "kl_kind": 3}, "ref_logprobs"),
    ("ppo", [good(kl_weights=np.ones(6, F))], {}, "ref_logprobs with kl_weights"),
    ("ppo", [good(), good(mask=np.ones(6, F))], {}, "datum 1: expected tensors of ppo.*'mask'"),
    ("ppo", [good(), good(ref_logprobs=np.ones(6, F))], {}, "datum 1: expected the tensors that datum 0 has"),
    ("ppo", [good(), good(advantages=None)], {}, "datum 1: expected the tensor advantages"),
    ("ppo", [good(target_tokens=None)], {}, "target_tokens"),
    (
        "ppo",
        [good(advantages=with_value(np.nan))],
        {},
        "datum 0, token 3: expected a finite number in advantages, got nan",
    ),
    ("ppo", [good(), good(logprobs=with_value(-np.inf, 0))], {}, "datum 1, token 0: .*logprobs, got -inf"),
    (
        "ppo",
        [good(ref_logprobs=with_value(np.nan), kl_weights=np.ones(6, F))],
        {"kl_beta": 1, "kl_kind": 3},
        "ref_logprobs, got nan",
    ),
    ("ppo", [good(advantages=np.ones(5, F))], {}, r"advantages of shape \[6\].*got \[5\]"),
    ("ppo", [good(advantages=np.ones((6, 1), F))], {}, r"got \[6, 1\]"),
    ("ppo", [good(advantages=np.ones(6, np.int64))], {}, "advantages of float32, got int64"),
    ("ppo", [good(target_tokens=np.ones(6, F))], {}, "target_tokens of int64, got float32"),
    ("ppo", [good(tokens=np.array([5, 6, 7, 600, 8, 9], np.int32))], {}, "tokens from 0 to 599, got 600"),
    ("ppo", [good(target_tokens=np.array([5, 6, -100, 5, 8, 9]))], {}, "target_tokens from 0 to 599, got -100"),
    ("ppo", [good(tokens=np.zeros(0, np.int32))], {}, "n > 0"),
    ("ppo", [good(2049)], {}, "at most 2048 tokens.*got 2049"),
    ("ppo", [good(clip_low_threshold=np.full(6, 1.3, F))], {}, "datum 0, token 0: expected 0 <= clip_low_threshold"),
    ("dro", [good()], {"beta": -1}, "beta of at least 0"),
    ("importance_sampling", [good(logprobs=np.full(6, -3e4, F))], {}, "finite loss"),
]


@pytest.mark.parametrize(("loss_fn", "data", "config", "message"), CASES, ids=[case[3][:40] for case in CASES])
def test_bad_input_says_what_was_expected_and_changes_nothing(
    engine: TorchEngine, loss_fn: str, data: list[Datum], config: dict[str, float], message: str
) -> None:
    engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    before, gathered = weights(engine, "full"), gradient(engine, "full")
    with pytest.raises(UserError, match=message):
        engine.forward("full", data, loss_fn, config, backward=True)
    assert distance(weights(engine, "full"), before) == 0
    assert distance(gradient(engine, "full"), gathered) == 0
    if "finite loss" not in message:
        with pytest.raises(UserError, match=message):
            engine.check(data, loss_fn, config)


def fail_in(function: Callable[..., Any], calls: int, error: Exception) -> Callable[..., Any]:
    left = [calls]

    def failing(*arguments: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise error
        return function(*arguments, **named)

    return failing


@pytest.mark.parametrize("lora", [None, LoraConfig(4)])
@pytest.mark.parametrize(
    ("place", "name"),
    [(ops._RmsNorm, "backward"), (head.Head, "_backward"), (ops._Rotate, "forward")],
    ids=["backward", "head", "forward"],
)
@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory. Tried"), RuntimeError("broken"), KeyError("x")]
)
def test_an_error_halfway_leaves_weights_optimiser_and_gradient(
    engine: TorchEngine,
    monkeypatch: pytest.MonkeyPatch,
    lora: LoraConfig | None,
    place: Any,
    name: str,
    error: Exception,
) -> None:
    for model in ("broken", "whole"):
        engine.create_model(model, lora)
        engine.forward(model, DATA, "cross_entropy", {}, backward=True)
        engine.optim_step(model, AdamParams(1e-3))
        engine.forward(model, DATA, "cross_entropy", {}, backward=True)
    with monkeypatch.context() as patch:
        plain = place.__dict__[name]
        bad = fail_in(plain.__func__ if isinstance(plain, staticmethod) else plain, 1, error)
        patch.setattr(place, name, staticmethod(bad) if isinstance(plain, staticmethod) else lambda *a: bad(*a))
        with pytest.raises(UserError if isinstance(error, torch.OutOfMemoryError) else ServerError):
            engine.forward("broken", batch([9, 700, 600], seed=4), "cross_entropy", {}, backward=True)
    assert distance(weights(engine, "broken"), weights(engine, "whole")) == 0
    assert distance(gradient(engine, "broken"), gradient(engine, "whole")) == 0
    for model in ("broken", "whole"):
        engine.forward(model, DATA, "cross_entropy", {}, backward=True)
        engine.optim_step(model, AdamParams(1e-3))
    assert distance(weights(engine, "broken"), weights(engine, "whole")) == 0


def test_a_first_request_that_fails_leaves_no_gradient(engine: TorchEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(head.Head, "_backward", fail_in(head.Head._backward, 0, MemoryError()))
        with pytest.raises(UserError, match="out of memory"):
            engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    with pytest.raises(UserError, match="no gradient"):
        engine.optim_step("full", AdamParams(1e-3))


def everything(engine: TorchEngine, model_id: str) -> list[torch.Tensor]:
    """Copies of all that a request may change."""
    model = engine._models[model_id]
    state = model.parameters
    parts = [state.masters, *(state.moments or ()), *([] if state.gradient is None else [state.gradient])]
    live = [parameter for _, parameter in sorted(model.network.model.named_parameters())]
    return [part.detach().clone() for part in (*parts, *live, torch.tensor(state.step))]


def same(left: list[torch.Tensor], right: list[torch.Tensor]) -> bool:
    return all(torch.equal(one, other) for one, other in zip(left, right, strict=True))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("lora", [None, LoraConfig(4)], ids=["full", "lora"])
@pytest.mark.parametrize("steps", [0, 1])
def test_a_step_without_memory_is_no_step_wherever_it_runs_out(
    tiny_folder: Path, dtype: str, lora: LoraConfig | None, steps: int
) -> None:
    engine = open_engine(str(tiny_folder), dtype=dtype)
    params = AdamParams(1e-3, weight_decay=0.1, grad_clip_norm=0.5)
    for model in ("poor", "rich"):
        engine.create_model(model, lora)
        for _ in range(steps):
            engine.forward(model, DATA, "cross_entropy", {}, backward=True)
            engine.optim_step(model, params)
        engine.forward(model, DATA, "cross_entropy", {}, backward=True)
    before = everything(engine, "poor")
    failed = 0
    while True:
        try:
            with ScarceMemory(failed):
                metrics = engine.optim_step("poor", params)
            break
        except UserError as error:
            assert "out of memory" in str(error)
        failed += 1
        assert same(everything(engine, "poor"), before)
    assert failed == 4 - 2 * steps  # scratch, and moments at the first step
    assert metrics == engine.optim_step("rich", params)
    assert same(everything(engine, "poor"), everything(engine, "rich"))


@pytest.mark.parametrize("lora", [None, LoraConfig(4)], ids=["full", "lora"])
def test_a_request_without_memory_changes_nothing_wherever_it_runs_out(
    engine: TorchEngine, lora: LoraConfig | None
) -> None:
    engine.create_model("poor", lora)
    engine.forward("poor", DATA, "cross_entropy", {}, backward=True)
    before = everything(engine, "poor")
    with ScarceMemory(float("inf")) as memory:
        engine.forward("poor", DATA, "cross_entropy", {}, backward=False)
        forward = memory.made
    for spare in (*range(0, 2 * forward, max(1, forward // 8)),):
        with ScarceMemory(spare), pytest.raises(UserError, match="out of memory"):
            engine.forward("poor", DATA, "cross_entropy", {}, backward=True)
        assert same(everything(engine, "poor"), before)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported"),
    ],
    ids=["python", "linux", "windows", "cublas", "driver"],
)
def test_memory_that_runs_out_is_recognised_by_its_words(
    engine: TorchEngine, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(head.Head, "logprobs", fail_in(head.Head.logprobs, 0, error))
    with pytest.raises(UserError, match="out of memory: .*send fewer or shorter sequences"):
        engine.forward("full", DATA, "cross_entropy", {}, backward=False)


def test_an_error_that_somebody_keeps_does_not_keep_the_requests_tensors(
    engine: TorchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[weakref.ref[torch.Tensor]] = []

    def greedy(*_: Any) -> None:
        activations = torch.zeros(8)
        made.append(weakref.ref(activations))
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(head.Head, "_backward", greedy)
    with pytest.raises(UserError) as kept:
        engine.forward("full", DATA, "cross_entropy", {}, backward=True)
    assert "out of memory" in str(kept.value) and made[0]() is None


def test_a_diverged_model_answers_with_an_error_and_lives(engine: TorchEngine, tmp_path: Path) -> None:
    engine.create_model("wild", None)
    engine.forward("wild", DATA, "cross_entropy", {}, backward=True)
    engine.optim_step("wild", AdamParams(1e38))
    with pytest.raises(UserError, match="finite loss"):
        engine.forward("wild", DATA, "cross_entropy", {}, backward=True)
    engine.save_for_sampler("wild", tmp_path / "wild")
    engine.open_sampler("wild", tmp_path / "wild")
    with pytest.raises(UserError, match="diverged"):
        engine.sample("wild", [SampleRequest(np.array([5, 6], np.int32), SamplingParams(3, stop=[]))])
    engine.forward("full", [datum(rows([4])[0])], "cross_entropy", {}, backward=True)


def test_names_that_do_not_exist_or_exist_twice_are_refused(engine: TorchEngine) -> None:
    for call in (
        lambda: engine.info("nobody"),
        lambda: engine.unload_model("nobody"),
        lambda: engine.forward("nobody", DATA, "cross_entropy", {}, backward=True),
        lambda: engine.optim_step("nobody", AdamParams()),
        lambda: engine.sample("nobody", []),
        lambda: engine.close_sampler("nobody"),
        lambda: engine.create_model("full", None),
    ):
        with pytest.raises(UserError):
            call()
    engine.unload_model("full")
    with pytest.raises(UserError, match="no model full"):
        engine.info("full")
