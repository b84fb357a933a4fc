"""Looking at and tidying up what is saved: training runs and their checkpoints."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from umagraph_learner.contract import UserError
from umagraph_learner.server.checkpoints import CheckpointPath, checked_run, parse_path
from umagraph_learner.server.errors import ApiError
from umagraph_learner.server.exchange import answered, json_body, page, reply
from umagraph_learner.server.service import Service


def add_management_routes(app: FastAPI, service: Service) -> None:
    checkpoints = service.checkpoints

    async def weights_info(request: Request) -> Response:
        path = parse_path((await json_body(request, service)).get("tinker_path"))
        return reply(await asyncio.to_thread(_weights_info, service, path))

    async def list_checkpoints(request: Request) -> Response:
        limit, offset = page(request)
        rows = await asyncio.to_thread(checkpoints.listing)
        cursor = {"offset": offset, "limit": limit, "total_count": len(rows)}
        return reply({"checkpoints": rows[offset : offset + limit], "cursor": cursor})

    async def run_checkpoints(request: Request) -> Response:
        run = checked_run(request.path_params["run"])
        return reply({"checkpoints": await asyncio.to_thread(checkpoints.listing, run)})

    async def list_runs(request: Request) -> Response:
        limit, offset = page(request)
        rows = await asyncio.to_thread(_runs, service)
        cursor = {"offset": offset, "limit": limit, "total_count": len(rows)}
        return reply({"training_runs": rows[offset : offset + limit], "cursor": cursor})

    async def get_run(request: Request) -> Response:
        run = checked_run(request.path_params["run"])
        for row in await asyncio.to_thread(_runs, service):
            if row["training_run_id"] == run:
                return reply(row)
        raise ApiError(404, f"training run {run} is not known here and has no checkpoint")

    async def delete_checkpoint(request: Request) -> Response:
        await asyncio.to_thread(checkpoints.delete, _named(request))
        return Response(status_code=204)

    async def set_ttl(request: Request) -> Response:
        path = _named(request)
        value = (await json_body(request, service)).get("ttl_seconds")
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value <= 0):
            raise UserError(f"ttl_seconds must be a number of seconds above 0, or null, not {value!r:.80}")
        await asyncio.to_thread(checkpoints.set_expiry, path, value)
        return reply({})

    async def publish(_: Request) -> Response:
        raise ApiError(422, "checkpoints of this server are files of its user: there is nowhere to publish them to")

    for method, path, handler in (
        ("POST", "/weights_info", weights_info),
        ("GET", "/checkpoints", list_checkpoints),
        ("GET", "/training_runs", list_runs),
        ("GET", "/training_runs/{run}", get_run),
        ("GET", "/training_runs/{run}/checkpoints", run_checkpoints),
        ("PUT", "/training_runs/{run}/checkpoints/{checkpoint:path}/ttl", set_ttl),
        ("POST", "/training_runs/{run}/checkpoints/{checkpoint:path}/publish", publish),
        ("DELETE", "/training_runs/{run}/checkpoints/{checkpoint:path}", delete_checkpoint),
    ):
        app.router.add_route(f"/api/v1{path}", answered(handler), methods=[method])


def _named(request: Request) -> CheckpointPath:
    return parse_path(f"tinker://{request.path_params['run']}/{request.path_params['checkpoint']}")


def _weights_info(service: Service, path: CheckpointPath) -> dict[str, Any]:
    folder = service.checkpoints.existing(path)
    about = service.checkpoints.about(folder)
    if "lora" in about:
        lora = about["lora"]
    else:
        # What lies beside the folder was lost; the folder itself knows, if it is a state.
        saved = service.engine.saved_lora(folder)
        names = ("rank", "train_unembed", "train_mlp", "train_attn")
        lora = None if saved is None else {name: getattr(saved, name) for name in names}
    answer: dict[str, Any] = {
        "base_model": about.get("base_model", service.engine.base.name),
        "is_lora": lora is not None,
        "lora_rank": None if lora is None else lora["rank"],
        "optimizer_config": {"type": "adamw"},
        "step": about.get("step"),
        "weights_fingerprint": about.get("fingerprint"),
    }
    for switch in ("train_unembed", "train_mlp", "train_attn"):
        answer[switch] = None if lora is None else lora[switch]
    return answer


def _runs(service: Service) -> list[dict[str, Any]]:
    """Live models and those that only their checkpoints are left of, newest first."""
    by_run: dict[str, list[dict[str, Any]]] = {}
    for row in service.checkpoints.listing():
        run = row["tinker_path"].removeprefix("tinker://").split("/")[0]
        by_run.setdefault(run, []).append(row)
    rows = []
    for model in service.models.all():
        if model.info is not None:
            saved = by_run.pop(model.model_id, [])
            rank = model.info.lora.rank if model.info.lora is not None else None
            rows.append(
                _run(
                    service,
                    model.model_id,
                    rank is not None,
                    rank,
                    model.last_request,
                    model.user_metadata,
                    saved,
                )
            )
    for run, saved in by_run.items():
        path = parse_path(saved[0]["tinker_path"])
        about = service.checkpoints.about(service.checkpoints.folder(path))
        lora = about.get("lora")
        rank = lora["rank"] if isinstance(lora, dict) else None
        rows.append(_run(service, run, rank is not None, rank, saved[0]["time"], about.get("model_metadata"), saved))
    return sorted(rows, key=lambda row: row["last_request_time"], reverse=True)


def _run(
    service: Service,
    run: str,
    is_lora: bool,
    rank: int | None,
    last: str,
    metadata: object,
    saved: list[dict[str, Any]],
) -> dict[str, Any]:
    newest = {
        kind: next((row for row in saved if row["checkpoint_type"] == kind), None) for kind in ("training", "sampler")
    }
    return {
        "training_run_id": run,
        "base_model": service.engine.base.name,
        "model_owner": "local",
        "is_lora": is_lora,
        "corrupted": False,
        "lora_rank": rank,
        "last_request_time": last,
        "last_checkpoint": newest["training"],
        "last_sampler_checkpoint": newest["sampler"],
        "user_metadata": metadata,
    }
