/**
 * Token traces: a session's policy calls as sequences of token ids with a mask, merged where one call's prompt continues the last.
 *
 * The sampler's tokens are the data and text is a view of them: ids are only ever laid end to end here, never encoded,
 * never edited. A completion that was cut by length therefore ends where it was cut; if the next prompt closes it, the
 * closing token is a prompt token with mask 0.
 */
import { UmaError } from "../base/errors.ts";

/** One policy call, as a token-exact policy reported it. */
export interface TurnTokens {
  /** All ids the model was given. */
  readonly prompt: Int32Array;
  /** All ids it sampled; empty when it sampled none. */
  readonly completion: Int32Array;
  /** log π_sampler of each completion id, in nats. */
  readonly logprobs: Float32Array;
}

/** One sequence. Every array has one element per token of `ids`. */
export interface TracePart {
  readonly ids: Int32Array;
  /** 1 = sampled, hence trained; 0 = prompt, observation, template. The first token is never sampled. */
  readonly mask: Uint8Array;
  /** log π_sampler where the mask is 1, else 0. */
  readonly sampler: Float32Array;
  /** log π_θold recomputed by the learner before the update's first step; without it π_θold is the sampler. */
  readonly old?: Float32Array;
  /** log π_ref of the frozen reference. */
  readonly ref?: Float32Array;
}

export interface TokenTrace {
  readonly parts: readonly TracePart[];
  /** |s|: the session's trained tokens over all its parts. */
  readonly trainedTokens: number;
  /** Turns whose prompt did not continue the sequence, and the first position that differs (template or retokenisation drift). */
  readonly breaks: readonly { readonly turn: number; readonly at: number }[];
}

interface Segment {
  readonly ids: Int32Array;
  /** Null for prompt tokens. */
  readonly logprobs: Float32Array | null;
}

/** `session` names the culprit in errors. A session that sampled nothing has no parts and |s| = 0. */
export function traceSession(turns: readonly TurnTokens[], session = "the session"): TokenTrace {
  const parts: TracePart[] = [];
  const breaks: { turn: number; at: number }[] = [];
  let open: Segment[] = [];
  let length = 0;
  turns.forEach((turn, index) => {
    checkTurn(turn, `${session}, turn ${index}`);
    if (turn.completion.length === 0) return;
    const at = firstDifference(open, turn.prompt);
    if (at !== null) {
      breaks.push({ turn: index, at });
      parts.push(join(open, length));
      open = [];
      length = 0;
    }
    open.push({ ids: turn.prompt.subarray(length), logprobs: null }, { ids: turn.completion, logprobs: turn.logprobs });
    length = turn.prompt.length + turn.completion.length;
  });
  if (open.length > 0) parts.push(join(open, length));
  return { parts, trainedTokens: turns.reduce((sum, turn) => sum + turn.completion.length, 0), breaks };
}

/** Where the prompt first departs from all tokens so far; null when it starts with all of them. */
function firstDifference(soFar: readonly Segment[], prompt: Int32Array): number | null {
  let at = 0;
  for (const { ids } of soFar) {
    for (let t = 0; t < ids.length; t++, at++) if (ids[t] !== prompt[at]) return at;
  }
  return null;
}

function join(segments: readonly Segment[], length: number): TracePart {
  const part = { ids: new Int32Array(length), mask: new Uint8Array(length), sampler: new Float32Array(length) };
  let at = 0;
  for (const { ids, logprobs } of segments) {
    part.ids.set(ids, at);
    if (logprobs) {
      part.sampler.set(logprobs, at);
      part.mask.fill(1, at, at + ids.length);
    }
    at += ids.length;
  }
  return part;
}

function checkTurn({ prompt, completion, logprobs }: TurnTokens, where: string): void {
  const wrong = (what: string, fix: string) => new UmaError("input", `${where}: ${what}`, { fix });
  if (prompt.length === 0)
    throw wrong(
      "expected at least one prompt token, got none",
      "a sampled token has a probability only after something; record the prompt ids that were sent",
    );
  if (logprobs.length !== completion.length)
    throw wrong(
      `expected one log-probability per completion token (${completion.length}), got ${logprobs.length}`,
      "ask the sampler for the log-probabilities of exactly the tokens it returned; never re-encode the text",
    );
  const bad = logprobs.findIndex((l) => !(Number.isFinite(l) && l <= ROUNDING));
  if (bad !== -1)
    throw wrong(
      `the log-probability of completion token ${bad} is ${logprobs[bad]}, expected a finite number ≤ 0`,
      "a sampled token cannot have probability 0 or above 1; ask for log-probabilities after temperature and top-p",
    );
}

/** Half-precision samplers report a certain token as slightly more than certain. */
const ROUNDING = 1e-2;
