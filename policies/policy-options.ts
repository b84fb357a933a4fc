/** The options that each policy takes, as plain JSON: what a spec may hold besides the policy's name. */
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import type { PolicySpec } from "./policy.ts";

export const openaiOptions = z.strictObject({
  model: z.string().min(1).optional(),
  baseURL: z.url({ protocol: /^https?$/, error: "expected a URL such as http://localhost:8000/v1" }).optional(),
  apiKey: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().gt(0).max(1).optional(),
  /** How tools are called: by the server's own tool calling, or as text. */
  format: z.enum(["native", "hermes"]).optional(),
  toolChoice: z.enum(["auto", "required"]).optional(),
  /** For one attempt. */
  timeoutMs: z.int().min(1).optional(),
  maxRetries: z.int().min(0).max(100).optional(),
  /** The longest wait before the first retry. */
  retryBaseMs: z.int().min(0).optional(),
  concurrency: z.int().min(1).optional(),
  streaming: z.boolean().optional(),
  sendSeed: z.boolean().optional(),
  /** Further fields of the request body, e.g. { "chat_template_kwargs": { "enable_thinking": false } }. */
  extra: z.record(z.string(), z.unknown()).optional(),
});
export type OpenAIOptions = z.infer<typeof openaiOptions>;

export const langchainOptions = z.strictObject({
  /** A file, optionally with the export: `./model.ts#haiku`. Without one the default export is taken. */
  module: z.string().min(1),
  export: z.string().min(1).optional(),
  format: z.enum(["native", "hermes"]).optional(),
  toolChoice: z.enum(["auto", "required"]).optional(),
  timeoutMs: z.int().min(1).optional(),
  maxRetries: z.int().min(0).max(100).optional(),
  concurrency: z.int().min(1).optional(),
  streaming: z.boolean().optional(),
});
export type LangchainOptions = z.infer<typeof langchainOptions>;

export const replayOptions = z.strictObject({
  /** The path of a recorded transcript. */
  transcript: z.string().min(1),
});

export const learnerOptions = z.strictObject({
  /** Where the training service listens. */
  baseURL: z.url({ protocol: /^https?$/, error: "expected a URL such as http://127.0.0.1:8700" }).optional(),
  apiKey: z.string().min(1).optional(),
  /** Weights to sample from: a published path (tinker://…) or a base model; the server's base model by default. */
  model: z.string().min(1).optional(),
  /** A model folder with tokenizer and chat template; by default the server is asked for them. */
  tokenizer: z.string().min(1).optional(),
  /** SHA-256 of tokenizer.json, where the server does not tell it. */
  tokenizerHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "expected 64 hex digits")
    .optional(),
  /** 1, the default, is the only one that can be trained on. */
  temperature: z.number().min(0).max(2).optional(),
  /** Further variables of the chat template, e.g. { "enable_thinking": false }. */
  templateVariables: z.record(z.string(), z.unknown()).optional(),
  allowMixedWeights: z.boolean().optional(),
  /** How many replies may be under way at once. */
  concurrency: z.int().min(1).optional(),
});
export type LearnerOptions = z.infer<typeof learnerOptions>;

export const embeddedOptions = z.strictObject({
  /** A Hugging Face folder with a small Qwen3 model; the trained one in assets/embedded-policy by default. */
  model: z.string().min(1).optional(),
  /** 0, the default, takes the most probable token; only what is sampled at 1 can be trained on. */
  temperature: z.number().min(0).max(2).optional(),
  /** How many replies may be under way at once; all of them are computed together. */
  concurrency: z.int().min(1).max(1024).optional(),
  /** Memory for what was computed of prompts, in each thread. */
  cacheMegabytes: z.int().min(1).max(1024).optional(),
});
export type EmbeddedOptions = z.infer<typeof embeddedOptions>;

export const ledgerExpertOptions = z.strictObject({
  /** The share of replies that go wrong, each by its own seed. */
  noise: z.number().min(0).max(1).optional(),
  /** `entries`: one entry per expense, for the toolset with ledger_aggregate. */
  style: z.enum(["pages", "entries"]).optional(),
  /** Bad habits, in that style: for a start that reinforcement learning can improve on. */
  habits: z.boolean().optional(),
});

const none = z.strictObject({});

export const policyOptions = {
  openai: openaiOptions,
  langchain: langchainOptions,
  learner: learnerOptions,
  embedded: embeddedOptions,
  "ledger-expert": ledgerExpertOptions,
  extractive: none,
  replay: replayOptions,
} as const satisfies Record<string, z.ZodObject>;

export type PolicyName = keyof typeof policyOptions;

/** Throws `config` for a policy that there is not. */
export function policyNamed(name: string): PolicyName {
  if (Object.hasOwn(policyOptions, name)) return name as PolicyName;
  throw new UmaError("config", `there is no policy named ${JSON.stringify(name)}`, {
    fix: `choose one of: ${Object.keys(policyOptions).join(", ")}`,
  });
}

export const policyOptionNames = (name: string): readonly string[] =>
  Object.keys(policyOptions[policyNamed(name)].shape);

/** For settings that are not meant for one policy alone: the spec without what its policy does not know. */
export function onlyKnownOptions(spec: PolicySpec): PolicySpec {
  const known = new Set(["policy", ...policyOptionNames(spec.policy)]);
  return Object.fromEntries(Object.entries(spec).filter(([key]) => known.has(key))) as PolicySpec;
}
