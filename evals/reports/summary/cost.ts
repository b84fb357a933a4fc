/** What building and answering took, each apart: the memory is built once, questions come at any number. */
import type { SessionRecord } from "../../../nodes/session/record.ts";

export interface Cost {
  readonly sessions: number;
  readonly turns: number;
  /** By the policy's counter. `prompt` is the initial prompts, `interaction` all that followed them, `completion` the sampled part of it. */
  readonly tokens: { readonly prompt: number; readonly interaction: number; readonly completion: number };
  /** As the provider counted: its prompt tokens are summed over turns. Null when it counted for no session. */
  readonly provider: { readonly sessions: number; readonly prompt: number; readonly completion: number } | null;
  /** Wall time, summed over sessions. */
  readonly sessionMs: number;
  /** Time during which at least one of these sessions was running; pauses of a resumed run are not in it. */
  readonly elapsedMs: number;
}

/** Null when there is no session to pay for. */
export function costOf(records: readonly SessionRecord[]): Cost | null {
  if (records.length === 0) return null;
  const sum = (of: (record: SessionRecord) => number) => records.reduce((total, record) => total + of(record), 0);
  const counted = records.filter(({ tokens }) => tokens.provider !== null);
  return {
    sessions: records.length,
    turns: sum(({ turns }) => turns),
    tokens: {
      prompt: sum(({ tokens }) => tokens.prompt),
      interaction: sum(({ tokens }) => tokens.interaction),
      completion: sum(({ tokens }) => tokens.completion),
    },
    provider:
      counted.length === 0
        ? null
        : {
            sessions: counted.length,
            prompt: counted.reduce((total, { tokens }) => total + tokens.provider!.prompt, 0),
            completion: counted.reduce((total, { tokens }) => total + tokens.provider!.completion, 0),
          },
    sessionMs: sum(({ ms }) => ms),
    elapsedMs: unionLength(records.map(({ started, ms }) => [Date.parse(started), Date.parse(started) + ms])),
  };
}

/** Length of the union of intervals. */
function unionLength(intervals: readonly (readonly [number, number])[]): number {
  const sorted = intervals
    .filter(([start, end]) => Number.isFinite(start) && Number.isFinite(end))
    .sort(([a], [b]) => a - b);
  let length = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [start, end] of sorted) {
    if (end > reached) length += end - Math.max(start, reached);
    reached = Math.max(reached, end);
  }
  return length;
}
