/** Refuses what a machine cannot do, with the arithmetic; a learner elsewhere is not this machine's, and is not asked. */
import { UmaError } from "../../base/errors.ts";
import type { Machine } from "./machine.ts";
import type { RlRecipe } from "./recipe.ts";
import { type RecipeCost, recipeCost } from "./recipe-cost.ts";

/** Days above which a run is not begun: nobody waits for it, and a power cut is likelier than its end. */
const mostDays = 30;

/** Throws `config`. Gives what the recipe costs, or null where the model's shape is not known. */
export async function refuseTooLarge(recipe: RlRecipe, machine: Machine): Promise<RecipeCost | null> {
  const cost = await recipeCost(recipe, machine);
  if (!cost) return null;
  const { memory, time } = cost;
  const place = machine.gpu ? `this machine's ${machine.gpu.name}` : "this machine, which has no CUDA device,";
  const fix =
    "train at an engine that is large enough with --learner <url> (docs/train-a-real-model.md), or take another --scale or a smaller model";
  if (memory.bytes > memory.available)
    throw new UmaError(
      "config",
      `${recipe.name} does not fit into ${place} with ${gigabytes(memory.available)}:\n${memoryLines(cost)}`,
      { fix },
    );
  if (time.days.least > mostDays)
    throw new UmaError(
      "config",
      `${recipe.name} would take ${place} at least ${days(time.days.least)}:\n${timeLines(recipe, cost)}`,
      {
        fix,
      },
    );
  return cost;
}

/** A line for each thing that is held, and their sum. */
export function memoryLines({ size, memory }: RecipeCost): string {
  const lines = memory.items.map(({ what, bytes }) => `  ${gigabytes(bytes).padStart(9)}  ${what}`);
  return [
    `  ${whole(size.parameters)} parameters`,
    ...lines,
    `  ${gigabytes(memory.bytes).padStart(9)}  in all, of ${gigabytes(memory.available)}`,
  ].join("\n");
}

/** From sessions of an update to days. */
export function timeLines({ updates }: RlRecipe, { time }: RecipeCost): string {
  const { least, most } = time.tokensPerUpdate;
  return [
    `  ${whole(time.sessionsPerUpdate)} sessions an update, with ${whole(least)} tokens at least (the chunks alone) and ${whole(most)} at most (every budget full)`,
    `  × ${whole(updates)} updates ÷ ${pace(time.tokensPerSecond)} tokens/s (${time.speed})`,
    `  = ${days(time.days.least)} at least, ${days(time.days.most)} at most, sampling not counted`,
  ].join("\n");
}

const whole = (value: number) => Math.round(value).toLocaleString("en");
const pace = (value: number) => (value < 100 ? value.toPrecision(2) : whole(value));
const gigabytes = (bytes: number) =>
  `${(bytes / 1e9).toLocaleString("en", { maximumFractionDigits: bytes < 1e10 ? 1 : 0 })} GB`;
const days = (value: number) =>
  value < 2 ? `${(value * 24).toPrecision(2)} hours` : `${Number(value.toPrecision(2)).toLocaleString("en")} days`;
