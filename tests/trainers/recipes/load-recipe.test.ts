/** Recipes: those of the package at every scale, files, changes, and the sentence that each mistake gets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UmaError } from "../../../base/errors.ts";
import { corpora } from "../../../trainers/recipes/corpora.ts";
import { type LoadRecipeOptions, loadRecipe, loadRlRecipe } from "../../../trainers/recipes/load-recipe.ts";
import type { Scale } from "../../../trainers/recipes/recipe.ts";
import { recipeNames, recipes } from "../../../trainers/recipes/recipes.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-recipes-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** A model that is there, whatever the assets hold: names and data are what is tested. */
const here = { model: "assets/embedded-policy" };

async function refusal(name: string, options: LoadRecipeOptions = {}): Promise<string> {
  const thrown = await loadRecipe(name, options).then(
    (recipe) => ({ message: `accepted: ${JSON.stringify(recipe)}`, fix: "" }),
    (error: UmaError) => error,
  );
  return `${thrown.message} | ${thrown.fix ?? ""}`;
}

describe("the recipes of the package", () => {
  const all = recipeNames().flatMap((name) =>
    (Object.keys(recipes[name]!.scales) as Scale[]).map((scale) => [name, scale] as const),
  );

  it.each(all.filter(([name, scale]) => !(name === "uma-generalist" && scale === "paper")))(
    "%s at scale %s names only what there is",
    async (name, scale) => {
      const recipe = await loadRecipe(name, { scale, data: false });
      expect(recipe.name).toBe(name);
      expect(recipe.kind).toBe(recipes[name]!.kind);
    },
  );

  it("are those that the issue names, each at the usual scale without asking", async () => {
    expect(recipeNames()).toEqual(
      expect.arrayContaining([
        "uma-generalist",
        "uma-specialist",
        "uma-global-group",
        "uma-two-stage",
        "sft-expert",
        "demo",
      ]),
    );
    for (const name of recipeNames()) expect((await loadRecipe(name, { data: false })).kind).toBe(recipes[name]!.kind);
  });

  it("carry the paper's numbers at paper scale", async () => {
    const recipe = await loadRlRecipe("uma-specialist", { scale: "paper", data: false });
    expect(recipe).toMatchObject({
      model: "Qwen/Qwen3-4B-Instruct-2507",
      loraRank: null,
      rollout: { G: 16, M: null, toolset: "paper", limits: { promptTokens: 8_192, interactionTokens: 8_192 } },
      credit: { estimator: "task-stratified", profile: "paper", rewards: { lambda: 0.5 } },
      objective: "task-stratified",
      adam: { learningRate: 1e-6 },
      data: [{ benchmark: "ledger-qa", config: { horizon: 10, contexts: 200, split: "train" }, contexts: 1 }],
    });
    // 200 samples, six epochs
    expect(recipe.updates).toBe(1_200);
  });

  it("give every sample of Table 9 to the generalist about twice", () => {
    const { data, updates } = recipes["uma-generalist"]!.scales.paper as {
      data: { benchmark: string; every: number; M: number }[];
      updates: number;
    };
    expect(data.map(({ benchmark }) => benchmark)).toEqual(
      corpora.map(({ benchmark }) => benchmark).filter((name) => name !== "ledger-qa"),
    );
    for (const { benchmark, every, M } of data) {
      const corpus = corpora.find((one) => one.benchmark === benchmark)!;
      expect(updates / every / corpus.samples).toBeGreaterThan(1.95);
      expect(updates / every / corpus.samples).toBeLessThan(2.05);
      expect(M).toBe(corpus.questions);
    }
  });

  it("say which corpora of the paper cannot be read here, and where they come from", async () => {
    const said = await refusal("uma-generalist", { scale: "paper" });
    expect(said).toContain("uma-generalist (paper): data: 7 corpora of the paper's mixture (Table 9)");
    for (const { title } of corpora.filter(({ benchmark }) => benchmark !== "ledger-qa")) expect(said).toContain(title);
    expect(said).toContain("YuWangX/Memalpha-full");
    expect(said).toContain("nothing is downloaded");
  });

  it("train on what they never measure", async () => {
    for (const name of ["demo", "uma-specialist", "uma-generalist"] as const) {
      const { data, evaluation } = await loadRlRecipe(name, { data: false });
      expect(new Set(data.map(({ config }) => config.split))).toEqual(new Set(["train"]));
      expect(new Set(evaluation.data.map(({ config }) => config.split))).toEqual(new Set(["test"]));
    }
  });

  it("can be sampled and measured as they say", async () => {
    const recipe = await loadRlRecipe("demo", { overrides: here });
    expect(recipe.evaluation.data[0]!.contexts).toBeGreaterThanOrEqual(60);
    expect(recipe.sampler).toBe("in-process");
  });
});

describe("an ablation", () => {
  it("makes each cell a recipe that differs from the base in what it names", async () => {
    const recipe = await loadRecipe("ablation", { data: false });
    if (recipe.kind !== "ablation") throw new Error(recipe.kind);
    expect(recipe.cells.map(({ name }) => name)).toEqual([
      ...["task-stratified", "global-group", "two-stage", "lambda-0", "without-kl", "uma-code"],
    ]);
    expect(recipe.seeds.length).toBeGreaterThanOrEqual(3);
    const [base, global, two, lambda, kl, code] = recipe.cells.map((cell) => cell.recipe);
    expect(global).toEqual({ ...base!, credit: { ...base!.credit, estimator: "global-group" } });
    expect(two!.credit).toMatchObject({ estimator: "two-stage", schedule: { kind: "two-stage" } });
    expect(lambda!.credit.rewards).toEqual({ lambda: 0 });
    expect(kl!.objective).toMatchObject({ loss: "clipped", kl: null });
    expect(code).toMatchObject({ objective: "uma-code", credit: { profile: "uma-code" } });
    // equal sampled tokens, and no cell stops before by its number of updates alone
    const budgets = recipe.cells.map((cell) => cell.recipe.sampledTokens);
    expect(new Set(budgets).size).toBe(1);
    expect(budgets[0]).toBeGreaterThan(0);
  });

  it("says in which cell something is wrong, and refuses two cells of one name", async () => {
    const wrong = file(
      "wrong.yaml",
      "kind: ablation\nsummary: x\nbase: demo\nseeds: [1]\ncells:\n  - { name: a, summary: x, overrides: { rollout.G: 1 } }\n",
    );
    expect(await refusal(wrong, { data: false })).toContain(
      "cell a: demo (demo): rollout.G: expected at least 2 (one trajectory alone has nothing to be compared with), got 1",
    );
    const twice = file(
      "twice.yaml",
      "kind: ablation\nsummary: x\nbase: demo\nseeds: [1]\ncells:\n  - { name: a, summary: x }\n  - { name: a, summary: y }\n",
    );
    expect(await refusal(twice, { data: false })).toContain("two cells are named a");
  });

  it("takes one seed in place of its own", async () => {
    expect(await loadRecipe("ablation", { data: false, seed: 9 })).toMatchObject({ seeds: [9] });
  });
});

describe("a recipe file", () => {
  it("says only what is different from the recipe that it extends, in YAML and JSON alike", async () => {
    const yaml = file("mine.yaml", "extends: demo\nrollout: { G: 4 }\nadam: { learningRate: 0.001 }\n");
    const json = file(
      "mine.json",
      JSON.stringify({ extends: "demo", rollout: { G: 4 }, adam: { learningRate: 0.001 } }),
    );
    const mine = await loadRlRecipe(yaml, { data: false });
    expect(mine).toEqual(
      await loadRlRecipe(json, { data: false }).then((recipe) => ({ ...recipe, summary: mine.summary })),
    );
    const demo = await loadRlRecipe("demo", { data: false });
    expect(mine).toEqual({
      ...demo,
      ...{ name: "mine", summary: "from mine.yaml" },
      rollout: { ...demo.rollout, G: 4 },
      adam: { ...demo.adam, learningRate: 0.001 },
    });
  });

  it("has scales of its own beside those of the recipe that it extends", async () => {
    const path = file("scaled.yaml", "extends: uma-specialist\nscales:\n  dev: { updates: 7 }\n");
    expect((await loadRlRecipe(path, { scale: "dev", data: false })).updates).toBe(7);
    expect((await loadRlRecipe(path, { scale: "paper", data: false })).updates).toBe(1_200);
    const alone = file("alone.yaml", "kind: rl\nscales: { dev: { updates: 7 } }\n");
    expect(await refusal(alone, { scale: "paper" })).toContain("has no scale paper | its scales: dev");
    const misspelled = file("misspelled.yaml", "extends: demo\nscales: { big: {} }\n");
    expect(await refusal(misspelled)).toContain('there is no scale "big"');
  });

  it("gives the paper's generalist other data, where the corpora are not at hand", async () => {
    const path = file(
      "ledger-only.yaml",
      [
        "extends: uma-generalist",
        "data: [{ benchmark: ledger-qa, config: { split: train, horizon: 2 }, contexts: 2, generated: true }]",
        "evaluation: { data: [{ benchmark: ledger-qa, config: { split: test, horizon: 2, seed: 5 }, contexts: 2 }], every: 10 }",
      ].join("\n"),
    );
    const recipe = await loadRlRecipe(path, { scale: "paper" });
    expect(recipe).toMatchObject({ adam: { learningRate: 1e-6 }, data: [{ contexts: 2 }] });
  });

  it("finds files that it names beside itself, and takes its name from its own", async () => {
    mkdirSync(join(folder, "deep"));
    file("deep/base.yaml", "extends: demo\nupdates: 9\n");
    const mine = file("deep/My Recipe 2.yaml", "extends: base.yaml\nrollout: { G: 3 }\n");
    expect(await loadRlRecipe(mine, { data: false })).toMatchObject({
      name: "my-recipe-2",
      updates: 9,
      rollout: { G: 3 },
    });
    const cells = file(
      "deep/cells.yaml",
      "kind: ablation\nsummary: x\nbase: base.yaml\nseeds: [1]\ncells: [{ name: a, summary: x }]\n",
    );
    expect(await loadRecipe(cells, { data: false })).toMatchObject({
      cells: [{ recipe: { name: "base", updates: 9 } }],
    });
  });

  it("refuses what is no recipe, what is not there, and a circle", async () => {
    expect(await refusal(join(folder, "none.yaml"))).toContain("there is no file");
    expect(await refusal(file("broken.yaml", "a: [1"))).toContain("broken.yaml");
    expect(await refusal(file("list.yaml", "- 1"))).toContain("expected the fields of a recipe, got [1]");
    expect(await refusal(file("kindless.yaml", "updates: 3"))).toContain(
      "kind: expected one of rl, sft, ablation, got nothing",
    );
    const circle = join(folder, "circle.yaml");
    file("circle.yaml", "extends: ./circle.yaml\n");
    expect(await refusal(circle)).toContain("extends it in turn");
    mkdirSync(join(folder, "d.yaml"));
    expect(await refusal(join(folder, "d.yaml"))).toContain("EISDIR");
  });
});

describe("changes", () => {
  const changed = (overrides: Record<string, unknown>) =>
    loadRlRecipe("demo", { overrides: { ...here, ...overrides }, data: false });

  it("reach into objects and lists by path", async () => {
    const recipe = await changed({ "rollout.G": 8, "data.0.contexts": 4, "data.0.config.horizon": 2, updates: 3 });
    expect(recipe).toMatchObject({
      rollout: { G: 8 },
      updates: 3,
      data: [{ contexts: 4, config: { horizon: 2, profile: "micro" } }],
    });
  });

  it("replace an objective and a schedule as a whole", async () => {
    const { objective, credit } = await changed({
      objective: { loss: "reinforce", kl: null, aggregation: "token-mean" },
      credit: { estimator: "two-stage", schedule: { kind: "two-stage", memoryUpdates: 2 } },
    });
    expect(objective).toEqual({ loss: "reinforce", kl: null, aggregation: "token-mean", tis: null });
    expect(credit.schedule).toEqual({ kind: "two-stage", memoryUpdates: 2 });
  });

  it("refuse an entry that a list does not have", async () => {
    await expect(changed({ "data.5.contexts": 4 })).rejects.toThrow("data: there is no entry 5 in a list of 1");
  });
});

describe("a mistake gets a sentence", () => {
  it.each([
    ["a name", "dmo", {}, 'there is no recipe named "dmo" | did you mean demo?'],
    ["a scale", "demo", { scale: "paper" }, "demo has no scale paper | its scales: demo"],
    [
      "a key",
      "demo",
      { "adam.learningrate": 1 },
      "there is no field adam.learningrate (did you mean adam.learningRate?)",
    ],
    [
      "a key in a list",
      "demo",
      { "data.0.context": 1 },
      "there is no field data.0.context (did you mean data.0.contexts?)",
    ],
    ["a key of the limits", "demo", { "rollout.limits.maxTurn": 1 }, "(did you mean rollout.limits.maxTurns?)"],
    [
      "a reward option",
      "demo",
      { "credit.rewards.lamda": 1 },
      "credit.rewards: there is no option lamda | did you mean lambda?",
    ],
    [
      "G = 1",
      "demo",
      { "rollout.G": 1 },
      "rollout.G: expected at least 2 (one trajectory alone has nothing to be compared with), got 1",
    ],
    ["M above what there is", "demo", { "rollout.M": 60 }, "questions per context, but"],
    [
      "a benchmark",
      "demo",
      { "data.0.benchmark": "ledgerqa" },
      'there is no benchmark named "ledgerqa" | did you mean ledger-qa?',
    ],
    ["a benchmark's option", "demo", { "data.0.config.horizon": "x" }, "data.0.config.horizon: expected a number"],
    [
      "a metric",
      "demo",
      { "data.0.outcome": "decimal_exat" },
      'ledger-qa has no metric "decimal_exat" | did you mean decimal_exact?',
    ],
    [
      "an estimator",
      "demo",
      { "credit.estimator": "global" },
      'there is no estimator "global" | did you mean global-group?',
    ],
    ["an objective", "demo", { objective: "task" }, 'there is no objective named "task"'],
    [
      "a part of an objective",
      "demo",
      { objective: { loss: "clipped" } },
      "objective.clip: expected an object, got nothing",
    ],
    [
      "a loss",
      "demo",
      { objective: { loss: "clippd" } },
      "objective.loss: expected one of clipped, gspo, cispo, reinforce, sft, dpo, got",
    ],
    [
      "a kind of schedule",
      "demo",
      { "credit.schedule": { kind: "two" } },
      "credit.schedule.kind: expected one of joint, two-stage, alternating, got",
    ],
    [
      "a misspelled option",
      "demo",
      { "data.0.config.horizn": 3 },
      "there is no field data.0.config.horizn (did you mean data.0.config.horizon?)",
    ],
    ["a supervised objective", "demo", { objective: "sft" }, "cannot train on rewards"],
    ["a toolset", "demo", { "rollout.toolset": "papr" }, 'there is no toolset "papr"'],
    [
      "a two-stage estimator without its schedule",
      "demo",
      { "credit.estimator": "two-stage" },
      "two-stage is not defined for a joint schedule",
    ],
    [
      "a missing file",
      "demo",
      { data: [{ benchmark: "locomo", config: { data: "none.json" }, contexts: 1 }] },
      "data.0: cannot read the LoCoMo file",
    ],
    [
      "a file of contexts that is not there",
      "demo",
      { "data.0.config.file": "none.jsonl" },
      "data.0: cannot read none.jsonl",
    ],
    [
      "too few contexts",
      "demo",
      { "evaluation.data.0.config.contexts": 3 },
      "evaluation.data.0: 60 contexts are wanted, ledger-qa has 3",
    ],
    [
      "held-out data that is trained on",
      "demo",
      { "evaluation.data.0.config.split": "train" },
      "evaluation.data.0 would be measured on what data.0 trains on",
    ],
    ["no source in every update", "demo", { "data.0.every": 2 }, "no source takes part in every update"],
    ["a model that is not there", "demo", { model: "./none" }, "model: the model folder ./none is not there"],
    [
      "a hub's model in this process",
      "demo",
      { model: "Qwen/Qwen3-0.6B" },
      "sampling in this process needs a model folder",
    ],
  ] as const)("%s", async (what, name, given, expected) => {
    const { scale, ...changes } = given as { scale?: Scale };
    const overrides = name === "demo" ? { ...here, ...changes } : changes;
    const data = /^(?:M |too few|a missing|a file|a model)/.test(what);
    expect(await refusal(name, { ...(scale && { scale }), overrides, data })).toContain(expected);
  });
});

describe("a supervised recipe", () => {
  it("begins from a policy or from nothing, and takes another seed", async () => {
    expect(await loadRecipe("cold-start", { data: false, overrides: { start: null } })).toMatchObject({ start: null });
    const cold = await loadRecipe("cold-start", { seed: 5, overrides: { start: "assets/embedded-policy" } });
    expect(cold).toMatchObject({ kind: "sft", start: "assets/embedded-policy", seed: 5 });
    expect(await refusal("cold-start", { overrides: { start: "./none" } })).toContain(
      "start: the model folder ./none is not there",
    );
  });

  it("refuses a shape that could be trained and not be scored", async () => {
    const odd = { "shape.headWidth": 8 };
    expect(await refusal("sft-first", { overrides: odd, data: false })).toContain(
      "shape.headWidth: expected a multiple of 16, got 8",
    );
    expect(await refusal("sft-first", { overrides: { ...odd, scoring: null }, data: false })).toContain("accepted");
  });

  it("refuses sets that cannot be kept or compared", async () => {
    expect(await refusal("cold-start", { overrides: { "heldOut.file": "habits-train.jsonl" } })).toContain(
      "two sets would be kept in habits-train.jsonl",
    );
    expect(await refusal("cold-start", { overrides: { "heldOut.split": "train" } })).toContain(
      "both of the split train",
    );
    expect(await refusal("cold-start", { overrides: { "vocabulary.least": [] } })).toContain(
      "one number for each of 1 sets",
    );
    expect(await refusal("cold-start", { overrides: { "sets.0.trained": false } })).toContain(
      "none of them is trained on",
    );
    expect(await refusal("cold-start", { overrides: { "sets.0.file": "../x.jsonl" } })).toContain(
      "expected a file name",
    );
  });
});
