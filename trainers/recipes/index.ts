/** Recipes of training runs: as data, by name or file. */
export * from "./ablation-recipe.ts";
export * from "./load-recipe.ts";
export { type Machine, thisMachine } from "./machine.ts";
export { isFolder, modelPlace } from "./model-place.ts";
export * from "./recipe.ts";
export * from "./recipe-cost.ts";
export { recipeNames } from "./recipes.ts";
export * from "./refuse-too-large.ts";
export * from "./sft-recipe.ts";
export { isRecipeFile } from "./written-recipe.ts";
