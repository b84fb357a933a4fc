/**
 * Several runs that differ in one thing each, as data: a base recipe, and what each cell changes of it (UMA §4.4).
 *
 * All cells stop after the same number of sampled tokens, so that a setting is not better because it was given more.
 */
import { z } from "zod";
import { RecipeName, RlRecipe } from "./recipe.ts";

export const AblationRecipe = z.strictObject({
  kind: z.literal("ablation"),
  name: RecipeName,
  summary: z.string(),
  paper: z.string().nullable().default(null),
  /** A recipe's name or file; the scale is the ablation's. */
  base: z.string().min(1),
  /** Every cell is run with each of them. */
  seeds: z.array(z.int()).min(1),
  /** As of a recipe; null leaves the base's. */
  sampledTokens: z.int().min(1).nullable().default(null),
  /** What every cell changes of the base, before its own changes. */
  overrides: z.record(z.string(), z.unknown()).default({}),
  cells: z
    .array(
      z.strictObject({
        name: RecipeName,
        /** What the cell asks, for the table. */
        summary: z.string(),
        overrides: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .min(1),
});
export type AblationRecipe = z.infer<typeof AblationRecipe>;

/** With the base and the changes made one: each cell is a recipe of its own. */
export const ResolvedAblation = AblationRecipe.omit({ cells: true, overrides: true }).extend({
  cells: z.array(z.strictObject({ name: RecipeName, summary: z.string(), recipe: RlRecipe })).min(1),
});
export type ResolvedAblation = z.infer<typeof ResolvedAblation>;
