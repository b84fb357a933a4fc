/** The flags of `umagraph rollout`: those of an evaluation, for one variant, policy and seed, with G and M. */
import { z } from "zod";
import { evalFlags } from "../eval/eval-flags.ts";
import { policyFlags } from "../policy-flags.ts";

const { variant: _variants, policy: _policies, seed: _seeds, ...shared } = evalFlags.shape;

export const rolloutFlags = z.object({
  G: z.coerce.number().int().min(1).default(8).describe("Memory trajectories per context"),
  M: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe("Questions per context, drawn once and asked of every trajectory (default all of them)"),
  variant: z.string().default("uma").describe("The method, e.g. uma; options after colons: rag:topK=5"),
  policy: policyFlags.policy,
  seed: z.coerce.number().int().default(0).describe("Seed of data and sampling"),
  ...shared,
  compress: z.enum(["gzip", "zstd"]).optional().describe("Compress records and texts when the run is complete"),
});
