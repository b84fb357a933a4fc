/**
 * Reads dialogue: lines → utterances → acts → what they do to the ledger.
 *
 * Only what the user says counts; of the assistant's lines, a question for the amount joins two user lines, and an
 * acknowledgement names the category of a thing whose words are not known.
 */
import { actOf } from "./acts.ts";
import { takeAmounts } from "./amounts.ts";
import { applyChange, type Change } from "./apply-change.ts";
import { readDialogue, type Utterance } from "./read-dialogue.ts";
import { readSentence } from "./read-sentence.ts";
import type { Spending } from "./spending.ts";
import { labelsIn, type Thing, thingIn } from "./things.ts";

/** What one session's dialogue says, its own corrections already made. */
export interface Session {
  readonly date: string;
  readonly spendings: readonly Spending[];
  /** Changes of what stands in the ledger, in the order of the lines. */
  readonly changes: readonly Change[];
}

/** One session per run of lines of one date; null when the text is no dialogue. */
export function readSessions(text: string): Session[] | null {
  const utterances = readDialogue(text);
  if (utterances.length === 0) return null;
  const sessions: Session[] = [];
  for (let start = 0; start < utterances.length; ) {
    let end = start + 1;
    while (utterances[end]?.date === utterances[start]!.date) end++;
    sessions.push(readSession(utterances.slice(start, end)));
    start = end;
  }
  return sessions;
}

interface Awaited {
  readonly thing: Thing | null;
}

function readSession(utterances: readonly Utterance[]): Session {
  const { date } = utterances[0]!;
  let spendings: Spending[] = [];
  const changes: Change[] = [];
  /** The expense of the user's last line, if that line was about a single one. */
  let justStated: Spending | null = null;
  /** What the user named before the assistant asked for the amount; its words may be unknown. */
  let awaited: Awaited | null = null;

  for (const [i, { speaker, text }] of utterances.entries()) {
    if (speaker !== "User") continue;
    const reply = utterances[i + 1]?.speaker === "Assistant" ? utterances[i + 1]!.text : "";
    const sentence = readSentence(text);
    const previous: Spending | null = justStated;
    const named: Awaited | null = awaited;
    justStated = null;
    awaited = !sentence && asksForAmount(reply) ? { thing: thingIn(text) } : null;
    if (!sentence) continue;

    const act = actOf(sentence, { date, asked: named !== null });
    if (act.kind === "spend" || act.kind === "amount") {
      const parts = act.kind === "spend" ? act.parts : [{ thing: named!.thing, cents: act.cents }];
      const stated = parts.flatMap(({ thing, cents }) => spendingOf(date, thing ?? labelFor(reply, cents), cents));
      spendings.push(...stated);
      if (parts.length === 1) justStated = stated[0] ?? null;
    } else if (act.kind === "change") {
      const about = aboutPrevious(act.change, date, previous);
      const changed = about.date === date ? applyChange(spendings, about) : null;
      if (changed) spendings = changed;
      else if (about.thing || about.date !== date) changes.push(about);
    }
  }
  return { date, spendings, changes };
}

const asksForAmount = (reply: string) =>
  reply.endsWith("?") && /how much|the amount|come to|put down|the price/i.test(reply);

const spendingOf = (date: string, thing: Thing | null, cents: number): Spending[] =>
  thing ? [{ date, scene: thing.scene, subscene: thing.subscene, cents, note: thing.words }] : [];

/** How the assistant files this amount, in its reply to the line that named it. */
function labelFor(reply: string, cents: number): Thing | null {
  const lower = reply.toLowerCase();
  const labels = labelsIn(lower);
  if (labels.length === 0) return null;
  const { amounts } = takeAmounts(lower, "#");
  return labels.length === amounts.length ? (labels[amounts.indexOf(cents)] ?? null) : null;
}

/** "Sorry, it was 5": the thing that was stated just before, at the amount that stands since then. */
function aboutPrevious(change: Change, date: string, previous: Spending | null): Change {
  if (change.thing || change.date !== date || !previous) return change;
  const { scene, subscene, note, cents } = previous;
  return { ...change, thing: { scene, subscene, words: note }, amounts: [...change.amounts, cents] };
}
