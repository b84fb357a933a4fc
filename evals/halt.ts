/** Why a run stops before its end: the user asked, the provider is gone, or something broke. The first reason counts. */

export type StopReason = "asked" | "provider";

export interface Halt {
  /** Asked before each session: true lets the running ones finish and starts no more. */
  stopping(): boolean;
  /** Cuts the running sessions short; they are not recorded and run again when the run is resumed. */
  readonly signal: AbortSignal;
  reason(): StopReason | null;
  /** No reply can be had: sessions in flight would only wait for more of them. */
  giveUp(): void;
  /** Something that is no session's fault, such as a full disk. Never throws, so that siblings can end in order. */
  fail(thrown: unknown): void;
  /** Throws what broke first. */
  rethrow(): void;
}

export function createHalt(options: { stopping?: () => boolean; signal?: AbortSignal }): Halt {
  const cut = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, cut.signal]) : cut.signal;
  let broken: { readonly thrown: unknown } | null = null;
  let gaveUp = false;
  const asked = () => (options.stopping?.() ?? false) || (options.signal?.aborted ?? false);
  return {
    signal,
    stopping: () => broken !== null || gaveUp || asked(),
    reason: () => (gaveUp ? "provider" : asked() ? "asked" : null),
    giveUp() {
      if (broken || asked()) return;
      gaveUp = true;
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
