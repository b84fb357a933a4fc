"""A forward or forward_backward call as it arrived, in either dialect.

Reading goes in two steps. The envelope (whose model, which sequence number) must be readable, or the request is
answered 422. Whatever is wrong inside the content becomes the result of the call (category ``user``), so that the
sequence of the model goes on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from umagraph_learner.contract import Datum


class MalformedRequest(Exception):
    """Not readable as this route's request at all; carries the envelope as far as it was seen."""

    def __init__(self, detail: str, model_id: str | None = None, seq_id: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.model_id = model_id
        self.seq_id = seq_id


@dataclass(frozen=True)
class ForwardContent:
    loss_fn: str
    config: Mapping[str, float]
    data: Sequence[Datum]


@dataclass(frozen=True)
class ForwardCall:
    """``content`` decodes on demand and raises ``UserError``; ``body_digest`` stands in for it when it cannot."""

    model_id: str
    seq_id: int | None
    forward_only: bool
    content: Callable[[], ForwardContent]
    body_digest: Callable[[], bytes]


def checked_seq_id(value: object) -> int | None:
    """A sequence number, or None when the client leaves ordering to us."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**53:
        raise MalformedRequest(f"seq_id must be a whole number from 1, not {value!r}")
    return value


def content_digest(content: ForwardContent, forward_only: bool) -> bytes:
    """The same for the same numbers, whichever dialect and chunking of tokens carried them."""
    h = hashlib.blake2b(digest_size=20)

    def part(label: bytes, *pieces: bytes | memoryview) -> None:
        h.update(label)
        for piece in pieces:
            h.update(len(piece).to_bytes(8, "little"))
            h.update(piece)

    part(b"loss", content.loss_fn.encode(), b"forward" if forward_only else b"backward")
    for key in sorted(content.config):
        part(b"config", key.encode(), np.float64(content.config[key]).tobytes())
    for datum in content.data:
        part(b"datum", np.ascontiguousarray(datum.tokens).tobytes())
        for name in sorted(datum.inputs):
            array = np.ascontiguousarray(datum.inputs[name])
            part(b"input", name.encode(), array.dtype.str.encode(), array.tobytes())
    return h.digest()
