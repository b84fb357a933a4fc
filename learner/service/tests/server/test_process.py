"""The process: starting, refusing to start, large bodies, full disks, being killed, being asked to end."""

from __future__ import annotations

import json
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import torch
from in_process import datum
from service_process import ServiceProcess, command, environment, run_to_end, started

from umagraph_learner.main import main
from umagraph_learner.server.folder_lock import LOCK

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads memory and sets limits as Linux does")
CONTENT = {"data": [datum()], "loss_fn": "cross_entropy"}


class Conversation:
    """A session with one model over a real connection."""

    def __init__(self, url: str, rank: int = 4, key: str = "") -> None:
        self.http = httpx.Client(base_url=f"{url}/api/v1/", timeout=60, headers={"X-API-Key": key})
        self.session = self.post("create_session", {})["session_id"]
        body = {
            "session_id": self.session,
            "model_seq_id": 0,
            "base_model": "tiny/qwen3",
            "lora_config": {"rank": rank},
        }
        self.model = self.result("create_model", body)["model_id"]
        self.seq = 0

    def post(self, route: str, body: Any) -> dict[str, Any]:
        answer = self.http.post(route, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def wait(self, request_id: str) -> dict[str, Any]:
        while True:
            answer = self.post("retrieve_future", {"request_id": request_id})
            if answer.get("type") != "try_again":
                return answer

    def result(self, route: str, body: Any) -> dict[str, Any]:
        return self.wait(self.post(route, body)["request_id"])

    def submit(self, route: str, **body: Any) -> str:
        self.seq += 1
        return self.post(route, {"model_id": self.model, "seq_id": self.seq, **body})["request_id"]

    def ordered(self, route: str, **body: Any) -> dict[str, Any]:
        return self.wait(self.submit(route, **body))

    def step(self) -> None:
        self.ordered("forward_backward", forward_backward_input=CONTENT)
        self.ordered("optim_step", adam_params={"learning_rate": 0.01})

    def scores(self) -> list[float]:
        output = self.ordered("forward", forward_input=CONTENT)
        return output["loss_fn_outputs"][0]["logprobs"]["data"]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def service(tiny_folder: Path, checkpoints: Path) -> Iterator[ServiceProcess]:
    """One process for all tests of this module; the last one kills it."""
    with started(tiny_folder, "--limit", f"max_body_bytes={32 << 20}", checkpoints=checkpoints) as process:
        yield process


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_of_a_gigabyte_is_refused_without_being_held(service: ServiceProcess, declared: bool) -> None:
    before = service.memory_bytes()
    peak = before
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.02):
            peak = max(peak, service.memory_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    piece = bytes(1 << 20)
    headers = {"content-type": "application/x-protobuf"}
    if declared:
        headers["content-length"] = str(1 << 30)
    try:
        # The server may close the connection before all is sent; a client then sees the answer or the closing.
        status: int | str = httpx.post(
            f"{service.url}/api/v1/forward_backward", content=(piece for _ in range(1024)), headers=headers, timeout=60
        ).status_code
    except httpx.TransportError as error:
        status = type(error).__name__
    finally:
        done.set()
        watcher.join()
    assert status in (413, "WriteError", "ReadError", "RemoteProtocolError")
    assert peak - before < 200 << 20
    assert httpx.get(f"{service.url}/healthz").json() == {"status": "ok"}


def test_a_full_disk_fails_the_save_keeps_what_was_there_and_the_server_lives(service: ServiceProcess) -> None:
    talk = Conversation(service.url, rank=32)
    talk.step()
    kept = talk.ordered("save_weights", path="kept")["path"]
    pid = service.process.pid
    unlimited = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    # The kernel refuses to let any file grow beyond this, as a full disk would.
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (20_000, unlimited[1]))
    try:
        for route, name in (("save_weights", "kept"), ("save_weights", "new"), ("save_weights_for_sampler", "new")):
            failed = talk.ordered(route, path=name, overwrite=True)
            assert failed["category"] == "server", failed
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)
    listed = httpx.get(f"{service.url}/api/v1/training_runs/{talk.model}/checkpoints").json()["checkpoints"]
    assert [row["tinker_path"] for row in listed] == [kept]
    before = talk.scores()
    assert "path" in talk.ordered("load_weights", path=kept, optimizer=True)
    assert talk.scores() == before
    assert "path" in talk.ordered("save_weights", path="new")


def test_a_taken_port_is_told_in_a_sentence(service: ServiceProcess, tiny_folder: Path) -> None:
    port = service.url.rsplit(":", 1)[1]
    ended = run_to_end(tiny_folder, "--port", port)
    assert ended.returncode == 3
    assert ended.stderr.strip().splitlines()[-1].startswith(f"umagraph_learner: port {port} on 127.0.0.1 is in use")


def test_a_checkpoint_folder_in_use_is_told_in_a_sentence_and_left_alone(
    service: ServiceProcess, tiny_folder: Path, checkpoints: Path
) -> None:
    saving = checkpoints / "run" / "weights" / ".one.new-12345678"
    unnamed = checkpoints / "run" / "unnamed" / "0"
    for folder in (saving, unnamed):
        folder.mkdir(parents=True)
    ended = run_to_end(tiny_folder, "--port", "0", "--checkpoints", str(checkpoints))
    assert ended.returncode == 6
    assert ended.stderr.strip().splitlines()[-1] == (
        f"umagraph_learner: the checkpoint folder {checkpoints.resolve()} is used by process {service.process.pid}; "
        "choose another folder with --checkpoints"
    )
    assert saving.is_dir()
    assert unnamed.is_dir()


def test_starts_that_cannot_work_say_why(
    tiny_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    key = tmp_path / "key"
    key.write_text("short")
    blocked = tmp_path / "file"
    blocked.write_text("")
    empty = tmp_path / "empty"
    empty.mkdir()
    cases = [
        (tiny_folder, ["--host", "0.0.0.0"], 2, "give a key"),
        (tiny_folder, ["--api-key-file", str(key)], 2, "at least 8"),
        (tiny_folder, ["--api-key-file", str(tmp_path / "none")], 2, "cannot be read"),
        (tiny_folder, ["--limit", "max_bodies=1"], 2, "unknown"),
        (tiny_folder, ["--client-flag", "x=y"], 2, "JSON value"),
        (tiny_folder, ["--threads", "0"], 2, "at least 1"),
        (tiny_folder, ["--checkpoints", str(blocked)], 6, "checkpoint folder"),
        (tiny_folder, ["--device", "cuda"], 5, "no CUDA device"),
        (empty, [], 4, ""),
    ]
    for model, more, code, words in cases:
        with pytest.raises(SystemExit) as ended:
            main(["--model", str(model), "--port", "0", "--checkpoints", str(tmp_path / "c"), *more])
        told = capsys.readouterr().err.strip().splitlines()[-1]
        assert (ended.value.code, told.startswith("umagraph_learner: "), words in told) == (code, True, True), (
            more,
            told,
        )


def test_the_tokenizer_is_served_with_its_hash(service: ServiceProcess, tiny_folder: Path) -> None:
    can = httpx.get(f"{service.url}/api/v1/get_server_capabilities").json()
    answer = httpx.get(f"{service.url}/api/v1/models/tiny/qwen3/tokenizer")
    assert answer.content == (tiny_folder / "tokenizer.json").read_bytes()
    assert answer.headers["x-content-sha256"] == can["tokenizer"]["sha256"]
    again = httpx.get(answer.url, headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    assert httpx.get(f"{service.url}/api/v1/models/other/tokenizer").status_code == 404
    assert "chat_template" in httpx.get(f"{service.url}/api/v1/models/tiny/qwen3/tokenizer_config").json()


def test_saved_states_survive_kill_9_in_the_middle_of_saves(
    service: ServiceProcess, tiny_folder: Path, checkpoints: Path, tmp_path: Path
) -> None:
    """Then a new process finds them; it has a key, listens on all addresses, and ends when its work is done."""
    talk = Conversation(service.url, rank=32)
    talk.step()
    path = talk.ordered("save_weights", path="state")["path"]
    for _ in range(40):
        talk.submit("save_weights", path="state", overwrite=True)
    time.sleep(0.13)
    service.stop(signal.SIGKILL)

    key = tmp_path / "key"
    key.write_text("tml-a-long-key\n")
    how = ("--host", "0.0.0.0", "--api-key-file", str(key))
    with started(tiny_folder, *how, checkpoints=checkpoints) as process:
        url = process.url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/healthz").status_code == 200
        assert httpx.post(f"{url}/api/v1/client/config", json={}).status_code == 401
        assert [p for p in checkpoints.rglob("*") if p.name.startswith(".") and p.name != LOCK] == []
        talk = Conversation(url, key="tml-a-long-key")
        listed = talk.http.get(f"training_runs/{path.split('/')[2]}/checkpoints").json()["checkpoints"]
        assert [row["tinker_path"] for row in listed] == [path]
        body = {"session_id": talk.session, "model_seq_id": 1, "path": path, "optimizer": True}
        assert talk.result("load_weights", body)["model_id"] == f"{talk.session}:train:1"

        requests = [talk.submit("forward_backward", forward_backward_input=CONTENT) for _ in range(30)]
        process.process.send_signal(signal.SIGTERM)
        assert all("metrics" in talk.wait(request) for request in requests)
        assert process.process.wait(30) == 0
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), 1)


def test_a_service_does_not_outlive_the_process_that_it_was_started_for(tiny_folder: Path, tmp_path: Path) -> None:
    ready, checkpoints = tmp_path / "ready", tmp_path / "checkpoints"
    serve = command(tiny_folder, "--port", "0", "--ready-file", str(ready), "--checkpoints", str(checkpoints))
    start = "import os, subprocess, sys; subprocess.run([*sys.argv[1:], '--parent', str(os.getpid())])"
    starter = subprocess.Popen([sys.executable, "-c", start, *serve], env=environment())
    try:
        end = time.monotonic() + 90
        while not ready.exists():
            assert starter.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        url = json.loads(ready.read_text())["url"]
        time.sleep(0.5)
        assert httpx.get(f"{url}/healthz").status_code == 200
    finally:
        starter.kill()
        starter.wait(30)
    end = time.monotonic() + 30
    while ready.exists():
        assert time.monotonic() < end, "the service goes on without its starter"
        time.sleep(0.05)
