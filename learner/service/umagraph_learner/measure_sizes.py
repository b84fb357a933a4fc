"""Memory and speed of training on this CPU, each row in a process of its own: ``python -m umagraph_learner.measure_sizes``.

A row is one sequence whose every token is trained: forward, backward and optimiser step, in float32, at least twice. Turns
after the first are timed, by the processor time of all threads, because other processes may share the machine. Memory is
the most that the process ever had resident, libraries and weights read from files included. Prints a Markdown table and, with ``--json``, the rows.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Torch is imported in the rows' processes only.

#: Sizes of a random Qwen3: hidden, layers, heads, key-value heads, head size, feed-forward, vocabulary.
_RANDOM = {"0.5 M": (128, 3, 4, 2, 32, 256, 600), "2 M": (256, 3, 4, 2, 64, 512, 600)}
_RANK = 8
#: Short turns are repeated, up to so many, until so much processor time is over.
_MOST_TURNS = 10
_LONG_ENOUGH_S = 5.0


@dataclass(frozen=True)
class Row:
    """What to measure. ``model`` is a folder, or one of the random sizes."""

    model: str
    #: None trains all parameters.
    rank: int | None
    #: Tokens of the sequence.
    length: int
    threads: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="also measure this Hugging Face folder: an adapter, and all parameters")
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 2048], metavar="N")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-random", action="store_true", help="not the random models")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows there")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row is not None:
        print(json.dumps(measured(Row(**json.loads(options.row)))))
        return
    works = [] if options.no_random else [(name, None) for name in _RANDOM]
    if options.model is not None:
        works += [(options.model, _RANK), (options.model, None)]
    rows: list[dict[str, Any]] = []
    print("| model | trained | sequence | peak resident | tokens/s | step |\n|---|---|---|---|---|---|", flush=True)
    for length in options.lengths:
        for model, rank in works:
            found = in_a_process(Row(model, rank, length, options.threads))
            rows.append(found)
            print(
                f"| {found['model']}, {found['parameters'] / 1e6:.1f} M | {found['trained']} | {length:,} "
                f"| {found['peak_bytes'] / 1e9:.2f} GB | {found['tokens_per_second']:,.0f} "
                f"| {found['step_seconds']:.2f} s |",
                flush=True,
            )
            if options.json is not None:
                options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


def in_a_process(row: Row) -> dict[str, Any]:
    command = [sys.executable, "-m", "umagraph_learner.measure_sizes", "--row", json.dumps(asdict(row))]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"measuring {row} ended with code {ended.returncode}")
    return json.loads(ended.stdout.splitlines()[-1])


def measured(row: Row) -> dict[str, Any]:
    """Runs the row in this process, whose peak it therefore is. Memory in bytes."""
    import numpy as np
    import torch
    from transformers.utils import logging

    from .contract import AdamParams, Datum, LoraConfig
    from .engine.torch_engine import open_engine
    from .gpu_shapes import Shape

    logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(row.model)
        if row.model in _RANDOM:
            folder = Path(scratch)
            Shape(row.model, *_RANDOM[row.model]).save(folder, torch.device("cpu"))
        parameters = _parameters(folder)
        engine = open_engine(str(folder), dtype="float32", threads=row.threads)
        resident = peak_resident()
        engine.create_model("m", None if row.rank is None else LoraConfig(row.rank, seed=0))
        tokens = np.random.default_rng(0).integers(5, engine.base.vocab_size, row.length + 1)
        inputs = {"target_tokens": tokens[1:].astype(np.int64), "weights": np.ones(row.length, np.float32)}
        data = [Datum(tokens[:-1].astype(np.int32), inputs)]
        # At least twice: the gradient and Adam's state are only all there in the second turn, and the first one warms up.
        passes: list[float] = []
        steps: list[float] = []
        begun = time.process_time()
        while len(passes) < 2 or (len(passes) < _MOST_TURNS and time.process_time() - begun < _LONG_ENOUGH_S):
            start = time.process_time()
            engine.forward("m", data, "cross_entropy", {}, backward=True)
            passed = time.process_time()
            engine.optim_step("m", AdamParams(1e-6))
            passes.append(passed - start)
            steps.append(time.process_time() - passed)
    return {
        "model": "random" if row.model in _RANDOM else engine.base.name,
        "parameters": parameters,
        "length": row.length,
        "threads": row.threads,
        "trained": "all parameters" if row.rank is None else f"LoRA rank {row.rank}",
        "loaded_bytes": resident,
        "peak_bytes": peak_resident(),
        "tokens_per_second": row.length / statistics.median(passes[1:]),
        "step_seconds": statistics.median(steps[1:]),
    }


def _parameters(folder: Path) -> int:
    """As saved, where tied weights are there once."""
    from safetensors import safe_open

    count = 0
    for path in folder.glob("*.safetensors"):
        with safe_open(path, "pt") as file:
            count += sum(math.prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118
    return count


def peak_resident() -> int:
    """The most memory that this process has had resident, in bytes."""
    try:
        # Not getrusage on Linux: there a process begins with the peak of the one that started it.
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main()
