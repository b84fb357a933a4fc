"""After every publish the sampler is compared with the learner."""

from __future__ import annotations

from typing import Any

import pytest
from fake_engine import FakeEngine
from in_process import asynchronous, serving


async def train(client: Any, learning_rate: float = 0.1) -> None:
    await client.backward()
    await client.result(await client.step(learning_rate=learning_rate))


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("serves", ["base", "stale"])
@asynchronous
async def test_a_sampler_with_other_weights_fails_the_publish_and_leaves_nothing(serves: str, named: bool) -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        await train(client)
        await client.result(await client.ordered("save_weights_for_sampler", sampling_session_seq_id=0))
        await train(client)
        engine.sampler_serves = serves
        how = {"path": "named"} if named else {"sampling_session_seq_id": 1}
        failed = await client.result(await client.ordered("save_weights_for_sampler", **how))
        assert failed["category"] == "server"
        assert "publish refused" in failed["error"]
        assert (await client.get("checkpoints")).json()["checkpoints"] == []
        assert len(set(engine.samplers) - {"base"}) == 1
        engine.sampler_serves = "fresh"
        assert "error" not in await client.result(await client.ordered("save_weights_for_sampler", **how))


@asynchronous
async def test_base_weights_after_a_step_too_small_for_the_tolerance_are_noticed_too() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        await train(client, learning_rate=1e-3)
        engine.sampler_serves = "base"
        failed = await client.result(await client.ordered("save_weights_for_sampler", sampling_session_seq_id=0))
        assert "base" in failed["error"]


@asynchronous
async def test_a_publish_before_any_step_equals_the_base_model_and_is_right() -> None:
    async with serving() as client:
        await client.start()
        made = await client.result(await client.ordered("save_weights_for_sampler", sampling_session_seq_id=0))
        assert made["step"] == 0
        assert len(made["weights_fingerprint"]) == 16


@asynchronous
async def test_a_step_that_changes_nothing_may_be_published() -> None:
    async with serving() as client:
        await client.start()
        await train(client, learning_rate=0.0)
        made = await client.result(await client.ordered("save_weights_for_sampler", sampling_session_seq_id=0))
        assert made["step"] == 1
