"""``gpu-check.sh`` on a machine without a GPU, so that it works when there is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from umagraph_learner import gpu_check
from umagraph_learner.gpu_shapes import SHAPES, TINY

SCRIPT = Path(__file__).parents[1] / "gpu-check.sh"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "UMAGRAPH_PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    return subprocess.run([str(SCRIPT), *arguments], check=False, env=env, capture_output=True, text=True, timeout=1500)


def test_a_dry_run_measures_everything_and_prints_a_table_and_json(tmp_path: Path) -> None:
    done = run("--dry-run", "--seconds", "1200", "--json", str(tmp_path / "out.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report == json.loads((tmp_path / "out.json").read_text())
    assert report["correct"] is True
    assert " passed" in report["tests"]
    assert report["skipped"] == []
    assert [(row["work"], row["sequences"], row["length"]) for row in report["rows"]] == [
        ("lora", 4, 48),
        ("lora", 1, 96),
        ("full", 4, 48),
        ("full", 1, 96),
        ("sampling", 4, 24),
    ]
    for row in report["rows"]:
        assert row["tokens_per_second"] > 0
        assert row["peak_gb"] is None  # not known of a CPU, and not made up
        assert (row["mfu"] is None) == (row["work"] == "sampling")
    assert "tokens_per_second" in done.stdout.splitlines()[-7]


def test_without_time_it_skips_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu_check.main(["--dry-run", "--no-tests", "--seconds", "0"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["rows"] == []
    assert report["correct"] is None
    assert report["skipped"] == ["tiny: 0 s left"]


def test_tests_that_fail_fail_the_check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpu_check, "_run_tests", lambda check: False)
    assert gpu_check.main(["--dry-run", "--seconds", "0"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["correct"] is False


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_device_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu_check.main([]) == 2
    assert "no CUDA device" in capsys.readouterr().err


def test_unknown_shapes_are_refused() -> None:
    with pytest.raises(SystemExit):
        gpu_check.main(["--dry-run", "--shapes", "7B"])


def test_shapes_have_the_parameters_they_are_named_for(tmp_path: Path) -> None:
    # as published: 0.6 B with 0.44 B outside of the embedding, 1.7 B with 1.4 B, 4.0 B with 3.6 B
    assert [round(shape.parameters / 1e9, 2) for shape in SHAPES] == [0.6, 1.72, 4.02]
    (tiny,) = TINY
    model = AutoModelForCausalLM.from_pretrained(tiny.save(tmp_path / "tiny", torch.device("cpu")))
    assert sum(p.numel() for p in model.parameters()) == tiny.parameters


def test_operations_are_counted_by_their_kind() -> None:
    (tiny,) = TINY
    linear = tiny.training_flops([10], 0, full=True) - tiny.training_flops([10], 0, full=False)
    assert linear == 2 * tiny.layer_parameters * 10
    # one sequence of 2n has twice the attention of two of n, and the same of everything else
    more = tiny.training_flops([20], 5, full=True) - tiny.training_flops([10, 10], 5, full=True)
    assert more == 3 * 2 * tiny.layers * tiny.heads * tiny.head_dim * (400 - 200)
