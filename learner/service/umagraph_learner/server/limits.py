"""Sizes and times the service keeps to, and the reading of request bodies within them."""

from __future__ import annotations

import io
from dataclasses import dataclass

import zstandard
from starlette.requests import ClientDisconnect, Request

from umagraph_learner.server.errors import ApiError

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bytes, seconds and counts."""

    max_body_bytes: int = 64 * MIB
    #: After decompression.
    max_content_bytes: int = 256 * MIB
    #: Submitted and not yet executed, all models together; beyond it a submit that could wait is answered 429.
    max_queued_bytes: int = 4096 * MIB
    max_queued_samples: int = 20_000
    #: A poll waits so long before it answers try_again.
    long_poll_s: float = 30.0
    #: Results are kept and can be read again so long.
    result_ttl_s: float = 2 * 3600.0
    #: Results in memory; beyond it the oldest that have been read go before their time, then the oldest.
    max_result_bytes: int = 2048 * MIB
    #: A session without heartbeat or request for so long is over, and its models are freed.
    session_ttl_s: float = 300.0
    #: A request that waits so long for a lower sequence number that never came fails.
    gap_timeout_s: float = 300.0
    #: Results larger than this are announced by size first when the client allows it.
    metadata_only_bytes: int = MIB
    #: Sequences in one sampling batch.
    max_batch_sequences: int = 64
    #: An idle engine waits so long for more sampling requests to batch with the first.
    gather_s: float = 0.004
    #: Unnamed publishes of one model that stay usable; older ones are gone.
    keep_unnamed: int = 4
    #: Sampler weights in memory, all models together; the least recently used is closed and reopened on demand.
    max_open_samplers: int = 4
    max_num_samples: int = 1024
    max_models: int = 32


class BodyTooLarge(ApiError):
    """413, with the first bytes, from which the sequence number may still be read."""

    def __init__(self, detail: str, head: bytes) -> None:
        super().__init__(413, detail)
        self.head = head


async def read_body(request: Request, limits: Limits) -> bytes:
    """The decoded body. A body over the limit is refused after the first bytes over it, never held whole."""
    limit = limits.max_body_bytes
    sentence = f"the body is larger than this server takes ({limit} bytes): send fewer datums per request"
    declared = request.headers.get("content-length")
    if declared is not None and not (declared.isascii() and declared.isdigit()):
        raise ApiError(400, "content-length is not a number")
    too_large = declared is not None and int(declared) > limit
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if too_large or len(body) > limit:
                raise BodyTooLarge(sentence, bytes(body[:4096]))
    except ClientDisconnect:
        raise ApiError(400, "the client closed the connection in the middle of the body") from None
    if too_large:
        raise BodyTooLarge(sentence, b"")
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return bytes(body)
    if encoding == "zstd":
        return _inflate(bytes(body), limits.max_content_bytes)
    raise ApiError(415, f"content-encoding {encoding[:40]!r} is not read here: use identity or zstd")


def _inflate(body: bytes, limit: int) -> bytes:
    """zstd, a piece at a time, so that a small body cannot grow beyond ``limit`` in memory."""
    out = bytearray()
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(io.BytesIO(body))
    try:
        while piece := reader.read(MIB):
            out += piece
            if len(out) > limit:
                raise BodyTooLarge(f"the body is larger than {limit} bytes once decompressed", bytes(out[:4096]))
    except zstandard.ZstdError as error:
        raise ApiError(422, f"the body is not zstd: {error}") from None
    return bytes(out)
