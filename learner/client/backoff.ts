/** Waiting between attempts: doubling waits, and a sleep that a signal ends. */
import { UmaError } from "../../base/errors.ts";
import type { Limits } from "./limits.ts";

/** Wait before attempt `failures` + 1, in milliseconds. */
export function delayAfter(failures: number, { retryFirstMs, retryMaxMs }: Limits): number {
  return Math.min(retryFirstMs * 2 ** (failures - 1), retryMaxMs);
}

/** Rejects `cancelled` when the signal comes first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new UmaError("cancelled", "stopped while waiting for the learner", { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
