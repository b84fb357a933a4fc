"""One model under training: a network, its trained parameters, and for LoRA the adapter that the shared network wears."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..contract import LoraConfig
from .lora import Factors, fresh_factors, paired, targets, wearing
from .network import Network
from .parameters import Parameters


@dataclass
class TrainedModel:
    network: Network
    parameters: Parameters
    lora: LoraConfig | None
    warnings: tuple[str, ...]
    factors: Mapping[str, Factors] | None

    @contextmanager
    def ready(self) -> Iterator[Network]:
        """The network with this model's weights."""
        with wearing(self.network.model, self.factors):
            yield self.network

    def weights(self) -> dict[str, Tensor]:
        """Float32 masters by name; views."""
        return self.parameters.named(self.parameters.masters)


def full_model(base: Network) -> TrainedModel:
    network = base.twin()
    return TrainedModel(network, Parameters(dict(network.model.named_parameters())), None, (), None)


def lora_model(base: Network, config: LoraConfig) -> TrainedModel:
    """Shares ``base`` and adds to it, nothing at first."""
    warnings: tuple[str, ...] = ()
    if config.train_unembed and base.tied:
        warnings = (
            "train_unembed is ignored: the model's output layer is its embedding, and an adapter on it could not be merged or served",
        )
    layers = targets(base.model, config, tied=base.tied)
    made = {
        name: nn.Parameter(tensor.to(base.device, torch.float32))
        for name, tensor in fresh_factors(layers, config).items()
    }
    parameters = Parameters(made)
    return TrainedModel(base, parameters, config, warnings, paired(made, config.rank))
