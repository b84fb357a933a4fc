/** The tags by which models write tool calls as text: found, recognised in what must be plain text, made harmless in data. */

export interface CallTag {
  readonly opens: boolean;
  /** `<tool_calls>`, which some models put around their calls. */
  readonly plural: boolean;
  readonly start: number;
  readonly end: number;
}

// attributes are tolerated, a missing ">" too, and a tag that the end of the reply cut in two counts as a whole one
const CALL_TAG = /<(\/?)tool(?:_call(s?)\b(?:(?:\s[^<>{}]{0,200})?>)?|(?:_(?:c(?:al?)?)?)?\s*$)/gi;

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
    // <function_calls><invoke name="…">, with or without a namespace before it
    String.raw`<\/?(?:\w{1,20}:)?function_calls?\b`,
    String.raw`<(?:\w{1,20}:)?invoke\s{1,20}name\s{0,20}=`,
    String.raw`<\/(?:\w{1,20}:)?invoke>`,
    "<function=",
    String.raw`\[TOOL_CALLS\]`,
    // servers that force calls by grammar have the model write "functions.memory_list:" and the arguments on the next line
    String.raw`(?:^|\n)[ \t]*functions\.\w{1,64}(?::\s*$|:?\s*\{)`,
    String.raw`<\|[a-z0-9_]{1,40}\|>`,
    // special tokens with full-width bars, <｜tool▁calls▁begin｜> and the like
    String.raw`<\/?｜`,
    String.raw`<\/?tool(?:_[a-z]*)?\s*$`,
  ].join("|"),
  "i",
);

/**
 * Whether a text that should be plain holds a tool call, in the tags of any common model family or as a bare JSON object.
 * Such a text never becomes the core (decisions §5, rule 1). Calls written like Python are only known by their `tools`.
 */
export function hasToolCallMarkup(text: string, tools: readonly string[] = []): boolean {
  return MARKUP.test(text) || bareCallStart(text) !== null || holdsPythonCall(text, tools);
}

/**
 * `[memory_add(title="x"), …]` at the beginning of a line, or a text that is one call from its first character to its last.
 * Prose may name tools, with brackets behind them too.
 */
function holdsPythonCall(text: string, tools: readonly string[]): boolean {
  if (!tools.some((name) => text.includes(`${name}(`))) return false;
  const name = `(?:${tools.map((tool) => tool.replace(/\W/g, "\\$&")).join("|")})`;
  const call = String.raw`${name}\((?:\s*\)|\s*\w{1,64}\s*=)`;
  if (new RegExp(String.raw`(?:^|\n)[ \t]*\[\s*${call}`).test(text)) return true;
  const fenced = text.trim().replace(/^```\w*\s*/, "");
  const whole = fenced.endsWith("```") ? fenced.slice(0, -3).trimEnd() : fenced;
  return whole.endsWith(")") && new RegExp(`^(?:print\\()?${call}`).test(whole);
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

const ACTIVE = /<(?=\/?(?:tools?|tool_calls?|tool_responses?|think)\b|\|[A-Za-z0-9_]{1,40}\|>|\/?｜)/g;

/**
 * For text that is quoted to a model which reads calls and special tokens as text: `<tool_call>` becomes `‹tool_call>`, and
 * so on. One character for one, so the text stays readable and its length the same.
 */
export function disarmMarkup(text: string): string {
  return text.includes("<") ? text.replace(ACTIVE, "‹") : text;
}
