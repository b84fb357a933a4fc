/** How one update's credit is assigned, resolved: estimator, rewards, advantages and schedule, each with all its options. */
import { closest } from "../../base/closest.ts";
import { UmaError } from "../../base/errors.ts";
import type { Stage } from "../../nodes/session/record.ts";
import type { UpdatePlan } from "../advantages/assign-credit.ts";
import { type AdvantageOptions, type AdvantageSettings, advantageOptions } from "../advantages/estimator.ts";
import { type EstimatorName, estimators } from "../advantages/index.ts";
import {
  type RewardOptions,
  type RewardSettings,
  rewardOptions,
  type rewardProfiles,
} from "../rewards/reward-options.ts";
import type { SampledUpdate } from "./read-update.ts";

export interface CreditOptions {
  readonly estimator: EstimatorName;
  readonly rewards: RewardOptions;
  readonly advantages: AdvantageOptions;
  readonly plan: UpdatePlan;
}

export interface CreditSettings {
  /** `paper`, or what the published training code computes, for rewards and advantages alike. */
  readonly profile?: keyof typeof rewardProfiles;
  /** Default: task-stratified. */
  readonly estimator?: EstimatorName;
  readonly rewards?: Omit<RewardSettings, "profile">;
  readonly advantages?: Omit<AdvantageSettings, "profile">;
  /** Two-stage: the stage that this update trains (default memory, which comes first). */
  readonly trained?: Stage;
}

/** Without an outcome it is the benchmark's headline, the metric that the scores list first. Throws `config`. */
export function creditOptions(
  { run, scores }: Pick<SampledUpdate, "run" | "scores">,
  settings: CreditSettings = {},
): CreditOptions {
  const { profile = "paper", estimator = "task-stratified", trained } = settings;
  if (!Object.hasOwn(estimators, estimator)) {
    throw new UmaError("config", `there is no estimator "${estimator}"`, {
      fix: `choose one of ${Object.keys(estimators).join(", ")}`,
    });
  }
  if (trained !== undefined && estimator !== "two-stage") {
    throw new UmaError("config", `${estimator} trains both stages in every update, got one stage, ${trained}`, {
      fix: "leave the stage out, or choose two-stage",
    });
  }
  const wanted = settings.rewards?.outcome ?? (profile === "uma-code" ? "uma-code" : headlineOf(scores));
  const outcome = metricNamed(wanted, scores);
  const dataSource = outcome === "uma-code" ? run.config.benchmark.name : null;
  return {
    estimator,
    rewards: rewardOptions({ profile, dataSource, ...settings.rewards, outcome }),
    advantages: advantageOptions({ profile, ...settings.advantages }),
    plan: planOf(estimator, trained),
  };
}

function headlineOf(scores: SampledUpdate["scores"]): string {
  const [first] = metricsOf(scores);
  if (first !== undefined) return first;
  throw new UmaError("input", "the run has no scores yet, so there is no outcome to make rewards of", {
    fix: "let a question be answered first; a benchmark that this umagraph does not know has to be scored by its own run",
  });
}

/** Hyphens and underscores are the same on a command line: decimal-exact is the metric decimal_exact. */
function metricNamed(outcome: string, scores: SampledUpdate["scores"]): string {
  const names = metricsOf(scores);
  if (outcome === "uma-code" || names.length === 0 || names.includes(outcome)) return outcome;
  const plain = (name: string) => name.replaceAll("-", "_");
  const alike = names.find((name) => plain(name) === plain(outcome));
  if (alike !== undefined) return alike;
  const meant = closest(outcome, names);
  throw new UmaError("config", `this run has no metric "${outcome}"`, {
    fix: `${meant ? `did you mean ${meant}? ` : ""}choose one of ${[...names, "uma-code"].join(", ")}`,
  });
}

const metricsOf = (scores: SampledUpdate["scores"]) => [
  ...new Set(scores.flatMap(({ metrics }) => Object.keys(metrics))),
];

function planOf(estimator: EstimatorName, trained: Stage = "memory"): UpdatePlan {
  if (estimator !== "two-stage") return { schedule: { kind: "joint" }, update: 0 };
  return { schedule: { kind: "two-stage", memoryUpdates: 1 }, update: trained === "memory" ? 0 : 1 };
}
