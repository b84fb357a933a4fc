"""The process: ``python -m umagraph_learner --model DIR``. One line on standard error and an exit code say what is wrong.

Exit codes: 0 ended on request, 2 wrong arguments, 3 port in use, 4 the model cannot be loaded, 5 the device is not
there, 6 the checkpoint folder cannot be used, or another service uses it.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import errno
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import uvicorn
from starlette.types import ASGIApp

from umagraph_learner.contract import Engine, UserError
from umagraph_learner.server.auth import is_loopback
from umagraph_learner.server.checkpoints import Checkpoints
from umagraph_learner.server.folder_lock import FolderInUse
from umagraph_learner.server.limits import Limits
from umagraph_learner.server.service import Options, Service

log = logging.getLogger("umagraph_learner")

BAD_ARGUMENTS, PORT_IN_USE, NO_MODEL, NO_DEVICE, NO_CHECKPOINTS = 2, 3, 4, 5, 6


class _Exit(Exception):
    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="umagraph_learner", description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="folder in Hugging Face layout, or a hub id")
    parser.add_argument("--name", help="what clients call the base model (default: the hub id, or the folder's name)")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), help="default: float32 on cpu, bfloat16 on cuda")
    parser.add_argument("--no-liger", action="store_true", help="no Liger kernels on cuda, even where installed")
    parser.add_argument("--context", type=int, metavar="N", help="longest sequence taken (default: the model's own)")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--full", action="store_true", help="train all parameters, whatever rank a client asks for")
    kind.add_argument("--lora-rank", type=int, metavar="R", help="rank for clients that ask for none (default: all)")
    parser.add_argument("--host", default="127.0.0.1", help="other than loopback needs --api-key-file")
    parser.add_argument("--port", type=int, default=8700, help="0 takes a free one")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"), metavar="DIR")
    parser.add_argument("--api-key-file", type=Path, metavar="FILE", help="clients must send its content as X-API-Key")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads of torch")
    parser.add_argument("--ready-file", type=Path, metavar="FILE", help="gets {url, pid} once the server answers")
    parser.add_argument("--parent", type=int, metavar="PID", help="end when this process, the starter, is gone")
    parser.add_argument("--drain-seconds", type=float, default=60.0, metavar="S", help="for accepted work on SIGTERM")
    parser.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    names = ", ".join(field.name for field in dataclasses.fields(Limits))
    parser.add_argument("--limit", action="append", default=[], metavar="NAME=VALUE", help=f"one of {names}")
    parser.add_argument(
        "--client-flag", action="append", default=[], metavar="NAME=JSON", help="answered by client/config"
    )
    return parser.parse_args(argv)


def limits_from(pairs: Sequence[str]) -> Limits:
    values: dict[str, float | int] = {}
    kinds = {field.name: type(field.default) for field in dataclasses.fields(Limits)}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in kinds:
            raise _Exit(BAD_ARGUMENTS, f"--limit {name!r} is unknown; known are {', '.join(kinds)}")
        try:
            values[name] = kinds[name](value)
        except ValueError:
            raise _Exit(BAD_ARGUMENTS, f"--limit {name} must be a number, not {value!r}") from None
        if values[name] < 0:
            raise _Exit(BAD_ARGUMENTS, f"--limit {name} must not be negative")
    return Limits(**values)  # type: ignore[arg-type]


def client_flags_from(pairs: Sequence[str]) -> dict[str, object]:
    flags: dict[str, object] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            flags[name] = json.loads(value)
        except ValueError:
            raise _Exit(BAD_ARGUMENTS, f"--client-flag {name} must be a JSON value, not {value!r}") from None
    return flags


def api_key(path: Path | None, host: str) -> str | None:
    if path is None:
        if not is_loopback(host):
            raise _Exit(
                BAD_ARGUMENTS, f"--host {host} can be reached from other machines: give a key with --api-key-file"
            )
        return None
    try:
        key = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _Exit(BAD_ARGUMENTS, f"the key file cannot be read: {error}") from None
    if len(key) < 8 or not key.isascii() or not key.isprintable():
        raise _Exit(BAD_ARGUMENTS, f"the key in {path} must be at least 8 printable ASCII characters")
    if not key.startswith("tml-"):
        log.warning("the official clients only send keys that begin with tml-; this one does not")
    return key


def listening_socket(host: str, port: int) -> socket.socket:
    """Bound before the model is loaded, so that a taken port is told at once."""
    if not 0 <= port < 65536:
        raise _Exit(BAD_ARGUMENTS, f"--port must be from 0 to 65535, not {port}")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise _Exit(BAD_ARGUMENTS, f"--host {host} is no address of this machine: {error}") from None
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(address)
        sock.listen(2048)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise _Exit(PORT_IN_USE, f"port {port} on {host} is in use: choose another with --port, or 0") from None
        raise _Exit(BAD_ARGUMENTS, f"cannot listen on {host} port {port}: {error.strerror}") from None
    return sock


def load_engine(args: argparse.Namespace) -> Engine:
    # Imported here: torch takes seconds, and wrong arguments should be told at once.
    import torch

    from umagraph_learner.engine.torch_engine import open_engine

    device = args.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise _Exit(
            NO_DEVICE,
            "--device cuda: torch sees no CUDA device (no GPU, no driver, or a CPU-only torch); use --device cpu",
        )
    try:
        return open_engine(
            args.model,
            device=device,
            dtype=args.dtype,
            threads=args.threads,
            name=args.name,
            max_context_length=args.context,
            liger=not args.no_liger,
        )
    except UserError as error:
        raise _Exit(NO_MODEL, str(error)) from None
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise _Exit(NO_MODEL, f"the model {args.model} cannot be loaded: {type(error).__name__}: {error}") from None


def local_folder(model: str) -> Path:
    """Where the files of a model lie that has been loaded."""
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(model, local_files_only=True))


def build(
    args: argparse.Namespace, limits: Limits, flags: dict[str, object], checkpoints: Checkpoints, key: str | None
) -> tuple[ASGIApp, Service]:
    engine = load_engine(args)
    from umagraph_learner.server.app import make_app

    options = Options(
        limits=limits,
        full=args.full,
        lora_rank=args.lora_rank,
        client_flags=flags,
        model_folder=local_folder(args.model),
    )
    return make_app(engine, checkpoints, options, key)


class DrainingServer(uvicorn.Server):
    """The first SIGTERM or SIGINT lets accepted work finish and its results be fetched; a second one ends at once."""

    def __init__(self, config: uvicorn.Config, service: Service, drain_seconds: float) -> None:
        super().__init__(config)
        self._service = service
        self._drain_seconds = drain_seconds
        self._draining: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._service.draining or self._loop is None:
            super().handle_exit(sig, frame)
            return
        self._service.draining = True
        self._loop.call_soon_threadsafe(self._begin_drain)

    def _begin_drain(self) -> None:
        self._draining = asyncio.ensure_future(self._drain())

    async def _drain(self) -> None:
        """Held-back requests will get no predecessors any more, so only what the engine has counts."""
        log.info("shutting down: finishing accepted work")
        loop = asyncio.get_running_loop()
        end = loop.time() + self._drain_seconds
        while self._service.worker.outstanding and loop.time() < end:
            await asyncio.sleep(0.05)
        # Their clients poll; give them the time of a poll or two to fetch what is done.
        end = min(end, loop.time() + 5.0)
        while self._service.promises.unread(within_s=10.0) and loop.time() < end:
            await asyncio.sleep(0.05)
        self._service.promises.wake_all()
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)


def write_ready(path: Path, url: str) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps({"url": url, "pid": os.getpid()}) + "\n", "utf-8")
    fresh.replace(path)


async def end_with_parent(parent: int, server: uvicorn.Server) -> None:
    """Nobody fetches results any more: they are dropped, so that the checkpoint folder is free soon."""
    while os.getppid() == parent:
        await asyncio.sleep(0.25)
    log.info("shutting down: process %d, which started this one, is gone", parent)
    server.should_exit = True


def run(app: ASGIApp, service: Service, sock: socket.socket, args: argparse.Namespace) -> None:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=5,
        timeout_keep_alive=75,
        h11_max_incomplete_event_size=64 * 1024,
        server_header=False,
    )
    server = DrainingServer(config, service, args.drain_seconds)
    name = f"[{args.host}]" if ":" in args.host else args.host
    url = f"http://{name}:{sock.getsockname()[1]}"

    async def serve() -> None:
        serving = asyncio.ensure_future(server.serve(sockets=[sock]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if server.started:
            log.info("serving %s at %s (pid %d)", service.engine.base.name, url, os.getpid())
            if args.ready_file is not None:
                write_ready(args.ready_file, url)
        watching = None if args.parent is None else asyncio.ensure_future(end_with_parent(args.parent, server))
        try:
            await serving
        finally:
            if watching is not None:
                watching.cancel()

    try:
        asyncio.run(serve())
    finally:
        if args.ready_file is not None:
            args.ready_file.unlink(missing_ok=True)


def main(argv: Sequence[str] | None = None) -> NoReturn:
    args = arguments(argv)
    logging.basicConfig(level=args.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        limits, flags = limits_from(args.limit), client_flags_from(args.client_flag)
        if args.threads < 1 or (args.lora_rank is not None and args.lora_rank < 1):
            raise _Exit(BAD_ARGUMENTS, "--threads and --lora-rank must be at least 1")
        key = api_key(args.api_key_file, args.host)
        sock = listening_socket(args.host, args.port)
        try:
            checkpoints = Checkpoints(args.checkpoints)
        except OSError as error:
            raise _Exit(NO_CHECKPOINTS, f"the checkpoint folder cannot be used: {error}") from None
        except FolderInUse as error:
            raise _Exit(NO_CHECKPOINTS, str(error)) from None
        try:
            app, service = build(args, limits, flags, checkpoints, key)
        except BaseException:
            checkpoints.close()
            raise
        # Not closed after this: a save that outlasts the draining keeps the folder until the process ends.
        run(app, service, sock, args)
    except _Exit as problem:
        print(f"umagraph_learner: {problem}", file=sys.stderr)
        sys.exit(problem.code)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    sys.exit(0)
