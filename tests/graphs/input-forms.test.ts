import { describe, expect, it } from "vitest";
import { AgentInput } from "../../nodes/agent/state.ts";
import { AnsweringInput } from "../../nodes/answering/state.ts";
import { MaintenanceInput } from "../../nodes/maintenance/state.ts";
import { SessionInput, SessionState } from "../../nodes/session/state.ts";

describe("the forms that Studio makes", () => {
  it.each(Object.entries({ SessionInput, MaintenanceInput, AnsweringInput, AgentInput }))(
    "%s: every field says what it is and has a default",
    (_name, input) => {
      const { properties } = input.getInputJsonSchema() as { properties: Record<string, { description?: string }> };
      for (const [field, { description = "" }] of Object.entries(properties))
        expect([field, description]).toEqual([field, expect.stringMatching(/\w+/)]);
      expect((input.getJsonSchema() as { required?: string[] }).required).toBeUndefined();
    },
  );

  it("ask for what a graph is given and for nothing else", () => {
    const fields = (input: typeof AgentInput | typeof SessionInput) => Object.keys(input.fields);
    expect(fields(AgentInput)).toEqual(["chunks", "core", "memoryRef", "sourceRef", "cursor", "identity", "questions"]);
    expect(fields(SessionInput).some((field) => ["messages", "calls", "log", "outcome"].includes(field))).toBe(false);
  });

  it("the calls that wait at a breakpoint say that they can be edited", () => {
    const { properties } = SessionState.getJsonSchema() as { properties: Record<string, { description?: string }> };
    expect(properties.calls?.description).toContain("edit them at a breakpoint");
    for (const [field, { description = "" }] of Object.entries(properties))
      expect([field, description]).toEqual([field, expect.stringMatching(/\w+/)]);
  });
});
