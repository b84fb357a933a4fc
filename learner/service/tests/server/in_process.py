"""The service in this process, and a client that speaks raw HTTP to it without a network."""

from __future__ import annotations

import asyncio
import functools
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from fake_engine import FakeEngine

from umagraph_learner.contract import Engine
from umagraph_learner.server.app import make_app
from umagraph_learner.server.checkpoints import Checkpoints
from umagraph_learner.server.limits import Limits
from umagraph_learner.server.service import Options, Service
from umagraph_learner.wire import tinker_pb2 as pb

PROTO = "application/x-protobuf"
#: Short polls, so that tests of waiting do not wait.
LIMITS = Limits(long_poll_s=5.0, gather_s=0.0)


class Clock:
    """Time that tests move."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def asynchronous(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Runs a coroutine as a test."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 60))

    return run


class Client:
    """One conversation: a session, one model, counted sequence numbers."""

    def __init__(self, http: httpx.AsyncClient, service: Service) -> None:
        self.http = http
        self.service = service
        self.session_id = ""
        self.model_id = ""
        self.seq_id = 0

    async def post(self, route: str, body: Any = None, **options: Any) -> httpx.Response:
        if isinstance(body, bytes):
            return await self.http.post(f"/api/v1/{route}", content=body, **options)
        return await self.http.post(f"/api/v1/{route}", json=body if body is not None else {}, **options)

    async def get(self, route: str, **options: Any) -> httpx.Response:
        return await self.http.get(f"/api/v1/{route}", **options)

    async def poll(self, request_id: str, **headers: str) -> httpx.Response:
        return await self.post("retrieve_future", {"request_id": request_id}, headers=headers)

    async def result(self, submitted: httpx.Response) -> dict[str, Any]:
        assert submitted.status_code == 200, submitted.text
        answer = await self.poll(submitted.json()["request_id"])
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def start(self, **model: Any) -> Client:
        self.session_id = (await self.post("create_session", {"tags": [], "user_metadata": None})).json()["session_id"]
        created = await self.post(
            "create_model",
            {
                "session_id": self.session_id,
                "model_seq_id": 0,
                "base_model": self.service.engine.base.name,
                "lora_config": {"rank": 4},
                **model,
            },
        )
        self.model_id = (await self.result(created))["model_id"]
        return self

    def next_seq(self) -> int:
        self.seq_id += 1
        return self.seq_id

    async def ordered(self, route: str, seq_id: int | None = None, **body: Any) -> httpx.Response:
        return await self.post(
            route, {"model_id": self.model_id, "seq_id": self.next_seq() if seq_id is None else seq_id, **body}
        )

    async def backward(self, seq_id: int | None = None, data: Any = None, **content: Any) -> httpx.Response:
        return await self.ordered(
            "forward_backward",
            seq_id,
            forward_backward_input={
                "data": [datum()] if data is None else data,
                "loss_fn": "cross_entropy",
                **content,
            },
        )

    async def step(self, seq_id: int | None = None, **adam: float) -> httpx.Response:
        return await self.ordered("optim_step", seq_id, adam_params={"learning_rate": 0.1, **adam})


def datum(tokens: list[int] | None = None, **inputs: Any) -> dict[str, Any]:
    ids = [1, 2, 3, 4] if tokens is None else tokens
    own = {
        "target_tokens": {"data": [*ids[1:], 5], "dtype": "int64", "shape": [len(ids)]},
        "weights": {"data": [1.0] * len(ids), "dtype": "float32", "shape": [len(ids)]},
    }
    return {
        "model_input": {"chunks": [{"type": "encoded_text", "tokens": ids}]},
        "loss_fn_inputs": {**own, **inputs},
    }


def proto_body(model_id: str, seq_id: int, tokens: list[int] | None = None, *, forward_only: bool = False) -> bytes:
    ids = [1, 2, 3, 4] if tokens is None else tokens
    request = pb.ForwardBackwardRequest(
        model_id=model_id, seq_id=seq_id, loss_fn="cross_entropy", forward_only=forward_only
    )
    row = request.data.add()
    row.model_input.add().encoded_text.tokens = np.array(ids, "<i4").tobytes()
    targets = row.loss_fn_inputs["target_tokens"]
    targets.dense, targets.dtype = np.array([*ids[1:], 5], "<i8").tobytes(), pb.DTYPE_INT64
    weights = row.loss_fn_inputs["weights"]
    weights.dense, weights.dtype = np.ones(len(ids), "<f4").tobytes(), pb.DTYPE_FLOAT32
    return request.SerializeToString()


@asynccontextmanager
async def serving(
    engine: Engine | None = None,
    *,
    root: Path | None = None,
    key: str | None = None,
    clock: Callable[[], float] | None = None,
    options: Options | None = None,
    **limits: Any,
) -> AsyncIterator[Client]:
    """A started service with a client on it; ``limits`` override those of tests."""
    with tempfile.TemporaryDirectory() as own:
        chosen = replace(options or Options(), limits=replace(LIMITS, **limits))
        if clock is not None:
            chosen = replace(chosen, clock=clock)
        checkpoints = Checkpoints(root or Path(own))
        app, service = make_app(engine or FakeEngine(), checkpoints, chosen, key)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as http:
            try:
                yield Client(http, service)
            finally:
                if isinstance(service.engine, FakeEngine):
                    service.engine.gate.set()
                service.close()
                checkpoints.close()
