/**
 * Which stages an update trains. A schedule is data, so that a run's config can hold it; an estimator says how much, a
 * schedule says when.
 *
 * Both stages share one policy: a stage that is not trained gets no gradient of its own, but the weights it is sampled
 * from move with the other stage's. To hold it still as well, sample it from the weights at the switch.
 */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import type { Stage } from "../../nodes/session/record.ts";

const Updates = z.int().min(1);

export const Schedule = z.discriminatedUnion("kind", [
  /** Both stages in every update: UMA. */
  z.strictObject({ kind: z.literal("joint") }),
  /** Memory for so many updates, answering from then on: UMA's ablation Two-Stage. */
  z.strictObject({ kind: z.literal("two-stage"), memoryUpdates: Updates }),
  /** So many updates of memory, so many of answering, over and over: Uni-Mem §4.2 has 1 : 1. */
  z.strictObject({ kind: z.literal("alternating"), memory: Updates.default(1), qa: Updates.default(1) }),
]);
export type Schedule = z.infer<typeof Schedule>;

const both: readonly Stage[] = ["memory", "qa"];

/** `update` is 0-based. */
export function trainedStages(schedule: Schedule, update: number): readonly Stage[] {
  if (!Number.isSafeInteger(update) || update < 0)
    throw new UmaError("config", `expected an update's number from 0 on, got ${update}`);
  if (schedule.kind === "joint") return both;
  if (schedule.kind === "two-stage") return update < schedule.memoryUpdates ? ["memory"] : ["qa"];
  return update % (schedule.memory + schedule.qa) < schedule.memory ? ["memory"] : ["qa"];
}
