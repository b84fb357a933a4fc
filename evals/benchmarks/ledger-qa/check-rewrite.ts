/**
 * Whether a rewritten line still says the same money: every amount, date and name of a thing, in the same order.
 *
 * Order matters because "12.50, not 21.50" and "21.50, not 12.50" hold the same amounts. The check is stricter than
 * meaning needs, so it turns good rewrites down now and then; it cannot see a negation, so rewritten sets say so.
 */
import { amountsIn, datesIn } from "./amount-forms.ts";
import type { Line } from "./voice.ts";

/** One line that may be reworded, and the words it must keep ("latte", "Dining - Coffee"), in order. */
export interface ProtectedLine extends Line {
  readonly keep: readonly string[];
}

/** Null when the reply may stand in for the lines, else the reason why not. */
export function checkRewrite(lines: readonly ProtectedLine[], rewritten: readonly Line[]): string | null {
  if (rewritten.length !== lines.length) return `${lines.length} lines became ${rewritten.length}`;
  for (const [index, line] of lines.entries()) {
    const reason = checkLine(line, rewritten[index]!);
    if (reason !== null) return `line ${index + 1}: ${reason}`;
  }
  return null;
}

function checkLine(line: ProtectedLine, { speaker, text }: Line): string | null {
  if (speaker !== line.speaker) return `${line.speaker} became ${speaker}`;
  if (/\p{C}|[\u2028\u2029]/u.test(text)) return "control or invisible characters";
  if (/\b(?:user|assistant)\s+said\b/i.test(text)) return "it imitates the start of a turn";
  if (text.length > 3 * line.text.length + 160) return "far longer than the original";
  const amounts = [amountsIn(line.text), amountsIn(text)] as const;
  if (!sameList(...amounts)) return `amounts ${spell(amounts[0])} became ${spell(amounts[1])}`;
  const dates = [datesIn(line.text), datesIn(text)] as const;
  if (!sameList(...dates)) return `dates ${dates[0].join(", ") || "(none)"} became ${dates[1].join(", ") || "(none)"}`;
  let at = 0;
  for (const words of line.keep) {
    const found = text.toLowerCase().indexOf(words.toLowerCase(), at);
    if (found < 0) return `"${words}" is gone or out of order`;
    at = found + words.length;
  }
  return null;
}

const sameList = <T>(a: readonly T[], b: readonly T[]) => a.length === b.length && a.every((item, i) => item === b[i]);

const spell = (amounts: readonly number[]) =>
  amounts.map((cents) => (cents < 0 ? "?" : cents / 100)).join(", ") || "(none)";
