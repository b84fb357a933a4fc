"""Sizes that trade memory for speed. None of them changes a result by more than rounding."""

from __future__ import annotations

from dataclasses import dataclass

import torch

_MB = 1 << 20


@dataclass(frozen=True)
class Settings:
    #: Tokens computed together in training; a longer sequence goes alone.
    micro_batch_tokens: int
    #: Float32 logits held at a time.
    logits_bytes: int
    #: Estimated activations of a micro-batch above which only the layers' inputs are kept for backward.
    checkpoint_bytes: int
    #: Sequences sampled in lock-step.
    max_batch: int
    #: Keys and values of all of them.
    cache_bytes: int
    #: Prompt tokens computed together.
    prefill_tokens: int


def default_settings(device: torch.device) -> Settings:
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return Settings(16384, 1024 * _MB, free // 4, 128, free // 4, 16384)
    # small micro-batches keep a layer's activations in the cache of the core
    return Settings(1024, 64 * _MB, 4096 * _MB, 64, 2048 * _MB, 2048)
