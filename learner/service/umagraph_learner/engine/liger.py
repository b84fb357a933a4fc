"""Liger's Triton kernels for the operations of a layer, where they can be had: on CUDA, when installed, when they prove right.

One launch each instead of several. Operations only: the loss stays with ``head``, which fuses log-probabilities and no more.
Three of their habits matter here: ``rotate`` turns queries and keys in place, ``silu_mul`` writes its gradients over its
inputs, and ``rms_norm`` writes its gradient over the one it is given. In ``decoder`` nothing else reads any of these.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from transformers import PreTrainedConfig

from .ops import Kernels, torch_kernels

_DEVICE = "cuda"
_ROWS = 5
#: From here on Liger normalises narrow rows, such as heads, with a kernel of its own.
_MANY_ROWS = 4096 * 8


def choose_kernels(config: PreTrainedConfig, device: torch.device, dtype: torch.dtype, *, wanted: bool) -> Kernels:
    """Liger's, or torch's with the reason. Whatever is wrong with an installed Liger, the answer is torch's, never an error."""
    if not wanted:
        return torch_kernels("Liger kernels are switched off")
    if device.type != _DEVICE:
        return torch_kernels(f"Liger kernels need {_DEVICE}")
    try:
        kernels = _liger_kernels()
    except ModuleNotFoundError as error:
        return torch_kernels(f"Liger kernels need the module {error.name}, which is not installed")
    except Exception as error:  # noqa: BLE001 - compilers, drivers and other versions fail in ways of their own
        return torch_kernels(f"Liger kernels cannot be imported: {_told(error)}")
    try:
        wrong = _wrong_operation(kernels, config, device, dtype)
    except Exception as error:  # noqa: BLE001 - as above
        return torch_kernels(f"{kernels.source} does not run: {_told(error)}")
    return kernels if wrong is None else torch_kernels(f"{kernels.source} computes {wrong} otherwise than torch")


def _told(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__


def _liger_kernels() -> Kernels:
    # from the modules and not from liger_kernel.ops, where an environment variable puts other implementations in their place
    norm = importlib.import_module("liger_kernel.ops.rms_norm").LigerRMSNormFunction
    gated = importlib.import_module("liger_kernel.ops.swiglu").LigerSiLUMulFunction
    turned = importlib.import_module("liger_kernel.ops.rope").LigerRopeFunction

    def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
        # no offset, the root alone in float32, gradient in place
        return norm.apply(x, weight, eps, 0.0, "llama", True)  # type: ignore[no-any-return]

    def silu_mul(gate: Tensor, up: Tensor) -> Tensor:
        return gated.apply(gate, up)  # type: ignore[no-any-return]

    def rotate(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        # theirs is [1, heads, T, d] over memory that lies as ours; half tables, so the width must be said
        ahead = (x.transpose(0, 1)[None] for x in (query, key))
        done = turned.apply(*ahead, cos.squeeze(1), sin.squeeze(1), None, 1, query.shape[-1])
        return done[0][0].transpose(0, 1), done[1][0].transpose(0, 1)

    return Kernels(rms_norm, silu_mul, rotate, f"liger-kernel {_version()}", "installed, and right on trial")


def _version() -> str:
    try:
        return importlib.metadata.version("liger-kernel")
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def _wrong_operation(
    kernels: Kernels, config: PreTrainedConfig, device: torch.device, dtype: torch.dtype
) -> str | None:
    """Computes rows of the model's widths, forward and backward, both ways. The name of what differs."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator).to(device, dtype)

    heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    angles = torch.randn(_ROWS, 1, width // 2, generator=generator)
    cos, sin = angles.cos().to(device, dtype), angles.sin().to(device, dtype)

    def rms_norm(by: Kernels, x: Tensor, weight: Tensor) -> Sequence[Tensor]:
        return (by.rms_norm(x, weight, 1e-6),)

    def silu_mul(by: Kernels, gate: Tensor, up: Tensor) -> Sequence[Tensor]:
        return (by.silu_mul(gate, up),)

    def rotate(by: Kernels, query: Tensor, key: Tensor) -> Sequence[Tensor]:
        return by.rotate(query, key, cos, sin)

    trials: list[tuple[Callable[..., Sequence[Tensor]], tuple[Tensor, Tensor]]] = [
        (rms_norm, (draw(_ROWS, config.hidden_size), draw(config.hidden_size))),
        (rms_norm, (draw(_ROWS, heads, width), draw(width))),
        (rms_norm, (draw(-(-_MANY_ROWS // heads), heads, width), draw(width))),
        (silu_mul, (draw(_ROWS, config.intermediate_size), draw(_ROWS, config.intermediate_size))),
        (rotate, (draw(_ROWS, heads, width), draw(_ROWS, kv_heads, width))),
    ]
    plain = torch_kernels("")
    tolerance = 1e-4 if dtype == torch.float32 else 0.03
    for operation, inputs in trials:
        theirs, ours = (_outcome(operation, by, inputs) for by in (kernels, plain))
        if not all(_apart(their, our) <= tolerance for their, our in zip(theirs, ours, strict=True)):
            return operation.__name__
    return None


@torch.enable_grad()
def _outcome(operation: Callable[..., Sequence[Tensor]], by: Kernels, inputs: tuple[Tensor, Tensor]) -> list[Tensor]:
    """Results, then gradients by the inputs."""
    leaves = [tensor.clone().requires_grad_() for tensor in inputs]
    # copies, because they may be written over
    results = operation(by, *(leaf.clone() for leaf in leaves))
    kept = [result.detach().clone() for result in results]
    slopes = [torch.linspace(-1, 1, r.numel(), device=r.device).to(r.dtype).view(r.shape) for r in results]
    return [*kept, *torch.autograd.grad(results, leaves, slopes)]


@torch.no_grad()
def _apart(left: Tensor, right: Tensor) -> float:
    """Length of the difference over the length of ``right``."""
    return float((left.float() - right.float()).norm() / right.float().norm())
