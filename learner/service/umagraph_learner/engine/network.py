"""A Hugging Face causal language model as the engine uses it: rows of tokens in, hidden states out, output layer apart."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig

from ..contract import UserError
from .lora import AdaptedLinear, make_adaptable
from .ragged_attention import NAME, AttentionPlan, Packed


class Network:
    """Not trained and not sharing state until somebody binds its parameters. ``dtype`` is what the layers compute in."""

    def __init__(self, model: nn.Module, dtype: torch.dtype, device: torch.device) -> None:
        self.model = model
        self.dtype = dtype
        self.device = device
        self.config: PreTrainedConfig = model.config  # type: ignore[assignment]
        self.decoder: nn.Module = model.get_decoder()  # type: ignore[operator]
        self.head: AdaptedLinear = model.lm_head  # type: ignore[assignment]

    @property
    def tied(self) -> bool:
        return self.head.weight is self.model.get_input_embeddings().weight  # type: ignore[operator]

    @property
    def vocabulary(self) -> int:
        return self.head.weight.shape[0]

    def hidden(self, ids: Tensor, positions: Tensor, plan: AttentionPlan) -> Tensor:
        """``ids`` and ``positions`` [T] int64, to the states [T, d] that the output layer reads."""
        out = self.decoder(input_ids=ids[None], position_ids=positions[None], use_cache=False, plan=plan)
        return out.last_hidden_state[0]

    def checkpoint_activations(self, on: bool) -> None:
        """Keeps only the layers' inputs for backward and computes the rest again. No layer here uses dropout."""
        if on:
            self.model.gradient_checkpointing_enable({"use_reentrant": False})  # type: ignore[operator]
        else:
            self.model.gradient_checkpointing_disable()  # type: ignore[operator]
        self.model.train(on)

    def twin(self) -> Network:
        """A copy with parameters of its own."""
        return Network(copy.deepcopy(self.model), self.dtype, self.device)


def load_network(folder: Path, device: torch.device, dtype: torch.dtype) -> Network:
    """Reads a Hugging Face folder; the parameters do not require gradients. Raises ``UserError`` for what is none, or is not supported."""
    try:
        config = AutoConfig.from_pretrained(folder)
        model = AutoModelForCausalLM.from_pretrained(folder, config=config, dtype=dtype)
    except Exception as error:  # the library raises whatever its readers raise
        raise UserError(f"expected a Hugging Face model folder at {folder}, could not load it: {error}") from error
    return prepare(model.to(device), dtype, device)


def prepare(model: nn.Module, dtype: torch.dtype, device: torch.device) -> Network:
    model.requires_grad_(False)
    model.eval()
    head = model.get_output_embeddings()  # type: ignore[operator]
    if type(head) is not nn.Linear or head.bias is not None or getattr(model, "lm_head", None) is not head:
        raise UserError("expected a model with a linear output layer lm_head without bias, such as Qwen3 or Llama")
    sliding = {kind for kind in getattr(model.config, "layer_types", None) or () if kind != "full_attention"}
    if sliding:
        raise UserError(f"expected a model with full attention in every layer, got {', '.join(sorted(sliding))}")
    before = _own_logits(model, device)
    make_adaptable(model)
    model.set_attn_implementation(NAME)  # type: ignore[operator]
    network = Network(model, dtype, device)
    _check_same(network, before)
    return network


_PROBE = 12


def _probe_ids(model: nn.Module, device: torch.device) -> Tensor:
    vocabulary = int(model.config.vocab_size)  # type: ignore[union-attr, arg-type]
    return (torch.arange(_PROBE, device=device) * 7919 + 11) % vocabulary


@torch.no_grad()
def _own_logits(model: nn.Module, device: torch.device) -> Tensor:
    return model(input_ids=_probe_ids(model, device)[None], use_cache=False).logits[0].float()


@torch.no_grad()
def _check_same(network: Network, expected: Tensor) -> None:
    """Refuses an architecture whose logits are more than the output layer of the last states, such as capped or scaled ones."""
    ids = _probe_ids(network.model, network.device)
    half = _PROBE // 2
    positions = torch.arange(_PROBE, device=network.device)
    whole = network.head(network.hidden(ids, positions, Packed([_PROBE]))).float()
    packed = network.head(network.hidden(torch.cat([ids, ids[:half]]), torch.cat([positions, positions[:half]]), Packed([_PROBE, half])))
    tolerance = (1e-3 if network.dtype == torch.float32 else 0.1) * (1 + float(expected.abs().max()))
    for name, got, want in (("alone", whole, expected), ("packed", packed[_PROBE:].float(), expected[:half])):
        off = float((got - want).abs().max())
        if not off <= tolerance:
            kind = network.config.model_type
            raise UserError(
                f"expected a Qwen3- or Llama-like model; the logits of this {kind} model, computed {name}, are off by {off:.3g} here"
            )


def copy_into(network: Network, tensors: Mapping[str, Tensor]) -> None:
    """Overwrites parameters by name. The caller has checked names and shapes."""
    parameters = dict(network.model.named_parameters())
    with torch.no_grad():
        for name, tensor in tensors.items():
            parameters[name].copy_(tensor)
