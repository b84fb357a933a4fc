/** The flags that name a policy, the same for every command that needs one. */
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import {
  createPolicy,
  onlyKnownOptions,
  policies,
  policyOptionNames,
  recordingPolicy,
  transcriptWriter,
} from "../policies/index.ts";
import type { Policy, PolicySpec } from "../policies/policy.ts";
import { kebab } from "./flags.ts";
import type { Terminal } from "./terminal.ts";

export const policyFlags = {
  policy: z
    .string()
    .optional()
    .describe(
      "openai, learner:<url> (token-exact, for training), embedded (a small trained model, no server), extractive or ledger-expert (both: no model, scripted), replay, langchain; default openai when OPENAI_API_KEY or --base-url is set, else extractive",
    ),
  model: z
    .string()
    .optional()
    .describe(
      "Model of the openai policy, e.g. gpt-4o-mini (twin: OPENAI_MODEL); weights of the learner policy, e.g. tinker://…; folder of the embedded policy",
    ),
  baseUrl: z
    .string()
    .optional()
    .describe("Any OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1 (twin: OPENAI_BASE_URL), or the learner"),
  temperature: z.coerce.number().min(0).max(2).optional().describe("Sampling temperature"),
  format: z
    .enum(["native", "hermes"])
    .optional()
    .describe("How the model calls tools: natively, or as <tool_call> text"),
  toolChoice: z
    .enum(["auto", "required"])
    .optional()
    .describe("required: the server has to call a tool whenever it may (default auto)"),
  extra: z
    .string()
    .transform(readObject)
    .optional()
    .describe(
      `openai: further fields of each request as JSON, e.g. '{"chat_template_kwargs":{"enable_thinking":false}}'`,
    ),
  tokenizer: z.string().optional().describe("learner policy: model folder with tokenizer, if the server gives none"),
  timeout: z.coerce.number().positive().optional().describe("Seconds per request (default 300)"),
  retries: z.coerce.number().int().min(0).optional().describe("Retries after a failed request"),
  noise: z.coerce
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("ledger-expert: share of its replies that go wrong, by their seeds (default 0)"),
  module: z.string().optional().describe("langchain policy: file that exports a chat model, as path.ts#export"),
  transcript: z.string().optional().describe("replay policy: file that --record-transcript wrote"),
  recordTranscript: z
    .string()
    .optional()
    .describe("Write what the policy is shown and replies to this file, for --policy replay; added to when it exists"),
};

function readObject(text: string, context: z.RefinementCtx): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  context.addIssue({ code: "custom", message: "expected a JSON object" });
  return z.NEVER;
}

type Given = { [Key in keyof typeof policyFlags]?: z.infer<(typeof policyFlags)[Key]> };

/** Flags whose options are named, or counted, otherwise. */
const optionNames: Readonly<Record<string, string>> = {
  baseUrl: "baseURL",
  timeout: "timeoutMs",
  retries: "maxRetries",
};
/** Flags about the policy that are no options of one. */
const beside: ReadonlySet<string> = new Set(["policy", "recordTranscript"]);

const optionNamed = (key: string) => optionNames[key] ?? key;

/** The flags that were given, and other options under their own names, as options. */
export function policyOptionsOf(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const options = Object.entries(given).filter(([key, value]) => value !== undefined && key !== "policy");
  return Object.fromEntries(
    options.map(([key, value]) => [optionNamed(key), key === "timeout" ? Number(value) * 1_000 : value]),
  );
}

/**
 * For each policy those of the flags that it knows, since the flags of one command may serve several. One that was typed
 * (not set in the environment) and that none of the policies knows is an error.
 */
export function policySpecs(names: readonly string[], given: Given, typed: ReadonlySet<string>): PolicySpec[] {
  const keys = Object.keys(policyFlags).filter((key) => !beside.has(key));
  const chosen = names.map(shortForm);
  const flags = Object.fromEntries(keys.map((key) => [key, given[key as keyof Given]]));
  const known = new Set(chosen.flatMap(({ policy }) => policyOptionNames(policy)));
  const stray = keys.find((key) => typed.has(key) && flags[key] !== undefined && !known.has(optionNamed(key)));
  if (stray !== undefined) {
    const having = Object.keys(policies).filter((name) => policyOptionNames(name).includes(optionNamed(stray)));
    throw new UmaError(
      "config",
      `--${kebab(stray)} means nothing to the policy ${[...new Set(chosen.map(({ policy }) => policy))].join(", ")}`,
      {
        fix: `leave it out, or give --policy ${having.join(" or --policy ")}`,
      },
    );
  }
  const options = policyOptionsOf(flags);
  return chosen.map((spec) => onlyKnownOptions({ ...options, ...spec }));
}

/** `learner:http://127.0.0.1:8700` is the learner policy at that address. */
function shortForm(name: string): PolicySpec {
  const url = /^learner:(.+)$/.exec(name)?.[1];
  return url === undefined ? { policy: name } : { policy: "learner", baseURL: url };
}

/** The policy that is taken when none is named. */
export const defaultPolicy = ({ baseUrl }: Given) =>
  baseUrl || process.env.OPENAI_BASE_URL || process.env.OPENAI_API_KEY ? "openai" : "extractive";

export const policySpec = (given: Given, typed: ReadonlySet<string>): PolicySpec =>
  policySpecs([given.policy ?? defaultPolicy(given)], given, typed)[0]!;

/** Builds the policy and says plainly when there is no model behind it. */
export async function policyFrom(
  spec: PolicySpec,
  terminal: Terminal,
  { recordTranscript }: { readonly recordTranscript?: string | undefined } = {},
): Promise<Policy> {
  const policy = await createPolicy(spec);
  if (policy.scripted) terminal.note(`policy ${policy.name}: no model, a scripted policy (a floor, not a result)`);
  if (recordTranscript === undefined) return policy;
  return recordingPolicy(policy, { write: transcriptWriter(recordTranscript, policy.name) });
}
