/** A recipe as it is written down: its fields, and beside them what each scale changes. */
import type { z } from "zod";
import type { AblationRecipe } from "./ablation-recipe.ts";
import type { RlRecipe, Scale } from "./recipe.ts";
import type { SftRecipe } from "./sft-recipe.ts";

/** Objects may be written in part, lists only whole. */
type Part<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: Part<T[K]> } : T;

type Written<Schema extends z.ZodObject, Kind extends string> = {
  readonly kind: Kind;
  /** The scale when none is asked for. */
  readonly usual: Scale;
  readonly fields: Part<Omit<z.input<Schema>, "kind" | "name">>;
  readonly scales: { readonly [S in Scale]?: Part<Omit<z.input<Schema>, "kind" | "name">> };
};

export type RlFile = Written<typeof RlRecipe, "rl">;
export type SftFile = Written<typeof SftRecipe, "sft">;
export type AblationFile = Written<typeof AblationRecipe, "ablation">;
export type RecipeFile = RlFile | SftFile | AblationFile;
