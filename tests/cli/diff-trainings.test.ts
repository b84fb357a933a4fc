/** `umagraph diff` of two training runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import { append, beginTraining, config, updated } from "../trainers/report/invented-training.ts";
import { runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();

function training(name: string, recipe: object = {}): string {
  const folder = beginTraining(join(cwd, name), { recipe: { ...config.recipe, ...recipe } });
  append(trainingFiles.metrics(folder), updated(1));
  return name;
}

it("names the fields of the recipe that differ, and counts those above --most", async () => {
  const [a, b] = [training("a"), training("b", { updates: 7, async: 1, summary: "s".repeat(400) })];
  const { code, stdout } = await runHere(["diff", a, b, "--most", "2"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toBe(
    "identical metrics: 1 update, 0 evaluations\nbegun with other settings:\n" +
      `  recipe.summary: "A run that nobody made, with <b>marks</…, "${"s".repeat(39)}…\n` +
      "  recipe.updates: 6, 7\n  and 1 more\n",
  );
});

it("compares nothing with a training.json that tells nothing", async () => {
  const [a, b] = [training("whole"), training("emptied")];
  writeFileSync(trainingFiles.config(join(cwd, b)), "{}");
  const { code, stderr } = await runHere(["diff", a, b], { cwd });
  expect(code).toBe(3);
  expect(stderr).toMatch(/^umagraph diff: emptied\/training\.json: recipe: expected an object, got nothing/);
});
