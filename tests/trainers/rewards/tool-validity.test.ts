import { describe, expect, it } from "vitest";
import { rewardOptions } from "../../../trainers/rewards/reward-options.ts";
import { callCounts, type ToolValidityOptions, toolValidity } from "../../../trainers/rewards/tool-validity.ts";
import { add, playing, remove, type Step } from "../../support/scripts.ts";
import { throughLoop } from "../../support/sessions.ts";
import { failed, memorySession, qaSession, type Verdict } from "./sampled.ts";

const paper = rewardOptions({ outcome: "exact" });
const published = rewardOptions({ profile: "uma-code", dataSource: "synth" });
const r_tool = (verdicts: readonly Verdict[], options: Partial<ToolValidityOptions> = {}) =>
  toolValidity(memorySession(0, { verdicts }), { ...paper, ...options });

describe("r_tool is N_valid / N_total", () => {
  it("counts what is unreadable, unknown, out of phase or over a limit in N_total alone", () => {
    expect(r_tool(["valid", "invalid", "refused", "valid"])).toBe(0.5);
    expect(r_tool(["invalid"])).toBe(0);
    expect(r_tool(["refused"])).toBe(0);
  });

  it("leaves a miss out of both by default, and counts it as the option says", () => {
    const verdicts: Verdict[] = ["valid", "miss", "invalid", "miss"];
    expect(r_tool(verdicts)).toBe(1 / 2);
    expect(r_tool(verdicts, { miss: "valid" })).toBe(3 / 4);
    expect(r_tool(verdicts, { miss: "invalid" })).toBe(1 / 4);
  });

  it("takes a mended call for valid by default, and counts it in N_total either way", () => {
    expect(r_tool(["repaired", "valid"])).toBe(1);
    expect(r_tool(["repaired", "valid"], { repaired: "invalid" })).toBe(1 / 2);
  });

  it("a miss that had to be mended is valid only where both a miss and a mended call are", () => {
    const mended: Verdict[] = [["memory_delete", "miss", true]];
    expect(r_tool(mended, { miss: "valid" })).toBe(1);
    expect(r_tool(mended, { miss: "valid", repaired: "invalid" })).toBe(0);
    expect(r_tool(mended, { miss: "invalid" })).toBe(0);
    expect(callCounts(memorySession(0, { verdicts: mended }), paper)).toEqual({ valid: 0, total: 0 });
  });

  it("gives a session in which no call counts the value of the option, 1 by default", () => {
    expect(r_tool([])).toBe(1);
    expect(r_tool(["miss", "miss"])).toBe(1);
    expect(r_tool([], { emptySession: 0 })).toBe(0);
    expect(r_tool(["miss"], { emptySession: 0.25 })).toBe(0.25);
  });

  it("is null for a session that failed or was cancelled, whatever it had called before", () => {
    for (const more of [failed, { end: "cancelled" as const }])
      expect(toolValidity(memorySession(0, { verdicts: ["valid"], more }), paper)).toBeNull();
  });

  it("a session that ran out of budget or turns keeps its validity", () => {
    for (const end of ["budget", "turns"] as const)
      expect(toolValidity(qaSession("0", { verdicts: ["valid", "refused"], more: { end } }), paper)).toBe(0.5);
  });

  it("reads the verdicts of a real session: valid, miss, mended, unreadable, unknown and out of phase", async () => {
    const steps: Step[] = [
      { calls: [add("a", "1"), add("a", "2"), { name: "memory_list", args: {}, repaired: true }] },
      { calls: [{ name: "memory_add", args: null, error: "no JSON" }, ["memory_guess", {}], remove("b")] },
      { calls: [["memory_bm25_retrieve", { query: "a" }]] },
      { text: "the core" },
    ];
    const { record } = await throughLoop(playing(steps));
    expect(record.calls.map(({ verdict }) => verdict)).toEqual([
      "valid",
      "miss",
      "repaired",
      "invalid",
      "invalid",
      "miss",
      "refused",
    ]);
    expect(callCounts(record, paper)).toEqual({ valid: 2, total: 5 });
    expect(callCounts(record, { ...paper, miss: "invalid", repaired: "invalid" })).toEqual({ valid: 1, total: 7 });
  });
});

describe("uma-code counts calls as the published code does", () => {
  const text = (reply: string) => ({ role: "assistant" as const, text: reply });
  const counts = (verdicts: readonly Verdict[], replies: readonly string[]) =>
    callCounts(memorySession(0, { verdicts, more: { messages: replies.map(text) } }), published);

  it("an opening tag that no call came of is a call, so is a tag inside a string", () => {
    expect(counts(["valid"], ["<tool_call>{…}</tool_call><tool_call>"])).toEqual({ valid: 1, total: 2 });
    expect(counts(["valid"], ['<tool_call>{"content":"<tool_call>"}</tool_call>'])).toEqual({ valid: 1, total: 2 });
  });

  it("tags in later replies count too, those in what the tools said do not", () => {
    const observation = { role: "tool" as const, text: "<tool_call><tool_call>" };
    const more = { messages: [text("<tool_call>…"), observation, text("<tool_call>")] };
    expect(callCounts(memorySession(0, { verdicts: ["valid"], more }), published)).toEqual({ valid: 1, total: 2 });
  });

  it("native calls, which leave no tags, are counted", () => {
    expect(counts(["valid", "invalid", "refused"], ["", "the core"])).toEqual({ valid: 1, total: 3 });
  });

  it("reading a missing title is valid, writing to one or adding a taken one is not", () => {
    expect(counts([["memory_key_retrieve", "miss"]], [""])).toEqual({ valid: 1, total: 1 });
    for (const name of ["memory_add", "memory_update", "memory_delete"])
      expect(counts([[name, "miss"]], [""])).toEqual({ valid: 0, total: 1 });
  });

  it("a session without calls loses all of it", () => {
    expect(toolValidity(memorySession(0), published)).toBe(0);
  });
});
