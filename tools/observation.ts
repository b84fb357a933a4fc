/**
 * What a call gives back to the policy: text, or a list that can be cut at whole items (decisions §5, rule 5).
 *
 * Published harnesses cut by characters, which breaks JSON and loses documents silently. Here a cut leaves whole items
 * out and says how many.
 */
import { type CountTokens, keepStart } from "./cut-text.ts";

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
  return cutList(observation, maxTokens, countTokens);
}

/** More than most texts have. Where a token is longer, the look at the beginning takes a step more. */
const CHARACTERS_PER_TOKEN = 5;
/** Quotes and a comma. */
const AROUND_AN_ITEM = 3;
/** Aiming by the density of what was measured; after that, neighbours and halves. */
const AIMS = 2;

/**
 * The longest beginning of whole items that fits, for a counter that never counts less for a list with one item more.
 * Measures what is about as long as the result a few times, never all of a long list.
 */
function cutList({ items, render }: ListObservation, max: number, countTokens: CountTokens): CutObservation {
  const measure = (shown: number, omitted: number): CutObservation => {
    const text = render(items.slice(0, shown), omitted);
    return { text, tokens: countTokens(text), shown, omitted };
  };
  let total = 0;
  const ends = items.map((item) => (total += item.length + AROUND_AN_ITEM));
  const lengthOf = (shown: number) => ends[shown - 1] ?? 0;

  // a beginning that is too long without a word on what is left out rules out the whole and all between
  let probe = measure(countWithin(ends, max * CHARACTERS_PER_TOKEN), 0);
  while (probe.tokens <= max && probe.shown < items.length) {
    probe = measure(Math.min(items.length, 2 * Math.max(1, probe.shown)), 0);
  }
  if (probe.tokens <= max) return probe;

  const density = probe.tokens / Math.max(1, lengthOf(probe.shown));
  let best: CutObservation | null = null;
  let good = 0;
  let bad = probe.shown;
  let next = countWithin(ends, max / density);
  for (let step = 0, stride = 1; bad - good > 1; step++) {
    const shown = Math.min(bad - 1, Math.max(good + 1, next));
    const tried = measure(shown, items.length - shown);
    const fits = tried.tokens <= max;
    if (fits) {
      good = shown;
      best = tried;
    } else {
      bad = shown;
    }
    if (step < AIMS) {
      next = countWithin(ends, lengthOf(shown) + (max - tried.tokens) / density);
    } else {
      const half = (good + bad) >> 1;
      next = fits ? Math.min(shown + stride, half) : Math.max(shown - stride, half);
      stride *= 2;
    }
  }
  return best ?? measure(0, items.length);
}

/** How many of the ascending `ends` are at most `length`. */
function countWithin(ends: readonly number[], length: number): number {
  const beyond = ends.findIndex((end) => end > length);
  return beyond < 0 ? ends.length : beyond;
}
