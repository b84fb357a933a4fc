/**
 * Session dates (UMA §3.1, stage 1): H distinct days, sorted, from 2023-01-01..2024-12-31.
 *
 * The paper's range has 731 days. A longer horizon moves the end of the range to the H-th day after its start, so every
 * session keeps a day of its own and the dates stay sorted and distinct at any H.
 */
import type { Rng } from "../../../base/rng.ts";

const firstDay = Date.UTC(2023, 0, 1);
const paperDays = 731;
const msPerDay = 86_400_000;

/** Day 0 is 2023-01-01. */
export const dayToDate = (day: number): string => new Date(firstDay + day * msPerDay).toISOString().slice(0, 10);

/** `horizon` sorted, distinct ISO dates. */
export function sampleDates(horizon: number, random: Rng): string[] {
  const days = Array.from({ length: Math.max(paperDays, horizon) }, (_, day) => day);
  return random
    .sample(days, horizon)
    .sort((a, b) => a - b)
    .map(dayToDate);
}
