"""A Hugging Face causal language model as the engine uses it: rows of tokens in, states out, output layer apart."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig
from transformers.utils import logging

from ..contract import UserError
from .decoder import Attention, Decoder, Packed
from .liger import choose_kernels
from .lora import AdaptedLinear, make_adaptable
from .ops import Kernels
from .step_decoder import StepDecoder, join


class Network:
    """Not trained until somebody binds its parameters. ``dtype`` is what the layers compute in."""

    def __init__(self, model: nn.Module, dtype: torch.dtype, device: torch.device, kernels: Kernels) -> None:
        self.model = model
        self.kernels = kernels
        self.dtype = dtype
        self.device = device
        self.config: PreTrainedConfig = model.config  # type: ignore[assignment]
        self.head: AdaptedLinear = model.lm_head  # type: ignore[assignment]
        self._decoder = Decoder(model.model, kernels)  # type: ignore[arg-type]

    @property
    def tied(self) -> bool:
        return self.head.weight is self.model.get_input_embeddings().weight  # type: ignore[operator]

    @property
    def vocabulary(self) -> int:
        return self.head.weight.shape[0]

    def hidden(self, ids: Tensor, positions: Tensor, attention: Attention, *, recompute: bool = False) -> Tensor:
        """``ids`` and ``positions`` [T] int64, to the states [T, width] that the output layer reads."""
        return self._decoder(ids, positions, attention, recompute=recompute)

    def step_decoder(self) -> StepDecoder:
        """For sampling with the weights and the adapter of now."""
        return StepDecoder(self.model.model)  # type: ignore[arg-type]

    def twin(self) -> Network:
        """A copy with parameters of its own."""
        copied = copy.deepcopy(self.model)
        # a copied view is a tensor of its own
        join(copied.model)  # type: ignore[arg-type]
        return Network(copied, self.dtype, self.device, self.kernels)

    @torch.no_grad()
    def copy_in(self, tensors: Mapping[str, Tensor]) -> None:
        """Overwrites parameters by name. The caller has checked names and shapes."""
        parameters = dict(self.model.named_parameters())
        for name, tensor in tensors.items():
            parameters[name].copy_(tensor)


def load_network(folder: Path, device: torch.device, dtype: torch.dtype, *, liger: bool = True) -> Network:
    """Reads a Hugging Face folder. ``liger`` allows Liger's kernels where they work. Raises ``UserError`` for what is none, and for architectures computed otherwise than here."""
    logging.disable_progress_bar()
    try:
        config = AutoConfig.from_pretrained(folder)
        model = AutoModelForCausalLM.from_pretrained(folder, config=config, dtype=dtype)
    except Exception as error:  # the library raises whatever its readers raise
        raise UserError(f"expected a Hugging Face model folder at {folder}, could not load it: {error}") from error
    model = model.to(device)
    model.requires_grad_(False)
    model.eval()
    head = model.get_output_embeddings()
    if type(head) is not nn.Linear or head.bias is not None or getattr(model, "lm_head", None) is not head:
        raise UserError("expected a model with a linear output layer lm_head without bias, such as Qwen3 or Llama")
    make_adaptable(model)
    network = Network(model, dtype, device, choose_kernels(config, device, dtype, wanted=liger))
    join(model.model)
    _check_same(network)
    return network


_PROBE = 12


@torch.no_grad()
def _check_same(network: Network) -> None:
    """Refuses a model whose own code gives other logits, such as one that scales or caps them."""
    device = network.device
    ids = (torch.arange(_PROBE, device=device) * 7919 + 11) % network.vocabulary
    expected = network.model(input_ids=ids[None], use_cache=False).logits[0].float()
    half = _PROBE // 2
    positions = torch.arange(_PROBE, device=device)
    two = network.hidden(torch.cat([ids, ids[:half]]), torch.cat([positions, positions[:half]]), Packed([_PROBE, half]))
    off = float((network.head(two).float() - torch.cat([expected, expected[:half]])).abs().max())
    tolerance = (1e-3 if network.dtype == torch.float32 else 0.1) * (1 + float(expected.abs().max()))
    if not off <= tolerance:
        kind = network.config.model_type
        raise UserError(
            f"expected a Qwen3- or Llama-like model; logits of this {kind} model are off by {off:.3g} when computed here"
        )
