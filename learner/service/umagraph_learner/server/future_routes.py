"""Polling: a promise to its result, in the dialect the poll asks for."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from umagraph_learner.contract import ForwardResult, SampleResult
from umagraph_learner.server.errors import Failure
from umagraph_learner.server.exchange import answered, json_body, reply, text
from umagraph_learner.server.futures import Promise, Result
from umagraph_learner.server.service import Service
from umagraph_learner.wire import json_codec, proto_codec


def add_future_routes(app: FastAPI, service: Service) -> None:
    async def retrieve(request: Request) -> Response:
        obj = await json_body(request, service)
        promise = service.promises.get(text(obj, "request_id"))
        if promise.session_id is not None:
            service.sessions.touch(promise.session_id)
        result = await service.promises.wait(promise, service.limits.long_poll_s)
        if result is None:
            return reply(_try_again(promise))
        if isinstance(result, Failure):
            promise.was_read = True
            return reply({"error": result.error, "category": result.category})
        if obj.get("allow_metadata_only") is True and promise.bytes > service.limits.metadata_only_bytes:
            return reply({"status": "complete_metadata", "response_payload_size": promise.bytes})
        promise.was_read = True
        wants_proto = proto_codec.CONTENT_TYPE in request.headers.get("accept", "")
        try:
            return await service.read(lambda: _encoded(result, wants_proto), promise.bytes)
        except ValueError:
            return reply(
                {"error": "the result holds numbers that are not finite and JSON has none", "category": "server"}
            )

    app.router.add_route("/api/v1/retrieve_future", answered(retrieve), methods=["POST"])


def _try_again(promise: Promise) -> dict[str, str]:
    answer = {"type": "try_again", "request_id": promise.request_id, "queue_state": "active"}
    if promise.waits_for is not None:
        answer["queue_state_reason"] = promise.waits_for
    return answer


def _encoded(result: Result, wants_proto: bool) -> Response:
    if isinstance(result, ForwardResult):
        if wants_proto:
            return Response(proto_codec.forward_result_bytes(result), media_type=proto_codec.CONTENT_TYPE)
        return reply(json_codec.forward_result(result))
    if isinstance(result, SampleResult):
        if wants_proto:
            return Response(proto_codec.sample_result_bytes(result), media_type=proto_codec.CONTENT_TYPE)
        return reply(json_codec.sample_result(result))
    assert isinstance(result, dict)
    return reply(result)
