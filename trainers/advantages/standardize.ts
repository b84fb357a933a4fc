/**
 * (R − mean) / (σ + ε_std) within one group (UMA Eqs. 5–6): the only place that says which σ, which ε, and what becomes of
 * a group without spread.
 *
 * Null leaves mean, deviation and result. Rewards that are all the same give exactly 0, whatever rounding would make of
 * their mean. A group of fewer than two says nothing about its session and gives null.
 *
 * The paper does not say which σ; the population's is our reading. The published code takes the sample's (N − 1), and a
 * lone session's own reward for its advantage.
 */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";

export const StandardizeOptions = z.strictObject({
  eps_std: z.number().positive().default(1e-6),
  deviation: z.enum(["population", "sample"]).default("population"),
  /** A lone reward: no signal, or R / (1 + ε_std) as in the published code. */
  loneReward: z.enum(["null", "raw"]).default("null"),
});
export type StandardizeOptions = z.infer<typeof StandardizeOptions>;

/**
 * float64; a permutation of the rewards permutes the advantages and changes no bit of them. Throws `input` for rewards that
 * are not finite or that float64 cannot square.
 */
export function standardize(
  rewards: readonly (number | null)[],
  { eps_std, deviation, loneReward }: StandardizeOptions,
): (number | null)[] {
  // sorted, because a floating-point sum depends on its order and an advantage must not
  const R = rewards.filter((reward) => reward !== null).sort((a, b) => a - b);
  const odd = R.find((reward) => !Number.isFinite(reward));
  if (odd !== undefined) throw new UmaError("input", `expected finite rewards, got ${odd}`);
  const n = R.length;
  const each = (advantage: (R: number) => number | null) =>
    rewards.map((reward) => (reward === null ? null : advantage(reward)));
  if (n === 1 && loneReward === "raw") return each((R) => R / (1 + eps_std));
  if (n < 2) return rewards.map(() => null);
  if (R[0] === R[n - 1]) return each(() => 0);

  const mean = sum(R) / n;
  const sigma = Math.sqrt(sum(R.map((reward) => (reward - mean) ** 2)) / (deviation === "population" ? n : n - 1));
  if (!Number.isFinite(sigma)) throw new UmaError("input", "the rewards of a group are too large to be squared");
  return each((R) => (R - mean) / (sigma + eps_std));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
