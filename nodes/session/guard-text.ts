/**
 * The guarded commit (decisions §5, rule 1): which plain text may become the core or the answer.
 *
 * Published harnesses wipe the core when an over-long call is deleted and the rest is empty, or commit the injected
 * "no more tools" sentence. Here such a text is refused with a reason and the old core stays.
 */
import { hasToolCallMarkup } from "../../policies/tool-call-parsing/tool-call-markup.ts";
import { holdsNotice } from "./notices.ts";

/** Why the text is refused, or null when it is acceptable. */
export function refuseText(text: string): string | null {
  if (text.trim() === "") return "the reply was empty";
  if (hasToolCallMarkup(text)) return "the reply held tool-call markup";
  if (holdsNotice(text)) return "the reply repeated a sentence of the session";
  return null;
}
