"""What one model trains, end to end in one vector: float32 masters, gradient since the last step, Adam's moments.

One vector makes atomic requests cheap: a request writes its gradient into a buffer of its own, which is added when the
request has succeeded and forgotten when it has not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from ..contract import UserError


class Parameters:
    """``named`` are the tensors that the network computes with; float32 ones become views of the masters."""

    def __init__(self, named: Mapping[str, nn.Parameter]) -> None:
        if not named:
            raise ValueError("expected at least one parameter")
        self._live = dict(named)
        first = next(iter(named.values()))
        self.device = first.device
        self._places: dict[str, tuple[int, torch.Size]] = {}
        at = 0
        for name, parameter in named.items():
            self._places[name] = (at, parameter.shape)
            at += parameter.numel()
        self.size = at
        self.masters = torch.empty(at, dtype=torch.float32, device=self.device)
        #: Adam's moments, made at the first step.
        self.moments: tuple[Tensor, Tensor] | None = None
        self.step = 0
        self._sum: Tensor | None = None
        self._sum_is_set = False
        self._request: Tensor | None = None
        self._target: Tensor | None = None
        for name, parameter in named.items():
            master = self._view(self.masters, name)
            master.copy_(parameter.data)
            parameter.requires_grad_(True)
            if parameter.dtype == torch.float32:
                parameter.data = master
            else:
                parameter.register_post_accumulate_grad_hook(self._collector(name))

    def _collector(self, name: str) -> Callable[[Tensor], None]:
        def collect(parameter: Tensor) -> None:
            assert self._target is not None and parameter.grad is not None
            self._view(self._target, name).add_(parameter.grad)
            parameter.grad = None

        return collect

    def _view(self, vector: Tensor, name: str) -> Tensor:
        at, shape = self._places[name]
        return vector[at : at + shape.numel()].view(shape)

    def named(self, vector: Tensor) -> dict[str, Tensor]:
        """A vector of this model's size as tensors by parameter name; views."""
        return {name: self._view(vector, name) for name in self._places}

    @property
    def gradient(self) -> Tensor | None:
        """[size] what successful requests since the last step have summed up to; None before the first."""
        return self._sum if self._sum_is_set else None

    def begin(self) -> None:
        """Directs backward into a fresh buffer."""
        if not self._sum_is_set:
            self._sum = torch.zeros_like(self.masters) if self._sum is None else self._sum.zero_()
            self._target = self._sum
        else:
            self._request = torch.zeros_like(self.masters) if self._request is None else self._request.zero_()
            self._target = self._request
        for name, parameter in self._live.items():
            parameter.grad = self._view(self._target, name) if parameter.dtype == torch.float32 else None

    def collected(self, parameter: Tensor) -> Tensor | None:
        """Where the running request sums the gradient of a parameter, for code that computes one by hand; None if it is not trained."""
        for name, live in self._live.items():
            if live is parameter:
                assert self._target is not None
                return self._view(self._target, name)
        return None

    def commit(self) -> None:
        """Adds the request's gradient. Raises ``UserError``, and adds nothing, when it is not finite."""
        assert self._target is not None
        norm = float(torch.linalg.vector_norm(self._target))
        if not math.isfinite(norm):
            self.rollback()
            raise UserError(
                f"expected a finite gradient, got norm {norm}; this request's gradient was dropped, earlier ones were kept"
            )
        if self._target is self._request:
            assert self._sum is not None
            self._sum.add_(self._request)
        self._sum_is_set = True
        self._release()

    def rollback(self) -> None:
        """Forgets the running request."""
        self._release()

    def _release(self) -> None:
        self._target = None
        for parameter in self._live.values():
            parameter.grad = None

    def clear_gradient(self) -> None:
        self._sum_is_set = False

    @torch.no_grad()
    def publish(self) -> None:
        """Copies the masters to what the network computes with, where these are not the same memory."""
        for name, parameter in self._live.items():
            if parameter.dtype != torch.float32:
                parameter.copy_(self._view(self.masters, name))
