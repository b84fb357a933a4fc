/**
 * Makes the embedded policy:
 *
 *     node --import tsx trainers/sft/build-policy.ts --folder runs/policy                        sessions and initial model
 *     umagraph learner start --model runs/policy/initial --checkpoints runs/policy/checkpoints    a learner that serves it
 *     node --import tsx trainers/sft/build-policy.ts --folder runs/policy --learner URL           trains it, publishes it
 *     node --import tsx trainers/sft/build-policy.ts --export PUBLISHED_FOLDER --to assets/embedded-policy
 *
 * Training can be stopped at any time and goes on from its last checkpoint; a smaller --steps then lets the learning rate
 * fall and ends it. --start FOLDER begins with the weights of a finished policy, and --habits trains on the faulty teacher.
 */
import { parseArgs } from "node:util";
import { UmaError } from "../../base/errors.ts";
import { exportPolicy } from "./export-policy.ts";
import { preparePolicy } from "./prepare-policy.ts";
import { coldStart, embeddedPolicy } from "./recipe.ts";
import { trainPolicy } from "./train-policy.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function options() {
  const { values } = parseArgs({
    options: {
      folder: { type: "string", default: "runs/policy" },
      learner: { type: "string" },
      steps: { type: "string" },
      anneal: { type: "string" },
      peak: { type: "string" },
      start: { type: "string" },
      habits: { type: "boolean", default: false },
      export: { type: "string" },
      to: { type: "string" },
    },
  });
  const number = (name: "steps" | "anneal" | "peak") => {
    if (values[name] === undefined) return undefined;
    const value = Number(values[name]);
    if (!(value > 0)) throw new UmaError("config", `--${name}: expected a number above 0, got ${values[name]}`);
    return value;
  };
  return { ...values, steps: number("steps"), anneal: number("anneal"), peak: number("peak") };
}

async function main(): Promise<void> {
  const { folder, learner, start, habits, to, export: published, steps, anneal, peak } = options();
  if (published !== undefined) {
    const { parameters, bytes } = exportPolicy(published, to ?? "assets/embedded-policy");
    return say(`${parameters} parameters, ${bytes} bytes of weights`);
  }
  const base = habits ? coldStart : embeddedPolicy;
  const recipe = {
    ...base,
    steps: steps ?? base.steps,
    learningRate: {
      ...base.learningRate,
      anneal: anneal ?? Math.min(base.learningRate.anneal, steps ?? base.steps),
      peak: peak ?? base.learningRate.peak,
    },
  };
  await preparePolicy(folder, recipe, { ...(start !== undefined && { start }), say });
  if (learner === undefined) return;
  const onReport = (report: object) => say(JSON.stringify(report));
  say(`published as ${await trainPolicy({ folder, recipe, learner, onReport })}`);
}

await main().catch((thrown: unknown) => {
  if (!(thrown instanceof UmaError)) throw thrown;
  say(`${thrown.message}${thrown.fix === undefined ? "" : `\n${thrown.fix}`}`);
  process.exitCode = 1;
});
