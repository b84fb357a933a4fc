/**
 * Every mode of every objective follows −∇J. J is differentiated as it is written (`objective-value.ts`), the engine's summed loss
 * as the wire describes it (`engine.ts`), both by central differences in the parameters of a small softmax model: no formula for a
 * gradient is on either side of the comparison.
 */
import { describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import { klKinds } from "../../../learner/engines/engine-profile.ts";
import { type CompileOptions, compile, type Plan } from "../../../trainers/objective/compile.ts";
import type { Datum } from "../../../trainers/objective/datum.ts";
import { judgeModes } from "../../../trainers/objective/modes.ts";
import type { Objective } from "../../../trainers/objective/objective.ts";
import { objectiveValue } from "../../../trainers/objective/objective-value.ts";
import { objectives } from "../../../trainers/objective/objectives.ts";
import { profiles } from "../../../trainers/objective/profiles.ts";
import { accumulatedGradient, lossOf } from "./engine.ts";
import {
  differences,
  logprobsOf,
  moved,
  norm,
  randomTheta,
  relativeError,
  sampleSessions,
  type Theta,
} from "./softmax-model.ts";

const sampler = randomTheta("sampler");
const old = moved(sampler, 0.05, "old");
const ref = moved(sampler, 0.4, "ref");
const theta = moved(old, 0.25, "now");

const uma = objectives["task-stratified"];
const clip = { low: 0.1, high: 0.1, dual: null };
const kl = { kind: "k3", beta: 0.05, clamp: false } as const;

/** Bounds are narrow and β is large, so that clipping and KL matter in every case. */
const cases: Record<string, Objective> = {
  "Eqs. 7–9 without KL": { ...uma, clip, kl: null },
  ...Object.fromEntries(klKinds.map((kind) => [`Eqs. 7–9 with ${kind}`, { ...uma, clip, kl: { ...kl, kind } }])),
  "clamped k3": { ...uma, clip, kl: { ...kl, clamp: true } },
  "asymmetric clip": { ...uma, clip: { low: 0.05, high: 0.2, dual: null }, kl },
  "dual clip": { ...uma, clip: { low: 0.05, high: 0.05, dual: 1.1 }, kl: null },
  "token-mean (DAPO)": { ...objectives.dapo, clip },
  "constant length (Dr.GRPO)": { ...objectives["dr-grpo"], aggregation: { constant: 16 }, clip, kl },
  "truncated importance weights": { ...uma, clip, kl, tis: { cap: 1.02 } },
  GSPO: { ...objectives.gspo, clip, kl },
  "GSPO with truncated importance weights": { ...objectives.gspo, clip, tis: { cap: 1.02 } },
  CISPO: { ...objectives.cispo, clip: { low: 0.1, high: 0.1 } },
  "CISPO with KL": { ...objectives.cispo, clip: { low: 0.1, high: 0.1 }, kl },
  REINFORCE: { ...objectives.reinforce, tis: { cap: 1.02 } },
  "REINFORCE with KL": { ...objectives.rloo, kl: { ...kl, kind: "rho-k3" } },
  SFT: objectives.sft,
  DPO: objectives.dpo,
};

/** ∇J at θ, from the values of J alone. */
function trueGradient(plan: Plan, at: Theta): Float64Array {
  const logprobs = (theta: Theta) =>
    plan.terms.flatMap(({ session }) => session.parts.map(({ ids }) => logprobsOf(theta, ids)));
  const frozen = logprobs(at);
  return differences((theta) => objectiveValue(plan.objective, plan.terms, logprobs(theta), frozen), at);
}

const descended = (gradient: Float64Array) => gradient.map((g) => -g);

const sessions = sampleSessions({ sampler, old, ref }, 1);
const compiled = (objective: Objective, options: CompileOptions = {}) =>
  compile(objective, sessions, profiles.embedded, options);

describe.each(Object.entries(cases))("%s", (_, objective) => {
  const modes = judgeModes(objective, profiles.embedded, false)
    .filter(({ fit }) => fit === "exact")
    .map(({ mode }) => mode);

  it.each(modes)("mode %s has the gradient −∇J", (mode) => {
    const plan = compiled(objective, { mode });
    expect(norm(trueGradient(plan, theta))).toBeGreaterThan(1e-3);
    expect(relativeError(descended(accumulatedGradient(plan, theta)), trueGradient(plan, theta))).toBeLessThan(1e-6);
  });

  it("does not depend on chunks, micro-batches or their order", () => {
    const plan = compiled(objective);
    const whole = accumulatedGradient(plan, theta);
    for (const size of [1, 2, 5]) {
      const cut = accumulatedGradient(plan, theta, (datums) => chunks(rng("order", size).shuffle(datums), size));
      expect(relativeError(cut, whole)).toBeLessThan(1e-8);
    }
  });

  it("does not depend on which sessions are compiled together, given the update's totals", () => {
    const whole = compiled(objective);
    const total = new Float64Array(theta.length);
    for (const few of [sessions.slice(6), sessions.slice(0, 2), sessions.slice(2, 6)]) {
      const part = compile(objective, few, profiles.embedded, { totals: whole.totals });
      accumulatedGradient(part, theta).forEach((g, i) => {
        total[i]! += g;
      });
    }
    expect(relativeError(total, accumulatedGradient(whole, theta))).toBeLessThan(1e-8);
  });
});

function chunks(datums: readonly Datum[], size: number): Datum[][] {
  return Array.from({ length: Math.ceil(datums.length / size) }, (_, i) => datums.slice(i * size, (i + 1) * size));
}

describe("what the modes promise besides", () => {
  it("an engine's own loss is −J where the mode computes all of it: ppo, cispo, the KL extension", () => {
    for (const [name, mode] of [
      ["Eqs. 7–9 without KL", "ppo"],
      ["Eqs. 7–9 with rho-k3", "kl-extension"],
      ["CISPO", "cispo"],
    ] as const) {
      const plan = compiled(cases[name]!, { mode });
      const [pass] = plan.passes;
      if (pass?.op !== "forward_backward") throw new Error("expected one gradient pass");
      const logprobs = plan.terms.flatMap(({ session }) => session.parts.map(({ ids }) => logprobsOf(theta, ids)));
      const J = objectiveValue(plan.objective, plan.terms, logprobs);
      expect(Math.abs(lossOf(pass, [...pass.datums()], theta, theta) + J)).toBeLessThan(1e-7);
    }
  });

  it.each(klKinds)("folded KL (%s) is exact while every ratio is 1, and is offered as exact only then", (kind) => {
    const objective = { ...uma, kl: { ...kl, kind } };
    const first = compiled(objective, { mode: "folded-kl", firstStep: true });
    expect(first.approximation).toBeNull();
    expect(relativeError(descended(accumulatedGradient(first, old)), trueGradient(first, old))).toBeLessThan(1e-6);
    expect(() => compiled(objective, { mode: "folded-kl" })).toThrow(/ρ = 1/);
  });

  it("folded KL away from ρ = 1 is off by the order of β·|ρ − 1|, and the plan says so", () => {
    const plan = compiled({ ...uma, kl }, { mode: "folded-kl", allowApproximate: true });
    expect(plan.approximation).toMatch(/β·\|ρ − 1\|/);
    const error = relativeError(descended(accumulatedGradient(plan, theta)), trueGradient(plan, theta));
    expect(error).toBeGreaterThan(1e-4);
    expect(error).toBeLessThan(0.05);
  });

  it("dual clip left to an engine without one differs, and is offered as an approximation only", () => {
    const plan = compiled(cases["dual clip"]!, { mode: "ppo", allowApproximate: true });
    expect(plan.approximation).toMatch(/dual clip is left out/);
    expect(relativeError(descended(accumulatedGradient(plan, theta)), trueGradient(plan, theta))).toBeGreaterThan(1e-3);
  });

  it("normalisers counted per micro-batch would give another gradient: the totals are what makes it one update", () => {
    const total = new Float64Array(theta.length);
    for (const few of [sessions.slice(0, 3), sessions.slice(3)])
      accumulatedGradient(compile(objectives.dapo, few, profiles.embedded), theta).forEach((g, i) => {
        total[i]! += g / 2;
      });
    expect(relativeError(total, accumulatedGradient(compiled(objectives.dapo), theta))).toBeGreaterThan(1e-2);
  });
});
