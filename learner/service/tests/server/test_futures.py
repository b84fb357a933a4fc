"""Promises: kept, re-read, dropped."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from in_process import Clock, asynchronous

from umagraph_learner.contract import ForwardResult
from umagraph_learner.server.errors import Failure
from umagraph_learner.server.futures import Gone, Promises


def result(floats: int = 10) -> ForwardResult:
    return ForwardResult([np.zeros(floats, np.float32)], {})


def test_a_result_can_be_read_until_its_time_is_up_and_is_gone_after() -> None:
    clock = Clock()
    promises = Promises(ttl_s=100, max_bytes=10**9, clock=clock)
    promise = promises.create()
    promises.resolve(promise, result())
    clock.now += 99
    promises.sweep()
    assert promises.get(promise.request_id).result is not None
    clock.now += 2
    promises.sweep()
    with pytest.raises(Gone):
        promises.get(promise.request_id)


def test_time_counts_from_the_result_and_not_from_the_submit() -> None:
    clock = Clock()
    promises = Promises(ttl_s=100, max_bytes=10**9, clock=clock)
    promise = promises.create()
    clock.now += 1000
    promises.sweep()
    assert promises.get(promise.request_id).result is None


def test_too_much_memory_drops_read_results_first_and_the_oldest_of_those() -> None:
    clock = Clock()
    promises = Promises(ttl_s=10**6, max_bytes=3000, clock=clock)
    made = []
    for index in range(5):
        promise = promises.create()
        promises.resolve(promise, result(200))
        promise.was_read = index in (2, 3)
        clock.now += 1
        made.append(promise)
    promises.sweep()
    kept = [i for i, p in enumerate(made) if not p.dropped]
    # About 1100 bytes each: two fit.
    assert kept == [1, 4] or kept == [4, 1]


def test_the_first_outcome_of_a_promise_stays() -> None:
    promises = Promises(ttl_s=1, max_bytes=1)
    promise = promises.create()
    promises.resolve(promise, Failure("first", "user"))
    promises.resolve(promise, {"second": True})
    assert promise.result == Failure("first", "user")


@asynchronous
async def test_many_waiters_get_the_same_result() -> None:
    promises = Promises(ttl_s=1, max_bytes=10**9)
    promise = promises.create()
    waiting = [asyncio.create_task(promises.wait(promise, 5)) for _ in range(20)]
    await asyncio.sleep(0.01)
    promises.resolve(promise, {"x": 1})
    assert await asyncio.gather(*waiting) == [{"x": 1}] * 20


@asynchronous
async def test_waiting_ends_without_a_result_when_its_time_is_up() -> None:
    promises = Promises(ttl_s=1, max_bytes=10**9)
    assert await promises.wait(promises.create(), 0.01) is None
