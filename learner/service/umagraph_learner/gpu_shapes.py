"""Models of known shapes with random weights, and what they cost: parameters, and floating-point operations of a training pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM


@dataclass(frozen=True)
class Shape:
    """A Qwen3 with tied embeddings."""

    name: str
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    feed_forward: int
    vocabulary: int

    @property
    def layer_parameters(self) -> int:
        """Of all layers' matrices, which every token goes through."""
        attention = self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)
        return self.layers * (attention + 3 * self.hidden * self.feed_forward)

    @property
    def parameters(self) -> int:
        norms = self.layers * (2 * self.hidden + 2 * self.head_dim) + self.hidden
        return self.layer_parameters + norms + self.vocabulary * self.hidden

    def training_flops(self, lengths: list[int], trained: int, *, full: bool) -> float:
        """Of forward and backward, without what is computed twice to save memory.

        Backward costs as much as forward by the activations, and as much again by the weights, which LoRA leaves out
        (its own matrices are not counted). Attention has no weights; each token sees half of its sequence on average.
        The output layer scores all tokens and is differentiated at the ``trained`` ones.
        """
        tokens = sum(lengths)
        layers = 2.0 * self.layer_parameters * tokens
        attention = sum(2.0 * self.layers * self.heads * self.head_dim * n * n for n in lengths)
        head = 2.0 * self.hidden * self.vocabulary
        backward = 2 if full else 1
        return layers * (1 + backward) + attention * 3 + head * (tokens + backward * trained)

    def save(self, folder: Path, device: torch.device) -> Path:
        """A Hugging Face folder in bfloat16, made on ``device`` because billions of random numbers take a CPU minutes."""
        config = Qwen3Config(
            vocab_size=self.vocabulary,
            hidden_size=self.hidden,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            num_key_value_heads=self.kv_heads,
            head_dim=self.head_dim,
            intermediate_size=self.feed_forward,
            tie_word_embeddings=True,
            max_position_embeddings=40960,
            eos_token_id=2,
            pad_token_id=0,
        )
        before = torch.get_default_dtype()
        torch.manual_seed(0)
        try:
            torch.set_default_dtype(torch.bfloat16)
            with device:
                model = Qwen3ForCausalLM(config)
        finally:
            torch.set_default_dtype(before)
        model.save_pretrained(folder)
        return folder


SHAPES = (
    Shape("0.6B", 1024, 28, 16, 8, 128, 3072, 151_936),
    Shape("1.7B", 2048, 28, 16, 8, 128, 6144, 151_936),
    Shape("4B", 2560, 36, 32, 8, 128, 9728, 151_936),
)

#: For a run without a GPU.
TINY = (Shape("tiny", 64, 2, 4, 2, 16, 128, 600),)

#: Dense bfloat16 operations per second as the vendor states them, by a piece of the device's name.
STATED_PEAK = {
    "B200": 2250e12,
    "H200": 989e12,
    "H100": 989e12,
    "GH200": 989e12,
    "A100": 312e12,
    "L40S": 362e12,
    "A10": 125e12,
    "RTX 4090": 165e12,
}


def stated_peak(device_name: str) -> float | None:
    return next((peak for name, peak in STATED_PEAK.items() if name in device_name), None)
