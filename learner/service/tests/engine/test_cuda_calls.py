"""What only CUDA computes, as far as a machine without one can tell.

Shapes, types, devices and signatures with torch's fake tensors, which claim a device and hold no numbers; numbers with
stand-ins on the CPU.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from engine_case import batch, distance, gradient
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel, varlen
from transformers import Qwen3Config, Qwen3ForCausalLM

from umagraph_learner.contract import AdamParams, LoraConfig
from umagraph_learner.engine import cuda, decoder, step_decoder
from umagraph_learner.engine.adam import fused_adamw
from umagraph_learner.engine.decoder import Packed
from umagraph_learner.engine.head import Head, HeadGradients
from umagraph_learner.engine.kv_cache import KvCache, Prefill
from umagraph_learner.engine.lora import fresh_factors, make_adaptable, paired, targets, wearing
from umagraph_learner.engine.network import Network
from umagraph_learner.engine.ops import torch_kernels
from umagraph_learner.engine.torch_engine import open_engine

DEVICE = torch.device("cuda", 0)
BF16 = torch.bfloat16
needs_cuda_torch = pytest.mark.skipif(torch.version.cuda is None, reason="this torch is built without CUDA")


@pytest.fixture
def fake() -> Iterator[None]:
    """Tensors of ``DEVICE`` can be made, flash attention counts as there."""
    with FakeTensorMode(), sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
        yield


def empty(*shape: int, dtype: torch.dtype = BF16) -> Tensor:
    return torch.empty(*shape, dtype=dtype, device=DEVICE)


def described(tensor: Tensor) -> tuple[list[int], torch.dtype, str]:
    return list(tensor.shape), tensor.dtype, tensor.device.type


@needs_cuda_torch
@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("kv_heads", [4, 2])
def test_packed_attention_is_called_as_torch_declares_it(kv_heads: int) -> None:
    query, key = empty(9, 4, 16), empty(9, kv_heads, 16)
    out = cuda.packed_attention(query, key, key, empty(3, dtype=torch.int32), 5, 0.25)
    assert described(out) == ([9, 4, 16], BF16, "cuda")


@needs_cuda_torch
@pytest.mark.usefixtures("fake")
def test_wide_products_and_fused_steps_are_called_as_torch_declares_them() -> None:
    assert described(cuda.wide_product(empty(3, 8), empty(5, 8).T)) == ([3, 5], torch.float32, "cuda")
    fused_adamw(*(empty(7, dtype=torch.float32) for _ in range(4)), step=3, params=AdamParams())


@needs_cuda_torch
@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("lora", [None, LoraConfig(4)], ids=["plain", "lora"])
def test_layers_head_and_sampling_steps_stay_on_the_device_in_its_types(
    monkeypatch: pytest.MonkeyPatch, lora: LoraConfig | None
) -> None:
    monkeypatch.setattr(cuda, "_has_flash", lambda _: True)
    # it compares addresses, which fake tensors lack
    monkeypatch.setattr(step_decoder, "beside_each_other", lambda _: None)
    config = Qwen3Config(
        vocab_size=40,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=24,
        tie_word_embeddings=True,
    )
    with DEVICE:
        model = Qwen3ForCausalLM._from_config(config, dtype=BF16).requires_grad_(False)
    make_adaptable(model)
    network = Network(model, BF16, DEVICE, torch_kernels(""))
    factors = None
    if lora is not None:
        made = fresh_factors(targets(model, lora, tied=True), lora)
        factors = paired({name: tensor.to(DEVICE) for name, tensor in made.items()}, lora.rank)
    ids, positions = (empty(7, dtype=torch.int64) for _ in range(2))
    with torch.no_grad(), wearing(model, factors):
        hidden = network.hidden(ids, positions, Packed([4, 3]))
        assert described(hidden) == ([7, 32], BF16, "cuda")
        head = Head(network, 40 * 4 * 16)
        into = HeadGradients(weight=empty(40, 32, dtype=torch.float32))
        logp, by_hidden = head.backward(hidden, ids, lambda _, scores: scores.double(), into)
        assert described(logp) == ([7], torch.float32, "cuda") and described(by_hidden) == described(hidden)
        cache = KvCache(network, 3, 6, 12)
        network.hidden(ids, positions, Prefill([4, 3], [0, 1], cache))
        cache.copy_row(1, [2], 3)
        cache.reserve(8)
        cache.step_to(empty(3, dtype=torch.int64), 7)
        stepped = network.step_decoder()(empty(3, dtype=torch.int64), empty(3, dtype=torch.int64), cache)
        assert described(stepped) == ([3, 32], BF16, "cuda")
        assert described(head.logits(stepped)) == ([3, 40], torch.float32, "cuda")


def attention_in_a_loop(
    query: Tensor, key: Tensor, value: Tensor, bounds: Tensor, keys_bounds: Tensor, longest: int, longest_key: int,
    *, scale: float, window_size: tuple[int, int], enable_gqa: bool,
) -> Tensor:  # fmt: skip
    """What ``varlen_attn`` documents, slowly."""
    assert bounds is keys_bounds and bounds.dtype == torch.int32 and window_size == (-1, 0)
    assert enable_gqa or query.shape[1] == key.shape[1]
    ends = bounds.tolist()
    assert ends[0] == 0 and ends[-1] == len(query)
    assert longest == longest_key == max(b - a for a, b in pairwise(ends))
    parts = [
        F.scaled_dot_product_attention(
            *(x[a:b].transpose(0, 1)[None] for x in (query, key, value)),
            is_causal=True, scale=scale, enable_gqa=enable_gqa,
        )[0].transpose(0, 1)
        for a, b in pairwise(ends)
    ]  # fmt: skip
    return torch.cat(parts)


def test_the_packed_call_gives_what_the_loop_over_sequences_gives(
    tiny_folder: Path, llama_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signature = inspect.signature(varlen.varlen_attn)
    calls = []

    def stand_in(*args: Any, **kwargs: Any) -> Tensor:
        signature.bind(*args, **kwargs)
        calls.append(1)
        return attention_in_a_loop(*args, **kwargs)

    for folder in (tiny_folder, llama_folder):
        engine = open_engine(str(folder))
        gradients = []
        for packed in (False, True):
            with monkeypatch.context() as patch:
                if packed:
                    patch.setattr(decoder, "has_packed_attention", lambda _: True)
                    patch.setattr(varlen, "varlen_attn", stand_in)
                engine.create_model(str(packed), None)
                engine.forward(str(packed), batch([12, 1, 30, 7]), "cross_entropy", {}, backward=True)
                gradients.append(gradient(engine, str(packed)))
        assert distance(*gradients) < 1e-5
    assert len(calls) == 4


@needs_cuda_torch
@pytest.mark.usefixtures("fake")
def test_packed_attention_is_asked_only_for_what_flash_attention_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "_has_flash", lambda _: True)
    assert cuda.has_packed_attention(empty(3, 2, 128))
    assert cuda.has_packed_attention(empty(3, 2, 256))
    assert not cuda.has_packed_attention(empty(3, 2, 264))
    assert not cuda.has_packed_attention(empty(3, 2, 20))
    assert not cuda.has_packed_attention(empty(3, 2, 128, dtype=torch.float32))
    assert not cuda.has_packed_attention(torch.empty(3, 2, 128, dtype=BF16))
    monkeypatch.setattr(cuda, "_has_flash", lambda _: False)
    assert not cuda.has_packed_attention(empty(3, 2, 128))


@pytest.mark.parametrize(
    ("built", "capability", "there"), [(True, (9, 0), True), (True, (7, 5), False), (False, (9, 0), False)]
)
def test_flash_attention_needs_a_build_and_a_card_that_have_it(
    monkeypatch: pytest.MonkeyPatch, built: bool, capability: tuple[int, int], there: bool
) -> None:
    monkeypatch.setattr(torch.backends.cuda, "is_flash_attention_available", lambda: built)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    assert cuda._has_flash.__wrapped__(DEVICE) is there
