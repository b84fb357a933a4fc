/** What a Ledger-QA run may choose; every field has a default, so `{}` is the paper-like test set at H = 10. */
import { z } from "zod";

const horizon = z.number().int().min(1).max(100_000);

export const ledgerQaConfig = z.strictObject({
  horizon: z
    .union([horizon, z.array(horizon).min(1)])
    .default(10)
    .transform((value) => (Array.isArray(value) ? value : [value]))
    .describe("Sessions per context; several horizons make several sets, e.g. 2,10,50"),
  contexts: z
    .number()
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Contexts per horizon (3 when left out; all of a --file). Context i is the same whatever this is"),
  seed: z.number().int().default(0).describe("Same seed, same bytes"),
  split: z
    .enum(["train", "test"])
    .default("test")
    .describe("train never uses held-out wording and shares no random choice with test"),
  profile: z
    .enum(["micro", "full"])
    .default("full")
    .describe("micro: short sessions, small vocabulary; full: long, messy dialogues"),
  questions: z
    .number()
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Questions per context, spread over the types; all (at most 36, or 41 with point queries) when left out"),
  perType: z.number().int().min(1).max(50).default(5).describe("Draws per question type, before duplicates go"),
  maxTies: z.number().int().min(1).default(8).describe("Questions whose answer lists more items are not asked"),
  pointQueries: z.boolean().default(false).describe("Also the paper's question on one sub-scene on one date"),
  maxTransactions: z
    .number()
    .int()
    .min(1)
    .max(20)
    .nullable()
    .default(null)
    .describe("Most transactions in one session; 4 (micro) or 10 (full) when left out"),
  changes: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe("Chance that a session edits or refunds an earlier one; 0.25 (micro), 0.4 and 0.3 (full) when left out"),
  corrections: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe("Chance that an amount is said wrong and put right in the same session; 0.15 when left out"),
  file: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("Read contexts from this file (our JSONL or the paper's JSON) instead of generating them"),
});

export type LedgerQaConfig = z.output<typeof ledgerQaConfig>;
