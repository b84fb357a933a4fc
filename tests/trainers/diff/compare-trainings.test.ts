/** Two training runs are the same when their updates and evaluations are; otherwise the first difference is told. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { compareTrainings, isTrainingFolder } from "../../../trainers/diff/compare-trainings.ts";

const scratch = mkdtempSync(join(tmpdir(), "umagraph-diff-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let made = 0;
function training(metrics: readonly object[], evaluations: readonly object[], seed = 1, recipe: object = {}): string {
  const folder = join(scratch, String(made++));
  mkdirSync(folder);
  writeFileSync(
    join(folder, "training.json"),
    JSON.stringify({ recipe: { name: "demo", ...recipe }, scale: "demo", seed }),
  );
  const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
  writeFileSync(join(folder, "metrics.jsonl"), lines(metrics));
  writeFileSync(join(folder, "evaluations.jsonl"), lines(evaluations));
  writeFileSync(join(folder, "timing.jsonl"), lines([{ update: 1, seconds: { collect: made } }]));
  return folder;
}

const update = (n: number, kl = 0.1) => ({ update: n, outcome: 0.5, steps: [{ klOld: kl, ratio: 1 }] });
const score = (n: number, mean = 0.3) => ({ update: n, sampled: { mean } });

describe("compareTrainings", () => {
  it("finds two runs of one seed identical, whatever their times", () => {
    const runs = [1, 2].map(() => training([update(1), update(2)], [score(0), score(2)])) as [string, string];
    expect(compareTrainings(...runs)).toEqual({
      identical: true,
      differences: [],
      compared: { updates: 2, evaluations: 2 },
      settings: [],
      notes: [],
    });
  });

  it("tells the first difference first: by update, metrics before the evaluation after them", () => {
    const a = training([update(1), update(2, 0.2), update(3)], [score(0), score(1), score(3)]);
    const b = training([update(1), update(2, 0.25), update(3, 9)], [score(0), score(1, 0.4), score(3)]);
    const { identical, differences } = compareTrainings(a, b);
    expect(identical).toBe(false);
    expect(differences).toEqual([
      { file: "evaluations.jsonl", update: 1, field: "sampled.mean", a: 0.3, b: 0.4 },
      { file: "metrics.jsonl", update: 2, field: "steps[0].klOld", a: 0.2, b: 0.25 },
      { file: "metrics.jsonl", update: 3, field: "steps[0].klOld", a: 0.1, b: 9 },
    ]);
  });

  it("a run that is shorter is different", () => {
    const a = training([update(1)], [score(0)]);
    const b = training([update(1), update(2)], [score(0), score(2)]);
    expect(compareTrainings(a, b).differences).toEqual([
      { file: "metrics.jsonl", update: 2, field: "", a: undefined, b: "there" },
      { file: "evaluations.jsonl", update: 2, field: "", a: undefined, b: "there" },
    ]);
  });

  it("a half-written last line is a note", () => {
    const [a, b] = [training([update(1)], [score(0)]), training([update(1)], [score(0)])];
    appendFileSync(join(b, "metrics.jsonl"), '{"update":2,');
    const { identical, notes } = compareTrainings(a, b);
    expect(identical).toBe(true);
    expect(notes).toEqual([`${b}: a half-written last line was left out`]);
  });

  it("another seed or recipe is told by its fields, and is no difference of results", () => {
    const a = training([update(1)], [score(0)], 1, { rollout: { G: 4, M: 3 } });
    const b = training([update(1)], [score(0)], 2, { rollout: { G: 8, M: 3 } });
    const { identical, settings } = compareTrainings(a, b);
    expect(identical).toBe(true);
    expect(settings).toEqual([
      { field: "recipe.rollout.G", a: 4, b: 8 },
      { field: "seed", a: 1, b: 2 },
    ]);
  });

  it("refuses what is no training run, and two runs without a line", () => {
    const a = training([], []);
    expect(isTrainingFolder(a)).toBe(true);
    expect(isTrainingFolder(scratch)).toBe(false);
    expect(() => compareTrainings(a, scratch)).toThrow(/holds no training run/);
    const emptied = training([update(1)], []);
    writeFileSync(join(emptied, "training.json"), "{}");
    expect(() => compareTrainings(emptied, emptied)).toThrow(/training\.json: recipe: expected an object, got nothing/);
    expect(() => compareTrainings(a, training([], []))).toThrow(/neither .* nor .* has finished an update/);
  });
});
