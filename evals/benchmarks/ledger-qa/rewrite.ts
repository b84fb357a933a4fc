/**
 * Optional: lets a model reword the dialogues, session by session and line by line, without touching the ledger.
 *
 * A rewrite that loses, adds or reorders an amount, a date or a thing's name is rejected and the original is kept; so is
 * one whose call fails. Questions, gold answers and evidence stay as they are, since every line keeps its place.
 */
import { messageOf, UmaError } from "../../../base/errors.ts";
import { checkRewrite, type ProtectedLine } from "./check-rewrite.ts";
import type { LedgerContext, LedgerSession } from "./context.ts";
import type { LedgerTransaction } from "./ledger.ts";
import type { Line } from "./voice.ts";

/** Any text model. */
export type Complete = (prompt: string) => Promise<string>;

export interface RewriteResult {
  readonly context: LedgerContext;
  /** Sessions that were reworded. */
  readonly accepted: number;
  /** Sessions that kept their original, and why the last attempt was turned down. */
  readonly rejected: readonly { readonly session: number; readonly reason: string }[];
}

export async function rewriteContext(
  context: LedgerContext,
  complete: Complete,
  { attempts = 2 }: { readonly attempts?: number } = {},
): Promise<RewriteResult> {
  const sessions: LedgerSession[] = [];
  const rejected: { session: number; reason: string }[] = [];
  for (const [session, original] of context.sessions.entries()) {
    const lines = protect(original.lines, session, context.ledger);
    let outcome: readonly Line[] | string = "no attempt was allowed";
    for (let attempt = 0; attempt < attempts && typeof outcome === "string"; attempt++)
      outcome = await rewriteLines(lines, complete);
    if (typeof outcome === "string") rejected.push({ session, reason: outcome });
    sessions.push(typeof outcome === "string" ? original : { ...original, lines: outcome });
  }
  return { context: { ...context, sessions }, accepted: sessions.length - rejected.length, rejected };
}

/** The reworded lines, or the reason why they cannot be used. */
export async function rewriteLines(
  lines: readonly ProtectedLine[],
  complete: Complete,
): Promise<readonly Line[] | string> {
  let reply: string;
  try {
    reply = await complete(rewritePrompt(lines));
  } catch (thrown) {
    if (thrown instanceof UmaError && thrown.code === "cancelled") throw thrown;
    return `the model call failed: ${messageOf(thrown)}`;
  }
  if (reply.length > 4 * lines.reduce((sum, { text }) => sum + text.length + 20, 200))
    return "far longer than asked for";
  const rewritten = parseReply(reply);
  if (typeof rewritten === "string") return rewritten;
  return checkRewrite(lines, rewritten) ?? rewritten;
}

export const rewritePrompt = (lines: readonly Line[]): string =>
  [
    "Below is a chat between a user and an assistant who keeps the user's expenses, one numbered line per message.",
    "Reword every message so that it sounds like real people typing, each in its own way.",
    "",
    "What must stay:",
    "- the number of lines, their order, and who speaks;",
    "- what each message means: what was paid, corrected, refunded, only seen, planned, or paid by somebody else;",
    "- every amount, date and other number, in the same order within its line, and no number that is not there now;",
    "- the words for the thing that was paid for.",
    "",
    "Answer with the reworded lines only, in the same form: the number, a full stop, the speaker, a colon, the message.",
    "",
    ...lines.map(({ speaker, text }, index) => `${index + 1}. ${speaker}: ${text}`),
  ].join("\n");

function parseReply(reply: string): Line[] | string {
  const lines: Line[] = [];
  for (const row of reply.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)) {
    if (/^\s*(?:```\w*)?\s*$/.test(row)) continue;
    const match = /^\s*(\d{1,4})[.)]\s*(User|Assistant)\s*:(.*)$/.exec(row);
    const text = (match?.[3] ?? "").trim();
    if (!match || text === "" || Number(match[1]) !== lines.length + 1)
      return `expected "${lines.length + 1}. User: …" or "${lines.length + 1}. Assistant: …", got ${JSON.stringify(row.slice(0, 80))}`;
    lines.push({ speaker: match[2] as Line["speaker"], text });
  }
  return lines;
}

/** Which words each line has to keep: the things that it states something about. */
function protect(lines: readonly Line[], session: number, ledger: readonly LedgerTransaction[]): ProtectedLine[] {
  const keep = lines.map((): { words: string; at: number }[] => []);
  for (const { item, history } of ledger) {
    const words = item.replace(/^(?:an?|the|some|my) /, "");
    for (const told of history) {
      if (told.session !== session) continue;
      for (const line of told.lines) {
        const at = lines[line]!.text.toLowerCase().indexOf(item.toLowerCase());
        if (at >= 0) keep[line]!.push({ words, at });
      }
    }
  }
  return lines.map((line, index) => ({
    ...line,
    keep: keep[index]!.sort((a, b) => a.at - b.at).map(({ words }) => words),
  }));
}
