"""The engine of ``contract.py`` on torch: one base model, models trained on it, samplers of their weights."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer

from ..contract import (
    AdamParams,
    BaseModel,
    Datum,
    ForwardResult,
    LoraConfig,
    ModelInfo,
    SampleRequest,
    SampleResult,
    ServerError,
    UserError,
)
from . import checkpoints
from .adam import adam_step
from .lora import Factors, paired, targets, wearing
from .loss_inputs import checked
from .loss_pass import loss_pass
from .losses import COMMON, KL_KINDS, LOSSES
from .network import Network, load_network
from .sampler import Sampler
from .settings import Settings, default_settings
from .trained_model import TrainedModel, full_model, lora_model


@dataclass(frozen=True)
class _Weights:
    """What a sampler samples from. ``factors`` None: the network as it is."""

    network: Network
    factors: Mapping[str, Factors] | None


def open_engine(
    folder: str,
    *,
    device: str = "cpu",
    dtype: str | None = None,
    threads: int = 1,
    name: str | None = None,
    max_context_length: int | None = None,
    settings: Settings | None = None,
    liger: bool = True,
) -> TorchEngine:
    """Loads a Hugging Face folder, or a hub id that can be reached. ``dtype`` is float32 on the CPU and bfloat16 on CUDA unless given.

    ``liger`` allows Liger's kernels on CUDA; ``capabilities`` says whether they are used, and why not.
    ``name`` is what clients call it: by default the hub id, or the folder's last component, so that no record names a
    place on this machine.
    One thread by default: with more, a core that another process uses makes every small operation wait for it.
    Raises ``UserError`` for a folder or device that cannot be used.
    """
    torch.set_num_threads(threads)
    where = _device(device)
    kind = {
        None: torch.bfloat16 if where.type == "cuda" else torch.float32,
        "float32": torch.float32,
        "bfloat16": torch.bfloat16,
    }
    if dtype not in kind:
        raise UserError(f"expected dtype float32 or bfloat16, got {dtype!r}")
    local = _local(folder)
    network = load_network(local, where, kind[dtype], liger=liger)
    return TorchEngine(network, local, name or _name(folder), max_context_length, settings or default_settings(where))


def _device(device: str) -> torch.device:
    if device == "cuda" and not torch.cuda.is_available():
        raise UserError("expected a CUDA device, but torch sees none; start with device cpu, or install torch for CUDA")
    if device not in ("cpu", "cuda"):
        raise UserError(f"expected device cpu or cuda, got {device!r}")
    return torch.device(device)


def _name(folder: str) -> str:
    return Path(os.path.abspath(folder)).name or "model" if Path(folder).is_dir() else folder


def _local(folder: str) -> Path:
    path = Path(folder)
    if path.is_dir():
        return path
    if folder.count("/") != 1 or folder.startswith((".", "/", "~")):
        raise UserError(
            f"expected a model folder or a hub id such as Qwen/Qwen3-0.6B, got {folder!r}, which does not exist"
        )
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(folder))
    except Exception as error:  # offline, unknown, forbidden: the library has an exception for each
        raise UserError(f"{folder!r} is no folder here and could not be fetched from the hub: {error}") from error


class TorchEngine:
    """See ``contract.Engine``. ``open_engine`` makes one."""

    def __init__(self, network: Network, folder: Path, name: str, context: int | None, settings: Settings) -> None:
        self._network = network
        self._folder = folder
        self._settings = settings
        self._models: dict[str, TrainedModel] = {}
        self._samplers: dict[str, _Weights] = {}
        self._tokenizer: Tokenizer | None = None
        config = network.config
        limit = int(config.max_position_embeddings)
        if context is not None and not 0 < context <= limit:
            raise UserError(f"expected a context from 1 to {limit}, the model's own, got {context}")
        self.base = BaseModel(name, config.model_type, name, network.vocabulary, context or limit)

    def capabilities(self) -> Mapping[str, object]:
        return {
            "losses": list(LOSSES),
            "config_keys": {loss: {**COMMON, **spec.defaults} for loss, spec in LOSSES.items()},
            "reduction": "sum",
            "extensions": {"kl": {"kinds": list(KL_KINDS), "tensors": ["ref_logprobs", "kl_weights"]}},
            "device": self._network.device.type,
            "dtype": str(self._network.dtype).removeprefix("torch."),
            "kernels": {"source": self._network.kernels.source, "reason": self._network.kernels.reason},
            "tied_embeddings": self._network.tied,
            "max_batch": self._settings.max_batch,
            "micro_batch_tokens": self._settings.micro_batch_tokens,
            "sampled_logprobs": "at the sampling temperature, not renormalised by top_k or top_p",
        }

    # models

    def create_model(self, model_id: str, lora: LoraConfig | None) -> ModelInfo:
        if model_id in self._models:
            raise UserError(f"expected a new model id, {model_id} exists")
        with _guarded():
            self._models[model_id] = full_model(self._network) if lora is None else lora_model(self._network, lora)
        return self.info(model_id)

    def unload_model(self, model_id: str) -> None:
        self._model(model_id)
        del self._models[model_id]

    def info(self, model_id: str) -> ModelInfo:
        model = self._model(model_id)
        return ModelInfo(self.base, model.lora, model.parameters.step, model.warnings)

    # training

    def check(self, data: Sequence[Datum], loss_fn: str, config: Mapping[str, float]) -> None:
        checked(data, loss_fn, config, self.base.vocab_size, self.base.max_context_length)

    def forward(
        self, model_id: str, data: Sequence[Datum], loss_fn: str, config: Mapping[str, float], *, backward: bool
    ) -> ForwardResult:
        model = self._model(model_id)
        request = checked(data, loss_fn, config, self.base.vocab_size, self.base.max_context_length)
        with _guarded(), model.ready() as network:
            if not backward:
                return loss_pass(network, request, self._settings, None)
            model.parameters.begin()
            try:
                result = loss_pass(network, request, self._settings, model.parameters)
                model.parameters.commit()
            except BaseException:
                model.parameters.rollback()
                raise
            return result

    def optim_step(self, model_id: str, params: AdamParams) -> Mapping[str, float]:
        model = self._model(model_id)
        with _guarded():
            return adam_step(model.parameters, params)

    # checkpoints

    def save_state(self, model_id: str, folder: Path) -> None:
        model = self._model(model_id)
        with _guarded():
            checkpoints.save_state(model, folder)

    def load_state(self, model_id: str, folder: Path, *, optimizer: bool) -> None:
        model = self._model(model_id)
        with _guarded():
            checkpoints.load_state(model, folder, optimizer=optimizer)

    def saved_lora(self, folder: Path) -> LoraConfig | None:
        return checkpoints.saved_lora(folder)

    def save_for_sampler(self, model_id: str, folder: Path) -> None:
        model = self._model(model_id)
        with _guarded():
            checkpoints.save_for_sampler(model, folder, self._folder, self.base.name)

    # sampling

    def open_sampler(self, sampler_id: str, folder: Path | None) -> None:
        if sampler_id in self._samplers:
            raise UserError(f"expected a new sampler id, {sampler_id} exists")
        with _guarded():
            self._samplers[sampler_id] = _Weights(self._network, None) if folder is None else self._read_weights(folder)

    def close_sampler(self, sampler_id: str) -> None:
        self._weights(sampler_id)
        del self._samplers[sampler_id]

    def sample(self, sampler_id: str, requests: Sequence[SampleRequest]) -> Sequence[SampleResult]:
        weights = self._weights(sampler_id)
        network = weights.network
        sampler = Sampler(network, self._settings, self.base.max_context_length, self._end_tokens(), self._decode)
        with _guarded(), wearing(network.model, weights.factors):
            return sampler.sample(requests)

    def _read_weights(self, folder: Path) -> _Weights:
        lora, tensors = checkpoints.read_for_sampler(folder)
        if lora is not None:
            layers = targets(self._network.model, lora, tied=self._network.tied)
            expected = {f"{name}.lora_{side}" for name in layers for side in "AB"}
            if set(tensors) != expected:
                raise UserError(f"the adapter at {folder.name} was trained on another model")
            # in what the layers compute in: nothing is trained here
            placed = {name: t.to(self._network.device, self._network.dtype) for name, t in tensors.items()}
            return _Weights(self._network, paired(placed, lora.rank))
        network = self._network.twin()
        own = {name: parameter.shape for name, parameter in network.model.named_parameters()}
        if {name: t.shape for name, t in tensors.items()} != own:
            raise UserError(f"the weights at {folder.name} are of another model")
        network.copy_in(tensors)
        return _Weights(network, None)

    def _end_tokens(self) -> list[int]:
        """As generation uses them: the generation config's, else the model's."""
        generation = getattr(self._network.model, "generation_config", None)
        found = getattr(generation, "eos_token_id", None)
        if found is None:
            found = self._network.config.eos_token_id
        return [] if found is None else [found] if isinstance(found, int) else list(found)

    def _decode(self, tokens: Sequence[int]) -> str:
        if self._tokenizer is None:
            path = self._folder / "tokenizer.json"
            if not path.is_file():
                raise UserError(
                    "stop strings need a tokenizer.json in the model folder, there is none; stop at token ids instead"
                )
            self._tokenizer = Tokenizer.from_file(str(path))
        return self._tokenizer.decode(list(tokens), skip_special_tokens=False)

    def _model(self, model_id: str) -> TrainedModel:
        model = self._models.get(model_id)
        if model is None:
            raise UserError(f"there is no model {model_id}")
        return model

    def _weights(self, sampler_id: str) -> _Weights:
        weights = self._samplers.get(sampler_id)
        if weights is None:
            raise UserError(f"there is no sampler {sampler_id}")
        return weights


#: What torch and the libraries below it say when memory has run out, in errors that have no class of their own.
_NO_MEMORY = ("out of memory", "allocate memory", "not enough memory", "alloc_failed")


@contextmanager
def _guarded() -> Iterator[None]:
    """Turns what torch raises into errors of the contract. A request that needs more memory than there is counts as the user's."""
    try:
        yield
    except (UserError, ServerError):
        raise
    except Exception as error:
        if not _is_out_of_memory(error):
            raise ServerError(f"{type(error).__name__}: {_short(error)}") from error
        # the frames below hold the tensors of the request for as long as somebody holds the error
        traceback.clear_frames(error.__traceback__)
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        raise UserError(
            f"out of memory: {_short(error)}; send fewer or shorter sequences, or train an adapter"
        ) from error


def _is_out_of_memory(error: Exception) -> bool:
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _NO_MEMORY)


def _short(error: BaseException) -> str:
    return json.dumps(str(error).strip().splitlines()[0][:300]) if str(error).strip() else "no further word"
