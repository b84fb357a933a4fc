/**
 * The guarded commit (decisions §5, rule 1): which plain text may become the core or the answer.
 *
 * Published harnesses wipe the core when an over-long call is deleted and the rest is empty, or commit the injected
 * "no more tools" sentence. Here such a text is refused with a reason and the old core stays.
 */
import type { Cut } from "../../policies/policy.ts";
import { hasToolCallMarkup } from "../../policies/tool-call-parsing/tool-call-markup.ts";
import { withoutThinking } from "../../policies/tool-call-parsing/without-thinking.ts";
import { holdsNotice } from "./notices.ts";

export interface GuardOptions {
  /**
   * The whole reply that the text was taken from: what is left of a call that nobody could read is no plain text either,
   * though its tags are gone.
   */
  readonly said?: string | undefined;
  /** Names of the session's tools, by which calls written like Python are known. */
  readonly tools?: readonly string[];
}

/** Why the text is refused, or null when it is acceptable. */
export function refuseText(text: string, { said = text, tools = [] }: GuardOptions = {}): string | null {
  if (INVISIBLE.test(text)) return "the reply was empty";
  if (hasToolCallMarkup(text, tools) || hasToolCallMarkup(withoutThinking(said), tools))
    return "the reply held tool-call markup";
  if (holdsNotice(text)) return "the reply repeated a sentence of the session";
  return null;
}

/** Only what nobody sees: blanks, controls, zero-width and format characters, fillers. */
const INVISIBLE = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** In phase I half a core would replace a whole one, and what a filter left is the filter's, not the policy's. */
export function refuseCut(cut: Cut | null): string | null {
  if (cut === null) return null;
  return cut === "length"
    ? "the reply was cut off at the token limit"
    : "the reply was cut by the provider's content filter";
}
