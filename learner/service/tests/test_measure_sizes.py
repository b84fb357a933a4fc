"""A row measured in a process of its own has a plausible peak, and names no place on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from safetensors.torch import load_file

from umagraph_learner.measure_sizes import Row, in_a_process


@pytest.mark.parametrize("rank", [None, 8])
def test_a_row_tells_what_was_trained_and_what_it_took(
    tiny_folder: Path, rank: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    row = in_a_process(Row(str(tiny_folder), rank, 24, 1))
    assert row["model"] == tiny_folder.name
    assert row["trained"] == ("all parameters" if rank is None else "LoRA rank 8")
    assert row["parameters"] == sum(t.numel() for t in load_file(tiny_folder / "model.safetensors").values())
    assert 100 << 20 < row["loaded_bytes"] <= row["peak_bytes"] < 8 << 30
    assert row["tokens_per_second"] > 0
