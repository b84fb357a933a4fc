"""Measurements of one engine on one device: training passes and steps, sampling, memory; kept as they come."""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from .contract import AdamParams, Datum, SampleRequest, SamplingParams, ServerError
from .engine.torch_engine import TorchEngine
from .gpu_shapes import Shape

Row = dict[str, object]

#: What is left for the table and the end of the process.
_RESERVE_S = 5.0


@dataclass
class Check:
    """What has been found so far."""

    device: torch.device
    deadline: float
    file: Path | None
    report: Row = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def left(self) -> float:
        return self.deadline - time.monotonic() - _RESERVE_S

    def keep(self) -> None:
        self.report.update(rows=self.rows, skipped=self.skipped)
        if self.file is not None:
            self.file.write_text(json.dumps(self.report, indent=1) + "\n", "utf-8")

    def skip(self, what: str, why: str) -> None:
        print(f"skipped {what}: {why}", flush=True)
        self.skipped.append(f"{what}: {why}")
        self.keep()


def matmul_flops(device: torch.device) -> float:
    """Operations per second of one large bfloat16 product: what this device gives at best."""
    n = 8192 if device.type == "cuda" else 256
    left, right = (torch.randn(n, n, dtype=torch.bfloat16, device=device) for _ in range(2))
    for _ in range(3):
        left @ right
    seconds = _seconds(device, lambda: [left @ right for _ in range(10)])
    return 10 * 2.0 * n**3 / seconds


def _seconds(device: torch.device, work: Callable[[], object]) -> float:
    _synchronize(device)
    start = time.perf_counter()
    work()
    _synchronize(device)
    return time.perf_counter() - start


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def measure_training(
    check: Check, engine: TorchEngine, shape: Shape, kind: str, lengths: list[int], peak: float
) -> None:
    name = f"{shape.name} {kind}, {len(lengths)} × {lengths[0]}"
    if check.left() < 10:
        check.skip(name, f"{max(check.left(), 0):.0f} s left")
        return
    data = [_session(shape, length, index) for index, length in enumerate(lengths)]
    trained = sum(int((datum.inputs["advantages"] != 0).sum()) for datum in data)
    passes: list[float] = []
    steps: list[float] = []
    if check.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    first = 0.0
    for turn in range(4):
        if turn > 1 and check.left() < 10:
            break
        seconds = _seconds(check.device, lambda: engine.forward(kind, data, "ppo", {}, backward=True))
        step = _seconds(check.device, lambda: engine.optim_step(kind, AdamParams(1e-6)))
        if turn == 0:
            first = seconds  # compiles kernels and fills the allocator
            continue
        passes.append(seconds)
        steps.append(step)
    seconds = statistics.median(passes)
    flops = shape.training_flops(lengths, trained, full=kind == "full")
    check.rows.append(
        {
            "shape": shape.name,
            "work": kind,
            "sequences": len(lengths),
            "length": lengths[0],
            "tokens_per_second": round(sum(lengths) / seconds),
            "seconds": round(seconds, 4),
            "first_seconds": round(first, 3),
            "step_seconds": round(statistics.median(steps), 4),
            "peak_gb": _peak_gb(check.device),
            "mfu": round(flops / seconds / peak, 4),
        }
    )
    check.keep()
    print(f"{name}: {check.rows[-1]}", flush=True)


def _session(shape: Shape, length: int, index: int) -> Datum:
    """A tenth sampled, in stretches, as in a session of tool calls."""
    rng = np.random.default_rng(index)
    on = np.arange(length) % 50 >= 45
    return Datum(
        rng.integers(5, shape.vocabulary, length).astype(np.int32),
        {
            "target_tokens": rng.integers(5, shape.vocabulary, length),
            "logprobs": np.where(on, -np.log(shape.vocabulary), 0).astype(np.float32),
            "advantages": np.where(on, rng.normal(size=length) / length, 0).astype(np.float32),
        },
    )


def measure_sampling(check: Check, engine: TorchEngine, shape: Shape, *, tiny: bool) -> None:
    count, prompt, new = (4, 16, 8) if tiny else (64, 512, 64)
    if check.left() < 15:
        check.skip(f"{shape.name} sampling", f"{max(check.left(), 0):.0f} s left")
        return
    rng = np.random.default_rng(0)
    requests = [
        SampleRequest(rng.integers(5, shape.vocabulary, prompt).astype(np.int32), SamplingParams(new, seed=i, stop=[]))
        for i in range(count)
    ]
    try:
        engine.open_sampler("base", None)
        engine.sample("base", requests[:2])
        if check.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        seconds = _seconds(check.device, lambda: engine.sample("base", requests))
    except ServerError as error:
        check.skip(f"{shape.name} sampling", str(error))
        return
    check.rows.append(
        {
            "shape": shape.name,
            "work": "sampling",
            "sequences": count,
            "length": prompt + new,
            "tokens_per_second": round(count * new / seconds),
            "seconds": round(seconds, 4),
            "first_seconds": None,
            "step_seconds": None,
            "peak_gb": _peak_gb(check.device),
            "mfu": None,
        }
    )
    check.keep()
    print(f"{shape.name} sampling: {check.rows[-1]}", flush=True)


def _peak_gb(device: torch.device) -> float | None:
    return round(torch.cuda.max_memory_allocated() / 1e9, 2) if device.type == "cuda" else None


def free(device: torch.device) -> None:
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
