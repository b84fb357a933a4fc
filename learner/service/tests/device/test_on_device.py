"""The engine on a device, ``UMAGRAPH_TEST_DEVICE`` (default cpu), in both precisions; ``gpu-check.sh`` runs it with cuda.

Float32 is held to the equations, bfloat16 to what its layers can give. The exact sides are float64 on the CPU.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch
from engine_case import Reference, batch, datum, distance, rows
from golden_files import PASSES, datum_of, pass_name
from plain_objective import objective
from test_engine_parameters import moved_to
from test_shipped_passes import at, places_of

from umagraph_learner.contract import AdamParams, LoraConfig, SampleRequest, SamplingParams, ServerError, UserError
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine

DEVICE = os.environ.get("UMAGRAPH_TEST_DEVICE", "cpu")
DTYPES = ("float32", "bfloat16")
#: Of a gradient; another order of summation on another device costs a digit.
RELATIVE = {"float32": 1e-5 if DEVICE == "cpu" else 1e-4, "bfloat16": 0.05}
#: Of a log-probability.
NATS = {"float32": 1e-5 if DEVICE == "cpu" else 1e-4, "bfloat16": 0.3}

LENGTHS = (12, 130, 7, 64)
#: One of each mode that is exact off-policy.
ONE_OF_EACH = [
    next(made for made in PASSES if made["mode"] == mode)
    for mode in ("ppo", "cispo", "cross-entropy", "kl-extension", "forward-weights")
]

_opened: dict[str, TorchEngine] = {}


@pytest.fixture(scope="module")
def reference(tiny_folder: Path) -> Reference:
    return Reference(tiny_folder)


@pytest.fixture(params=DTYPES)
def dtype(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(folder: Path, dtype: str) -> TorchEngine:
    if dtype not in _opened:
        _opened[dtype] = open_engine(str(folder), device=DEVICE, dtype=dtype)
    for model in list(_opened[dtype]._models):
        _opened[dtype].unload_model(model)
    for sampler in list(_opened[dtype]._samplers):
        _opened[dtype].close_sampler(sampler)
    return _opened[dtype]


def gradient(engine: TorchEngine, model: str) -> dict[str, torch.Tensor]:
    parameters = engine._models[model].parameters
    assert parameters.gradient is not None
    return {name: tensor.cpu() for name, tensor in parameters.named(parameters.gradient).items()}


@pytest.mark.parametrize("golden", ONE_OF_EACH, ids=pass_name)
def test_golden_passes_have_the_gradient_of_the_objective(
    tiny_folder: Path, reference: Reference, golden: dict[str, object]
) -> None:
    engine = opened(tiny_folder, "float32")
    engine.create_model("m", None)
    spec, parts = at(golden)
    moves = moved_to(reference, golden, parts)
    places = places_of(parts)
    expected = reference.gradient(-objective(spec, parts))
    for one in golden["passes"]:  # type: ignore[attr-defined]
        moved = [(plain, moves[places[plain["session"], plain["part"]]]) for plain in one["datums"]]
        data = [datum_of(plain, {"logprobs": move, "ref_logprobs": move}) for plain, move in moved]
        engine.forward("m", data, one["lossFn"], one["config"], backward=one["op"] == "forward_backward")
    assert distance(gradient(engine, "m"), expected) < RELATIVE["float32"]


def test_gradient_and_logprobs_are_those_of_plain_code(tiny_folder: Path, reference: Reference, dtype: str) -> None:
    engine = opened(tiny_folder, dtype)
    engine.create_model("m", None)
    data = batch(LENGTHS)
    out = engine.forward("m", data, "cross_entropy", {}, backward=True)
    terms = []
    for one, scores in zip(data, out.logprobs, strict=True):
        logp = reference.logprobs(one)
        np.testing.assert_allclose(scores, logp.detach().numpy(), rtol=0, atol=NATS[dtype])
        terms.append(-(torch.from_numpy(one.inputs["weights"]).double() * logp))
    assert distance(gradient(engine, "m"), reference.gradient(torch.cat(terms).sum())) < RELATIVE[dtype]


def test_packed_together_is_the_same_as_one_by_one(tiny_folder: Path, dtype: str) -> None:
    engine = opened(tiny_folder, dtype)
    data = batch(LENGTHS)
    for model, calls in (("together", [data]), ("apart", [[one] for one in reversed(data)])):
        engine.create_model(model, None)
        for call in calls:
            engine.forward(model, call, "cross_entropy", {}, backward=True)
    assert distance(gradient(engine, "together"), gradient(engine, "apart")) < RELATIVE[dtype] / 2


@pytest.mark.parametrize("lora", [None, LoraConfig(8, seed=1)], ids=["full", "lora"])
def test_it_learns_saves_loads_and_samples_what_it_learnt(
    tiny_folder: Path, tmp_path: Path, dtype: str, lora: LoraConfig | None
) -> None:
    engine = opened(tiny_folder, dtype)
    engine.create_model("m", lora)
    row = rows([12])[0]
    for _ in range(40):
        engine.forward("m", [datum(row)], "cross_entropy", {}, backward=True)
        engine.optim_step("m", AdamParams(1e-2))
    score = engine.forward("m", [datum(row)], "cross_entropy", {}, backward=False)
    assert score.metrics["loss:sum"] < 1
    engine.save_for_sampler("m", tmp_path / "s")
    engine.open_sampler("s", tmp_path / "s")
    request = SampleRequest(row[:4].astype(np.int32), SamplingParams(9, temperature=0.0, stop=[]))
    np.testing.assert_array_equal(engine.sample("s", [request])[0].sequences[0].tokens, row[4:])
    engine.save_state("m", tmp_path / "state")
    engine.create_model("again", lora)
    engine.load_state("again", tmp_path / "state", optimizer=True)
    same = engine.forward("again", [datum(row)], "cross_entropy", {}, backward=False)
    np.testing.assert_allclose(same.logprobs[0], score.logprobs[0], rtol=0, atol=1e-6)


def test_sampled_logprobs_are_teacher_forced_ones_for_ragged_prompts(tiny_folder: Path, dtype: str) -> None:
    engine = opened(tiny_folder, dtype)
    engine.create_model("m", None)
    engine.open_sampler("s", None)
    prompts = [row[:-1].astype(np.int32) for row in rows([3, 40, 17, 90, 8])]
    requests = [SampleRequest(prompt, SamplingParams(24, seed=i, stop=[])) for i, prompt in enumerate(prompts)]
    results = engine.sample("s", requests)
    for prompt, result in zip(prompts, results, strict=True):
        (sequence,) = result.sequences
        whole = datum(np.concatenate([prompt, sequence.tokens]))
        (scores,) = engine.forward("m", [whole], "cross_entropy", {}, backward=False).logprobs
        np.testing.assert_allclose(sequence.logprobs, scores[len(prompt) - 1 :], rtol=0, atol=NATS[dtype])
    for first, second in zip(results, engine.sample("s", requests), strict=True):
        np.testing.assert_array_equal(first.sequences[0].tokens, second.sequences[0].tokens)


def test_a_request_that_cannot_be_computed_leaves_the_gradient_alone(tiny_folder: Path, dtype: str) -> None:
    engine = opened(tiny_folder, dtype)
    engine.create_model("m", None)
    data = batch(LENGTHS)
    engine.forward("m", data, "cross_entropy", {}, backward=True)
    before = gradient(engine, "m")
    row = rows([6])[0]
    far = datum(row, logprobs=np.full(6, -2e3), advantages=np.ones(6))
    with pytest.raises(UserError):
        engine.forward("m", [far], "importance_sampling", {}, backward=True)
    assert distance(gradient(engine, "m"), before) == 0


@pytest.mark.skipif(DEVICE != "cuda", reason="only a GPU's memory can be made small")
def test_out_of_memory_is_an_error_and_the_model_is_as_it_was(tiny_folder: Path, dtype: str) -> None:
    engine = opened(tiny_folder, dtype)
    engine.create_model("m", None)
    engine.forward("m", batch(LENGTHS), "cross_entropy", {}, backward=True)
    before = gradient(engine, "m")
    torch.cuda.empty_cache()
    total = torch.cuda.mem_get_info()[1]
    try:
        torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + 4e6) / total)
        with pytest.raises(ServerError, match="out of memory"):
            engine.forward("m", batch([2000] * 200), "cross_entropy", {}, backward=True)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert distance(gradient(engine, "m"), before) == 0
    engine.forward("m", batch(LENGTHS), "cross_entropy", {}, backward=True)
