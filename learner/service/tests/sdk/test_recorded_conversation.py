"""Conversations of the official SDKs and of our TypeScript client, recorded with this service, are said to it again.

It must give the same answers; it may say more than it did then.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_process import Client, asynchronous, serving
from sdk_venvs import REPOSITORY, VERSIONS

from umagraph_learner.engine.torch_engine import open_engine
from umagraph_learner.wire import tinker_pb2 as pb

GOLDEN = REPOSITORY / "tests" / "golden" / "learner"
PROTO = "application/x-protobuf"
#: Values that the server makes up, by the names they have in answers.
NAMES = ("session_id", "request_id", "sampling_session_id")


class Replay:
    """Says the requests again, with the identifiers of today for those of the recording."""

    def __init__(self, client: Client, exact: bool) -> None:
        self._client = client
        #: The model is the recorded one bit by bit, so numbers must agree too.
        self._exact = exact
        self._today: dict[str, str] = {}

    def _translated(self, text: str) -> str:
        for then, now in self._today.items():
            text = text.replace(then, now)
        return text

    async def say(self, exchange: dict[str, Any]) -> None:
        request = exchange["request"]
        if "json" in request:
            body = self._translated(json.dumps(request["json"])).encode()
        else:
            body = base64.b64decode(request.get("base64", ""))
            if request["headers"].get("content-type") == PROTO:
                message = pb.ForwardBackwardRequest.FromString(body)
                message.model_id = self._translated(message.model_id)
                body = message.SerializeToString()
        answer = await self._client.http.request(
            exchange["method"], self._translated(exchange["path"]), content=body, headers=request["headers"]
        )
        where = f"{exchange['method']} {exchange['path']}"
        assert answer.status_code == exchange["status"], (where, answer.text)
        expected = exchange["response"]
        assert answer.headers.get("content-type") == expected["headers"].get("content-type"), where
        if "json" in expected:
            self._learn(expected["json"], answer.json())
            self._compare(expected["json"], answer.json(), where)
        elif "base64" in expected:
            kind = pb.SampleResponse if exchange["sampled"] else pb.ForwardBackwardOutput
            then, now = (
                _plain(kind.FromString(data)) for data in (base64.b64decode(expected["base64"]), answer.content)
            )
            if exchange["sampled"] == "without a seed" or (exchange["sampled"] and not self._exact):
                assert len(now.pop("sequences")) == len(then.pop("sequences")), where
            self._compare(then, now, where)

    def _learn(self, then: Any, now: Any) -> None:
        for name in NAMES:
            if isinstance(then.get(name), str) and isinstance(now.get(name), str):
                self._today.setdefault(then[name], now[name])

    def _compare(self, then: Any, now: Any, where: str) -> None:
        if isinstance(then, dict):
            assert isinstance(now, dict), where
            assert set(then) <= set(now), where
            for key in then:
                self._compare(then[key], now[key], f"{where} {key}")
        elif isinstance(then, list):
            assert isinstance(now, list), where
            assert len(then) == len(now), where
            for index, pair in enumerate(zip(then, now, strict=True)):
                self._compare(*pair, f"{where}[{index}]")
        elif isinstance(then, float):
            assert isinstance(now, float), where
            if self._exact:
                assert now == pytest.approx(then, rel=1e-3, abs=1e-3, nan_ok=True), where
        elif isinstance(then, str):
            assert isinstance(now, str), where
            if not re.search(r"fingerprint|sha256|time|error$", where):
                assert now == self._translated(then), where
        elif self._exact or not isinstance(then, int):
            assert now == then, where


def _plain(message: Any) -> dict[str, Any]:
    if isinstance(message, pb.SampleResponse):
        return {
            "sequences": [
                {
                    "stop_reason": int(s.stop_reason),
                    "tokens": np.frombuffer(s.tokens, "<i4").tolist(),
                    "logprobs": np.frombuffer(s.logprobs, "<f4").tolist(),
                }
                for s in message.sequences
            ],
            "prompt_logprobs": np.frombuffer(message.prompt_logprobs, "<f4").tolist(),
        }
    return {
        "type": message.loss_fn_output_type,
        "metrics": dict(message.metrics),
        "records": [
            {
                name: {
                    "data": np.frombuffer(field.data, "<f4").tolist(),
                    "offsets": np.frombuffer(field.offsets, "<i8").tolist(),
                }
                for name, field in record.fields.items()
            }
            for record in message.loss_fn_outputs
        ],
    }


def conversation(version: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and exchanges."""
    lines = gzip.decompress((GOLDEN / f"sdk-conversation-{version}.jsonl.gz").read_bytes()).decode().splitlines()
    head, *exchanges = map(json.loads, lines)
    return head, marked(exchanges)


def marked(exchanges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Notes which results are samples, and whether a seed decides them."""
    sampled = {
        e["response"]["json"]["request_id"]: "with a seed"
        if "seed" in e["request"]["json"]["sampling_params"]
        else "without a seed"
        for e in exchanges
        if e["path"] == "/api/v1/asample"
    }
    for exchange in exchanges:
        asked = exchange["request"].get("json") or {}
        exchange["sampled"] = sampled.get(asked.get("request_id")) if exchange["path"].endswith("_future") else None
    return exchanges


def of_our_client(wire: str) -> list[dict[str, Any]]:
    """The same from the format of the TypeScript tests."""
    recorded = json.loads((GOLDEN / f"client-{wire}.json").read_text("utf-8"))
    exchanges = []
    for one in recorded["exchanges"]:
        headers = {"accept": one["accept"], "content-type": one["contentType"]}
        exchanges.append(
            {
                "method": one["method"],
                "path": f"/api/v1/{one['route']}",
                "request": {"headers": {k: v for k, v in headers.items() if v}, **_said(one["body"])},
                "status": one["status"],
                "response": {"headers": {"content-type": one["responseType"]}, **_said(one["response"])},
            }
        )
    return marked(exchanges)


def _said(body: Any) -> dict[str, Any]:
    if body is None:
        return {}
    return body if isinstance(body, dict) else {"json": json.loads(body)}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_recorded_conversation_gets_the_same_answers(version: str, tiny_folder: Path) -> None:
    @asynchronous
    async def body() -> None:
        head, exchanges = conversation(version)
        digest = hashlib.sha256((tiny_folder / "model.safetensors").read_bytes()).hexdigest()
        async with serving(open_engine(str(tiny_folder), name=head["model"])) as client:
            replay = Replay(client, exact=digest == head["model_sha256"])
            for exchange in exchanges:
                await replay.say(exchange)

    body()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_conversation_says_what_it_was_recorded_with_and_uses_every_kind_of_request(version: str) -> None:
    head, exchanges = conversation(version)
    assert (head["sdk"], head["format"]) == (version, 1)
    paths = {e["path"].removeprefix("/api/v1/") for e in exchanges}
    assert paths >= {
        "client/config",
        "create_session",
        "create_model",
        "forward_backward",
        "optim_step",
        "save_weights",
        "save_weights_for_sampler",
        "load_weights",
        "asample",
        "retrieve_future",
    }
    assert ("forward" in paths) == (version == "0.24.1")
    assert ("get_info" in paths) == (version == "0.38.0")
    failures = [e for e in exchanges if "error" in (e["response"].get("json") or {})]
    assert [e["response"]["json"]["category"] for e in failures] == ["user"]


@pytest.mark.parametrize("wire", ["json", "proto"])
def test_the_conversation_of_our_own_client_gets_the_same_answers(wire: str, tiny_folder: Path) -> None:
    @asynchronous
    async def body() -> None:
        exchanges = of_our_client(wire)
        created = next(e for e in exchanges if e["path"] == "/api/v1/create_model")
        base = created["request"]["json"]["base_model"]
        async with serving(open_engine(str(tiny_folder), name=base)) as client:
            replay = Replay(client, exact=False)
            for exchange in exchanges:
                await replay.say(exchange)

    body()
