/** umagraph train --list and --show. */
import type { Recipe } from "../../trainers/recipes/load-recipe.ts";
import { recipeNames, recipes } from "../../trainers/recipes/recipes.ts";
import type { Terminal } from "../terminal.ts";

export function listRecipes(terminal: Terminal): void {
  const all = recipeNames().map((name) => {
    const { kind, usual, fields, scales } = recipes[name]!;
    return {
      name,
      kind,
      summary: fields.summary ?? "",
      paper: fields.paper ?? null,
      usual,
      scales: Object.keys(scales),
    };
  });
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, summary, paper, usual, scales } of all) {
    terminal.print(`${name.padEnd(width)}  ${summary}${paper === null ? "" : ` (${paper})`}`);
    terminal.print(
      `${"".padEnd(width)}  scales: ${scales.map((scale) => (scale === usual ? `${scale} (usual)` : scale)).join(", ")}`,
    );
  }
  terminal.result(all);
}

/** As JSON, which a recipe file may also be written in. */
export function showRecipe(recipe: Recipe, terminal: Terminal): void {
  terminal.print(JSON.stringify(recipe, null, 2));
  terminal.result(recipe);
}
