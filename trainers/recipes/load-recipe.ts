/**
 * A recipe by name or file, at a scale, with changes: resolved, and checked before anything is made or sent.
 *
 * Every name in it exists, every context can be loaded and has the questions that are asked of it; what is refused says what
 * to do.
 */
import type { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { AblationRecipe, type ResolvedAblation } from "./ablation-recipe.ts";
import { checkRl, checkSft } from "./check-recipe.ts";
import { fieldProblems } from "./field-problems.ts";
import { type Fields, mergeFields, nested } from "./merge-fields.ts";
import { RlRecipe, type Scale } from "./recipe.ts";
import { SftRecipe } from "./sft-recipe.ts";
import { writtenRecipe } from "./written-recipe.ts";

export type Recipe = RlRecipe | SftRecipe | ResolvedAblation;

export interface LoadRecipeOptions {
  /** The recipe's usual one when left out. */
  readonly scale?: Scale;
  /** Of a supervised recipe, whose seed is its own, and of an ablation, whose only seed it becomes. A reinforced run has its seed beside the recipe. */
  readonly seed?: number;
  /** Fields that replace the recipe's; keys may be paths such as "rollout.G". */
  readonly overrides?: Fields;
  /** False: the data is not looked at, names are (default true). */
  readonly data?: boolean;
}

/** Throws `config` for what cannot be run as it stands, `input` for files that are missing or unreadable. */
export async function loadRecipe(nameOrPath: string, options: LoadRecipeOptions = {}): Promise<Recipe> {
  const { fields, title } = recipeFields(nameOrPath, options);
  return recipeFrom(fields, { ...options, title });
}

/** A recipe as it is written, with the scale and the changes made: not checked yet. */
export function recipeFields(
  nameOrPath: string,
  { scale, overrides = {} }: Pick<LoadRecipeOptions, "scale" | "overrides"> = {},
): { readonly fields: Fields; readonly title: string } {
  const { kind, fields, title } = writtenRecipe(nameOrPath, scale);
  return { fields: mergeFields({ kind, ...fields }, nested(overrides)), title };
}

export interface RecipeFromOptions extends Omit<LoadRecipeOptions, "overrides"> {
  /** What the recipe is called in messages. */
  readonly title: string;
}

/** From fields that may be anything. Throws as `loadRecipe` does. */
export async function recipeFrom(fields: Fields, options: RecipeFromOptions): Promise<Recipe> {
  const { title, seed, data = true } = options;
  switch (fields.kind) {
    case "rl":
      return checkRl(parsed(RlRecipe, fields, title), { title, data });
    case "sft":
      return checkSft(parsed(SftRecipe, seed === undefined ? fields : { ...fields, seed }, title), { title, data });
    case "ablation":
      return resolved(parsed(AblationRecipe, fields, title), options);
    default:
      throw new UmaError(
        "config",
        `${title}: kind: expected one of rl, sft, ablation, got ${JSON.stringify(fields.kind) ?? "nothing"}`,
        { fix: "write kind: rl, or extend a recipe that has one" },
      );
  }
}

/** A reinforced recipe, or nothing else. Throws `config` for one of another kind. */
export async function loadRlRecipe(nameOrPath: string, options: LoadRecipeOptions = {}): Promise<RlRecipe> {
  const recipe = await loadRecipe(nameOrPath, options);
  if (recipe.kind === "rl") return recipe;
  throw new UmaError("config", `${nameOrPath} is a recipe of kind ${recipe.kind}, expected rl`);
}

function parsed<Schema extends z.ZodType>(schema: Schema, fields: Fields, title: string): z.infer<Schema> {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  throw new UmaError("config", `${title}: ${fieldProblems(result.error, schema, fields)}`);
}

async function resolved(
  { cells, overrides: common, ...recipe }: AblationRecipe,
  { title, scale, seed, data = true }: RecipeFromOptions,
): Promise<ResolvedAblation> {
  const names = cells.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new UmaError("config", `${title}: two cells are named ${twice}`, { fix: "give each cell a name of its own" });
  const made: ResolvedAblation["cells"] = [];
  const budget = recipe.sampledTokens === null ? {} : { sampledTokens: recipe.sampledTokens };
  for (const [at, { name, summary, overrides }] of cells.entries()) {
    const cell = await loadRlRecipe(recipe.base, {
      ...(scale && { scale }),
      overrides: mergeFields(nested({ ...budget, ...common }), nested(overrides)),
      // the cells have their data in common, unless one says otherwise
      data: data && (at === 0 || Object.keys(overrides).some((key) => /^(?:data|evaluation|rollout)\b/.test(key))),
    }).catch((thrown: unknown) => {
      if (!(thrown instanceof UmaError)) throw thrown;
      throw new UmaError(thrown.code, `${title}, cell ${name}: ${thrown.message}`, {
        ...(thrown.fix !== undefined && { fix: thrown.fix }),
        cause: thrown,
      });
    });
    made.push({ name, summary, recipe: cell });
  }
  return { ...recipe, seeds: seed === undefined ? recipe.seeds : [seed], cells: made };
}
