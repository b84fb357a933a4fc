"""Sequence numbers: any order of arrival, one order of execution."""

from __future__ import annotations

import random

import pytest
from in_process import Clock

from umagraph_learner.server.errors import ApiError
from umagraph_learner.server.futures import Promise, Promises
from umagraph_learner.server.ordered_queue import OrderedQueue

PROMISES = Promises(ttl_s=1, max_bytes=1)


def admit(queue: OrderedQueue, seq_id: int, ran: list[int], fingerprint: bytes = b"x") -> Promise:
    promise = PROMISES.create()
    queue.admit(seq_id, fingerprint, promise, lambda: ran.append(seq_id), size=10)
    return promise


def test_every_order_of_arrival_runs_in_the_order_of_numbers() -> None:
    shuffler = random.Random(5)
    for _ in range(200):
        numbers = list(range(1, 13))
        shuffler.shuffle(numbers)
        refused = set(shuffler.sample(numbers, 3))
        queue, ran = OrderedQueue(), list[int]()
        for number in numbers:
            if number in refused:
                queue.refuse(number, b"r", ApiError(422, "no"))
            else:
                admit(queue, number, ran)
        assert ran == [n for n in range(1, 13) if n not in refused]
        assert queue.next_seq_id == 13
        assert queue.held_bytes == 0


def test_a_repeated_number_gets_the_first_promise_whether_it_ran_or_waits() -> None:
    queue, ran = OrderedQueue(), list[int]()
    first, early = admit(queue, 1, ran), admit(queue, 3, ran)
    assert queue.known(1, b"x") is first
    assert queue.known(3, b"x") is early
    assert queue.known(2, b"x") is None


def test_a_repeated_number_with_other_content_is_refused_with_422() -> None:
    queue = OrderedQueue()
    admit(queue, 1, [])
    with pytest.raises(ApiError) as raised:
        queue.known(1, b"y")
    assert raised.value.status == 422
    assert "seq_id 1" in raised.value.detail


def test_what_waits_says_for_which_number() -> None:
    queue = OrderedQueue()
    assert admit(queue, 2, []).waits_for == "seq_id 1 has not arrived yet"
    assert admit(queue, 1, []).waits_for is None


def test_what_waited_too_long_fails_and_its_number_counts_as_used() -> None:
    clock, ran = Clock(), list[int]()
    queue = OrderedQueue(clock=clock)
    late = admit(queue, 3, ran)
    clock.now += 50
    admit(queue, 4, ran)
    clock.now += 60
    ((promise, sentence),) = queue.expired(100)
    assert promise is late
    assert "seq_id 1" in sentence
    for number in (1, 2):
        admit(queue, number, ran)
    assert ran == [1, 2, 4]
