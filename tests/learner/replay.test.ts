/** The client says byte for byte what it said when the conversation with our service was recorded, and understands the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startReplay } from "../support/recorded-conversation.ts";
import { converse } from "./conversation.ts";

it.each(["proto", "json"] as const)("in the %s dialect", async (wire) => {
  const golden = join(import.meta.dirname, "..", "golden", "learner", `client-${wire}.json`);
  const { exchanges, outcome } = JSON.parse(readFileSync(golden, "utf8"));
  const replay = await startReplay(exchanges);
  onTestFinished(() => replay.close());
  expect(await converse(replay.url, wire)).toEqual(outcome);
  expect(replay.unasked()).toEqual([]);
});
