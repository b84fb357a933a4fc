/** A sampler of weights that lie at the server: a base model, or a path that was published under a name. */
import { z } from "zod";
import { askJson } from "./ask-json.ts";
import { createSampler, type Sampler, type SamplerWiring } from "./sampler.ts";

export type SamplerWeights = { readonly baseModel: string } | { readonly modelPath: string };

export interface OpenSamplerOptions {
  readonly sessionId: string;
  /** The how-manieth of the session: the same again is the same sampler. */
  readonly seqId: number;
  readonly step: number | null;
  readonly signal?: AbortSignal | undefined;
}

const Created = z.looseObject({ sampling_session_id: z.string() });

export async function openSampler(
  wiring: SamplerWiring,
  weights: SamplerWeights,
  { sessionId, seqId, step, signal }: OpenSamplerOptions,
): Promise<Sampler> {
  const named = "baseModel" in weights ? { base_model: weights.baseModel } : { model_path: weights.modelPath };
  const created = await askJson(wiring.link, "create_sampling_session", Created, {
    body: { session_id: sessionId, sampling_session_seq_id: seqId, ...named, type: "create_sampling_session" },
    signal,
  });
  const weightVersion = "baseModel" in weights ? weights.baseModel : weights.modelPath;
  return createSampler(wiring, { sessionId: created.sampling_session_id, weightVersion, step });
}
