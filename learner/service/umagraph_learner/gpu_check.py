"""Correctness, speed and memory of the engine on one device within a time: ``python -m umagraph_learner.gpu_check``.

First ``tests/device`` by pytest; then, per model shape with random weights, forward and backward and a step, with LoRA and with
all parameters, on sequences of two lengths, and sampling. What does not fit into memory or time is skipped and says so. Prints
a table, and the same as JSON in the last line; ``--json`` writes it to a file too, after every measurement.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from .contract import LoraConfig, ServerError
from .engine.torch_engine import open_engine
from .gpu_measure import Check, Row, free, matmul_flops, measure_sampling, measure_training
from .gpu_shapes import SHAPES, TINY, Shape, stated_peak

_SERVICE = Path(__file__).parents[1]


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
        check.report["peak_flops_measured"] = measured = matmul_flops(device)
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
        free(check.device)
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
                measure_training(check, engine, shape, kind, of, peak)
        except ServerError as error:
            check.skip(f"{shape.name} {kind}", str(error))
        finally:
            if kind in engine._models:
                engine.unload_model(kind)
            free(check.device)
    measure_sampling(check, engine, shape, tiny=tiny)
    del engine
    free(check.device)


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
