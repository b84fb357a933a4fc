/**
 * An estimator: from the reward tables of one update's contexts to advantage tables of the same shape (UMA §2.3.3).
 *
 * A pure function. A null reward gets a null advantage and changes no other; every advantage is finite. An update may hold
 * several contexts, since the prose of Eq. 5 speaks of all memory sessions of the update. `creditRule` lifts an estimator
 * into the shape that the trainer knows.
 */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";
import type { Table } from "../rewards/table.ts";
import type { Schedule } from "./schedule.ts";
import { StandardizeOptions } from "./standardize.ts";

export const AdvantageOptions = StandardizeOptions.extend({
  /**
   * What a memory session is compared with: all memory sessions of its context (Eq. 5's sum over G·N, and the published
   * code) or of the whole update (Eq. 5's prose). Estimators that know no memory group of their own say what they do.
   */
  memoryGroup: z.enum(["per-context", "per-update"]).default("per-context"),
});
export type AdvantageOptions = z.infer<typeof AdvantageOptions>;

export const advantageProfiles = {
  paper: {},
  /** The published code: sample deviation, and a lone session keeps its raw reward. */
  "uma-code": { deviation: "sample", loneReward: "raw" },
} as const satisfies Record<string, Partial<AdvantageOptions>>;

export interface AdvantageSettings extends Partial<AdvantageOptions> {
  readonly profile?: keyof typeof advantageProfiles;
}

/** Throws `config` for an unknown or impossible option. */
export function advantageOptions({ profile = "paper", ...settings }: AdvantageSettings = {}): AdvantageOptions {
  if (!Object.hasOwn(advantageProfiles, profile)) {
    throw new UmaError("config", `there is no advantage profile "${profile}"`, {
      fix: `choose one of ${Object.keys(advantageProfiles).join(", ")}`,
    });
  }
  const value = { ...advantageProfiles[profile], ...settings };
  const parsed = AdvantageOptions.safeParse(value);
  if (!parsed.success)
    throw new UmaError("config", `advantages: ${problemSentence(valueProblems(parsed.error, value))}`);
  return parsed.data;
}

/** The rewards of one context; all three tables have a row per trajectory. */
export interface Rewards {
  /** [G][N], Eq. 4 */
  readonly R_mem: Table;
  /** [G][M], Eq. 3 */
  readonly R_qa: Table;
  /** [G][M] */
  readonly r_outcome: Table;
}

export interface Advantages {
  /** [G][N] */
  readonly A_mem: Table;
  /** [G][M] */
  readonly A_qa: Table;
}

export interface Estimator {
  readonly name: string;
  /** Where it is defined. */
  readonly paper: string;
  /** The schedules it is defined for; any when left out. */
  readonly schedules?: readonly Schedule["kind"][];
  /** One result per context, in order. */
  estimate(update: readonly Rewards[], options: AdvantageOptions): Advantages[];
}

/** Makes an estimator refuse tables whose rows are not the same trajectories, before it computes anything. */
export function defineEstimator(estimator: Estimator): Estimator {
  return {
    ...estimator,
    estimate(update, options) {
      for (const { R_mem, R_qa, r_outcome } of update) {
        if (R_mem.length === R_qa.length && R_qa.length === r_outcome.length) continue;
        const rows = [R_mem, R_qa, r_outcome].map((table) => table.length).join(", ");
        throw new UmaError("input", `expected a row per trajectory in R_mem, R_qa and r_outcome, got ${rows} rows`);
      }
      return estimator.estimate(update, options);
    },
  };
}
