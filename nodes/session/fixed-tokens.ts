/** Tokens of texts that are the same in every session (instructions, tool specs, notices), counted once per counter. */
type CountTokens = (text: string) => number;

const counts = new WeakMap<CountTokens, Map<string, number>>();

/** For texts of which there are few: what was counted is kept as long as the counter lives. */
export function fixedTokens(text: string, countTokens: CountTokens): number {
  const known = counts.get(countTokens) ?? new Map<string, number>();
  counts.set(countTokens, known);
  let tokens = known.get(text);
  if (tokens === undefined) {
    tokens = countTokens(text);
    known.set(text, tokens);
  }
  return tokens;
}
