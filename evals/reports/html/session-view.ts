/** What the page shows of one session, with long texts packed. */
import type { SessionRecord } from "../../../nodes/session/record.ts";
import type { ScoreLine } from "../../run-folder.ts";
import type { PackedText, TextPieces } from "./text-pieces.ts";

export type SessionView = ReturnType<typeof sessionView>;

export function sessionView(record: SessionRecord, score: ScoreLine | undefined, { pack }: TextPieces) {
  const observed = new Set(record.calls.map((call) => call.id));
  return {
    id: record.id,
    turns: record.turns,
    seed: record.seed,
    attempt: record.attempt,
    policy: record.policy.name,
    end: record.end,
    lastTurn: record.lastTurn,
    error: record.error,
    tokens: record.tokens,
    budget: record.budget,
    truncated: record.truncated,
    started: record.started,
    ms: record.ms,
    // an observation stands on its call and is not repeated here
    messages: record.messages.map(({ text, calls, ...message }) =>
      message.callId !== undefined && observed.has(message.callId)
        ? message
        : { ...message, text: pack(text), ...(calls && { called: calls.map(({ name }) => name) }) },
    ),
    calls: record.calls.map((call) => ({
      ...call,
      args: call.args === null ? null : pack(JSON.stringify(call.args)),
      observation: pack(call.observation),
      writes: call.writes.map(({ before, after, ...write }) => ({
        ...write,
        before: before && packEntry(before, pack),
        after: after && packEntry(after, pack),
      })),
    })),
    given: record.given,
    core: record.core && { ...record.core, before: pack(record.core.before), after: pack(record.core.after) },
    answer: record.answer === null ? null : pack(record.answer),
    score: score
      ? { prediction: score.prediction === null ? null : pack(score.prediction), metrics: score.metrics }
      : null,
  };
}

const packEntry = ({ title, content }: { title: string; content: string }, pack: (text: string) => PackedText) => ({
  title,
  content: pack(content),
});
