/** Asking the server for a model: fresh on a base model, or from a checkpoint. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import type { EngineProfile } from "../engines/engine-profile.ts";
import { parseReply } from "../wire/parse-reply.ts";
import { accept } from "./accept.ts";
import { askJson } from "./ask-json.ts";
import type { Link } from "./link.ts";
import { poll } from "./poll.ts";
import { Refused } from "./refusal.ts";

export interface Lora {
  readonly rank: number;
  readonly seed?: number;
  /** Also an adapter on the output layer. Default false: with tied embeddings it breaks merging and serving. */
  readonly unembed?: boolean;
  readonly mlp?: boolean;
  readonly attention?: boolean;
}

/** LoRA of some rank, or all parameters. */
export type CreateModel = { readonly baseModel: string; readonly signal?: AbortSignal } & (
  | { readonly lora: Lora }
  | { readonly full: true }
);

export interface ModelPlace {
  readonly sessionId: string;
  /** The how-manieth model of the session: the same again is the same model. */
  readonly seqId: number;
}

const Made = z.looseObject({ model_id: z.string().nullish() });

/** Gives the model's id. */
export async function requestModel(
  link: Link,
  profile: EngineProfile,
  { sessionId, seqId }: ModelPlace,
  wanted: CreateModel,
): Promise<string> {
  const body = {
    session_id: sessionId,
    model_seq_id: seqId,
    base_model: wanted.baseModel,
    ...("lora" in wanted ? { lora_config: loraConfig(wanted.lora) } : fullConfig(profile)),
    type: "create_model",
  };
  const newer = { ...body, optimizer_config: { type: "adamw" } };
  return makeModel(link, "create_model", newer, wanted.signal).catch((thrown: unknown) => {
    // servers from before the optimiser could be chosen know no other, and some refuse the member
    if (!(thrown instanceof Refused) || !thrown.message.includes("optimizer_config")) throw thrown;
    return makeModel(link, "create_model", body, wanted.signal);
  });
}

/** The way of servers that make a model and load it in one call. */
export async function requestModelFrom(
  link: Link,
  { sessionId, seqId }: ModelPlace,
  path: string,
  { optimizer, signal }: { readonly optimizer: boolean; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  const body = { session_id: sessionId, model_seq_id: seqId, path, optimizer, type: "load_weights" };
  return makeModel(link, "load_weights", body, signal, `${sessionId}:train:${seqId}`);
}

const Weights = z.looseObject({ base_model: z.string(), is_lora: z.boolean(), lora_rank: z.number().nullish() });

/** What a checkpoint was made with, so that a like model can be created to load it into. */
export async function savedWith(link: Link, path: string, signal: AbortSignal | undefined): Promise<CreateModel> {
  const weights = await askJson(link, "weights_info", Weights, { body: { tinker_path: path }, signal });
  if (!weights.is_lora) return { baseModel: weights.base_model, full: true };
  if (!weights.lora_rank) throw new UmaError("provider", `the learner does not say which rank the LoRA at ${path} has`);
  return { baseModel: weights.base_model, lora: { rank: weights.lora_rank } };
}

async function makeModel(
  link: Link,
  route: string,
  body: object,
  signal: AbortSignal | undefined,
  expected: string | null = null,
): Promise<string> {
  // the session and the number name the model, so asking again makes no second one
  const { request_id: requestId } = await accept(link, { route, body: JSON.stringify(body), repeatable: true, signal });
  const result = await poll(link, { requestId, kind: "CreateModel", proto: false, budget: null, signal });
  const { model_id } = parseReply(`the result of ${route}`, () => Made.parse("json" in result ? result.json : null));
  const id = model_id ?? expected;
  if (id === null) throw new UmaError("provider", `the learner at ${link.url} made a model and did not say its id`);
  return id;
}

function loraConfig({ rank, seed, unembed = false, mlp = true, attention = true }: Lora): object {
  if (!Number.isInteger(rank) || rank < 1)
    throw new UmaError("config", `expected a LoRA rank from 1, got ${rank}`, {
      fix: "say full: true to train all parameters",
    });
  return {
    rank,
    ...(seed !== undefined && { seed }),
    train_unembed: unembed,
    train_mlp: mlp,
    train_attn: attention,
  };
}

function fullConfig(profile: EngineProfile): object {
  switch (profile.fullFineTuning) {
    case "rank-0":
      return { lora_config: { rank: 0, train_unembed: true, train_mlp: true, train_attn: true } };
    case "parameterization":
      return { parameterization: { type: "full" } };
    case "always":
      return {};
    case "none":
      throw new UmaError("config", `engine ${profile.name} trains LoRA only`, {
        fix: "give lora: { rank }, or choose an engine that trains all parameters",
      });
  }
}
