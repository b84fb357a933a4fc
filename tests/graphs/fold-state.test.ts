import { HumanMessage } from "@langchain/core/messages";
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { foldState, openState } from "../../graphs/fold-state.ts";
import { SessionState } from "../../nodes/session/state.ts";

const Small = new StateSchema({
  count: z.int().default(3),
  nothing: z.string().nullable().default(null),
  notes: z.array(z.string()).default(() => []),
  sum: new ReducedValue(z.number().default(10), { reducer: (known, more) => known + more }),
});

describe("state folded without LangGraph", () => {
  it("opens with every default, and the input folded in by the same reducers", () => {
    expect(openState(Small, {})).toEqual({ count: 3, nothing: null, notes: [], sum: 10 });
    expect(openState(Small, { count: 4, sum: 5 })).toEqual({ count: 4, nothing: null, notes: [], sum: 15 });
  });

  it("no two states share a default that could be changed", () => {
    const [one, other] = [openState(Small, {}), openState(Small, {})];
    one.notes.push("mine");
    expect(other.notes).toEqual([]);
    expect(openState(Small, {}).notes).toEqual([]);
  });

  it("an update replaces or reduces, leaves what it does not name, and never changes the state it was given", () => {
    const state = Object.freeze(openState(Small, {}));
    expect(foldState(Small, state, { sum: 1, nothing: "now" })).toEqual({
      count: 3,
      nothing: "now",
      notes: [],
      sum: 11,
    });
    expect(foldState(Small, state, { count: undefined })).toEqual(state);
    expect(state.sum).toBe(10);
  });

  it("a session opens with the defaults of its schema", () => {
    const state = openState(SessionState, { messages: [new HumanMessage({ id: "a", content: "x" })] });
    expect(state).toMatchObject({
      stage: "memory",
      turn: 0,
      calls: [],
      outcome: null,
      identity: { run: "studio", seed: 0 },
    });
    expect(state.messages).toHaveLength(1);
  });
});
