/**
 * Meets the prompt budget by cutting from the left, in this order: the core, then the raw context, then the chunk
 * (decisions §5, rule 2). The instruction, the chunk's end and the question are never cut.
 */
import { UmaError } from "../../base/errors.ts";
import { keepEnd } from "../../tools/cut-text.ts";

export interface PromptParts {
  readonly core: string;
  readonly context: string;
  /** The chunk or the question. */
  readonly focus: string;
}

export interface FittedPrompt extends PromptParts {
  /** Characters cut from each part. */
  readonly truncated: { readonly core: number; readonly context: number; readonly focus: number };
}

/** A chunk of which less than this is left is not worth a session. */
const LEAST_CHUNK = 64;

/**
 * `room`: tokens left when instruction, tool specs and template are in. Throws `config` when it does not hold the question,
 * or any chunk to speak of.
 */
export function fitPrompt(
  parts: PromptParts,
  options: { room: number; stage: "memory" | "qa"; countTokens: (text: string) => number },
): FittedPrompt {
  const { room, stage, countTokens } = options;
  const focusTokens = countTokens(parts.focus);
  if (room < (stage === "qa" ? focusTokens : Math.min(focusTokens, LEAST_CHUNK))) {
    const what = stage === "qa" ? `the question takes ${focusTokens} tokens` : `the chunk needs ${LEAST_CHUNK} tokens`;
    throw new UmaError("config", `${what}, the prompt budget has room for ${Math.max(0, room)}`, {
      fix: "raise the prompt budget (promptTokens)",
    });
  }
  const focus = focusTokens > room ? keepEnd(parts.focus, room, countTokens) : parts.focus;
  let left = room - Math.min(focusTokens, room);
  const contextTokens = countTokens(parts.context);
  const context = contextTokens > left ? keepEnd(parts.context, left, countTokens) : parts.context;
  left -= Math.min(contextTokens, left);
  const core = countTokens(parts.core) > left ? keepEnd(parts.core, left, countTokens) : parts.core;
  return {
    core,
    context,
    focus,
    truncated: {
      core: parts.core.length - core.length,
      context: parts.context.length - context.length,
      focus: parts.focus.length - focus.length,
    },
  };
}
