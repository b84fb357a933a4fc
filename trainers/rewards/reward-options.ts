/**
 * How a session's reward is computed, as named options (UMA §2.3.2).
 *
 * `paper` is the default profile. Where the paper is silent the choice is ours and stands beside the option. `uma-code` is
 * what the published training code computes, for comparing with it; every single option can be set apart from a profile.
 */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";

const Lambda = z.number().min(0);

export const RewardOptions = z.strictObject({
  /** λ of Eqs. 3–4, for each kind of session; the paper has one. */
  lambda: z.strictObject({ memory: Lambda, qa: Lambda }),
  /** The metric in scores.jsonl that is r_outcome, or "uma-code" for the published code's outcome. */
  outcome: z.string().min(1),
  /** For `outcome: "uma-code"`: the published data source, or a benchmark of ours, whose rule decides. */
  dataSource: z.string().min(1).nullable(),
  /** Where "uma-code" and the bonus look for the boxed answer: that many last characters; null is the whole reply. */
  answerWindow: z.int().min(1).nullable(),
  /** Added to r_outcome where the reply holds a boxed answer; the paper has none. */
  formatBonus: z.number().min(0),
  /** What a miss counts as. The paper is silent: as valid it can be farmed, as invalid it discourages attempts. */
  miss: z.enum(["neither", "valid", "invalid", "valid-if-read"]),
  /** Whether a call that had to be mended counts as valid; it counts in N_total either way. */
  repaired: z.enum(["valid", "invalid"]),
  /** r_tool of a session in which no call counts. The paper is silent; 1 says that nothing was invalid. */
  emptySession: z.number().min(0).max(1),
  /** `recorded` counts the calls on the record, `opening-tags` the published way: opening tags, matched or not. */
  countCalls: z.enum(["recorded", "opening-tags"]),
});
export type RewardOptions = z.infer<typeof RewardOptions>;

const paper = {
  lambda: { memory: 0.5, qa: 0.5 },
  dataSource: null,
  answerWindow: null,
  formatBonus: 0,
  miss: "neither",
  repaired: "valid",
  emptySession: 1,
  countCalls: "recorded",
} as const satisfies Partial<RewardOptions>;

export const rewardProfiles = {
  paper,
  "uma-code": {
    ...paper,
    outcome: "uma-code",
    answerWindow: 300,
    formatBonus: 0.5,
    miss: "valid-if-read",
    emptySession: 0,
    countCalls: "opening-tags",
  },
} as const satisfies Record<string, Partial<RewardOptions>>;

export interface RewardSettings extends Partial<Omit<RewardOptions, "lambda">> {
  readonly profile?: keyof typeof rewardProfiles;
  /** One number for both kinds of session, or one for each. */
  readonly lambda?: number | Partial<RewardOptions["lambda"]>;
}

/** Throws `config` for an unknown or impossible option. `outcome` has no default in the `paper` profile. */
export function rewardOptions({ profile = "paper", lambda, ...settings }: RewardSettings): RewardOptions {
  if (!Object.hasOwn(rewardProfiles, profile)) {
    throw new UmaError("config", `there is no reward profile "${profile}"`, {
      fix: `choose one of ${Object.keys(rewardProfiles).join(", ")}`,
    });
  }
  const base = rewardProfiles[profile];
  const each = typeof lambda === "number" ? { memory: lambda, qa: lambda } : { ...base.lambda, ...lambda };
  const value = { ...base, ...settings, lambda: each };
  const parsed = RewardOptions.safeParse(value);
  if (!parsed.success) throw new UmaError("config", `rewards: ${problemSentence(valueProblems(parsed.error, value))}`);
  if (parsed.data.outcome === "uma-code" && parsed.data.dataSource === null) {
    throw new UmaError("config", 'the outcome "uma-code" needs a data source, since the published rule differs by it', {
      fix: "set dataSource, e.g. ledger-qa",
    });
  }
  return parsed.data;
}
