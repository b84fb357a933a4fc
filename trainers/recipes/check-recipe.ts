/** Whether every name in a recipe means something, and its parts go together: before a learner is started or a token sampled. */

import type { z } from "zod";
import { closest } from "../../base/closest.ts";
import { messageOf, UmaError } from "../../base/errors.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { toolsetNamed } from "../../tools/toolsets.ts";
import type { Estimator } from "../advantages/estimator.ts";
import { AdvantageOptions, advantageOptions } from "../advantages/estimator.ts";
import { estimators } from "../advantages/index.ts";
import { objectiveFrom } from "../objective/objectives.ts";
import { RewardOptions, rewardOptions } from "../rewards/reward-options.ts";
import { checkSources, knownSources, refuseSharedData } from "./check-data.ts";
import { isFolder, refuseMissingModel } from "./model-place.ts";
import type { RlRecipe, SessionSettings } from "./recipe.ts";
import type { SftRecipe } from "./sft-recipe.ts";

interface CheckOptions {
  readonly title: string;
  /** False: no context is loaded. */
  readonly data: boolean;
}

/** Gives the recipe back. */
export async function checkRl(recipe: RlRecipe, { title, data }: CheckOptions): Promise<RlRecipe> {
  const { model, rollout, credit, objective, evaluation } = recipe;
  await within(title, async () => {
    await checkSessions(rollout);
    const estimator = estimatorNamed(credit.estimator);
    const { kind } = credit.schedule;
    if (estimator.schedules && !estimator.schedules.includes(kind))
      throw new UmaError("config", `credit: ${estimator.name} is not defined for a ${kind} schedule`, {
        fix: `use the schedule ${estimator.schedules.join(" or ")}`,
      });
    const { profile } = credit;
    refuseUnknown("credit.rewards", credit.rewards, RewardOptions.shape);
    refuseUnknown("credit.advantages", credit.advantages, AdvantageOptions.shape);
    rewardOptions({ profile, outcome: "headline", dataSource: "any", ...credit.rewards });
    advantageOptions({ profile, ...credit.advantages });
    const surrogate = objectiveFrom(objective);
    if (surrogate.loss === "sft" || surrogate.loss === "dpo")
      throw new UmaError("config", `objective: ${surrogate.loss} knows no advantages, so it cannot train on rewards`, {
        fix: "choose task-stratified, or another policy gradient",
      });
    const training = await knownSources("data", recipe.data);
    const heldOut = await knownSources("evaluation.data", evaluation.data);
    if (training.every(({ source }) => source.every > 1))
      throw new UmaError("config", "data: no source takes part in every update, so some updates would have none", {
        fix: "set every: 1 at one of them",
      });
    refuseSharedData(training, heldOut);
    if (recipe.sampler === "in-process" && !isFolder(model))
      throw new UmaError("config", `model: sampling in this process needs a model folder, got ${model}`, {
        fix: "give a folder of a small Qwen3 model, or set sampler: learner",
      });
    if (!data) return;
    await checkSources(training, rollout.M);
    await checkSources(heldOut, null);
    refuseMissingModel(model, "model");
  });
  return recipe;
}

/** Gives the recipe back. */
export async function checkSft(recipe: SftRecipe, { title, data }: CheckOptions): Promise<SftRecipe> {
  const { sets, heldOut, vocabulary, start, scoring, shape } = recipe;
  await within(title, async () => {
    const files = [...sets, heldOut].map(({ file }) => file);
    const twice = files.find((file, at) => files.indexOf(file) !== at);
    if (twice !== undefined)
      throw new UmaError("config", `two sets would be kept in ${twice}`, { fix: "give each set a file of its own" });
    if (sets.every(({ trained }) => trained === false))
      throw new UmaError("config", "sets: none of them is trained on", { fix: "leave trained out at one of them" });
    const shared = sets.find(({ split, profile }) => split === heldOut.split && profile === heldOut.profile);
    if (shared)
      throw new UmaError("config", `${shared.file} and heldOut are both of the split ${shared.split}`, {
        fix: "train on the split train, and hold test out",
      });
    if (vocabulary.least.length !== sets.length)
      throw new UmaError(
        "config",
        `vocabulary.least: expected one number for each of ${sets.length} sets, got ${vocabulary.least.length}`,
      );
    if (shape.heads % 2 !== 0)
      throw new UmaError(
        "config",
        `shape.heads: expected an even number, since two heads share keys and values, got ${shape.heads}`,
      );
    const odd = (["width", "headWidth", "feedForward"] as const).find((name) => shape[name] % 16 !== 0);
    if (scoring && start === null && odd !== undefined)
      throw new UmaError("config", `shape.${odd}: expected a multiple of 16, got ${shape[odd]}`, {
        fix: "that is what this process can compute; or set scoring: null",
      });
    if (scoring) {
      await checkSessions(scoring.sessions);
      const sources = await knownSources("scoring.data", scoring.data);
      if (data) await checkSources(sources, null);
    }
    if (data && start !== null) refuseMissingModel(start, "start");
  });
  return recipe;
}

async function checkSessions({ variant, toolset, prompts }: z.infer<typeof SessionSettings>): Promise<void> {
  await loadVariant(variant);
  toolsetNamed(toolset);
  loadPrompts(prompts);
}

function estimatorNamed(name: string): Estimator {
  if (Object.hasOwn(estimators, name)) return estimators[name as keyof typeof estimators];
  const names = Object.keys(estimators);
  const meant = closest(name, names);
  throw new UmaError("config", `credit.estimator: there is no estimator "${name}"`, {
    fix: `${meant ? `did you mean ${meant}? ` : ""}estimators: ${names.join(", ")}`,
  });
}

function refuseUnknown(field: string, given: object, shape: object): void {
  const known = Object.keys(shape);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const meant = closest(unknown, known);
  throw new UmaError("config", `${field}: there is no option ${unknown}`, {
    fix: `${meant ? `did you mean ${meant}? ` : ""}options: ${known.join(", ")}`,
  });
}

/** Says in which recipe it was. */
async function within(title: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (thrown) {
    if (!(thrown instanceof UmaError)) throw thrown;
    throw new UmaError(thrown.code, `${title}: ${messageOf(thrown)}`, {
      ...(thrown.fix !== undefined && { fix: thrown.fix }),
      cause: thrown,
    });
  }
}
