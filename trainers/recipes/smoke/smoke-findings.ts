/** Whether a short run shows that training works at all: what the smoke test of a machine asks of a run folder. */
import { isDeepStrictEqual } from "node:util";
import type { TrainingLog } from "../../report/read-training.ts";
import type { MetricsLine } from "../../run/metrics-line.ts";

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** The numbers that say so. */
  readonly seen: string;
}

export interface SmokeOptions {
  /** Lines of metrics that were there when the run was killed; null when it was not. */
  readonly killedAfter: number | null;
  /** What those lines were. */
  readonly before: readonly MetricsLine[];
  /** Updates that the recipe asks for. */
  readonly updates: number;
}

export function smokeFindings({ metrics, evaluations }: TrainingLog, options: SmokeOptions): Finding[] {
  const trained = metrics.filter(({ steps }) => steps.length > 0);
  const steps = trained.flatMap((line) => line.steps);
  const rewards = metrics.flatMap(({ reward }) => [reward.memory, reward.qa]).filter((value) => value !== null);
  const mismatch = trained.map(({ samplerMismatch }) => samplerMismatch ?? Number.NaN);
  // after the first step the policy is no longer its reference
  const away = trained.slice(1).map((line) => line.steps.at(-1)!.klRef ?? 0);
  const failed = metrics.reduce((sum, { sessions }) => sum + sessions.failed, 0);
  return [
    {
      what: "every update is there, once",
      ok: isDeepStrictEqual(
        metrics.map(({ update }) => update),
        Array.from({ length: options.updates }, (_, i) => i + 1),
      ),
      seen: metrics.map(({ update }) => update).join(", ") || "none",
    },
    {
      what: "a step was taken in at least two updates",
      ok: trained.length >= 2,
      seen: `${trained.length} of ${metrics.length}`,
    },
    {
      what: "gradients are finite and not 0",
      ok:
        steps.length > 0 &&
        steps.every(({ gradNorm }) => gradNorm === null || (Number.isFinite(gradNorm) && gradNorm > 0)),
      seen: steps.map(({ gradNorm }) => short(gradNorm)).join(", ") || "none",
    },
    {
      what: "weights move: the policy leaves its start",
      ok: away.length > 0 && away.every((kl) => kl > 0),
      seen: `KL to the start ${away.map(short).join(", ") || "not measured"}`,
    },
    {
      what: "rewards move",
      ok: new Set(rewards).size > 1,
      seen: metrics.map(({ reward }) => `${short(reward.memory)} ${short(reward.qa)}`).join(", ") || "none",
    },
    {
      what: "learner and sampler agree on what was sampled",
      ok: mismatch.length > 0 && mismatch.every((value) => value < 0.05),
      seen: `mean |Δ log p| ${mismatch.map(short).join(", ") || "none"}`,
    },
    { what: "sessions do not fail", ok: failed === 0, seen: `${failed} failed` },
    {
      what: "held-out contexts were evaluated before and after",
      ok: evaluations.length >= 2 && evaluations.at(-1)!.update === options.updates,
      seen: evaluations.map(({ update, sampled }) => `after ${update}: ${short(sampled.mean)}`).join(", ") || "never",
    },
    ...(options.killedAfter === null
      ? []
      : [
          {
            what: "a killed run goes on, and keeps what it had",
            ok:
              options.killedAfter < options.updates &&
              isDeepStrictEqual(metrics.slice(0, options.killedAfter).map(sampled), options.before.map(sampled)),
            seen: `killed after ${options.killedAfter} of ${options.updates} updates`,
          },
        ]),
  ];
}

/** What follows from the records, which a kill must not change. A step that is done again need not be equal to the last bit on a card. */
const sampled = ({ update, sessions, tokens, reward, outcome }: MetricsLine) => [
  update,
  sessions,
  tokens,
  reward,
  outcome,
];

const short = (value: number | null) => (value === null ? "–" : value === 0 ? "0" : value.toPrecision(3));
