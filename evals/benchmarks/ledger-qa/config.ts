/** What a Ledger-QA run may choose; every field has a default, so `{}` is the paper-like test set at H = 10. */
import { z } from "zod";

const horizon = z.number().int().min(1).max(100_000);

export const ledgerQaConfig = z.strictObject({
  /** Sessions per context; several horizons give `contexts` contexts each. */
  horizon: z
    .union([horizon, z.array(horizon).min(1)])
    .default(10)
    .transform((value) => (Array.isArray(value) ? value : [value])),
  /** Contexts per horizon. Context i is the same whatever this number is. */
  contexts: z.number().int().min(1).default(3),
  seed: z.number().int().default(0),
  /** `train` never uses held-out wording and shares no random choice with `test`. */
  split: z.enum(["train", "test"]).default("test"),
  profile: z.enum(["micro", "full"]).default("full"),
  /** Questions per context, spread over the types; null asks all (up to 36, or 41 with point queries). */
  questions: z.number().int().min(1).nullable().default(null),
  /** Draws per question type before duplicates are dropped. */
  perType: z.number().int().min(1).max(50).default(5),
  /** Questions whose gold lists more items than this are not asked. */
  maxTies: z.number().int().min(1).default(8),
  /** Also asks the paper's point query: one sub-scene on one date. */
  pointQueries: z.boolean().default(false),
  /** Most transactions in one session; null is the profile's own, 4 (micro) or 10 (full). */
  maxTransactions: z.number().int().min(1).max(20).nullable().default(null),
  /** Reads contexts from this file (our JSONL or the paper's JSON) and generates nothing; only `contexts` and `questions` still apply. */
  file: z.string().min(1).nullable().default(null),
});

export type LedgerQaConfig = z.output<typeof ledgerQaConfig>;
