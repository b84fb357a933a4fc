/** Which run `umagraph train` is about: a recipe at a scale with changes, or a folder that was begun before. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { ResolvedAblation } from "../../trainers/recipes/ablation-recipe.ts";
import { loadRecipe, type Recipe, recipeFrom } from "../../trainers/recipes/load-recipe.ts";
import { type Fields, mergeFields, nested } from "../../trainers/recipes/merge-fields.ts";
import { type Scale, scales } from "../../trainers/recipes/recipe.ts";
import { recipeNames, recipes } from "../../trainers/recipes/recipes.ts";
import { readConfig } from "../../trainers/run/training-config.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import { freeFolder } from "../eval/plan-runs.ts";
import { kebab } from "../flags.ts";
import { readSettings } from "./set-values.ts";
import { resumeFlags, type TrainFlags } from "./train-flags.ts";

export interface PlannedTraining {
  readonly recipe: Recipe;
  readonly scale: Scale | null;
  readonly seed: number;
  readonly folder: string;
  readonly resume: boolean;
}

interface Given {
  readonly flags: TrainFlags;
  readonly positionals: readonly string[];
  readonly typed: ReadonlySet<string>;
}

/** Throws `config` or `input` for what cannot be run, before anything is made. */
export const planTraining = (given: Given): Promise<PlannedTraining> =>
  given.flags.resume === undefined ? planNew(given) : planResume(given.flags.resume, given);

async function planNew({ flags, positionals }: Given): Promise<PlannedTraining> {
  const [name, extra] = positionals;
  const fix = `recipes: ${recipeNames().join(", ")}; or a file (.yaml, .json); umagraph train --list tells of them`;
  if (name === undefined) throw new UmaError("config", "no recipe given", { fix });
  if (extra !== undefined)
    throw new UmaError("config", `expected one recipe, got ${positionals.join(" and ")}`, { fix });
  if (!recipeNames().includes(name) && statSync(name, { throwIfNoEntry: false })?.isDirectory())
    throw new UmaError("config", `${name} is a folder, and a recipe is a name or a file`, {
      fix: existsSync(trainingFiles.config(name)) ? `go on with the run in it: umagraph train --resume ${name}` : fix,
    });
  const { scale, seed } = flags;
  const recipe = await loadRecipe(name, {
    ...(scale !== undefined && { scale }),
    ...(seed !== undefined && { seed }),
    overrides: changes(flags),
    data: !flags.show,
  });
  return {
    recipe,
    scale: scale ?? recipes[name]?.usual ?? null,
    seed: seed ?? 0,
    folder: flags.out ?? freeFolder(join("runs", `${new Date().toISOString().slice(0, 10)}-${recipe.name}`)),
    resume: false,
  };
}

const besideResume = [...resumeFlags].filter((key) => key !== "resume" && key !== "help");

async function planResume(folder: string, { flags, positionals, typed }: Given): Promise<PlannedTraining> {
  const [first] = [
    ...positionals,
    ...[...typed].filter((key) => !resumeFlags.has(key)).map((key) => `--${kebab(key)}`),
  ];
  if (first !== undefined)
    throw new UmaError("config", `a resumed run goes on with what it was begun with; leave out ${first}`, {
      fix: `to change something, start a new run; beside --resume: ${besideResume.map((key) => `--${kebab(key)}`).join(" ")}`,
    });
  const { recipe, seed, scale } = readConfig(folder, BegunTraining);
  const asked = changes(flags);
  if (recipe.kind === "ablation") {
    // its cells were made one by one, so there is nothing left that a path would lead to
    const cells = ResolvedAblation.safeParse(recipe);
    if (!cells.success) throw new UmaError("input", `${trainingFiles.config(folder)} holds no whole ablation`);
    if (Object.keys(asked).length > 0)
      throw new UmaError("config", "the runs of an ablation stay as they were begun: leave out --set and --updates");
    return { recipe: cells.data, seed, scale, folder, resume: true };
  }
  const changed = await recipeFrom(mergeFields(recipe, nested(asked)), { title: folder, seed, data: false });
  return { recipe: changed, seed, scale, folder, resume: true };
}

/** What --set, --updates and --start change, by path. */
const changes = ({ set, updates, start }: TrainFlags): Fields => ({
  ...(set !== undefined && readSettings(Array.isArray(set) ? set.join(",") : set)),
  ...(updates !== undefined && { updates }),
  ...(start !== undefined && { start }),
});

/** What is needed of a run's training.json, of whatever kind; the recipe is checked as one is that was just written. */
const BegunTraining = z.object({
  recipe: z.looseObject({ kind: z.enum(["rl", "sft", "ablation"]) }),
  seed: z.int(),
  /** Null for a file's own numbers. */
  scale: z.enum(scales).nullable().default(null),
});
