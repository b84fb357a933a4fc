"""What the server and the engine say to each other: plain values, no HTTP, no torch.

Arrays are numpy. A datum is already shifted: position t of every loss input belongs to the prediction of
``target_tokens[t]`` from ``tokens[: t + 1]``. Reductions are sums over tokens and datums, always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


class UserError(Exception):
    """The request is wrong, or asks for more memory than there is: says what was expected and what came.

    The model is as it was (category ``user``).
    """


class ServerError(Exception):
    """The request is right and could not be served, such as a full disk. The model is as it was (category ``server``)."""


@dataclass(frozen=True)
class Datum:
    """One sequence: ``tokens`` [n] int32 and loss inputs, each [n] (``target_tokens`` int64, the others float32)."""

    tokens: Int32
    inputs: Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True)
class ForwardResult:
    """``logprobs``: one float32 [n] per datum, log p(target) in nats; ``metrics``: ``loss:sum`` and others by suffix."""

    logprobs: Sequence[Float32]
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class LoraConfig:
    rank: int
    seed: int | None = None
    train_unembed: bool = True
    train_mlp: bool = True
    train_attn: bool = True


@dataclass(frozen=True)
class AdamParams:
    learning_rate: float = 1e-4
    beta1: float = 0.9
    beta2: float = 0.95
    eps: float = 1e-12
    weight_decay: float = 0.0
    #: 0 turns clipping off.
    grad_clip_norm: float = 0.0


@dataclass(frozen=True)
class SamplingParams:
    max_tokens: int | None = None
    seed: int | None = None
    #: Token ids, strings, or None for the model's own end token; an empty list never stops.
    stop: Sequence[int] | Sequence[str] | None = None
    temperature: float = 1.0
    #: -1 is off.
    top_k: int = -1
    top_p: float = 1.0


@dataclass(frozen=True)
class SampleRequest:
    prompt: Int32
    params: SamplingParams
    num_samples: int = 1
    prompt_logprobs: bool = False
    #: Only the last so many prompt positions are scored; None for all.
    prompt_logprobs_last_n: int | None = None


@dataclass(frozen=True)
class SampledSequence:
    tokens: Int32
    logprobs: Float32
    #: ``stop`` or ``length``.
    stop_reason: str


@dataclass(frozen=True)
class SampleResult:
    sequences: Sequence[SampledSequence]
    #: [prompt length] float32; NaN where there is none (the first token, and what was not asked for).
    prompt_logprobs: Float32 | None


@dataclass(frozen=True)
class BaseModel:
    """What the server was started with."""

    name: str
    arch: str
    tokenizer_id: str
    vocab_size: int
    max_context_length: int


@dataclass(frozen=True)
class ModelInfo:
    base: BaseModel
    #: None for full fine-tuning.
    lora: LoraConfig | None
    #: Optimiser steps taken.
    step: int
    warnings: Sequence[str] = field(default_factory=tuple)


class Engine(Protocol):
    """One base model, any number of trained models on it. Not thread-safe: the server calls from one worker thread.

    Every method either does its work whole or raises ``UserError``/``ServerError`` and leaves the model as it was.
    """

    base: BaseModel

    def capabilities(self) -> Mapping[str, object]:
        """Extensions, device, dtype, kernels, limits: goes into get_server_capabilities as it is."""
        ...

    def create_model(self, model_id: str, lora: LoraConfig | None) -> ModelInfo:
        """A fresh model on the base weights; ``None`` trains all parameters."""
        ...

    def unload_model(self, model_id: str) -> None: ...

    def info(self, model_id: str) -> ModelInfo: ...

    def check(self, data: Sequence[Datum], loss_fn: str, config: Mapping[str, float]) -> None:
        """Cheap validation before queueing: shapes, dtypes, ids within the vocabulary, finite inputs, known names."""
        ...

    def forward(
        self, model_id: str, data: Sequence[Datum], loss_fn: str, config: Mapping[str, float], *, backward: bool
    ) -> ForwardResult:
        """With ``backward`` the gradient is added to what has been accumulated since the last optimiser step."""
        ...

    def optim_step(self, model_id: str, params: AdamParams) -> Mapping[str, float]:
        """One AdamW step on the accumulated gradient, which it then clears. A non-finite gradient: no step, an error."""
        ...

    def save_state(self, model_id: str, folder: Path) -> None:
        """Weights, optimiser and step into ``folder`` (written beside, then renamed)."""
        ...

    def load_state(self, model_id: str, folder: Path, *, optimizer: bool) -> None: ...

    def saved_lora(self, folder: Path) -> LoraConfig | None:
        """How a saved state was made, so that a model can be created from it."""
        ...

    def save_for_sampler(self, model_id: str, folder: Path) -> None:
        """Sampler weights: for full training a folder that Hugging Face tools load, for LoRA an adapter folder."""
        ...

    def open_sampler(self, sampler_id: str, folder: Path | None) -> None:
        """Loads sampler weights under a name; ``None`` is the base model. A snapshot: later steps do not change it."""
        ...

    def close_sampler(self, sampler_id: str) -> None: ...

    def sample(self, sampler_id: str, requests: Sequence[SampleRequest]) -> Sequence[SampleResult]:
        """All requests as one batch. The same request with the same seed gives the same tokens, whatever it is batched with."""
        ...
