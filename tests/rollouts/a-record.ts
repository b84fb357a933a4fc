/** A whole session record for tests that do not care what is in it. */
import { RECORD_VERSION, type SessionRecord } from "../../nodes/session/record.ts";
import { answerSessionId, memorySessionId } from "../../rollouts/rollout-context.ts";

type Place = Pick<SessionRecord, "context" | "trajectory" | "position"> & { readonly question?: string | null };

export function aRecord(
  { context, trajectory, position, question = null }: Place,
  more: Partial<SessionRecord> = {},
): SessionRecord {
  const stage = question === null ? "memory" : "qa";
  const id =
    question === null ? memorySessionId(context, trajectory, position) : answerSessionId(context, trajectory, question);
  return {
    ...{ v: RECORD_VERSION, id, run: "a-run", context, trajectory, stage, position, question },
    parent: stage === "memory" && position === 0 ? null : memorySessionId(context, trajectory, position),
    ...{ seed: 1, attempt: 1, variant: "uma", toolset: "paper", prompt: "hash" },
    policy: { name: "none", scripted: true, weights: null },
    budget: { prompt: 100, interaction: 100, turns: 4, calls: 4 },
    truncated: { core: 0, focus: 0, context: 0 },
    messages: [{ role: "user", text: `about ${id}` }],
    ...{ trace: null, calls: [], given: [] },
    core: stage === "memory" ? { before: "", after: id, committed: true, kept: null } : null,
    answer: stage === "qa" ? "an answer" : null,
    ...{ end: "text", cut: null, lastTurn: null, error: null, turns: 1 },
    tokens: { prompt: 1, completion: 1, interaction: 1, provider: null },
    started: "2026-01-02T03:04:05.000Z",
    ms: 1,
    ...more,
  };
}

export const providerError = { boundary: "policy", code: "provider", message: "503" } as const;
