/**
 * Trying again: exponential back-off with full jitter, seeded by the request, so that two runs wait alike and a thousand
 * sessions that fail together do not come back together.
 *
 * What is worth another try is decided in `provider-failure.ts`. A wait that the provider asks for is kept, up to a ceiling.
 * Cancelling ends a wait or an attempt at once, even when the client ignores its signal.
 */
import { UmaError } from "../base/errors.ts";
import { type Rng, rng } from "../base/rng.ts";
import { AttemptTimeout, type Endpoint, providerError, providerFailure } from "./provider-failure.ts";

export interface RetryOptions {
  /** Tries after the first one. */
  readonly maxRetries?: number;
  /** The longest wait before the first retry; it doubles from there. */
  readonly baseMs?: number;
  readonly capMs?: number;
  /** The longest that a provider's Retry-After is obeyed. */
  readonly retryAfterCapMs?: number;
  /** For one attempt; null for none. */
  readonly timeoutMs?: number | null;
}

export const retryDefaults = {
  maxRetries: 6,
  baseMs: 1_000,
  capMs: 30_000,
  retryAfterCapMs: 60_000,
  timeoutMs: 300_000,
} as const satisfies Required<RetryOptions>;

export interface RetryContext extends RetryOptions {
  readonly name: string;
  readonly endpoint?: Endpoint;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
  /** Waits for a free slot before each attempt; waiting does not count as part of the attempt. */
  readonly acquire?: ((signal: AbortSignal | undefined) => Promise<() => void>) | undefined;
}

/** The attempt's result, `UmaError("cancelled")`, or `UmaError("provider")` when no attempt worked. */
export async function withRetry<T>(
  attempt: (signal: AbortSignal | undefined) => Promise<T>,
  context: RetryContext,
): Promise<T> {
  const { maxRetries, baseMs, capMs, retryAfterCapMs, timeoutMs } = { ...retryDefaults, ...context };
  const { name, endpoint = {}, seed, signal } = context;
  const cancelled = () => new UmaError("cancelled", `${name}: cancelled while waiting for a reply`);
  let jitter: Rng | null = null;
  for (let failures = 0; ; ) {
    if (signal?.aborted) throw cancelled();
    const release = await context.acquire?.(signal).catch(() => {
      throw cancelled(); // the only way for a wait to end without a slot
    });
    let wait: number;
    try {
      return await oneAttempt(attempt, signal, timeoutMs);
    } catch (thrown) {
      if (signal?.aborted) throw cancelled();
      failures++;
      const { retryable, retryAfterMs } = providerFailure(thrown, Date.now());
      if (thrown instanceof UmaError || !retryable || failures > maxRetries)
        throw providerError(thrown, { name, endpoint, attempts: failures });
      jitter ??= rng(seed, "retry");
      const backOff = jitter.next() * Math.min(capMs, baseMs * 2 ** (failures - 1));
      wait = Math.min(retryAfterMs ?? 0, retryAfterCapMs) + backOff;
    } finally {
      release?.();
    }
    await sleep(wait, signal, cancelled);
  }
}

async function oneAttempt<T>(
  attempt: (signal: AbortSignal | undefined) => Promise<T>,
  outer: AbortSignal | undefined,
  timeoutMs: number | null,
): Promise<T> {
  if (!outer && timeoutMs === null) return attempt(undefined);
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  // a client may ignore its signal, so the attempt is raced against it as well
  const stopped = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      controller.abort(reason);
      reject(reason);
    };
    if (timeoutMs !== null)
      timer = setTimeout(() => stop(new AttemptTimeout(`gave up after ${timeoutMs / 1000} s`)), timeoutMs);
    onAbort = () => stop(outer!.reason);
    outer?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([attempt(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    if (onAbort) outer?.removeEventListener("abort", onAbort);
  }
}

function sleep(ms: number, signal: AbortSignal | undefined, cancelled: () => UmaError): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(cancelled());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
