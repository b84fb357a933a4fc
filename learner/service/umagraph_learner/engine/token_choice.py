"""Draws a token per sequence from logits, each sequence with random numbers of its own.

The log-probability of a drawn token is that of the model at the temperature it was drawn at, not renormalised over what
top-k and top-p leave: at temperature 1 it is what teacher forcing gives, whatever the truncation. Greedy choice
(temperature 0) reports log-probabilities of temperature 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ..contract import SamplingParams, UserError


def check_sampling(params: SamplingParams, vocabulary: int) -> None:
    if not (math.isfinite(params.temperature) and params.temperature >= 0):
        raise UserError(f"expected a temperature of at least 0, got {params.temperature}")
    if not 0 < params.top_p <= 1:
        raise UserError(f"expected top_p in (0, 1], got {params.top_p}")
    if params.top_k != -1 and params.top_k < 1:
        raise UserError(f"expected top_k of at least 1, or -1 for none, got {params.top_k}")
    if params.max_tokens is not None and params.max_tokens < 1:
        raise UserError(f"expected max_tokens of at least 1, got {params.max_tokens}")
    for stop in () if isinstance(params.stop, str) else params.stop or ():
        if isinstance(stop, int) and not 0 <= stop < vocabulary:
            raise UserError(f"expected stop tokens from 0 to {vocabulary - 1}, got {stop}")


def random_source(seed: int | None, sample: int) -> np.random.Generator:
    """A stream for one sequence; without a seed a new one every time."""
    return np.random.Generator(np.random.PCG64(None if seed is None else [seed % 2**64, sample]))


def choose(
    logits: Tensor, params: Sequence[SamplingParams], sources: Sequence[np.random.Generator]
) -> tuple[list[int], list[float]]:
    """``logits`` [n, V] float32 (overwritten), one row per sequence, to tokens and their log-probabilities."""
    temperatures = [p.temperature if p.temperature > 0 else 1.0 for p in params]
    if any(t != 1 for t in temperatures):
        logits.div_(torch.tensor(temperatures, device=logits.device)[:, None])
    table = torch.log_softmax(logits, dim=-1)
    weights = table.exp()
    for row, p in enumerate(params):
        if p.temperature > 0 and (p.top_k > 0 or p.top_p < 1):
            _truncate(weights[row], p)
    sums = weights.cumsum(-1, dtype=torch.float64)
    draws = torch.tensor([source.random() for source in sources], dtype=torch.float64).to(logits.device)
    # right: the first place whose sum exceeds the draw, so never a token of weight 0
    drawn = torch.searchsorted(sums, (draws * sums[:, -1])[:, None], right=True)[:, 0]
    if any(p.temperature == 0 for p in params):
        greedy = torch.tensor([p.temperature == 0 for p in params], device=logits.device)
        drawn = torch.where(greedy, table.argmax(-1), drawn)
    drawn.clamp_(max=logits.shape[1] - 1)
    return drawn.tolist(), table.gather(1, drawn[:, None])[:, 0].tolist()


def _truncate(weights: Tensor, params: SamplingParams) -> None:
    """Zeroes what top-k, then top-p leave out of one row. The most probable token always stays."""
    order = weights.argsort(descending=True, stable=True)
    out = torch.zeros_like(weights, dtype=torch.bool)
    if params.top_k > 0:
        out[params.top_k :] = True
    if params.top_p < 1:
        kept = weights[order].masked_fill(out, 0.0)
        before = kept.cumsum(-1) - kept
        out |= before >= params.top_p * kept.sum()
    weights[order[out]] = 0.0
