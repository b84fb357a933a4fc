/** A share of memory that callers wait for: first come, first served. What is larger than all of it goes alone. */
import { UmaError } from "../../base/errors.ts";

export interface ByteBudget {
  /** Resolves to a function that gives the share back; calling it twice is calling it once. Rejects `cancelled`. */
  take(bytes: number, signal?: AbortSignal): Promise<() => void>;
}

export function createByteBudget(capacity: number): ByteBudget {
  let free = capacity;
  const waiting: { readonly share: number; readonly go: () => void }[] = [];
  const admit = () => {
    while (waiting.length > 0 && waiting[0]!.share <= free) {
      const next = waiting.shift()!;
      free -= next.share;
      next.go();
    }
  };
  return {
    take: (bytes, signal) =>
      new Promise((resolve, reject) => {
        const share = Math.min(bytes, capacity);
        let held = true;
        const giveBack = () => {
          if (!held) return;
          held = false;
          free += share;
          admit();
        };
        const stop = () => {
          const at = waiting.indexOf(entry);
          if (at >= 0) waiting.splice(at, 1);
          admit();
          reject(new UmaError("cancelled", "stopped while waiting for memory to send with", { cause: signal?.reason }));
        };
        const entry = {
          share,
          go: () => {
            signal?.removeEventListener("abort", stop);
            resolve(giveBack);
          },
        };
        if (signal?.aborted) return stop();
        signal?.addEventListener("abort", stop, { once: true });
        waiting.push(entry);
        admit();
      }),
  };
}
