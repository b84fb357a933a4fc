/**
 * Whole updates at demo scale, by what they are spent on: sampling, credit, gradient work, publishing, waiting; and what
 * sampling ahead (async 1) gains over sampling in turn.
 *
 * Two runs of the demo recipe by turns in one process, each with its own service; the first update and the evaluations are
 * left out. `idle` is wall time that no step accounts for.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageVersion } from "../base/package-version.ts";
import { environmentPython } from "../cli/learner/environment.mjs";
import { startEmbeddedLearner } from "../cli/train/embedded-learner.ts";
import { loadRlRecipe } from "../trainers/recipes/load-recipe.ts";
import { thisMachine } from "../trainers/recipes/machine.ts";
import { modelPlace } from "../trainers/recipes/model-place.ts";
import { runTraining } from "../trainers/run/run-training.ts";
import type { BenchOptions } from "./main.ts";

const TARGET = 0.85;
/** Which entries of timing.jsonl are which kind of work. */
const kinds = {
  sampling: ["collect"],
  gradient: ["reference", "forward", "gradient", "optimizer"],
} as const;

interface Measured {
  readonly async: 0 | 1;
  readonly updates: number;
  /** Wall seconds per update. */
  readonly secondsPerUpdate: number;
  /** Shares of wall time by step; with async 1 sampling runs beside the rest, and only the wait for it counts. */
  readonly shares: Readonly<Record<string, number>>;
  /** Sampling and gradient work. */
  readonly useful: number;
}

export async function run(options: BenchOptions): Promise<void> {
  if (environmentPython() === null) {
    console.error(
      "the learner's Python environment is not there: `umagraph learner doctor --help` says how it is made",
    );
    process.exitCode = 2;
    return;
  }
  const say = (line: string) => options.json || console.error(line);
  const updates = Number(options.updates ?? 5);
  const rounds: Measured[] = [];
  for (const ahead of [0, 1] as const) {
    const measured = await measure(ahead, updates, Number(options.pool ?? thisMachine().cores), say);
    say(
      `async ${ahead}: ${measured.secondsPerUpdate.toFixed(2)} s per update, ${percent(measured.useful)} sampling or gradient work`,
    );
    rounds.push(measured);
  }
  const [inTurn, ahead] = rounds as [Measured, Measured];
  const summary = {
    useful: inTurn.useful,
    asyncSpeedUp: inTurn.secondsPerUpdate / ahead.secondsPerUpdate,
    target: TARGET,
    met: inTurn.useful >= TARGET,
  };
  if (options.json) return console.log(JSON.stringify({ rounds, summary }, null, 2));
  const steps = [...new Set(rounds.flatMap(({ shares }) => Object.keys(shares)))];
  console.log(["step".padEnd(12), ...rounds.map(({ async: a }) => `async ${a}`.padStart(9))].join(""));
  for (const step of steps)
    console.log([step.padEnd(12), ...rounds.map(({ shares }) => percent(shares[step] ?? 0).padStart(9))].join(""));
  console.log(
    `sampling or gradient work: ${percent(summary.useful)} (target ${percent(TARGET)}); async 1: ${summary.asyncSpeedUp.toFixed(2)} ×`,
  );
}

async function measure(ahead: 0 | 1, updates: number, pool: number, say: (line: string) => void): Promise<Measured> {
  const folder = join(mkdtempSync(join(tmpdir(), "umagraph-bench-update-")), "run");
  const recipe = await loadRlRecipe("demo", {
    // the first update warms up, the last is followed by an evaluation
    overrides: { async: ahead, updates: updates + 2, "evaluation.every": 1_000_000, "evaluation.greedy": false },
  });
  const learner = await startEmbeddedLearner({
    ...{ folder, model: modelPlace(recipe.model), loraRank: null, device: "cpu", threads: 1, wait: 300 },
    say,
  });
  const lines: { readonly at: number; readonly seconds: Readonly<Record<string, number>> }[] = [];
  try {
    await runTraining({
      ...{ folder, recipe, seed: 1, pool, umagraph: packageVersion(), learner: learner.place },
      tell(event) {
        if (event.kind === "timing") lines.push({ at: performance.now(), seconds: event.line.seconds });
        if (event.kind === "metrics") say(`async ${ahead}: update ${event.line.update} of ${updates + 2}`);
      },
    });
  } finally {
    await learner.close({ atOnce: true });
    rmSync(join(folder, ".."), { recursive: true, force: true });
  }
  // lines[0] is the evaluation before the first update
  const kept = lines.slice(2, 2 + updates);
  const wall = (kept.at(-1)!.at - lines[1]!.at) / 1_000;
  const seconds: Record<string, number> = {};
  for (const line of kept)
    for (const [step, spent] of Object.entries(line.seconds)) seconds[step] = (seconds[step] ?? 0) + spent;
  const accounted = Object.values(seconds).reduce((sum, spent) => sum + spent, 0);
  const useful = [...kinds.sampling, ...kinds.gradient].reduce((sum, step) => sum + (seconds[step] ?? 0), 0);
  const shares = { ...seconds, idle: Math.max(0, wall - accounted) };
  return {
    async: ahead,
    updates,
    secondsPerUpdate: wall / updates,
    shares: Object.fromEntries(Object.entries(shares).map(([step, spent]) => [step, spent / wall])),
    useful: useful / wall,
  };
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
