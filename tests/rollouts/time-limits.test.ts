import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { Policy, SampleRequest } from "../../policies/policy.ts";
import { noTimeLimits, withTimeLimits } from "../../rollouts/time-limits.ts";
import { sampleOf } from "../support/scripts.ts";

const request = (signal?: AbortSignal): SampleRequest => ({
  ...{ messages: [], tools: [], maxTokens: 10, seed: 1 },
  ...(signal && { signal }),
});

const policyThat = (sample: Policy["sample"]): Policy => ({
  ...{ name: "slow", scripted: true, weights: null, countTokens: (text) => text.length, sample },
});
const quick = policyThat(async () => sampleOf({ text: "done" }, 0));
/** Never answers; ends at its signal, as clients do. */
const hanging = () => {
  const signals: (AbortSignal | undefined)[] = [];
  const policy = policyThat(({ signal }) => {
    signals.push(signal);
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  });
  return { policy, signals };
};
const deaf = policyThat(() => new Promise(() => {}));

describe("time limits", () => {
  it("without any the policy is the same object", () => {
    expect(withTimeLimits(quick, noTimeLimits)).toBe(quick);
  });

  it("let a reply in time pass and leave no timer behind", async () => {
    vi.useFakeTimers();
    try {
      const limited = withTimeLimits(quick, { turn: 1_000, session: 2_000 });
      expect((await limited.sample(request())).text).toBe("done");
      expect(vi.getTimerCount()).toBe(0);
      expect(limited).toMatchObject({ name: "slow", scripted: true, weights: null });
      expect(limited.countTokens("four")).toBe(4);
    } finally {
      vi.useRealTimers();
    }
  });

  it("a turn that takes too long is a provider error that says so, and its request is told to stop", async () => {
    const { policy, signals } = hanging();
    const limited = withTimeLimits(policy, { turn: 20, session: null });
    await expect(limited.sample(request())).rejects.toMatchObject({
      code: "provider",
      message: expect.stringContaining("no reply within 20 ms"),
      fix: expect.stringContaining("allow more time"),
    });
    expect(signals[0]!.aborted).toBe(true);
    // a clock per turn: the next one has its own
    const next = limited.sample(request());
    expect(signals[1]!.aborted).toBe(false);
    await expect(next).rejects.toMatchObject({ code: "provider" });
  });

  it("also when the client ignores its signal", async () => {
    await expect(withTimeLimits(deaf, { turn: 20, session: null }).sample(request())).rejects.toThrow(
      /no reply within/,
    );
  });

  it("a session's clock runs over all its turns, and a turn after its end is not sampled at all", async () => {
    let asked = 0;
    const counting = policyThat(async () => {
      asked++;
      await sleep(30);
      return sampleOf({ text: "done" }, 0);
    });
    const limited = withTimeLimits(counting, { turn: null, session: 50 });
    await limited.sample(request());
    await expect(limited.sample(request())).rejects.toThrow(/the session took longer than 50 ms/);
    await expect(limited.sample(request())).rejects.toThrow(/the session took longer/);
    expect(asked).toBe(2);
  });

  it("an abort from outside stays what it was", async () => {
    const controller = new AbortController();
    const { policy } = hanging();
    const waiting = withTimeLimits(policy, { turn: 10_000, session: null }).sample(request(controller.signal));
    controller.abort(new Error("the user pressed Ctrl-C"));
    await expect(waiting).rejects.toThrow("the user pressed Ctrl-C");
  });
});
