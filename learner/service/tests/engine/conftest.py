from __future__ import annotations

from pathlib import Path

import pytest
from engine_case import Reference
from tiny_model import make_tiny_model

from umagraph_learner.engine.torch_engine import TorchEngine, open_engine


@pytest.fixture(scope="session")
def loaded(tiny_folder: Path) -> TorchEngine:
    return open_engine(str(tiny_folder))


@pytest.fixture
def engine(loaded: TorchEngine, tiny_folder: Path) -> TorchEngine:
    """With a model ``full`` that trains all parameters. The base model, which nothing changes, is loaded once."""
    opened = TorchEngine(loaded._network, tiny_folder, "tiny", None, loaded._settings)
    opened.create_model("full", None)
    return opened


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama with an output layer of its own."""
    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny-llama", family="llama", tied=False, seed=3)


@pytest.fixture(scope="session")
def reference(tiny_folder: Path) -> Reference:
    return Reference(tiny_folder)
