/** When a run has done what its recipe asks for. */
import type { RlRecipe } from "../recipes/recipe.ts";
import type { TrainingState } from "./state.ts";

export const isComplete = (
  { update, sampledTokens }: Pick<TrainingState, "update" | "sampledTokens">,
  recipe: Pick<RlRecipe, "updates" | "sampledTokens">,
): boolean => update >= recipe.updates || (recipe.sampledTokens !== null && sampledTokens >= recipe.sampledTokens);
