/** A recipe file and the folder of a run that was begun with it, as they are before anything was trained. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadRlRecipe } from "../../../trainers/recipes/load-recipe.ts";
import { beginTraining } from "../../../trainers/run/training-config.ts";
import { root } from "../run-cli.ts";

/** Gives the file. */
export function smallRecipe(cwd: string): string {
  const file = join(cwd, "small.yaml");
  writeFileSync(file, `extends: demo\nmodel: ${join(root, "assets", "cold-start")}\nupdates: 2\n`);
  return file;
}

/** Gives the folder; with as many lines of metrics as updates. */
export async function begunRun(cwd: string, name: string, { updates = 0 } = {}): Promise<string> {
  const folder = join(cwd, name);
  mkdirSync(folder);
  beginTraining(folder, {
    ...{ v: 1, umagraph: "test", created: "2026-11-30T00:00:00Z", scale: null, seed: 0 },
    recipe: await loadRlRecipe(smallRecipe(cwd), { data: false }),
    learner: { baseURL: "http://127.0.0.1:1", checkpoints: null },
  });
  writeFileSync(join(folder, "evaluations.jsonl"), '{"update":0}\n');
  for (let update = 1; update <= updates; update++)
    writeFileSync(join(folder, "metrics.jsonl"), `{"update":${update}}\n`, { flag: "a" });
  return folder;
}
