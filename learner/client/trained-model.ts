/**
 * One model in training. Calls are executed in the order they are made, and may be made without waiting for each other:
 *
 *     const gradient = model.forwardBackward(datums, "ppo", config);
 *     const step = model.optimStep({ learningRate: 1e-5 });
 *     await Promise.all([gradient, step]);
 *
 * Losses are summed over tokens and datums, so normalisers belong into the datums. A failure that leaves weights or gradient
 * unknown stops all further calls but `loadState`.
 */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import type { EngineProfile } from "../engines/engine-profile.ts";
import type { Datum } from "../wire/datum.ts";
import type { ForwardOutput } from "../wire/forward-output.ts";
import { abortable } from "./abortable.ts";
import { acceptedFrom } from "./accept.ts";
import { type Adam, adamParams, ignoredSettings } from "./adam.ts";
import { type Checkpoint, listCheckpoints } from "./checkpoints.ts";
import { type Fate, type ForwardWiring, gather, sendForward } from "./forward-call.ts";
import type { ModelInfo } from "./model-info.ts";
import { createModelState } from "./model-state.ts";
import type { SamplerWeights } from "./open-sampler.ts";
import { MISSING, type Order, orderedCall } from "./ordered-call.ts";
import { poll } from "./poll.ts";
import type { Sampler } from "./sampler.ts";
import { createSequence } from "./sequence.ts";
import { InDoubt, submit } from "./submit.ts";

export interface Stoppable {
  /** Ends the wait. A call that was sent already is executed all the same. */
  readonly signal?: AbortSignal;
}

export interface TrainedModel {
  readonly modelId: string;
  readonly info: ModelInfo;
  /** Log-probabilities of all targets under the current weights; the gradient is left alone. */
  forward(data: Iterable<Datum>, lossFn?: string, config?: LossConfig, options?: Stoppable): Promise<ForwardOutput>;
  /** Adds the loss's gradient to what the next step will use. Log-probabilities are those before the step. */
  forwardBackward(
    data: Iterable<Datum>,
    lossFn: string,
    config?: LossConfig,
    options?: Stoppable,
  ): Promise<ForwardOutput>;
  /** One AdamW step on the accumulated gradient, which is then cleared. */
  optimStep(adam: Adam, options?: Stoppable): Promise<StepOutput>;
  /** Weights and optimiser under a name; gives the path to load them by. */
  saveState(name: string, options?: SaveOptions): Promise<string>;
  /** Clears what was accumulated. Without `optimizer` (default true) Adam begins anew. */
  loadState(path: string, options?: Stoppable & { readonly optimizer?: boolean }): Promise<void>;
  /** Makes the current weights ready to sample from; a name, which must be a new one, keeps them beyond this session. */
  publish(options?: Stoppable & { readonly name?: string }): Promise<Sampler>;
  checkpoints(): Promise<Checkpoint[]>;
  /** Frees its memory at the server; it cannot be used afterwards. */
  unload(options?: Stoppable): Promise<void>;
}

export type LossConfig = Readonly<Record<string, number>>;

export interface StepOutput {
  /** What the engine reports: norms, and where it says so the settings that took effect. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface SaveOptions extends Stoppable {
  readonly ttlSeconds?: number;
  readonly overwrite?: boolean;
}

export interface ModelWiring extends ForwardWiring {
  readonly profile: EngineProfile;
  /** A sampler of a session at the server. */
  openSampler(sessionId: string, step: number): Sampler;
  samplerOf(weights: SamplerWeights, step: number | null, signal: AbortSignal | undefined): Promise<Sampler>;
  nextSamplingSession(): number;
}

const Step = z.looseObject({ metrics: z.record(z.string(), z.unknown()).nullish() });
const Saved = z.looseObject({ path: z.string() });
const Published = z
  .looseObject({ path: z.string().nullish(), sampling_session_id: z.string().nullish() })
  .refine((value) => value.path || value.sampling_session_id, { error: "expected a path or a sampling session" });

export function createTrainedModel(wiring: ModelWiring, info: ModelInfo): TrainedModel {
  const { link, profile } = wiring;
  const { modelId } = info;
  const sequence = createSequence();
  const state = createModelState(modelId);
  const order: Order = { link, sequence, state, modelId, byNumber: profile.parallelChunks };
  const told = new Set<string>();
  const published = new Set<string>();
  let steps = 0;

  const runForward = (
    data: Iterable<Datum>,
    lossFn: string,
    config: LossConfig,
    forwardOnly: boolean,
    { signal }: Stoppable,
  ) => {
    const entry = state.enter(forwardOnly ? "forward" : "forward_backward", { changes: !forwardOnly });
    const fate: Fate = { sent: 0, done: 0, failed: 0, hole: false };
    const run = async () => {
      const results = await sequence.turn((numbers) => {
        entry.check();
        return sendForward(wiring, numbers, { modelId, lossFn, config, forwardOnly }, data, fate);
      }, signal);
      const output = await gather(results);
      await entry.checkAfter();
      return output;
    };
    const running = run();
    running.catch((thrown: unknown) => {
      if (fate.hole || (thrown instanceof InDoubt && order.byNumber)) state.lose(MISSING, thrown);
    });
    const work = abortable(running, signal, "stopped while the learner worked on it").then(
      (output) => {
        entry.settle(null);
        return output;
      },
      (thrown) => {
        if (!forwardOnly && fate.sent > fate.failed) state.doubt(thrown);
        entry.settle(thrown);
        throw thrown;
      },
    );
    entry.tie(work);
    return work;
  };

  return {
    modelId,
    info,
    forward: (data, lossFn = "cross_entropy", config = {}, options = {}) =>
      runForward(data, lossFn, config, true, options),
    forwardBackward: (data, lossFn, config = {}, options = {}) => runForward(data, lossFn, config, false, options),
    optimStep(adam, { signal } = {}) {
      let params: ReturnType<typeof adamParams>;
      try {
        params = adamParams(adam);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
      for (const name of ignoredSettings(adam, profile.adam)) {
        if (!told.has(name)) link.warn(`engine ${profile.name} ignores ${name} of optim_step`);
        told.add(name);
      }
      steps += 1;
      return orderedCall(order, {
        route: "optim_step",
        body: (seq_id) => ({ adam_params: params, model_id: modelId, seq_id, type: "optim_step" }),
        schema: Step,
        changes: true,
        repeatable: profile.idempotent,
        signal,
        finish: ({ metrics }) => ({ metrics: numbersOf(metrics ?? {}) }),
        fail: () => {
          steps -= 1;
        },
      });
    },
    saveState: (name, { signal, ttlSeconds, overwrite } = {}) =>
      orderedCall(order, {
        route: "save_weights",
        body: (seq_id) => ({
          model_id: modelId,
          path: name,
          seq_id,
          type: "save_weights",
          ...(ttlSeconds !== undefined && { ttl_seconds: ttlSeconds }),
          ...(overwrite !== undefined && { overwrite }),
        }),
        schema: Saved,
        changes: false,
        repeatable: true,
        signal,
        finish: ({ path }) => path,
      }),
    loadState: (path, { signal, optimizer = true } = {}) =>
      orderedCall(order, {
        route: "load_weights",
        body: (seq_id) => ({ model_id: modelId, seq_id, path, optimizer, type: "load_weights" }),
        schema: z.unknown(),
        changes: true,
        repeatable: true,
        rescue: true,
        signal,
        finish: () => state.restored(),
      }),
    publish({ signal, name } = {}) {
      if (name !== undefined && published.has(name))
        return Promise.reject(
          new UmaError("config", `weights were published as ${JSON.stringify(name)} before`, {
            fix: "give every publish a name of its own: samples are told apart by it",
          }),
        );
      if (name !== undefined) published.add(name);
      const step = steps;
      const target = name === undefined ? { sampling_session_seq_id: wiring.nextSamplingSession() } : { path: name };
      return orderedCall(order, {
        route: "save_weights_for_sampler",
        body: (seq_id) => ({
          model_id: modelId,
          seq_id,
          type: "save_weights_for_sampler",
          ...target,
        }),
        schema: Published,
        changes: false,
        repeatable: true,
        signal,
        finish: ({ path, sampling_session_id: sessionId }) =>
          sessionId ? wiring.openSampler(sessionId, step) : wiring.samplerOf({ modelPath: path! }, step, signal),
      });
    },
    checkpoints: () => listCheckpoints(link, modelId),
    async unload({ signal } = {}) {
      state.lose("it was unloaded");
      const reply = await submit(link, {
        route: "unload_model",
        body: JSON.stringify({ model_id: modelId, type: "unload_model" }),
        repeatable: true,
        signal,
      });
      // servers without the route free it with the session
      if (reply.status === 404 || reply.status === 405) return;
      const { request_id: requestId } = acceptedFrom(link, "unload_model", reply);
      await poll(link, { requestId, kind: "UnloadModel", proto: false, budget: null, signal });
    },
  };
}

function numbersOf(metrics: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
