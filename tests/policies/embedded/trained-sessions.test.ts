import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readTrainedSessions } from "../../../policies/embedded/trained-sessions.ts";
import { trainedSessions } from "../../../policies/index.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-sessions-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("the bundled model says what it was trained on; a folder without the file, and any other policy, say nothing", async () => {
  expect(await trainedSessions({ policy: "embedded" })).toEqual({ toolset: "ledger", prompts: "micro", maxTurns: 8 });
  expect(await trainedSessions({ policy: "embedded", model: folder })).toBeNull();
  expect(await trainedSessions({ policy: "ledger-expert" })).toBeNull();
});

it.each(["{", '{"turns": 8}', '{"maxTurns": 0}', "8"])(
  "%s is refused with the file's name and how to write it",
  (text) => {
    writeFileSync(join(folder, "session.json"), text);
    expect(() => readTrainedSessions(folder)).toThrow(
      expect.objectContaining({
        code: "input",
        message: expect.stringContaining("session.json"),
        fix: expect.any(String),
      }),
    );
  },
);
