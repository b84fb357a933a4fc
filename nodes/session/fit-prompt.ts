/**
 * Meets the prompt budget by cutting from the left, in this order: the core, then the raw context, then the chunk
 * (decisions §5, rule 2). The instruction, the chunk's end and the question are never cut.
 */
import { UmaError } from "../../base/errors.ts";

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

/** `room`: tokens left when instruction, tool specs and template are in. Throws `config` when a question alone is over it. */
export function fitPrompt(
  parts: PromptParts,
  options: { room: number; stage: "memory" | "qa"; countTokens: (text: string) => number },
): FittedPrompt {
  const { room, stage, countTokens } = options;
  const focusTokens = countTokens(parts.focus);
  if (stage === "qa" && focusTokens > room) {
    throw new UmaError(
      "config",
      `the question takes ${focusTokens} tokens, the prompt budget has room for ${Math.max(0, room)}`,
      {
        fix: "raise the prompt budget",
      },
    );
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

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The longest end of `text` with at most `maxTokens`, begun at a grapheme boundary. */
export function keepEnd(text: string, maxTokens: number, countTokens: (text: string) => number): string {
  if (maxTokens <= 0) return "";
  let fits = text.length;
  let tooEarly = 0;
  while (fits - tooEarly > 1) {
    const middle = (fits + tooEarly) >> 1;
    if (countTokens(text.slice(middle)) <= maxTokens) fits = middle;
    else tooEarly = middle;
  }
  if (fits === text.length) return "";
  const from = Math.max(0, fits - 64);
  const around = graphemes.segment(text.slice(from, fits + 64)).containing(fits - from);
  if (!around) return text.slice(fits);
  const start = from + around.index;
  return text.slice(start === fits ? fits : start + around.segment.length);
}
