/**
 * Guard rails: what is looked at in every update, and a sentence for each that trips (contracts: what happened, what it
 * probably means, what to do).
 *
 * Pure functions of numbers. Those that look at one update stop at once; a collapse must last `patience` updates in a row.
 */
import type { RlRecipe } from "../recipes/recipe.ts";
import type { UpdateMetrics } from "../update/update-metrics.ts";
import type { GuardCounters, Halted, UnderWay } from "./state.ts";
import { trainingFiles } from "./training-folder.ts";

type Guards = RlRecipe["guards"];

/** Thrown inside an update before its step: nothing was learnt from it. */
export class GuardTripped extends Error {
  readonly halted: Halted;
  constructor(halted: Halted) {
    super(halted.sentence);
    this.halted = halted;
  }
}

export interface GuardVerdict {
  readonly counters: GuardCounters;
  readonly warnings: readonly string[];
  readonly halted: Halted | null;
}

const percent = (share: number) => `${Number((100 * share).toFixed(1))} %`;
const short = (value: number) => String(Number(value.toPrecision(3)));

/** After sampling and rewards: failed sessions, questions that nobody answers, calls that nobody can read. */
export function rewardGuards(
  { update, sessions, outcome, validity }: Pick<UnderWay, "update" | "sessions" | "outcome" | "validity">,
  before: GuardCounters,
  guards: Guards,
): GuardVerdict {
  const all = sessions.memory + sessions.qa;
  const failed = all === 0 ? 0 : sessions.failed / all;
  if (failed > guards.maxFailedShare)
    return { counters: before, warnings: [], halted: failures(failed, update, guards) };
  const failing = counted("failing", outcome === null || outcome === 0, before, guards.patience, {
    what: "every question was answered wrongly, or none could be scored",
    why: "with the same reward everywhere nothing can be learnt: the tasks are too hard for these weights, or answers are not read as they are meant",
    fix: `look at some sessions (${inspecting(update)}); begin with shorter streams, or from a supervised start`,
  });
  const rates = [validity?.memory, validity?.qa].filter((rate) => rate !== null && rate !== undefined);
  const lowest = rates.length === 0 ? null : Math.min(...rates);
  const { minValidity } = guards;
  const collapsed = counted(
    "validity",
    minValidity !== null && lowest !== null && lowest < minValidity,
    { ...before, failing: failing.count },
    guards.patience,
    {
      what: `${percent(lowest ?? 0)} of the calls are valid, less than ${percent(minValidity ?? 0)}`,
      why: "the policy has lost the form of tool calls",
      fix: "lower the learning rate, give λ or the KL term more weight, and go on from the best checkpoint (best/)",
    },
  );
  return {
    counters: { ...before, failing: failing.count, validity: collapsed.count },
    warnings: [...failing.warnings, ...collapsed.warnings],
    halted: failing.halted ?? collapsed.halted,
  };
}

/** Where the sessions are that a guard rail has judged; it knows the run's folder from inside only. */
const inspecting = (update: number) => `umagraph inspect ${trainingFiles.update("<run folder>", update, ".")}`;

const failures = (share: number, update: number, { maxFailedShare }: Guards): Halted => ({
  reason: "failures",
  sentence:
    `${percent(share)} of the sessions failed, more than ${percent(maxFailedShare)}. Something around the policy is broken, ` +
    "not the policy: its endpoint, a time limit, a budget that is too small. The errors are in the update's records " +
    `(${inspecting(update)}); mend the cause and go on with --resume.`,
});

/** The sampling itself was given up. */
export function samplingHalt(stopped: "provider" | "failures", lastFailure: string | null): Halted {
  const said = lastFailure === null ? "" : ` The last one said: ${lastFailure}`;
  return stopped === "provider"
    ? {
        reason: "provider",
        sentence: `The policy gave no replies.${said} See that its server runs, and go on with --resume.`,
      }
    : {
        reason: "failures",
        sentence: `Too large a share of the sessions failed, and sampling was given up.${said} Mend the cause and go on with --resume.`,
      };
}

export interface StepFacts {
  readonly metrics: UpdateMetrics;
  /** Which of the update's optimiser steps is about to be taken, 0-based. */
  readonly step: number;
  readonly staleness: number;
}

/** Before an optimiser step, when it can still be left out. Null: nothing is wrong. */
export function stepGuards({ metrics, step, staleness }: StepFacts, guards: Guards): Halted | null {
  const { objective, entropy, klRef, samplerGap } = metrics;
  if (![objective, entropy, samplerGap].every(Number.isFinite)) return notFinite("log-probabilities");
  const { maxSamplerMismatch, maxKl } = guards;
  // after a step the samples are another policy's, and one token that has become improbable outweighs all others in k3
  if (step > 0) return null;
  // weights that are behind differ rightly
  if (staleness === 0 && maxSamplerMismatch !== null && samplerGap > maxSamplerMismatch)
    return {
      reason: "sampler-mismatch",
      sentence:
        `Learner and sampler disagree by ${short(samplerGap)} nats per token on what was just sampled, more than ${maxSamplerMismatch}. ` +
        "They do not have the same weights, or compute with other precision, so the ratios of the objective mean nothing. No step " +
        "was taken: see umagraph learner doctor, or allow more with guards.maxSamplerMismatch.",
    };
  if (maxKl !== null && klRef !== null && klRef > maxKl)
    return {
      reason: "kl",
      sentence:
        `The policy is ${short(klRef)} nats per token away from where it started, more than ${maxKl}. It has left what it knew ` +
        "faster than rewards can vouch for, or a few improbable tokens outweigh the rest. No step was taken: lower the learning " +
        "rate, raise β or clamp the log-ratio (objective.kl), and go on from the best checkpoint; guards.maxKl sets the limit.",
    };
  return null;
}

export const notFinite = (what: string): Halted => ({
  reason: "not-finite",
  sentence:
    `The learner's ${what} are not finite. The weights have diverged, or a log-ratio overflowed. No step was taken and the last ` +
    "saved state is sound: lower the learning rate, clip the gradient (adam.gradClipNorm) or clamp the log-ratio of the KL term.",
});

/** After the step. */
export function entropyGuard(entropy: number | null, before: GuardCounters, guards: Guards): GuardVerdict {
  const { minEntropy, patience } = guards;
  if (minEntropy === null || entropy === null) return { counters: before, warnings: [], halted: null };
  const { count, warnings, halted } = counted("entropy", entropy < minEntropy, before, patience, {
    what: `the entropy is ${short(entropy)} nats per token, less than ${minEntropy}`,
    why: "the policy has stopped exploring: all its samples are alike, and their rewards too",
    fix: "lower the learning rate or widen the clip upwards, and go on from the best checkpoint (best/)",
  });
  return { counters: { ...before, entropy: count }, warnings, halted };
}

interface Collapse {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

function counted(
  name: keyof GuardCounters,
  bad: boolean,
  before: GuardCounters,
  patience: number,
  { what, why, fix }: Collapse,
): { readonly count: number; readonly warnings: readonly string[]; readonly halted: Halted | null } {
  if (!bad) return { count: 0, warnings: [], halted: null };
  const count = before[name] + 1;
  const sentence = `${what[0]!.toUpperCase()}${what.slice(1)}, in ${count} update${count === 1 ? "" : "s in a row"}`;
  if (count < patience) return { count, warnings: [`${sentence}; at ${patience} the run stops.`], halted: null };
  return { count, warnings: [], halted: { reason: name, sentence: `${sentence}: ${why}. What to do: ${fix}.` } };
}
