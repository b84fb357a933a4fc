/**
 * JSON text laid out one value a line, from its tokens: numbers keep their digits, repeated keys and any nesting survive,
 * and `\u00e9` becomes é. Only for text that JSON.parse accepts.
 */

export function indentJson(text: string): string {
  const out: string[] = [];
  let depth = 0;
  let at = 0;
  const newLine = () => out.push("\n", "  ".repeat(Math.min(depth, 40)));
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"') {
      const end = stringEnd(text, at);
      out.push(readable(text.slice(at, end)));
      at = end;
      continue;
    }
    if (char === "{" || char === "[") {
      const next = skipBlank(text, at + 1);
      if (text[next] === "}" || text[next] === "]") {
        out.push(char, text[next]!);
        at = next + 1;
        continue;
      }
      out.push(char);
      depth++;
      newLine();
    } else if (char === "}" || char === "]") {
      depth--;
      newLine();
      out.push(char);
    } else if (char === ",") {
      out.push(char);
      newLine();
    } else if (char === ":") out.push(": ");
    else if (!/\s/.test(char)) out.push(char);
    at++;
  }
  return `${out.join("")}\n`;
}

/** Offset after the closing quote. */
export function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at]!)) at++;
  return at;
}

/** Escapes that are not needed are undone; halves of surrogate pairs stay escaped. */
const readable = (literal: string): string => (literal.includes("\\") ? JSON.stringify(JSON.parse(literal)) : literal);
