"""An engine without a network, for faults of the protocol: one number per model instead of weights.

Log-probabilities depend on that number, gradients add up, steps move it, checkpoints hold it; so lost, doubled or
reordered work shows in results, as with a real one. Tests only.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from umagraph_learner.contract import (
    AdamParams,
    BaseModel,
    Datum,
    ForwardResult,
    LoraConfig,
    ModelInfo,
    SampledSequence,
    SampleRequest,
    SampleResult,
    UserError,
)

VOCABULARY = 100
CONTEXT = 64


@dataclass
class _Model:
    lora: LoraConfig | None
    weight: float = 0.0
    gradient: float = 0.0
    step: int = 0


def _logprobs(weight: float, targets: np.ndarray) -> np.ndarray:
    return (-np.log(VOCABULARY) - 0.01 * (1 + targets % 7) * (1 + weight)).astype(np.float32)


class FakeEngine:
    base = BaseModel("fake/base", "fake", "fake/base", VOCABULARY, CONTEXT)

    def __init__(self) -> None:
        #: What ran, in order: ("forward", model, loss) and so on.
        self.calls: list[tuple[object, ...]] = []
        self.batches: list[int] = []
        #: Cleared, every job waits at its start.
        self.gate = threading.Event()
        self.gate.set()
        #: Raised by the next call of the method with this name.
        self.faults: dict[str, BaseException] = {}
        #: ``fresh``, or wrongly ``base`` or ``stale`` weights in newly opened samplers.
        self.sampler_serves = "fresh"
        self.models: dict[str, _Model] = {}
        self.samplers: dict[str, float] = {}
        self._previous = 0.0

    def _enter(self, name: str, *details: object) -> None:
        assert self.gate.wait(30)
        self.calls.append((name, *details))
        fault = self.faults.pop(name, None)
        if fault is not None:
            raise fault

    def capabilities(self) -> Mapping[str, object]:
        return {"extensions": ["kl"], "dtype": "float32"}

    def create_model(self, model_id: str, lora: LoraConfig | None) -> ModelInfo:
        self._enter("create_model", model_id)
        self.models[model_id] = _Model(lora)
        return self.info(model_id)

    def unload_model(self, model_id: str) -> None:
        self._enter("unload_model", model_id)
        del self.models[model_id]

    def info(self, model_id: str) -> ModelInfo:
        model = self._model(model_id)
        return ModelInfo(self.base, model.lora, model.step)

    def _model(self, model_id: str) -> _Model:
        if model_id not in self.models:
            raise UserError(f"there is no model {model_id}")
        return self.models[model_id]

    def check(self, data: Sequence[Datum], loss_fn: str, config: Mapping[str, float]) -> None:
        if loss_fn not in ("cross_entropy", "ppo"):
            raise UserError(f"unknown loss_fn {loss_fn!r}")
        if not data:
            raise UserError("expected at least one datum")
        unknown = set(config) - {"clip_low_threshold", "clip_high_threshold"}
        if unknown or not all(np.isfinite(list(config.values()))):
            raise UserError(f"unknown or non-finite config: {sorted(config)}")
        for index, datum in enumerate(data):
            n = len(datum.tokens)
            if n == 0 or datum.tokens.min() < 0 or datum.tokens.max() >= VOCABULARY or n > CONTEXT:
                raise UserError(f"datum {index}: tokens must be 1 to {CONTEXT} ids below {VOCABULARY}")
            if "target_tokens" not in datum.inputs:
                raise UserError(f"datum {index}: target_tokens is missing")
            for name, array in datum.inputs.items():
                if name not in ("target_tokens", "weights", "logprobs", "advantages"):
                    raise UserError(f"datum {index}: unknown input {name!r}")
                if array.shape != (n,):
                    raise UserError(f"datum {index}: {name} must have shape [{n}]")
                if array.dtype.kind != ("i" if name == "target_tokens" else "f"):
                    raise UserError(f"datum {index}: {name} has dtype {array.dtype}")
                if array.dtype.kind == "f" and not np.isfinite(array).all():
                    raise UserError(f"datum {index}: {name} is not finite")
            targets = datum.inputs["target_tokens"]
            if targets.min() < 0 or targets.max() >= VOCABULARY:
                raise UserError(f"datum {index}: target outside the vocabulary")

    def forward(
        self, model_id: str, data: Sequence[Datum], loss_fn: str, config: Mapping[str, float], *, backward: bool
    ) -> ForwardResult:
        self._enter("backward" if backward else "forward", model_id, len(data))
        model = self._model(model_id)
        rows = [_logprobs(model.weight, datum.inputs["target_tokens"]) for datum in data]
        weights = [datum.inputs.get("weights", np.ones(len(datum.tokens), np.float32)) for datum in data]
        if backward:
            model.gradient += float(sum(w.sum() for w in weights))
        loss = -float(sum((w * row).sum() for w, row in zip(weights, rows, strict=True)))
        return ForwardResult(rows, {"loss:sum": loss})

    def optim_step(self, model_id: str, params: AdamParams) -> Mapping[str, float]:
        self._enter("optim_step", model_id)
        model = self._model(model_id)
        moved = params.learning_rate * model.gradient
        model.weight += moved
        gradient, model.gradient = model.gradient, 0.0
        model.step += 1
        return {"grad_norm": abs(gradient), "update_norm": abs(moved)}

    def save_state(self, model_id: str, folder: Path) -> None:
        self._enter("save_state", model_id, folder.name)
        model = self._model(model_id)
        self._write(folder, {"weight": model.weight, "step": model.step, "lora": model.lora and asdict(model.lora)})

    @staticmethod
    def _write(folder: Path, value: Mapping[str, object]) -> None:
        partial = folder.with_name(f".{folder.name}.partial")
        partial.mkdir(parents=True)
        (partial / "state.json").write_text(json.dumps(value))
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)

    def load_state(self, model_id: str, folder: Path, *, optimizer: bool) -> None:
        self._enter("load_state", model_id, optimizer)
        state = json.loads((folder / "state.json").read_text())
        model = self._model(model_id)
        model.weight, model.step = state["weight"], state["step"] if optimizer else 0

    def saved_lora(self, folder: Path) -> LoraConfig | None:
        lora = json.loads((folder / "state.json").read_text())["lora"]
        return None if lora is None else LoraConfig(**lora)

    def save_for_sampler(self, model_id: str, folder: Path) -> None:
        self._enter("save_for_sampler", model_id)
        self._write(folder, {"weight": self._model(model_id).weight})

    def open_sampler(self, sampler_id: str, folder: Path | None) -> None:
        self._enter("open_sampler", sampler_id)
        if sampler_id in self.samplers:
            raise UserError(f"sampler {sampler_id} is open already")
        if folder is None:
            self.samplers[sampler_id] = 0.0
            return
        weight = json.loads((folder / "state.json").read_text())["weight"]
        self.samplers[sampler_id] = {"fresh": weight, "base": 0.0, "stale": self._previous}[self.sampler_serves]
        self._previous = weight

    def close_sampler(self, sampler_id: str) -> None:
        self._enter("close_sampler", sampler_id)
        del self.samplers[sampler_id]

    def sample(self, sampler_id: str, requests: Sequence[SampleRequest]) -> Sequence[SampleResult]:
        self._enter("sample", sampler_id, len(requests))
        self.batches.append(len(requests))
        if any(9 in request.prompt for request in requests):
            raise UserError("token 9 is unlucky")
        return [self._sample(self.samplers[sampler_id], request) for request in requests]

    @staticmethod
    def _sample(weight: float, request: SampleRequest) -> SampleResult:
        count = request.params.max_tokens or 4
        sequences = []
        for index in range(request.num_samples):
            rng = np.random.default_rng([request.params.seed or 0, index])
            tokens = rng.integers(0, VOCABULARY, count).astype(np.int32)
            sequences.append(SampledSequence(tokens, _logprobs(weight, tokens), "length"))
        prompt = None
        if request.prompt_logprobs:
            prompt = np.full(len(request.prompt), np.nan, np.float32)
            first = (
                1 if request.prompt_logprobs_last_n is None else len(request.prompt) - request.prompt_logprobs_last_n
            )
            prompt[first:] = _logprobs(weight, request.prompt[first:])
        return SampleResult(sequences, prompt)
