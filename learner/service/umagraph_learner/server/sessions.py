"""Sessions: who owns which models and samplers, and when they are given up."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from umagraph_learner.server.errors import ApiError


@dataclass
class Session:
    session_id: str
    user_metadata: dict[str, Any] | None
    last_seen: float
    started: str
    #: None while it lives; else why it is over.
    ended: str | None = None
    model_ids: list[str] = field(default_factory=list)
    sampler_ids: list[str] = field(default_factory=list)


class Sessions:
    def __init__(self, ttl_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._ttl_s = ttl_s
        self._clock = clock
        self._by_id: dict[str, Session] = {}

    def create(self, user_metadata: dict[str, Any] | None) -> Session:
        started = datetime.now(UTC).isoformat()
        session = Session(f"s-{uuid.uuid4().hex[:16]}", user_metadata, self._clock(), started)
        self._by_id[session.session_id] = session
        return session

    def live(self, session_id: object) -> Session:
        """The session, noted as seen now. Raises 404 for an unknown one and 410 for one that is over."""
        session = self.find(session_id)
        if session.ended is not None:
            raise ApiError(410, f"session {session.session_id} is over: {session.ended}")
        session.last_seen = self._clock()
        return session

    def find(self, session_id: object) -> Session:
        session = self._by_id.get(session_id) if isinstance(session_id, str) else None
        if session is None:
            raise ApiError(
                404, f"session {session_id!r:.100} is not known here (was the server restarted?): make a new one"
            )
        return session

    def touch(self, session_id: str) -> None:
        session = self._by_id.get(session_id)
        if session is not None and session.ended is None:
            session.last_seen = self._clock()

    def all(self) -> list[Session]:
        """Newest first."""
        return list(reversed(self._by_id.values()))

    def overdue(self) -> list[Session]:
        """Live sessions that nothing was heard of for longer than their time."""
        now = self._clock()
        return [s for s in self._by_id.values() if s.ended is None and now - s.last_seen > self._ttl_s]
