/** Why a run stops before its end: the user asked, the provider is gone, too much fails, or something broke. The first reason counts. */

import { setMaxListeners } from "node:events";

export type StopReason = "asked" | "provider" | "failures";

export interface Halt {
  /** Asked before each session: true lets the running ones finish and starts no more. */
  stopping(): boolean;
  /** Cuts the running sessions short; they are not recorded and run again when the run is resumed. */
  readonly signal: AbortSignal;
  reason(): StopReason | null;
  /** Going on makes no sense: no reply can be had (`provider`), or too large a share of the sessions fails (`failures`). */
  giveUp(why: "provider" | "failures"): void;
  /** Something that is no session's fault, such as a full disk. Never throws, so that siblings can end in order. */
  fail(thrown: unknown): void;
  /** Throws what broke first. */
  rethrow(): void;
}

export function createHalt(options: { stopping?: () => boolean; signal?: AbortSignal }): Halt {
  const cut = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, cut.signal]) : cut.signal;
  // every session in flight listens
  setMaxListeners(0, signal);
  let broken: { readonly thrown: unknown } | null = null;
  let gaveUp: "provider" | "failures" | null = null;
  const asked = () => (options.stopping?.() ?? false) || (options.signal?.aborted ?? false);
  return {
    signal,
    stopping: () => broken !== null || gaveUp !== null || asked(),
    reason: () => gaveUp ?? (asked() ? "asked" : null),
    giveUp(why) {
      if (broken || gaveUp || asked()) return;
      gaveUp = why;
      cut.abort();
    },
    fail(thrown) {
      broken ??= { thrown };
      cut.abort();
    },
    rethrow() {
      if (broken) throw broken.thrown;
    },
  };
}
