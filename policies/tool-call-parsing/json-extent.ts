/**
 * Where a JSON value ends inside other text, and what strict parsing would not tell: how deep it nests, whether a string
 * is left open, whether an object names a key twice.
 *
 * One pass, no recursion, so neither a megabyte nor a hundred thousand brackets hurts. Text in strings is skipped, which
 * is what lets an argument hold tool-call tags as data.
 */
export interface JsonExtent {
  /** Index after the last bracket, or null when the value is not closed before `limit`. */
  readonly end: number | null;
  readonly depth: number;
  /** The text stops inside a string. */
  readonly openString: boolean;
  readonly duplicateKeys: boolean;
}

interface Container {
  /** Keys seen so far, as written; null for arrays. */
  readonly keys: Set<string> | null;
  expectsKey: boolean;
}

/** Past this depth keys are no longer compared; such a value is refused anyway. */
export const MAX_DEPTH = 64;

/**
 * `start` must stand on a bracket. With `stopAtMarkup` the scan gives up at a `<` or `\` outside strings, which no JSON
 * has: the scans of a text full of broken tags then stay linear together.
 */
export function jsonExtent(
  text: string,
  start: number,
  limit: number,
  options: { readonly stopAtMarkup?: boolean } = {},
): JsonExtent {
  const open: Container[] = [];
  let depth = 0;
  let duplicateKeys = false;
  const result = (end: number | null, openString = false): JsonExtent => ({ end, depth, openString, duplicateKeys });

  for (let i = start; i < limit; i++) {
    switch (text.charCodeAt(i)) {
      case DOUBLE_QUOTE:
      case SINGLE_QUOTE: {
        const close = stringEnd(text, i, limit);
        if (close < 0) return result(null, true);
        const container = open.at(-1);
        if (container?.keys && container.expectsKey) {
          const key = text.slice(i + 1, close);
          if (container.keys.has(key)) duplicateKeys = true;
          container.keys.add(key);
          container.expectsKey = false;
        }
        i = close;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        open.push({
          keys: text.charCodeAt(i) === OPEN_BRACE && open.length < MAX_DEPTH ? new Set() : null,
          expectsKey: true,
        });
        depth = Math.max(depth, open.length);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        if (open.length === 0) return result(i + 1);
        break;
      case COMMA: {
        const container = open.at(-1);
        if (container) container.expectsKey = true;
        break;
      }
      case LESS_THAN:
      case BACKSLASH:
        if (options.stopAtMarkup) return result(null);
    }
  }
  return result(null);
}

/** Index of the delimiter that closes the string opened at `start`, or -1. */
function stringEnd(text: string, start: number, limit: number): number {
  const delimiter = text.charCodeAt(start);
  for (let i = start + 1; i < limit; i++) {
    const unit = text.charCodeAt(i);
    if (unit === BACKSLASH) i++;
    else if (unit === delimiter) return i;
  }
  return -1;
}

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const COMMA = 44;
const LESS_THAN = 60;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
