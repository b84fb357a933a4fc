/** The next update's sampling while this one trains: at most one, and what it has sampled is in its folder, whatever becomes of it. */
import type { SampledFolders } from "./sample-into.ts";

export interface Prefetch {
  begin(update: number, sample: (signal: AbortSignal) => Promise<SampledFolders>): void;
  /** What was begun for this update, when it is there; null when nothing was. */
  take(update: number): Promise<SampledFolders | null>;
  /** Cuts it short and waits for its end. */
  stop(): Promise<void>;
}

export function createPrefetch(signal: AbortSignal): Prefetch {
  let under: { readonly update: number; readonly work: Promise<SampledFolders>; readonly cut: AbortController } | null =
    null;
  const stop = async () => {
    under?.cut.abort();
    await under?.work.catch(() => {});
    under = null;
  };
  return {
    begin(update, sample) {
      const cut = new AbortController();
      const work = sample(AbortSignal.any([signal, cut.signal]));
      // looked at when it is taken
      work.catch(() => {});
      under = { update, work, cut };
    },
    async take(update) {
      if (under?.update !== update) {
        await stop();
        return null;
      }
      const { work } = under;
      under = null;
      return work;
    },
    stop,
  };
}
