/** An ablation: its runs, what its table may say, and that it goes on where it was stopped. */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRunFolder, type ScoreLine } from "../../../evals/run-folder.ts";
import { SessionLimits } from "../../../nodes/session/limits.ts";
import { noTimeLimits } from "../../../rollouts/time-limits.ts";
import { ablationFigure } from "../../../trainers/ablation/ablation-figure.ts";
import { type AblationRun, ablationRuns } from "../../../trainers/ablation/ablation-runs.ts";
import { ablationTable } from "../../../trainers/ablation/ablation-table.ts";
import { habitsTable } from "../../../trainers/ablation/habits-table.ts";
import { runAblation } from "../../../trainers/ablation/run-ablation.ts";
import { summariseAblation } from "../../../trainers/ablation/summarise-ablation.ts";
import type { ResolvedAblation } from "../../../trainers/recipes/ablation-recipe.ts";
import { loadRecipe } from "../../../trainers/recipes/load-recipe.ts";
import type { HabitRates } from "../../../trainers/run/metrics-line.ts";
import { trainingFiles } from "../../../trainers/run/training-folder.ts";
import { updated } from "../report/invented-training.ts";

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), "umagraph-ablation-"));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

async function recipe(): Promise<ResolvedAblation> {
  const loaded = await loadRecipe("ablation", { data: false });
  if (loaded.kind !== "ablation") throw new Error(loaded.kind);
  const cells = loaded.cells
    .slice(0, 3)
    .map((cell) => ({ ...cell, recipe: { ...cell.recipe, updates: 2, sampledTokens: 6_000 } }));
  return { ...loaded, cells };
}

const contexts = 8;
const questions = 5;

/** Of `contexts` × `questions`, the first so many of each context are right. */
function evaluation(folder: string, update: number, right: (context: number) => number, habits: HabitRates = {}): void {
  const path = trainingFiles.evaluation(folder, update, "sampled", "ledger-qa");
  mkdirSync(dirname(path), { recursive: true });
  createRunFolder(path, {
    v: 1,
    ...{
      umagraph: "0",
      name: "held-out",
      created: "2026-01-02T03:04:05.000Z",
      toolset: "ledger",
      seed: 1,
      concurrency: 1,
    },
    benchmark: { name: "ledger-qa", config: {} },
    variant: { spec: "uma", name: "uma", paper: "" },
    policy: { spec: { policy: "embedded" }, name: "embedded", scripted: false },
    prompts: { name: "micro", hash: "0" },
    limits: SessionLimits.parse({}),
    rollout: { G: 1, M: null },
    time: noTimeLimits,
  });
  for (let context = 0; context < contexts; context++)
    for (let question = 0; question < questions; question++)
      appendFileSync(
        join(path, "scores.jsonl"),
        `${JSON.stringify({
          session: `c${context}/t0/qq${question}`,
          context: `c${context}`,
          question: `q${question}`,
          category: "total_amount",
          prediction: "1",
          gold: "1",
          metrics: { decimal_exact: question < right(context) ? 1 : 0 },
        } satisfies ScoreLine)}\n`,
      );
  const mean =
    Array.from({ length: contexts }, (_, c) => Math.min(questions, right(c))).reduce((a, b) => a + b) /
    (contexts * questions);
  appendFileSync(
    trainingFiles.evaluations(folder),
    `${JSON.stringify({
      ...{ update, weights: `update-000${update}`, greedy: null, validity: 0.5 + update / 10, habits },
      sampled: { mean, low: null, high: null, n: contexts * questions, contexts },
      folders: { sampled: [relative(folder, path)], greedy: [] },
    })}\n`,
  );
}

/** A run that was trained: from one right answer a context to `after`. */
function trained({ folder, recipe, seed }: AblationRun, after: (context: number) => number, updates = 2): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(trainingFiles.config(folder), JSON.stringify({ v: 1, seed, recipe }));
  evaluation(folder, 0, () => 1);
  for (let update = 1; update <= updates; update++)
    appendFileSync(trainingFiles.metrics(folder), `${JSON.stringify(updated(update))}\n`);
  evaluation(folder, updates, after);
}

describe("the runs", () => {
  it("are every cell with every seed, seed by seed, each in a folder of its own", async () => {
    const runs = ablationRuns(await recipe(), out);
    expect(runs.map(({ cell, seed }) => `${cell} ${seed}`)).toEqual(
      [1, 2, 3].flatMap((seed) => ["task-stratified", "global-group", "two-stage"].map((cell) => `${cell} ${seed}`)),
    );
    expect(new Set(runs.map(({ folder }) => folder)).size).toBe(9);
  });
});

describe("the table", () => {
  it("pairs the questions of one seed, and names a difference that every seed shows", async () => {
    const runs = ablationRuns(await recipe(), out);
    for (const run of runs)
      trained(run, (context) =>
        run.cell === "global-group" ? 2 : run.cell === "two-stage" ? 3 + (context % 2) - (context % 4 > 1 ? 1 : 0) : 3,
      );
    const summary = summariseAblation(runs, "sampled")!;
    const [first, worse, alike] = summary.cells;
    expect(first).toMatchObject({
      difference: null,
      before: { mean: 0.2 },
      after: { mean: 0.6, n: 120, clusters: 8 },
      validity: expect.closeTo(0.7, 9),
    });
    expect(first!.seeds).toEqual(
      [1, 2, 3].map((seed) => ({ seed, updates: 2, sampledTokens: 8_000, before: 0.2, after: 0.6 })),
    );
    expect(worse!.difference).toMatchObject({ n: 120, wins: 0, losses: 24, unpaired: 0 });
    expect(worse!.difference!.mean).toBeCloseTo(-0.2, 12);
    expect(alike!.difference!.mean).toBeCloseTo(0, 12);
    const table = ablationTable(summary);
    expect(table).toContain(
      "global-group ends 20.0 points below task-stratified: in every seed, and by more than the interval.",
    );
    expect(table).not.toContain("two-stage ends");
    expect(table).toContain("| 8 k | 20.0 [20.0, 20.0] | 60.0 [60.0, 60.0] | 1: 60.0, 2: 60.0, 3: 60.0 |");
  });

  it("says that nothing can be concluded where seeds disagree, however many questions there are", async () => {
    const runs = ablationRuns(await recipe(), out);
    for (const run of runs) trained(run, () => (run.cell === "global-group" ? (run.seed === 3 ? 2 : 5) : 3));
    const table = ablationTable(summariseAblation(runs, "sampled")!);
    expect(table).toContain("from these runs nothing can be concluded about their order");
  });

  it("compares what there is, on the seeds that both have, and lists what is missing", async () => {
    const runs = ablationRuns(await recipe(), out);
    expect(ablationTable(summariseAblation(runs, "sampled")!)).toContain("Nothing is compared yet.");
    for (const run of runs.slice(0, 4)) trained(run, () => 3);
    const summary = summariseAblation(runs, "sampled")!;
    expect(summary.cells[1]!.difference).toMatchObject({ n: 40, unpaired: 0, mean: 0 });
    expect(summary.missing).toHaveLength(5);
    expect(ablationTable(summary)).toContain("Not run, or not evaluated twice yet: global-group (seed 2)");
    // a difference of one seed is never called one
    expect(ablationTable(summary)).toContain("nothing can be concluded");
  });

  it("has nothing of greedy outcomes that nobody measured", async () => {
    const runs = ablationRuns(await recipe(), out);
    trained(runs[0]!, () => 3);
    expect(summariseAblation(runs, "greedy")).toBeNull();
  });
});

describe("the habits", () => {
  it("weigh each occasion alike over the seeds, and leave out what nobody ever did", async () => {
    const runs = ablationRuns(await recipe(), out);
    const [rare, often] = [
      { rate: 0.9, occasions: 10 },
      { rate: 0.5, occasions: 30 },
    ];
    const none = { rate: 0, occasions: 50 };
    for (const run of runs.slice(0, 4)) {
      trained(run, () => 3);
      const after = run.seed === 1 ? rare : often;
      evaluation(run.folder, 3, () => 3, {
        editAttempted: after,
        wrongTool: none,
        emptyCore: { rate: null, occasions: 0 },
      });
    }
    const summary = summariseAblation(runs, "sampled")!;
    // (0.9 × 10 + 0.5 × 30) / 40
    expect(summary.cells[0]!.habits.after).toMatchObject({
      editAttempted: { rate: 0.6, occasions: 40 },
      wrongTool: { rate: 0, occasions: 100 },
      emptyCore: { rate: null, occasions: 0 },
    });
    const table = habitsTable(summary);
    expect(table).toContain("| habit | before | task-stratified | global-group | two-stage |");
    expect(table).toContain("| edit attempted ↑ | – | .600 | .900 | .900 |");
    expect(table).not.toMatch(/no such tool|empty core/);
  });

  it("are no table where nobody counted any", async () => {
    const runs = ablationRuns(await recipe(), out);
    trained(runs[0]!, () => 3);
    expect(habitsTable(summariseAblation(runs, "sampled")!)).toBe("");
  });
});

describe("the figure", () => {
  it("is an image of its own, with a row for each cell and a mark for each seed", async () => {
    const runs = ablationRuns(await recipe(), out);
    for (const run of runs) trained(run, () => 3);
    const svg = ablationFigure(summariseAblation(runs, "sampled")!);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(svg.match(/class="seed"/g)).toHaveLength(9);
    expect(svg.match(/class="mean"/g)).toHaveLength(3);
    for (const { cell } of runs) expect(svg).toContain(`>${cell}</text>`);
  });
});

describe("an ablation that is run", () => {
  it("trains what is not complete yet, and goes on with what was begun", async () => {
    const asked: string[] = [];
    const options = { recipe: await recipe(), folder: out, umagraph: "0" };
    const train =
      (limit: number) =>
      async (run: AblationRun, { resume }: { readonly resume: boolean }) => {
        if (asked.length === limit) throw new Error("the power is gone");
        asked.push(`${run.cell} ${run.seed}${resume ? " again" : ""}`);
        trained(run, () => 3);
      };
    await expect(runAblation({ ...options, train: train(2) })).rejects.toThrow("the power is gone");
    expect(readFileSync(join(out, "ablation.md"), "utf8")).toContain("Not run");
    // one that was stopped in its middle
    const [, , half] = ablationRuns(options.recipe, out);
    mkdirSync(half!.folder);
    writeFileSync(trainingFiles.config(half!.folder), JSON.stringify({ v: 1, seed: 1, recipe: half!.recipe }));
    asked.length = 0;
    const result = await runAblation({ ...options, resume: true, train: train(Number.POSITIVE_INFINITY) });
    expect(asked).toEqual([
      "two-stage 1 again",
      ...[2, 3].flatMap((seed) => ["task-stratified", "global-group", "two-stage"].map((cell) => `${cell} ${seed}`)),
    ]);
    expect(result.complete).toBe(true);
    expect(JSON.parse(readFileSync(join(out, "ablation.json"), "utf8")).sampled.missing).toEqual([]);
    expect(existsSync(join(out, "ablation.svg"))).toBe(true);
  });

  it("stops between runs when it is asked to", async () => {
    let runs = 0;
    const result = await runAblation({
      ...{ recipe: await recipe(), folder: out, umagraph: "0", stopping: () => runs === 2 },
      train: async (run) => {
        runs++;
        trained(run, () => 3);
      },
    });
    expect(result.complete).toBe(false);
    expect(runs).toBe(2);
  });

  it("refuses a folder of another ablation, one that is taken, and one that holds nothing to go on with", async () => {
    const train = async () => {};
    const options = { folder: out, umagraph: "0", train, stopping: () => true };
    const own = await recipe();
    await expect(runAblation({ ...options, recipe: own, resume: true })).rejects.toThrow("holds no ablation");
    await runAblation({ ...options, recipe: own });
    await expect(runAblation({ ...options, recipe: own })).rejects.toThrow("holds a training run already");
    await expect(runAblation({ ...options, recipe: { ...own, seeds: [7] }, resume: true })).rejects.toThrow(
      "begun with another recipe",
    );
  });
});
