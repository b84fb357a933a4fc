/**
 * Client of a Tinker-compatible training service: a session, models in training, samplers.
 *
 * Memory is bounded by budgets in bytes: a caller that hands over more than the server takes waits.
 */
import { setMaxListeners } from "node:events";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import type { EngineProfile } from "../engines/engine-profile.ts";
import { type ProfileName, profileFrom } from "../engines/engine-profiles.ts";
import { askJson } from "./ask-json.ts";
import { createByteBudget } from "./byte-budget.ts";
import { type Checkpoint, listCheckpoints } from "./checkpoints.ts";
import { type CreateModel, requestModel, requestModelFrom, savedWith } from "./create-model.ts";
import { type Limits, limitsFrom } from "./limits.ts";
import { createLink, type Link } from "./link.ts";
import { modelInfo } from "./model-info.ts";
import { openSampler, type SamplerWeights } from "./open-sampler.ts";
import { createSampler, type Sampler, type SamplerWiring } from "./sampler.ts";
import { limitsUnder, serverFlags } from "./server-flags.ts";
import { openSession } from "./session.ts";
import { createTrainedModel, type ModelWiring, type Stoppable, type TrainedModel } from "./trained-model.ts";
import { createWireChoice } from "./wire-choice.ts";

export interface LearnerClientOptions {
  readonly baseURL: string;
  /** Default `tml-dummy`, which servers on one's own machine take. */
  readonly apiKey?: string;
  /** Which engine it is; default `embedded`. */
  readonly profile?: ProfileName | EngineProfile;
  /** Default: as the profile says. */
  readonly wire?: "auto" | "proto" | "json";
  readonly limits?: Partial<Limits>;
  readonly tags?: readonly string[];
  /** Closes the client. */
  readonly signal?: AbortSignal;
  /** Default: a Node warning. */
  readonly onWarning?: (message: string) => void;
}

export interface LearnerClient {
  readonly profile: EngineProfile;
  readonly sessionId: string;
  capabilities(): Promise<Capabilities>;
  createModel(wanted: CreateModel): Promise<TrainedModel>;
  /** A new model from a checkpoint; without `optimizer` (default true) Adam begins anew. */
  createModelFrom(path: string, options?: Stoppable & { readonly optimizer?: boolean }): Promise<TrainedModel>;
  /** Of a base model, such as the reference, or of a published path. */
  createSampler(weights: SamplerWeights, options?: Stoppable): Promise<Sampler>;
  checkpoints(): Promise<Checkpoint[]>;
  /** Stops the heartbeats, tells the server, and ends what is still waited for. */
  close(): Promise<void>;
}

const Capabilities = z.looseObject({
  supported_models: z.array(
    z.looseObject({ model_name: z.string().nullish(), max_context_length: z.number().nullish() }),
  ),
});
/** What the server says it can do; beside the models, whatever it adds. */
export type Capabilities = z.infer<typeof Capabilities>;

/** The versions of the protocol we speak, as its own client numbers them. */
const versions = { json: "0.24.1", proto: "0.25.0", auto: "0.25.0" } as const;

/** Throws `config` for options that are wrong, `provider` when the server cannot be reached. */
export async function createLearnerClient(options: LearnerClientOptions): Promise<LearnerClient> {
  const profile = profileFrom(options.profile ?? "embedded");
  const wireName = options.wire ?? profile.wire;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // every call under way listens
  const stop = () => closing.abort(options.signal?.reason);
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  const given = limitsFrom(options.limits);
  const link: Link = createLink({
    baseURL: options.baseURL,
    apiKey: options.apiKey ?? "tml-dummy",
    limits: given,
    signal: closing.signal,
    warn: options.onWarning ?? ((message) => process.emitWarning(message)),
  });

  const flags = await serverFlags(link, versions[wireName]);
  const limits = limitsUnder(flags, given);
  const session = await openSession(link, { sdkVersion: versions[wireName], tags: options.tags ?? [] });
  const wire = createWireChoice(wireName);
  const inflight = createByteBudget(limits.inflightBytes);
  const samplers: SamplerWiring = {
    link,
    protoResults: wire.protoResults,
    inflight,
    dispatch: createByteBudget(limits.sampleDispatchBytes),
    slots: createByteBudget(limits.samples),
  };
  let models = 0;
  let samplingSessions = 0;
  const samplerOf = (weights: SamplerWeights, step: number | null, signal: AbortSignal | undefined) =>
    openSampler(samplers, weights, { sessionId: session.id, seqId: samplingSessions++, step, signal });
  const wiring: ModelWiring = {
    link,
    profile,
    limits,
    wire,
    inflight,
    dispatch: createByteBudget(limits.dispatchBytes),
    parallelChunks: profile.parallelChunks && flags.parallel_fwdbwd_chunks !== false,
    idempotent: profile.idempotent,
    openSampler: (sessionId, step) => createSampler(samplers, { sessionId, weightVersion: sessionId, step }),
    samplerOf,
    nextSamplingSession: () => samplingSessions++,
  };
  const place = () => ({ sessionId: session.id, seqId: models++ });
  const described = async (modelId: string) => createTrainedModel(wiring, await modelInfo(link, modelId));

  return {
    profile,
    sessionId: session.id,
    capabilities: () => askJson(link, "get_server_capabilities", Capabilities),
    createModel: async (wanted) => described(await requestModel(link, profile, place(), wanted)),
    async createModelFrom(path, { optimizer = true, signal } = {}) {
      if (flags.create_model_via_load_weights) {
        return described(await requestModelFrom(link, place(), path, { optimizer, signal }));
      }
      const like = await savedWith(link, path, signal);
      const model = await described(await requestModel(link, profile, place(), like));
      await model.loadState(path, { optimizer, ...(signal && { signal }) });
      return model;
    },
    createSampler: (weights, { signal } = {}) => samplerOf(weights, null, signal),
    checkpoints: () => listCheckpoints(link, null),
    async close() {
      if (closing.signal.aborted) return;
      await session.finish();
      closing.abort(new UmaError("cancelled", "the learner client was closed"));
      options.signal?.removeEventListener("abort", stop);
    },
  };
}
