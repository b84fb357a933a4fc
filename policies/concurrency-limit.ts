/** At most `limit` attempts at once, first come first served; a slow server is not asked for more than it can do. */
export interface ConcurrencyLimit {
  /** Resolves to the function that gives the slot back. Rejects with the signal's reason when cancelled while waiting. */
  acquire(signal: AbortSignal | undefined): Promise<() => void>;
}

export function concurrencyLimit(limit: number): ConcurrencyLimit {
  let running = 0;
  const waiting: (() => void)[] = [];
  const slot = () => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = waiting.shift();
      if (next) next();
      else running--;
    };
  };
  return {
    acquire(signal) {
      if (running < limit) {
        running++;
        return Promise.resolve(slot());
      }
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          const at = waiting.indexOf(go);
          if (at >= 0) waiting.splice(at, 1);
          reject(signal!.reason);
        };
        // the slot is handed over, so `running` stays as it is
        const go = () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(slot());
        };
        waiting.push(go);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
  };
}
