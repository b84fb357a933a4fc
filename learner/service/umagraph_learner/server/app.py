"""The service as one ASGI application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp

from umagraph_learner.contract import Engine
from umagraph_learner.server.auth import Gate
from umagraph_learner.server.checkpoints import Checkpoints
from umagraph_learner.server.future_routes import add_future_routes
from umagraph_learner.server.management_routes import add_management_routes
from umagraph_learner.server.sampling_routes import add_sampling_routes
from umagraph_learner.server.service import Options, Service
from umagraph_learner.server.session_routes import add_session_routes
from umagraph_learner.server.training_routes import add_training_routes

log = logging.getLogger("umagraph_learner")
#: How often time is looked at, in seconds; expired checkpoints less often.
SWEEP_S = 1.0
DISK_SWEEP_S = 60.0


def make_app(
    engine: Engine, checkpoints: Checkpoints, options: Options, key: str | None = None
) -> tuple[ASGIApp, Service]:
    """The application and its state. ``key`` None: anyone on this machine may use it."""
    service = Service(engine, checkpoints, options)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(_sweep(service))
        # A first forward pass: it names the base weights, and a broken set-up fails here instead of at a client.
        await service.worker.submit(service.probe.base_scores)
        yield
        sweeping.cancel()
        service.close()

    app = FastAPI(title="umagraph learner", openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan)
    for add in (
        add_session_routes,
        add_training_routes,
        add_sampling_routes,
        add_future_routes,
        add_management_routes,
    ):
        add(app, service)
    return Gate(app, key), service


async def _sweep(service: Service) -> None:
    since_disk = 0.0
    while True:
        await asyncio.sleep(SWEEP_S)
        try:
            service.sweep()
            since_disk += SWEEP_S
            if since_disk >= DISK_SWEEP_S:
                since_disk = 0.0
                await asyncio.to_thread(service.checkpoints.remove_expired)
        except Exception:
            log.exception("sweeping failed; it will be tried again")
