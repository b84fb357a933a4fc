"""Samples many sequences in lock-step: prompts of any length, a place that a finished sequence frees goes to the next.

A prompt is computed once however many samples are asked of it. A sequence draws from a source of random numbers of its own,
so what it is batched with changes its tokens only where rounding tips a draw that lies on the border of two tokens.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from ..contract import Float32, SampledSequence, SampleRequest, SampleResult, UserError
from .head import Head
from .kv_cache import KvCache, Prefill, kv_shape
from .network import Network
from .settings import Settings
from .token_choice import check_sampling, choose, random_source


@dataclass
class _Running:
    request: int
    sample: int
    source: np.random.Generator
    limit: int
    stop_tokens: frozenset[int]
    stop_strings: tuple[str, ...]
    #: Tokens in the cache, which is all but the last one drawn.
    length: int
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    stopped: bool = False


class Sampler:
    """``end_tokens`` stop a sequence when the request names no stop of its own; ``decode`` turns tokens into text."""

    def __init__(
        self,
        network: Network,
        settings: Settings,
        context: int,
        end_tokens: Sequence[int],
        decode: Callable[[Sequence[int]], str],
    ) -> None:
        self._network = network
        self._settings = settings
        self._context = context
        self._end_tokens = frozenset(end_tokens)
        self._decode = decode

    @torch.no_grad()
    def sample(self, requests: Sequence[SampleRequest]) -> list[SampleResult]:
        """The network already has the sampler's weights."""
        for index, request in enumerate(requests):
            self._check(index, request)
        run = _Run(
            self._network, self._settings, requests, [self._started(i, r) for i, r in enumerate(requests)], self._decode
        )
        return run.finish()

    def _check(self, index: int, request: SampleRequest) -> None:
        length = len(request.prompt)
        where = f"request {index}: "
        if request.prompt.ndim != 1 or length == 0:
            raise UserError(f"{where}expected a prompt of at least one token, got shape {list(request.prompt.shape)}")
        if request.prompt.dtype.kind != "i":
            raise UserError(f"{where}expected prompt tokens as whole numbers, got {request.prompt.dtype}")
        low, high = int(request.prompt.min()), int(request.prompt.max())
        if low < 0 or high >= self._network.vocabulary:
            raise UserError(
                f"{where}expected tokens from 0 to {self._network.vocabulary - 1}, got {low if low < 0 else high}"
            )
        if request.num_samples < 1:
            raise UserError(f"{where}expected at least one sample, got {request.num_samples}")
        if request.prompt_logprobs_last_n is not None and request.prompt_logprobs_last_n < 0:
            raise UserError(
                f"{where}expected prompt_logprobs_last_n of at least 0, got {request.prompt_logprobs_last_n}"
            )
        check_sampling(request.params, self._network.vocabulary)
        asked = 1 if request.params.max_tokens is None else request.params.max_tokens
        if length + asked > self._context:
            raise UserError(
                f"{where}expected prompt and max_tokens within the context of {self._context}, got {length} + {asked}"
            )

    def _started(self, index: int, request: SampleRequest) -> list[_Running]:
        params = request.params
        tokens: frozenset[int] = frozenset()
        strings: tuple[str, ...] = ()
        if params.stop is None:
            tokens = self._end_tokens
        else:
            given = [params.stop] if isinstance(params.stop, str) else list(params.stop)
            tokens = frozenset(stop for stop in given if isinstance(stop, int))
            strings = tuple(stop for stop in given if isinstance(stop, str) and stop)
        left = self._context - len(request.prompt)
        limit = left if params.max_tokens is None else params.max_tokens
        return [
            _Running(index, sample, random_source(params.seed, sample), limit, tokens, strings, len(request.prompt))
            for sample in range(request.num_samples)
        ]


class _Run:
    """The state of one call."""

    def __init__(
        self,
        network: Network,
        settings: Settings,
        requests: Sequence[SampleRequest],
        groups: list[list[_Running]],
        decode: Callable[[Sequence[int]], str],
    ) -> None:
        self._network = network
        self._requests = requests
        self._decode = decode
        self._prefill_tokens = settings.prefill_tokens
        self._head = Head(network, settings.logits_bytes)
        self._step = network.step_decoder()
        self._waiting = deque(groups)
        self._running: list[_Running] = []
        self._done: list[list[_Running | None]] = [[None] * len(group) for group in groups]
        self._scores: list[Float32 | None] = [None] * len(requests)
        longest = max(group[0].length + group[0].limit for group in groups) if groups else 1
        heads, width = kv_shape(network)
        per_token = 2 * network.config.num_hidden_layers * heads * width * torch.finfo(network.dtype).bits // 8
        total = sum(len(group) for group in groups)
        rows = max(1, min(total, settings.max_batch, settings.cache_bytes // (per_token * longest)))
        self._cache = KvCache(network, rows, max((group[0].length for group in groups), default=1) + 1, longest)

    def finish(self) -> list[SampleResult]:
        while self._waiting or self._running:
            while self._waiting and len(self._running) < self._cache.rows:
                self._admit()
            if self._running:
                self._advance()
        return [
            SampleResult([_sequence(running) for running in group if running is not None], scores)
            for group, scores in zip(self._done, self._scores, strict=True)
        ]

    def _admit(self) -> None:
        """Computes as many waiting prompts as there are free rows and draws the first token of their samples."""
        taken: list[list[_Running]] = []
        free, tokens = self._cache.rows - len(self._running), 0
        while self._waiting and free > 0:
            group = self._waiting[0]
            if taken and tokens + group[0].length > self._prefill_tokens:
                break
            now, later = group[:free], group[free:]
            self._waiting.popleft()
            if later:
                # the rest of its samples waits for rows, and will compute the prompt again
                self._waiting.appendleft(later)
            taken.append(now)
            free -= len(now)
            tokens += now[0].length
        self._cache.reserve(max(group[0].length for group in taken) + 1)
        device = self._network.device
        prompts = [self._requests[group[0].request].prompt for group in taken]
        lengths = [len(prompt) for prompt in prompts]
        ids = torch.from_numpy(np.concatenate(prompts).astype(np.int64)).to(device)
        positions = torch.from_numpy(np.concatenate([np.arange(length) for length in lengths])).to(device)
        rows, at = [], len(self._running)
        for group in taken:
            rows.append(at)
            at += len(group)
        hidden = self._network.hidden(ids, positions, Prefill(lengths, rows, self._cache))
        ends = np.cumsum(lengths)
        for group, row, prompt, end in zip(taken, rows, prompts, ends.tolist(), strict=True):
            self._cache.copy_row(row, range(row + 1, row + len(group)), len(prompt))
            if self._scores[group[0].request] is None:
                self._scores[group[0].request] = self._score(group[0].request, hidden[end - len(prompt) : end], prompt)
        last = torch.from_numpy(np.repeat(ends - 1, [len(group) for group in taken])).to(device)
        self._running.extend(running for group in taken for running in group)
        self._draw(hidden[last], len(self._running) - len(last))

    def _score(self, index: int, hidden: torch.Tensor, prompt: np.ndarray) -> Float32 | None:
        request = self._requests[index]
        if not request.prompt_logprobs:
            return None
        scores = np.full(len(prompt), np.nan, dtype=np.float32)
        last = request.prompt_logprobs_last_n
        first = 1 if last is None else max(1, len(prompt) - last)
        if first < len(prompt):
            targets = torch.from_numpy(prompt[first:].astype(np.int64)).to(hidden.device)
            scores[first:] = self._head.logprobs(hidden[first - 1 : -1], targets).cpu().numpy()
        return scores

    def _advance(self) -> None:
        device = self._network.device
        longest = max(running.length for running in self._running) + 1
        self._cache.reserve(longest)
        positions = torch.tensor([running.length for running in self._running], device=device)
        ids = torch.tensor([running.tokens[-1] for running in self._running], device=device)
        self._cache.step_to(positions, longest)
        hidden = self._step(ids, positions, self._cache)
        for running in self._running:
            running.length += 1
        self._draw(hidden, 0)

    def _draw(self, hidden: torch.Tensor, start: int) -> None:
        """A token for the running sequences from ``start`` on; finished ones leave."""
        drawing = self._running[start:]
        params = [self._requests[running.request].params for running in drawing]
        tokens, logprobs = choose(self._head.logits(hidden), params, [running.source for running in drawing])
        if not all(map(math.isfinite, logprobs)):
            raise UserError("expected finite log-probabilities of the sampled tokens; the weights have diverged")
        gone: list[int] = []
        for place, (running, token, logprob) in enumerate(zip(drawing, tokens, logprobs, strict=True), start=start):
            running.tokens.append(token)
            running.logprobs.append(logprob)
            running.stopped = token in running.stop_tokens or self._at_stop_string(running)
            if running.stopped or len(running.tokens) >= running.limit:
                gone.append(place)
        for place in reversed(gone):
            self._leave(place)

    def _at_stop_string(self, running: _Running) -> bool:
        if not running.stop_strings:
            return False
        # a token is at least one byte of text, so the string's end lies within so many of the last tokens
        tail = max(len(stop.encode()) for stop in running.stop_strings) + 8
        text = self._decode(running.tokens[-tail:])
        return any(stop in text for stop in running.stop_strings)

    def _leave(self, place: int) -> None:
        """The last running sequence moves into the freed row."""
        running = self._running[place]
        self._done[running.request][running.sample] = running
        last = self._running.pop()
        if last is not running:
            self._cache.copy_row(len(self._running), [place], last.length)
            self._running[place] = last


def _sequence(running: _Running) -> SampledSequence:
    return SampledSequence(
        np.array(running.tokens, dtype=np.int32),
        np.array(running.logprobs, dtype=np.float32),
        "stop" if running.stopped else "length",
    )
