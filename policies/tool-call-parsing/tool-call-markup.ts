/** The tags by which models write tool calls as text: found, recognised in what must be plain text, made harmless in data. */

export interface CallTag {
  readonly opens: boolean;
  /** `<tool_calls>`, which some models put around their calls. */
  readonly plural: boolean;
  readonly start: number;
  readonly end: number;
}

// attributes are tolerated, a missing ">" too, and a tag that the end of the reply cut in two counts as opened
const CALL_TAG = /<(\/?)tool_call(s?)\b(?:(?:\s[^<>{}]{0,200})?>)?|<tool(?:_(?:c(?:al?)?)?)?\s*$/gi;

export function findCallTags(text: string): CallTag[] {
  return Array.from(text.matchAll(CALL_TAG), (match) => ({
    opens: match[1] !== "/",
    plural: match[2] === "s",
    start: match.index,
    end: match.index + match[0].length,
  }));
}

const MARKUP = new RegExp(
  [
    String.raw`<\/?tool_(?:calls?|responses?)\b`,
    String.raw`<\/?tools>`,
    String.raw`<\/?function_calls?\b`,
    "<function=",
    String.raw`\[TOOL_CALLS\]`,
    // servers that force calls by grammar have the model write "functions.memory_list:" and the arguments on the next line
    String.raw`(?:^|\n)[ \t]*functions\.\w{1,64}(?::\s*$|:?\s*\{)`,
    String.raw`<\|[a-z0-9_]{1,40}\|>`,
    String.raw`<\/?tool(?:_[a-z]*)?\s*$`,
  ].join("|"),
  "i",
);

/**
 * Whether a text that should be plain holds a tool call, in the tags of any common model family or as a bare JSON object.
 * Such a text never becomes the core (decisions §5, rule 1).
 */
export function hasToolCallMarkup(text: string): boolean {
  return MARKUP.test(text) || bareCallStart(text) !== null;
}

/** Where the JSON begins when the whole text, code fences aside, looks like one call or a list of calls without tags. */
export function bareCallStart(text: string): number | null {
  const head = /^\s*(?:```[a-z]*\s*)?(?=[{[])/i.exec(text);
  if (
    !head ||
    !/[}\]]$/.test(
      text
        .slice(-64)
        .replace(/```\s*$/, "")
        .trimEnd(),
    )
  )
    return null;
  const json = text.slice(head[0].length);
  const named = /^\[?\s*\{[^{}]{0,200}"(?:name|function|tool_calls)"\s*:/.test(json);
  return named && /"(?:arguments|parameters|function|tool_calls)"\s*:/.test(json) ? head[0].length : null;
}

const ACTIVE = /<(?=\/?(?:tools?|tool_calls?|tool_responses?|think)\b|\|[A-Za-z0-9_]{1,40}\|>)/g;

/**
 * For text that is quoted to a model which reads calls and special tokens as text: `<tool_call>` becomes `‹tool_call>`, and
 * so on. One character for one, so the text stays readable and its length the same.
 */
export function disarmMarkup(text: string): string {
  return text.includes("<") ? text.replace(ACTIVE, "‹") : text;
}
