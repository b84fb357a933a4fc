/** The calls a learner makes for one update, by mode. Datums are made one at a time, so an update is never held twice. */
import { klKinds } from "../../learner/engines/engine-profile.ts";
import type { TracePart } from "../../policies/token-trace.ts";
import { checkLogprobs, type Datum, datumsOf, forTargets } from "./datum.ts";
import { logprobGradient } from "./logprob-gradient.ts";
import type { Mode } from "./modes.ts";
import { type Bounds, klOf, type Objective, type PolicyGradient } from "./objective.ts";
import type { Profile } from "./profile.ts";
import { foldedAdvantages, scaledAdvantages } from "./scaled-advantages.ts";
import { type Logprobs, oldLogprobs, type Term } from "./term.ts";
import { maskTensor, onTrained } from "./token-tensor.ts";

export interface ForwardPass {
  readonly op: "forward";
  readonly lossFn: "cross_entropy";
  readonly config: Readonly<Record<string, number>>;
  datums(): Iterable<Datum>;
}

export interface GradientPass {
  readonly op: "forward_backward";
  readonly lossFn: "ppo" | "cispo" | "cross_entropy";
  readonly config: Readonly<Record<string, number>>;
  /** Whether `datums` has to be given what the forward pass before returned: an array per datum, a number per target. */
  readonly needsLogprobs: boolean;
  /** With analytic weights, a datum whose every token is clipped is not shipped. */
  datums(current?: readonly Logprobs[]): Iterable<Datum>;
}

export type Pass = ForwardPass | GradientPass;

export function passesOf(mode: Mode, objective: Objective, terms: readonly Term[], profile: Profile): Pass[] {
  switch (mode) {
    case "forward-weights":
      return [scoringPass(terms, profile), analyticWeights(objective, terms, profile)];
    case "cross-entropy":
      return [crossEntropy(terms, profile, objective)];
    default:
      return [surrogate(mode, objective as PolicyGradient, terms, profile)];
  }
}

/** log π of all targets. Weights are the mask, so that an engine may skip what nobody asks for. */
export function scoringPass(terms: readonly Term[], profile: Profile): ForwardPass {
  return {
    op: "forward",
    lossFn: "cross_entropy",
    config: {},
    datums: () =>
      datumsOf(terms, (term, part) => ({ weights: maskTensor(term, part), ...maskApart(term, part, profile) })),
  };
}

function surrogate(
  mode: "ppo" | "cispo" | "kl-extension" | "folded-kl",
  objective: PolicyGradient,
  terms: readonly Term[],
  profile: Profile,
): GradientPass {
  const clip = (objective as Extract<PolicyGradient, { clip: Bounds }>).clip;
  const kl = mode === "kl-extension" ? klOf(objective) : null;
  const advantages = mode === "folded-kl" ? foldedAdvantages : scaledAdvantages;
  return {
    op: "forward_backward",
    lossFn: mode === "cispo" ? "cispo" : "ppo",
    config: {
      ...thresholds(clip, profile),
      ...(kl && { kl_beta: kl.beta, kl_kind: klKinds.indexOf(kl.kind) + 1 }),
    },
    needsLogprobs: false,
    datums: () =>
      datumsOf(terms, (term, part) => ({
        logprobs: forTargets(oldLogprobs(part)),
        advantages: advantages(objective, term, part),
        ...(kl && { ref_logprobs: forTargets(part.ref!), kl_weights: onTrained(term, part, () => term.scale) }),
        ...(profile.maskKey && { [profile.maskKey]: maskTensor(term, part) }),
      })),
  };
}

/** Weights known beforehand: c_s for supervised data, c_s·A for REINFORCE. */
function crossEntropy(terms: readonly Term[], profile: Profile, objective: Objective): GradientPass {
  return {
    op: "forward_backward",
    lossFn: "cross_entropy",
    config: {},
    needsLogprobs: false,
    datums: () =>
      datumsOf(terms, (term, part) => ({
        weights:
          objective.loss === "sft"
            ? onTrained(term, part, () => term.scale)
            : scaledAdvantages(objective as PolicyGradient, term, part),
        ...maskApart(term, part, profile),
      })),
  };
}

function analyticWeights(objective: Objective, terms: readonly Term[], profile: Profile): GradientPass {
  return {
    op: "forward_backward",
    lossFn: "cross_entropy",
    config: {},
    needsLogprobs: true,
    *datums(current = []) {
      checkLogprobs(terms, current);
      const gradient = logprobGradient(objective, terms, current);
      const datums = datumsOf(terms, (term, part, p) => ({
        weights: gradient(term, p),
        ...maskApart(term, part, profile),
      }));
      for (const datum of datums) if (datum.lossFnInputs.weights!.some((w) => w !== 0)) yield datum;
    },
  };
}

/** Always sent: engines differ in what they assume (0.8/1.2, 0.9/1.1), and in cispo's case have changed it. */
function thresholds({ low, high }: Bounds, { clip }: Profile): Record<string, number> {
  return clip.unit === "ratio"
    ? { clip_low_threshold: 1 - low, clip_high_threshold: 1 + high }
    : { clip_low_threshold: low, clip_high_threshold: high };
}

/** In cross-entropy `weights` is taken, so only an engine with a tensor of its own for the mask gets one. */
function maskApart(term: Term, part: TracePart, profile: Profile) {
  return profile.maskKey === "mask" && { mask: maskTensor(term, part) };
}
