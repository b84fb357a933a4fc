"""How fast the engine is against plain Hugging Face code on the same work, measured in turns: ``python -m umagraph_learner.bench``.

Training: forward and backward of a ragged batch, against a loop over padded batches of 8 in the order they came, the usual way.
Sampling: ragged prompts at batch 16, against ``generate`` with left padding. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForCausalLM, Qwen3Config, Qwen3ForCausalLM

from .contract import Datum, SampleRequest, SamplingParams
from .engine.settings import default_settings
from .engine.torch_engine import TorchEngine, open_engine

_VOCABULARY = 600
#: Sequences sampled at a time, on both sides.
_BATCH = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a Hugging Face folder; default: random weights of 0.5 M parameters")
    parser.add_argument("--sequences", type=int, default=32)
    parser.add_argument("--shortest", type=int, default=32)
    parser.add_argument("--longest", type=int, default=512)
    parser.add_argument("--new-tokens", type=int, default=128)
    parser.add_argument("--prompts", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", choices=("training", "sampling"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.model) if options.model else small_model(Path(scratch) / "small")
        settings = replace(default_settings(torch.device("cpu")), max_batch=_BATCH)
        engine = open_engine(str(folder), threads=options.threads, settings=settings)
        plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        rng = np.random.default_rng(0)
        vocabulary = engine.base.vocab_size
        lengths = rng.integers(options.shortest, options.longest, options.sequences)
        rows = [rng.integers(5, vocabulary, length + 1).astype(np.int32) for length in lengths]
        report: dict[str, object] = {
            "model": engine.base.name if options.model else "random Qwen3",
            "parameters": sum(p.numel() for p in plain.parameters()),
            "threads": options.threads,
            "clock": "processor time of all threads",
        }
        if options.only != "sampling":
            report["training"] = {**_facts(lengths), **_training(engine, plain, rows, options.rounds)}
        if options.only != "training":
            report["sampling"] = _sampling(engine, plain, rng, options.prompts, options.new_tokens, options.rounds)
    print(json.dumps(report, indent=1))


def small_model(folder: Path) -> Path:
    """Half a million parameters, as large as what a laptop trains from scratch."""
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=_VOCABULARY,
        hidden_size=128,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        intermediate_size=256,
        tie_word_embeddings=True,
        max_position_embeddings=4096,
        eos_token_id=2,
        pad_token_id=0,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    return folder


def _facts(lengths: np.ndarray) -> dict[str, object]:
    return {
        "sequences": len(lengths),
        "tokens": int(lengths.sum()),
        "shortest": int(lengths.min()),
        "longest": int(lengths.max()),
    }


def _training(engine: TorchEngine, plain: nn.Module, rows: Sequence[np.ndarray], rounds: int) -> dict[str, object]:
    """Every token trained, so that both sides do the same; and a tenth trained, as in a session of tool calls."""
    engine.create_model("bench", None)
    tokens = sum(len(row) - 1 for row in rows)
    every = [np.ones(len(row) - 1, dtype=np.float32) for row in rows]
    tenth = [np.where(np.arange(len(row) - 1) % 50 >= 45, 1, 0).astype(np.float32) for row in rows]

    def ours(weights: list[np.ndarray], **config: float) -> Callable[[], float]:
        data = [
            Datum(row[:-1], {"target_tokens": row[1:].astype(np.int64), "weights": w})
            for row, w in zip(rows, weights, strict=True)
        ]
        return lambda: engine.forward("bench", data, "cross_entropy", config, backward=True).metrics["loss:sum"]

    def theirs(weights: list[np.ndarray]) -> Callable[[], float]:
        return lambda: _padded_loop(plain, rows, weights)

    runs = {
        "ours": ours(every),
        "padded_loop": theirs(every),
        "ours_tenth_trained": ours(tenth),
        "ours_tenth_trained_only": ours(tenth, trained_only=1),
        "padded_loop_tenth_trained": theirs(tenth),
    }
    seconds, losses = _in_turns(runs, rounds)
    for pair in (("ours", "padded_loop"), ("ours_tenth_trained", "padded_loop_tenth_trained")):
        if abs(losses[pair[0]] / losses[pair[1]] - 1) > 1e-4:
            raise AssertionError(f"not the same work: losses {losses[pair[0]]} and {losses[pair[1]]}")
    return {
        "tokens_per_second": {name: round(tokens / taken) for name, taken in seconds.items()},
        "times_padded_loop": round(seconds["padded_loop"] / seconds["ours"], 2),
        "times_padded_loop_tenth_trained": round(
            seconds["padded_loop_tenth_trained"] / seconds["ours_tenth_trained"], 2
        ),
        "times_padded_loop_tenth_trained_only": round(
            seconds["padded_loop_tenth_trained"] / seconds["ours_tenth_trained_only"], 2
        ),
    }


def _padded_loop(model: nn.Module, rows: Sequence[np.ndarray], weights: Sequence[np.ndarray], size: int = 8) -> float:
    total = 0.0
    for start in range(0, len(rows), size):
        batch = rows[start : start + size]
        longest = max(len(row) for row in batch)
        ids = torch.zeros(len(batch), longest, dtype=torch.long)
        mask = torch.zeros(len(batch), longest, dtype=torch.long)
        weight = torch.zeros(len(batch), longest - 1)
        for i, row in enumerate(batch):
            ids[i, : len(row)] = torch.from_numpy(row)
            mask[i, : len(row)] = 1
            weight[i, : len(row) - 1] = torch.from_numpy(weights[start + i])
        logits = model(input_ids=ids[:, :-1], attention_mask=mask[:, :-1], use_cache=False).logits
        logprobs = torch.log_softmax(logits.float(), dim=-1).gather(-1, ids[:, 1:, None])[..., 0]
        loss = -(weight * logprobs).sum()
        loss.backward()
        total += float(loss.detach())
    model.zero_grad()
    return total


def _sampling(
    engine: TorchEngine, plain: nn.Module, rng: np.random.Generator, count: int, new: int, rounds: int
) -> dict[str, object]:
    """All sequences run to the same length, and then to lengths of their own, where a finished one frees its place."""
    prompts = [
        rng.integers(5, engine.base.vocab_size, length).astype(np.int32) for length in rng.integers(16, 160, count)
    ]
    wanted = rng.integers(new // 8, new + 1, len(prompts))
    engine.open_sampler("bench", None)

    def ours(limits: Sequence[int]) -> Callable[[], float]:
        requests = [
            SampleRequest(prompt, SamplingParams(int(limit), seed=i, stop=[]))
            for i, (prompt, limit) in enumerate(zip(prompts, limits, strict=False))
        ]
        return lambda: float(sum(len(result.sequences[0].tokens) for result in engine.sample("bench", requests)))

    def theirs(limits: Sequence[int]) -> Callable[[], float]:
        def run() -> float:
            for start in range(0, len(limits), _BATCH):
                _generate(plain, prompts[start : start + _BATCH], max(limits[start : start + _BATCH]))
            return float(sum(limits))

        return run

    same = [new] * _BATCH
    runs = {
        "ours": ours(same),
        "generate": theirs(same),
        "ours_ragged": ours(wanted),
        "generate_ragged": theirs(list(map(int, wanted))),
    }
    seconds, counts = _in_turns(runs, rounds)
    return {
        "batch": _BATCH,
        "new_tokens": new,
        "tokens_per_second": {name: round(counts[name] / taken) for name, taken in seconds.items()},
        "times_generate": round(seconds["generate"] / seconds["ours"], 2),
        "times_generate_ragged": round(seconds["generate_ragged"] / seconds["ours_ragged"], 2),
    }


@torch.no_grad()
def _generate(model: nn.Module, prompts: Sequence[np.ndarray], new: int) -> None:
    longest = max(len(prompt) for prompt in prompts)
    ids = torch.zeros(len(prompts), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for i, prompt in enumerate(prompts):
        ids[i, longest - len(prompt) :] = torch.from_numpy(prompt)
        mask[i, longest - len(prompt) :] = 1
    model.generate(  # type: ignore[operator]
        input_ids=ids,
        attention_mask=mask,
        do_sample=True,
        top_k=0,
        top_p=1.0,
        temperature=1.0,
        max_new_tokens=new,
        eos_token_id=None,
        pad_token_id=0,
    )


def _in_turns(runs: dict[str, Callable[[], float]], rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Median processor seconds, and what the runs returned. In turns, and not by the clock, because other processes share the machine."""
    results = {name: run() for name, run in runs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(taken) for name, taken in seconds.items()}, results


if __name__ == "__main__":
    main()
