"""Start-up, sessions, capabilities and the tokenizer: everything before the first model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from umagraph_learner.server.errors import ApiError
from umagraph_learner.server.exchange import answered, json_body, optional_object, page, reply, text
from umagraph_learner.server.limits import read_body
from umagraph_learner.server.service import Service

#: Chunks of one update may come in parallel, and a state is loaded into a new model in one request.
CLIENT_FLAGS = {"parallel_fwdbwd_chunks": True, "proto_compress_fwdbwd": False, "create_model_via_load_weights": True}


def add_session_routes(app: FastAPI, service: Service) -> None:
    async def client_config(request: Request) -> Response:
        await json_body(request, service)
        return reply({**CLIENT_FLAGS, **service.options.client_flags})

    async def dynamic_config(request: Request) -> Response:
        await json_body(request, service)
        return reply({})

    async def healthz(_: Request) -> Response:
        return reply({"status": "draining" if service.draining else "ok"})

    async def capabilities(_: Request) -> Response:
        return reply(await service.read(lambda: _capabilities(service)))

    async def create_session(request: Request) -> Response:
        obj = await json_body(request, service)
        service.refuse_when_draining()
        session = service.sessions.create(optional_object(obj, "user_metadata"))
        return reply({"type": "create_session", "session_id": session.session_id})

    async def heartbeat(request: Request) -> Response:
        service.sessions.live(text(await json_body(request, service), "session_id"))
        return reply({"type": "session_heartbeat"})

    async def finish(request: Request) -> Response:
        await json_body(request, service)
        session = service.sessions.find(request.path_params["session_id"])
        service.end_session(session, "its client finished it")
        return reply({})

    async def list_sessions(request: Request) -> Response:
        limit, offset = page(request)
        return reply({"sessions": [s.session_id for s in service.sessions.all()[offset : offset + limit]]})

    async def get_session(request: Request) -> Response:
        session = service.sessions.find(request.path_params["session_id"])
        return reply(
            {
                "training_run_ids": list(session.model_ids),
                "sampler_ids": list(session.sampler_ids),
                "user_metadata": session.user_metadata,
                "ended": session.ended,
            }
        )

    async def telemetry(request: Request) -> Response:
        await read_body(request, service.limits)
        return reply({"status": "accepted"})

    async def tokenizer(request: Request) -> Response:
        return _tokenizer_file(service, request, "tokenizer.json")

    async def tokenizer_config(request: Request) -> Response:
        return _tokenizer_file(service, request, "tokenizer_config.json")

    for method, path, handler in (
        ("POST", "/client/config", client_config),
        ("POST", "/client/dynamic_config", dynamic_config),
        ("GET", "/healthz", healthz),
        ("GET", "/get_server_capabilities", capabilities),
        ("POST", "/create_session", create_session),
        ("POST", "/session_heartbeat", heartbeat),
        ("POST", "/sessions/{session_id}/finish", finish),
        ("GET", "/sessions", list_sessions),
        ("GET", "/sessions/{session_id}", get_session),
        ("POST", "/telemetry", telemetry),
        ("GET", "/models/{name:path}/tokenizer", tokenizer),
        ("GET", "/models/{name:path}/tokenizer_config", tokenizer_config),
    ):
        app.router.add_route(f"/api/v1{path}", answered(handler), methods=[method])
    app.router.add_route("/healthz", answered(healthz), methods=["GET"])


def _capabilities(service: Service) -> dict[str, Any]:
    base = service.engine.base
    limits = service.limits
    engine = dict(service.engine.capabilities())
    extensions = engine.pop("extensions", {})
    return {
        **engine,
        "extensions": sorted(extensions),
        "extension_details": dict(extensions) if isinstance(extensions, Mapping) else {},
        "supported_models": [
            {
                "model_name": base.name,
                "max_context_length": base.max_context_length,
                "trainable": True,
                "sampleable": True,
            }
        ],
        "engine": "umagraph-learner",
        "wire": ["json", "proto"],
        "reduction": "sum",
        "weights_fingerprint": service.probe.base_fingerprint,
        "idempotent": True,
        "vocab_size": base.vocab_size,
        "tokenizer": _tokenizer_hashes(service.options.model_folder),
        "parameterization": "full" if service.options.full else "by request",
        "limits": {
            "max_body_bytes": limits.max_body_bytes,
            "max_content_bytes": limits.max_content_bytes,
            "result_ttl_s": limits.result_ttl_s,
            "session_ttl_s": limits.session_ttl_s,
            "long_poll_s": limits.long_poll_s,
            "keep_unnamed": limits.keep_unnamed,
        },
    }


def _tokenizer_hashes(folder: Path | None) -> dict[str, str] | None:
    if folder is None or not (folder / "tokenizer.json").is_file():
        return None
    hashes = {"sha256": _read_tokenizer(folder, "tokenizer.json")[1]}
    if (folder / "tokenizer_config.json").is_file():
        hashes["config_sha256"] = _read_tokenizer(folder, "tokenizer_config.json")[1]
    return hashes


@lru_cache(maxsize=4)
def _read_tokenizer(folder: Path, name: str) -> tuple[bytes, str]:
    """A tokenizer file and its SHA-256. The chat template is put into the configuration if it lies beside it."""
    data = (folder / name).read_bytes()
    template = folder / "chat_template.jinja"
    if name == "tokenizer_config.json" and template.is_file():
        config = json.loads(data)
        if "chat_template" not in config:
            config["chat_template"] = template.read_text("utf-8")
            data = json.dumps(config, ensure_ascii=False).encode()
    return data, hashlib.sha256(data).hexdigest()


def _tokenizer_file(service: Service, request: Request, name: str) -> Response:
    folder = service.options.model_folder
    if request.path_params["name"].strip("/") != service.engine.base.name.strip("/"):
        raise ApiError(404, f"this server serves {service.engine.base.name}")
    if folder is None or not (folder / name).is_file():
        raise ApiError(404, f"the model folder has no {name}")
    data, sha256 = _read_tokenizer(folder, name)
    headers = {"ETag": f'"{sha256}"', "X-Content-SHA256": sha256}
    if request.headers.get("if-none-match") == f'"{sha256}"':
        return Response(status_code=304, headers=headers)
    return Response(data, media_type="application/json", headers=headers)
