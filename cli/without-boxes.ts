/** An answer for a person to read: each box of it (`\boxed{…}`) replaced by what it holds. */
import { extractAnswer } from "../evals/metrics/extract-answer.ts";

const box = /\\(?:boxed|fbox|box)[ \t]*(?=\{)/g;

/** A box that is never closed stays as it is. */
export function withoutBoxes(text: string): string {
  let plain = "";
  let from = 0;
  for (const command of text.matchAll(box)) {
    if (command.index < from) continue; // inside the box before it, which has been read as a whole
    const end = closedAt(text, command.index + command[0].length);
    if (end === null) break;
    plain += text.slice(from, command.index) + extractAnswer(text.slice(command.index, end));
    from = end;
  }
  return plain + text.slice(from);
}

/** Index after the brace that closes the one at `start`, or null. */
function closedAt(text: string, start: number): number | null {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i + 1;
  }
  return null;
}
