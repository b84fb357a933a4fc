/** Which mode each engine gets for each objective, and what the plan says about it. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../trainers/objective/compile.ts";
import type { Objective } from "../../../trainers/objective/objective.ts";
import { type ObjectiveName, objectives } from "../../../trainers/objective/objectives.ts";
import type { Profile } from "../../../trainers/objective/profile.ts";
import { type ProfileName, profiles } from "../../../trainers/objective/profiles.ts";
import { randomTheta, sampleSessions } from "./softmax-model.ts";

const theta = randomTheta("theta");
const sessions = sampleSessions({ sampler: theta, old: theta, ref: theta }, 2);
const sampledOnly = sampleSessions({ sampler: theta, old: null, ref: theta }, 2);

const chosen = (objective: Objective, profile: Profile, options = {}) => compile(objective, sessions, profile, options);

describe("the cheapest exact mode", () => {
  const expected: Record<ObjectiveName, (profile: ProfileName) => string> = {
    "task-stratified": (profile) => (profile === "embedded" ? "kl-extension" : "forward-weights"),
    "uma-code": () => "forward-weights",
    dapo: () => "ppo",
    "dr-grpo": () => "ppo",
    gspo: () => "forward-weights",
    cispo: () => "cispo",
    reinforce: () => "cross-entropy",
    rloo: () => "cross-entropy",
    sft: () => "cross-entropy",
    dpo: () => "forward-weights",
  };
  const rows = Object.keys(profiles).flatMap((profile) =>
    Object.keys(objectives).map((objective) => ({
      objective: objective as ObjectiveName,
      profile: profile as ProfileName,
      mode: expected[objective as ObjectiveName](profile as ProfileName),
    })),
  );

  it.each(rows)("of $objective on $profile is $mode", ({ objective, profile, mode }) => {
    const plan = chosen(objectives[objective], profiles[profile]);
    expect(plan.mode).toBe(mode);
    expect(plan.approximation).toBeNull();
    expect(plan.why).not.toBe("");
    expect(plan.passes.map(({ op }) => op)).toEqual(
      mode === "forward-weights" ? ["forward", "forward_backward"] : ["forward_backward"],
    );
  });

  it("is told with what did not serve and why", () => {
    const { rejected } = chosen(objectives["task-stratified"], profiles.tinker);
    expect(rejected.map(({ mode, fit }) => [mode, fit])).toEqual([
      ["ppo", "impossible"],
      ["cispo", "impossible"],
      ["cross-entropy", "impossible"],
      ["kl-extension", "impossible"],
      ["folded-kl", "approximate"],
    ]);
    expect(rejected.map(({ because }) => because)).toEqual([
      "ppo has no KL term",
      "the loss is clipped, not cispo",
      "weights of a clipped loss depend on the current policy",
      "tinker has no KL term of kind k3",
      expect.stringContaining("taken at ρ = 1"),
    ]);
  });

  it("folds the KL term on the first step, where that is exact, and saves the forward pass", () => {
    const plan = chosen(objectives["task-stratified"], profiles.tinker, { firstStep: true });
    expect(plan.mode).toBe("folded-kl");
    expect(plan.approximation).toBeNull();
  });

  it("does not believe in a first step whose old log-probabilities are the sampler's", () => {
    const plan = compile(objectives["task-stratified"], sampledOnly, profiles.tinker, { firstStep: true });
    expect(plan.mode).toBe("forward-weights");
    expect(plan.notes.join()).toMatch(/sampler's, not the learner's/);
  });

  it("leaves out a dual clip on the first step, where no ratio reaches it", () => {
    const objective: Objective = { ...objectives.dapo, clip: { low: 0.2, high: 0.28, dual: 3 } };
    expect(chosen(objective, profiles.tinker).mode).toBe("forward-weights");
    expect(chosen(objective, profiles.tinker, { firstStep: true }).mode).toBe("ppo");
  });

  it("takes β = 0 as no KL term: no reference is needed", () => {
    const bare = sampleSessions({ sampler: theta, old: null, ref: null }, 2);
    const objective: Objective = { ...objectives["task-stratified"], kl: { kind: "k3", beta: 0, clamp: false } };
    expect(compile(objective, bare, profiles.tinker).mode).toBe("ppo");
  });
});

describe("what an engine cannot do exactly", () => {
  const averaging: Profile = { ...profiles.tinker, name: "averaging", reduction: "mean" };
  const unsigned: Profile = { ...profiles.tinker, name: "unsigned", signedWeights: false };

  it("stops, and lists what stood against each mode", () => {
    expect(() => chosen(objectives["task-stratified"], averaging)).toThrow(
      /no mode ships this objective exactly:[\s\S]*forward-weights: averaging does not sum/,
    );
    expect(() => chosen(objectives["task-stratified"], unsigned)).toThrow(
      /forward-weights: unsigned takes no negative weights/,
    );
  });

  it("is shipped approximately where that is allowed, and the plan says what is off", () => {
    const plan = chosen(objectives["task-stratified"], averaging, { allowApproximate: true });
    expect(plan.mode).toBe("folded-kl");
    expect(plan.approximation).toMatch(/ρ = 1.*does not sum but averages/);
    expect(chosen(objectives["task-stratified"], unsigned, { allowApproximate: true }).mode).toBe("folded-kl");
  });

  it("is refused even then when no mode comes near it", () => {
    expect(() => chosen(objectives.dpo, unsigned, { allowApproximate: true })).toThrow(
      /change the objective|no mode ships/,
    );
    expect(() => chosen(objectives.gspo, unsigned, { allowApproximate: true })).toThrow(
      /unsigned takes no negative weights/,
    );
  });

  it("still trains supervised, whose weights are not signed", () => {
    expect(chosen(objectives.sft, unsigned).mode).toBe("cross-entropy");
  });

  it("a mode that was asked for is taken or refused, never replaced", () => {
    const asked = chosen(objectives.dapo, profiles.tinker, { mode: "forward-weights" });
    expect(asked.mode).toBe("forward-weights");
    expect(asked.rejected.map(({ mode }) => mode)).not.toContain("ppo"); // it would have served
    expect(() =>
      chosen(objectives["task-stratified"], profiles.tinker, { mode: "ppo", allowApproximate: true }),
    ).toThrow(/mode ppo ships this objective exactly:[\s\S]*ppo has no KL term/);
  });
});

describe("notes", () => {
  it("warn of k1 as a loss", () => {
    const objective: Objective = { ...objectives["task-stratified"], kl: { kind: "k1", beta: 0.001, clamp: false } };
    expect(chosen(objective, profiles.embedded).notes.join()).toMatch(/belongs into the reward/);
    expect(chosen(objectives["task-stratified"], profiles.embedded).notes).toEqual([]);
  });

  it("say that an engine may not accumulate", () => {
    expect(chosen(objectives.dapo, profiles["skyrl-megatron"]).notes.join()).toMatch(/in one forward_backward/);
  });
});
