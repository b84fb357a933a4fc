"""Data, and the reference that the engine's tests compare with: plain padded Hugging Face code and autograd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM

from umagraph_learner.contract import Datum
from umagraph_learner.engine.torch_engine import TorchEngine

VOCABULARY = 600


def datum(tokens: np.ndarray, **inputs: np.ndarray) -> Datum:
    """``tokens`` [n + 1] not yet shifted; inputs [n]."""
    return Datum(
        tokens[:-1].astype(np.int32),
        {
            "target_tokens": tokens[1:].astype(np.int64),
            **{name: np.asarray(x, dtype=np.float32) for name, x in inputs.items()},
        },
    )


def rows(lengths: Sequence[int], seed: int = 0) -> list[np.ndarray]:
    """Random sequences with ``length`` targets each."""
    rng = np.random.default_rng(seed)
    return [rng.integers(5, VOCABULARY, length + 1) for length in lengths]


def batch(lengths: Sequence[int], seed: int = 0) -> list[Datum]:
    """Cross-entropy data with random signed weights, a third of them 0."""
    rng = np.random.default_rng(seed + 1)
    return [
        datum(row, weights=rng.normal(size=len(row) - 1) * (rng.random(len(row) - 1) > 1 / 3))
        for row in rows(lengths, seed)
    ]


class Reference:
    """The same model by transformers' own code, one sequence at a time, in float64 so that it is the exact side of a comparison."""

    def __init__(self, folder: Path) -> None:
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64)

    def logprobs(self, one: Datum, temperature: float = 1.0) -> Tensor:
        """[n], with a graph."""
        logits = self.model(input_ids=torch.from_numpy(one.tokens.astype(np.int64))[None]).logits[0]
        targets = torch.from_numpy(one.inputs["target_tokens"].astype(np.int64))
        return torch.log_softmax(logits / temperature, -1).gather(1, targets[:, None])[:, 0]

    def gradient(self, loss: Tensor) -> dict[str, Tensor]:
        """By parameter name, as the engine names them."""
        self.model.zero_grad()
        loss.backward()
        return {name: p.grad.clone() for name, p in self.model.named_parameters() if p.grad is not None}


def gradient(engine: TorchEngine, model_id: str) -> dict[str, Tensor]:
    """What the engine has accumulated, by parameter name; a copy."""
    parameters = engine._models[model_id].parameters
    assert parameters.gradient is not None
    return {name: tensor.clone() for name, tensor in parameters.named(parameters.gradient).items()}


def weights(engine: TorchEngine, model_id: str) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in engine._models[model_id].weights().items()}


def distance(left: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> float:
    """Length of the difference over the length of ``right``, all parameters together."""
    assert left.keys() == right.keys()
    apart = sum(float((left[name].detach().double() - right[name].double()).square().sum()) for name in right)
    whole = sum(float(tensor.double().square().sum()) for tensor in right.values())
    return (apart / whole) ** 0.5
