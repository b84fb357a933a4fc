/**
 * What a call gives back to the policy: text, or a list that can be cut at whole items (decisions §5, rule 5).
 *
 * Published harnesses cut by characters, which breaks JSON and loses documents silently. Here a cut leaves whole items
 * out and says how many.
 */
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

/** Ordinary observations fit at once; otherwise the longest prefix of whole items that fits `maxTokens` is found by bisection. */
export function cutObservation(
  observation: Observation,
  maxTokens: number,
  countTokens: (text: string) => number,
): CutObservation {
  if (typeof observation === "string") {
    const tokens = countTokens(observation);
    if (tokens <= maxTokens) return { text: observation, tokens, shown: 0, omitted: 0 };
    const text = cutText(observation, maxTokens, countTokens);
    return { text, tokens: countTokens(text), shown: 0, omitted: 0 };
  }
  const { items } = observation;
  const attempt = (shown: number) => {
    const text = observation.render(items.slice(0, shown), items.length - shown);
    return { text, tokens: countTokens(text), shown, omitted: items.length - shown };
  };
  const whole = attempt(items.length);
  if (whole.tokens <= maxTokens) return whole;
  let fits = 0;
  let tooMany = items.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (attempt(middle).tokens <= maxTokens) fits = middle;
    else tooMany = middle;
  }
  return attempt(fits);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The longest beginning that fits with its notice, ended at a grapheme boundary. */
function cutText(text: string, maxTokens: number, countTokens: (text: string) => number): string {
  const notice = (kept: number) => `\n[cut: ${text.length - kept} of ${text.length} characters left out]`;
  let fits = 0;
  let tooMany = text.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (countTokens(text.slice(0, middle) + notice(middle)) <= maxTokens) fits = middle;
    else tooMany = middle;
  }
  // a window of 64 units around the cut is enough to find the boundary without segmenting the whole text
  const from = Math.max(0, fits - 64);
  const window = text.slice(from, fits + 64);
  const boundary = from + (graphemes.segment(window).containing(fits - from)?.index ?? fits - from);
  return text.slice(0, boundary) + notice(boundary);
}
