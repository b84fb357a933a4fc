from __future__ import annotations

import sys
from pathlib import Path

import pytest

# the engine's tests have what compares gradients
sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))

from engine_case import Reference

from umagraph_learner.engine.torch_engine import TorchEngine, open_engine


@pytest.fixture(scope="session")
def reference(tiny_folder: Path) -> Reference:
    return Reference(tiny_folder)


@pytest.fixture(scope="session")
def engine(tiny_folder: Path) -> TorchEngine:
    """Float32, with no model yet: each test makes its own."""
    return open_engine(str(tiny_folder))
