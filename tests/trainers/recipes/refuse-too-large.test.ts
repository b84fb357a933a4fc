/** What a recipe costs: the arithmetic, and what is refused with it. */
import { describe, expect, it } from "vitest";
import { loadRlRecipe } from "../../../trainers/recipes/load-recipe.ts";
import { type Machine, thisMachine } from "../../../trainers/recipes/machine.ts";
import { modelSize } from "../../../trainers/recipes/model-size.ts";
import type { RlRecipe } from "../../../trainers/recipes/recipe.ts";
import { recipeCost } from "../../../trainers/recipes/recipe-cost.ts";
import { memoryLines, refuseTooLarge, timeLines } from "../../../trainers/recipes/refuse-too-large.ts";

const laptop: Machine = { memory: 16e9, cores: 8, gpu: null };
const server: Machine = { memory: 256e9, cores: 16, gpu: null };
const h200: Machine = { memory: 256e9, cores: 16, gpu: { name: "NVIDIA H200", memory: 141e9 } };
const small: Machine = { memory: 64e9, cores: 16, gpu: { name: "NVIDIA RTX 4090", memory: 24e9 } };

const specialist = (scale: "dev" | "paper", overrides: Record<string, unknown> = {}): Promise<RlRecipe> =>
  loadRlRecipe("uma-specialist", { scale, overrides, data: false });

/** Two small contexts instead of a set: the arithmetic is what is tested. */
const few = {
  data: [{ benchmark: "ledger-qa", config: { split: "train", horizon: 2, contexts: 2, questions: 8 }, contexts: 2 }],
};

describe("the size of a model", () => {
  it("follows from its shape", () => {
    // published: 4.02, 0.596 and 8.19 thousand million
    expect(modelSize("Qwen/Qwen3-4B-Instruct-2507")!.parameters).toBeCloseTo(4.022e9, -7);
    expect(modelSize("Qwen/Qwen3-0.6B")!.parameters).toBeCloseTo(0.596e9, -6);
    expect(modelSize("Qwen/Qwen3-8B")!.parameters).toBeCloseTo(8.19e9, -8);
    // 36 layers, keys and values of 8 heads of 128: 144 KiB a token in 16 bits
    expect(modelSize("Qwen/Qwen3-4B")!.kvPerToken * 2).toBe(147_456);
  });

  it("is read from the config of a folder, and unknown for what is neither", () => {
    const { parameters } = modelSize("assets/embedded-policy")!;
    // norms are not counted
    expect(parameters).toBeGreaterThan(0.99 * 1_003_904);
    expect(parameters).toBeLessThan(1_003_904);
    expect(modelSize("somebody/some-model")).toBeNull();
  });
});

describe("what a recipe costs", () => {
  it("counts what all parameters keep on a card: 18 bytes each, and copies to sample from and to compare with", async () => {
    const { memory } = (await recipeCost(await specialist("paper", few), h200))!;
    const perParameter = memory.items.slice(0, 6).map(({ bytes }) => bytes / 4.022e9);
    expect(perParameter.map((bytes) => Math.round(bytes))).toEqual([2, 4, 4, 8, 2, 2]);
    expect(memory.bytes).toBe(memory.items.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(memory.available).toBe(141e9);
    const withoutReference = (await recipeCost(await specialist("paper", { ...few, objective: "dapo" }), h200))!;
    expect(memory.bytes - withoutReference.memory.bytes).toBeCloseTo(2 * 4.022e9, -8);
  });

  it("counts sessions from contexts: G × (N + M) for each that takes part", async () => {
    const { time } = (await recipeCost(await specialist("paper", few), h200))!;
    expect(time.sessionsPerUpdate).toBe(2 * 16 * (2 + 8));
    expect(time.tokensPerUpdate.most).toBe(time.sessionsPerUpdate * 16_384);
    const every = await specialist("paper", { data: [...few.data, { ...few.data[0]!, contexts: 1, every: 4 }] });
    expect((await recipeCost(every, h200))!.time.sessionsPerUpdate).toBeCloseTo(2.25 * 16 * 10, 6);
    expect(time.days.least).toBeLessThan(time.days.most);
  });

  it("is written down as it was counted", async () => {
    const recipe = await specialist("paper", few);
    const cost = (await recipeCost(recipe, h200))!;
    expect(memoryLines(cost)).toMatch(/4,022,272,000 parameters\n +8 GB {2}weights that compute \(2 bytes each\)/);
    expect(memoryLines(cost)).toMatch(/GB {2}in all, of 141 GB$/);
    expect(timeLines(recipe, cost)).toMatch(
      /320 sessions an update.*\n.*× 1,200 updates ÷ 3,398 tokens\/s.*\n.*at least, .* at most/,
    );
  });
});

describe("a machine is refused what it cannot do", () => {
  it("for want of memory, with what would be held", async () => {
    const recipe = await specialist("paper", few);
    await expect(refuseTooLarge(recipe, laptop)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(
        /does not fit into this machine, which has no CUDA device, with 16 GB:\n(?:.*\n)*.*32 GB {2}Adam's two moments/,
      ),
      fix: expect.stringContaining("--learner <url>"),
    });
    await expect(refuseTooLarge(recipe, small)).rejects.toThrow(
      "does not fit into this machine's NVIDIA RTX 4090 with 24 GB",
    );
  });

  it("for want of time, with sessions, tokens and speed", async () => {
    const long = await specialist("paper", { ...few, updates: 20_000 });
    await expect(refuseTooLarge(long, server)).rejects.toThrow(
      /would take this machine.*at least .* days:\n.*320 sessions an update/,
    );
  });

  it("and nothing that it can: the paper's run on one H200, adapters on a small card, the demo anywhere", async () => {
    expect(await refuseTooLarge(await specialist("paper", few), h200)).not.toBeNull();
    expect(await refuseTooLarge(await specialist("dev", few), small)).not.toBeNull();
    const demo = await loadRlRecipe("demo", { overrides: { model: "assets/embedded-policy" }, data: false });
    expect((await refuseTooLarge(demo, laptop))!.memory.bytes).toBeLessThan(1e9);
  });

  it("nor anything of a model whose shape nobody knows", async () => {
    expect(
      await refuseTooLarge(await specialist("paper", { ...few, model: "somebody/some-model" }), laptop),
    ).toBeNull();
  });

  it("knows this machine", () => {
    const machine = thisMachine();
    expect(machine.memory).toBeGreaterThan(1e8);
    expect(machine.cores).toBeGreaterThan(0);
  });
});
