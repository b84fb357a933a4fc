/**
 * Eqs. 7–8 as one factor c_s per session: 1/S · 1/|s|, with S and |s| counted over the whole update.
 *
 * Every part, chunk and micro-batch of a session carries the same c_s, so an engine that only sums gives the same gradient
 * however the update was cut. A mean taken per micro-batch (verl's default) does not.
 */
import type { Aggregation } from "./objective.ts";

/** Counts of everything that enters the loss between two optimiser steps. */
export interface Totals {
  /** S = GN + GM, less the sessions without a signal. */
  readonly sessions: number;
  /** Σ_s |s|. */
  readonly tokens: number;
  /** Preference pairs. */
  readonly pairs: number;
}

/** c_s for a session of `trained` tokens. */
export function sessionScale(aggregation: Aggregation, trained: number, { sessions: S, tokens }: Totals): number {
  if (aggregation === "session-mean") return 1 / (S * trained);
  if (aggregation === "token-mean") return 1 / tokens;
  return 1 / (S * aggregation.constant);
}
