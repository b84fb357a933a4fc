"""The models being trained: their place in a session, their ordered queue, and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from umagraph_learner.contract import ModelInfo
from umagraph_learner.server.errors import ApiError
from umagraph_learner.server.futures import Promise
from umagraph_learner.server.ordered_queue import OrderedQueue


@dataclass
class Model:
    model_id: str
    session_id: str
    queue: OrderedQueue
    creation: Promise
    fingerprint: bytes
    user_metadata: dict[str, Any] | None
    last_request: str
    #: None: usable (or about to be). Else why not.
    unusable: str | None = None
    #: As of the last request that changed it; None until it is made. Written by the engine's thread.
    info: ModelInfo | None = None
    #: Whether an optimiser step has changed the weights since the model was made. Written by the engine's thread.
    stepped: bool = False
    #: Folders of unnamed publishes that are kept, oldest first. Written by the engine's thread.
    unnamed: list[Path] = field(default_factory=list)


class Models:
    def __init__(self) -> None:
        self._by_id: dict[str, Model] = {}

    def add(self, model: Model) -> None:
        self._by_id[model.model_id] = model

    def find(self, model_id: str) -> Model | None:
        return self._by_id.get(model_id)

    def live(self, model_id: object) -> Model:
        """The model, noted as asked for now. Raises 404 with the reason it cannot be used."""
        model = self._by_id.get(model_id) if isinstance(model_id, str) else None
        if model is None:
            raise ApiError(
                404,
                f"model {model_id!r:.200} is not known here (was the server restarted?): "
                "create one, or load a saved state with load_weights",
            )
        if model.unusable is not None:
            raise ApiError(404, f"model {model.model_id} cannot be used: {model.unusable}")
        model.last_request = now_iso()
        return model

    def all(self) -> list[Model]:
        """Newest first."""
        return list(reversed(self._by_id.values()))

    def usable_count(self) -> int:
        return sum(1 for model in self._by_id.values() if model.unusable is None)


def now_iso() -> str:
    return datetime.now(UTC).isoformat()
