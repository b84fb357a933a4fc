"""Servers that differ from the usual one, all in one process: other flags for clients, faults, a recorder.

    python variants.py --model DIR --name N --ready-file F --checkpoints DIR

The ready file holds ``{"pid": ..., "urls": {variant: url}}``. ``POST /record?to=FILE&sdk=V`` on the recording one
writes what was said since the last time.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import os
import sys
from pathlib import Path
from urllib.parse import parse_qs

import uvicorn
from middleware import Faults, Recorder
from starlette.types import ASGIApp, Receive, Scope, Send

from umagraph_learner.engine.torch_engine import open_engine
from umagraph_learner.main import listening_socket
from umagraph_learner.server.app import make_app
from umagraph_learner.server.checkpoints import Checkpoints
from umagraph_learner.server.service import Options

FLAGS = {
    "chunked": {"fwdbwd_max_chunk_len": 1},
    "compressed": {"fwdbwd_max_chunk_len": 1, "proto_compress_fwdbwd": True},
    "one_by_one": {"fwdbwd_max_chunk_len": 1, "parallel_fwdbwd_chunks": False},
    "faulty": {},
    "recorded": {},
}


class _Writes:
    """Hands the recorder's conversation to a file when asked to."""

    def __init__(self, recorder: Recorder, model: Path, name: str) -> None:
        self._recorder = recorder
        self._model = model
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/record":
            await self._recorder(scope, receive, send)
            return
        query = parse_qs(scope["query_string"].decode())
        digest = hashlib.sha256((self._model / "model.safetensors").read_bytes()).hexdigest()
        head = {"sdk": query["sdk"][0], "model": self._name, "model_sha256": digest, "format": 1}
        lines = "".join(json.dumps(line) + "\n" for line in [head, *self._recorder.exchanges])
        self._recorder.exchanges = []
        # Without a time stamp, so that the same conversation is the same file.
        Path(query["to"][0]).write_bytes(gzip.compress(lines.encode(), mtime=0))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def serve(args: argparse.Namespace) -> None:
    servers, urls = [], {}
    for name, flags in FLAGS.items():
        engine = open_engine(str(args.model), name=args.name)
        options = Options(client_flags=flags, model_folder=args.model)
        app: ASGIApp = make_app(engine, Checkpoints(args.checkpoints / name), options)[0]
        if name == "faulty":
            app = Faults(app)
        if name == "recorded":
            app = _Writes(Recorder(app), args.model, args.name)
        sock = listening_socket("127.0.0.1", 0)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        servers.append((server, asyncio.create_task(server.serve(sockets=[sock]))))
        urls[name] = f"http://127.0.0.1:{sock.getsockname()[1]}"
    while not all(server.started for server, _ in servers):
        await asyncio.sleep(0.01)
    fresh = args.ready_file.with_suffix(".new")
    fresh.write_text(json.dumps({"pid": os.getpid(), "url": urls["chunked"], "urls": urls}))
    fresh.replace(args.ready_file)
    await asyncio.gather(*(task for _, task in servers))


parser = argparse.ArgumentParser()
for option in ("--model", "--ready-file", "--checkpoints"):
    parser.add_argument(option, type=Path, required=True)
parser.add_argument("--name", required=True)
parser.add_argument("--device")
parser.add_argument("--port")
sys.path.insert(0, str(Path(__file__).parent))
asyncio.run(serve(parser.parse_args()))
