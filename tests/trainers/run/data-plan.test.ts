import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { generateLedgerQa } from "../../../evals/benchmarks/ledger-qa/generate.ts";
import { lineToEvalContext } from "../../../evals/benchmarks/ledger-qa/ledger-lines.ts";
import { dataPlan, type PlannedSource } from "../../../trainers/run/data-plan.ts";
import { tinyRecipe } from "./tiny-recipe.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-data-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function contextsOf({ benchmark, config }: PlannedSource) {
  const found = [];
  for await (const context of benchmark.load(benchmark.config.parse(config))) found.push(context);
  return found;
}
const idsOf = async (source: PlannedSource) => (await contextsOf(source)).map(({ id }) => id);

const generated = (config: object, more: object = {}) => ({
  benchmark: "ledger-qa",
  config: { profile: "micro", horizon: 2, split: "train", ...config },
  contexts: 2,
  generated: true,
  ...more,
});
const recipe = (data: object[], heldOut: object = { split: "test", seed: 5 }) =>
  tinyRecipe("assets/embedded-policy", {
    data,
    evaluation: { data: [{ benchmark: "ledger-qa", config: { profile: "micro", ...heldOut }, contexts: 4 }], every: 1 },
  });

describe("contexts of a generator", () => {
  it("are new in every update, and the same for the same seed and update", async () => {
    const of = async (seed: number, update: number) =>
      idsOf((await (await dataPlan(recipe([generated({})]), seed)).training(update))[0]!);
    const [first, again, second, other] = [await of(1, 1), await of(1, 1), await of(1, 2), await of(2, 1)];
    expect(first).toHaveLength(2);
    expect(again).toEqual(first);
    expect(new Set([...first, ...second, ...other]).size).toBe(6);
  });

  it("are spread evenly over horizons", async () => {
    const plan = await dataPlan(recipe([generated({ horizon: [2, 3, 4] }, { contexts: 3 })]), 1);
    const contexts = await contextsOf((await plan.training(1))[0]!);
    expect(contexts.map(({ chunks }) => chunks.length).sort()).toEqual([2, 3, 4]);
  });
});

describe("contexts of a fixed set", () => {
  it("come in another order in each epoch, none twice within one, and what is left over is left out", async () => {
    const path = join(folder, "set.jsonl");
    const lines = [];
    for await (const line of generateLedgerQa(
      ledgerQaConfig.parse({ profile: "micro", horizon: 2, contexts: 5, seed: 3, split: "train" }),
    ))
      lines.push(line);
    expect(lines.map((line) => lineToEvalContext(line).id)).toHaveLength(5);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const plan = await dataPlan(recipe([{ benchmark: "ledger-qa", config: { file: path }, contexts: 2 }]), 1);
    const of = async (update: number) => idsOf((await plan.training(update))[0]!);
    const epochs = [];
    for (let epoch = 0; epoch < 4; epoch++) epochs.push([...(await of(2 * epoch + 1)), ...(await of(2 * epoch + 2))]);
    for (const ids of epochs) expect(new Set(ids).size).toBe(4);
    expect(new Set(epochs.map((ids) => ids.join())).size).toBeGreaterThan(1);
    expect(new Set(epochs.flat()).size).toBe(5);
    await expect(
      (await dataPlan(recipe([{ benchmark: "ledger-qa", config: { file: path }, contexts: 6 }]), 1)).training(1),
    ).rejects.toThrow(/6 contexts are wanted, ledger-qa has 5/);
  });
});

describe("several sources", () => {
  it("have a folder of their own each, and one that takes part now and then is left out in between", async () => {
    const plan = await dataPlan(recipe([generated({}), generated({ horizon: 3 }, { every: 2 })]), 1);
    const names = async (update: number) => (await plan.training(update)).map(({ name }) => name);
    expect([await names(1), await names(2), await names(3)]).toEqual([
      ["ledger-qa", "ledger-qa-2"],
      ["ledger-qa"],
      ["ledger-qa", "ledger-qa-2"],
    ]);
    const [, first] = await plan.training(1);
    const [, third] = await plan.training(3);
    expect(await idsOf(first!)).not.toEqual(await idsOf(third!));
  });
});

describe("held-out contexts", () => {
  it("are as many as are wanted, always the same ones", async () => {
    const plan = await dataPlan(recipe([generated({})], { split: "test", seed: 5, horizon: [2, 3] }), 1);
    const contexts = await contextsOf(plan.heldOut[0]!);
    expect(contexts.map(({ chunks }) => chunks.length)).toEqual([2, 2, 3, 3]);
  });

  it("are refused where they may be trained on", async () => {
    await expect(dataPlan(recipe([generated({})], { split: "train", seed: 5 }), 1)).rejects.toThrow(
      /evaluation\.data\.0 would be measured on what data\.0 trains on/,
    );
  });
});
