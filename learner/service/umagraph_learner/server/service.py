"""The state of the running service and what the routes share: submitting in order, publishing, ending sessions."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from umagraph_learner.contract import Engine, ForwardResult, ModelInfo, SampleResult, UserError
from umagraph_learner.server.checkpoints import CheckpointPath, Checkpoints
from umagraph_learner.server.errors import ApiError, Failure, as_failure
from umagraph_learner.server.futures import Promise, Promises
from umagraph_learner.server.limits import Limits
from umagraph_learner.server.models import Model, Models, now_iso
from umagraph_learner.server.ordered_queue import OrderedQueue
from umagraph_learner.server.probe import PublishProbe
from umagraph_learner.server.samplers import BASE_SAMPLER, OpenSamplers, SamplerWeights, SamplingSession
from umagraph_learner.server.sampling_batcher import SamplingBatcher
from umagraph_learner.server.sessions import Session, Sessions
from umagraph_learner.server.worker import EngineWorker

log = logging.getLogger("umagraph_learner")
T = TypeVar("T")

Outcome = ForwardResult | SampleResult | dict[str, Any]
Job = Callable[[], Outcome]
#: Runs on the event loop when a job has succeeded, before anybody sees the result.
Then = Callable[[Any], None]


@dataclass(frozen=True)
class Options:
    """How this server was set up, beside its limits."""

    limits: Limits = field(default_factory=Limits)
    #: Every model trains all parameters, whatever rank a client names.
    full: bool = False
    #: Rank of models whose client names none; None trains all parameters then.
    lora_rank: int | None = None
    #: Answered by client/config, beside the two flags that all servers of ours answer.
    client_flags: Mapping[str, Any] = field(default_factory=dict)
    #: Folder of the base model, for its tokenizer files.
    model_folder: Path | None = None
    clock: Callable[[], float] = time.monotonic
    wall_clock: Callable[[], float] = time.time


class Service:
    """All methods are called from the event loop unless they say otherwise."""

    def __init__(self, engine: Engine, checkpoints: Checkpoints, options: Options) -> None:
        limits = options.limits
        self.engine = engine
        self.checkpoints = checkpoints
        self.options = options
        self.limits = limits
        self.promises = Promises(limits.result_ttl_s, limits.max_result_bytes, options.clock)
        self.sessions = Sessions(limits.session_ttl_s, options.clock)
        self.models = Models()
        self.sampling_sessions: dict[str, SamplingSession] = {}
        #: By sampling session and seq_id: fingerprint, promise, number of sequences.
        self.sample_requests: dict[tuple[str, int], tuple[bytes, Promise, int]] = {}
        self.sampling_sessions_made: dict[str, bytes] = {}
        self.worker = EngineWorker()
        self.readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="reader")
        self.open_samplers = OpenSamplers(engine, limits.max_open_samplers)
        self.base_weights = SamplerWeights(BASE_SAMPLER, None, None, step=0)
        self.probe = PublishProbe(engine, lambda: self.open_samplers.use(self.base_weights))
        self.batcher = SamplingBatcher(
            engine,
            self.worker,
            self.open_samplers,
            max_sequences=limits.max_batch_sequences,
            gather_s=limits.gather_s,
        )
        self.wall_clock = options.wall_clock
        self.draining = False
        self._running_bytes = 0

    # ---- running jobs ------------------------------------------------------------------------------------------

    async def read(self, work: Callable[[], T], size: int = 1 << 20) -> T:
        """Decoding and checking: large bodies on a reader thread, so that polls go on meanwhile."""
        if size < 1 << 16:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self.readers, work)

    def refuse_when_draining(self) -> None:
        if self.draining:
            raise ApiError(503, "the server is shutting down and takes no new work")

    def start(self, promise: Promise, job: Job, size: int = 0, then: Then | None = None) -> None:
        """Hands a job to the engine's thread and its outcome to the promise."""
        self._running_bytes += size

        def finish(done: asyncio.Future[Any]) -> None:
            self._running_bytes -= size
            if done.cancelled():
                self.promises.resolve(promise, Failure("the server shut down before this ran", "server"))
                return
            error = done.exception()
            if error is None and then is not None:
                then(done.result())
            self.promises.resolve(promise, as_failure(error) if error is not None else done.result())

        self.worker.submit(job).add_done_callback(finish)

    def submit(
        self,
        model: Model,
        seq_id: int | None,
        fingerprint: bytes,
        job: Job,
        size: int = 0,
        then: Then | None = None,
    ) -> Promise:
        """A request on a model, in its turn. Without a sequence number its turn is now."""
        if seq_id is not None:
            known = model.queue.known(seq_id, fingerprint)
            if known is not None:
                return known
        self.refuse_when_draining()
        waiting = self._running_bytes + sum(m.queue.held_bytes for m in self.models.all())
        # The number everybody waits for is always taken, or nothing would ever move again.
        if waiting + size > self.limits.max_queued_bytes and seq_id not in (None, model.queue.next_seq_id):
            raise ApiError(429, "too much is queued already: wait a little and send it again")
        promise = self.promises.create(model.session_id, model.model_id)

        def release() -> None:
            self.start(promise, lambda: self._on_model(model, job), size, then)

        if seq_id is None:
            release()
        else:
            model.queue.admit(seq_id, fingerprint, promise, release, size)
        return promise

    @staticmethod
    def _on_model(model: Model, job: Job) -> Outcome:
        if model.unusable is not None:
            raise UserError(f"model {model.model_id} cannot be used: {model.unusable}")
        return job()

    # ---- models ------------------------------------------------------------------------------------------------

    def create_model(
        self,
        session: Session,
        model_seq_id: int,
        fingerprint: bytes,
        user_metadata: dict[str, Any] | None,
        make: Callable[[str], ModelInfo],
        result: Callable[[str], dict[str, Any]],
    ) -> tuple[Promise, str]:
        """``make`` runs on the engine's thread. The same request again gets the same promise."""
        model_id = f"{session.session_id}:train:{model_seq_id}"
        known = self.models.find(model_id)
        if known is not None:
            if known.fingerprint != fingerprint:
                raise ApiError(422, f"model_seq_id {model_seq_id} was already used for a different model")
            return known.creation, model_id
        self.refuse_when_draining()
        if self.models.usable_count() >= self.limits.max_models:
            raise ApiError(
                422, f"{self.limits.max_models} models are loaded already: finish a session or unload a model first"
            )
        promise = self.promises.create(session.session_id, model_id)
        model = Model(
            model_id=model_id,
            session_id=session.session_id,
            queue=OrderedQueue(clock=self.options.clock),
            creation=promise,
            fingerprint=fingerprint,
            user_metadata=user_metadata,
            last_request=now_iso(),
        )
        self.models.add(model)
        session.model_ids.append(model_id)

        def job() -> dict[str, Any]:
            if model.unusable is not None:
                raise UserError(model.unusable)
            try:
                info = make(model_id)
            except BaseException as error:
                model.unusable = f"it was never made: {as_failure(error).error}"
                raise
            model.info = info
            model.stepped = info.step > 0
            return {**result(model_id), "warnings": list(info.warnings)}

        self.start(promise, job)
        return promise, model_id

    def unload(self, model: Model, reason: str) -> asyncio.Future[None] | None:
        """Frees a model after what was already handed to the engine; what is still held back fails."""
        if model.unusable is not None:
            return None
        for promise in model.queue.drain():
            self.promises.resolve(promise, Failure(f"model {model.model_id} is gone: {reason}", "user"))

        def job() -> None:
            if model.unusable is not None:
                return
            model.unusable = reason
            for folder in model.unnamed:
                self.checkpoints.drop_unnamed(folder)
            self.engine.unload_model(model.model_id)

        def forget(done: asyncio.Future[None]) -> None:
            _log_failure(done)
            model.queue = OrderedQueue(clock=self.options.clock)

        future = self.worker.submit(job)
        future.add_done_callback(forget)
        return future

    # ---- publishing --------------------------------------------------------------------------------------------

    def publish(self, model: Model, folder: Path, engine_id: str, model_path: str | None) -> SamplerWeights:
        """On the engine's thread: writes sampler weights to ``folder``, opens them and scores them against the model."""
        self.engine.save_for_sampler(model.model_id, folder)
        bare = SamplerWeights(engine_id, folder, model_path)
        mark = self.open_samplers.checked(
            bare, lambda sampler: self.probe.check(model.model_id, sampler, stepped=model.stepped)
        )
        return replace(bare, fingerprint=mark, step=self.engine.info(model.model_id).step)

    def publish_unnamed(self, model: Model) -> SamplerWeights:
        """On the engine's thread: without a name, kept for the last few publishes of the model only."""
        folder = self.checkpoints.unnamed_folder(model.model_id)
        try:
            weights = self.publish(model, folder, folder.name, None)
        except BaseException:
            self.checkpoints.drop_unnamed(folder)
            raise
        model.unnamed.append(folder)
        while len(model.unnamed) > self.limits.keep_unnamed:
            old = model.unnamed.pop(0)
            self.open_samplers.close(old.name)
            self.checkpoints.drop_unnamed(old)
        return weights

    def publish_named(
        self, model: Model, path: CheckpointPath, about: Mapping[str, Any], *, overwrite: bool
    ) -> SamplerWeights:
        """On the engine's thread: under a name, where it stays until it is deleted or its time is up."""
        made: list[SamplerWeights] = []
        told = {**about, "save_id": uuid.uuid4().hex}

        def write(folder: Path) -> None:
            made.append(self.publish(model, folder, f"{path}@{told['save_id']}", str(path)))
            told.update(fingerprint=made[0].fingerprint, step=made[0].step)

        folder = self.checkpoints.save(path, write, told, overwrite=overwrite)
        return replace(made[0], folder=folder, still_there=lambda: self._save_id(folder) == told["save_id"])

    def weights_at(self, path: CheckpointPath) -> SamplerWeights:
        """The sampler weights under a name. Raises ``UserError``."""
        if path.kind != "sampler_weights":
            raise UserError(f"{path} is a training state; sampling needs one of save_weights_for_sampler")
        folder = self.checkpoints.existing(path)
        about, save_id = self.checkpoints.about(folder), self._save_id(folder)
        return SamplerWeights(
            f"{path}@{save_id}",
            folder,
            str(path),
            about.get("fingerprint"),
            about.get("step"),
            still_there=lambda: self._save_id(folder) == save_id,
        )

    def _save_id(self, folder: Path) -> str:
        """Differs for every save under a name."""
        return str(self.checkpoints.about(folder).get("save_id") or folder.stat().st_mtime_ns)

    def add_sampling_session(self, session: Session, sampler_id: str, weights: SamplerWeights) -> SamplingSession:
        sampling = SamplingSession(sampler_id, session.session_id, weights)
        self.sampling_sessions[sampler_id] = sampling
        session.sampler_ids.append(sampler_id)
        return sampling

    # ---- ends --------------------------------------------------------------------------------------------------

    def end_session(self, session: Session, reason: str) -> None:
        """Models are freed after the work they were given; unnamed sampler weights go with them."""
        if session.ended is not None:
            return
        session.ended = reason
        for model_id in session.model_ids:
            model = self.models.find(model_id)
            if model is not None:
                self.unload(model, f"its session is over: {reason}")
        self.sample_requests = {
            key: value for key, value in self.sample_requests.items() if key[0] not in set(session.sampler_ids)
        }
        owned = [s for s in self.sampling_sessions.values() if s.session_id == session.session_id]
        for sampling in owned:
            del self.sampling_sessions[sampling.sampler_id]
        closing = [s.weights.engine_id for s in owned if s.weights.folder is not None]
        if closing:
            self.worker.submit(lambda: [self.open_samplers.close(key) for key in closing]).add_done_callback(
                _log_failure
            )

    def sweep(self) -> None:
        """What time alone decides; called every second or so."""
        self.promises.sweep()
        self.sample_requests = {key: value for key, value in self.sample_requests.items() if not value[1].dropped}
        for session in self.sessions.overdue():
            log.warning("session %s was silent for %g s and is over", session.session_id, self.limits.session_ttl_s)
            self.end_session(session, f"nothing was heard from its client for {self.limits.session_ttl_s:g} s")
        for model in self.models.all():
            for promise, sentence in model.queue.expired(self.limits.gap_timeout_s):
                self.promises.resolve(promise, Failure(sentence, "user"))

    def close(self) -> None:
        self.promises.wake_all()
        self.worker.close()
        self.readers.shutdown(wait=False, cancel_futures=True)


def digest(kind: str, content: Mapping[str, Any]) -> bytes:
    """Names a JSON request by the fields that decide what it does."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.blake2b(f"{kind}\n{text}".encode(), digest_size=20).digest()


def _log_failure(done: asyncio.Future[Any]) -> None:
    if not done.cancelled() and done.exception() is not None:
        log.error("freeing memory failed", exc_info=done.exception())
