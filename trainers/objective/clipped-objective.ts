/**
 * Eq. 9's clipped surrogate in float64, and its slope: min(ρA, clip(ρ, 1 − ε_low, 1 + ε_high)·A), optionally dual-clipped.
 *
 * The reference for whatever an engine computes in its own precision. At a bound the slope is that of the unclipped side.
 */
import type { Bounds, Clip } from "./objective.ts";

/** The value of the surrogate for one token (or one session, in GSPO). `rho` ≥ 0. */
export function clippedObjective(rho: number, A: number, clip: Clip): number {
  if (A === 0) return 0; // also where ρ overflowed
  const surrogate = Math.min(rho * A, boundedRatio(rho, clip) * A);
  return clip.dual !== null && A < 0 ? Math.max(surrogate, clip.dual * A) : surrogate;
}

/** Its derivative by log π: ρA while the clip is inactive, else 0. */
export function clippedSlope(rho: number, A: number, clip: Clip): number {
  if (A === 0) return 0;
  const clipped = A > 0 ? rho > 1 + clip.high : rho < 1 - clip.low || (clip.dual !== null && rho > clip.dual);
  return clipped ? 0 : rho * A;
}

export function boundedRatio(rho: number, { low, high }: Bounds): number {
  return Math.min(Math.max(rho, 1 - low), 1 + high);
}
