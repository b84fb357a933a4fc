"""Correctness, speed and memory of the engine on one device within a time: ``python -m umagraph_learner.gpu_check``.

First ``tests/device`` by pytest; then, per model shape with random weights, forward and backward and a step, with LoRA and with
all parameters, on sequences of two lengths, and sampling. What does not fit into memory or time is skipped and says so. Prints
a table, and the same as JSON in the last line; ``--json`` writes it to a file too, after every measurement.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from .contract import AdamParams, Datum, LoraConfig, SampleRequest, SamplingParams, ServerError
from .engine.torch_engine import TorchEngine, open_engine
from .gpu_shapes import SHAPES, TINY, Shape, stated_peak

Row = dict[str, object]

_SERVICE = Path(__file__).parents[1]
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


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="gpu-check.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--dry-run", action="store_true", help="tiny shapes on the CPU")
    parser.add_argument("--shapes", help="names with commas, default all: " + ",".join(shape.name for shape in SHAPES))
    parser.add_argument("--no-tests", action="store_true", help="leave pytest out")
    options = parser.parse_args(argv)
    known = {shape.name: shape for shape in (TINY if options.dry_run else SHAPES)}
    names = options.shapes.split(",") if options.shapes else list(known)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"--shapes: expected names among {', '.join(known)}, got {unknown[0]}")
    if not options.dry_run and not torch.cuda.is_available():
        print("gpu-check: torch sees no CUDA device; --dry-run tries the script on the CPU", file=sys.stderr)
        return 2

    torch.set_num_threads(1)
    device = torch.device("cpu" if options.dry_run else "cuda")
    check = Check(device, time.monotonic() + options.seconds, options.json)
    check.report.update(
        device=torch.cuda.get_device_name() if device.type == "cuda" else "cpu (dry run)",
        torch=torch.__version__,
        cuda=torch.version.cuda,
    )
    previous = signal.signal(signal.SIGTERM, _ended)
    # a kernel that never returns lets no handler run, so this one ends the process outright
    signal.alarm(int(options.seconds) + 20)
    try:
        passed = None if options.no_tests else _run_tests(check)
        check.report["correct"] = passed
        check.report["peak_flops_measured"] = measured = _matmul_flops(device)
        check.report["peak_flops_stated"] = stated = stated_peak(str(check.report["device"]))
        for name in names:
            _measure_shape(check, known[name], stated or measured, tiny=options.dry_run)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGTERM, previous)
        check.keep()
        _print_table(check.rows)
        print(json.dumps(check.report))
    return 1 if passed is False else 0


def _ended(*_: object) -> None:
    raise SystemExit("gpu-check: ended from outside; what was measured so far:")


def _run_tests(check: Check) -> bool | None:
    """None where they could not run."""
    if subprocess.run([sys.executable, "-c", "import pytest"], check=False, capture_output=True).returncode != 0:
        check.skip("tests/device", "pytest is not installed here")
        return None
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/device"]
    env = {**os.environ, "UMAGRAPH_TEST_DEVICE": check.device.type}
    limit = 0.6 * check.left()
    if limit < 10:
        check.skip("tests/device", "no time")
        return None
    try:
        done = subprocess.run(
            command, check=False, cwd=_SERVICE, env=env, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        check.skip("tests/device", f"not done after {limit:.0f} s")
        return None
    print(done.stdout[-6000:], flush=True)
    check.report["tests"] = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-300:]
    return done.returncode == 0


def _matmul_flops(device: torch.device) -> float:
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


def _measure_shape(check: Check, shape: Shape, peak: float, *, tiny: bool) -> None:
    opening = 1.0 if tiny else 15.0 + 10e-9 * shape.parameters
    if check.left() < 2 * opening:
        check.skip(shape.name, f"{max(check.left(), 0):.0f} s left")
        return
    started = time.monotonic()
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.statvfs(memory).f_bavail * os.statvfs(memory).f_frsize > 3 * shape.parameters
    with tempfile.TemporaryDirectory(dir=memory if roomy else None) as scratch:
        folder = shape.save(Path(scratch) / shape.name, check.device)
        _free(check.device)
        engine = open_engine(str(folder), device=check.device.type, dtype="bfloat16")
    print(f"{shape.name}: opened in {time.monotonic() - started:.0f} s, {check.left():.0f} s left", flush=True)
    lengths = [[48] * 4, [96]] if tiny else [[4096] * 4, [16384]]
    for full in (False, True):
        kind = "full" if full else "lora"
        need = shape.parameters * 18
        if full and check.device.type == "cuda" and need > torch.cuda.mem_get_info()[0]:
            check.skip(f"{shape.name} full", f"weights, gradient and Adam take {need / 1e9:.0f} GB, more than is free")
            continue
        try:
            engine.create_model(kind, None if full else LoraConfig(32, seed=0))
            for of in lengths:
                _measure_training(check, engine, shape, kind, of, peak)
        except ServerError as error:
            check.skip(f"{shape.name} {kind}", str(error))
        finally:
            if kind in engine._models:
                engine.unload_model(kind)
            _free(check.device)
    _measure_sampling(check, engine, shape, tiny=tiny)
    del engine
    _free(check.device)


def _measure_training(
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


def _measure_sampling(check: Check, engine: TorchEngine, shape: Shape, *, tiny: bool) -> None:
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


def _free(device: torch.device) -> None:
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()


def _print_table(rows: list[Row]) -> None:
    if not rows:
        return
    names = list(rows[0])
    cells = [names, *([("" if row[name] is None else str(row[name])) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
