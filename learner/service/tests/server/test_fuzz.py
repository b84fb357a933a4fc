"""Bodies that no client would send: every one is answered, none with a 5xx, and the model goes on unharmed."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

from fake_engine import FakeEngine
from in_process import PROTO, Client, asynchronous, datum, proto_body, serving
from starlette.types import ASGIApp

from umagraph_learner.wire import tinker_pb2 as pb

PROTO_BODIES = 6000
JSON_BODIES = 6000


async def call(app: ASGIApp, path: str, body: bytes, headers: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    """One POST, without the cost of a client library."""
    sent: list[dict[str, Any]] = []
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return messages.pop() if messages else await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"localhost"), *headers],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(m.get("body", b"") for m in sent[1:])


def mangled(body: bytes, rng: random.Random) -> bytes:
    data = bytearray(body)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        kind = rng.randrange(5)
        at = rng.randrange(len(data) + 1)
        if kind == 0 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 1:
            data[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 2:
            del data[at : at + rng.randrange(1, 9)]
        elif kind == 3:
            del data[at:]
        else:
            data += data[at : at + 30]
    return bytes(data)


def random_message(rng: random.Random, model_id: str) -> bytes:
    """Well-formed protobuf with senseless content."""
    message = pb.ForwardBackwardRequest(
        model_id=rng.choice([model_id, "", "s:train:0", "\u00e9" * 50]),
        seq_id=rng.choice([0, -1, 10**6 + rng.randrange(10**6), 2**31 - 1]),
        loss_fn=rng.choice(["cross_entropy", "ppo", "", "x" * 1000]),
        forward_only=rng.random() < 0.5,
    )
    for _ in range(rng.randrange(4)):
        row = message.data.add()
        for _ in range(rng.randrange(3)):
            chunk = row.model_input.add()
            kind = rng.randrange(4)
            if kind == 0:
                chunk.image.data = b"png"
            elif kind == 1:
                chunk.dmel.dmel = b"x"
            elif kind == 2:
                chunk.encoded_text.tokens = rng.randbytes(rng.randrange(40))
        for name in rng.sample(["target_tokens", "weights", "logprobs", "advantages", "mask", ""], rng.randrange(4)):
            tensor = row.loss_fn_inputs[name]
            tensor.dtype = rng.choice([0, 1, 2, 3, 4, 77])  # type: ignore[assignment]
            tensor.shape.extend(rng.choice([[], [4], [2, 2], [-1], [2**62], [0]]))
            if rng.random() < 0.2:
                tensor.sparse_csr.values = rng.randbytes(8)
            else:
                tensor.dense = rng.randbytes(rng.choice([0, 3, 4, 16, 32]))
    if rng.random() < 0.3:
        message.loss_fn_config["clip_low_threshold"] = rng.choice([float("nan"), float("inf"), 1e308, 0.8])
    if rng.random() < 0.3:
        message.loss_fn_config_v2["k"].text = "v"
    return message.SerializeToString()


ODD: list[Any] = [None, True, False, 0, -1, 1.5, 1e400, float("nan"), 10**30, "", "x", "\ud800", [], [[]], {}, {"a": 1}]


def mutated(value: Any, rng: random.Random, depth: int = 0) -> Any:
    """Replaces, drops or repeats one thing somewhere in a JSON value."""
    if depth > 0 and rng.random() < 0.25:
        return rng.choice(ODD)
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        copy = dict(value)
        if rng.random() < 0.15:
            del copy[key]
        elif rng.random() < 0.1:
            copy["unheard_of"] = rng.choice(ODD)
        else:
            copy[key] = mutated(copy[key], rng, depth + 1)
        return copy
    if isinstance(value, list) and value:
        copy = list(value)
        at = rng.randrange(len(copy))
        if rng.random() < 0.2:
            return copy + copy
        copy[at] = mutated(copy[at], rng, depth + 1)
        return copy
    return rng.choice(ODD)


def json_requests(client: Client) -> list[tuple[str, Callable[[int], dict[str, Any]]]]:
    """By route, a right body for a sequence number. None of them would train the model of the test."""
    model, session = client.model_id, client.session_id
    content = {"data": [datum()], "loss_fn": "cross_entropy", "loss_fn_config": {"clip_low_threshold": 0.8}}
    prompt = {"chunks": [{"type": "encoded_text", "tokens": [1, 2, 3]}]}
    adam = {"learning_rate": 0.1, "beta1": 0.9}
    return [
        ("forward_backward", lambda n: {"model_id": model, "seq_id": n, "forward_backward_input": content}),
        ("forward", lambda n: {"model_id": model, "seq_id": n, "forward_input": content}),
        ("optim_step", lambda n: {"model_id": model, "seq_id": n, "adam_params": adam}),
        ("save_weights", lambda n: {"model_id": model, "seq_id": n, "path": "x", "ttl_seconds": 5, "overwrite": True}),
        ("save_weights_for_sampler", lambda n: {"model_id": model, "seq_id": n, "path": "y", "kind": "snapshot"}),
        ("load_weights", lambda n: {"model_id": model, "seq_id": n, "path": "tinker://a/weights/b", "optimizer": True}),
        (
            "asample",
            lambda n: {
                "base_model": "fake/base",
                "num_samples": 2,
                "prompt": prompt,
                "prompt_logprobs": True,
                "sampling_params": {"max_tokens": 2, "seed": 1, "stop": [3], "temperature": 1.0, "top_p": 1.0},
            },
        ),
        (
            "create_sampling_session",
            lambda n: {"session_id": session, "sampling_session_seq_id": n, "base_model": "fake/base"},
        ),
        (
            "create_model",
            lambda n: {"session_id": "s-none", "model_seq_id": n, "base_model": "b", "lora_config": {"rank": 1}},
        ),
        ("retrieve_future", lambda n: {"request_id": "r-none", "allow_metadata_only": True}),
        ("weights_info", lambda n: {"tinker_path": "tinker://a/weights/b"}),
        ("get_info", lambda n: {"model_id": model}),
        ("session_heartbeat", lambda n: {"session_id": session}),
        ("create_session", lambda n: {"tags": ["a"], "user_metadata": {"a": "b"}, "sdk_version": "1"}),
    ]


async def goes_on(client: Client) -> None:
    turn = client.service.models.live(client.model_id).queue.next_seq_id
    assert "metrics" in await client.result(await client.backward(seq_id=turn))


@asynchronous
async def test_malformed_protobuf_bodies_are_answered_and_harm_nothing() -> None:
    rng = random.Random(20)
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        app = client.http._transport.app  # type: ignore[attr-defined]
        headers = [(b"content-type", PROTO.encode())]
        seen: dict[int, int] = {}
        for index in range(PROTO_BODIES):
            # Numbers far ahead are held back: nothing of this may run before the number in front of it.
            right = proto_body(client.model_id, 10**6 + index)
            kind = index % 3
            body = random_message(rng, client.model_id) if kind == 0 else mangled(right, rng)
            if kind == 2 and rng.random() < 0.2:
                body = rng.randbytes(rng.randrange(200))
            status, answer = await call(app, "/api/v1/forward_backward", body, headers)
            assert status in (200, 404, 422), (status, answer, body)
            json.loads(answer)
            seen[status] = seen.get(status, 0) + 1
        assert min(seen.get(status, 0) for status in (200, 404, 422)) > 100, seen
        assert {call[0] for call in engine.calls} <= {"create_model", "forward", "backward"}
        await goes_on(client)
        assert (await client.get("healthz")).status_code == 200


@asynchronous
async def test_malformed_json_bodies_are_answered_and_harm_nothing() -> None:
    rng = random.Random(21)
    engine = FakeEngine()
    async with serving(engine, long_poll_s=0.5) as client:
        await client.start()
        app = client.http._transport.app  # type: ignore[attr-defined]
        routes = json_requests(client)
        seen: dict[int, int] = {}
        for index in range(JSON_BODIES):
            route, right = routes[index % len(routes)]
            value = mutated(right(10**6 + index), rng)
            # Numbers in front of the queue stay free for the check at the end.
            if isinstance(value, dict) and isinstance(value.get("seq_id"), int | float):
                value["seq_id"] = value["seq_id"] if value["seq_id"] > 10**5 else -1
            elif isinstance(value, dict) and value.get("model_id") == client.model_id and value.get("seq_id") is None:
                value["seq_id"] = 10**6 + index
            text = json.dumps(value)
            body = text.encode("utf-8", "surrogatepass")
            if index % 4 == 0:
                body = mangled(body, rng)
            elif index % 97 == 0:
                body = b"[" * 100_000
            status, answer = await call(app, f"/api/v1/{route}", body, [(b"content-type", b"application/json")])
            assert status in (200, 404, 410, 422), (route, status, answer, body)
            json.loads(answer)
            seen[status] = seen.get(status, 0) + 1
        assert min(seen.get(status, 0) for status in (200, 404, 410, 422)) > 20, seen
        assert engine.models[client.model_id].step == 0
        assert (await client.get("healthz")).status_code == 200
        await goes_on(client)
