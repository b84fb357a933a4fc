"""A request's log-probabilities, loss and gradient: forward through the layers, output layer by chunks, backward, per micro-batch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..contract import ForwardResult, UserError
from .decoder import Packed
from .head import Head, HeadGradients
from .loss_inputs import Request
from .losses import TokenLoss, token_loss, trained
from .micro_batches import micro_batches
from .network import Network
from .parameters import Parameters
from .settings import Settings


@dataclass(frozen=True)
class _Batch:
    """``rows`` [T]: places in the request; ``positions`` [T] within each sequence; ``on`` and ``off``: trained or not, within the batch."""

    lengths: list[int]
    rows: Tensor
    positions: Tensor
    on: Tensor
    off: Tensor


def loss_pass(network: Network, request: Request, settings: Settings, parameters: Parameters | None) -> ForwardResult:
    """With ``parameters`` the gradient goes where they direct it; the caller commits or rolls back.

    Raises ``UserError`` for a loss that is not finite.
    """
    device = network.device
    tokens, targets = (torch.from_numpy(array).to(device) for array in (request.tokens, request.targets))
    tensors = {name: torch.from_numpy(array).to(device) for name, array in request.tensors.items()}
    mask = trained(request.loss_fn, tensors, request.config)
    head = Head(network, settings.logits_bytes, request.config["temperature"])
    into = _head_gradients(network, parameters)
    logprobs = torch.zeros(len(tokens), dtype=torch.float32, device=device)
    metrics: dict[str, float] = defaultdict(float)
    metrics["loss:sum"] = 0.0
    metrics["tokens:sum"] = float(len(tokens))
    metrics["trained_tokens:sum"] = float(mask.sum())

    for batch in _batches(request, mask.cpu().numpy(), settings, device):
        learns = parameters is not None and len(batch.on) > 0
        recompute = learns and _activation_bytes(network, len(batch.rows)) > settings.checkpoint_bytes
        with torch.set_grad_enabled(learns):
            hidden = network.hidden(tokens[batch.rows], batch.positions, Packed(batch.lengths), recompute=recompute)
        states = hidden.detach()
        if len(batch.off) and not request.config["trained_only"]:
            rows = batch.rows[batch.off]
            logprobs[rows] = head.logprobs(states[batch.off], targets[rows])
        rows = batch.rows[batch.on]
        cut = {name: tensor[rows] for name, tensor in tensors.items()}

        def loss(c: slice, logp: Tensor, cut: dict[str, Tensor] = cut) -> Tensor:
            of_chunk = {name: tensor[c] for name, tensor in cut.items()}
            out = token_loss(request.loss_fn, logp.double(), of_chunk, request.config)
            _count(metrics, out)
            return out.slope

        if learns:
            logprobs[rows], by_hidden = head.backward(states[batch.on], targets[rows], loss, into)
            if hidden.requires_grad:
                gradient = torch.zeros_like(states).index_copy_(0, batch.on, by_hidden)
                hidden.backward(gradient)
        elif len(batch.on):
            logprobs[rows] = head.logprobs(states[batch.on], targets[rows])
            loss(slice(None), logprobs[rows])
        del hidden, states

    cpu = logprobs.cpu().numpy()
    return ForwardResult(np.split(cpu, np.cumsum(request.lengths)[:-1]), dict(metrics))


def _count(metrics: dict[str, float], out: TokenLoss) -> None:
    total = float(out.value.sum())
    if not np.isfinite(total):
        raise UserError(
            "expected a finite loss, got "
            f"{total}: log-probabilities of the model and those that came with the request lie too far apart, or the model has diverged"
        )
    metrics["loss:sum"] += total
    for name, value in out.sums.items():
        metrics[name] += value
    for name, value in out.maxima.items():
        metrics[name] = max(metrics.get(name, value), value)


def _batches(request: Request, mask: NDArray[np.bool_], settings: Settings, device: torch.device) -> list[_Batch]:
    starts = np.concatenate([[0], np.cumsum(request.lengths)[:-1]])
    used = list(request.lengths)
    if request.config["trained_only"]:
        # later tokens do not reach earlier ones, so what follows the last trained token need not be computed
        used = [_last(mask[start : start + length]) for start, length in zip(starts, request.lengths, strict=True)]
    kept = [index for index, length in enumerate(used) if length > 0]
    made: list[_Batch] = []
    for members in micro_batches([used[index] for index in kept], settings.micro_batch_tokens):
        lengths = [used[kept[member]] for member in members]
        positions = np.concatenate([np.arange(length) for length in lengths])
        first = np.repeat([starts[kept[member]] for member in members], lengths)
        rows = first + positions
        on = mask[rows]
        made.append(
            _Batch(
                lengths,
                *(
                    torch.from_numpy(array).to(device)
                    for array in (rows, positions, np.flatnonzero(on), np.flatnonzero(~on))
                ),
            )
        )
    return made


def _last(mask: NDArray[np.bool_]) -> int:
    on = np.flatnonzero(mask)
    return int(on[-1]) + 1 if len(on) else 0


def _head_gradients(network: Network, parameters: Parameters | None) -> HeadGradients:
    if parameters is None:
        return HeadGradients()
    worn = network.head.factors
    return HeadGradients(
        parameters.collected(network.head.weight),
        None if worn is None else parameters.collected(worn.a),
        None if worn is None else parameters.collected(worn.b),
    )


def _activation_bytes(network: Network, tokens: int) -> int:
    """A rough count of what backward needs: some twenty vectors of the model's width and five of the feed-forward's per layer."""
    config = network.config
    per_token = 20 * config.hidden_size + 5 * config.intermediate_size
    return int(tokens * config.num_hidden_layers * per_token * torch.finfo(network.dtype).bits // 8)
