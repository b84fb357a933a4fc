"""Between the wire and the service in tests: a recorder of conversations, and a source of faults.

A recorded conversation is gzipped JSON lines. The first line says with what it was recorded::

    {"sdk": "0.38.0", "model": "tiny/qwen3", "model_sha256": "...", "format": 1}

Every other line is one exchange, in the order in which the answers were finished::

    {"method": "POST", "path": "/api/v1/asample", "request": {"headers": {...}, "json": {...}},
     "status": 200, "response": {"headers": {...}, "json": {...}}}

A body that is not JSON is ``"base64"`` instead of ``"json"``, and an empty one is absent. Headers are those that decide
how a body is read. Polls that were told to try again, heartbeats and telemetry are left out.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = ("accept", "content-encoding", "content-type")
_LEFT_OUT = ("/api/v1/session_heartbeat", "/api/v1/telemetry")
_MUTATING = (
    "/api/v1/create_model",
    "/api/v1/forward_backward",
    "/api/v1/forward",
    "/api/v1/optim_step",
    "/api/v1/save_weights",
    "/api/v1/save_weights_for_sampler",
)


async def _collected(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


def _given_back(body: bytes, receive: Receive) -> Receive:
    first = True

    async def again() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


def _headers(pairs: list[tuple[bytes, bytes]]) -> dict[str, str]:
    named = {name.decode().lower(): value.decode() for name, value in pairs}
    return {name: named[name] for name in _HEADERS if name in named}


def _body(data: bytes, headers: dict[str, str]) -> dict[str, Any]:
    if not data:
        return {}
    if headers.get("content-type", "").startswith("application/json"):
        return {"json": json.loads(data)}
    return {"base64": base64.b64encode(data).decode()}


class Recorder:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.exchanges: list[dict[str, Any]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _LEFT_OUT:
            await self._app(scope, receive, send)
            return
        body = await _collected(receive)
        sent: list[Message] = []

        async def record(message: Message) -> None:
            sent.append(message)
            await send(message)

        await self._app(scope, _given_back(body, receive), record)
        answer = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
        asked_headers, answer_headers = _headers(scope["headers"]), _headers(sent[0]["headers"])
        answered = _body(answer, answer_headers)
        if answered.get("json", {}).get("type") == "try_again":
            return
        query = scope["query_string"].decode()
        self.exchanges.append(
            {
                "method": scope["method"],
                "path": scope["path"] + (f"?{query}" if query else ""),
                "request": {"headers": asked_headers, **_body(body, asked_headers)},
                "status": sent[0]["status"],
                "response": {"headers": answer_headers, **answered},
            }
        )


class Faults:
    """Every first submit of its kind and number is answered 503; then one that was done is answered 500 as if lost."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._refused: set[bytes] = set()
        self._lost: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in _MUTATING:
            await self._app(scope, receive, send)
            return
        body = await _collected(receive)
        meaning = _meaning(body)
        if meaning not in self._refused:
            self._refused.add(meaning)
            await _refuse(send, 503)
            return
        if scope["path"] not in self._lost:
            self._lost.add(scope["path"])

            async def swallow(_: Message) -> None:
                return

            await self._app(scope, _given_back(body, receive), swallow)
            await _refuse(send, 500)
            return
        await self._app(scope, _given_back(body, receive), send)


def _meaning(body: bytes) -> bytes:
    """A retried publish comes with another number for its sampler, and is the same submit."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    value.pop("sampling_session_seq_id", None)
    return json.dumps(value).encode()


async def _refuse(send: Send, status: int) -> None:
    headers = [(b"content-type", b"application/json"), (b"retry-after-ms", b"20")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"detail": "a fault made by a test"}'})
