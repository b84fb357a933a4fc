/** umagraph batch: what a run would ship to the learner, in counts, and as a file. Nothing is sent and no model is called. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { fraction, percent, shareOf, whole } from "../../evals/reports/format-number.ts";
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
import { defineCommand } from "../command.ts";
import { creditSource, summaryLines } from "../credit/credit-lines.ts";
import { oneRunFolder } from "../one-run.ts";

const names = <Name extends string>(map: Readonly<Record<Name, unknown>>) => Object.keys(map) as [Name, ...Name[]];

export const command = defineCommand({
  name: "batch",
  summary: "what a run would ship to the learner: counts, tokens, mode",
  usage: "<run folder> [flags]",
  details:
    "Takes the advantages that `umagraph rewards` left in the folder, or the paper's with all defaults. Nothing is sent.\n" +
    "Only sessions of token-exact policies can be trained: tokens are never made from text.",
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
  }),
  examples: [
    {
      run: "umagraph batch runs/r1 --objective task-stratified",
      what: "what one update of the paper's loss would ship",
    },
    { run: "umagraph batch runs/r1 --profile tinker --kl k3", what: "which mode another engine needs for the KL term" },
    { run: "umagraph batch runs/r1 --objective dapo --out batch.jsonl", what: "the datums as a file" },
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
    });
    if (flags.out !== undefined && (batch.planned?.plan.terms ?? []).length === 0) throw nothingToWrite(batch, folder);
    const datums = flags.out === undefined || !batch.planned ? null : writeBatch(flags.out, batch.planned.plan);

    const credit = creditSummary(log);
    terminal.print(creditSource(from, log.options));
    for (const line of summaryLines(credit)) terminal.print(line);
    terminal.print();
    for (const line of batchLines(batch, update.run.config.policy.name)) terminal.print(line);
    if (datums !== null) terminal.print(`\nwritten: ${whole(datums)} datums in ${flags.out}`);
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
    });
    return 0;
  },
});

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
    `tokens: ${whole(tokens.shipped)} shipped, ${shareOf(tokens.trained, tokens.shipped)} trained; ${percent(summary.paddingWaste)} % of the room would be padding if all were as long as the longest`,
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

const describePlan = ({
  objective,
  profile,
  mode,
  why,
  approximation,
  rejected,
  notes,
  totals,
  zeroAdvantage,
  left,
  passes,
}: Plan) => ({
  objective,
  profile,
  mode,
  why,
  approximation,
  rejected,
  notes,
  totals,
  zeroAdvantage,
  left,
  passes: passes.map(({ op, lossFn, config }) => ({ op, lossFn, config })),
});
