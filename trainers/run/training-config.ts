/** training.json: what a run was begun with, and whether it may go on with what is asked for now. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { messageOf, UmaError } from "../../base/errors.ts";
import { canonicalJson } from "../../base/hash.ts";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { writeWhole } from "../../evals/run-folder.ts";
import { RlRecipe } from "../recipes/recipe.ts";
import { trainingFiles } from "./training-folder.ts";

export const TrainingConfig = z.object({
  v: z.literal(1),
  /** Version of this package. */
  umagraph: z.string(),
  created: z.string(),
  scale: z.string().nullable(),
  seed: z.int(),
  recipe: RlRecipe,
  /** Where it ran last; no secrets. */
  learner: z.object({ baseURL: z.string(), checkpoints: z.string().nullable() }),
});
export type TrainingConfig = z.infer<typeof TrainingConfig>;

/**
 * What may be another when a run goes on: it decides when to stop and what is kept, and no number that was computed before.
 * With `adam.anneal`, the rate of what is to come follows the new `updates`.
 */
const changeable = ["updates", "sampledTokens", "saveEvery", "guards", "summary", "paper"] as const;

/**
 * Whether a run may be begun in a folder, or gone on with there: cheap to ask, so it is asked before a learner is started.
 * Throws `config` for a taken folder or one of another recipe, `input` for none to go on with.
 */
export function refuseFolder({ folder, recipe, seed, resume = false }: AskedRun): void {
  if (resume) refuseOtherRecipe(folder, readTrainingConfig(folder), recipe, seed);
  else refuseTaken(folder);
}

interface AskedRun {
  readonly folder: string;
  readonly recipe: RlRecipe;
  readonly seed: number;
  readonly resume?: boolean | undefined;
}

/** Makes the folder with its training.json. Throws `config` when the place is taken. */
export function beginTraining(folder: string, config: TrainingConfig): void {
  refuseTaken(folder);
  makeFolder(folder, "choose a writable place with --out");
  writeConfig(folder, config);
}

function refuseTaken(folder: string): void {
  if (existsSync(trainingFiles.config(folder)))
    throw new UmaError("config", `${folder} already holds a training run`, {
      fix: "go on with it (--resume), or choose another folder with --out",
    });
  // what is no folder is told when one cannot be made there
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const [taken] = isFolder ? readdirSync(folder).filter((name) => !mayBeThere(name)) : [];
  if (taken !== undefined)
    throw new UmaError(
      "config",
      `${folder} is not empty (it holds ${taken}); a training run needs a folder of its own`,
      {
        fix: "choose another folder with --out",
      },
    );
}

/** The learner may have been started on its checkpoint folder, and a graph on its state, before. */
const mayBeThere = (name: string) =>
  name === "checkpoints" || name === "lock" || name.startsWith("state.sqlite") || name.endsWith(".tmp");

export const writeConfig = (folder: string, config: TrainingConfig) =>
  writeWhole(trainingFiles.config(folder), `${JSON.stringify(config, null, 2)}\n`);

/** Throws `input` for what is no training run. */
export const readTrainingConfig = (folder: string): TrainingConfig => readConfig(folder, TrainingConfig);

/** As much of training.json as the schema asks for. Throws `input` for a folder without one, and for a damaged one. */
export function readConfig<Schema extends z.ZodType>(folder: string, schema: Schema): z.infer<Schema> {
  const path = trainingFiles.config(folder);
  if (!existsSync(path))
    throw new UmaError("input", `${folder} holds no training run: there is no training.json in it`, {
      fix: "give a folder that `umagraph train` has written",
    });
  const fix = "it was changed from outside: put a copy of it back, or begin a new run with --out";
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const said = messageOf(cause);
    throw new UmaError("input", `${path}: expected the JSON that \`umagraph train\` has written: ${said}`, {
      cause,
      fix,
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UmaError("input", `${path}: ${problemSentence(valueProblems(parsed.error, value))}`, { fix });
}

/** With the fields that differ, when going on would mix two experiments. */
function refuseOtherRecipe(folder: string, known: TrainingConfig, recipe: RlRecipe, seed: number): void {
  const fix = "go on with the recipe and seed that it was begun with, or start a new run with --out";
  if (known.recipe.name !== recipe.name)
    throw new UmaError("config", `${folder} is a run of ${known.recipe.name}, got the recipe ${recipe.name}`, { fix });
  if (known.seed !== seed)
    throw new UmaError("config", `${folder} was begun with seed ${known.seed}, got ${seed}`, { fix });
  const fields = (value: RlRecipe) =>
    new Map(Object.entries(value).filter(([name]) => !changeable.includes(name as never)));
  const before = fields(known.recipe);
  const now = fields(recipe);
  const changed = [...before.keys()].filter((name) => canonicalJson(before.get(name)) !== canonicalJson(now.get(name)));
  if (changed.length > 0)
    throw new UmaError("config", `${folder} was begun with another ${changed.join(", ")} than the recipe has now`, {
      fix: `${fix}; only ${changeable.slice(0, 4).join(", ")} may change`,
    });
}
