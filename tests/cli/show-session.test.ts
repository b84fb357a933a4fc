/** What people are told of a session. */
import { expect, it } from "vitest";
import { promptCut, sessionProblem } from "../../cli/show-session.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";

const record = (fields: Partial<SessionRecord>) => fields as SessionRecord;

it("says what did not fit the prompt, and what to do", () => {
  expect(promptCut(record({ truncated: { core: 0, focus: 0, context: 9 } }))).toBeNull();
  expect(promptCut(record({ truncated: { core: 3, focus: 120, context: 0 } }))).toBe(
    "the first 120 characters of the text and the first 3 characters of the core did not fit the prompt and were not read; raise --budget or lower --chunk-tokens",
  );
});

it("says why there is no answer", () => {
  const unanswered = { stage: "qa", answer: null, error: null, core: null } as const;
  expect(sessionProblem(record({ ...unanswered, end: "text" }))).toBe(
    "no answer: the reply held no text that can be one",
  );
  expect(sessionProblem(record({ ...unanswered, end: "turns" }))).toBe("no answer: the session ended by turns");
});
