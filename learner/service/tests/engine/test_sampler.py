"""Sampled tokens, their log-probabilities, and what must not depend on the batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from engine_case import batch, datum, rows
from tiny_model import make_tiny_model, tokenizer

from umagraph_learner.contract import AdamParams, SampleRequest, SamplingParams, UserError
from umagraph_learner.engine.settings import default_settings
from umagraph_learner.engine.step_decoder import beside_each_other
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine


def prompt(length: int, seed: int = 0) -> np.ndarray:
    return rows([length - 1], seed)[0].astype(np.int32)


def ragged(max_tokens: int = 20, **params: object) -> list[SampleRequest]:
    return [
        SampleRequest(prompt(length, seed), SamplingParams(max_tokens, seed=seed, stop=[], **params))  # type: ignore[arg-type]
        for seed, length in enumerate((1, 40, 7, 23, 3, 90, 15))
    ]


@pytest.fixture
def sampling(engine: TorchEngine) -> TorchEngine:
    engine.open_sampler("base", None)
    return engine


def teacher_forced(
    engine: TorchEngine, model: str, request: SampleRequest, tokens: np.ndarray, temperature: float = 1.0
) -> np.ndarray:
    whole = np.concatenate([request.prompt, tokens])
    (logp,) = engine.forward(
        model, [datum(whole)], "cross_entropy", {"temperature": temperature}, backward=False
    ).logprobs
    return logp


@pytest.mark.parametrize(
    "params", [{}, {"top_p": 0.8}, {"top_k": 5}, {"temperature": 0.7, "top_p": 0.9}, {"temperature": 0.0}]
)
def test_sampled_logprobs_are_the_teacher_forced_ones_also_after_an_update(
    engine: TorchEngine, tmp_path: Path, params: dict[str, float]
) -> None:
    for update in range(2):
        engine.forward("full", batch([20, 9]), "cross_entropy", {}, backward=True)
        engine.optim_step("full", AdamParams(1e-3))
        engine.save_for_sampler("full", tmp_path / str(update))
        engine.open_sampler(str(update), tmp_path / str(update))
        requests = ragged(**params)
        for request, result in zip(requests, engine.sample(str(update), requests), strict=True):
            (sequence,) = result.sequences
            assert len(sequence.tokens) == len(sequence.logprobs) == 20
            expected = teacher_forced(engine, "full", request, sequence.tokens, params.get("temperature") or 1.0)
            np.testing.assert_allclose(sequence.logprobs, expected[-20:], atol=1e-5)


@pytest.mark.parametrize("rows_at_once", [1, 2, 64])
def test_a_seed_reproduces_its_tokens_whatever_they_are_batched_with(
    tiny_folder: Path, sampling: TorchEngine, rows_at_once: int
) -> None:
    requests = [replace(request, num_samples=1 + i % 3) for i, request in enumerate(ragged())]
    together = sampling.sample("base", requests)
    narrow = open_engine(
        str(tiny_folder),
        settings=replace(default_settings(torch.device("cpu")), max_batch=rows_at_once, prefill_tokens=50),
    )
    narrow.open_sampler("base", None)
    order = [5, 2, 0, 6, 1, 3, 4]
    apart = narrow.sample("base", [requests[i] for i in order])
    for i, result in zip(order, apart, strict=True):
        assert len(result.sequences) == requests[i].num_samples
        for left, right in zip(result.sequences, together[i].sequences, strict=True):
            np.testing.assert_array_equal(left.tokens, right.tokens)
            np.testing.assert_allclose(left.logprobs, right.logprobs, atol=1e-5)


def test_samples_of_one_request_differ_and_so_do_requests_without_a_seed(sampling: TorchEngine) -> None:
    (result,) = sampling.sample("base", [SampleRequest(prompt(9), SamplingParams(30, seed=1, stop=[]), num_samples=4)])
    assert len({tuple(sequence.tokens) for sequence in result.sequences}) == 4
    unseeded = [SampleRequest(prompt(9), SamplingParams(30, stop=[]))] * 3
    assert len({tuple(result.sequences[0].tokens) for result in sampling.sample("base", unseeded)}) == 3


def test_frequencies_follow_the_models_probabilities(sampling: TorchEngine) -> None:
    one = SampleRequest(prompt(12), SamplingParams(1, seed=3, stop=[]), num_samples=4000)
    (result,) = sampling.sample("base", [one])
    drawn = Counter(int(sequence.tokens[0]) for sequence in result.sequences)
    for token, count in drawn.most_common(8):
        p = float(np.exp(teacher_forced(sampling, "full", one, np.array([token]))[-1]))
        assert abs(count / 4000 - p) < 5 * (p * (1 - p) / 4000) ** 0.5


def test_top_k_and_top_p_keep_the_most_probable_and_greedy_takes_the_first(sampling: TorchEngine) -> None:
    one = SampleRequest(prompt(12), SamplingParams(1, seed=3, stop=[]), num_samples=500)
    every = [datum(np.append(one.prompt, token)) for token in range(600)]
    logp = np.array(
        [scores[-1] for scores in sampling.forward("full", every, "cross_entropy", {}, backward=False).logprobs]
    )
    order = np.argsort(-logp)
    mass = np.cumsum(np.exp(logp[order]))

    def support(**params: float) -> set[int]:
        (result,) = sampling.sample("base", [replace(one, params=replace(one.params, **params))])
        return {int(sequence.tokens[0]) for sequence in result.sequences}

    assert support(temperature=0.0) == {int(order[0])}
    assert support(top_k=1) == {int(order[0])}
    assert support(top_k=3) == set(order[:3].tolist())
    nucleus = int(np.searchsorted(mass, 0.6)) + 1
    assert support(top_p=0.6) <= set(order[:nucleus].tolist())
    assert support(top_p=1e-6) == {int(order[0])}


def test_greedy_is_what_generate_gives(tiny_folder: Path, sampling: TorchEngine) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(tiny_folder)
    request = SampleRequest(prompt(12), SamplingParams(16, temperature=0.0, stop=[]))
    (result,) = sampling.sample("base", [request])
    expected = model.generate(
        torch.from_numpy(request.prompt.astype(np.int64))[None], max_new_tokens=16, do_sample=False, eos_token_id=None
    )
    np.testing.assert_array_equal(result.sequences[0].tokens, expected[0, 12:].numpy())


def test_stop_tokens_end_a_sequence_and_belong_to_it(sampling: TorchEngine) -> None:
    free = SampleRequest(prompt(12), SamplingParams(40, seed=4, stop=[]))
    (plain,) = sampling.sample("base", [free])
    tokens = plain.sequences[0].tokens
    assert plain.sequences[0].stop_reason == "length"
    stop = int(tokens[10])
    first = int(np.flatnonzero(tokens == stop)[0])
    (result,) = sampling.sample("base", [replace(free, params=replace(free.params, stop=[599, stop]))])
    np.testing.assert_array_equal(result.sequences[0].tokens, tokens[: first + 1])
    assert result.sequences[0].stop_reason == "stop"


def test_stop_strings_end_a_sequence_with_the_token_that_completes_them(sampling: TorchEngine) -> None:
    free = SampleRequest(prompt(12), SamplingParams(40, seed=4, stop=[]))
    (plain,) = sampling.sample("base", [free])
    tokens = plain.sequences[0].tokens.tolist()
    spoken = tokenizer()
    texts = [spoken.decode(tokens[: n + 1], skip_special_tokens=False) for n in range(len(tokens))]
    # across the border of two tokens, and plain ASCII so that it is whole text
    at = next(
        n
        for n in range(4, 40)
        if texts[n][-2:].isascii() and len(texts[n]) - len(texts[n - 1]) == 1 and texts[n][-2:] not in texts[n - 1]
    )
    for given in (texts[at][-2:], [texts[at][-2:], "never said"]):
        (result,) = sampling.sample("base", [replace(free, params=replace(free.params, stop=given))])
        assert result.sequences[0].tokens.tolist() == tokens[: at + 1]
        assert result.sequences[0].stop_reason == "stop"


def test_without_stops_of_its_own_a_request_ends_at_the_models_end_token(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path / "model")
    engine = open_engine(str(folder))
    engine.create_model("m", None)
    row = rows([7])[0]
    for _ in range(20):
        ends = [datum(np.append(row[:5], 2), weights=np.array([0, 0, 0, 0, 1]))]
        engine.forward("m", ends, "cross_entropy", {}, backward=True)
        engine.optim_step("m", AdamParams(1e-2))
    engine.save_for_sampler("m", tmp_path / "s")
    engine.open_sampler("s", tmp_path / "s")
    one = SampleRequest(row[:5].astype(np.int32), SamplingParams(6, temperature=0.0))
    (result,) = engine.sample("s", [one])
    assert result.sequences[0].tokens.tolist() == [2]
    (endless,) = engine.sample("s", [replace(one, params=replace(one.params, stop=[]))])
    assert len(endless.sequences[0].tokens) == 6


def test_prompt_logprobs_are_the_teacher_forced_ones(sampling: TorchEngine) -> None:
    requests = [replace(request, prompt_logprobs=True, num_samples=2) for request in ragged(3)]
    for request, result in zip(requests, sampling.sample("base", requests), strict=True):
        assert result.prompt_logprobs is not None
        assert np.isnan(result.prompt_logprobs[0])
        if len(request.prompt) > 1:
            expected = teacher_forced(sampling, "full", request, np.zeros(0, dtype=np.int32))
            np.testing.assert_allclose(result.prompt_logprobs[1:], expected, atol=1e-5)
    (last,) = sampling.sample("base", [replace(requests[1], prompt_logprobs_last_n=4)])
    assert last.prompt_logprobs is not None
    assert np.isnan(last.prompt_logprobs[:-4]).all()
    np.testing.assert_allclose(
        last.prompt_logprobs[-4:],
        teacher_forced(sampling, "full", requests[1], np.zeros(0, dtype=np.int32))[-4:],
        atol=1e-5,
    )
    (none,) = sampling.sample("base", [ragged(1)[0]])
    assert none.prompt_logprobs is None


def test_without_max_tokens_a_sequence_may_fill_the_context(tiny_folder: Path) -> None:
    engine = open_engine(str(tiny_folder), max_context_length=50)
    engine.open_sampler("base", None)
    (result,) = engine.sample("base", [SampleRequest(prompt(12), SamplingParams(seed=1, stop=[]))])
    assert len(result.sequences[0].tokens) == 38
    assert result.sequences[0].stop_reason == "length"


def test_a_copy_of_a_model_has_its_projections_side_by_side_and_apart_from_the_first(engine: TorchEngine) -> None:
    first = engine._network
    copied = first.twin()
    joined = []
    for network in (first, copied):
        attention = network.model.model.layers[0].self_attn  # type: ignore[union-attr, operator, index]
        together = beside_each_other([attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight])
        assert together is not None
        assert together.shape == (128, 64)
        joined.append(together)
    assert torch.equal(*joined)
    assert joined[0].data_ptr() != joined[1].data_ptr()


def test_no_requests_give_no_results(sampling: TorchEngine) -> None:
    assert list(sampling.sample("base", [])) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": np.zeros(0, np.int32)}, "at least one token"),
        ({"prompt": np.array([1, 600], np.int32)}, "from 0 to 599, got 600"),
        ({"prompt": np.array([1, -1], np.int32)}, "got -1"),
        ({"prompt": np.array([1.0, 2.0], np.float32)}, "whole numbers"),
        ({"prompt": np.ones(2048, np.int32)}, "context of 2048"),
        ({"num_samples": 0}, "at least one sample"),
        ({"params": SamplingParams(0)}, "max_tokens"),
        ({"params": SamplingParams(2047)}, "context of 2048"),
        ({"params": SamplingParams(3, temperature=-1)}, "temperature"),
        ({"params": SamplingParams(3, temperature=float("nan"))}, "temperature"),
        ({"params": SamplingParams(3, top_p=0.0)}, "top_p"),
        ({"params": SamplingParams(3, top_k=0)}, "top_k"),
        ({"params": SamplingParams(3, stop=[600])}, "stop tokens"),
        ({"prompt_logprobs_last_n": -1}, "prompt_logprobs_last_n"),
    ],
)
def test_bad_requests_say_what_was_expected(sampling: TorchEngine, changes: dict[str, object], message: str) -> None:
    good = SampleRequest(prompt(5), SamplingParams(3))
    with pytest.raises(UserError, match=message):
        sampling.sample("base", [good, replace(good, **changes)])  # type: ignore[arg-type]
    assert len(sampling.sample("base", [good])) == 1
