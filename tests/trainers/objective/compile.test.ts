/** What is shipped: shares by hand, views instead of copies, tensors by engine, and what is refused. */
import { describe, expect, it } from "vitest";
import type { TracePart } from "../../../policies/token-trace.ts";
import { type CompileOptions, compile } from "../../../trainers/objective/compile.ts";
import type { Datum } from "../../../trainers/objective/datum.ts";
import type { Objective } from "../../../trainers/objective/objective.ts";
import { objectives } from "../../../trainers/objective/objectives.ts";
import type { GradientPass } from "../../../trainers/objective/passes.ts";
import type { Profile } from "../../../trainers/objective/profile.ts";
import { profiles } from "../../../trainers/objective/profiles.ts";
import type { TrainingSession } from "../../../trainers/objective/training-session.ts";

/** A part whose mask is given, token ids 10, 11, …, every log-probability −1. */
function part(mask: number[], more: Partial<TracePart> = {}): TracePart {
  return {
    ids: Int32Array.from(mask, (_, t) => 10 + t),
    mask: Uint8Array.from(mask),
    sampler: Float32Array.from(mask, (m) => (m === 0 ? 0 : -1)),
    ...more,
  };
}

const session = (id: string, advantage: number | null, ...parts: TracePart[]): TrainingSession => ({
  id,
  stage: id.startsWith("m") ? "memory" : "qa",
  advantage,
  parts,
});

/** Eq. 7 without a KL term, unless a test says otherwise. */
const plain: Objective = { ...objectives["task-stratified"], kl: null };

/** |s| = 4 over two parts, 2 and 1: S = 3, Σ|s| = 7. */
const three = [
  session("m0", 1, part([0, 1, 1]), part([0, 0, 1, 1])),
  session("m1", -2, part([0, 1, 1])),
  session("q0", 0.5, part([0, 1])),
];

function shipped(
  objective: Objective,
  sessions: TrainingSession[],
  profile: Profile = profiles.tinker,
  options: CompileOptions = {},
) {
  const plan = compile(objective, sessions, profile, options);
  const pass = plan.passes.at(-1) as GradientPass | undefined;
  return { plan, config: pass?.config, datums: pass ? [...pass.datums()] : [] };
}

const perDatum = (datums: readonly Datum[], tensor: "advantages" | "weights" | "kl_weights" | "mask") =>
  datums.map(({ lossFnInputs }) => lossFnInputs[tensor] && [...lossFnInputs[tensor]]);
const f32 = Math.fround;

describe("Eqs. 7–8", () => {
  it("a token weighs A/(S·|s|), with |s| over all parts of its session", () => {
    const { datums } = shipped(plain, three);
    expect(datums.map(({ session, part }) => `${session}.${part}`)).toEqual(["m0.0", "m0.1", "m1.0", "q0.0"]);
    expect(perDatum(datums, "advantages")).toEqual([
      [f32(1 / 12), f32(1 / 12)],
      [0, f32(1 / 12), f32(1 / 12)],
      [f32(-2 / 6), f32(-2 / 6)],
      [f32(0.5 / 3)],
    ]);
  });

  it("token-mean divides by the tokens of the update, constant by S and a length", () => {
    const first = (aggregation: Objective extends infer O ? (O extends { aggregation: infer A } ? A : never) : never) =>
      perDatum(shipped({ ...plain, aggregation } as Objective, three).datums, "advantages")[0]![0];
    expect(first("token-mean")).toBe(f32(1 / 7));
    expect(first({ constant: 10 })).toBe(f32(1 / 30));
  });

  it("a session without a signal leaves S, Σ|s| and the loss; the others weigh as if it had never been", () => {
    const failed = { ...session("q1", null, part([0, 1, 1])), reason: "judge failed" };
    const silent = session("q2", null, part([0, 1]));
    const empty = session("q3", 1);
    const { plan, datums } = shipped(plain, [failed, ...three, silent, empty]);
    expect(datums).toEqual(shipped(plain, three).datums);
    expect(plan.totals).toEqual({ sessions: 3, tokens: 7, pairs: 0 });
    expect(plan.left).toEqual({ "judge failed": 1, "no signal": 1, "no trained tokens": 1 });
  });

  it("an advantage of 0 counts in S, and is shipped only where a KL term gives it a gradient", () => {
    const zero = session("q1", 0, part([0, 1]));
    const { plan, datums } = shipped(plain, [...three, zero]);
    expect(plan.totals.sessions).toBe(4);
    expect(plan.zeroAdvantage).toBe(1);
    expect(datums).toHaveLength(4);
    const scored = [...three, zero].map((given) => ({
      ...given,
      parts: given.parts.map((p) => ({ ...p, ref: p.sampler })),
    }));
    expect(shipped(objectives["task-stratified"], scored, profiles.embedded).datums).toHaveLength(5);
  });

  it("an update without any signal has no passes: no step is to be taken", () => {
    for (const sessions of [[], [session("q0", null, part([0, 1]))]])
      expect(shipped(plain, sessions).plan).toMatchObject({ mode: null, why: "no session has a signal", passes: [] });
    expect(shipped(plain, [session("q0", 0, part([0, 1]))]).plan).toMatchObject({
      mode: null,
      why: "every advantage is 0 and there is no KL term",
      passes: [],
    });
  });

  it("takes the whole update's totals where it compiles a part of it", () => {
    const totals = { sessions: 10, tokens: 99, pairs: 0 };
    expect(perDatum(shipped(plain, [three[2]!], profiles.tinker, { totals }).datums, "advantages")).toEqual([
      [f32(0.5 / 10)],
    ]);
  });
});

describe("a datum", () => {
  it("is shifted by one and shares the trace's memory", () => {
    const { datums } = shipped(plain, three);
    const { ids, sampler } = three[0]!.parts[1]!;
    const { modelInput, lossFnInputs } = datums[1]!;
    expect([...modelInput]).toEqual([10, 11, 12]);
    expect([...lossFnInputs.target_tokens]).toEqual([11, 12, 13]);
    expect(modelInput.buffer).toBe(ids.buffer);
    expect(lossFnInputs.target_tokens.buffer).toBe(ids.buffer);
    expect(lossFnInputs.logprobs!.buffer).toBe(sampler.buffer);
    expect([...lossFnInputs.logprobs!]).toEqual([0, -1, -1]);
  });

  it("has the learner's old log-probabilities where it recomputed them, and the sampler's as a weight", () => {
    const old = Float32Array.from([0, -0.5, -2]);
    const given = session("q0", 2, part([0, 1, 1], { old }));
    const { datums } = shipped({ ...plain, tis: { cap: 1.5 } }, [given]);
    expect([...datums[0]!.lossFnInputs.logprobs!]).toEqual([-0.5, -2]);
    // min(e^0.5, 1.5) and e^−1
    expect(perDatum(datums, "advantages")).toEqual([[f32(1.5), f32(Math.exp(-1))]]);
  });

  it("can be made again: a pass is not used up", () => {
    const pass = compile(plain, three, profiles.tinker).passes[0] as GradientPass;
    expect([...pass.datums()]).toEqual([...pass.datums()]);
  });

  it("is not shipped with analytic weights that are all 0", () => {
    const plan = compile(plain, three, profiles.tinker, { mode: "forward-weights" });
    const pass = plan.passes[1] as GradientPass;
    // m0 at ρ = e² is clipped (A > 0), m1 (A < 0) is not, q0 is at ρ = 1
    const current = [[1, 1], [0, 1, 1], [1, 1], [-1]];
    expect([...pass.datums(current)].map(({ session }) => session)).toEqual(["m1", "q0"]);
  });
});

describe("tensors and config by engine", () => {
  it("thresholds are always sent, in the engine's convention", () => {
    const objective: Objective = { ...plain, clip: { low: 0.2, high: 0.28, dual: null } };
    expect(shipped(objective, three).config).toEqual({ clip_low_threshold: 0.8, clip_high_threshold: 1.28 });
    const distances: Profile = { ...profiles.tinker, clip: { ...profiles.tinker.clip, unit: "distance" } };
    expect(shipped(objective, three, distances).config).toEqual({ clip_low_threshold: 0.2, clip_high_threshold: 0.28 });
  });

  it("the mask goes by the engine's name for it, or not at all", () => {
    const keys = (profile: Profile) => Object.keys(shipped(plain, three, profile).datums[1]!.lossFnInputs).sort();
    expect(keys(profiles.tinker)).toEqual(["advantages", "logprobs", "target_tokens"]);
    expect(keys(profiles["skyrl-fsdp"])).toEqual(["advantages", "logprobs", "target_tokens", "weights"]);
    expect(keys(profiles["verl-tinker"])).toEqual(["advantages", "logprobs", "mask", "target_tokens"]);
    expect(perDatum(shipped(plain, three, profiles["skyrl-fsdp"]).datums, "weights")[1]).toEqual([0, 1, 1]);
  });

  it("in cross-entropy `weights` are the weights, also where it is the mask's name", () => {
    const { datums } = shipped(objectives.sft, three, profiles["skyrl-fsdp"]);
    expect(Object.keys(datums[0]!.lossFnInputs).sort()).toEqual(["target_tokens", "weights"]);
    expect(perDatum(datums, "weights")[1]).toEqual([0, f32(1 / 7), f32(1 / 7)]);
    expect(perDatum(shipped(objectives.sft, three, profiles["verl-tinker"]).datums, "mask")[1]).toEqual([0, 1, 1]);
  });

  it("the KL extension carries c_s for its penalty too, 0 where nothing is trained", () => {
    const scored = three.map((given) => ({ ...given, parts: given.parts.map((p) => ({ ...p, ref: p.sampler })) }));
    const { datums, config } = shipped(objectives["task-stratified"], scored, profiles.embedded);
    expect(config).toEqual({ clip_low_threshold: 0.8, clip_high_threshold: 1.2, kl_beta: 0.001, kl_kind: 3 });
    expect(perDatum(datums, "kl_weights")[1]).toEqual([0, f32(1 / 12), f32(1 / 12)]);
    expect(datums[1]!.lossFnInputs.ref_logprobs!.buffer).toBe(scored[0]!.parts[1]!.ref.buffer);
  });
});

describe("refuses", () => {
  const one = (p: TracePart, advantage: number | null = 1) => [session("q0", advantage, p)];

  it("traces that do not fit together, by session and part", () => {
    expect(() => shipped(plain, one(part([0, 1], { sampler: new Float32Array(3) })))).toThrow(
      /session q0, part 0: sampler has 3 elements, expected 2/,
    );
    expect(() => shipped(plain, one(part([1, 1])))).toThrow(/first token is marked as sampled/);
    expect(() => shipped(plain, one(part([0, 2])))).toThrow(/mask of token 1 is 2, expected 0 or 1/);
    expect(() => shipped(plain, one(part([0])))).toThrow(/at least 2 tokens/);
    expect(() => shipped(plain, one(part([0, 1], { sampler: Float32Array.of(0, Number.NaN) })))).toThrow(
      /sampled token 1 is not a finite number/,
    );
  });

  it("also in sessions without a signal, which would hide a broken recorder", () => {
    expect(() => shipped(plain, one(part([1, 1]), null))).toThrow(/first token is marked/);
  });

  it("sessions that occur twice and advantages that are not numbers", () => {
    expect(() => shipped(plain, [three[0]!, three[0]!])).toThrow(/session m0 occurs twice/);
    expect(() => shipped(plain, one(part([0, 1]), Number.NaN))).toThrow(/finite advantage or null, got NaN/);
  });

  it("a KL term without a reference, importance weights without the learner's scores, a mixture of scored and not", () => {
    expect(() => shipped(objectives["task-stratified"], three)).toThrow(
      /session m0 has no log-probabilities of the reference/,
    );
    expect(() => shipped({ ...plain, tis: { cap: 2 } }, three)).toThrow(/compare the learner with the sampler/);
    const mixed = [session("q0", 1, part([0, 1], { old: new Float32Array(2) })), session("q1", 1, part([0, 1]))];
    expect(() => shipped(plain, mixed)).toThrow(/1 of 2 sequences have old log-probabilities/);
  });

  it("an objective that is none", () => {
    expect(() => shipped({ ...plain, clip: { low: -1, high: 0.2, dual: null } }, three)).toThrow(/not an objective/);
    expect(() => shipped({ ...plain, clip: { low: 0.2, high: 0.2, dual: 1.1 } }, three)).toThrow(
      /dual above 1 \+ high/,
    );
    expect(() => shipped({ ...plain, kl: { kind: "k2", beta: 1, clamp: true } }, three)).toThrow(
      /clamp is defined for k3 only/,
    );
  });

  it("preference pairs that are not pairs", () => {
    const side = (id: string, pair: TrainingSession["pair"]) => ({
      ...session(id, null, part([0, 1], { ref: new Float32Array(2) })),
      pair,
    });
    const chosen = side("a", { id: "p", side: "chosen" });
    expect(() => shipped(objectives.dpo, [chosen])).toThrow(
      /pair p: expected one chosen and one rejected session.*got chosen$/m,
    );
    expect(() => shipped(objectives.dpo, [chosen, side("b", { id: "p", side: "chosen" })])).toThrow(
      /got chosen and chosen/,
    );
    expect(() => shipped(objectives.dpo, [chosen, side("b", undefined)])).toThrow(/session b is in no pair/);
  });

  it("log-probabilities that are not one array per datum", () => {
    const pass = compile(plain, three, profiles.tinker, { mode: "forward-weights" }).passes[1] as GradientPass;
    expect(() => [...pass.datums()]).toThrow(/expected log-probabilities of 4 datums, got 0/);
    expect(() => [...pass.datums([[1, 1], [1, 1], [1, 1], [1]])]).toThrow(
      /session m0, part 1: expected 3 log-probabilities/,
    );
  });

  it("weights that 32 bits cannot hold, by session and token", () => {
    const far = part([0, 1], { ref: Float32Array.of(0, -1) });
    const plan = compile(objectives["task-stratified"], one(far), profiles.tinker, { mode: "forward-weights" });
    expect(() => [...(plan.passes[1] as GradientPass).datums([[-120]])]).toThrow(
      /session q0, part 0, token 1: its weight/,
    );
    // clamped, the penalty has no slope out there, and the ratio e^−119 is 0 in 32 bits: nothing to ship
    const clamped = compile(objectives["uma-code"], one(far), profiles.tinker);
    expect([...(clamped.passes[1] as GradientPass).datums([[-120]])]).toEqual([]);
    expect(() => [...(plan.passes[1] as GradientPass).datums([[Number.NaN]])]).toThrow(/not a finite number/);
  });
});
