"""Sampler weights by name: which folder a sampling session reads, and which of them are in memory.

The engine knows a sampler by an id of ours that is new for every save, so weights saved again under an old name are
never taken for the old ones.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from umagraph_learner.contract import Engine, UserError

BASE_SAMPLER = "base"


@dataclass(frozen=True)
class SamplerWeights:
    """``engine_id`` is unique per save; ``folder`` None is the base model."""

    engine_id: str
    folder: Path | None
    model_path: str | None
    #: Names the weights; None when nobody has scored them yet.
    fingerprint: str | None = None
    #: Optimiser steps behind them, when known.
    step: int | None = None
    #: Whether the folder still holds them: a name can be overwritten or deleted.
    still_there: Callable[[], bool] = lambda: True


@dataclass(frozen=True)
class SamplingSession:
    sampler_id: str
    session_id: str
    weights: SamplerWeights


class OpenSamplers:
    """Keeps the most recently used samplers in memory. All methods run on the engine's thread."""

    def __init__(self, engine: Engine, capacity: int) -> None:
        self._engine = engine
        self._capacity = capacity
        self._open: OrderedDict[str, None] = OrderedDict()
        self._base_open = False

    def use(self, weights: SamplerWeights) -> str:
        """Opens the weights if they are not in memory; returns the engine's name for them."""
        if weights.folder is None:
            if not self._base_open:
                self._engine.open_sampler(BASE_SAMPLER, None)
                self._base_open = True
            return BASE_SAMPLER
        if weights.engine_id in self._open:
            self._open.move_to_end(weights.engine_id)
            return weights.engine_id
        if not (weights.folder.is_dir() and weights.still_there()):
            raise UserError(
                f"the sampler weights {weights.model_path or weights.engine_id} are no longer kept: "
                "publish again, or save them under a name to keep them"
            )
        while len(self._open) >= self._capacity:
            oldest, _ = self._open.popitem(last=False)
            self._engine.close_sampler(oldest)
        self._engine.open_sampler(weights.engine_id, weights.folder)
        self._open[weights.engine_id] = None
        return weights.engine_id

    def close(self, engine_id: str) -> None:
        if engine_id in self._open:
            del self._open[engine_id]
            self._engine.close_sampler(engine_id)

    def checked(self, weights: SamplerWeights, check: Callable[[str], str]) -> str:
        """Opens fresh weights and runs ``check`` on them; weights that fail it are closed again."""
        engine_id = self.use(weights)
        try:
            return check(engine_id)
        except BaseException:
            self.close(engine_id)
            raise
