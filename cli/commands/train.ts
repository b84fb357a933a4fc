/** umagraph train: a recipe → better weights, in a run folder that can be stopped and gone on with at any time. */
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { recipeNames } from "../../trainers/recipes/recipes.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import { defineCommand } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { outcomeLines } from "../train/outcome-lines.ts";
import { planTraining } from "../train/plan-training.ts";
import { listRecipes, showRecipe } from "../train/recipe-texts.ts";
import { trainFlags } from "../train/train-flags.ts";
import { trainRl } from "../train/train-rl.ts";
import { exitCodeOf } from "../train/training-outcome.ts";
import type { TrainingWatch } from "../train/watch-training.ts";

export const command = defineCommand({
  name: "train",
  summary: "train a policy by reinforcement from outcomes, or on an expert's sessions",
  usage: "<recipe> [flags]",
  details: [
    `Recipes: ${recipeNames().join(", ")}; or a file (.yaml, .json) that extends one of them. --list tells of them.`,
    "A run is its folder: metrics.jsonl has a line per update, evaluations.jsonl one per held-out evaluation, best/ the best",
    "weights as a Hugging Face folder, report.html the curves. Ctrl-C stops at a safe point, a second one at once; after",
    "either, or after a kill, --resume <folder> goes on as if nothing had happened: umagraph diff says identical metrics.",
    "With --learner embedded (the default) our own service is started for the run and stopped with it.",
  ].join("\n"),
  flags: trainFlags,
  examples: [
    { run: "umagraph train --list", what: "which recipes there are" },
    {
      run: "umagraph train demo --seed 1",
      what: "a small policy learns from outcomes on this machine, while you watch",
    },
    { run: "umagraph train --resume runs/2026-11-30-demo", what: "go on after a stop" },
    {
      run: "umagraph train demo --set adam.learningRate=3e-4 --set data.0.contexts=4 --updates 20",
      what: "with other numbers",
    },
    {
      run: "umagraph train uma-generalist --scale paper --learner http://gpu-box:8700 --profile skyrl-fsdp",
      what: "the paper's numbers, on a cluster's engine",
    },
    { run: "umagraph train uma-two-stage --scale dev --show", what: "every field of a recipe, without running it" },
  ],
  async run({ flags, positionals, typed, terminal }) {
    if (flags.list) {
      listRecipes(terminal);
      return 0;
    }
    const plan = await planTraining({ flags, positionals, typed });
    const { recipe, folder } = plan;
    if (flags.show) {
      showRecipe(recipe, terminal);
      return 0;
    }
    let watch: TrainingWatch | null = null;
    const interrupt = onInterrupt((text) => (watch ? watch.note(text.trim()) : terminal.note(text)), {
      first: "stopping at the next safe point (press Ctrl-C again to stop at once)",
      second: "stopping at once; what is under way is done again when the run goes on",
    });
    try {
      if (recipe.kind !== "rl") throw new UmaError("config", `${recipe.name} is of kind ${recipe.kind}`);
      const began = performance.now();
      const outcome = await trainRl(
        { ...plan, recipe },
        {
          ...{ flags, interrupt, terminal },
          watched: (current) => {
            watch = current;
          },
        },
      );
      const weights = outcome.best === null ? null : trainingFiles.best(folder);
      for (const line of outcomeLines(outcome)) terminal.print(line);
      terminal.print(`run folder: ${folder}`);
      if (weights !== null) terminal.print(`weights:    ${weights}`);
      if (outcome.end === "stopped") terminal.print(`go on with: umagraph train --resume ${folder}`);
      terminal.result({
        ...outcome,
        recipe: recipe.name,
        seed: plan.seed,
        wallMinutes: (performance.now() - began) / 60_000,
        folder,
        metrics: join(folder, "metrics.jsonl"),
        report: null,
        weights,
      });
      return exitCodeOf(outcome, interrupt.stopping());
    } finally {
      interrupt.release();
    }
  },
});
