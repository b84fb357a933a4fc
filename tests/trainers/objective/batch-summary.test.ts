/** The numbers of a batch, by hand. */
import { expect, it } from "vitest";
import { summarizeBatch } from "../../../trainers/objective/batch-summary.ts";
import { compile } from "../../../trainers/objective/compile.ts";
import { objectives } from "../../../trainers/objective/objectives.ts";
import { profiles } from "../../../trainers/objective/profiles.ts";
import type { TrainingSession } from "../../../trainers/objective/training-session.ts";

const part = (length: number, trained: number) => ({
  ids: new Int32Array(length),
  mask: new Uint8Array(length).fill(1, length - trained),
  sampler: new Float32Array(length).fill(-1),
});

const sessions: TrainingSession[] = [
  { id: "m0", stage: "memory", advantage: 1, parts: [part(10, 4), part(6, 2)] },
  { id: "m1", stage: "memory", advantage: 0, parts: [part(8, 3)] },
  { id: "q0", stage: "qa", advantage: -1, parts: [part(4, 1)] },
  { id: "q1", stage: "qa", advantage: null, reason: "judge failed", parts: [part(9, 5)] },
];

it("counts strata, tokens, zero advantages, padding and reasons", () => {
  const plan = compile(objectives.dapo, sessions, profiles.tinker);
  expect(summarizeBatch(sessions, plan)).toEqual({
    strata: {
      memory: { sessions: 2, withSignal: 2, shipped: 1, trainedTokens: 6 },
      qa: { sessions: 2, withSignal: 1, shipped: 1, trainedTokens: 1 },
    },
    datums: 3,
    brokenPrefixes: 1,
    tokens: { shipped: 20, trained: 7 },
    zeroAdvantageShare: 1 / 3,
    // three sequences as long as the longest would be 30 tokens, 20 are there
    paddingWaste: 1 - 20 / 30,
    left: { "judge failed": 1 },
  });
});

it("has no shares of nothing", () => {
  const summary = summarizeBatch([], compile(objectives.dapo, [], profiles.tinker));
  expect(summary).toMatchObject({ datums: 0, zeroAdvantageShare: null, paddingWaste: null });
});
