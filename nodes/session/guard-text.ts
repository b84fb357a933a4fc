/**
 * The guarded commit (decisions §5, rule 1): which plain text may become the core or the answer.
 *
 * Published harnesses wipe the core when an over-long call is deleted and the rest is empty, or commit the injected
 * "no more tools" sentence. Here such a text is refused with a reason and the old core stays.
 */
import { hasToolCallMarkup } from "../../policies/tool-call-parsing/tool-call-markup.ts";
import { withoutThinking } from "../../policies/tool-call-parsing/without-thinking.ts";
import { holdsNotice } from "./notices.ts";

/**
 * Why the text is refused, or null when it is acceptable. `said` is the whole reply that the text was taken from: what is
 * left of a call that nobody could read is no plain text either, though its tags are gone.
 */
export function refuseText(text: string, said: string = text): string | null {
  if (text.trim() === "") return "the reply was empty";
  if (hasToolCallMarkup(text) || hasToolCallMarkup(withoutThinking(said))) return "the reply held tool-call markup";
  if (holdsNotice(text)) return "the reply repeated a sentence of the session";
  return null;
}
