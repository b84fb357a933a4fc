import { expect, it } from "vitest";
import { sessionSettings } from "../../cli/session-settings.ts";

const flags = { toolset: "paper", prompts: "default", budget: 16_384, maxTurns: 32, maxCalls: 16 };
const settings = async (policy: string, ...chosen: string[]) => {
  const { toolset, prompts, limits } = await sessionSettings({ policy }, flags, new Set(chosen));
  return [toolset.name, prompts.name, limits.maxTurns, limits.maxCalls];
};

it("are what the policy was trained on, unless a person chose otherwise", async () => {
  expect(await settings("embedded")).toEqual(["ledger", "micro", 8, 16]);
  expect(await settings("embedded", "toolset", "maxTurns")).toEqual(["paper", "micro", 32, 16]);
  expect(await settings("ledger-expert")).toEqual(["paper", "default", 32, 16]);
});
