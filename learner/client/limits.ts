/** Sizes and patience of the client. Where the server's own settings are smaller, they hold. */
import { UmaError } from "../../base/errors.ts";

export interface Limits {
  /** Parts of one forward_backward: most datums, and most bytes of one body. */
  readonly chunkDatums: number;
  readonly chunkBytes: number;
  /** Bodies of training calls that may be encoded and not yet taken by the server; a larger one goes alone. */
  readonly dispatchBytes: number;
  /** The same for sampling calls, and how many of those may be under way. */
  readonly sampleDispatchBytes: number;
  readonly samples: number;
  /** Results that may be on their way at once, where the server says how large they are. */
  readonly inflightBytes: number;
  /** A submission or a small question. Below five minutes, where Node's own clock ends a request. */
  readonly requestMs: number;
  /** One poll; a server that has nothing by then is asked again, without end. */
  readonly pollMs: number;
  /** Waits after failures double from `firstMs` to `maxMs`. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** How long a submission is tried. */
  readonly retryForMs: number;
  /** How long polls go on although nothing at all has come from the server. */
  readonly unreachableForMs: number;
  /** Wait after 402: the account is out of funds, and polls go on when it is not. */
  readonly billingPauseMs: number;
  /** Wait after a refused sample: small bodies, large ones (over 128 KiB four times longer by default). */
  readonly backpressureMs: number;
  readonly heartbeatMs: number;
  /** Heartbeats without an answer for so long are worth a warning. */
  readonly heartbeatWarnMs: number;
  /** How often a sample is submitted again after its result was lost. */
  readonly sampleResubmits: number;
  /** Tokens of one call above which JSON is worth a warning. */
  readonly jsonTokens: number;
}

/** Node's fetch ends a request after five minutes whatever we allow. */
const MOST_MS = 290_000;

/** Throws `config` for numbers that cannot be kept. */
export function limitsFrom(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given };
  for (const [name, value] of Object.entries(limits))
    if (typeof value !== "number" || !(value >= 0))
      throw new UmaError("config", `limits.${name}: expected a number from 0, got ${value}`);
  for (const name of ["requestMs", "pollMs"] as const)
    if (limits[name] > MOST_MS)
      throw new UmaError("config", `limits.${name}: expected at most ${MOST_MS}, got ${limits[name]}`, {
        fix: "a poll that is over is asked again, so slow work needs no longer one",
      });
  return limits;
}

const MiB = 2 ** 20;

export const defaultLimits: Limits = {
  chunkDatums: 1024,
  chunkBytes: 5_000_000,
  dispatchBytes: 50_000_000,
  sampleDispatchBytes: 10 * MiB,
  samples: 256,
  inflightBytes: 50 * MiB,
  requestMs: 60_000,
  pollMs: 45_000,
  retryFirstMs: 1_000,
  retryMaxMs: 30_000,
  retryForMs: 300_000,
  unreachableForMs: 600_000,
  billingPauseMs: 5_000,
  backpressureMs: 1_000,
  heartbeatMs: 10_000,
  heartbeatWarnMs: 120_000,
  sampleResubmits: 3,
  jsonTokens: 1_000_000,
};
