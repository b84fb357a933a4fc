"""Concurrent sampling requests on the same weights become one batch of the engine.

While the engine works on something, requests pile up; when it gets to sampling it takes all that are there, up to a
number of sequences, and the rest queues behind what arrived meanwhile. Only an idle engine is made to wait, a few
milliseconds, for the companions of a first request.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from umagraph_learner.contract import Engine, SampleRequest, SampleResult
from umagraph_learner.server.samplers import OpenSamplers, SamplerWeights
from umagraph_learner.server.worker import EngineWorker

Answer = Callable[[SampleResult | BaseException], None]
Answered = list[tuple[Answer, SampleResult | BaseException]]


@dataclass(frozen=True)
class _Waiting:
    request: SampleRequest
    answer: Answer


class SamplingBatcher:
    def __init__(
        self, engine: Engine, worker: EngineWorker, samplers: OpenSamplers, *, max_sequences: int, gather_s: float
    ) -> None:
        self._engine = engine
        self._worker = worker
        self._samplers = samplers
        self._max_sequences = max_sequences
        self._gather_s = gather_s
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[_Waiting]] = {}
        self._scheduled: set[str] = set()

    @property
    def waiting(self) -> int:
        with self._lock:
            return sum(len(queue) for queue in self._waiting.values())

    def submit(self, weights: SamplerWeights, request: SampleRequest, answer: Answer) -> None:
        """``answer`` is called once, on the event loop."""
        with self._lock:
            self._waiting.setdefault(weights.engine_id, deque()).append(_Waiting(request, answer))
        if weights.engine_id not in self._scheduled:
            self._scheduled.add(weights.engine_id)
            if self._worker.outstanding:
                self._enqueue(weights)
            else:
                asyncio.get_running_loop().call_later(self._gather_s, self._enqueue, weights)

    def _enqueue(self, weights: SamplerWeights) -> None:
        future = self._worker.submit(lambda: self._run(weights))
        future.add_done_callback(lambda done: self._deliver(weights, done))

    def _deliver(self, weights: SamplerWeights, done: asyncio.Future[Answered]) -> None:
        if done.cancelled():
            return
        for answer, outcome in done.result():
            answer(outcome)
        with self._lock:
            more = bool(self._waiting.get(weights.engine_id))
            if not more:
                self._waiting.pop(weights.engine_id, None)
        if more:
            self._enqueue(weights)
        else:
            self._scheduled.discard(weights.engine_id)

    def _run(self, weights: SamplerWeights) -> Answered:
        """On the engine's thread."""
        batch = self._take(weights.engine_id)
        if not batch:
            return []
        try:
            sampler_id = self._samplers.use(weights)
        except Exception as error:  # noqa: BLE001 - goes to the client in words
            return [(item.answer, error) for item in batch]
        try:
            results = self._engine.sample(sampler_id, [item.request for item in batch])
            return [(item.answer, result) for item, result in zip(batch, results, strict=True)]
        except Exception as error:  # noqa: BLE001 - goes to the client in words
            if len(batch) == 1:
                return [(batch[0].answer, error)]
        # Whose request it was is not known: each one alone, so that one bad request fails nobody else.
        return [(item.answer, self._alone(sampler_id, item.request)) for item in batch]

    def _alone(self, sampler_id: str, request: SampleRequest) -> SampleResult | BaseException:
        try:
            return self._engine.sample(sampler_id, [request])[0]
        except Exception as error:  # noqa: BLE001 - goes to the client in words
            return error

    def _take(self, key: str) -> list[_Waiting]:
        taken: list[_Waiting] = []
        sequences = 0
        with self._lock:
            queue = self._waiting.get(key)
            while queue and (not taken or sequences + queue[0].request.num_samples <= self._max_sequences):
                item = queue.popleft()
                sequences += item.request.num_samples
                taken.append(item)
        return taken
