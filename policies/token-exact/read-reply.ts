/** A sampled completion as people and sessions see it: text, tool calls, and where in the tokens each call stands. */
import type { ParsedCall } from "../../tools/call.ts";
import { OBSERVATION_TAG } from "../hermes-format.ts";
import type { CallSpan } from "../message-tokens.ts";
import { parseBareCall } from "../tool-call-parsing/parse-bare-call.ts";
import { type Place, parsePlacedHermes } from "../tool-call-parsing/parse-hermes.ts";
import { withoutThinking } from "../tool-call-parsing/without-thinking.ts";
import type { TextTokenizer } from "./text-tokenizer.ts";

export interface ReadReply {
  /** The plain text, without calls and thoughts. */
  readonly text: string;
  readonly calls: readonly ParsedCall[];
  /** For each call, the [start, end) of the text it was read from. */
  readonly places: readonly Place[];
}

export interface ReadReplyOptions {
  /** Names of the tools that may be called now. */
  readonly tools: readonly string[];
  readonly idPrefix: string;
}

/** What the model said as text; what follows an observation that it invented was not said to us. */
export function saidIn(decoded: string): string {
  const invented = decoded.indexOf(OBSERVATION_TAG);
  return invented < 0 ? decoded : decoded.slice(0, invented);
}

export function readReply(said: string, options: ReadReplyOptions): ReadReply {
  const spoken = withoutThinking(said);
  const parsed = parsePlacedHermes(spoken, options);
  const bare = parsed.calls.length > 0 ? [] : parseBareCall(parsed.text, options);
  if (bare.length > 0)
    return {
      text: "",
      calls: bare,
      places: bare.map(() => ({ start: said.length - spoken.length, end: said.length })),
    };
  // thoughts come first, so what is left is the end of what was said
  const before = said.length - spoken.length;
  const places = parsed.places.map(({ start, end }) => ({ start: before + start, end: before + end }));
  return { text: parsed.text, calls: parsed.calls, places };
}

/** Where the calls stand in the completion: every token that holds a character of the call. */
export function callSpans(
  { calls, places }: ReadReply,
  completion: Int32Array,
  decodeWithOffsets: TextTokenizer["decodeWithOffsets"],
): CallSpan[] {
  if (calls.length === 0) return [];
  const { offsets } = decodeWithOffsets(completion);
  return calls.map(({ id }, k) => {
    const { start, end } = places[k]!;
    return { id, start: lastAtOrBefore(offsets, start), end: firstAtOrAfter(offsets, end) };
  });
}

function lastAtOrBefore(offsets: Int32Array, at: number): number {
  let k = offsets.length - 1;
  while (k > 0 && offsets[k]! > at) k--;
  // bytes of one character come in several tokens, of which the last one brings it
  while (k > 0 && offsets[k - 1] === offsets[k]) k--;
  return k;
}

function firstAtOrAfter(offsets: Int32Array, at: number): number {
  let k = 0;
  while (k < offsets.length - 1 && offsets[k]! < at) k++;
  return k;
}
