"""Sampling: sessions on some weights, and asample, which also scores prompts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from umagraph_learner.contract import SampleRequest, SampleResult, UserError
from umagraph_learner.server.checkpoints import parse_path
from umagraph_learner.server.errors import ApiError, Failure, as_failure
from umagraph_learner.server.exchange import answered, json_body, reply, text, whole
from umagraph_learner.server.futures import Promise
from umagraph_learner.server.samplers import SamplerWeights, SamplingSession
from umagraph_learner.server.service import Service, digest
from umagraph_learner.wire.json_codec import read_sample


def add_sampling_routes(app: FastAPI, service: Service) -> None:
    async def create_sampling_session(request: Request) -> Response:
        obj = await json_body(request, service)
        session = service.sessions.live(text(obj, "session_id"))
        number = whole(obj, "sampling_session_seq_id")
        sampler_id = f"{session.session_id}:sample:{number}"
        asked = digest("create_sampling_session", {key: obj.get(key) for key in ("base_model", "model_path")})
        made = service.sampling_sessions_made.get(sampler_id)
        if made is not None and made != asked:
            raise ApiError(422, f"sampling_session_seq_id {number} was already used for other weights")
        if made is None:
            weights = _weights(service, obj)
            service.add_sampling_session(session, sampler_id, weights)
            service.sampling_sessions_made[sampler_id] = asked
        return reply({"type": "create_sampling_session", "sampling_session_id": sampler_id})

    async def asample(request: Request) -> Response:
        obj = await json_body(request, service)
        service.refuse_when_draining()
        sampling, key = _addressed(service, obj)
        session_id = sampling.session_id if sampling is not None else None
        if session_id is not None:
            service.sessions.touch(session_id)
        fingerprint = digest("asample", {name: value for name, value in obj.items() if name != "type"})
        if key is not None and key in service.sample_requests:
            known_fingerprint, promise, count = service.sample_requests[key]
            if known_fingerprint != fingerprint:
                raise ApiError(
                    422, f"seq_id {key[1]} was already used for a different request on this sampling session"
                )
            return _submitted(promise, count)
        try:
            weights = sampling.weights if sampling is not None else _weights(service, obj)
            sample = _checked(service, read_sample(obj))
        except UserError as error:
            promise, count = service.promises.create(session_id), _asked_count(obj)
            service.promises.resolve(promise, Failure(str(error), "user"))
        else:
            if service.batcher.waiting >= service.limits.max_queued_samples:
                raise ApiError(429, "too many samples are queued already: wait a little and send it again")
            promise, count = service.promises.create(session_id), sample.num_samples
            service.batcher.submit(weights, sample, lambda outcome: _resolve(service, promise, outcome))
        if key is not None:
            service.sample_requests[key] = (fingerprint, promise, count)
        return _submitted(promise, count)

    async def get_sampler(request: Request) -> Response:
        sampling = _sampling_session(service, request.path_params["sampler_id"])
        weights = sampling.weights
        return reply(
            {
                "sampler_id": sampling.sampler_id,
                "base_model": service.engine.base.name,
                "model_path": weights.model_path,
                "weights_fingerprint": weights.fingerprint,
                "step": weights.step,
            }
        )

    for method, path, handler in (
        ("POST", "/create_sampling_session", create_sampling_session),
        ("POST", "/asample", asample),
        ("GET", "/samplers/{sampler_id}", get_sampler),
    ):
        app.router.add_route(f"/api/v1{path}", answered(handler), methods=[method])


def _submitted(promise: Promise, count: int) -> Response:
    """One id per sequence asked for; the ids follow from the request, so a retry gets the same."""
    ids = [f"{promise.request_id}:{index}" for index in range(count)]
    return reply({"request_id": promise.request_id, "sample_sequence_ids": ids})


def _asked_count(obj: Mapping[str, Any]) -> int:
    """For an answer to a request that will fail: clients compare the number of ids with what they asked for."""
    value = obj.get("num_samples", 1)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 4096 else 1


def _resolve(service: Service, promise: Promise, outcome: SampleResult | BaseException) -> None:
    service.promises.resolve(promise, as_failure(outcome) if isinstance(outcome, BaseException) else outcome)


def _sampling_session(service: Service, sampler_id: object) -> SamplingSession:
    sampling = service.sampling_sessions.get(sampler_id) if isinstance(sampler_id, str) else None
    if sampling is None:
        raise ApiError(
            404, f"sampling session {sampler_id!r:.200} is not known here: its session is over, or the server restarted"
        )
    return sampling


def _addressed(service: Service, obj: Mapping[str, Any]) -> tuple[SamplingSession | None, tuple[str, int] | None]:
    """The sampling session of a request and what makes it the same request; both None for one addressed by weights."""
    if obj.get("sampling_session_id") is None:
        return None, None
    sampling = _sampling_session(service, obj["sampling_session_id"])
    if obj.get("seq_id") is None:
        return sampling, None
    return sampling, (sampling.sampler_id, whole(obj, "seq_id"))


def _weights(service: Service, obj: Mapping[str, Any]) -> SamplerWeights:
    """By ``model_path``, else by ``base_model``. Raises ``UserError``."""
    if obj.get("model_path") is not None:
        return service.weights_at(parse_path(obj["model_path"]))
    name = obj.get("base_model")
    if name != service.engine.base.name:
        raise UserError(f"this server serves the base model {service.engine.base.name!r}, not {name!r:.200}")
    return service.base_weights


def _checked(service: Service, sample: SampleRequest) -> SampleRequest:
    """What the engine would refuse anyway, said before it waits its turn."""
    base = service.engine.base
    prompt = sample.prompt
    if prompt.size == 0:
        raise UserError("the prompt must hold at least one token")
    if int(prompt.max()) >= base.vocab_size:
        raise UserError(f"the prompt holds token {int(prompt.max())}; the vocabulary has {base.vocab_size}")
    asked = prompt.size + (sample.params.max_tokens or 1)
    if asked > base.max_context_length:
        raise UserError(
            f"prompt ({prompt.size}) and max_tokens ({sample.params.max_tokens}) together exceed the context of "
            f"{base.max_context_length} tokens"
        )
    if sample.num_samples > service.limits.max_num_samples:
        raise UserError(f"num_samples must be at most {service.limits.max_num_samples}")
    if sample.params.temperature < 0:
        raise UserError(f"temperature must not be negative, got {sample.params.temperature}")
    if not 0 < sample.params.top_p <= 1:
        raise UserError(f"top_p must be above 0 and at most 1, got {sample.params.top_p}")
    last = sample.prompt_logprobs_last_n
    if last is not None and not sample.prompt_logprobs:
        raise UserError("prompt_logprobs_last_n needs prompt_logprobs: true")
    if last is not None and last >= prompt.size:
        raise UserError(f"prompt_logprobs_last_n must be below the prompt's length of {prompt.size}, got {last}")
    return sample
