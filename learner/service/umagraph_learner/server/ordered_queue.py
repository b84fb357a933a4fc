"""The requests of one model in the order of their sequence numbers, whatever order they arrive in.

Numbers count up without gaps. A request that arrives early is held back; one that repeats a number gets the promise of
the first, or is refused when it asks for something else. A number whose submit was refused counts as executed,
because the clients go on with the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from umagraph_learner.server.errors import ApiError
from umagraph_learner.server.futures import Promise


@dataclass
class _Entry:
    fingerprint: bytes
    #: None: the submit was refused, for the reason in ``refusal``.
    promise: Promise | None
    refusal: ApiError | None = None


@dataclass
class _Held:
    release: Callable[[], None]
    promise: Promise
    bytes: int
    since: float


class OrderedQueue:
    """Used from the event loop only. ``release`` callbacks hand a request to the engine's worker."""

    def __init__(self, first: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._next = first
        self._clock = clock
        self._seen: dict[int, _Entry] = {}
        self._held: dict[int, _Held] = {}

    @property
    def next_seq_id(self) -> int:
        return self._next

    @property
    def held_bytes(self) -> int:
        return sum(held.bytes for held in self._held.values())

    def known(self, seq_id: int, fingerprint: bytes) -> Promise | None:
        """The promise of the same request made before, or None. Raises 422 when the number stands for another one."""
        entry = self._seen.get(seq_id)
        if entry is None:
            return None
        if entry.fingerprint != fingerprint:
            raise ApiError(
                422,
                f"seq_id {seq_id} was already used for a different request on this model; the next one is {self._next}",
            )
        if entry.promise is None:
            assert entry.refusal is not None
            raise entry.refusal
        return entry.promise

    def admit(
        self, seq_id: int, fingerprint: bytes, promise: Promise, release: Callable[[], None], size: int = 0
    ) -> None:
        """Takes a new request; it is released as soon as all lower numbers have been."""
        self._seen[seq_id] = _Entry(fingerprint, promise)
        self._held[seq_id] = _Held(release, promise, size, self._clock())
        self._advance()
        if seq_id in self._held:
            promise.waits_for = f"seq_id {self._next} has not arrived yet"

    def refuse(self, seq_id: int, fingerprint: bytes, refusal: ApiError) -> None:
        """Marks a number as used up by a submit that was answered 4xx."""
        if seq_id not in self._seen:
            self._seen[seq_id] = _Entry(fingerprint, None, refusal)
            self._advance()

    def _advance(self) -> None:
        while True:
            held = self._held.pop(self._next, None)
            if held is not None:
                self._next += 1
                held.promise.waits_for = None
                held.release()
            elif self._next in self._seen:
                # Refused at submit, or failed while it waited for a lower number.
                self._next += 1
            else:
                return

    def expired(self, seconds: float) -> list[tuple[Promise, str]]:
        """Takes out what has waited too long for a number that never came, with what to tell about it."""
        now = self._clock()
        late = [seq_id for seq_id, held in self._held.items() if now - held.since > seconds]
        return [(self._held.pop(seq_id).promise, self._never_arrived(seq_id, seconds)) for seq_id in sorted(late)]

    def _never_arrived(self, seq_id: int, seconds: float) -> str:
        return (
            f"seq_id {seq_id} waited {seconds:g} s for seq_id {self._next}, which never arrived: numbers count up by "
            "one per model; this one counts as executed and nothing was done"
        )

    def drain(self) -> list[Promise]:
        """Takes out everything that is held back, for a model that goes away."""
        promises = [held.promise for held in self._held.values()]
        self._held.clear()
        return promises
