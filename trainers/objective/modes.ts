/** The ways an objective can be shipped, and for each whether it fits: exactly, approximately or not at all, and why. */
import { klOf, type Objective } from "./objective.ts";
import type { Profile } from "./profile.ts";

/** From the cheapest to the dearest. All but the last take one pass; `forward-weights` takes a forward pass more. */
export const modes = ["ppo", "cispo", "cross-entropy", "kl-extension", "folded-kl", "forward-weights"] as const;
export type Mode = (typeof modes)[number];

export interface Judgement {
  readonly mode: Mode;
  readonly fit: "exact" | "approximate" | "impossible";
  readonly because: string;
}

type Verdict = Omit<Judgement, "mode">;

/**
 * `atOld` says that π_θ is still π_θold when the pass runs: no optimiser step since the learner recomputed the old
 * log-probabilities, so every ratio is 1.
 */
export function judgeModes(objective: Objective, profile: Profile, atOld: boolean): Judgement[] {
  return modes.map((mode) => {
    const verdict = judges[mode](objective, profile, atOld);
    if (profile.reduction === "sum" || verdict.fit === "impossible") return { mode, ...verdict };
    const because = `${profile.name} does not sum but averages, so sessions do not weigh what c_s says`;
    return { mode, fit: "approximate", because: verdict.fit === "exact" ? because : `${verdict.because}; ${because}` };
  });
}

const exact = (because: string): Verdict => ({ fit: "exact", because });
const approximate = (because: string): Verdict => ({ fit: "approximate", because });
const impossible = (because: string): Verdict => ({ fit: "impossible", because });

const judges: Record<Mode, (objective: Objective, profile: Profile, atOld: boolean) => Verdict> = {
  ppo(objective, profile, atOld) {
    if (objective.loss !== "clipped") return impossible(`the loss is ${objective.loss}, not the clipped surrogate`);
    if (klOf(objective)) return impossible("ppo has no KL term");
    if (!profile.losses.includes("ppo")) return lacks(profile, "ppo");
    const dual = withoutDual(objective.clip.dual, atOld);
    return dual
      ? approximate(dual)
      : exact("min and clip scale with c_s ≥ 0, so advantages times c_s make the engine's sum −J");
  },

  cispo(objective, profile) {
    if (objective.loss !== "cispo") return impossible(`the loss is ${objective.loss}, not cispo`);
    if (klOf(objective)) return impossible("the engine's cispo has no KL term");
    if (!profile.losses.includes("cispo")) return lacks(profile, "cispo");
    return exact("the surrogate is linear in the advantage, so advantages times c_s make the engine's sum −J");
  },

  "cross-entropy"(objective, profile) {
    if (objective.loss === "sft") return exact("supervised weights are known beforehand");
    if (objective.loss !== "reinforce")
      return impossible(`weights of a ${objective.loss} loss depend on the current policy`);
    if (klOf(objective)) return impossible("the KL term depends on the current policy");
    if (!profile.signedWeights) return unsigned(profile);
    return exact("without a ratio a token's weight is c_s·A, known beforehand");
  },

  "kl-extension"(objective, profile, atOld) {
    const kl = klOf(objective);
    if (objective.loss !== "clipped") return impossible(`the loss is ${objective.loss}, not the clipped surrogate`);
    if (!kl) return impossible("there is no KL term");
    if (!profile.klExtension?.kinds.includes(kl.kind))
      return impossible(`${profile.name} has no KL term of kind ${kl.kind}`);
    if (kl.clamp) return impossible("the engine's KL term is not clamped");
    const dual = withoutDual(objective.clip.dual, atOld);
    return dual ? approximate(dual) : exact("the engine computes the KL term itself, in one pass");
  },

  "folded-kl"(objective, profile, atOld) {
    if (objective.loss !== "clipped") return impossible(`the loss is ${objective.loss}, not the clipped surrogate`);
    if (!klOf(objective)) return impossible("there is no KL term");
    if (!profile.losses.includes("ppo")) return lacks(profile, "ppo");
    if (atOld)
      return exact(
        "every ratio is 1, where the KL term's slope is a number that the advantage can carry (the gradient is −∇J, the value is not −J)",
      );
    const folded =
      "the KL term's slope is taken at ρ = 1, off by the order of β·|ρ − 1|, and a token with |A| below it may be clipped on the other side";
    const dual = withoutDual(objective.clip.dual, atOld);
    return approximate(dual ? `${folded}; ${dual}` : folded);
  },

  "forward-weights"(objective, profile) {
    if (!profile.signedWeights && objective.loss !== "sft") return unsigned(profile);
    return exact(
      "a forward pass gives log π, from it ∂J/∂ log π, and cross-entropy with these weights has the gradient −∇J (the value is not −J)",
    );
  },
};

const lacks = (profile: Profile, loss: string) => impossible(`${profile.name} has no loss ${loss}`);
const unsigned = (profile: Profile) => impossible(`${profile.name} takes no negative weights`);

/** What is lost without the dual clip; null when nothing is. */
function withoutDual(dual: number | null, atOld: boolean): string | null {
  return dual === null || atOld
    ? null
    : `the dual clip is left out: tokens with A < 0 and ρ > ${dual} keep their gradient`;
}
