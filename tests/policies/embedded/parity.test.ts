/** The forward pass against PyTorch: golden answers, and 200 fresh prompts where the learner's Python is there. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { embeddedSampler } from "../../../policies/embedded/embedded-sampler.ts";
import { servicePython, whyNoService } from "../../support/learner-service.ts";
import { type Answer, answersOf, folders, furthest, goldenFolder, logitsOf, networkOf } from "./golden-models.ts";

async function expectSame(folder: string, answers: readonly Answer[]): Promise<void> {
  const network = await networkOf(folder);
  for (const { prompt, logits } of answers) expect(furthest(logits, logitsOf(network, prompt))).toBeLessThan(1e-4);
  const sampler = await embeddedSampler(folder);
  const sampled = await Promise.all(
    answers.map(({ prompt, completion }) =>
      sampler.sample({ promptIds: Int32Array.from(prompt), maxTokens: completion.length, seed: 0, stopIds: [] }),
    ),
  );
  expect(sampled.map(({ ids }) => [...ids])).toEqual(answers.map(({ completion }) => completion));
  sampled.forEach(({ logprobs }, i) => {
    expect(furthest(answers[i]!.logprobs, logprobs)).toBeLessThan(1e-4);
  });
}

describe("the embedded network", () => {
  it.each(Object.entries(folders))("gives PyTorch's logits and greedy completions: %s", async (_, folder) => {
    const answers = answersOf(folder);
    expect(answers.length).toBeGreaterThan(5);
    await expectSame(folder, answers);
  });

  it("computes the same without WebAssembly, bit for bit", async () => {
    for (const folder of Object.values(folders)) {
      const [fast, plain] = [await networkOf(folder), await networkOf(folder, { plain: true })];
      expect([fast.fast, plain.fast]).toEqual([true, false]);
      for (const { prompt } of answersOf(folder)) expect(logitsOf(plain, prompt)).toEqual(logitsOf(fast, prompt));
    }
  });

  it.skipIf(servicePython === null)(
    `gives PyTorch's answers to 200 random prompts (${servicePython === null ? whyNoService : "learner's Python"})`,
    async () => {
      const parent = mkdtempSync(join(tmpdir(), "umagraph-parity-"));
      const folder = join(parent, "model");
      const args = [join(goldenFolder, "reference.py"), "live", folder, "200", "16"];
      try {
        const { stdout } = await promisify(execFile)(servicePython!, args, { maxBuffer: 2 ** 26 });
        const answers = JSON.parse(stdout) as Answer[];
        expect(answers).toHaveLength(200);
        await expectSame(folder, answers);
      } finally {
        rmSync(parent, { recursive: true, force: true });
      }
    },
    600_000,
  );
});
