"""Who may talk to the service: holders of the key when there is one, programs on this machine when there is none.

Without a key the service listens on loopback only. A web page open on the same machine could still reach it, so
requests that name another host, or come from a page of another origin, are refused.
"""

from __future__ import annotations

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class Gate:
    """ASGI middleware. ``key`` None means loopback without a key. ``/healthz`` needs none."""

    def __init__(self, app: ASGIApp, key: str | None) -> None:
        self._app = app
        self._key = key.encode() if key is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        refusal = self._refusal(scope["path"], headers)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await JSONResponse({"detail": refusal[1]}, refusal[0])(scope, receive, send)

    def _refusal(self, path: str, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        if self._key is not None:
            given = headers.get(b"x-api-key", b"")
            if hmac.compare_digest(given, self._key) or path.endswith("/healthz"):
                return None
            return 401, "the X-API-Key header is missing or is not this server's key"
        host = urlsplit("//" + headers.get(b"host", b"localhost").decode("latin-1")).hostname or ""
        if not is_loopback(host):
            return 403, "this server has no key and answers only requests to localhost: start it with --api-key-file"
        origin = headers.get(b"origin")
        if origin is not None and not is_loopback(urlsplit(origin.decode("latin-1")).hostname or ""):
            return 403, "requests from web pages of other origins are refused"
        return None
