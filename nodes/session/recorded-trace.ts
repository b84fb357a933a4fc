/**
 * The tokens of a session as its record keeps them: sequences with mask and log-probabilities, and where each turn stands
 * in them (algorithms A.21.8). Plain JSON: arrays are base64 of their little-endian bytes.
 */
import { z } from "zod";
import { fromBase64, toBase64 } from "../../base/typed-array-text.ts";
import { CallSpan, type HistoryTurn } from "../../policies/message-tokens.ts";
import { type TracePart, traceSession } from "../../policies/token-trace.ts";

export const RecordedTrace = z.object({
  /** One sequence, or several when a prompt did not continue what was there. */
  parts: z.array(
    z.object({
      /** int32 [n]: all ids, prompt and completions in order. */
      ids: z.base64(),
      /** uint8 [n]: 1 where the id was sampled. */
      mask: z.base64(),
      /** float32 [n]: log π of each sampled id in nats, 0 elsewhere. */
      logprobs: z.base64(),
    }),
  ),
  turns: z.array(
    z.object({
      turn: z.int(),
      /** Which sequence; null when nothing was sampled. */
      part: z.int().nullable(),
      /** The completion is [start, end) of that sequence. */
      start: z.int(),
      end: z.int(),
      /** Version of the weights that sampled it. */
      weights: z.string().nullable(),
      /** Where each tool call stands, within the completion. */
      calls: z.array(CallSpan),
    }),
  ),
  /** Turns whose prompt did not continue the sequence, and the position that differs first. */
  breaks: z.array(z.object({ turn: z.int(), at: z.int() })),
});
export type RecordedTrace = z.infer<typeof RecordedTrace>;

/** `session` names the culprit in errors. */
export function recordTrace(turns: readonly HistoryTurn[], session: string): RecordedTrace {
  const { parts, breaks } = traceSession(turns, session);
  let part = 0;
  return {
    parts: parts.map(({ ids, mask, sampler }) => ({
      ids: toBase64(ids),
      mask: toBase64(mask),
      logprobs: toBase64(sampler),
    })),
    turns: turns.map(({ turn, prompt, completion, weights, calls }) => {
      if (breaks.some((broken) => broken.turn === turn)) part++;
      const place = { start: prompt.length, end: prompt.length + completion.length };
      return { turn, part: completion.length === 0 ? null : part, ...place, weights, calls: [...calls] };
    }),
    breaks: [...breaks],
  };
}

/** The sequences as typed arrays, as the objective compiler takes them. */
export const tracePartsOf = (trace: RecordedTrace): TracePart[] =>
  trace.parts.map(({ ids, mask, logprobs }) => ({
    ids: fromBase64(ids, Int32Array),
    mask: fromBase64(mask, Uint8Array),
    sampler: fromBase64(logprobs, Float32Array),
  }));
