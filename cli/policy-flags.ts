/** The flags that name a policy, the same for every command that needs one. */
import { z } from "zod";
import { createPolicy } from "../policies/index.ts";
import type { Policy, PolicySpec } from "../policies/policy.ts";
import type { Terminal } from "./terminal.ts";

export const policyFlags = {
  policy: z
    .string()
    .optional()
    .describe(
      "openai, extractive or ledger-expert (both: no model, scripted), replay, langchain; default openai when OPENAI_API_KEY or --base-url is set, else extractive",
    ),
  model: z.string().optional().describe("Model of the openai policy, e.g. gpt-4o-mini (twin: OPENAI_MODEL)"),
  baseUrl: z
    .string()
    .optional()
    .describe("Any OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1 (twin: OPENAI_BASE_URL)"),
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
  timeout: z.coerce.number().positive().optional().describe("Seconds per request (default 300)"),
  retries: z.coerce.number().int().min(0).optional().describe("Retries after a failed request"),
  module: z.string().optional().describe("langchain policy: file that exports a chat model, as path.ts#export"),
  transcript: z.string().optional().describe("replay policy: the recorded transcript"),
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

export function policySpec(given: Given): PolicySpec {
  const served = given.baseUrl || process.env.OPENAI_BASE_URL || process.env.OPENAI_API_KEY;
  const policy = given.policy ?? (served ? "openai" : "extractive");
  const { timeout, baseUrl, retries, ...rest } = given;
  const spec = {
    ...rest,
    policy,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
    ...(retries !== undefined && { maxRetries: retries }),
  };
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as PolicySpec;
}

/** Builds the policy and says plainly when there is no model behind it. */
export async function policyFrom(spec: PolicySpec, terminal: Terminal): Promise<Policy> {
  const policy = await createPolicy(spec);
  if (policy.scripted) terminal.note(`policy ${policy.name}: no model, a scripted policy (a floor, not a result)`);
  return policy;
}
