/** The smoke test of a machine: what it would run is a recipe, what it cannot try it says, and what it asks of a run. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LoadRecipeOptions, loadRecipe } from "../../../trainers/recipes/load-recipe.ts";
import { smokeFindings } from "../../../trainers/recipes/smoke/smoke-findings.ts";
import type { TrainingLog } from "../../../trainers/report/read-training.ts";
import type { EvaluationLine, MetricsLine } from "../../../trainers/run/metrics-line.ts";
import { updated } from "../report/invented-training.ts";

const script = resolve("trainers/recipes/gpu-smoke.sh");
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-smoke-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]) => spawnSync("bash", [script, ...args], { cwd: folder, encoding: "utf8" });

/** The files that a dry run shows, by name. */
function shown(text: string): Record<string, string> {
  const files = text.split(/^--- /m).slice(1);
  return Object.fromEntries(
    files.map((file) => {
      const [path = "", ...lines] = file.split("\n");
      return [path.split("/").at(-1)!, lines.filter((line) => !line.startsWith("umagraph ")).join("\n")];
    }),
  );
}

/** The recipe that a dry run shows ends where the commands begin. */
async function recipeOf(name: string, text: string, options: LoadRecipeOptions = {}) {
  const path = join(folder, name);
  writeFileSync(path, text.split(/^kill -9/m)[0]!);
  return loadRecipe(path, { data: false, ...options });
}

describe("the script", () => {
  it("shows a recipe that can be run, and its commands, without running any", async () => {
    const { stdout, status } = run("--dry-run", "--cpu", "--out", "here");
    expect(status).toBe(0);
    expect(stdout).toContain(`umagraph train ${join(folder, "here", "smoke.yaml")} --scale dev --seed 1`);
    expect(stdout).toContain(`umagraph train --resume ${join(folder, "here", "run")} --device cpu`);
    const recipe = await recipeOf("smoke.yaml", shown(stdout)["smoke.yaml"]!, { scale: "dev" });
    expect(recipe).toMatchObject({
      kind: "rl",
      model: "assets/cold-start",
      loraRank: null,
      sampler: "learner",
      updates: 4,
    });
    expect(readdirSync(folder)).not.toContain("here");
  });

  it("gives a real model an adapter, tool definitions and room for them", async () => {
    mkdirSync(join(folder, "a model"));
    const { stdout } = run("--dry-run", "--model", "a model");
    const recipe = await recipeOf("real.yaml", shown(stdout)["smoke.yaml"]!, { scale: "dev" });
    expect(recipe).toMatchObject({ model: join(folder, "a model"), loraRank: 16, rollout: { prompts: "ledger" } });
  });

  it("trains a random model on the expert first", async () => {
    const { stdout } = run("--dry-run", "--random", "--out", "random");
    const files = shown(stdout);
    const start = await recipeOf("start.yaml", files["start.yaml"]!);
    expect(start).toMatchObject({ kind: "sft", start: null, scoring: null, shape: { layers: 6 } });
    const recipe = await recipeOf("after.yaml", files["smoke.yaml"]!, { scale: "dev" });
    expect(recipe).toMatchObject({ model: join(folder, "random", "start", "policy"), rollout: { prompts: "micro" } });
  });

  it.each([
    [["--what"], "there is no option --what"],
    [["--seconds", "soon"], "expected a whole number, got soon"],
    [["--cpu", "--model", "nowhere"], "nowhere holds no config.json"],
    [["--cpu", "--out", "."], "is there already"],
  ])("refuses %j with 2", (args, expected) => {
    const { status, stderr } = run(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(expected) });
  });

  it("explains itself", () => {
    const { stdout, status } = run("--help");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Does training work on this machine/);
    expect(stdout.trim()).toMatch(/2 it cannot be tried here\.$/);
  });
});

describe("what is asked of a run", () => {
  const evaluation = (update: number): EvaluationLine => ({
    ...{ update, weights: `update-000${update}`, greedy: null, validity: 1, habits: {} },
    sampled: { mean: 0.5, low: 0.4, high: 0.6, n: 16, contexts: 4 },
    folders: { sampled: [], greedy: [] },
  });
  const log = (metrics: MetricsLine[], evaluations = [evaluation(0), evaluation(4)]): TrainingLog => ({
    folder: "",
    config: { seed: 1, recipe: { name: "smoke", updates: 4 } },
    ...{ metrics, evaluations, timing: [] },
  });
  const good = [1, 2, 3, 4].map((update) => updated(update));
  const options = { killedAfter: 2, before: good.slice(0, 2), updates: 4 };
  const wrong = (metrics: MetricsLine[], more: Partial<typeof options> = {}, evaluations?: EvaluationLine[]) =>
    smokeFindings(log(metrics, evaluations), { ...options, before: metrics.slice(0, 2), ...more })
      .filter(({ ok }) => !ok)
      .map(({ what }) => what);
  const each = (change: (line: MetricsLine) => Partial<MetricsLine>) =>
    good.map((line) => ({ ...line, ...change(line) }));
  const steps = (change: Partial<MetricsLine["steps"][number]>) =>
    each((line) => ({ steps: line.steps.map((step) => ({ ...step, ...change })) }));

  it("a run that trained and went on has all of it", () => {
    expect(wrong(good)).toEqual([]);
    expect(
      smokeFindings(log(good), { ...options, killedAfter: null }).some(({ what }) => what.includes("killed")),
    ).toBe(false);
  });

  it("everything that can fail does", () => {
    expect(wrong([], { before: good.slice(0, 2) })).toContain("every update is there, once");
    expect(wrong(good.slice(1))).toContain("every update is there, once");
    expect(wrong(each(() => ({ steps: [], skipped: "no signal" })))).toContain(
      "a step was taken in at least two updates",
    );
    expect(wrong(steps({ gradNorm: 0 }))).toEqual(["gradients are finite and not 0"]);
    expect(wrong(steps({ gradNorm: Number.NaN }))).toEqual(["gradients are finite and not 0"]);
    expect(wrong(steps({ klRef: 0 }))).toEqual(["weights move: the policy leaves its start"]);
    const still = each(() => ({ reward: { memory: 0.5, qa: 0.5 } }));
    expect(wrong(still)).toEqual(["rewards move"]);
    const apart = each(() => ({ samplerMismatch: 0.2 }));
    expect(wrong(apart)).toEqual(["learner and sampler agree on what was sampled"]);
    const failing = each(() => ({ sessions: { memory: 10, qa: 10, failed: 3 } }));
    expect(wrong(failing)).toEqual(["sessions do not fail"]);
    expect(wrong(good, {}, [evaluation(0)])).toEqual(["held-out contexts were evaluated before and after"]);
    expect(wrong(good, { before: [updated(1), updated(2, { outcome: 0.9 })] })).toEqual([
      "a killed run goes on, and keeps what it had",
    ]);
    expect(wrong(good, { killedAfter: 4, before: good })).toEqual(["a killed run goes on, and keeps what it had"]);
  });
});
