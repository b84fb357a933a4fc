"""Making models and training them: everything that goes through a model's ordered queue."""

from __future__ import annotations

import hashlib
import math
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from umagraph_learner.contract import AdamParams, ForwardResult, LoraConfig, ModelInfo, UserError
from umagraph_learner.server.checkpoints import CheckpointPath, checked_name, parse_path
from umagraph_learner.server.errors import ApiError
from umagraph_learner.server.exchange import answered, json_body, optional_object, reply, text, whole
from umagraph_learner.server.futures import Promise
from umagraph_learner.server.limits import BodyTooLarge, read_body
from umagraph_learner.server.models import Model
from umagraph_learner.server.samplers import SamplerWeights
from umagraph_learner.server.service import Job, Service, Then, digest
from umagraph_learner.wire import json_codec, proto_codec
from umagraph_learner.wire.forward_call import ForwardCall, MalformedRequest, checked_seq_id, content_digest


@dataclass(frozen=True)
class _Order:
    """One request on a model: what it means, and what does it. ``job`` runs on the engine's thread."""

    meaning: Mapping[str, Any]
    job: Job
    then: Then | None = None


def add_training_routes(app: FastAPI, service: Service) -> None:
    async def create_model(request: Request) -> Response:
        obj = await json_body(request, service)
        session = service.sessions.live(text(obj, "session_id"))
        number = whole(obj, "model_seq_id")
        base_model, lora_config = obj.get("base_model"), obj.get("lora_config")
        asked = {key: obj.get(key) for key in ("base_model", "lora_config", "optimizer_config", "parameterization")}

        def make(model_id: str) -> ModelInfo:
            _check_base(service, base_model)
            _check_optimizer(obj.get("optimizer_config"))
            return service.engine.create_model(model_id, _lora(service, lora_config, obj.get("parameterization")))

        promise, model_id = service.create_model(
            session,
            number,
            digest("create_model", asked),
            optional_object(obj, "user_metadata"),
            make,
            lambda model_id: {"type": "create_model", "model_id": model_id},
        )
        return _submitted(promise, model_id)

    async def load_weights(request: Request) -> Response:
        body = await read_body(request, service.limits)
        obj = await service.read(lambda: json_codec.read_object(body), len(body))
        if obj.get("session_id") is None:
            return await _ordered(service, obj, "load_weights", _load_into)
        session = service.sessions.live(text(obj, "session_id"))
        number = whole(obj, "model_seq_id")
        asked = {key: obj.get(key) for key in ("path", "optimizer", "base_model", "optimizer_config")}

        def make(model_id: str) -> ModelInfo:
            _check_optimizer(obj.get("optimizer_config"))
            if obj.get("base_model") is not None:
                _check_base(service, obj["base_model"])
            folder = service.checkpoints.existing(_state_path(obj.get("path")))
            service.engine.create_model(model_id, service.engine.saved_lora(folder))
            try:
                service.engine.load_state(model_id, folder, optimizer=_flag(obj, "optimizer"))
                return service.engine.info(model_id)
            except BaseException:
                service.engine.unload_model(model_id)
                raise

        promise, model_id = service.create_model(
            session,
            number,
            digest("load_weights", asked),
            optional_object(obj, "user_metadata"),
            make,
            lambda model_id: {"type": "load_weights", "model_id": model_id, "path": str(obj.get("path"))},
        )
        return _submitted(promise, model_id)

    async def get_info(request: Request) -> Response:
        model = service.models.live(text(await json_body(request, service), "model_id"))
        service.sessions.touch(model.session_id)
        if model.info is None:
            await service.promises.wait(model.creation, service.limits.long_poll_s)
        info = service.models.live(model.model_id).info
        if info is None:
            raise ApiError(408, f"model {model.model_id} is still being made: ask again")
        base = info.base
        return reply(
            {
                "type": "get_info",
                "model_id": model.model_id,
                "model_data": {"arch": base.arch, "model_name": base.name, "tokenizer_id": base.tokenizer_id},
                "is_lora": info.lora is not None,
                "lora_rank": info.lora.rank if info.lora is not None else None,
                "model_name": base.name,
                "optimizer_config": {"type": "adamw"},
                "step": info.step,
                "next_seq_id": model.queue.next_seq_id,
                "warnings": list(info.warnings),
            }
        )

    async def unload_model(request: Request) -> Response:
        obj = await json_body(request, service)
        model = service.models.live(text(obj, "model_id"))
        promise = service.promises.create(model.session_id, model.model_id)
        service.unload(model, "its client unloaded it")
        service.start(promise, lambda: {"type": "unload_model", "model_id": model.model_id})
        return _submitted(promise, model.model_id)

    async def forward_backward(request: Request) -> Response:
        return await _forward(service, request, "forward_backward_input", forward_only=False)

    async def forward(request: Request) -> Response:
        return await _forward(service, request, "forward_input", forward_only=True)

    def ordered_route(kind: str, read: _Reader) -> Callable[[Request], Any]:
        async def handler(request: Request) -> Response:
            return await _ordered(service, await json_body(request, service), kind, read)

        return handler

    for path, handler in (
        ("create_model", create_model),
        ("load_weights", load_weights),
        ("get_info", get_info),
        ("unload_model", unload_model),
        ("forward_backward", forward_backward),
        ("forward", forward),
        ("optim_step", ordered_route("optim_step", _optim_step)),
        ("save_weights", ordered_route("save_weights", _save_weights)),
        ("save_weights_for_sampler", ordered_route("save_weights_for_sampler", _save_for_sampler)),
    ):
        app.router.add_route(f"/api/v1/{path}", answered(handler), methods=["POST"])


_Reader = Callable[[Service, Model, Mapping[str, Any]], _Order]


def _submitted(promise: Promise, model_id: str) -> Response:
    return reply({"request_id": promise.request_id, "model_id": model_id})


async def _ordered(service: Service, obj: Mapping[str, Any], kind: str, read: _Reader) -> Response:
    """A JSON request in its model's turn. What is wrong in its content becomes its result."""
    model = service.models.live(text(obj, "model_id"))
    service.sessions.touch(model.session_id)
    seq_id = checked_seq_id(obj.get("seq_id"))
    try:
        order = read(service, model, obj)
    except UserError as error:
        order = _Order({"refused": {key: obj[key] for key in obj if key != "sampling_session_seq_id"}}, _failing(error))
    except MalformedRequest as error:
        raise _used_up(service, model.model_id, seq_id, ApiError(422, error.detail)) from None
    promise = service.submit(model, seq_id, digest(kind, order.meaning), order.job, then=order.then)
    return _submitted(promise, model.model_id)


def _failing(error: UserError) -> Job:
    def job() -> dict[str, Any]:
        raise error

    return job


# ---- forward and backward ------------------------------------------------------------------------------------------


async def _forward(service: Service, request: Request, input_key: str, *, forward_only: bool) -> Response:
    is_proto = proto_codec.CONTENT_TYPE in request.headers.get("content-type", "")
    try:
        body = await read_body(request, service.limits)
        call = await service.read(lambda: _read_call(body, input_key, is_proto, forward_only), len(body))
    except BodyTooLarge as error:
        model_id, seq_id = proto_codec.peek_envelope(error.head) if is_proto else _peek_json(error.head)
        raise _used_up(service, model_id, seq_id, error) from None
    except MalformedRequest as error:
        raise _used_up(service, error.model_id, error.seq_id, ApiError(422, error.detail)) from None
    model = service.models.live(call.model_id)
    service.sessions.touch(model.session_id)

    def prepare() -> tuple[bytes, Job]:
        try:
            content = call.content()
            service.engine.check(content.data, content.loss_fn, content.config)
        except UserError as error:
            return call.body_digest(), _failing(error)

        def job() -> ForwardResult:
            return service.engine.forward(
                model.model_id, content.data, content.loss_fn, content.config, backward=not call.forward_only
            )

        return content_digest(content, call.forward_only), job

    fingerprint, job = await service.read(prepare, len(body))
    return _submitted(service.submit(model, call.seq_id, fingerprint, job, len(body)), model.model_id)


def _read_call(body: bytes, input_key: str, is_proto: bool, forward_only: bool) -> ForwardCall:
    if is_proto:
        call = proto_codec.read_forward(body)
        return ForwardCall(
            call.model_id, call.seq_id, call.forward_only or forward_only, call.content, call.body_digest
        )
    return json_codec.read_forward(json_codec.read_object(body), input_key, forward_only=forward_only, body=body)


def _peek_json(head: bytes) -> tuple[str | None, int | None]:
    model_id = re.search(rb'"model_id"\s*:\s*"([^"\\]{1,300})"', head)
    seq_id = re.search(rb'"seq_id"\s*:\s*([0-9]{1,15})\b', head)
    return (
        model_id.group(1).decode("utf-8", "replace") if model_id else None,
        int(seq_id.group(1)) if seq_id else None,
    )


def _used_up(service: Service, model_id: str | None, seq_id: int | None, refusal: ApiError) -> ApiError:
    """The refusal, after noting that its sequence number will not come again."""
    model = service.models.find(model_id) if model_id is not None else None
    if model is not None and seq_id is not None:
        fingerprint = hashlib.blake2b(f"refused {refusal.detail}".encode(), digest_size=20).digest()
        model.queue.refuse(seq_id, fingerprint, refusal)
    return refusal


# ---- optimiser -----------------------------------------------------------------------------------------------------


def _optim_step(service: Service, model: Model, obj: Mapping[str, Any]) -> _Order:
    if obj.get("optimizer_params") is not None:
        raise UserError("optimizer_params is not served here: this server steps with AdamW, send adam_params")
    params = _adam(obj.get("adam_params"))

    def job() -> dict[str, Any]:
        metrics = service.engine.optim_step(model.model_id, params)
        if params.learning_rate > 0 and metrics.get("update_norm", 1.0) > 0:
            model.stepped = True
        model.info = service.engine.info(model.model_id)
        return {"type": "optim_step", "metrics": {key: float(value) for key, value in metrics.items()}}

    return _Order({"adam": {f.name: getattr(params, f.name) for f in fields(params)}}, job)


def _adam(value: object) -> AdamParams:
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise UserError(f"adam_params must be an object, not {value!r:.80}")
    known = {f.name for f in fields(AdamParams)}
    for key, number in value.items():
        if key not in known:
            raise UserError(f"adam_params has an unknown key {key!r}; known are {', '.join(sorted(known))}")
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number) or number < 0:
            raise UserError(f"adam_params.{key} must be a finite number of at least 0, not {number!r:.80}")
        if key.startswith("beta") and number >= 1:
            raise UserError(f"adam_params.{key} must be below 1, not {number!r}")
    return AdamParams(**{key: float(number) for key, number in value.items()})


# ---- saving and loading --------------------------------------------------------------------------------------------


def _save_weights(service: Service, model: Model, obj: Mapping[str, Any]) -> _Order:
    path = CheckpointPath(model.model_id, "weights", _name(obj))
    expires, overwrite = _ttl(obj), _flag(obj, "overwrite")

    def job() -> dict[str, Any]:
        info = service.engine.info(model.model_id)
        service.checkpoints.save(
            path,
            lambda folder: service.engine.save_state(model.model_id, folder),
            _about(service, model, info, expires, obj),
            overwrite=overwrite,
        )
        return {"type": "save_weights", "path": str(path)}

    return _Order({"path": obj.get("path"), "ttl": expires, "overwrite": overwrite}, job)


def _save_for_sampler(service: Service, model: Model, obj: Mapping[str, Any]) -> _Order:
    expires, overwrite = _ttl(obj), _flag(obj, "overwrite")
    kind = obj.get("kind", "snapshot")
    if kind not in ("snapshot", "inflight", None):
        raise UserError(f'kind must be "snapshot" or "inflight", not {kind!r:.80}')
    meaning = {"path": obj.get("path"), "ttl": expires, "overwrite": overwrite}
    made: list[SamplerWeights] = []
    if obj.get("path") is not None:
        path = CheckpointPath(model.model_id, "sampler_weights", checked_name(obj["path"]))

        def save_named() -> dict[str, Any]:
            about = _about(service, model, service.engine.info(model.model_id), expires, obj)
            weights = service.publish_named(model, path, about, overwrite=overwrite)
            return {
                "type": "save_weights_for_sampler",
                "path": str(path),
                "weights_fingerprint": weights.fingerprint,
                "step": weights.step,
            }

        return _Order(meaning, save_named)
    # A retry may come with the next number; it means the same request, and the first one's answer is given.
    number = obj.get("sampling_session_seq_id")
    name = uuid.uuid4().hex[:12] if number is None else whole(obj, "sampling_session_seq_id")
    sampler_id = f"{model.session_id}:sample:{name}"

    def save_unnamed() -> dict[str, Any]:
        made.append(service.publish_unnamed(model))
        return {
            "type": "save_weights_for_sampler",
            "sampling_session_id": sampler_id,
            "weights_fingerprint": made[0].fingerprint,
            "step": made[0].step,
        }

    def register(_: object) -> None:
        service.add_sampling_session(service.sessions.find(model.session_id), sampler_id, made[0])

    return _Order(meaning, save_unnamed, register)


def _load_into(service: Service, model: Model, obj: Mapping[str, Any]) -> _Order:
    path, optimizer = _state_path(obj.get("path")), _flag(obj, "optimizer")

    def job() -> dict[str, Any]:
        service.engine.load_state(model.model_id, service.checkpoints.existing(path), optimizer=optimizer)
        model.info = service.engine.info(model.model_id)
        model.stepped = model.stepped or model.info.step > 0
        return {"type": "load_weights", "model_id": model.model_id, "path": str(path)}

    return _Order({"path": str(path), "optimizer": optimizer}, job)


def _state_path(value: object) -> CheckpointPath:
    path = parse_path(value)
    if path.kind != "weights":
        raise UserError(f"{path} holds sampler weights only; training goes on from a state of save_weights")
    return path


def _about(
    service: Service, model: Model, info: ModelInfo, expires: float | None, obj: Mapping[str, Any]
) -> dict[str, Any]:
    """What is written beside a checkpoint."""
    lora = info.lora
    ttl = None if expires is None else service.wall_clock() + expires
    metadata = obj.get("user_metadata")
    return {
        "base_model": info.base.name,
        "lora": None if lora is None else {f.name: getattr(lora, f.name) for f in fields(lora)},
        "step": info.step,
        "expires": ttl,
        "user_metadata": metadata if isinstance(metadata, dict) else None,
        "model_metadata": model.user_metadata,
    }


def _name(obj: Mapping[str, Any]) -> str:
    value = obj.get("path")
    return f"seq-{obj.get('seq_id')}" if value is None else checked_name(value)


def _ttl(obj: Mapping[str, Any]) -> float | None:
    value = obj.get("ttl_seconds")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 10**10:
        raise UserError(f"ttl_seconds must be a number of seconds above 0, not {value!r:.80}")
    return float(value)


def _flag(obj: Mapping[str, Any], key: str) -> bool:
    value = obj.get(key, False)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise UserError(f"{key} must be true or false, not {value!r:.80}")
    return value


# ---- making models -------------------------------------------------------------------------------------------------


def _check_base(service: Service, name: object) -> None:
    if name != service.engine.base.name:
        raise UserError(f"this server serves the base model {service.engine.base.name!r}, not {name!r:.200}")


def _check_optimizer(config: object) -> None:
    kind = config.get("type") if isinstance(config, dict) else None
    if config is not None and kind != "adamw":
        raise UserError(f"optimizer_config type {kind!r:.80} is not served here: only adamw is")


def _lora(service: Service, value: object, parameterization: object) -> LoraConfig | None:
    """What a client asked for; None trains all parameters (rank 0, or nothing asked of a server without a rank)."""
    asked_full = isinstance(parameterization, dict) and parameterization.get("type") == "full"
    if service.options.full or asked_full:
        return None
    if value is None:
        return None if service.options.lora_rank is None else LoraConfig(service.options.lora_rank)
    if not isinstance(value, dict):
        raise UserError(f"lora_config must be an object, not {value!r:.80}")
    unknown = set(value) - {f.name for f in fields(LoraConfig)}
    if unknown:
        raise UserError(f"lora_config has unknown keys: {', '.join(sorted(unknown))}")
    rank, seed = value.get("rank"), value.get("seed")
    if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank <= 4096:
        raise UserError(f"lora_config.rank must be a whole number from 0 (all parameters) to 4096, not {rank!r:.80}")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise UserError(f"lora_config.seed must be a whole number, not {seed!r:.80}")
    if rank == 0:
        return None
    switches = {key: _flag({key: True, **value}, key) for key in ("train_unembed", "train_mlp", "train_attn")}
    return LoraConfig(rank, seed, **switches)
