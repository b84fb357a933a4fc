/**
 * The final answer inside a reply (UMA App. K): the content of its last \boxed{…} or \fbox{…}.
 *
 * \box{…}, an unbraced "\boxed 42" (up to a $ or the line's end) and blanks before the brace are understood too. A box
 * whose brace never closes was cut off and is no answer. Without a box the last 2,000 characters are the answer.
 *
 * `uma-code` differs: \fbox and "\boxed {" are not understood, an empty box is left in place, only the last \boxed is
 * looked at, \text{…} is cut by position instead of by its braces, and LaTeX escapes stay.
 */
import type { ProfileOptions } from "./profile.ts";

const unboxedLimit = 2_000;
const boxCommand = /\\(?:boxed|fbox|box)(?![a-zA-Z])[ \t]*/g;
const textCommand = /\\(?:text|textbf|mathrm|mathbf)[ \t]*(?=\{)/g;
const latexEscape = /\\([$%&#_{}])/g;

export function extractAnswer(reply: string, options: ProfileOptions = {}): string {
  if (options.profile === "uma-code") return extractAsPublished(reply);
  const content = lastBox(reply);
  return content === null ? lastCharacters(reply).trim() : withoutMarkup(content);
}

function lastBox(reply: string): string | null {
  const closing = matchBraces(reply);
  let found: string | null = null;
  let end = 0;
  for (const command of reply.matchAll(boxCommand)) {
    // a command inside the box before it is part of that box
    if (command.index < end) continue;
    const start = command.index + command[0].length;
    const braced = reply[start] === "{";
    const close = braced ? closing.get(start) : endOfUnbraced(reply, start);
    if (close === undefined) continue;
    found = reply.slice(braced ? start + 1 : start, close);
    end = close;
  }
  return found;
}

function endOfUnbraced(reply: string, start: number): number | undefined {
  let end = start;
  while (end < reply.length && reply[end] !== "$" && reply[end] !== "\n") end++;
  return reply.slice(start, end).trim() === "" ? undefined : end;
}

function withoutMarkup(content: string): string {
  const closing = matchBraces(content);
  const dropped = new Set<number>();
  for (const command of content.matchAll(textCommand)) {
    const open = command.index + command[0].length;
    const close = closing.get(open);
    if (close === undefined) continue;
    for (let i = command.index; i <= open; i++) dropped.add(i);
    dropped.add(close);
  }
  let text = "";
  for (let i = 0; i < content.length; i++) if (!dropped.has(i)) text += content[i];
  return withoutOuterBraces(text).replace(latexEscape, "$1");
}

function withoutOuterBraces(text: string): string {
  const closing = matchBraces(text);
  let start = 0;
  let end = text.length;
  for (;;) {
    while (start < end && /\s/.test(text[start]!)) start++;
    while (end > start && /\s/.test(text[end - 1]!)) end--;
    if (text[start] !== "{" || closing.get(start) !== end - 1) return text.slice(start, end);
    start++;
    end--;
  }
}

/** Where each brace that is closed is closed; a backslash takes the next character out of the count. */
function matchBraces(text: string): Map<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") open.push(i);
    else if (text[i] === "}" && open.length > 0) closing.set(open.pop()!, i);
  }
  return closing;
}

function extractAsPublished(reply: string): string {
  const content = publishedBox(reply);
  if (content === null) return lastCharacters(reply);
  const inner = content.startsWith("\\text{") && content.endsWith("}") ? content.slice(6, -1) : content;
  return inner.trim() === "" ? lastCharacters(reply) : inner.trim();
}

function publishedBox(reply: string): string | null {
  const boxed = reply.lastIndexOf("\\boxed");
  if (boxed >= 0) {
    const after = boxed + "\\boxed".length;
    if (reply[after] === " ") return reply.slice(after + 1).split("$")[0]!;
    if (reply[after] === "{") return balancedAt(reply, after);
  }
  const box = reply.lastIndexOf("\\box{");
  return box < 0 ? null : balancedAt(reply, box + "\\box".length);
}

/** Counts escaped braces like any other, as the published code does. */
function balancedAt(text: string, open: number): string | null {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return text.slice(open + 1, i);
  }
  return null;
}

/** The last 2,000 code points, so that no surrogate pair is cut. */
function lastCharacters(reply: string): string {
  const text = reply.trim();
  if (text.length <= unboxedLimit) return text;
  // a code point is 2 UTF-16 units at most
  return [...text.slice(-2 * unboxedLimit)].slice(-unboxedLimit).join("");
}
