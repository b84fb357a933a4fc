/** docs/train-a-real-model.md: its recipe file, its commands and its sums are those of the code. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { loadRecipe, loadRlRecipe } from "../../../trainers/recipes/load-recipe.ts";
import { scales } from "../../../trainers/recipes/recipe.ts";
import { recipeCost } from "../../../trainers/recipes/recipe-cost.ts";
import { recipeNames, recipes } from "../../../trainers/recipes/recipes.ts";

const page = readFileSync(resolve("docs/train-a-real-model.md"), "utf8");

it("shows a recipe file that is one", async () => {
  const [, name = "", text = ""] = /```yaml\n# ([\w-]+\.yaml)\n((?:.*\n)*?)```/.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "umagraph-page-"));
  try {
    const path = join(folder, name);
    writeFileSync(path, text);
    const recipe = await loadRecipe(path, { scale: "paper", data: false });
    expect(recipe).toMatchObject({
      name: "generalist-on-ledgers",
      adam: { learningRate: 1e-6 },
      data: [{ contexts: 2 }, { contexts: 1 }],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("names recipes that there are, at scales that they have", () => {
  const commands = [
    ...page.replace(/\s+/g, " ").matchAll(/umagraph train (?!--)([\w-]+(?:\.yaml)?)(?: --scale (\w+))?/g),
  ].filter(([, name]) => !name!.includes("."));
  expect(commands.length).toBeGreaterThanOrEqual(4);
  for (const [, name, scale] of commands) {
    expect(recipeNames()).toContain(name);
    if (scale !== undefined && (scales as readonly string[]).includes(scale))
      expect(Object.keys(recipes[name!]!.scales)).toContain(scale);
  }
});

it("has the sums of memory that a recipe is refused with", async () => {
  const rows = [...page.matchAll(/^\| ([\d.]+) B \| (LoRA (\d+)|all) \| ([\d,]+) \|.*\| ([\d.]+) \|$/gm)];
  expect(rows.length).toBeGreaterThanOrEqual(9);
  const few = {
    benchmark: "ledger-qa",
    config: { split: "train", horizon: 2, contexts: 2, questions: 8 },
    contexts: 2,
  };
  for (const [, billions, , rank, tokens, total] of rows) {
    const half = Number(tokens!.replace(",", "")) / 2;
    const recipe = await loadRlRecipe("uma-specialist", {
      scale: "dev",
      data: false,
      overrides: {
        model: `Qwen/Qwen3-${billions}B`,
        loraRank: rank === undefined ? null : Number(rank),
        "rollout.limits": { promptTokens: half, interactionTokens: half },
        data: [few],
      },
    });
    const card = { memory: 1e12, cores: 1, gpu: { name: "card", memory: 1e12 } };
    const { memory } = (await recipeCost(recipe, card))!;
    const shown = Number(total);
    expect(memory.bytes / 1e9, `${billions} B, rank ${rank}, ${tokens}`).toBeCloseTo(shown, shown < 10 ? 1 : -0.4);
  }
});
