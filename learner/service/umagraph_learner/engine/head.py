"""Log-probabilities of targets and their gradient, a few rows of logits at a time: the [tokens × vocabulary] matrix never exists.

A loss that is a sum over tokens needs of the logits only log π(target), so the gradient of a chunk is written down while its
probabilities are still there: nothing is kept for backward and nothing computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from .cuda import wide_product
from .lora import Factors
from .network import Network

#: From the rows of a chunk and their log-probabilities [n] to the loss's slope by each, [n].
Slope = Callable[[slice, Tensor], Tensor]


@dataclass(frozen=True)
class HeadGradients:
    """Where the gradients of the output layer go: float32 tensors that are added to, None where nothing is trained."""

    weight: Tensor | None = None
    a: Tensor | None = None
    b: Tensor | None = None


class Head:
    """The output layer of a network with what it wears, at a temperature. ``chunk_bytes`` bounds a chunk's float32 logits."""

    def __init__(self, network: Network, chunk_bytes: int, temperature: float = 1.0) -> None:
        self._weight = network.head.weight.detach()
        self._worn: Factors | None = network.head.factors
        self._temperature = temperature
        self._rows = max(16, chunk_bytes // (4 * network.vocabulary))

    @torch.no_grad()
    def logprobs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """``hidden`` [n, d], ``targets`` [n] to log π [n] float32."""
        return torch.cat(
            [self._log_softmax(hidden[c]).gather(1, targets[c, None])[:, 0] for c in self._chunks(len(targets))]
        )

    @torch.no_grad()
    def backward(self, hidden: Tensor, targets: Tensor, slope: Slope, into: HeadGradients) -> tuple[Tensor, Tensor]:
        """log π [n] and the loss's gradient by ``hidden`` [n, d]; gradients of trained factors are added to ``into``."""
        scored: list[Tensor] = []
        by_hidden = torch.empty_like(hidden)
        for c in self._chunks(len(targets)):
            table = self._log_softmax(hidden[c])
            at = targets[c, None]
            logp = table.gather(1, at)
            scored.append(logp[:, 0])
            s = slope(c, logp[:, 0]).to(table.dtype)[:, None] / self._temperature
            # dL/dlogits = slope · (onehot − softmax)
            d = table.exp_().mul_(-s).scatter_add_(1, at, s)
            by_hidden[c] = self._backward(hidden[c], d, into)
        return torch.cat(scored), by_hidden

    def _backward(self, hidden: Tensor, d: Tensor, into: HeadGradients) -> Tensor:
        narrow = d.to(hidden.dtype)
        by_hidden = narrow @ self._weight
        if into.weight is not None:
            _add_product(into.weight, narrow.T, hidden)
        if self._worn is not None:
            a, b, scale = self._worn.a.detach(), self._worn.b.detach(), self._worn.scale
            down = hidden @ a.to(hidden.dtype).T
            back = narrow @ b.to(hidden.dtype)
            if into.a is not None and into.b is not None:
                into.b.add_((narrow.T @ down).float(), alpha=scale)
                into.a.add_((back.T @ hidden).float(), alpha=scale)
            by_hidden = torch.add(by_hidden, back @ a.to(hidden.dtype), alpha=scale)
        return by_hidden

    def logits(self, hidden: Tensor) -> Tensor:
        """[n, d] to [n, V] in float32, before the temperature. A float32 result of a bfloat16 product is not rounded on the way."""
        out = _product(hidden, self._weight.T)
        if self._worn is not None:
            a, b = self._worn.a.detach().to(hidden.dtype), self._worn.b.detach().to(hidden.dtype)
            out.add_((hidden @ a.T) @ b.T, alpha=self._worn.scale)
        return out

    def _log_softmax(self, hidden: Tensor) -> Tensor:
        out = self.logits(hidden)
        if self._temperature != 1:
            out.div_(self._temperature)
        return torch.log_softmax(out, dim=-1)

    def _chunks(self, count: int) -> Iterator[slice]:
        for start in range(0, count, self._rows):
            yield slice(start, min(start + self._rows, count))


def _product(left: Tensor, right: Tensor) -> Tensor:
    if left.dtype == torch.float32:
        return left @ right
    if left.is_cuda:
        return wide_product(left, right)
    return (left @ right).float()


def _add_product(into: Tensor, left: Tensor, right: Tensor) -> None:
    if left.dtype == torch.float32:
        into.addmm_(left, right)
    else:
        into.add_(_product(left, right))
