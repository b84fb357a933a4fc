/** The optimiser's numbers in one update: its rate rises over the first updates and falls over the last ones. */
import type { Adam } from "../../learner/client/adam.ts";
import type { RlRecipe } from "../recipes/recipe.ts";
import { learningRateAt } from "../update/learning-rate.ts";

/** `update` from 1. */
export function adamAt(update: number, { adam, updates }: Pick<RlRecipe, "adam" | "updates">): Adam {
  const { warmUp, anneal, learningRate: peak, ...rest } = adam;
  return { ...rest, learningRate: learningRateAt(update - 1, updates, { peak, warmUp, anneal: anneal * updates }) };
}
