import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { Piscina } from "piscina";
import { describe, expect, it } from "vitest";
import { contentHash } from "../../../base/hash.ts";
import { createPolicy } from "../../../policies/index.ts";
import { tokensOf } from "../../../policies/message-tokens.ts";
import type { Policy } from "../../../policies/policy.ts";
import { folders } from "./golden-models.ts";

const root = resolve(import.meta.dirname, "..", "..", "..");
const spec = { policy: "embedded", model: folders.tied, temperature: 1 };
const messages = [new SystemMessage("Keep the books."), new HumanMessage("I paid 12 for lunch on 2024-03-04.")];
const ask = (policy: Policy, seed: number) => policy.sample({ messages, tools: [], maxTokens: 24, seed });

describe("the embedded policy", () => {
  it("samples token-exactly: ids and log-probabilities travel with the message, the next turn goes on from them", async () => {
    const policy = await createPolicy(spec);
    expect(policy).toMatchObject({ name: "embedded:tied-f16", scripted: false });
    expect(policy.weights).toMatch(/^[0-9a-f]{16}$/);
    expect(policy.countTokens("lunch")).toBeGreaterThan(0);
    const first = await ask(policy, 3);
    const tokens = tokensOf(first.message)!;
    expect(tokens).toMatchObject({ restart: true, weights: policy.weights });
    expect(tokens.logprobs).toHaveLength(tokens.completion.length);
    expect(first.usage).toEqual({ prompt: tokens.prompt.length, completion: tokens.completion.length });
    const next = [...messages, first.message, new ToolMessage({ content: "OK", tool_call_id: "c1" })];
    const second = await policy.sample({ messages: next, tools: [], maxTokens: 8, seed: 4 });
    expect(tokensOf(second.message)!.restart).toBe(false);
  });

  it("gives the same reply for the same seed, whoever asks beside it, and is greedy unless told otherwise", async () => {
    const policy = await createPolicy(spec);
    const together = await Promise.all(Array.from({ length: 8 }, (_, seed) => ask(policy, seed)));
    const again = await createPolicy(spec);
    for (const seed of [5, 0]) expect((await ask(again, seed)).text).toBe(together[seed]!.text);
    expect(new Set(together.map(({ text }) => text)).size).toBeGreaterThan(1);
    const greedy = await createPolicy({ policy: "embedded", model: folders.tied });
    expect((await ask(greedy, 1)).text).toBe((await ask(greedy, 2)).text);
  });

  it("works in a piscina worker, from the same JSON", async () => {
    const pool = new Piscina({
      filename: resolve(import.meta.dirname, "embedded-worker.mjs"),
      execArgv: [],
      maxThreads: 1,
      concurrentTasksPerWorker: 4,
    });
    try {
      const policy = await createPolicy(spec);
      const seeds = [1, 2, 3, 4];
      const there = await Promise.all(seeds.map((seed) => pool.run({ spec, seed })));
      const here = await Promise.all(seeds.map(async (seed) => (await ask(policy, seed)).text));
      expect(there).toEqual(here);
    } finally {
      await pool.destroy();
    }
  });

  it("names a folder that is none, and says how to come to a model", async () => {
    await expect(createPolicy({ policy: "embedded", model: root })).rejects.toMatchObject({ code: "input" });
    await expect(createPolicy({ policy: "embedded", temperature: -1 })).rejects.toThrow(/temperature/);
  });

  it.skipIf(existsSync(resolve(root, "assets", "embedded-policy")))(
    "without the trained model says so (assets/embedded-policy is not there)",
    async () => {
      await expect(createPolicy({ policy: "embedded" })).rejects.toMatchObject({
        code: "config",
        fix: expect.stringContaining("npm run build:policy"),
      });
    },
  );

  it.skipIf(!existsSync(resolve(root, "assets", "embedded-policy", "model.safetensors")))(
    "by default is the trained model of assets/embedded-policy",
    async () => {
      const policy = await createPolicy({ policy: "embedded" });
      expect(policy.name).toBe("embedded");
      expect((await ask(policy, 0)).usage!.completion).toBeGreaterThan(0);
    },
  );
});

it("the version of the weights is the content of their file", async () => {
  const { readFile } = await import("node:fs/promises");
  const policy = await createPolicy(spec);
  expect(policy.weights).toBe(contentHash(await readFile(resolve(folders.tied, "model.safetensors"))));
});
