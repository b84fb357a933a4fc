/** Every policy by name. A policy's code is loaded when it is made, so that listing them costs nothing. */
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import type { Policy, PolicySpec } from "./policy.ts";

export const policies = {
  openai: async (spec) => {
    const { openaiOptions, openaiPolicy } = await import("./openai.ts");
    return openaiPolicy(optionsFrom(spec, openaiOptions));
  },
  langchain: async (spec) => {
    const { langchainOptions, langchainPolicy } = await import("./langchain.ts");
    return langchainPolicy(optionsFrom(spec, langchainOptions));
  },
  "ledger-expert": async () => (await import("./ledger-expert/ledger-expert.ts")).ledgerExpert(),
  extractive: async () => (await import("./extractive/extractive.ts")).extractive(),
  replay: async (spec) => {
    const { replay } = await import("./replay.ts");
    return replay(optionsFrom(spec, z.strictObject({ transcript: z.string().min(1) })));
  },
} as const satisfies Record<string, (spec: PolicySpec) => Promise<Policy>>;

export type PolicyName = keyof typeof policies;

/** Throws `config` for an unknown name or wrong options, before anything is sent anywhere. */
export async function createPolicy(spec: PolicySpec): Promise<Policy> {
  if (!Object.hasOwn(policies, spec.policy))
    throw new UmaError("config", `there is no policy named ${JSON.stringify(spec.policy)}`, {
      fix: `choose one of: ${Object.keys(policies).join(", ")}`,
    });
  return policies[spec.policy as PolicyName](spec);
}

/**
 * The options that this policy knows. Others are left out without complaint: one set of flags may serve a batch of several
 * policies, and commands check their own flags.
 */
function optionsFrom<Options>(spec: PolicySpec, schema: z.ZodObject & z.ZodType<Options>): Options {
  const known = Object.entries(spec).filter(([key, value]) => Object.hasOwn(schema.shape, key) && value !== undefined);
  const parsed = schema.safeParse(Object.fromEntries(known));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = issue?.path.join(".") ?? "";
  throw new UmaError(
    "config",
    `policy ${spec.policy}: ${option === "" ? "" : `${option}: `}${issue?.message ?? "wrong options"}`,
    {
      fix: `its options: ${Object.keys(schema.shape).join(", ")}`,
    },
  );
}

export { chatModelPolicy } from "./chat-model-policy.ts";
export type { Policy, PolicySpec, Sample, SampleRequest } from "./policy.ts";
