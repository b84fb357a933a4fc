/**
 * A reply that is nothing but the JSON of a call, without tags: several small models write calls so.
 *
 * It counts as a call only when every object in it names a tool that may be called now; a core or an answer that happens
 * to be JSON stays text.
 */
import type { ParsedCall } from "../../tools/call.ts";
import { parseHermes } from "./parse-hermes.ts";
import { bareCallStart } from "./tool-call-markup.ts";

export function parseBareCall(
  text: string,
  options: { readonly tools: readonly string[]; readonly idPrefix: string },
): readonly ParsedCall[] {
  const start = options.tools.length === 0 ? null : bareCallStart(text);
  if (start === null) return [];
  const { calls } = parseHermes(`<tool_call>${text.slice(start)}</tool_call>`, options);
  const known = calls.every((call) => call.error === null && options.tools.includes(call.name));
  return known ? calls.map((call) => ({ ...call, repaired: true })) : [];
}
