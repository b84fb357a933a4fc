/** What an update looked like from its log-probabilities before the step: ratios, clipping, divergences, entropy. */

import type { Plan } from "../objective/compile.ts";
import { klEstimate } from "../objective/kl.ts";
import { type Bounds, isPolicyGradient } from "../objective/objective.ts";
import { objectiveValue } from "../objective/objective-value.ts";
import { forEachTrained, oldLogprobs } from "../objective/term.ts";

export interface UpdateMetrics {
  /** J (Eq. 9), which an engine's own loss need not be. */
  readonly objective: number;
  readonly tokens: number;
  /** Mean of π_θ/π_θold over trained tokens. */
  readonly ratio: number;
  /** Share of trained tokens whose gradient the clip has cut off; null without a clip. */
  readonly clipShare: number | null;
  /**
   * Mean k3 estimate of the divergence from π_θold and from π_ref, nats per token; null without those scores. A token's is bounded,
   * as its exponential would otherwise let one that has become improbable outweigh all others.
   */
  readonly klOld: number;
  readonly klRef: number | null;
  /** Mean |log π − log π_sampler| over trained tokens, nats: what two engines make of the same weights, before the first step. */
  readonly samplerGap: number;
  /** −mean log π of the sampled tokens: an estimate of the policy's entropy, nats per token. */
  readonly entropy: number;
}

const bounded = { kind: "k3", beta: 0, clamp: true } as const;

/** Null when nothing was shipped. */
export function updateMetrics(plan: Plan, logprobs: readonly ArrayLike<number>[]): UpdateMetrics | null {
  const sums = { tokens: 0, ratio: 0, clipped: 0, klOld: 0, klRef: 0, withRef: 0, logprob: 0, gap: 0 };
  const clip = clipOf(plan);
  for (const { session, at } of plan.terms) {
    for (const [p, part] of session.parts.entries()) {
      const old = oldLogprobs(part);
      forEachTrained(part, (t) => {
        const l = logprobs[at + p]![t - 1]!;
        const ratio = Math.exp(l - old[t]!);
        const A = session.advantage ?? 0;
        sums.tokens++;
        sums.ratio += ratio;
        sums.logprob += l;
        sums.gap += Math.abs(l - part.sampler[t]!);
        sums.klOld += klEstimate(bounded, l - old[t]!, ratio);
        if (clip && ((A > 0 && ratio > 1 + clip.high) || (A < 0 && ratio < 1 - clip.low))) sums.clipped++;
        if (!part.ref) return;
        sums.withRef++;
        sums.klRef += klEstimate(bounded, l - part.ref[t]!, ratio);
      });
    }
  }
  const { tokens } = sums;
  if (tokens === 0) return null;
  return {
    objective: objectiveValue(plan.objective, plan.terms, logprobs),
    tokens,
    ratio: sums.ratio / tokens,
    clipShare: clip ? sums.clipped / tokens : null,
    klOld: sums.klOld / tokens,
    klRef: sums.withRef === 0 ? null : sums.klRef / sums.withRef,
    samplerGap: sums.gap / tokens,
    entropy: -sums.logprob / tokens,
  };
}

function clipOf({ objective }: Plan): Bounds | null {
  return isPolicyGradient(objective) && "clip" in objective ? objective.clip : null;
}
