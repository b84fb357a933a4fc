/**
 * What a call gives back to the policy: text, or a list that can be cut at whole items (decisions §5, rule 5).
 *
 * Published harnesses cut by characters, which breaks JSON and loses documents silently. Here a cut leaves whole items
 * out and says how many.
 */
import { type CountTokens, keepStart, longestFit } from "./cut-text.ts";

export type Observation = string | ListObservation;

export interface ListObservation {
  readonly items: readonly string[];
  /** The text for the first `shown` items when `omitted` more were left out. */
  render(shown: readonly string[], omitted: number): string;
}

export interface CutObservation {
  readonly text: string;
  readonly tokens: number;
  /** How many items of a list are in the text; 0 for plain text. */
  readonly shown: number;
  readonly omitted: number;
}

/**
 * Ordinary observations fit at once; of others as much as fits is kept, and the text says how much was left out. The text
 * that says so may itself be longer than a tiny `maxTokens`.
 */
export function cutObservation(observation: Observation, maxTokens: number, countTokens: CountTokens): CutObservation {
  if (typeof observation === "string") {
    const tokens = countTokens(observation);
    if (tokens <= maxTokens) return { text: observation, tokens, shown: 0, omitted: 0 };
    const notice = (kept: number) =>
      `\n[cut: ${observation.length - kept} of ${observation.length} characters left out]`;
    const text = keepStart(observation, maxTokens, countTokens, notice);
    return { text, tokens: countTokens(text), shown: 0, omitted: 0 };
  }
  const { items } = observation;
  const attempt = (shown: number) => {
    const text = observation.render(items.slice(0, shown), items.length - shown);
    return { text, tokens: countTokens(text), shown, omitted: items.length - shown };
  };
  const whole = attempt(items.length);
  if (whole.tokens <= maxTokens) return whole;
  return attempt(longestFit(items.length - 1, (shown) => attempt(shown).tokens <= maxTokens, items.length >> 1));
}
