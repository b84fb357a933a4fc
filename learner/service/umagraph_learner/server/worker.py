"""The one thread that uses the engine. Jobs run one after another in the order they were handed in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class EngineWorker:
    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="engine")
        self._outstanding = 0

    @property
    def outstanding(self) -> int:
        """Jobs handed in and not finished."""
        return self._outstanding

    def submit(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Queues ``job`` at once, in call order; the future is of the running event loop."""
        future = asyncio.get_running_loop().run_in_executor(self._pool, job)
        self._outstanding += 1
        future.add_done_callback(self._finished)
        return future

    def _finished(self, _: object) -> None:
        self._outstanding -= 1

    def close(self) -> None:
        """Waits for the job that runs and drops the others."""
        self._pool.shutdown(wait=True, cancel_futures=True)
