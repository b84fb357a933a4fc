/**
 * The `replay` policy: plays a recorded transcript, for debugging and tests. It fails when it is shown anything that was
 * not recorded, and when the transcript is used up.
 *
 * A turn is found by what is shown, not by its place, so sessions that ran side by side may come back in another order.
 * Turns that were shown the same are played in the order of the file, each once.
 */
import { AIMessage } from "@langchain/core/messages";
import { UmaError } from "../base/errors.ts";
import { historyMessage } from "./history-message.ts";
import type { Policy } from "./policy.ts";
import { estimateTokens } from "./token-estimator.ts";
import {
  type Shown,
  type ShownMessage,
  shownHash,
  shownIn,
  type Transcript,
  type TranscriptTurn,
} from "./transcript.ts";
import { readTranscript } from "./transcript-file.ts";

export interface ReplayOptions {
  /** A transcript, or the path of its file. */
  readonly transcript: string | Transcript;
  /** The recorded policy's counter, where it was not the estimator: budgets follow from it. */
  readonly countTokens?: (text: string) => number;
}

export function replay(options: ReplayOptions): Policy {
  const transcript = typeof options.transcript === "string" ? readTranscript(options.transcript) : options.transcript;
  const unplayed = new Map<string, TranscriptTurn[]>();
  for (const turn of transcript.turns) unplayed.set(turn.hash, [...(unplayed.get(turn.hash) ?? []), turn]);
  return {
    name: `replay:${transcript.policy}`,
    scripted: true,
    weights: null,
    countTokens: options.countTokens ?? estimateTokens,
    async sample(request) {
      if (request.signal?.aborted) throw new UmaError("cancelled", "replay: cancelled");
      const shown = shownIn(request);
      const turn = unplayed.get(shownHash(shown))?.shift();
      if (!turn) throw new UmaError("input", mismatch(shown, transcript, unplayed));
      const { text, content, calls, usage, cut } = turn.reply;
      const message = historyMessage(new AIMessage(content), { content, calls });
      return { message, text, calls, usage, cut };
    },
  };
}

function mismatch(
  shown: Shown,
  transcript: Transcript,
  unplayed: ReadonlyMap<string, readonly TranscriptTurn[]>,
): string {
  const left = new Set([...unplayed.values()].flat());
  if (left.size === 0)
    return `replay: all ${transcript.turns.length} recorded turns were played, and one more was asked for`;
  const candidates = transcript.turns.flatMap((turn, k) =>
    left.has(turn) && turn.shown ? [{ k, shown: turn.shown, common: commonMessages(turn.shown, shown) }] : [],
  );
  const [closest] = candidates.sort((a, b) => b.common - a.common);
  if (!closest) return "replay: no recorded turn was shown this, and the transcript holds hashes only";
  return `replay: no recorded turn was shown this. Closest is turn ${closest.k + 1}:\n${difference(closest.shown, shown, closest.common)}`;
}

function commonMessages(recorded: Shown, shown: Shown): number {
  let k = 0;
  while (k < recorded.messages.length && k < shown.messages.length && same(recorded.messages[k]!, shown.messages[k]!))
    k++;
  return k;
}

const same = (a: ShownMessage, b: ShownMessage) => JSON.stringify(a) === JSON.stringify(b);

function difference(recorded: Shown, shown: Shown, at: number): string {
  const [before, after] = [recorded.messages[at], shown.messages[at]];
  if (!before && !after)
    return `- tools: ${recorded.tools.join(", ") || "none"}\n+ tools: ${shown.tools.join(", ") || "none"}`;
  if (!before)
    return `- (ends after ${at} messages)\n+ message ${at + 1}, ${after!.role}: ${around(lineOf(after!), 0)}`;
  if (!after) return `- message ${at + 1}, ${before.role}: ${around(lineOf(before), 0)}\n+ (ends after ${at} messages)`;
  const [left, right] = [lineOf(before), lineOf(after)];
  let k = 0;
  while (k < left.length && left[k] === right[k]) k++;
  return [
    `message ${at + 1}, character ${k + 1}:`,
    `- ${before.role}: ${around(left, k)}`,
    `+ ${after.role}: ${around(right, k)}`,
  ].join("\n");
}

const lineOf = ({ role, ...message }: ShownMessage) =>
  message.calls || message.callId !== undefined
    ? `${message.text} ${JSON.stringify({ ...message, text: undefined })}`
    : message.text;

/** 40 characters before the difference and 60 from it on, on one line. */
function around(text: string, at: number): string {
  const from = Math.max(0, at - 40);
  return `${from > 0 ? "…" : ""}${text.slice(from, at + 60).replace(/\n/g, "⏎")}${at + 60 < text.length ? "…" : ""}`;
}
