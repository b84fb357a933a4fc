import { ContextOverflowError } from "@langchain/core/errors";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UmaError } from "../../base/errors.ts";
import { concurrencyLimit } from "../../policies/concurrency-limit.ts";
import { AttemptTimeout, providerFailure, UnusableReply } from "../../policies/provider-failure.ts";
import { type RetryContext, withRetry } from "../../policies/retry.ts";

const withStatus = (status: number, headers: Record<string, string> = {}) =>
  Object.assign(new Error(`status ${status}`), { status, headers: new Headers(headers) });
const withCode = (code: string) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code }) });

describe("what is worth another try", () => {
  it.each<[string, unknown, boolean]>([
    ["408", withStatus(408), true],
    ["409", withStatus(409), true],
    ["429", withStatus(429), true],
    ["500", withStatus(500), true],
    ["529", withStatus(529), true],
    ["400", withStatus(400), false],
    ["401", withStatus(401), false],
    ["403", withStatus(403), false],
    ["404", withStatus(404), false],
    ["422", withStatus(422), false],
    ["a used-up quota", Object.assign(withStatus(429), { code: "insufficient_quota" }), false],
    ["a prompt that is too long", new ContextOverflowError("too long"), false],
    ["ECONNRESET", withCode("ECONNRESET"), true],
    ["ECONNREFUSED", withCode("ECONNREFUSED"), true],
    ["a socket that closed", withCode("UND_ERR_SOCKET"), true],
    ["a host that does not exist", withCode("ENOTFOUND"), false],
    ["a certificate that is refused", withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), false],
    ["a time-out", new AttemptTimeout("slow"), true],
    ["a reply that is none", new UnusableReply("HTML"), true],
    ["half a body", new SyntaxError("Unexpected end of JSON input"), true],
    ["a status of another client", { response: { status: 503 } }, true],
    ["a mistake in our code", new TypeError("x is not a function"), false],
    ["anything else", "a string", false],
  ])("%s", (_name, thrown, retryable) => expect(providerFailure(thrown, 0).retryable).toBe(retryable));

  it("reads Retry-After as seconds, as a date and in milliseconds", () => {
    const now = Date.parse("2026-11-30T12:00:00Z");
    const wanted = (headers: Record<string, string>) => providerFailure(withStatus(429, headers), now).retryAfterMs;
    expect(wanted({ "retry-after": "7" })).toBe(7_000);
    expect(wanted({ "retry-after": "0.5" })).toBe(500);
    expect(wanted({ "retry-after": "Mon, 30 Nov 2026 12:00:09 GMT" })).toBe(9_000);
    expect(wanted({ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" })).toBe(0);
    expect(wanted({ "retry-after-ms": "20" })).toBe(20);
    expect(wanted({ "retry-after": "soon" })).toBeNull();
    expect(wanted({})).toBeNull();
  });
});

describe("waiting", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const context = (given: Partial<RetryContext> = {}): RetryContext => ({
    name: "p",
    seed: 1,
    timeoutMs: null,
    ...given,
  });

  /** The waits before each retry, in ms, rounded up to the timer's grain. */
  async function waits(fail: () => unknown, given: Partial<RetryContext> = {}): Promise<number[]> {
    const times: number[] = [];
    const running = withRetry(async () => {
      times.push(Date.now());
      throw fail();
    }, context(given)).catch(() => {});
    await vi.runAllTimersAsync();
    await running;
    return times.slice(1).map((time, k) => time - times[k]!);
  }

  it("backs off with full jitter: below 1, 2, 4 … seconds, capped, the same for the same seed", async () => {
    const first = await waits(() => withStatus(500), { maxRetries: 8, capMs: 5_000 });
    expect(first).toHaveLength(8);
    for (const [k, wait] of first.entries()) expect(wait).toBeLessThanOrEqual(Math.min(5_000, 1_000 * 2 ** k) + 1);
    expect(new Set(first).size).toBeGreaterThan(5);
    expect(await waits(() => withStatus(500), { maxRetries: 8, capMs: 5_000 })).toEqual(first);
    expect(await waits(() => withStatus(500), { maxRetries: 8, capMs: 5_000, seed: 2 })).not.toEqual(first);
  });

  it("waits at least as long as the provider asks, up to the ceiling", async () => {
    const [asked] = await waits(() => withStatus(429, { "retry-after": "20" }), { maxRetries: 1 });
    expect(asked).toBeGreaterThanOrEqual(20_000);
    expect(asked).toBeLessThanOrEqual(21_001);
    const [capped] = await waits(() => withStatus(429, { "retry-after": "86400" }), {
      maxRetries: 1,
      retryAfterCapMs: 30_000,
    });
    expect(capped).toBeGreaterThanOrEqual(30_000);
    expect(capped).toBeLessThanOrEqual(31_001);
  });

  it("ends at once when cancelled in the middle of a wait", async () => {
    const controller = new AbortController();
    let attempts = 0;
    const running = withRetry(
      async () => {
        attempts++;
        throw withStatus(429, { "retry-after": "50" });
      },
      context({ signal: controller.signal }),
    );
    const outcome = expect(running).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(100);
    controller.abort();
    await outcome;
    expect(attempts).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives up an attempt that takes too long, also when the client ignores its signal", async () => {
    let attempts = 0;
    const running = withRetry(
      () => {
        attempts++;
        return new Promise<never>(() => {});
      },
      context({ timeoutMs: 1_000, maxRetries: 2 }),
    );
    const outcome = expect(running).rejects.toMatchObject({
      code: "provider",
      message: "p: no reply in time: gave up after 1 s (3 attempts)",
    });
    await vi.runAllTimersAsync();
    await outcome;
    expect(attempts).toBe(3);
  });
});

describe("errors", () => {
  it("of our own pass as they are, without a retry", async () => {
    let attempts = 0;
    const error = new UmaError("input", "replay: differs");
    const running = withRetry(
      async () => {
        attempts++;
        throw error;
      },
      { name: "p", seed: 1 },
    );
    await expect(running).rejects.toBe(error);
    expect(attempts).toBe(1);
  });

  it("of a provider keep what was thrown as their cause", async () => {
    const cause = withStatus(400);
    await expect(withRetry(async () => Promise.reject(cause), { name: "p", seed: 1 })).rejects.toMatchObject({
      code: "provider",
      cause,
    });
  });
});

describe("a limit on requests at once", () => {
  it("lets so many run, hands slots on in order, and gives up a place in the queue when cancelled", async () => {
    const limit = concurrencyLimit(1);
    const first = await limit.acquire(undefined);
    const order: string[] = [];
    const controller = new AbortController();
    const second = limit.acquire(undefined).then((release) => {
      order.push("second");
      release();
    });
    const cancelled = limit.acquire(controller.signal);
    const third = limit.acquire(undefined).then(() => order.push("third"));
    controller.abort(new Error("stop"));
    await expect(cancelled).rejects.toThrow("stop");
    expect(order).toEqual([]);
    first();
    first(); // giving back twice frees one slot only
    await Promise.all([second, third]);
    expect(order).toEqual(["second", "third"]);
  });

  it("a cancelled wait for a slot is a cancelled request", async () => {
    const limit = concurrencyLimit(1);
    await limit.acquire(undefined);
    const controller = new AbortController();
    const running = withRetry(async () => "never", {
      name: "p",
      seed: 1,
      signal: controller.signal,
      acquire: limit.acquire,
    });
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "cancelled" });
  });
});
