/**
 * N_total as the published code counts it: opening call tags in what was sampled, whether or not a call came of them.
 *
 * So a tag that is never closed, or stands in a string, lowers r_tool, and calls over the limit stay in the denominator. A
 * policy with native tool calls writes no tags; there the calls are counted.
 */
import type { SessionRecord } from "../../../nodes/session/record.ts";

export function publishedCallCount(record: SessionRecord): number {
  const tags = record.messages.filter((message) => message.role === "assistant").map(({ text }) => openingTags(text));
  const calls = record.calls.reduce((counts, { turn }) => {
    counts[turn] = (counts[turn] ?? 0) + 1;
    return counts;
  }, [] as number[]);
  const turns = Math.max(tags.length, calls.length);
  return Array.from({ length: turns }, (_, turn) => Math.max(tags[turn] ?? 0, calls[turn] ?? 0)).reduce(
    (sum, count) => sum + count,
    0,
  );
}

const openingTags = (text: string): number => text.split("<tool_call>").length - 1;
