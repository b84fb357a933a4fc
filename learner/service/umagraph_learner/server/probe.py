"""After every publish one fixed sequence is scored twice: by the learner and by the sampler that was just made.

Servers have silently served base weights, an adapter under a stale name, or weights from before the step. All of these
show here: the two scores differ, or the sampler's equal the base model's while the learner's do not.
The scores also name the weights: equal fingerprints mean equal weights on this engine.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable

import numpy as np

from umagraph_learner.contract import Datum, Engine, Float32, SampleRequest, SamplingParams, ServerError

log = logging.getLogger("umagraph_learner")

#: Tokens of the sequence; 31 predictions are scored.
LENGTH = 32
#: Largest difference of a log-probability, in nats, by the number format the engine computes in.
TOLERANCE = {"float32": 1e-3, "float64": 1e-3, "bfloat16": 0.25, "float16": 0.1}


class PublishProbe:
    """Runs on the engine's thread. ``base_sampler`` opens the base model's sampler and says its name."""

    def __init__(self, engine: Engine, base_sampler: Callable[[], str]) -> None:
        self._engine = engine
        self._base_sampler = base_sampler
        self._base: Float32 | None = None
        length = min(LENGTH, engine.base.max_context_length)
        # Spread over the vocabulary, the same on every run.
        self._tokens = ((np.arange(length, dtype=np.int64) * 7919 + 13) % engine.base.vocab_size).astype(np.int32)
        dtype = str(engine.capabilities().get("compute_dtype", engine.capabilities().get("dtype", "float32")))
        self.tolerance = TOLERANCE.get(dtype.removeprefix("torch."), 0.25)

    def sampler_scores(self, sampler_id: str) -> Float32:
        """[LENGTH - 1] log-probabilities of the fixed sequence under a sampler."""
        request = SampleRequest(
            self._tokens, SamplingParams(max_tokens=1, seed=0, stop=[]), num_samples=1, prompt_logprobs=True
        )
        scores = self._engine.sample(sampler_id, [request])[0].prompt_logprobs
        if scores is None:
            raise ServerError("the sampler answered no prompt log-probabilities")
        return np.asarray(scores[1:], dtype=np.float32)

    def learner_scores(self, model_id: str) -> Float32:
        targets = self._tokens[1:].astype(np.int64)
        inputs = {"target_tokens": targets, "weights": np.ones(len(targets), np.float32)}
        datum = Datum(self._tokens[:-1], inputs)
        result = self._engine.forward(model_id, [datum], "cross_entropy", {}, backward=False)
        return np.asarray(result.logprobs[0], dtype=np.float32)

    def base_scores(self) -> Float32:
        if self._base is None:
            self._base = self.sampler_scores(self._base_sampler())
        return self._base

    @property
    def base_fingerprint(self) -> str | None:
        """None until the base model has been scored. From any thread."""
        return None if self._base is None else fingerprint(self._base)

    def check(self, model_id: str, sampler_id: str, *, stepped: bool) -> str:
        """The fingerprint of the published weights. Raises ``ServerError`` if they are not the learner's."""
        learner, sampler = self.learner_scores(model_id), self.sampler_scores(sampler_id)
        difference = float(np.max(np.abs(learner - sampler)))
        if not difference <= self.tolerance:
            raise ServerError(
                f"publish refused: sampler and learner score the same tokens differently (largest difference "
                f"{difference:.3g} nats, allowed {self.tolerance:g}); the sampler does not hold the learner's weights"
            )
        if stepped and np.array_equal(sampler, self.base_scores()):
            if not np.array_equal(learner, sampler):
                raise ServerError(
                    "publish refused: after optimiser steps the sampler scores exactly like the base model while the "
                    "learner does not; the sampler serves base weights"
                )
            log.warning("model %s scores like the base model after its steps: they were too small to show", model_id)
        return fingerprint(sampler)


def fingerprint(scores: Float32) -> str:
    return hashlib.blake2b(np.ascontiguousarray(scores, dtype="<f4").tobytes(), digest_size=8).hexdigest()
