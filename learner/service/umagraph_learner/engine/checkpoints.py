"""Saved states (weights, optimiser, step) and sampler weights (a Hugging Face or an adapter folder)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from ..contract import LoraConfig, UserError
from .durable import appearing, read_manifest, write_manifest
from .lora import from_peft_names, peft_names, write_peft_config
from .trained_model import TrainedModel

_STATE, _SAMPLER = "training state", "sampler weights"
_WEIGHTS, _ADAPTER, _OPTIMIZER = "model.safetensors", "adapter_model.safetensors", "optimizer.safetensors"

#: What a sampler or another program needs beside the weights.
_COMPANIONS = (
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "tokenizer.model",
    "chat_template.jinja",
    "chat_template.json",
)


def save_state(model: TrainedModel, folder: Path) -> None:
    """A gradient that no step has used is not part of a state. Training draws no random numbers, so neither is a generator."""
    with appearing(folder) as fresh:
        _write(model.weights(), fresh / _WEIGHTS)
        moments = model.parameters.moments
        if moments is not None:
            both = {"first": moments[0], "second": moments[1]}
            named = {f"{kind}.{name}": t for kind, m in both.items() for name, t in model.parameters.named(m).items()}
            _write(named, fresh / _OPTIMIZER)
        write_manifest(
            fresh,
            {
                "kind": _STATE,
                "version": 1,
                "lora": model.lora and asdict(model.lora),
                "step": model.parameters.step,
                "moments": moments is not None,
            },
        )


def load_state(model: TrainedModel, folder: Path, *, optimizer: bool) -> None:
    """Everything is read and compared before anything is changed. Drops a gradient that no step has used."""
    content = read_manifest(folder, _STATE)
    saved, own = _lora(content), model.lora
    if (saved and saved.rank) != (own and own.rank):
        raise UserError(f"expected a state of a model with {_described(own)}, the saved one has {_described(saved)}")
    parameters = model.parameters
    weights = _read(folder / _WEIGHTS, {name: t.shape for name, t in model.weights().items()})
    moments: tuple[Tensor, Tensor] | None = None
    if optimizer and content["moments"]:
        named = parameters.named(parameters.masters)
        shapes = {f"{kind}.{name}": t.shape for kind in ("first", "second") for name, t in named.items()}
        loaded = _read(folder / _OPTIMIZER, shapes)
        moments = (torch.empty_like(parameters.masters), torch.empty_like(parameters.masters))
        for kind, vector in zip(("first", "second"), moments, strict=True):
            for name, view in parameters.named(vector).items():
                view.copy_(loaded[f"{kind}.{name}"])
    with torch.no_grad():
        for name, view in model.weights().items():
            view.copy_(weights[name])
    parameters.moments = moments
    parameters.step = int(content["step"]) if optimizer else 0  # type: ignore[call-overload]
    parameters.clear_gradient()
    parameters.publish()


def saved_lora(folder: Path) -> LoraConfig | None:
    return _lora(read_manifest(folder, _STATE, verify=False))


def save_for_sampler(model: TrainedModel, folder: Path, source: Path, base: str) -> None:
    """``source`` is the base model's folder, whose configuration and tokenizer come along."""
    with appearing(folder) as fresh:
        if model.lora is None:
            _write({name: t.to(model.network.dtype) for name, t in model.weights().items()}, fresh / _WEIGHTS)
            for name in _COMPANIONS:
                if (source / name).is_file():
                    shutil.copyfile(source / name, fresh / name)
            _note_dtype(fresh / "config.json", model.network.dtype)
        else:
            _write(peft_names(model.weights()), fresh / _ADAPTER)
            write_peft_config(fresh, model.lora, list(model.factors or ()), base)
        write_manifest(
            fresh,
            {"kind": _SAMPLER, "version": 1, "lora": model.lora and asdict(model.lora), "step": model.parameters.step},
        )


def read_for_sampler(folder: Path) -> tuple[LoraConfig | None, Mapping[str, Tensor]]:
    """Adapter factors by our names, or all weights by the model's."""
    lora = _lora(read_manifest(folder, _SAMPLER))
    tensors = _read(folder / (_WEIGHTS if lora is None else _ADAPTER), None)
    return lora, tensors if lora is None else from_peft_names(tensors)


def _lora(content: Mapping[str, object]) -> LoraConfig | None:
    saved = content.get("lora")
    return None if saved is None else LoraConfig(**saved)  # type: ignore[arg-type]


def _described(lora: LoraConfig | None) -> str:
    if lora is None:
        return "all parameters trained"
    return f"a LoRA adapter of rank {lora.rank}"


def _write(tensors: Mapping[str, Tensor], path: Path) -> None:
    save_file(
        {name: t.detach().to("cpu").contiguous().clone() for name, t in tensors.items()},
        path,
        metadata={"format": "pt"},
    )


def _read(path: Path, shapes: Mapping[str, torch.Size] | None) -> dict[str, Tensor]:
    try:
        tensors = load_file(path)
    except Exception as error:  # the reader has errors of its own
        raise UserError(f"{path.name} in {path.parent.name} cannot be read: {error}") from error
    if shapes is not None:
        if set(tensors) != set(shapes):
            odd = sorted(set(tensors) ^ set(shapes))
            raise UserError(f"{path.parent.name} was saved from another model: only one of the two has {odd[0]}")
        for name, shape in shapes.items():
            if tensors[name].shape != shape:
                raise UserError(
                    f"{path.parent.name} was saved from another model: {name} is {list(tensors[name].shape)} there, {list(shape)} here"
                )
    return tensors


def _note_dtype(path: Path, dtype: torch.dtype) -> None:
    config = json.loads(path.read_text())
    config.pop("torch_dtype", None)
    config["dtype"] = str(dtype).removeprefix("torch.")
    path.write_text(json.dumps(config, indent=2))
