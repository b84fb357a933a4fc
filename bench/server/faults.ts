/** What goes wrong at the stand-in server, and when: drawn from a seed by the number of the request. */
import { rng } from "../../base/rng.ts";

export interface Faults {
  /** Share of the requests that are answered 500. */
  readonly failureRate: number;
  /** Share of the requests that are never answered. */
  readonly hangRate: number;
  readonly seed: number;
  /** The server is gone for `ms` from this request (0-based) on: open connections are cut, new ones refused. */
  readonly outage: { readonly request: number; readonly ms: number } | null;
}

export const noFaults: Faults = { failureRate: 0, hangRate: 0, seed: 0, outage: null };

export type Fault = "fail" | "hang";

/** Null when the request is served. */
export function faultOf(request: number, { failureRate, hangRate, seed }: Faults): Fault | null {
  if (failureRate === 0 && hangRate === 0) return null;
  const drawn = rng(seed, "stand-in faults", request).next();
  if (drawn < failureRate) return "fail";
  return drawn < failureRate + hangRate ? "hang" : null;
}
