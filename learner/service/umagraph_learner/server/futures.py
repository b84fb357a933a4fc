"""Promises: what a submit is answered with, and what a poll waits for.

A result stays readable until its time is up, however often it was read, because an answer can be lost on the way.
After that, and for identifiers of an earlier life of the server, a poll is answered 410.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from umagraph_learner.contract import ForwardResult, SampleResult
from umagraph_learner.server.errors import Failure

Result = ForwardResult | SampleResult | dict[str, Any] | Failure


@dataclass
class Promise:
    request_id: str
    #: Whose it is; reading it keeps the session alive.
    session_id: str | None
    model_id: str | None
    created: float
    result: Result | None = None
    done_at: float | None = None
    #: Approximate size of the result in memory.
    bytes: int = 0
    was_read: bool = False
    dropped: bool = False
    #: Why it is not running yet, in words, or None.
    waits_for: str | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Gone(Exception):
    """The promise is not, or no longer, known."""


class Promises:
    """All promises of the process. Used from the event loop only."""

    def __init__(self, ttl_s: float, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._ttl_s = ttl_s
        self._max_bytes = max_bytes
        self._clock = clock
        self._by_id: dict[str, Promise] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._by_id)

    def create(self, session_id: str | None = None, model_id: str | None = None) -> Promise:
        promise = Promise(f"r-{uuid.uuid4().hex}", session_id, model_id, created=self._clock())
        self._by_id[promise.request_id] = promise
        return promise

    def resolve(self, promise: Promise, result: Result) -> None:
        """The first result stays; a promise is never changed once a client may have seen it."""
        if promise.result is not None:
            return
        promise.result = result
        promise.done_at = self._clock()
        promise.bytes = _size(result)
        promise.waits_for = None
        self._bytes += promise.bytes
        promise.done.set()

    def get(self, request_id: str) -> Promise:
        promise = self._by_id.get(request_id)
        if promise is None:
            raise Gone(request_id)
        return promise

    async def wait(self, promise: Promise, seconds: float) -> Result | None:
        """The result, or None if it has not come within ``seconds``."""
        if promise.result is None and seconds > 0:
            try:
                await asyncio.wait_for(promise.done.wait(), seconds)
            except TimeoutError:
                return None
        return promise.result

    def sweep(self) -> None:
        """Drops what is past its time, then what is too much: read ones first, oldest first."""
        now = self._clock()
        done = [p for p in self._by_id.values() if p.done_at is not None]
        for promise in done:
            assert promise.done_at is not None
            if now - promise.done_at > self._ttl_s:
                self._drop(promise)
        if self._bytes > self._max_bytes:
            for promise in sorted(done, key=lambda p: (not p.was_read, p.done_at)):
                if self._bytes <= self._max_bytes:
                    break
                self._drop(promise)

    def _drop(self, promise: Promise) -> None:
        if self._by_id.pop(promise.request_id, None) is not None:
            self._bytes -= promise.bytes
            # Those who still hold the promise, to recognise a repeated request, do not need the numbers.
            promise.result = None
            promise.dropped = True

    def wake_all(self) -> None:
        """Ends every long poll without a result, so that the process can end."""
        for promise in self._by_id.values():
            promise.done.set()

    def unread(self, within_s: float) -> int:
        """Results of the last ``within_s`` seconds that nobody has read yet; older ones have lost their client."""
        since = self._clock() - within_s
        return sum(1 for p in self._by_id.values() if p.done_at is not None and p.done_at > since and not p.was_read)


def _size(result: Result) -> int:
    if isinstance(result, ForwardResult):
        return 200 + sum(100 + row.nbytes for row in result.logprobs)
    if isinstance(result, SampleResult):
        prompt = 0 if result.prompt_logprobs is None else result.prompt_logprobs.nbytes
        return 200 + prompt + sum(100 + s.tokens.nbytes + s.logprobs.nbytes for s in result.sequences)
    return 500
