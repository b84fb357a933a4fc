/**
 * A small Tinker server inside the test process: real gradients, real Adam, both dialects, futures with long polls.
 *
 * `behaviour` breaks what it computes, `fault` what happens to a request on its way.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Behaviour, faithful } from "./behaviour.ts";
import { type AdamParams, type BigramModel, type BigramState, baseState, createBigramModel } from "./bigram-model.ts";
import { type ReadCall, readJson, readProto } from "./read-forward-body.ts";
import {
  type ForwardDone,
  runForward,
  runSample,
  runStep,
  type SampleAsk,
  type SampleDone,
  UserMistake,
} from "./trained.ts";
import { forwardJson, forwardProto, sampleJson, sampleProto } from "./write-results.ts";

/** What happens to a request instead of the ordinary. `lost`: it is executed and the answer never comes. */
export type Fault =
  | { readonly status: number; readonly body?: object; readonly headers?: Readonly<Record<string, string>> }
  | "lost"
  | "cut"
  | "hang";

export interface Seen {
  readonly route: string;
  readonly contentType: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: number;
  /** JSON bodies, and forward calls of either dialect as they were read; null for the rest. */
  readonly body: Record<string, unknown> | null;
  /** The how-manieth request to this route, from 1. */
  readonly nth: number;
}

export interface TinkerServer {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Sequence numbers in the order they were executed, and by which kind of call. */
  readonly executed: readonly { readonly seqId: number; readonly kind: string }[];
  /** Most bodies that were being read or executed at once. */
  readonly mostBytes: number;
  fault(decide: (request: Seen) => Fault | null): void;
  /** As after a crash: sessions, models and futures are gone, checkpoints are not. */
  restart(): void;
  close(): Promise<void>;
}

type Value = { readonly forward: ForwardDone } | { readonly sample: SampleDone } | { readonly json: object };

interface Future {
  value: Value | null;
  readonly ready: Promise<void>;
  resolve(value: Value): void;
}

interface Served {
  readonly model: BigramModel;
  readonly rank: number;
  readonly waiting: Map<number, () => Promise<void>>;
  readonly taken: Map<number, { readonly requestId: string; readonly content: string }>;
  next: number;
  running: Promise<void>;
}

class Answer extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

export async function startTinkerServer(given: Partial<Behaviour> = {}): Promise<TinkerServer> {
  const how: Behaviour = { ...faithful, ...given };
  const base = baseState(how.vocabulary);
  const seen: Seen[] = [];
  const executed: { seqId: number; kind: string }[] = [];
  const counts = new Map<string, number>();
  const checkpoints = new Map<string, { readonly state: BigramState; readonly rank: number; readonly kind: string }>();
  let decide: (request: Seen) => Fault | null = () => null;
  let sessions = new Set<string>();
  let models = new Map<string, Served>();
  let futures = new Map<string, Future>();
  let samplers = new Map<string, BigramState>();
  let ids = 0;
  let bytesNow = 0;
  let mostBytes = 0;

  const future = (): [string, Future] => {
    const id = `r-${++ids}`;
    let open = () => {};
    const made: Future = {
      value: null,
      ready: new Promise((resolve) => (open = resolve)),
      resolve(value) {
        made.value = value;
        open();
      },
    };
    futures.set(id, made);
    return [id, made];
  };

  const modelOf = (id: unknown): Served => {
    const served = models.get(String(id));
    if (!served) throw new Answer(404, `unknown model ${id}`);
    return served;
  };

  /** A call in its turn; the same number again is the same call, unless this server does not care. */
  const inTurn = (
    modelId: string,
    seqId: number,
    kind: string,
    content: string,
    work: (served: Served) => Value,
  ): object => {
    const served = modelOf(modelId);
    const before = served.taken.get(seqId);
    if (before && how.idempotent) {
      if (before.content !== content) throw new Answer(422, `seq_id ${seqId} was already used for another call`);
      return { request_id: before.requestId, model_id: modelId };
    }
    const [requestId, promise] = future();
    served.taken.set(seqId, { requestId, content });
    const run = async () => {
      if (how.workMs > 0) await wait(how.workMs);
      executed.push({ seqId, kind });
      promise.resolve(attempt(() => work(served)));
    };
    if (how.ordered && seqId >= served.next) served.waiting.set(seqId, run);
    else served.running = served.running.then(run);
    for (let job = served.waiting.get(served.next); job; job = served.waiting.get(served.next)) {
      served.waiting.delete(served.next++);
      served.running = served.running.then(job);
    }
    return { request_id: requestId, model_id: modelId };
  };

  const make = (
    body: Record<string, unknown>,
    from: { readonly state: BigramState; readonly rank: number },
    optimizer: boolean,
  ) => {
    if (!sessions.has(String(body.session_id))) throw new Answer(404, "unknown session");
    const id = `${body.session_id}:train:${body.model_seq_id}`;
    const [requestId, promise] = future();
    if (!models.has(id)) {
      const model = createBigramModel(how.vocabulary, base);
      model.load(from.state, optimizer);
      models.set(id, {
        model,
        rank: from.rank,
        waiting: new Map(),
        taken: new Map(),
        next: 1,
        running: Promise.resolve(),
      });
    }
    promise.resolve({ json: { model_id: id, type: "create_model" } });
    return { request_id: requestId, model_id: id };
  };

  /** A refusal of what was read uses up the call's number. */
  const useUp = (body: Record<string, unknown> | null) => {
    const served = models.get(String(body?.modelId ?? body?.model_id));
    const seqId = Number(body?.seqId ?? body?.seq_id);
    if (!served || Number.isNaN(seqId)) return;
    served.waiting.set(seqId, async () => {});
    if (served.next === seqId) served.waiting.delete(served.next++);
  };

  const forward = (call: ReadCall) =>
    inTurn(
      call.modelId,
      call.seqId,
      call.forwardOnly ? "forward" : "forward_backward",
      JSON.stringify(call),
      ({ model }) => ({
        forward: runForward(model, call, how),
      }),
    );

  const stored = (path: unknown) => {
    const checkpoint = checkpoints.get(String(path));
    if (!checkpoint) throw new UserMistake(`there is no checkpoint ${path}`);
    return checkpoint;
  };

  const routes: Record<string, (body: Record<string, unknown>) => object | Promise<object>> = {
    "client/config": () => how.flags,
    create_session: () => {
      const id = `s-${++ids}`;
      sessions.add(id);
      return { session_id: id, type: "create_session" };
    },
    session_heartbeat: ({ session_id }) => {
      if (!sessions.has(String(session_id))) throw new Answer(410, "the session is over");
      return {};
    },
    get_server_capabilities: () => ({ supported_models: [{ model_name: "bigram", max_context_length: 4096 }] }),
    create_model: (body) => {
      const lora = body.lora_config as { readonly rank: number } | undefined;
      if (!lora?.rank && !how.fullFineTuning) throw new Answer(422, "LoRA only");
      return make(body, { state: base, rank: lora?.rank ?? 0 }, true);
    },
    get_info: ({ model_id }) => {
      const { rank } = modelOf(model_id);
      return {
        model_id,
        is_lora: rank > 0,
        lora_rank: rank,
        model_data: { arch: "bigram", model_name: "bigram", tokenizer_id: "bigram" },
      };
    },
    optim_step: (body) =>
      inTurn(String(body.model_id), Number(body.seq_id), "optim_step", JSON.stringify(body), ({ model }) => ({
        json: { metrics: runStep(model, body.adam_params as AdamParams, how), type: "optim_step" },
      })),
    save_weights: (body) =>
      inTurn(String(body.model_id), Number(body.seq_id), "save_weights", JSON.stringify(body), ({ model, rank }) => {
        const path = `tinker://${body.model_id}/weights/${body.path}`;
        checkpoints.set(path, { state: model.state(), rank, kind: "training" });
        return { json: { path, type: "save_weights" } };
      }),
    load_weights: (body) => {
      if (body.model_id === undefined) {
        const path = body.path;
        if (!checkpoints.has(String(path))) throw new Answer(404, `there is no checkpoint ${path}`);
        return make(body, stored(path), body.optimizer === true);
      }
      return inTurn(String(body.model_id), Number(body.seq_id), "load_weights", JSON.stringify(body), ({ model }) => {
        model.load(stored(body.path).state, body.optimizer === true);
        return { json: { type: "load_weights" } };
      });
    },
    save_weights_for_sampler: (body) =>
      inTurn(
        String(body.model_id),
        Number(body.seq_id),
        "save_weights_for_sampler",
        JSON.stringify(body),
        ({ model, rank }) => {
          const state = how.publishes ? model.state() : base;
          if (typeof body.path === "string") {
            const path = `tinker://${body.model_id}/sampler_weights/${body.path}`;
            checkpoints.set(path, { state, rank, kind: "sampler" });
            return { json: { path, type: "save_weights_for_sampler" } };
          }
          const id = `ss-${++ids}`;
          samplers.set(id, state);
          return { json: { sampling_session_id: id, type: "save_weights_for_sampler" } };
        },
      ),
    create_sampling_session: (body) => {
      const id = `ss-${++ids}`;
      samplers.set(id, body.base_model === undefined ? stored(body.model_path).state : base);
      return { sampling_session_id: id, type: "create_sampling_session" };
    },
    asample: (body) => {
      const state = samplers.get(String(body.sampling_session_id));
      if (!state) throw new Answer(404, "unknown sampling session");
      const [requestId, promise] = future();
      const ask = sampleAsk(body);
      void wait(how.workMs).then(() => promise.resolve(attempt(() => ({ sample: runSample(state, ask, how) }))));
      return {
        request_id: requestId,
        sample_sequence_ids: Array.from({ length: ask.numSamples }, (_, i) => `${requestId}-${i}`),
      };
    },
    unload_model: ({ model_id }) => {
      models.delete(String(model_id));
      const [requestId, promise] = future();
      promise.resolve({ json: { type: "unload_model" } });
      return { request_id: requestId };
    },
    weights_info: ({ tinker_path }) => {
      const { rank } = stored(tinker_path);
      return { base_model: "bigram", is_lora: rank > 0, lora_rank: rank };
    },
    checkpoints: () => ({ checkpoints: [...checkpoints].map(listed) }),
  };

  const listed = ([path, { kind }]: [string, { readonly kind: string }]) => ({
    checkpoint_id: path.split("/").slice(-2).join("/"),
    checkpoint_type: kind,
    time: "2026-01-01T00:00:00Z",
    tinker_path: path,
  });

  const answer = async (request: Seen, raw: Buffer): Promise<object> => {
    const { route, contentType } = request;
    if (route === "forward_backward" || route === "forward") return forward(request.body as unknown as ReadCall);
    const run = contentType.startsWith("application/json") || raw.length === 0 ? routes[route] : undefined;
    if (run) return run(request.body ?? {});
    const finish = /^sessions\/([^/]+)\/finish$/.exec(route);
    if (finish) return sessions.delete(decodeURIComponent(finish[1]!)) ? {} : {};
    const run_ = /^training_runs\/([^/]+)\/checkpoints$/.exec(route);
    if (run_)
      return {
        checkpoints: [...checkpoints]
          .filter(([path]) => path.startsWith(`tinker://${decodeURIComponent(run_[1]!)}/`))
          .map(listed),
      };
    throw new Answer(404, `no route ${route}`);
  };

  const retrieve = async (request: Seen): Promise<{ readonly json: object } | { readonly proto: Uint8Array }> => {
    const promise = futures.get(String(request.body?.request_id));
    if (!promise) throw new Answer(410, "the result is no longer kept");
    await Promise.race([promise.ready, wait(how.pollMs)]);
    if (promise.value === null)
      return { json: { type: "try_again", request_id: request.body?.request_id, queue_state: "active" } };
    const { value } = promise;
    if ("json" in value) return { json: value.json };
    const proto = "forward" in value ? forwardProto(value.forward) : sampleProto(value.sample);
    if (request.body?.allow_metadata_only === true && proto.length > how.announceAbove)
      return { json: { status: "complete_metadata", response_payload_size: proto.length } };
    if (how.dialects.includes("proto") && String(request.headers.accept).includes("application/x-protobuf"))
      return { proto };
    return { json: "forward" in value ? forwardJson(value.forward) : sampleJson(value.sample) };
  };

  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    const route = (message.url ?? "").replace(/^\/api\/v1\//, "");
    const pieces: Buffer[] = [];
    for await (const piece of message) pieces.push(piece as Buffer);
    const raw = Buffer.concat(pieces);
    bytesNow += raw.length;
    mostBytes = Math.max(mostBytes, bytesNow);
    const contentType = message.headers["content-type"] ?? "";
    const nth = (counts.get(route) ?? 0) + 1;
    counts.set(route, nth);
    try {
      const body =
        how.apiKey !== null && message.headers["x-api-key"] !== how.apiKey
          ? unauthorised()
          : read(route, contentType, raw, how);
      const request: Seen = { route, contentType, headers: message.headers, bytes: raw.length, body, nth };
      seen.push(request);
      const fault = decide(request);
      if (fault === "cut") return void message.socket.destroy();
      if (fault === "hang") return;
      if (fault !== null && fault !== "lost" && [400, 422].includes(fault.status)) useUp(request.body);
      if (fault !== null && fault !== "lost")
        return void send(response, fault.status, fault.body ?? { detail: "a fault" }, fault.headers);
      const result = route === "retrieve_future" ? await retrieve(request) : { json: await answer(request, raw) };
      if (fault === "lost") return void message.socket.destroy();
      if ("proto" in result) {
        response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end(result.proto);
      } else send(response, 200, result.json);
    } catch (error) {
      const status = error instanceof Answer ? error.status : error instanceof UserMistake ? 422 : 500;
      send(response, status, { detail: String((error as Error).message) });
    } finally {
      bytesNow -= raw.length;
    }
  };

  const server = createServer(
    (message, response) => void handle(message, response).catch(() => message.socket.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    executed,
    get mostBytes() {
      return mostBytes;
    },
    fault(next) {
      decide = next;
    },
    restart() {
      sessions = new Set();
      models = new Map();
      futures = new Map();
      samplers = new Map();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read(route: string, contentType: string, raw: Buffer, how: Behaviour): Record<string, unknown> | null {
  if (raw.length === 0) return null;
  const proto = contentType === "application/x-protobuf";
  if (route === "forward_backward" || route === "forward") {
    if (!how.dialects.includes(proto ? "proto" : "json"))
      throw new Answer(proto ? 422 : 415, "this server does not read that");
    return (proto ? readProto(raw) : readJson(raw.toString(), route)) as unknown as Record<string, unknown>;
  }
  return JSON.parse(raw.toString());
}

function unauthorised(): never {
  throw new Answer(401, "wrong API key");
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

function attempt(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const category = error instanceof UserMistake ? "user" : "server";
    return { json: { error: (error as Error).message, category } };
  }
}

function sampleAsk(body: Record<string, unknown>): SampleAsk {
  const params = body.sampling_params as Record<string, number> & { readonly stop?: number[] };
  const { chunks } = body.prompt as { readonly chunks: readonly { readonly tokens: number[] }[] };
  return {
    prompt: chunks.flatMap(({ tokens }) => tokens),
    maxTokens: params.max_tokens!,
    numSamples: Number(body.num_samples),
    temperature: params.temperature!,
    seed: params.seed ?? 0,
    stop: params.stop ?? [],
    promptLogprobs: body.prompt_logprobs === true,
  };
}
