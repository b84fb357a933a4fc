/** What a folder cannot be used for is told before a learner is started: here one that would not start at all. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere, temporaryFolder } from "../run-cli.ts";
import { begunRun, smallRecipe } from "./begun-run.ts";

const cwd = temporaryFolder();
const env = { UMAGRAPH_PYTHON: join(cwd, "no-python"), UMAGRAPH_LEARNER_STATE: join(cwd, "state") };
const train = (...words: string[]) => runHere(["train", ...words], { cwd, env });

const contents = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

it("a run with lines of updates and no state is refused, and nothing in it is changed", async () => {
  const folder = await begunRun(cwd, "lost", { updates: 2 });
  const before = contents(folder);
  const { code, stderr } = await train("--resume", "lost");
  expect(code).toBe(4);
  expect(stderr).toMatch(/lost has lines of 2 updates, and its state\.sqlite, which keeps .*, is missing/);
  expect(stderr).toMatch(/put a copy of state\.sqlite back, or begin a new run with --out/);
  expect(contents(folder)).toEqual(before);

  writeFileSync(join(folder, "state.sqlite"), "");
  expect(await train("--resume", "lost")).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/state\.sqlite, .*, holds no state/),
  });
});

it("a run that was killed before its first update gets as far as the learner", async () => {
  await begunRun(cwd, "early");
  expect(await train("--resume", "early")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/the learner did not start/),
  });
});

it("a taken folder, another recipe and a place that is no folder are refused without a learner", async () => {
  const folder = await begunRun(cwd, "taken");
  const before = contents(folder);
  const recipe = smallRecipe(cwd);
  for (const [words, said] of [
    [[recipe, "--out", "taken"], /taken already holds a training run/],
    [["--resume", "taken", "--set", "rollout.G=3"], /taken was begun with another rollout/],
    [[recipe, "--out", recipe], /cannot make the folder/],
  ] as const) {
    const { code, stderr } = await train(...words);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(/learner/);
  }
  expect(contents(folder)).toEqual(before);
});

it.each([
  ["{}", /recipe: expected an object, got nothing; seed: expected a number, got nothing/],
  ['{"seed":0,"recipe":{"kind":"other"}}', /recipe\.kind: expected one of rl, sft, ablation, got "other"/],
  ["null", /expected an object, got null/],
  ['{"seed":', /expected the JSON that `umagraph train` has written/],
])("a training.json of %s is told, with what to do", async (text, said) => {
  const folder = join(cwd, "damaged");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "training.json"), text);
  const { code, stderr } = await train("--resume", "damaged");
  expect(code).toBe(3);
  expect(stderr).toMatch(/damaged\/training\.json: /);
  expect(stderr).toMatch(said);
  expect(stderr).toMatch(/put a copy of it back, or begin a new run with --out/);
});

it("a folder in the place of a recipe is called one, and a run's says how to go on", async () => {
  await begunRun(cwd, "run");
  mkdirSync(join(cwd, "other"));
  expect(await train("run")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/run is a folder[\s\S]*umagraph train --resume run/),
  });
  expect(await train("other")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/other is a folder[\s\S]*recipes: demo/),
  });
  // a recipe is one, whatever lies in this folder
  cpSync(join(cwd, "other"), join(cwd, "demo"), { recursive: true });
  expect(await train("demo", "--show")).toMatchObject({ code: 0 });
});

it("what may stand beside --resume is neither that nor --help", async () => {
  const { stderr } = await train("--resume", "run", "--seed", "3");
  expect(stderr).toMatch(/beside --resume: --learner .*--set/);
  expect(stderr).not.toMatch(/--help|: --resume/);
});
