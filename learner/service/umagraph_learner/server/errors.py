"""How failures leave the service: an HTTP status at submit, or a category in the result of a future.

The official clients retry 408, 409, 429 and 5xx for minutes, so a request that will never be right gets 4xx of
another kind, and 409 is never used.
"""

from __future__ import annotations

import errno
import logging
from dataclasses import dataclass

from umagraph_learner.contract import ServerError, UserError

log = logging.getLogger("umagraph_learner")


class ApiError(Exception):
    """Answered at once as ``{"detail": ...}``."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(frozen=True)
class Failure:
    """The result of a future that failed. ``user``: the request was wrong; ``server``: it could not be served."""

    error: str
    category: str


def as_failure(error: BaseException) -> Failure:
    """Every exception of a job, put into words and a category; the unexpected ones are logged whole."""
    if isinstance(error, UserError):
        return Failure(str(error), "user")
    if isinstance(error, ServerError):
        return Failure(str(error), "server")
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure("the disk is full: nothing was saved; free some space and try again", "server")
    if isinstance(error, MemoryError):
        return Failure("out of memory: send fewer or shorter sequences per request", "user")
    log.error("a job failed in a way nobody foresaw", exc_info=error)
    return Failure(f"internal error: {type(error).__name__}: {error}", "server")
