/** Every policy by name. A policy's code is loaded when it is made, so that listing them costs nothing. */
import type { z } from "zod";
import { closest } from "../base/closest.ts";
import { UmaError } from "../base/errors.ts";
import type { TrainedSessions } from "./embedded/trained-sessions.ts";
import type { LearnerChatModel } from "./learner-sampled/learner-chat-model.ts";
import type { Policy, PolicySpec } from "./policy.ts";
import {
  type EmbeddedOptions,
  type LearnerOptions,
  type PolicyName,
  policyNamed,
  policyOptions,
} from "./policy-options.ts";
import type { TokenExactChatModel } from "./token-exact/token-exact-chat-model.ts";

export const policies = {
  openai: async (spec) => (await import("./openai.ts")).openaiPolicy(optionsFrom(spec, policyOptions.openai)),
  langchain: async (spec) =>
    (await import("./langchain.ts")).langchainPolicy(optionsFrom(spec, policyOptions.langchain)),
  learner: async (spec) => {
    const options = optionsFrom(spec, policyOptions.learner);
    return (await import("./learner-sampled/learner-sampled.ts")).learnerSampled(options);
  },
  embedded: async (spec) =>
    (await import("./embedded/embedded.ts")).embedded(optionsFrom(spec, policyOptions.embedded)),
  "ledger-expert": async (spec) =>
    (await import("./ledger-expert/ledger-expert.ts")).ledgerExpert(optionsFrom(spec, policyOptions["ledger-expert"])),
  extractive: async (spec) => {
    optionsFrom(spec, policyOptions.extractive);
    return (await import("./extractive/extractive.ts")).extractive();
  },
  replay: async (spec) => (await import("./replay.ts")).replay(optionsFrom(spec, policyOptions.replay)),
} as const satisfies Record<PolicyName, (spec: PolicySpec) => Promise<Policy>>;

/** Throws `config` for an unknown name, and for options that are wrong or not this policy's, before anything is sent anywhere. */
export const createPolicy = async (spec: PolicySpec): Promise<Policy> => policies[policyNamed(spec.policy)](spec);

/** A misspelled option must not pass: the text might go to another server than the one that was meant. */
function optionsFrom<Options>(spec: PolicySpec, schema: z.ZodObject & z.ZodType<Options>): Options {
  const { policy, ...options } = spec;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const names = Object.keys(schema.shape);
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  if (unknown !== undefined) {
    const meant = closest(unknown, names);
    const known = names.length === 0 ? "it takes no options" : `its options: ${names.join(", ")}`;
    throw new UmaError("config", `policy ${policy}: there is no option ${JSON.stringify(unknown)}`, {
      fix: meant ? `did you mean ${meant}?` : known,
    });
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = issue?.path.join(".") ?? "";
  throw new UmaError(
    "config",
    `policy ${policy}: ${option === "" ? "" : `${option}: `}${issue?.message ?? "wrong options"}`,
    {
      fix: `its options: ${names.join(", ")}`,
    },
  );
}

/** The learner's sampler as a LangChain chat model; to be closed when it is no longer needed. */
export const learnerChatModel = async (options: LearnerOptions): Promise<LearnerChatModel> =>
  (await import("./learner-sampled/learner-chat-model.ts")).LearnerChatModel.connect(options);

/** How sessions are to be set up for a policy that was trained on one kind of them; null for any other policy. */
export async function trainedSessions(spec: PolicySpec): Promise<TrainedSessions | null> {
  if (spec.policy !== "embedded") return null;
  return (await import("./embedded/embedded.ts")).embeddedSessions(optionsFrom(spec, policyOptions.embedded));
}

/** The embedded policy's model as a LangChain chat model. */
export const embeddedChatModel = async (options: EmbeddedOptions = {}): Promise<TokenExactChatModel> =>
  (await import("./embedded/embedded.ts")).embeddedChatModel(options);

export { chatModelPolicy } from "./chat-model-policy.ts";
export type { LearnerChatModel } from "./learner-sampled/learner-chat-model.ts";
export { type MessageTokens, tokensOf } from "./message-tokens.ts";
export type { Cut, Policy, PolicySpec, Sample, SampleRequest } from "./policy.ts";
export { onlyKnownOptions, type PolicyName, policyOptionNames } from "./policy-options.ts";
export { type RecordingOptions, type RecordingPolicy, recordingPolicy } from "./recording-policy.ts";
export type { Transcript, TranscriptTurn } from "./transcript.ts";
export { readTranscript, transcriptWriter } from "./transcript-file.ts";
