/** A supervised recipe from beginning to end, with our own learner service: stopped, gone on with, exported, scored. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedLearner } from "../../../cli/train/embedded-learner.ts";
import { loadRecipe } from "../../../trainers/recipes/load-recipe.ts";
import type { SftRecipe } from "../../../trainers/recipes/sft-recipe.ts";
import { publishedFolder } from "../../../trainers/sft/published-folder.ts";
import { type SupervisedRunOptions, trainSupervisedRecipe } from "../../../trainers/sft/train-supervised-recipe.ts";
import { servicePython, whyNoService } from "../../support/learner-service.ts";

let out: string;
let recipe: SftRecipe;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "umagraph-sft-recipe-"));
  process.env.UMAGRAPH_LEARNER_STATE = join(out, "state");
  const loaded = await loadRecipe("sft-first", {
    scale: "dev",
    data: false,
    overrides: {
      name: "tiny",
      sets: [
        { profile: "micro", horizons: [2], file: "a.jsonl", split: "train", questions: 1, seed: 1, count: 16 },
        // only its words are wanted
        {
          profile: "micro",
          horizons: [3],
          file: "b.jsonl",
          split: "train",
          questions: 1,
          seed: 2,
          count: 4,
          trained: false,
        },
      ],
      heldOut: { profile: "micro", horizons: [2], file: "t.jsonl", split: "test", questions: 1, seed: 770, count: 4 },
      vocabulary: { sessions: 16, least: [1, 1] },
      shape: { width: 16, layers: 1, heads: 2, headWidth: 16, feedForward: 32, context: 4_096, rope: 10_000 },
      ...{ steps: 6, reportEvery: 2, checkpointEvery: 2 },
      learningRate: { peak: 0.003, warmUp: 2, anneal: 2 },
      scoring: {
        data: [
          {
            benchmark: "ledger-qa",
            config: { profile: "micro", split: "test", horizon: 2, questions: 1 },
            contexts: 1,
          },
        ],
        sessions: { toolset: "ledger", prompts: "micro", limits: { interactionTokens: 200, maxTurns: 2 } },
        sampled: true,
      },
    },
  });
  if (loaded.kind !== "sft") throw new Error(loaded.kind);
  recipe = loaded;
}, 60_000);
afterAll(() => {
  delete process.env.UMAGRAPH_LEARNER_STATE;
  rmSync(out, { recursive: true, force: true });
});

const options = (name: string, more: Partial<SupervisedRunOptions> = {}): SupervisedRunOptions => {
  const folder = join(out, name);
  return {
    ...{ folder, recipe, umagraph: "0" },
    openLearner: (model) =>
      startEmbeddedLearner({
        ...{ folder, model, loraRank: null, device: "cpu", threads: 1, wait: 300 },
        say: () => {},
      }),
    ...more,
  };
};

const hashOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
const reports = (folder: string) =>
  readFileSync(join(folder, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => ({ ...(JSON.parse(line) as { step: number; seconds: number }), seconds: 0 }));

describe.skipIf(servicePython === null)(`with the service (${servicePython === null ? whyNoService : "here"})`, () => {
  it("gives the same weights when it is stopped and gone on with, and a policy that can be scored and shipped", {
    timeout: 600_000,
  }, async () => {
    const whole = await trainSupervisedRecipe(options("whole"));
    const stop = new AbortController();
    const stopped = trainSupervisedRecipe(
      options("stopped", {
        signal: stop.signal,
        onReport: ({ step }) => {
          if (step === 4) stop.abort();
        },
      }),
    );
    await expect(stopped).rejects.toThrow();
    const to = join(out, "shipped");
    const resumed = await trainSupervisedRecipe(options("stopped", { resume: true, to }));

    expect(reports(resumed.folder)).toEqual(reports(whole.folder));
    const weights = join("policy", "model.safetensors");
    expect(hashOf(join(resumed.folder, weights))).toBe(hashOf(join(whole.folder, weights)));
    expect(hashOf(join(to, "model.safetensors"))).toBe(hashOf(join(whole.folder, weights)));
    expect(JSON.parse(readFileSync(join(to, "session.json"), "utf8"))).toEqual({
      toolset: "ledger",
      prompts: "micro",
      maxTurns: 2,
    });
    expect(whole.policy!.bytes).toBeLessThan(whole.policy!.parameters * 2 + 10_000);
    // two states in turn, and one published set of weights
    const [run] = readdirSync(join(whole.folder, "checkpoints")).filter((name) => name.includes("~train~"));
    const kept = (kind: string) =>
      readdirSync(join(whole.folder, "checkpoints", run!, kind)).filter((name) => !name.includes("."));
    expect(kept("weights").sort()).toEqual(["sft-0", "sft-1"]);
    expect(kept("sampler_weights")).toEqual(["policy-6"]);

    expect(whole.scores.map(({ tokens, contexts, folder }) => ({ tokens, contexts, folder }))).toEqual([
      { tokens: "greedy", contexts: 1, folder: join("scores", "0-ledger-qa-greedy") },
      { tokens: "sampled", contexts: 1, folder: join("scores", "0-ledger-qa-sampled") },
    ]);
    expect(whole.scores.every(({ mean }) => mean !== null && mean >= 0 && mean <= 1)).toBe(true);
    expect(JSON.parse(readFileSync(join(whole.folder, "scores.json"), "utf8"))).toEqual(whole.scores);

    // complete: no learner is started again
    const again = await trainSupervisedRecipe(
      options("whole", { resume: true, openLearner: () => Promise.reject(new Error("a learner was asked for")) }),
    );
    expect(again).toEqual({ ...whole, report: null });
  });
});

describe("a run that cannot begin", () => {
  const never = { openLearner: () => Promise.reject(new Error("no learner today")) };

  it("keeps what it has prepared, and is nobody else's", { timeout: 60_000 }, async () => {
    await expect(trainSupervisedRecipe(options("taken", never))).rejects.toThrow("no learner today");
    const folder = join(out, "taken");
    expect(readdirSync(folder).sort()).toEqual(["a.jsonl", "b.jsonl", "initial", "t.jsonl", "training.json"]);
    expect(existsSync(join(folder, "initial", "model.safetensors"))).toBe(true);
    expect(readFileSync(join(folder, "a.jsonl"), "utf8").trim().split("\n")).toHaveLength(16);

    await expect(trainSupervisedRecipe(options("taken", never))).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("holds a training run already"),
      fix: expect.stringContaining("--resume"),
    });
    const other = { ...recipe, steps: 7 };
    await expect(trainSupervisedRecipe(options("taken", { ...never, recipe: other, resume: true }))).rejects.toThrow(
      "begun with another recipe",
    );
    await expect(trainSupervisedRecipe(options("none", { ...never, resume: true }))).rejects.toThrow(
      "holds no training run",
    );
  });

  it("refuses a start that is not there before it makes anything", async () => {
    const missing = { ...recipe, start: join(out, "nowhere") };
    await expect(trainSupervisedRecipe(options("unmade", { ...never, recipe: missing }))).rejects.toThrow(
      "is not there",
    );
    expect(existsSync(join(out, "unmade"))).toBe(false);
  });

  it("takes over the weights and words of a start whole", async () => {
    const folder = join(out, "started");
    mkdirSync(folder);
    for (const { file } of [...recipe.sets, recipe.heldOut]) writeFileSync(join(folder, file), "");
    const from = { ...recipe, start: "assets/embedded-policy" };
    await expect(trainSupervisedRecipe(options("started", { ...never, recipe: from }))).rejects.toThrow(
      "no learner today",
    );
    for (const name of ["model.safetensors", "tokenizer.json", "config.json"])
      expect(hashOf(join(folder, "initial", name))).toBe(hashOf(join("assets", "embedded-policy", name)));
  });
});

describe("a published path", () => {
  it("is a folder below the learner's checkpoints, and nothing else", () => {
    expect(publishedFolder("/c", "tinker://s-1:train:0/sampler_weights/policy-6")).toBe(
      join("/c", "s-1~train~0", "sampler_weights", "policy-6"),
    );
    for (const path of ["policy-6", "tinker://a/b/c", "tinker://../weights/x", "tinker://a/weights/.."])
      expect(publishedFolder("/c", path)).toBeNull();
  });
});
