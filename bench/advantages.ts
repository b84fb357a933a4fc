/**
 * Credit for one large update: 16 contexts × G = 16 × (N = 30 + M = 35) sessions of 4,000 tokens, a tenth of them sampled.
 *
 * The estimator makes the advantages from drawn rewards. `compile` is timed together with making every datum of every pass, which is lazy otherwise. Token arrays must be shipped as
 * views of the traces; the bench counts what was not.
 */
import { rng } from "../base/rng.ts";
import type { TracePart } from "../policies/token-trace.ts";
import { type Advantages, advantageOptions, estimators, type Rewards } from "../trainers/advantages/index.ts";
import { compile } from "../trainers/objective/compile.ts";
import type { Datum } from "../trainers/objective/datum.ts";
import type { Objective } from "../trainers/objective/objective.ts";
import { objectives } from "../trainers/objective/objectives.ts";
import type { Profile } from "../trainers/objective/profile.ts";
import { profiles } from "../trainers/objective/profiles.ts";
import type { TrainingSession } from "../trainers/objective/training-session.ts";
import type { BenchOptions } from "./main.ts";

interface Row {
  readonly step: string;
  readonly seconds: number;
  /** CPU of this process, which a busy machine does not stretch. */
  readonly cpuSeconds: number;
  readonly sessions: number;
  readonly tokens: number;
  readonly nanosPerToken: number;
  /** Token ids and log-probabilities that were shipped from other memory than the trace's. */
  readonly copiedTokens: number;
}

const SHAPE = { contexts: 16, G: 16, N: 30, M: 35, tokens: 4_000, turns: 5, sampledPerTurn: 80 };

const withoutKl: Objective = { ...objectives["task-stratified"], kl: null };

const plans: readonly { step: string; objective: Objective; profile: Profile }[] = [
  { step: "compile, scaled advantages", objective: withoutKl, profile: profiles.tinker },
  { step: "compile, KL extension", objective: objectives["task-stratified"], profile: profiles.embedded },
  { step: "compile, forward + analytic weights", objective: objectives["task-stratified"], profile: profiles.tinker },
];

export async function run(options: BenchOptions): Promise<void> {
  const contexts = Number(options.contexts ?? SHAPE.contexts);
  const { advantages, row } = measureAdvantages(drawnRewards(contexts));
  const sessions = syntheticUpdate(advantages);
  const compiled = plans.map(({ step, objective, profile }) => measureCompile(step, objective, sessions, profile));
  const rows = [row, ...compiled];
  const slowestCompileSeconds = Math.max(...compiled.map(({ seconds }) => seconds));
  const summary = {
    ...SHAPE,
    contexts,
    slowestCompileSeconds,
    advantagesAndSlowestCompileSeconds: row.seconds + slowestCompileSeconds,
  };
  if (options.json) console.log(JSON.stringify({ rows, summary }, null, 2));
  else {
    console.table(
      rows.map((row) => ({
        ...row,
        seconds: +row.seconds.toFixed(2),
        cpuSeconds: +row.cpuSeconds.toFixed(2),
        nanosPerToken: +row.nanosPerToken.toFixed(1),
      })),
    );
    console.log(`advantages and the slowest compile: ${summary.advantagesAndSlowestCompileSeconds.toFixed(2)} s`);
  }
}

function measureCompile(
  step: string,
  objective: Objective,
  sessions: readonly TrainingSession[],
  profile: Profile,
): Row {
  const traces = new Set<ArrayBufferLike>();
  for (const { parts } of sessions) for (const { ids, sampler } of parts) traces.add(ids.buffer).add(sampler.buffer);
  let copiedTokens = 0;
  const count = ({ modelInput, lossFnInputs }: Datum) => {
    for (const view of [modelInput, lossFnInputs.target_tokens, lossFnInputs.logprobs, lossFnInputs.ref_logprobs])
      if (view && !traces.has(view.buffer)) copiedTokens += view.length;
  };
  // what a forward pass would have returned, were the policy still the sampler
  const current = sessions
    .filter(({ advantage }) => advantage !== null)
    .flatMap(({ parts }) => parts.map(({ sampler }) => sampler.subarray(1)));

  const cpu = process.cpuUsage();
  const started = performance.now();
  const plan = compile(objective, sessions, profile);
  for (const pass of plan.passes) for (const datum of pass.datums(current)) count(datum);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);

  const tokens = sessions.length * SHAPE.tokens;
  return {
    step,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    sessions: sessions.length,
    tokens,
    nanosPerToken: (seconds * 1e9) / tokens,
    copiedTokens,
  };
}

/** A reward table of each kind per context; some are equal and some are missing, as in real updates. */
function drawnRewards(contexts: number): Rewards[] {
  const draw = rng("bench", "advantages");
  const table = (columns: number) =>
    Array.from({ length: SHAPE.G }, () =>
      Array.from({ length: columns }, () => (draw.next() < 0.01 ? null : draw.int(0, 8) / 8)),
    );
  return Array.from({ length: contexts }, () => ({
    R_mem: table(SHAPE.N),
    R_qa: table(SHAPE.M),
    r_outcome: table(SHAPE.M),
  }));
}

/** By context, then trajectory, then its N memory and its M QA sessions. */
function measureAdvantages(rewards: readonly Rewards[]): { advantages: (number | null)[]; row: Row } {
  const options = advantageOptions();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const tables: Advantages[] = estimators["task-stratified"].estimate(rewards, options);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const advantages = tables.flatMap(({ A_mem, A_qa }) => A_mem.flatMap((row, i) => [...row, ...A_qa[i]!]));
  const sessions = advantages.length;
  const cpuSeconds = (user + system) / 1e6;
  return {
    advantages,
    row: { step: "advantages", seconds, cpuSeconds, sessions, tokens: 0, nanosPerToken: 0, copiedTokens: 0 },
  };
}

/** Sessions as traces give them. The reference's log-probabilities are the sampler's, to halve the memory. */
function syntheticUpdate(advantages: readonly (number | null)[]): TrainingSession[] {
  return advantages.map((advantage, n) => ({
    id: `s${n}`,
    stage: n % (SHAPE.N + SHAPE.M) < SHAPE.N ? ("memory" as const) : ("qa" as const),
    advantage,
    parts: [syntheticPart(n)],
  }));
}

function syntheticPart(n: number): TracePart {
  const { tokens, turns, sampledPerTurn } = SHAPE;
  const ids = new Int32Array(tokens).fill(n);
  const mask = new Uint8Array(tokens);
  const sampler = new Float32Array(tokens);
  for (let turn = 1; turn <= turns; turn++) {
    const end = Math.floor((turn * tokens) / turns);
    mask.fill(1, end - sampledPerTurn, end);
    for (let t = end - sampledPerTurn; t < end; t++) sampler[t] = -((t * 37 + n) % 512) / 256;
  }
  return { ids, mask, sampler, ref: sampler };
}
