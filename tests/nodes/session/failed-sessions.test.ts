/** A session that fails is data: nothing it did stays, and its record says what happened. */
import { describe, expect, it } from "vitest";
import { emptyBank } from "../../../memory/bank.ts";
import { add, list, playing, type Step } from "../../support/scripts.ts";
import { type SessionSetting, throughLoop } from "../../support/sessions.ts";
import { bankOf, smallSource } from "../../support/worlds.ts";

const endOf = async (steps: readonly Step[], setting?: SessionSetting) => {
  const policy = playing(steps);
  return { policy, ...(await throughLoop(policy, setting)) };
};

describe("a session that fails changes nothing", () => {
  it("a policy that fails after writes: the bank and the core are as before, the record says why", async () => {
    const bank = bankOf({ a: "1" });
    const {
      record,
      bank: after,
      state,
    } = await endOf([{ calls: [add("b", "2")] }, { fail: new Error("503 from the server") }], { bank });
    expect(record).toMatchObject({
      end: "error",
      turns: 1,
      error: { boundary: "policy", code: "failure", message: "503 from the server" },
      core: { committed: false, after: "the old core", kept: "the session ended by error" },
    });
    expect(record.calls).toHaveLength(1);
    expect(after()).toBe(bank);
    expect(state.outcome?.text).toBeNull();
  });

  it("a policy that gives back what is no sample at all fails like any other", async () => {
    const policy = { ...playing([]), sample: async () => undefined as never };
    const { record } = await throughLoop(policy);
    expect(record).toMatchObject({ end: "error", turns: 0, error: { boundary: "policy", code: "failure" } });
  });

  it("a tool that breaks: error at the tool's boundary, memory as before", async () => {
    const source = { ...smallSource(), bm25: async () => Promise.reject(new Error("index is gone")) };
    const { record } = await endOf([{ calls: [["memory_bm25_retrieve", { query: "a" }]] }], {
      source,
      input: { stage: "qa", focus: "Who?" },
    });
    expect(record).toMatchObject({
      end: "error",
      answer: null,
      error: { boundary: "tool", message: "memory_bm25_retrieve: index is gone" },
    });
  });

  it("a bank that is not live any more is an error of the session, with what to do", async () => {
    const { record } = await endOf([{ calls: [list()] }], { input: { memoryRef: "bank-99", focus: "x" } });
    expect(record.end).toBe("error");
    expect(record.error).toEqual({
      boundary: "tool",
      code: "input",
      message:
        'the state names the bank "bank-99", which is not live in this process; ' +
        "the process was restarted since; start a new thread, or load the memory again",
    });
  });

  it("a cancelled session ends as cancelled and gives the memory back as it was", async () => {
    const controller = new AbortController();
    const policy = playing((_request, turn) => {
      if (turn === 1) controller.abort();
      return turn === 1 ? { fail: new Error("aborted") } : { calls: [add("b", "2")] };
    });
    const { record, bank } = await throughLoop(policy, { signal: controller.signal });
    expect(record).toMatchObject({ end: "cancelled", error: null, core: { committed: false } });
    expect(bank()).toBe(emptyBank);
  });

  it("a session that is cancelled before it starts asks the policy nothing", async () => {
    const policy = playing([]);
    const { record } = await throughLoop(policy, { signal: AbortSignal.abort() });
    expect(record.end).toBe("cancelled");
    expect(policy.requests).toEqual([]);
  });

  it("a policy that never heeds the signal is stopped at its next turn", async () => {
    const controller = new AbortController();
    const policy = playing((_request, turn) => {
      if (turn === 2) controller.abort();
      return { calls: [list()] };
    });
    const { record } = await throughLoop(policy, { signal: controller.signal });
    expect(policy.requests).toHaveLength(3);
    expect(record.end).toBe("cancelled");
  });
});
