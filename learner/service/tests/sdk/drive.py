"""Drives a running server with the official SDK of the environment it is started in; prints one JSON report.

Started by ``test_official_sdk.py`` as ``<venv>/bin/python drive.py <base model> <part>@<url> ...``. It uses nothing but
the SDK, so it also runs where this project is not installed. The numbers of the parts are those of the conformance plan.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

os.environ.setdefault("TINKER_TELEMETRY", "0")
os.environ.setdefault("TINKER_API_KEY", "tml-dummy")

import numpy as np
import tinker
from tinker import types

VERSION = tuple(int(part) for part in tinker.__version__.split("."))
PROMPT = [11, 42, 97, 300, 5, 61, 210, 8, 77, 19, 450, 33]


def tensor(values: list[Any], dtype: str) -> types.TensorData:
    return types.TensorData(data=values, dtype=dtype, shape=[len(values)])


def cross_entropy_datum(tokens: list[int], weights: list[float] | None = None) -> types.Datum:
    targets = tokens[1:]
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={
            "target_tokens": tensor(targets, "int64"),
            "weights": tensor([1.0] * len(targets) if weights is None else weights, "float32"),
        },
    )


def ppo_datum(tokens: list[int], logprobs: list[float], advantages: list[float]) -> types.Datum:
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={
            "target_tokens": tensor(tokens[1:], "int64"),
            "logprobs": tensor(logprobs, "float32"),
            "advantages": tensor(advantages, "float32"),
        },
    )


def scores(output: Any) -> list[list[float]]:
    return [[float(x) for x in np.asarray(row["logprobs"].data).ravel()] for row in output.loss_fn_outputs]


def client(url: str) -> tinker.ServiceClient:
    return tinker.ServiceClient(base_url=url)


def ready(made: Any) -> Any:
    """Clients are made at once by older versions and as futures by newer ones."""
    return made.result() if VERSION >= (0, 26) and hasattr(made, "result") else made


def lora_client(service: tinker.ServiceClient, base: str, rank: int = 8, seed: int = 1) -> Any:
    return ready(service.create_lora_training_client(base_model=base, rank=rank, seed=seed))


def path_of(future: Any) -> str:
    return future.result().path


def part_one(url: str, base: str) -> dict[str, Any]:
    service = client(url)
    names = [model.model_name for model in ready(service.get_server_capabilities()).supported_models]
    training = lora_client(service, base)
    info = ready(training.get_info())
    return {
        "supported": names,
        "model_id": info.model_id,
        "model_name": info.model_data.model_name,
        "is_lora": info.is_lora,
        "rank": info.lora_rank,
    }


def part_two(url: str, base: str) -> dict[str, Any]:
    training = lora_client(client(url), base)
    data = [cross_entropy_datum(PROMPT), cross_entropy_datum(PROMPT[:5], [0.0, 0.5, 2.0, -1.0])]
    before = training.forward(data, "cross_entropy").result()
    trained = training.forward_backward(data, "cross_entropy").result()
    old = scores(before)[0]
    ppo = training.forward_backward(
        [ppo_datum(PROMPT, [x - 0.1 for x in old], [1.0] * len(old))],
        "ppo",
        {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2},
    ).result()
    still = training.forward(data, "cross_entropy").result()
    step = training.optim_step(types.AdamParams(learning_rate=1e-2)).result()
    after = training.forward(data, "cross_entropy").result()
    return {
        "before": scores(before),
        "trained": scores(trained),
        "still": scores(still),
        "after": scores(after),
        "loss": trained.metrics["loss:sum"],
        "ppo_loss": ppo.metrics["loss:sum"],
        "step_metrics": step.metrics,
    }


def part_three(url: str, base: str) -> dict[str, Any]:
    """The server was started with a chunk length of one datum, so three datums are three requests."""
    training = lora_client(client(url), base)
    data = [cross_entropy_datum(PROMPT[: 6 + 2 * i]) for i in range(3)]
    whole = training.forward_backward(data, "cross_entropy")
    step = training.optim_step(types.AdamParams(learning_rate=1e-2))
    after = training.forward(data, "cross_entropy")
    return {
        "scores": scores(whole.result()),
        "loss": whole.result().metrics["loss:sum"],
        "grad_norm": step.result().metrics.get("grad_norm"),
        "after": scores(after.result()),
    }


def part_four(url: str, base: str) -> dict[str, Any]:
    training = lora_client(client(url), base)
    training.forward_backward([cross_entropy_datum(PROMPT)], "cross_entropy")
    training.optim_step(types.AdamParams(learning_rate=1e-2)).result()
    sampling = ready(training.save_weights_and_get_sampling_client())
    prompt = types.ModelInput.from_ints(PROMPT)
    params = types.SamplingParams(max_tokens=6, seed=7, temperature=1.0)
    first = sampling.sample(prompt, num_samples=2, sampling_params=params).result()
    second = sampling.sample(prompt, num_samples=2, sampling_params=params).result()
    many = [sampling.sample(prompt, num_samples=1, sampling_params=params) for _ in range(12)]
    computed = sampling.compute_logprobs(prompt).result()
    forward = training.forward([cross_entropy_datum(PROMPT)], "cross_entropy").result()
    return {
        "tokens": [list(map(int, s.tokens)) for s in first.sequences],
        "again": [list(map(int, s.tokens)) for s in second.sequences],
        "many": [list(map(int, f.result().sequences[0].tokens)) for f in many],
        "logprobs": [list(map(float, s.logprobs)) for s in first.sequences],
        "stop_reasons": [s.stop_reason for s in first.sequences],
        "sequence_ids": [getattr(s, "sequence_id", None) for s in first.sequences],
        "computed": computed,
        "forward": scores(forward)[0],
    }


def part_five(url: str, base: str) -> dict[str, Any]:
    service = client(url)
    training = lora_client(service, base)
    data = [cross_entropy_datum(PROMPT)]

    def step(on: Any) -> None:
        on.forward_backward(data, "cross_entropy")
        on.optim_step(types.AdamParams(learning_rate=1e-2)).result()

    step(training)
    step(training)
    state = path_of(training.save_state("after-two"))
    saved = scores(training.forward(data, "cross_entropy").result())[0]
    named = path_of(training.save_weights_for_sampler("sampler-two"))
    with_optimizer = ready(service.create_training_client_from_state_with_optimizer(state))
    without = ready(service.create_training_client_from_state(state))
    loaded = [scores(c.forward(data, "cross_entropy").result())[0] for c in (with_optimizer, without)]
    for on in (training, with_optimizer, without):
        step(on)
    stepped = [scores(c.forward(data, "cross_entropy").result())[0] for c in (training, with_optimizer, without)]
    prompt = types.ModelInput.from_ints(PROMPT)
    sampled = ready(service.create_sampling_client(model_path=named)).compute_logprobs(prompt).result()
    of_base = ready(service.create_sampling_client(base_model=base)).compute_logprobs(prompt).result()
    rest = service.create_rest_client()
    run = ready(training.get_info()).model_id
    listed = [c.tinker_path for c in rest.list_checkpoints(run).result().checkpoints]
    information = rest.get_weights_info_by_tinker_path(state)
    information = information.result() if hasattr(information, "result") else information
    return {
        "state": state,
        "named": named,
        "saved": saved,
        "loaded": loaded,
        "stepped": stepped,
        "sampled": sampled,
        "of_base": of_base,
        "listed": listed,
        "information": {"base_model": information.base_model, "lora_rank": information.lora_rank},
        "runs": [r.training_run_id for r in rest.list_training_runs().result().training_runs],
    }


def failure(work: Any) -> dict[str, str]:
    try:
        work()
    except Exception as error:  # noqa: BLE001 - whatever the SDK makes of it is the report
        return {"type": type(error).__name__, "text": str(error), "category": str(getattr(error, "category", ""))}
    return {"type": "", "text": "", "category": ""}


def part_six(url: str, base: str) -> dict[str, Any]:
    training = lora_client(client(url), base)
    good = [cross_entropy_datum(PROMPT)]
    bad = types.Datum(
        model_input=types.ModelInput.from_ints(PROMPT[:-1]),
        loss_fn_inputs={"target_tokens": tensor(PROMPT[2:], "int64"), "weights": tensor([1.0], "float32")},
    )
    shape = failure(lambda: training.forward_backward([bad], "cross_entropy").result())
    started = time.monotonic()
    first = training.forward_backward(good, "cross_entropy").result()
    unknown = failure(lambda: training.forward_backward(good, "no_such_loss").result())
    second = training.forward_backward(good, "cross_entropy").result()
    wrong_token = failure(
        lambda: training.forward_backward([cross_entropy_datum([1, 2, 10_000])], "cross_entropy").result()
    )
    third = training.forward_backward(good, "cross_entropy").result()
    return {
        "shape": shape,
        "unknown": unknown,
        "wrong_token": wrong_token,
        "losses": [x.metrics["loss:sum"] for x in (first, second, third)],
        "seconds": time.monotonic() - started,
    }


def part_seven(url: str, base: str) -> dict[str, Any]:
    """The server fails every first submit once, and loses one answer after the work was done."""
    training = lora_client(client(url), base)
    data = [cross_entropy_datum(PROMPT)]
    losses = []
    for _ in range(3):
        losses.append(training.forward_backward(data, "cross_entropy").result().metrics["loss:sum"])
        training.optim_step(types.AdamParams(learning_rate=1e-2)).result()
    sampling = ready(training.save_weights_and_get_sampling_client())
    return {
        "losses": losses,
        "after": scores(training.forward(data, "cross_entropy").result())[0],
        "sampled": sampling.compute_logprobs(types.ModelInput.from_ints(PROMPT)).result(),
    }


def part_eight(url: str, base: str) -> dict[str, Any]:
    service = client(url)
    training = lora_client(service, base)
    report: dict[str, Any] = {}
    try:
        import torch

        def loss(data: Any, logprobs: Any) -> tuple[Any, dict[str, float]]:
            total = sum((-(row * row)).sum() for row in logprobs)
            return total, {"mine": float(total)}

        report["custom"] = training.forward_backward_custom([cross_entropy_datum(PROMPT)], loss).result().metrics
        training.optim_step(types.AdamParams(learning_rate=1e-3)).result()
        report["torch"] = torch.__version__
    except ImportError:
        report["custom"] = None
    sampling = ready(service.create_sampling_client(base_model=base))
    prompt = types.ModelInput.from_ints(PROMPT)
    params = types.SamplingParams(max_tokens=2)
    report["alt_tokens"] = failure(
        lambda: sampling.sample(prompt, num_samples=1, sampling_params=params, prompt_alt_tokens_k=2).result()
    )
    report["last_n"] = (
        sampling.sample(
            prompt, num_samples=1, sampling_params=params, include_prompt_logprobs=True, prompt_logprobs_last_n=3
        )
        .result()
        .prompt_logprobs
    )
    report["close"] = failure(lambda: service.close("success"))
    return report


def memorise(url: str, base: str) -> dict[str, Any]:
    training = lora_client(client(url), base, rank=16, seed=3)
    data = [cross_entropy_datum([(7 * i + 13 * j) % 600 for i in range(16)]) for j in range(4)]
    losses = []
    for _ in range(25):
        output = training.forward_backward(data, "cross_entropy")
        training.optim_step(types.AdamParams(learning_rate=2e-2))
        losses.append(output.result().metrics["loss:sum"])
    return {"losses": losses}


def converse(url: str, base: str) -> dict[str, Any]:
    """A short conversation that uses every kind of request once; it is recorded."""
    service = client(url)
    training = lora_client(service, base, rank=2)
    tokens = PROMPT[:6]
    training.forward([cross_entropy_datum(tokens)], "cross_entropy").result()
    old = scores(training.forward_backward([cross_entropy_datum(tokens)], "cross_entropy").result())[0]
    training.forward_backward([ppo_datum(tokens, old, [0.5] * len(old))], "ppo", {"clip_high_threshold": 1.28}).result()
    training.optim_step(types.AdamParams(learning_rate=1e-2)).result()
    sampling = ready(training.save_weights_and_get_sampling_client())
    prompt = types.ModelInput.from_ints(tokens)
    params = types.SamplingParams(max_tokens=4, seed=7, temperature=1.0, stop=[2])
    sampled = sampling.sample(prompt, num_samples=2, sampling_params=params).result()
    sampling.compute_logprobs(prompt).result()
    state = path_of(training.save_state("one"))
    path_of(training.save_weights_for_sampler("one"))
    ready(service.create_training_client_from_state_with_optimizer(state))
    failure(lambda: training.forward_backward([cross_entropy_datum(tokens)], "no_such_loss").result())
    return {"tokens": [list(map(int, s.tokens)) for s in sampled.sequences]}


PARTS = {
    "converse": converse,
    "1": part_one,
    "2": part_two,
    "3": part_three,
    "4": part_four,
    "5": part_five,
    "6": part_six,
    "7": part_seven,
    "8": part_eight,
    "memorise": memorise,
}


def main() -> None:
    base = sys.argv[1]
    report: dict[str, Any] = {"version": tinker.__version__}
    for argument in sys.argv[2:]:
        part, _, url = argument.partition("@")
        started = time.monotonic()
        report[argument] = PARTS[part](url, base)
        report[argument]["seconds"] = round(time.monotonic() - started, 3)
    print("REPORT " + json.dumps(report), flush=True)
    # The SDK's background threads keep heartbeats going; nothing is left to wait for.
    os._exit(0)


main()
