"""Raw HTTP against the service: what official clients rely on and what our own may."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
import zstandard
from fake_engine import FakeEngine
from in_process import PROTO, Clock, asynchronous, datum, proto_body, serving

from umagraph_learner.contract import ServerError
from umagraph_learner.server.service import Options
from umagraph_learner.wire import tinker_pb2 as pb

# ---- polling -------------------------------------------------------------------------------------------------------


@asynchronous
async def test_a_poll_waits_then_says_try_again_then_gives_the_result() -> None:
    engine = FakeEngine()
    async with serving(engine, long_poll_s=0.05) as client:
        await client.start()
        engine.gate.clear()
        request_id = (await client.backward()).json()["request_id"]
        answer = (await client.poll(request_id)).json()
        assert answer == {"type": "try_again", "request_id": request_id, "queue_state": "active"}
        engine.gate.set()
        assert "loss:sum" in (await client.poll(request_id)).json()["metrics"]


@asynchronous
async def test_a_poll_answers_as_soon_as_the_result_is_there() -> None:
    engine = FakeEngine()
    async with serving(engine, long_poll_s=20) as client:
        await client.start()
        engine.gate.clear()
        request_id = (await client.backward()).json()["request_id"]
        poll = asyncio.create_task(client.poll(request_id))
        await asyncio.sleep(0.05)
        assert not poll.done()
        engine.gate.set()
        assert "metrics" in (await asyncio.wait_for(poll, 5)).json()


@asynchronous
async def test_a_result_can_be_read_again_and_is_answered_410_after_its_time() -> None:
    clock = Clock()
    async with serving(clock=clock, result_ttl_s=60) as client:
        await client.start()
        request_id = (await client.backward()).json()["request_id"]
        assert (await client.poll(request_id)).json() == (await client.poll(request_id)).json()
        clock.now += 61
        client.service.sweep()
        gone = await client.poll(request_id)
        assert gone.status_code == 410
        assert request_id in gone.json()["detail"]


@asynchronous
async def test_an_identifier_of_an_earlier_life_of_the_server_is_answered_410() -> None:
    async with serving() as client:
        assert (await client.poll("r-never-made")).status_code == 410


@asynchronous
async def test_a_client_that_disappears_in_the_middle_of_a_poll_can_come_back() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        engine.gate.clear()
        request_id = (await client.backward()).json()["request_id"]
        poll = asyncio.create_task(client.poll(request_id))
        await asyncio.sleep(0.05)
        poll.cancel()
        engine.gate.set()
        assert "metrics" in (await client.poll(request_id)).json()
        assert "metrics" in await client.result(await client.backward())


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("application/x-protobuf", PROTO),
        ("application/x-protobuf, application/json", PROTO),
        ("application/json", "application/json"),
        ("*/*", "application/json"),
    ],
)
@asynchronous
async def test_results_come_in_the_dialect_the_poll_names(accept: str, expected: str) -> None:
    async with serving() as client:
        await client.start()
        request_id = (await client.backward()).json()["request_id"]
        answer = await client.poll(request_id, accept=accept)
        assert answer.headers["content-type"] == expected
        if expected == PROTO:
            output = pb.ForwardBackwardOutput.FromString(answer.content)
            assert output.metrics["loss:sum"] > 0
            assert output.loss_fn_outputs[0].num_datums == 1


@asynchronous
async def test_control_outcomes_and_failures_are_json_whatever_the_poll_names() -> None:
    engine = FakeEngine()
    async with serving(engine, long_poll_s=0.02) as client:
        await client.start()
        engine.gate.clear()
        request_id = (await client.backward()).json()["request_id"]
        assert (await client.poll(request_id, accept=PROTO)).json()["type"] == "try_again"
        engine.gate.set()
        failing = (await client.backward(loss_fn="nonsense")).json()["request_id"]
        await asyncio.sleep(0.05)
        assert (await client.poll(failing, accept=PROTO)).json()["category"] == "user"
        stepped = (await client.step()).json()["request_id"]
        assert (await client.poll(stepped, accept=PROTO)).json()["type"] == "optim_step"


@asynchronous
async def test_a_large_result_is_announced_by_size_to_clients_that_ask_for_that() -> None:
    async with serving(metadata_only_bytes=10) as client:
        await client.start()
        request_id = (await client.backward()).json()["request_id"]
        asked = await client.post("retrieve_future", {"request_id": request_id, "allow_metadata_only": True})
        assert asked.json()["status"] == "complete_metadata"
        assert asked.json()["response_payload_size"] > 10
        assert "metrics" in (await client.poll(request_id)).json()


# ---- sequence numbers ----------------------------------------------------------------------------------------------


@asynchronous
async def test_requests_that_arrive_out_of_order_run_in_order() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        step = await client.step(seq_id=3)
        second = await client.backward(seq_id=2)
        assert [call for call in engine.calls if call[0] != "create_model"] == []
        first = await client.backward(seq_id=1)
        result = await client.result(step)
        assert [call[0] for call in engine.calls[1:]] == ["backward", "backward", "optim_step"]
        assert result["metrics"]["grad_norm"] == 8.0
        for submitted in (first, second):
            assert "metrics" in await client.result(submitted)


@asynchronous
async def test_the_same_request_twice_gets_one_promise_and_runs_once() -> None:
    async with serving() as client:
        await client.start()
        first = (await client.backward(seq_id=1)).json()
        again = (await client.backward(seq_id=1)).json()
        assert again == first
        in_proto = await client.post(
            "forward_backward", proto_body(client.model_id, 1), headers={"content-type": PROTO}
        )
        assert in_proto.json() == first
        stepped = await client.result(await client.step(seq_id=2))
        assert stepped["metrics"]["grad_norm"] == 4.0
        repeated = await client.result(await client.step(seq_id=2))
        assert repeated == stepped


@asynchronous
async def test_a_used_number_with_other_content_is_answered_422_and_runs_nothing() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        await client.result(await client.backward(seq_id=1))
        calls = len(engine.calls)
        other = await client.backward(seq_id=1, data=[datum([7, 8, 9])])
        assert other.status_code == 422
        assert "seq_id 1" in other.json()["detail"]
        different_kind = await client.step(seq_id=1)
        assert different_kind.status_code == 422
        assert len(engine.calls) == calls


@pytest.mark.parametrize("dialect", ["json", "proto"])
@asynchronous
async def test_a_submit_answered_4xx_uses_up_its_number(dialect: str) -> None:
    async with serving() as client:
        await client.start()
        if dialect == "json":
            refused = await client.ordered("forward_backward", 1, forward_backward_input="not an object")
        else:
            envelope = pb.ForwardBackwardRequest(model_id=client.model_id, seq_id=1).SerializeToString()
            cut_off = envelope + b"\x1a\xff"
            refused = await client.post("forward_backward", cut_off, headers={"content-type": PROTO})
        assert refused.status_code == 422
        assert "metrics" in await client.result(await client.backward(seq_id=2))
        late = await client.backward(seq_id=1)
        assert late.status_code == 422


@asynchronous
async def test_a_body_that_is_too_large_uses_up_the_number_in_its_first_bytes() -> None:
    async with serving(max_body_bytes=2000) as client:
        await client.start()
        big = proto_body(client.model_id, 1, list(range(60)) * 10)
        refused = await client.post("forward_backward", big, headers={"content-type": PROTO})
        assert refused.status_code == 413
        text = json.dumps({"model_id": client.model_id, "seq_id": 2, "padding": "x" * 3000}).encode()
        assert (await client.post("forward_backward", text)).status_code == 413
        assert "metrics" in await client.result(await client.backward(seq_id=3))


@asynchronous
async def test_numbers_that_jump_wait_say_so_and_fail_in_the_end() -> None:
    clock = Clock()
    async with serving(clock=clock, long_poll_s=0.02, gap_timeout_s=100, session_ttl_s=10**6) as client:
        await client.start()
        jumped = (await client.backward(seq_id=5)).json()["request_id"]
        assert (await client.poll(jumped)).json()["queue_state_reason"] == "seq_id 1 has not arrived yet"
        clock.now += 101
        client.service.sweep()
        failed = (await client.poll(jumped)).json()
        assert failed["category"] == "user"
        assert "seq_id 1" in failed["error"]
        for number in (1, 2, 3, 4, 6):
            assert "metrics" in await client.result(await client.backward(seq_id=number))


@pytest.mark.parametrize("seq_id", [0, -1, 1.5, "1", True, [], 2**60])
@asynchronous
async def test_a_number_that_is_none_is_answered_422(seq_id: Any) -> None:
    async with serving() as client:
        await client.start()
        content = {"data": [datum()], "loss_fn": "cross_entropy"}
        body = {"model_id": client.model_id, "seq_id": seq_id, "forward_backward_input": content}
        assert (await client.post("forward_backward", body)).status_code == 422
        body = {"model_id": client.model_id, "seq_id": seq_id, "adam_params": {}}
        assert (await client.post("optim_step", body)).status_code == 422


@asynchronous
async def test_without_a_number_a_request_runs_when_it_arrives() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        await client.backward(seq_id=1)
        saved = await client.post("save_weights", {"model_id": client.model_id, "path": "now"})
        assert (await client.result(saved))["path"].endswith("/weights/now")
        assert [call[0] for call in engine.calls[1:]] == ["backward", "save_state"]


@asynchronous
async def test_two_clients_on_one_model_share_its_numbers() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        submits = [client.backward(seq_id=n) if n % 2 else client.step(seq_id=n) for n in (2, 1, 4, 3, 6, 5)]
        results = [await client.result(submitted) for submitted in await asyncio.gather(*submits)]
        assert len(results) == 6
        assert [call[0] for call in engine.calls[1:]] == ["backward", "optim_step"] * 3


@asynchronous
async def test_what_waits_for_nobody_is_taken_when_the_queue_is_full_and_the_rest_is_answered_429() -> None:
    async with serving(max_queued_bytes=1000) as client:
        await client.start()
        assert (await client.backward(seq_id=3)).status_code == 200
        assert (await client.backward(seq_id=4, data=[datum([1] * 60)])).status_code == 429
        assert (await client.backward(seq_id=1, data=[datum([1] * 60)])).status_code == 200
        assert (await client.backward(seq_id=2)).status_code == 200
        assert "metrics" in await client.result(await client.backward(seq_id=4, data=[datum([1] * 60)]))


# ---- failures ------------------------------------------------------------------------------------------------------


@asynchronous
async def test_a_user_error_is_the_result_of_its_request_and_leaves_the_model_as_it_was() -> None:
    async with serving() as client:
        await client.start()
        await client.backward()
        bad: list[dict[str, Any]] = [
            {"data": [datum([1, 2, 1000])]},
            {"data": [datum(weights={"data": [1.0], "dtype": "float32"})]},
            {"data": [datum(weights={"data": [1.0, 1, 1, float("nan")], "dtype": "float32"})]},
            {"data": [datum(weights={"data": [1, 1, 1, 1], "dtype": "int64"})]},
            {"data": [datum(weights={"data": [1, 1, 1, 1], "dtype": "float64"})]},
            {"data": [datum(weights={"data": [1, 1, 1, 1], "dtype": "float32", "shape": [2, 2]})]},
            {"data": [datum(mask={"data": [1.0, 1, 1, 1], "dtype": "float32"})]},
            {"data": [datum(target_tokens={"data": [1, 2, 3, 100], "dtype": "int64"})]},
            {"data": [datum(weights={"data": [1.0], "dtype": "float32", "sparse_crow_indices": [0, 1]})]},
            {"data": []},
            {"loss_fn": "stable_reinforce"},
            {"loss_fn_config": {"unheard_of": 1.0}},
            {"loss_fn_config": {"clip_low_threshold": [0.8, 0.9]}},
            {"loss_fn_config": {"clip_low_threshold": "0.8"}},
            {"data": [{"model_input": {"chunks": [{"type": "image"}]}, "loss_fn_inputs": {}}]},
        ]
        for content in bad:
            body = json.dumps(
                {
                    "model_id": client.model_id,
                    "seq_id": client.next_seq(),
                    "forward_backward_input": {"data": [datum()], "loss_fn": "cross_entropy", **content},
                }
            )
            failed = await client.result(await client.post("forward_backward", body.encode()))
            assert failed.get("category") == "user", (content, failed)
            assert len(failed["error"]) > 10
        assert (await client.result(await client.step()))["metrics"]["grad_norm"] == 4.0


@asynchronous
async def test_failures_of_the_engine_name_their_category_and_the_model_goes_on() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        cases: list[tuple[BaseException, str, str]] = [
            (ServerError("the checkpoint folder is gone"), "server", "is gone"),
            (MemoryError(), "user", "out of memory"),
            (OSError(28, "No space left on device"), "server", "disk is full"),
            (ZeroDivisionError("boom"), "server", "ZeroDivisionError"),
        ]
        for error, category, words in cases:
            engine.faults["backward"] = error
            failed = await client.result(await client.backward())
            assert failed["category"] == category
            assert words in failed["error"]
            assert "metrics" in await client.result(await client.backward())


@pytest.mark.parametrize(
    ("adam", "words"),
    [
        ({"lr": 1.0}, "unknown key 'lr'"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"learning_rate": "fast"}, "learning_rate"),
        ({"beta1": 1.0}, "beta1"),
    ],
)
@asynchronous
async def test_optimiser_parameters_are_checked(adam: dict[str, Any], words: str) -> None:
    async with serving() as client:
        await client.start()
        failed = await client.result(await client.ordered("optim_step", adam_params=adam))
        assert failed["category"] == "user"
        assert words in failed["error"]


@asynchronous
async def test_what_this_server_does_not_serve_is_refused_and_not_ignored() -> None:
    async with serving() as client:
        await client.start()
        base = {"session_id": client.session_id, "base_model": "fake/base", "lora_config": {"rank": 4}}
        refused = [
            await client.ordered("optim_step", optimizer_params={"type": "dimuon"}),
            await client.post("create_model", {**base, "model_seq_id": 1, "optimizer_config": {"type": "dimuon"}}),
            await client.post("create_model", {**base, "model_seq_id": 2, "base_model": "other/model"}),
            await client.post("create_model", {**base, "model_seq_id": 3, "lora_config": {"rank": 4, "alpha": 1}}),
        ]
        prompt = {"chunks": [{"type": "encoded_text", "tokens": [1, 2, 3]}]}
        asked: list[dict[str, Any]] = [
            {"topk_prompt_logprobs": 2},
            {"topk_sample_logprobs": 1},
            {"prompt_alt_tokens_k": 1},
            {"target_prompt_logprobs": {"data": [1, 2], "dtype": "int64", "shape": [2, 1]}},
            {"record_stability_info": True},
            {"prompt_logprobs_last_n": 1},
            {"prompt_logprobs": True, "prompt_logprobs_last_n": 3},
            {"sampling_params": {"max_tokens": 62}},
            {"sampling_params": {"top_p": 0.0}},
            {"sampling_params": {"min_p": 0.1}},
            {"sampling_params": {"temperature": -1}},
            {"sampling_params": {"stop": [1, "x"]}},
            {"prompt": {"chunks": []}},
            {"prompt": {"chunks": [{"type": "encoded_text", "tokens": [100]}]}},
            {"num_samples": 0},
        ]
        for extra in asked:
            refused.append(await client.post("asample", {"base_model": "fake/base", "prompt": prompt, **extra}))
        for submitted in refused:
            failed = await client.result(submitted)
            assert failed.get("category") == "user", failed
        spec = pb.ForwardBackwardRequest.FromString(proto_body(client.model_id, client.next_seq()))
        spec.loss_fn_config_v2["loss_id"].text = "graph"
        body = spec.SerializeToString()
        failed = await client.result(await client.post("forward_backward", body, headers={"content-type": PROTO}))
        assert "loss_id" in failed["error"]


@asynchronous
async def test_the_second_version_of_the_config_wins_over_the_first() -> None:
    async with serving() as client:
        await client.start()
        spec = pb.ForwardBackwardRequest.FromString(proto_body(client.model_id, client.next_seq()))
        spec.loss_fn_config["unheard_of"] = 1.0
        spec.loss_fn_config_v2["clip_low_threshold"].number = 0.5
        body = spec.SerializeToString()
        assert "metrics" in await client.result(
            await client.post("forward_backward", body, headers={"content-type": PROTO})
        )


@asynchronous
async def test_a_compressed_body_is_read_and_a_bomb_is_refused() -> None:
    async with serving(max_content_bytes=1 << 20) as client:
        await client.start()
        headers = {"content-type": PROTO, "content-encoding": "zstd"}
        good = zstandard.compress(proto_body(client.model_id, 1))
        assert "metrics" in await client.result(await client.post("forward_backward", good, headers=headers))
        bomb = zstandard.compress(proto_body(client.model_id, 2) + bytes(50 << 20))
        assert len(bomb) < 10_000
        assert (await client.post("forward_backward", bomb, headers=headers)).status_code == 413
        assert (await client.post("forward_backward", b"not zstd", headers=headers)).status_code == 422
        gzip = {"content-type": PROTO, "content-encoding": "gzip"}
        assert (await client.post("forward_backward", good, headers=gzip)).status_code == 415
        assert "metrics" in await client.result(await client.backward(seq_id=3))


# ---- models and sessions -------------------------------------------------------------------------------------------


@asynchronous
async def test_a_model_is_made_once_and_named_after_its_session() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        assert client.model_id == f"{client.session_id}:train:0"
        body = {
            "session_id": client.session_id,
            "model_seq_id": 0,
            "base_model": "fake/base",
            "lora_config": {"rank": 4},
        }
        again = await client.post("create_model", body)
        assert (await client.result(again))["model_id"] == client.model_id
        assert [c[0] for c in engine.calls] == ["create_model"]
        other = await client.post("create_model", {**body, "lora_config": {"rank": 8}})
        assert other.status_code == 422


@asynchronous
async def test_info_says_what_was_made() -> None:
    async with serving() as client:
        await client.start()
        info = (await client.post("get_info", {"model_id": client.model_id})).json()
        assert info["model_data"] == {"arch": "fake", "model_name": "fake/base", "tokenizer_id": "fake/base"}
        assert (info["is_lora"], info["lora_rank"], info["next_seq_id"]) == (True, 4, 1)
        assert (await client.post("get_info", {"model_id": "s:train:0"})).status_code == 404


@pytest.mark.parametrize(
    ("options", "asked", "rank"),
    [
        (Options(), {"lora_config": {"rank": 8}}, 8),
        (Options(), {"lora_config": {"rank": 0}}, None),
        (Options(), {}, None),
        (Options(), {"lora_config": {"rank": 8}, "parameterization": {"type": "full"}}, None),
        (Options(full=True), {"lora_config": {"rank": 8}}, None),
        (Options(lora_rank=16), {}, 16),
        (Options(lora_rank=16), {"lora_config": {"rank": 2}}, 2),
    ],
)
@asynchronous
async def test_full_training_or_a_rank_follow_from_request_and_server(
    options: Options, asked: dict[str, Any], rank: int | None
) -> None:
    async with serving(options=options) as client:
        await client.start(**({"lora_config": None} | asked))
        info = (await client.post("get_info", {"model_id": client.model_id})).json()
        assert (info["is_lora"], info["lora_rank"]) == (rank is not None, rank)


@asynchronous
async def test_a_silent_session_is_over_and_its_models_are_freed() -> None:
    clock, engine = Clock(), FakeEngine()
    async with serving(engine, clock=clock, session_ttl_s=100) as client:
        await client.start()
        clock.now += 90
        assert (await client.post("session_heartbeat", {"session_id": client.session_id})).status_code == 200
        clock.now += 90
        client.service.sweep()
        assert (await client.backward()).status_code == 200
        held = (await client.backward(seq_id=9)).json()["request_id"]
        clock.now += 101
        client.service.sweep()
        failed = (await client.poll(held)).json()
        assert "gone" in failed["error"]
        await asyncio.sleep(0.05)
        assert engine.models == {}
        assert (await client.post("session_heartbeat", {"session_id": client.session_id})).status_code == 410
        unusable = await client.backward()
        assert unusable.status_code == 404
        assert "100 s" in unusable.json()["detail"]


@asynchronous
async def test_a_finished_session_frees_its_models_after_their_work() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        engine.gate.clear()
        submitted = await client.backward()
        finish = await client.post(
            f"sessions/{client.session_id}/finish", {"reason": {"type": "success"}, "detail": ""}
        )
        assert finish.status_code == 200
        engine.gate.set()
        assert "metrics" in await client.result(submitted)
        await asyncio.sleep(0.05)
        assert engine.models == {}
        again = await client.post(f"sessions/{client.session_id}/finish", {})
        assert again.status_code == 200


@asynchronous
async def test_a_model_that_could_not_be_made_says_why_ever_after() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        engine.faults["create_model"] = ServerError("out of memory")
        body = {"session_id": client.session_id, "model_seq_id": 1, "base_model": "fake/base"}
        failed = await client.result(await client.post("create_model", body))
        assert failed == {"error": "out of memory", "category": "server"}
        use = await client.post("optim_step", {"model_id": f"{client.session_id}:train:1", "seq_id": 1})
        assert use.status_code == 404
        assert "out of memory" in use.json()["detail"]


@asynchronous
async def test_there_is_an_end_to_how_many_models_fit() -> None:
    async with serving(max_models=1) as client:
        await client.start()
        body = {"session_id": client.session_id, "model_seq_id": 1, "base_model": "fake/base"}
        assert (await client.post("create_model", body)).status_code == 422
        await client.result(await client.post("unload_model", {"model_id": client.model_id}))
        assert (await client.post("create_model", body)).status_code == 200


# ---- saving, publishing, sampling ----------------------------------------------------------------------------------


async def trained(client: Any, steps: int = 1) -> None:
    for _ in range(steps):
        await client.backward()
        await client.result(await client.step())


@asynchronous
async def test_a_saved_state_comes_back_by_both_ways_of_loading() -> None:
    async with serving() as client:
        await client.start()
        await trained(client)
        saved = await client.result(await client.ordered("save_weights", path="one"))
        path = saved["path"]
        assert path == f"tinker://{client.model_id}/weights/one"
        before = await client.result(await client.backward())
        created = await client.post(
            "load_weights", {"session_id": client.session_id, "model_seq_id": 7, "path": path, "optimizer": True}
        )
        assert (await client.result(created))["model_id"] == f"{client.session_id}:train:7"
        client.model_id, client.seq_id = f"{client.session_id}:train:7", 0
        assert await client.result(await client.backward()) == before
        await trained(client)
        await client.result(await client.ordered("load_weights", path=path, optimizer=False))
        assert await client.result(await client.backward()) == before


@pytest.mark.parametrize(
    "name",
    ["../up", "a/b", "/etc/passwd", "..", ".hidden", "a\x00b", "", "x" * 300, "a\\b", "%2e%2e", "~", "a..b", 7],
)
@asynchronous
async def test_checkpoint_names_cannot_leave_their_folder(name: Any, tmp_path: Any) -> None:
    root = tmp_path / "checkpoints"
    async with serving(root=root) as client:
        await client.start()
        for route in ("save_weights", "save_weights_for_sampler"):
            failed = await client.result(await client.ordered(route, path=name))
            assert failed["category"] == "user", failed
        for path in (
            f"tinker://{name}/weights/x",
            f"tinker://{client.model_id}/weights/{name}",
            f"tinker://../{name}/x",
            name,
        ):
            failed = await client.result(await client.ordered("load_weights", path=path, optimizer=False))
            assert failed["category"] == "user", failed
            session = {"session_id": client.session_id, "sampling_session_seq_id": 3, "model_path": path}
            assert (await client.post("create_sampling_session", session)).status_code in (404, 422)
        outside = [p for p in tmp_path.rglob("*") if root not in p.parents and p != root]
        assert outside == []


@asynchronous
async def test_an_existing_name_is_kept_unless_overwriting_is_asked_for() -> None:
    async with serving() as client:
        await client.start()
        await client.result(await client.ordered("save_weights", path="one"))
        failed = await client.result(await client.ordered("save_weights", path="one"))
        assert "exists already" in failed["error"]
        assert "path" in await client.result(await client.ordered("save_weights", path="one", overwrite=True))


@asynchronous
async def test_a_retried_publish_with_the_next_sampler_number_is_the_same_request() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        first = await client.ordered("save_weights_for_sampler", 1, sampling_session_seq_id=0, kind="snapshot")
        again = await client.ordered("save_weights_for_sampler", 1, sampling_session_seq_id=1)
        assert again.json() == first.json()
        assert (await client.result(again))["sampling_session_id"] == f"{client.session_id}:sample:0"
        assert len([c for c in engine.calls if c[0] == "save_for_sampler"]) == 1


async def sample(client: Any, **body: Any) -> httpx.Response:
    prompt = {"chunks": [{"type": "encoded_text", "tokens": [1, 2, 3]}]}
    return await client.post(
        "asample", {"prompt": prompt, "num_samples": 1, "sampling_params": {"max_tokens": 3, "seed": 1}, **body}
    )


@asynchronous
async def test_a_publish_can_be_sampled_from_and_keeps_its_weights_when_training_goes_on() -> None:
    async with serving() as client:
        await client.start()
        await trained(client)
        made = await client.result(await client.ordered("save_weights_for_sampler", sampling_session_seq_id=0))
        sampler = made["sampling_session_id"]
        first = await sample(client, sampling_session_id=sampler, seq_id=0, prompt_logprobs=True)
        await trained(client)
        again = await sample(client, sampling_session_id=sampler, seq_id=1, prompt_logprobs=True)
        assert await client.result(first) == await client.result(again)
        about = (await client.get(f"samplers/{sampler}")).json()
        assert about["base_model"] == "fake/base"
        assert about["weights_fingerprint"] == made["weights_fingerprint"]
        newer = await client.result(await client.ordered("save_weights_for_sampler", sampling_session_seq_id=1))
        assert newer["weights_fingerprint"] != made["weights_fingerprint"]


@asynchronous
async def test_sampling_is_idempotent_by_sampling_session_and_number() -> None:
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.start()
        body = {"session_id": client.session_id, "sampling_session_seq_id": 0, "base_model": "fake/base"}
        sampler = (await client.post("create_sampling_session", body)).json()["sampling_session_id"]
        assert (await client.post("create_sampling_session", body)).json()["sampling_session_id"] == sampler
        first = (await sample(client, sampling_session_id=sampler, seq_id=4, num_samples=3)).json()
        assert len(set(first["sample_sequence_ids"])) == 3
        assert (await sample(client, sampling_session_id=sampler, seq_id=4, num_samples=3)).json() == first
        other = await sample(client, sampling_session_id=sampler, seq_id=4, num_samples=2)
        assert other.status_code == 422
        assert (await sample(client, sampling_session_id="s:sample:9", seq_id=0)).status_code == 404


@asynchronous
async def test_samples_in_proto_hold_tokens_scores_and_nan_for_the_first_prompt_token() -> None:
    async with serving() as client:
        submitted = await sample(client, base_model="fake/base", num_samples=2, prompt_logprobs=True)
        answer = await client.poll(submitted.json()["request_id"], accept=PROTO)
        message = pb.SampleResponse.FromString(answer.content)
        assert [len(s.tokens) for s in message.sequences] == [12, 12]
        assert len(message.prompt_logprobs) == 12
        in_json = (await client.poll(submitted.json()["request_id"])).json()
        assert in_json["prompt_logprobs"][0] is None
        assert len(in_json["sequences"][0]["logprobs"]) == 3


@asynchronous
async def test_concurrent_samples_are_batched_and_a_bad_one_fails_alone() -> None:
    engine = FakeEngine()
    async with serving(engine, max_batch_sequences=8) as client:
        engine.gate.clear()
        unlucky = {"chunks": [{"type": "encoded_text", "tokens": [9]}]}
        submits = [await sample(client, base_model="fake/base") for _ in range(11)]
        submits.append(await sample(client, base_model="fake/base", prompt=unlucky))
        engine.gate.set()
        results = [await client.result(submitted) for submitted in submits]
        assert all("sequences" in result for result in results[:11])
        assert results[11]["category"] == "user"
        assert max(engine.batches) > 3


@asynchronous
async def test_only_the_last_unnamed_publishes_are_kept_and_named_ones_stay() -> None:
    async with serving(keep_unnamed=2, max_open_samplers=2) as client:
        await client.start()
        named = (await client.result(await client.ordered("save_weights_for_sampler", path="kept")))["path"]
        samplers = []
        for number in range(4):
            made = await client.ordered("save_weights_for_sampler", sampling_session_seq_id=number)
            samplers.append((await client.result(made))["sampling_session_id"])
        old = await client.result(await sample(client, sampling_session_id=samplers[0], seq_id=0))
        assert "no longer kept" in old["error"]
        for sampler in samplers[2:]:
            assert "sequences" in await client.result(await sample(client, sampling_session_id=sampler, seq_id=0))
        assert "sequences" in await client.result(await sample(client, model_path=named))


@asynchronous
async def test_a_sampling_session_never_gets_the_weights_saved_later_under_its_name() -> None:
    async with serving(max_open_samplers=1) as client:
        await client.start()
        await trained(client)
        path = (await client.result(await client.ordered("save_weights_for_sampler", path="name")))["path"]
        body = {"session_id": client.session_id, "sampling_session_seq_id": 5, "model_path": path}
        sampler = (await client.post("create_sampling_session", body)).json()["sampling_session_id"]
        first = await client.result(await sample(client, sampling_session_id=sampler, seq_id=0))
        await trained(client)
        await client.result(await client.ordered("save_weights_for_sampler", path="name", overwrite=True))
        # The new weights took the only place in memory; the old ones are nowhere any more.
        old = await client.result(await sample(client, sampling_session_id=sampler, seq_id=1))
        assert "no longer kept" in old["error"]
        new = await client.result(await sample(client, model_path=path))
        assert new["sequences"][0]["tokens"] == first["sequences"][0]["tokens"]
        assert new["sequences"][0]["logprobs"] != first["sequences"][0]["logprobs"]


# ---- management, access --------------------------------------------------------------------------------------------


@asynchronous
async def test_checkpoints_are_listed_described_given_an_end_and_deleted() -> None:
    async with serving() as client:
        await client.start()
        await trained(client)
        state = (await client.result(await client.ordered("save_weights", path="a", user_metadata={"k": "v"})))["path"]
        await client.result(await client.ordered("save_weights_for_sampler", path="b"))
        listed = (await client.get(f"training_runs/{client.model_id}/checkpoints")).json()["checkpoints"]
        assert {row["checkpoint_id"] for row in listed} == {"weights/a", "sampler_weights/b"}
        everything = (await client.get("checkpoints?limit=1&offset=1")).json()
        assert everything["cursor"] == {"offset": 1, "limit": 1, "total_count": 2}
        about = (await client.post("weights_info", {"tinker_path": state})).json()
        assert (about["base_model"], about["is_lora"], about["lora_rank"], about["step"]) == ("fake/base", True, 4, 1)
        run = (await client.get(f"training_runs/{client.model_id}")).json()
        assert run["last_checkpoint"]["user_metadata"] == {"k": "v"}
        assert (await client.get("training_runs")).json()["cursor"]["total_count"] == 1
        url = f"/api/v1/training_runs/{client.model_id}/checkpoints/weights/a"
        assert (await client.http.put(f"{url}/ttl", json={"ttl_seconds": 1000})).status_code == 200
        assert (await client.get("checkpoints")).json()["checkpoints"][-1]["expires_at"] is not None
        assert (await client.http.delete(url)).status_code == 204
        assert (await client.http.delete(url)).status_code == 404
        assert (await client.post("weights_info", {"tinker_path": state})).status_code == 404


@asynchronous
async def test_with_a_key_nothing_but_health_is_answered_without_it() -> None:
    async with serving(key="tml-secret-key") as client:
        assert (await client.get("healthz")).status_code == 200
        assert (await client.post("client/config")).status_code == 401
        assert (await client.post("client/config", headers={"X-API-Key": "tml-secret-kez"})).status_code == 401
        assert (await client.post("client/config", headers={"X-API-Key": "tml-secret-key"})).status_code == 200


@asynchronous
async def test_without_a_key_web_pages_and_other_host_names_are_refused() -> None:
    async with serving() as client:
        assert (await client.post("client/config", headers={"Host": "evil.example"})).status_code == 403
        assert (await client.post("client/config", headers={"Origin": "https://evil.example"})).status_code == 403
        assert (await client.post("client/config", headers={"Origin": "http://localhost:3000"})).status_code == 200
        assert (await client.post("client/config", headers={"Host": "127.0.0.1:8700"})).status_code == 200


@asynchronous
async def test_configuration_and_capabilities_say_what_clients_need() -> None:
    async with serving(options=Options(client_flags={"fwdbwd_max_chunk_len": 1})) as client:
        config = (await client.post("client/config", {"sdk_version": "0.38.0"})).json()
        assert config == {
            "parallel_fwdbwd_chunks": True,
            "proto_compress_fwdbwd": False,
            "create_model_via_load_weights": True,
            "fwdbwd_max_chunk_len": 1,
        }
        assert (await client.post("client/dynamic_config")).json() == {}
        can = (await client.get("get_server_capabilities")).json()
        assert can["supported_models"][0]["model_name"] == "fake/base"
        assert can["extensions"] == ["kl"]
        assert can["reduction"] == "sum"
        assert (await client.post("telemetry", {"events": []})).json() == {"status": "accepted"}


@asynchronous
async def test_a_server_that_shuts_down_takes_nothing_new_and_still_answers_polls() -> None:
    async with serving() as client:
        await client.start()
        submitted = await client.backward()
        client.service.draining = True
        assert (await client.backward()).status_code == 503
        assert (await client.backward(seq_id=1)).json() == submitted.json()
        assert "metrics" in await client.result(submitted)
