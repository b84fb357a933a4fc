/** The flags of `umagraph eval`, and which of them may be given again when a run is resumed. */
import { z } from "zod";
import { defaultGiveUpAfter } from "../../evals/evaluate.ts";
import { nameList, numberList } from "../flags.ts";
import { policyFlags } from "../policy-flags.ts";
import { sessionFlags } from "../session-flags.ts";

const { policy: _one, ...modelFlags } = policyFlags;

export { modelFlags };

export const evalFlags = z.object({
  variant: nameList.default(["uma"]).describe("Variants, e.g. uma,rag,concat; options after colons: rag:topK=5"),
  policy: nameList
    .optional()
    .describe("openai, extractive, ledger-expert, …; several separated by commas (default as for memorize)"),
  ...modelFlags,
  ...sessionFlags,
  seed: numberList.default([0]).describe("Seed of data and sampling; several, e.g. 7,8,9, make a run each"),
  concurrency: z.coerce.number().int().min(1).default(8).describe("Sessions in flight; results do not depend on it"),
  out: z.string().optional().describe("Run folder (default runs/<date>-<benchmark>)"),
  resume: z.string().optional().describe("Go on with this run folder: finished sessions are kept"),
  retryFailed: z
    .boolean()
    .default(false)
    .describe("With --resume: run failed sessions again, and what came after a failed memory session in its context"),
  giveUpAfter: z.coerce
    .number()
    .int()
    .min(0)
    .default(defaultGiveUpAfter)
    .describe("Stop when so many sessions in a row have had no reply from the policy; 0 for never"),
  maxFailed: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("Stop when a larger share of the sessions than this has failed, e.g. 0.3; 1 for never"),
  pool: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe("Threads for the sessions; for policies that compute in this process. Results do not depend on it"),
  turnTimeout: z.coerce
    .number()
    .positive()
    .optional()
    .describe("Seconds for one reply of the policy, retries included"),
  sessionTimeout: z.coerce.number().positive().optional().describe("Seconds for all turns of one session"),
  html: z.boolean().default(true).describe("Write report.html into the run folder"),
  verbose: z.boolean().default(false).describe("Every table at the end, not only the main ones"),
});
export type EvalFlags = z.infer<typeof evalFlags>;

/** Everything else is in the run's config and cannot change in the middle. */
export const resumeFlags: ReadonlySet<string> = new Set([
  ...[
    "resume",
    "retryFailed",
    "giveUpAfter",
    "maxFailed",
    "concurrency",
    "pool",
    "baseUrl",
    "timeout",
    "retries",
    "recordTranscript",
  ],
  ...["html", "verbose", "json", "quiet", "help"],
]);
