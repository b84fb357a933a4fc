"""What clients call the base model, and records therefore say."""

from __future__ import annotations

from pathlib import Path

import pytest

from umagraph_learner.engine.torch_engine import _name, open_engine


def test_a_folder_is_called_by_its_last_component_unless_a_name_is_given(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_engine(str(tiny_folder)).base.name == tiny_folder.name
    assert open_engine(str(tiny_folder), name="my/name").base.name == "my/name"
    assert _name(f"{tiny_folder}/") == tiny_folder.name
    monkeypatch.chdir(tiny_folder)
    assert _name(".") == tiny_folder.name
    assert _name(f"../{tiny_folder.name}") == tiny_folder.name
    assert _name("../..") == tiny_folder.parents[1].name


def test_a_hub_id_stays_whole() -> None:
    assert _name("Qwen/Qwen3-0.6B") == "Qwen/Qwen3-0.6B"
