import { describe, expect, it } from "vitest";
import { Guards } from "../../../trainers/recipes/recipe.ts";
import { entropyGuard, rewardGuards, samplingHalt, stepGuards } from "../../../trainers/run/guards.ts";

const guards = Guards.parse({ patience: 2, minEntropy: 0.05 });
const calm = { validity: 0, entropy: 0, failing: 0 };
const sound = {
  update: 7,
  sessions: { memory: 10, qa: 10, failed: 0 },
  outcome: 0.4,
  validity: { memory: 0.9, qa: 0.8 },
};
const metrics = {
  ...{ objective: 0.1, tokens: 100, ratio: 1, clipShare: 0, klOld: 0, klRef: 0.01, samplerGap: 1e-6, entropy: 0.5 },
};

describe("guard rails after sampling", () => {
  it("say nothing of an update that is sound, and forget what was bad before it", () => {
    expect(rewardGuards(sound, { validity: 1, entropy: 1, failing: 1 }, guards)).toEqual({
      counters: { validity: 0, entropy: 1, failing: 0 },
      warnings: [],
      halted: null,
    });
  });

  it("stop at once when too many sessions failed", () => {
    const { halted } = rewardGuards({ ...sound, sessions: { memory: 10, qa: 10, failed: 11 } }, calm, guards);
    expect(halted).toMatchObject({ reason: "failures", sentence: expect.stringMatching(/55 % .* more than 50 %/) });
    expect(halted!.sentence).toContain("umagraph inspect <run folder>/updates/0007)");
  });

  it("wait for a collapse to last: a warning first, a stop with its reason and what to do after `patience` updates", () => {
    for (const [bad, name, said] of [
      [{ ...sound, outcome: 0 }, "failing", /answered wrongly/],
      [{ ...sound, outcome: null }, "failing", /answered wrongly, or none could be scored/],
      [{ ...sound, validity: { memory: null, qa: 0.1 } }, "validity", /10 % of the calls are valid, less than 20 %/],
    ] as const) {
      const first = rewardGuards(bad, calm, guards);
      expect(first).toMatchObject({ halted: null, warnings: [expect.stringMatching(said)] });
      expect(first.counters[name]).toBe(1);
      const second = rewardGuards(bad, first.counters, guards);
      expect(second.halted).toMatchObject({
        reason: name,
        sentence: expect.stringMatching(/2 updates in a row.*What to do/),
      });
    }
  });

  it("do not take the absence of calls for invalid ones", () => {
    expect(rewardGuards({ ...sound, validity: null }, calm, guards)).toMatchObject({ counters: calm, halted: null });
  });

  it("say whether replies or sessions failed when sampling was given up, in the last failure's words", () => {
    expect(samplingHalt("provider", "connection refused").sentence).toMatch(/no replies.*connection refused.*--resume/);
    expect(samplingHalt("failures", null)).toMatchObject({ reason: "failures" });
  });
});

describe("guard rails before a step", () => {
  const at = { metrics, step: 0, staleness: 0 };
  it("let a sound step pass", () => expect(stepGuards(at, guards)).toBeNull());

  it("refuse numbers that are not finite", () => {
    for (const broken of [{ objective: Number.NaN }, { samplerGap: Number.POSITIVE_INFINITY }, { entropy: Number.NaN }])
      expect(stepGuards({ ...at, metrics: { ...metrics, ...broken } }, guards)).toMatchObject({ reason: "not-finite" });
  });

  it("refuse a divergence from the start above the limit, and none when it is not watched", () => {
    const far = { ...at, metrics: { ...metrics, klRef: 1.5 } };
    expect(stepGuards(far, guards)).toMatchObject({
      reason: "kl",
      sentence: expect.stringMatching(/1\.5 nats.*No step/),
    });
    expect(stepGuards(far, { ...guards, maxKl: null })).toBeNull();
    // within an update the samples are those of the policy before it
    expect(stepGuards({ ...far, step: 1 }, guards)).toBeNull();
  });

  it("refuse a learner that is not the sampler, but only where the two ought to be the same", () => {
    const apart = { ...at, metrics: { ...metrics, samplerGap: 0.2 } };
    expect(stepGuards(apart, guards)).toMatchObject({ reason: "sampler-mismatch" });
    expect(stepGuards({ ...apart, step: 1 }, guards)).toBeNull();
    expect(stepGuards({ ...apart, staleness: 1 }, guards)).toBeNull();
  });
});

describe("the entropy's guard rail", () => {
  it("counts updates in a row, and is silent about updates without a step", () => {
    const first = entropyGuard(0.01, calm, guards);
    expect(first).toMatchObject({
      counters: { entropy: 1 },
      warnings: [expect.stringMatching(/0\.01 nats/)],
      halted: null,
    });
    expect(entropyGuard(null, first.counters, guards).counters).toEqual(first.counters);
    expect(entropyGuard(0.01, first.counters, guards).halted).toMatchObject({ reason: "entropy" });
    expect(entropyGuard(0.3, first.counters, guards).counters.entropy).toBe(0);
  });
});
