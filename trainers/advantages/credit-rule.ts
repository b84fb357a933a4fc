/**
 * A credit rule: which session gets which advantage, from the records of one update's contexts. The one shape that the
 * trainer knows; `liftEstimator` makes one of an estimator.
 *
 * Rules are pure: no policy, no judge, no files. One that needs numbers only a model can give (what an evidence-indexed
 * bank answers, how much a record contributed) takes them through the factory that makes it.
 */
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { SampledContext } from "../rewards/session-grid.ts";
import type { Schedule } from "./schedule.ts";

export interface Credit {
  /** Null is no signal: the session is left out of the loss, which 0 is not (its KL term stays). */
  readonly advantage: number | null;
  /** Factors on the advantage, one per trained token of the session in order; all 1 when left out. */
  readonly tokenWeights?: readonly number[];
  /** Why the advantage is null, in a few fixed words that can be counted; null when it is a number. */
  readonly reason: string | null;
}

export interface CreditRule {
  readonly name: string;
  /** Where it is defined. */
  readonly paper: string;
  /** The schedules it is defined for; any when left out. */
  readonly schedules?: readonly Schedule["kind"][];
  /** Exactly one credit per record, by session id, whatever the order of the records. */
  assign(update: readonly SampledContext[]): ReadonlyMap<SessionRecord["id"], Credit>;
}
