"""What every route does with a request: read it within limits, and answer in JSON, errors included."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from umagraph_learner.contract import UserError
from umagraph_learner.server.checkpoints import Absent
from umagraph_learner.server.errors import ApiError
from umagraph_learner.server.futures import Gone
from umagraph_learner.server.limits import read_body
from umagraph_learner.server.service import Service
from umagraph_learner.wire.forward_call import MalformedRequest
from umagraph_learner.wire.json_codec import read_object

log = logging.getLogger("umagraph_learner")
Handler = Callable[[Request], Awaitable[Response]]


def answered(handler: Handler) -> Handler:
    """Turns the exceptions of a handler into answers."""

    async def run(request: Request) -> Response:
        try:
            return await handler(request)
        except ApiError as error:
            return detail(error.status, error.detail)
        except MalformedRequest as error:
            return detail(422, error.detail)
        except Absent as error:
            return detail(404, str(error))
        except UserError as error:
            return detail(422, str(error))
        except Gone as error:
            return detail(410, f"request {str(error)[:100]!r} is not known here: its result was kept until its time was "
                               "up, or the server was restarted")  # fmt: skip
        except Exception:
            log.exception("a route failed in a way nobody foresaw: %s %s", request.method, request.url.path)
            return detail(500, "internal error; the server's log says more")

    return run


def detail(status: int, sentence: str) -> Response:
    # Retrying what is wrong does not make it right; without this header clients decide by status alone.
    headers = {"x-should-retry": "false"} if status in (400, 401, 403, 404, 410, 413, 415, 422) else None
    return JSONResponse({"detail": sentence}, status, headers)


def reply(value: Mapping[str, Any]) -> Response:
    return Response(json.dumps(value, allow_nan=False), media_type="application/json")


async def json_body(request: Request, service: Service) -> dict[str, Any]:
    body = await read_body(request, service.limits)
    return await service.read(lambda: read_object(body or b"{}"), len(body))


def text(obj: Mapping[str, Any], key: str) -> str:
    value = obj.get(key)
    if not isinstance(value, str) or not value:
        raise MalformedRequest(f"{key} must be text, not {value!r:.80}")
    return value


def whole(obj: Mapping[str, Any], key: str, *, least: int = 0) -> int:
    value = obj.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**63:
        raise MalformedRequest(f"{key} must be a whole number of at least {least}, not {value!r:.80}")
    return value


def optional_object(obj: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    value = obj.get(key)
    if value is not None and not isinstance(value, dict):
        raise MalformedRequest(f"{key} must be an object, not {value!r:.80}")
    return value


def page(request: Request) -> tuple[int, int]:
    """``limit`` and ``offset`` of a listing."""
    try:
        limit = int(request.query_params.get("limit", "20"))
        offset = int(request.query_params.get("offset", "0"))
    except ValueError:
        raise ApiError(422, "limit and offset must be whole numbers") from None
    if not (0 < limit <= 10_000 and 0 <= offset < 2**31):
        raise ApiError(422, "limit must be from 1 to 10000 and offset not negative")
    return limit, offset
