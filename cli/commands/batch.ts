/** umagraph batch: what a run would ship to the learner, in counts and as a file; with --learner it is shipped, as one update. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { fraction, percent, whole } from "../../evals/reports/format-number.ts";
import { klKinds } from "../../learner/engines/engine-profile.ts";
import { type ProfileName, profileFrom, profiles } from "../../learner/engines/engine-profiles.ts";
import { type Batch, planBatch } from "../../trainers/batch/plan-batch.ts";
import { writeBatch } from "../../trainers/batch/write-batch.ts";
import { creditSummary } from "../../trainers/credit/credit-summary.ts";
import { folderCredit } from "../../trainers/credit/folder-credit.ts";
import { readUpdate } from "../../trainers/credit/read-update.ts";
import type { Plan } from "../../trainers/objective/compile.ts";
import { isPolicyGradient, type Objective } from "../../trainers/objective/objective.ts";
import { type ObjectiveName, objectiveFrom, objectives } from "../../trainers/objective/objectives.ts";
import type { UpdateMetrics } from "../../trainers/update/update-metrics.ts";
import { type ShipOptions, shipUpdate } from "../batch/ship.ts";
import { defineCommand } from "../command.ts";
import { creditSource, summaryLines } from "../credit/credit-lines.ts";
import { onInterrupt } from "../interrupt.ts";
import { oneRunFolder } from "../one-run.ts";
import type { Terminal } from "../terminal.ts";

const names = <Name extends string>(map: Readonly<Record<Name, unknown>>) => Object.keys(map) as [Name, ...Name[]];

export const command = defineCommand({
  name: "batch",
  summary: "what a run would ship to the learner: counts, tokens, mode",
  usage: "<run folder> [flags]",
  details:
    "Takes the advantages that `umagraph rewards` left in the folder, or the paper's with all defaults.\n" +
    "Only sessions of token-exact policies can be trained: tokens are never made from text.\n" +
    "Without --learner nothing is sent. With it one update is taken: the reference scores the sessions, the gradient is\n" +
    "accumulated, one optimiser step is taken, and state and sampler weights are saved under --name.",
  flags: z.object({
    objective: z
      .enum(names<ObjectiveName>(objectives))
      .default("task-stratified")
      .describe("The loss: surrogate, clip, KL and aggregation"),
    kl: z
      .enum(["none", ...klKinds, "rk3"])
      .optional()
      .describe("KL term to the frozen reference, β 0.001 unless the objective says otherwise (rk3 = rho-k3)"),
    profile: z.enum(names<ProfileName>(profiles)).default("embedded").describe("What the learner's engine can do"),
    approximate: z.boolean().default(false).describe("Take a mode that is not exact when no exact one serves"),
    out: z.string().min(1).optional().describe("Write what would be sent to this file, e.g. batch.jsonl"),
    learner: z.string().optional().describe("Take the update for real, on the learner at this URL"),
    apiKey: z.string().optional().describe("Key of the learner (twin: TINKER_API_KEY)"),
    lr: z.coerce.number().positive().default(1e-5).describe("With --learner: AdamW's learning rate"),
    gradClip: z.coerce.number().min(0).default(1).describe("With --learner: largest norm of the gradient; 0 for none"),
    loraRank: z.coerce.number().int().min(1).default(8).describe("With --learner: rank of a new LoRA model"),
    full: z.boolean().default(false).describe("With --learner: train all parameters of a new model"),
    from: z.string().optional().describe("With --learner: go on from this saved state, e.g. tinker://…/weights/step-1"),
    allowMixedWeights: z.boolean().default(false).describe("Take groups that different weights have sampled"),
    offPolicy: z
      .boolean()
      .default(false)
      .describe("With --learner: train a model on what other weights than its own have sampled"),
    name: z.string().default("update").describe("With --learner: what state and sampler weights are saved as"),
  }),
  examples: [
    {
      run: "umagraph batch runs/r1 --objective task-stratified",
      what: "what one update of the paper's loss would ship",
    },
    { run: "umagraph batch runs/r1 --profile tinker --kl k3", what: "which mode another engine needs for the KL term" },
    { run: "umagraph batch runs/r1 --objective dapo --out batch.jsonl", what: "the datums as a file" },
    {
      run: "umagraph batch runs/r1 --learner http://127.0.0.1:8700 --lr 1e-4 --name step-1",
      what: "one update for real; then roll out with --model and the weights it names",
    },
  ],
  async run({ flags, positionals, terminal }) {
    const folder = oneRunFolder("batch", positionals);
    const update = await readUpdate(folder);
    const { records } = update.run;
    if (records.length === 0)
      throw new UmaError("input", `${folder} has no finished session yet`, { fix: "wait for the first one" });
    const { log, from } = folderCredit(update);
    const batch = planBatch(records, log, {
      objective: withKl(objectiveFrom(flags.objective), flags.kl),
      profile: profileFrom(flags.profile),
      allowApproximate: flags.approximate,
      allowMixedWeights: flags.allowMixedWeights,
    });
    if (flags.out !== undefined && (batch.planned?.plan.terms ?? []).length === 0) throw nothingToWrite(batch, folder);
    const datums = flags.out === undefined || !batch.planned ? null : writeBatch(flags.out, batch.planned.plan);

    const credit = creditSummary(log);
    terminal.print(creditSource(from, log.options));
    for (const line of summaryLines(credit)) terminal.print(line);
    terminal.print();
    for (const line of batchLines(batch, update.run.config.policy.name)) terminal.print(line);
    if (datums !== null) terminal.print(`\nwritten: ${whole(datums)} datums in ${flags.out}`);
    const shipped =
      flags.learner === undefined ? null : await ship(records, log, { ...flags, learner: flags.learner }, terminal);
    terminal.result({
      folder,
      credit: { from, options: log.options, summary: credit },
      tokenExact: batch.tokenExact,
      withoutTokens: batch.withoutTokens,
      trainable: (batch.planned?.plan.terms.length ?? 0) > 0,
      kl: batch.kl,
      plan: batch.planned && describePlan(batch.planned.plan),
      summary: batch.planned?.summary ?? null,
      out: flags.out ?? null,
      datums,
      shipped,
    });
    return 0;
  },
});

type ShipFlags = Omit<ShipOptions, "learningRate" | "loraRank" | "profile" | "objective" | "allowApproximate"> & {
  readonly objective: ObjectiveName;
  readonly kl?: KlFlag | undefined;
  readonly profile: ProfileName;
  readonly approximate: boolean;
  readonly lr: number;
  readonly loraRank: number;
  readonly full: boolean;
};

async function ship(
  records: Parameters<typeof shipUpdate>[0],
  log: Parameters<typeof shipUpdate>[1],
  flags: ShipFlags,
  terminal: Terminal,
) {
  const interrupt = onInterrupt(terminal.note);
  try {
    const { steps, state, weights } = await shipUpdate(records, log, {
      ...flags,
      profile: profileFrom(flags.profile),
      objective: withKl(objectiveFrom(flags.objective), flags.kl),
      learningRate: flags.lr,
      loraRank: flags.full ? null : flags.loraRank,
      allowApproximate: flags.approximate,
      signal: interrupt.signal,
    });
    terminal.print();
    for (const { plan, metrics, engine } of steps)
      terminal.print(metrics === null ? `no step: ${plan.why}` : stepLine(metrics, engine, plan.mode));
    terminal.print(`state:   ${state}`);
    terminal.print(`weights: ${weights}`);
    terminal.print(`next:    umagraph rollout … --policy learner:${flags.learner} --model ${weights}`);
    return { steps: steps.map(({ metrics, engine }) => ({ metrics, engine })), state, weights };
  } finally {
    interrupt.release();
  }
}

const stepLine = (metrics: UpdateMetrics, engine: Readonly<Record<string, number>>, mode: Plan["mode"]) =>
  [
    `step (${mode}): J ${metrics.objective.toExponential(3)} over ${whole(metrics.tokens)} tokens`,
    `mean ratio ${metrics.ratio.toFixed(4)}`,
    ...(metrics.clipShare === null ? [] : [`clipped ${percent(metrics.clipShare)} %`]),
    ...(metrics.klRef === null ? [] : [`KL to the reference ${metrics.klRef.toExponential(2)}`]),
    `entropy ${metrics.entropy.toFixed(3)}`,
    ...Object.entries(engine).flatMap(([name, value]) =>
      /grad_norm|update_norm/.test(name) ? [`${name.split(":")[0]} ${value.toExponential(2)}`] : [],
    ),
  ].join(" · ");

type KlFlag = "none" | "rk3" | (typeof klKinds)[number];

/** A KL kind keeps the objective's β. */
function withKl(objective: Objective, kl: KlFlag | undefined): Objective {
  if (kl === undefined) return objective;
  if (!isPolicyGradient(objective))
    throw new UmaError("config", `--kl: a ${objective.loss} loss has no KL term`, { fix: "leave --kl out" });
  if (kl === "none") return { ...objective, kl: null };
  const kind = kl === "rk3" ? "rho-k3" : kl;
  return {
    ...objective,
    kl: { kind, beta: objective.kl?.beta ?? 0.001, clamp: kind === "k3" && (objective.kl?.clamp ?? false) },
  };
}

function nothingToWrite({ tokenExact, planned }: Batch, folder: string): UmaError {
  if (tokenExact === 0) {
    return new UmaError(
      "input",
      `nothing of ${folder} can be trained: its policy is not token-exact, so there is nothing to write`,
      {
        fix: "roll out with a policy that gives its token ids and log-probabilities, or leave --out out for the counts",
      },
    );
  }
  return new UmaError("input", `nothing of ${folder} would be shipped: ${planned!.plan.why}`, {
    fix: "leave --out out for the counts",
  });
}

function batchLines(batch: Batch, policy: string): string[] {
  const { planned, tokenExact, withoutTokens } = batch;
  if (!planned) {
    return [
      `Nothing can be trained: the policy ${policy} is not token-exact. Its ${whole(withoutTokens)} sessions have no token ids and log-probabilities, and none are made from text.`,
      ...klLines(batch),
    ];
  }
  const { plan, summary } = planned;
  const { strata, tokens } = summary;
  const stratum = (name: string, { sessions, withSignal, shipped, trainedTokens }: (typeof strata)["qa"]) =>
    `${name}: ${whole(sessions)} sessions with tokens, ${fraction(withSignal, sessions)} with a signal, ${whole(shipped)} shipped with ${whole(trainedTokens)} trained tokens`;
  return [
    ...(withoutTokens > 0
      ? [`${fraction(withoutTokens, withoutTokens + tokenExact)} sessions have no tokens and are left out`]
      : []),
    stratum("memory", strata.memory),
    stratum("QA", strata.qa),
    `datums: ${whole(summary.datums)}, ${whole(summary.brokenPrefixes)} of them because a prompt did not continue the last one`,
    `tokens: ${whole(tokens.shipped)} shipped, ${percent(tokens.shipped === 0 ? null : tokens.trained / tokens.shipped)} % of them trained; ${percent(summary.paddingWaste)} % of the room would be padding if all were as long as the longest`,
    `advantage exactly 0: ${percent(summary.zeroAdvantageShare)} % of the sessions with a signal; ${whole(plan.zeroAdvantage)} of them have nothing to ship`,
    ...Object.entries(summary.left).map(([reason, count]) => `left out: ${whole(count)} × ${reason}`),
    `mode: ${plan.mode ?? "none"} on ${plan.profile}: ${plan.why}`,
    ...plan.rejected.map(({ mode, because }) => `  not ${mode}: ${because}`),
    ...(plan.mode === null
      ? []
      : [`gradient: ${plan.approximation === null ? "exactly −∇J" : `approximate: ${plan.approximation}`}`]),
    ...klLines(batch),
    ...plan.notes.map((note) => `note: ${note}`),
  ];
}

function klLines({ kl }: Batch): string[] {
  if (!kl) return [];
  const { term, chosen } = kl;
  return [
    `KL ${term.kind} with β ${term.beta} is left out here: it compares with the frozen reference, whose log-probabilities only the learner gives`,
    `  with it the mode would be ${chosen.mode}${chosen.fit === "exact" ? "" : " (approximate)"}: ${chosen.because}`,
  ];
}

const describePlan = ({ terms: _tokens, passes, ...plan }: Plan) => ({
  ...plan,
  passes: passes.map(({ op, lossFn, config }) => ({ op, lossFn, config })),
});
