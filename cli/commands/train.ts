/** umagraph train: a recipe → better weights, in a run folder that can be stopped and gone on with at any time. */
import { join } from "node:path";
import { exitCodes } from "../../base/errors.ts";
import { ablationTable } from "../../trainers/ablation/ablation-table.ts";
import { recipeNames } from "../../trainers/recipes/recipes.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import { defineCommand } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { outcomeLines } from "../train/outcome-lines.ts";
import { type PlannedTraining, planTraining } from "../train/plan-training.ts";
import { listRecipes, showRecipe } from "../train/recipe-texts.ts";
import { resultLines } from "../train/supervised-lines.ts";
import type { Surroundings } from "../train/surroundings.ts";
import { trainFlags } from "../train/train-flags.ts";
import { exitCodeOf } from "../train/training-outcome.ts";

export const command = defineCommand({
  name: "train",
  summary: "train a policy by reinforcement from outcomes, or on an expert's sessions",
  usage: "<recipe> [flags]",
  details: [
    `Recipes: ${recipeNames().join(", ")};`,
    "or a file (.yaml, .json) that extends one of them. --list tells of them.",
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
      run: "umagraph train sft-first --out runs/sft-first",
      what: "a policy from random weights, on the scripted expert's sessions (npm run build:policy runs all its parts)",
    },
    {
      run: "umagraph train uma-specialist --scale paper --learner http://gpu-box:8700 --profile skyrl-fsdp",
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
    if (flags.show) {
      showRecipe(plan.recipe, terminal);
      return 0;
    }
    let watch: Parameters<Surroundings["watched"]>[0] = null;
    const interrupt = onInterrupt((text) => (watch ? watch.note(text.trim()) : terminal.note(text)), {
      // supervised training has its checkpoints, and nothing to finish first
      patient: plan.recipe.kind !== "sft",
      first: "stopping at the next safe point (press Ctrl-C again to stop at once)",
      second: "stopping at once; what is under way is done again when the run goes on",
    });
    const watched: Surroundings["watched"] = (current) => {
      watch = current;
    };
    try {
      return await runPlanned(plan, { flags, interrupt, terminal, watched });
    } finally {
      interrupt.release();
    }
  },
});

/** What runs is loaded only now: a mistyped recipe is told without waiting for it. */
async function runPlanned(plan: PlannedTraining, around: Surroundings): Promise<number> {
  const { recipe, folder, seed } = plan;
  const { terminal, interrupt } = around;
  const began = performance.now();
  const wallMinutes = () => (performance.now() - began) / 60_000;
  const goOn = `go on with: umagraph train --resume ${folder}`;
  if (recipe.kind === "rl") {
    const { trainRl } = await import("../train/train-rl.ts");
    const outcome = await trainRl({ ...plan, recipe }, around);
    const weights = outcome.best === null ? null : trainingFiles.best(folder);
    for (const line of outcomeLines(outcome)) terminal.print(line);
    terminal.print(`run folder: ${folder}`);
    if (outcome.report !== null) terminal.print(`report:     ${outcome.report}`);
    if (weights !== null) terminal.print(`weights:    ${weights}`);
    if (outcome.end === "stopped") terminal.print(goOn);
    terminal.result({
      ...outcome,
      ...{ recipe: recipe.name, seed, folder, weights, wallMinutes: wallMinutes() },
      metrics: trainingFiles.metrics(folder),
    });
    return exitCodeOf(outcome, interrupt.stopping());
  }
  if (recipe.kind === "sft") {
    const { trainSft } = await import("../train/train-sft.ts");
    const result = await trainSft({ ...plan, recipe }, around);
    for (const line of resultLines(result)) terminal.print(line);
    terminal.result({ ...result, recipe: recipe.name, seed: recipe.seed, wallMinutes: wallMinutes() });
    return exitCodes.ok;
  }
  const { trainAblation } = await import("../train/train-ablation.ts");
  const { complete, sampled, greedy } = await trainAblation({ ...plan, recipe }, around);
  terminal.print(ablationTable(sampled));
  terminal.print(`run folders: ${folder}`);
  terminal.print(`tables:      ${join(folder, "ablation.md")}`);
  if (!complete) terminal.print(goOn);
  terminal.result({ recipe: recipe.name, folder, complete, sampled, greedy, wallMinutes: wallMinutes() });
  return complete ? exitCodes.ok : interrupt.stopping() ? exitCodes.cancelled : exitCodes.failure;
}
