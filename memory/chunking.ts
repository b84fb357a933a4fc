/**
 * Cutting a stream into chunks c_1 … c_N (UMA §2.1): by tokens, by message, by session.
 *
 * The chunks joined are the input, code unit for code unit; no chunk has more than `maxTokens` tokens, unless one
 * grapheme alone does; no grapheme cluster or surrogate pair is torn. Time is linear in the text: a chunk's length is
 * searched for with windows about as long as the chunk, however long the text or its lines are.
 */
import { UmaError } from "../base/errors.ts";
import { isBoundaryBetween } from "./graphemes.ts";
import { bestBreak } from "./text-breaks.ts";

export interface ChunkOptions {
  /** Most tokens in a chunk, ≥ 1. */
  readonly maxTokens: number;
  /** Tokens in a text. Need not be additive nor monotone; its cost should be linear in the text. */
  readonly countTokens: (text: string) => number;
}

/** A chunk this full is not searched further. */
const FULL = 0.95;
/** Characters per token before anything was counted. */
const FIRST_GUESS = 4;

/** Cuts at the end of a paragraph, a line or a sentence, else between words, else between graphemes. */
export function chunkText(text: string, options: ChunkOptions): string[] {
  const count = counter(options);
  const { maxTokens } = options;
  const chunks: string[] = [];
  let guess = FIRST_GUESS * maxTokens;
  for (let start = 0; start < text.length; ) {
    const fit = furthestFit(text, start, guess, maxTokens, count);
    const end = fit === text.length ? fit : cutWithin(text, start, fit, maxTokens, count);
    chunks.push(text.slice(start, end));
    guess = Math.max(1, fit - start);
    start = end;
  }
  return chunks;
}

/**
 * Packs whole messages, already rendered, into chunks; one that is too long alone is cut by `chunkText`, by itself.
 * The chunks joined are `messages.join("")`.
 */
export function chunkMessages(messages: readonly string[], options: ChunkOptions): string[] {
  const count = counter(options);
  const { maxTokens } = options;
  const chunks: string[] = [];
  let packed: string[] = [];
  /** The messages counted apart, from what they were together when the counter was last asked. */
  let tokens = 0;
  let counted = 0;
  const flush = () => {
    chunks.push(...withinLimit(packed, maxTokens, count));
    packed = [];
    tokens = counted = 0;
  };
  for (const message of gluedMessages(messages)) {
    const own = count(message);
    if (own > maxTokens) {
      flush();
      chunks.push(...chunkText(message, options));
      continue;
    }
    // counts of parts often add up to more than the whole: ask before the chunk is closed half empty
    if (tokens + own > maxTokens && counted <= FULL * maxTokens) tokens = counted = count(packed.join(""));
    if (tokens + own > maxTokens) flush();
    packed.push(message);
    tokens += own;
  }
  flush();
  return chunks;
}

/** Sessions are never mixed: one chunk a session, more when it is too long, none when it is empty. */
export function chunkSessions(sessions: readonly (readonly string[])[], options: ChunkOptions): string[] {
  return sessions.flatMap((messages) => chunkMessages(messages, options));
}

function counter({ maxTokens, countTokens }: ChunkOptions): (text: string) => number {
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    throw new UmaError("config", `maxTokens must be a whole number of at least 1, got ${maxTokens}`);
  }
  return (text) => {
    const tokens = countTokens(text);
    if (tokens >= 0) return tokens;
    throw new UmaError("config", `countTokens must return a number of tokens, got ${tokens}`);
  };
}

/**
 * How far from `start` the text fits, nearly: at least `FULL` of the limit, or all the rest, or as much as a search over
 * ever smaller steps finds. `start` itself when not one code unit fits. May lie inside a grapheme.
 */
function furthestFit(
  text: string,
  start: number,
  guess: number,
  limit: number,
  count: (text: string) => number,
): number {
  let fits = { end: start, tokens: 0 };
  let fails: { end: number; tokens: number } | null = null;
  let end = Math.min(text.length, start + guess);
  for (let step = 0; ; step++) {
    const tokens = count(text.slice(start, end));
    if (tokens > limit) fails = { end, tokens };
    else {
      fits = { end, tokens };
      if (end === text.length || tokens >= FULL * limit) return end;
    }
    if (fails === null) {
      const growth = Math.min(4, Math.max(1.25, (limit * 0.98) / Math.max(tokens, 1e-9)));
      end = Math.min(text.length, start + Math.ceil((end - start) * growth));
      continue;
    }
    const gap = fails.end - fits.end;
    if (gap <= Math.max(1, 0.02 * (fits.end - start))) return fits.end;
    const linear = (limit * 0.98 - fits.tokens) / (fails.tokens - fits.tokens);
    // a counter that is far from linear is bisected
    const share = step < 6 ? Math.min(0.9, Math.max(0.1, linear)) : 0.5;
    end = fits.end + Math.min(gap - 1, Math.max(1, Math.floor(gap * share)));
  }
}

/** The best break up to `fit`. A shorter text can hold more tokens when the counter is not monotone: then go back. */
function cutWithin(text: string, start: number, fit: number, limit: number, count: (text: string) => number): number {
  let reach = fit;
  for (let tries = 0; ; tries++) {
    const end = bestBreak(text, start, reach);
    // beyond reach only when the first grapheme alone is
    if (end === fit || end > reach || count(text.slice(start, end)) <= limit) return end;
    reach = tries < 8 ? end - 1 : start + Math.floor((end - start) / 2);
  }
}

/** The messages as one text; as two, and so on, where together they hold more tokens than their counts add up to. */
function withinLimit(messages: readonly string[], limit: number, count: (text: string) => number): string[] {
  if (messages.length === 0) return [];
  const joined = messages.join("");
  if (messages.length === 1 || count(joined) <= limit) return [joined];
  const half = messages.length >> 1;
  return [messages.slice(0, half), messages.slice(half)].flatMap((part) => withinLimit(part, limit, count));
}

/** Non-empty messages; two that share a grapheme cluster at their seam count as one. */
function gluedMessages(messages: readonly string[]): string[] {
  const glued: string[] = [];
  for (const message of withWholePairs(messages)) {
    const last = glued.length - 1;
    if (last < 0 || isBoundaryBetween(glued[last]!, message)) glued.push(message);
    else glued[last] += message;
  }
  return glued;
}

/**
 * Non-empty messages; two that a surrogate pair joins count as one. Before anything is asked about graphemes: half a flag
 * or half a skin tone ends the cluster before it, the whole one continues it.
 */
function withWholePairs(messages: readonly string[]): string[] {
  const whole: string[] = [];
  for (const message of messages) {
    if (message === "") continue;
    const last = whole.at(-1);
    if (last !== undefined && /[\ud800-\udbff]$/.test(last.slice(-1)) && /^[\udc00-\udfff]/.test(message.slice(0, 1))) {
      whole[whole.length - 1] += message;
    } else {
      whole.push(message);
    }
  }
  return whole;
}
