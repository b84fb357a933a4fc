"""Low-rank adapters: W x + (32 / r) B A x. The factors live outside the model, which may wear one adapter at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..contract import LoraConfig, UserError

#: The protocol's convention: the scale is ALPHA / rank.
ALPHA = 32
MAX_RANK = 1024

#: What adapters are called inside a saved model, as peft and vLLM read them.
_PREFIX = "base_model.model."


@dataclass(frozen=True)
class Factors:
    """``a`` [r, in], ``b`` [out, r]."""

    a: Tensor
    b: Tensor
    scale: float


class AdaptedLinear(nn.Linear):
    """A linear layer that adds the factors it wears; without any it is the layer it replaced, with the same parameters."""

    def __init__(self, plain: nn.Linear) -> None:
        nn.Module.__init__(self)
        self.in_features, self.out_features = plain.in_features, plain.out_features
        self.weight, self.bias = plain.weight, plain.bias
        self.factors: Factors | None = None

    def forward(self, x: Tensor) -> Tensor:
        y = F.linear(x, self.weight, self.bias)
        worn = self.factors
        if worn is None:
            return y
        # float32 factors under a bfloat16 model: cast, so that the matmuls stay fast and the gradient arrives in float32
        a, b = worn.a.to(x.dtype), worn.b.to(x.dtype)
        return torch.add(y, F.linear(F.linear(x, a), b), alpha=worn.scale)


def make_adaptable(model: nn.Module) -> None:
    """Replaces the linear layers of attention and feed-forward blocks, and the output layer, by adaptable ones."""
    for parent_name, parent in list(model.named_modules()):
        for name, child in list(parent.named_children()):
            if type(child) is nn.Linear and part_of(f"{parent_name}.{name}".lstrip(".")) is not None:
                setattr(parent, name, AdaptedLinear(child))


def part_of(name: str) -> str | None:
    """``attn``, ``mlp`` or ``unembed``; None for a layer that no adapter touches."""
    if name == "lm_head":
        return "unembed"
    if ".layers." not in f".{name}":
        return None
    return "attn" if "attn" in name else "mlp" if "mlp" in name or "feed_forward" in name else None


def targets(model: nn.Module, config: LoraConfig, *, tied: bool) -> dict[str, AdaptedLinear]:
    """The layers that ``config`` trains, by name, in the model's order. Raises when there are none."""
    if not 1 <= config.rank <= MAX_RANK:
        raise UserError(f"expected a LoRA rank from 1 to {MAX_RANK}, got {config.rank}")
    wanted = {
        "attn": config.train_attn,
        "mlp": config.train_mlp,
        "unembed": config.train_unembed and not tied,
    }
    found = {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, AdaptedLinear) and wanted.get(part_of(name) or "", False)
    }
    if not found:
        raise UserError(
            "nothing to train: expected at least one of train_attn, train_mlp, train_unembed (untied models only)"
        )
    return found


def fresh_factors(layers: Mapping[str, AdaptedLinear], config: LoraConfig) -> dict[str, Tensor]:
    """``<layer>.lora_A`` uniform in ±1/√in from the seed, ``<layer>.lora_B`` zero: a fresh adapter changes nothing."""
    generator = torch.Generator().manual_seed(config.seed or 0)
    made: dict[str, Tensor] = {}
    for name, layer in layers.items():
        bound = 1 / math.sqrt(layer.in_features)
        a = torch.empty(config.rank, layer.in_features).uniform_(-bound, bound, generator=generator)
        made[f"{name}.lora_A"] = a
        made[f"{name}.lora_B"] = torch.zeros(layer.out_features, config.rank)
    return made


@contextmanager
def wearing(model: nn.Module, factors: Mapping[str, Factors] | None) -> Iterator[None]:
    """Puts the factors on the layers they are named after, and takes them off again."""
    if not factors:
        yield
        return
    layers = [(model.get_submodule(name), worn) for name, worn in factors.items()]
    try:
        for layer, worn in layers:
            layer.factors = worn  # type: ignore[assignment]
        yield
    finally:
        for layer, _ in layers:
            layer.factors = None  # type: ignore[assignment]


def paired(tensors: Mapping[str, Tensor], rank: int) -> dict[str, Factors]:
    """Factors by layer, from tensors named as in ``fresh_factors``."""
    names = [name.removesuffix(".lora_A") for name in tensors if name.endswith(".lora_A")]
    return {name: Factors(tensors[f"{name}.lora_A"], tensors[f"{name}.lora_B"], ALPHA / rank) for name in names}


def peft_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{_PREFIX}{name}.weight": tensor for name, tensor in tensors.items()}


def from_peft_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(_PREFIX).removesuffix(".weight"): tensor for name, tensor in tensors.items()}


def write_peft_config(folder: Path, config: LoraConfig, layers: Iterator[str] | list[str], base: str) -> None:
    """``adapter_config.json`` as peft and vLLM expect it, and ours beside it under a key that they ignore."""
    (folder / "adapter_config.json").write_text(
        json.dumps(
            {
                "peft_type": "LORA",
                "task_type": "CAUSAL_LM",
                "base_model_name_or_path": base,
                "r": config.rank,
                "lora_alpha": ALPHA,
                "lora_dropout": 0.0,
                "bias": "none",
                "fan_in_fan_out": False,
                "inference_mode": True,
                "init_lora_weights": True,
                "use_dora": False,
                "use_rslora": False,
                "modules_to_save": None,
                "target_modules": sorted({name.rpartition(".")[2] for name in layers}),
            },
            indent=1,
        )
    )
