/**
 * Reads dialogue: utterances → acts → what they do to the ledger.
 *
 * Only what the user says counts; of the assistant's lines, a question for the amount joins two user lines, and an
 * acknowledgement names the category of a thing whose words are not known.
 */
import type { Change } from "./changes.ts";
import { applyChange } from "./changes.ts";
import { isCorrection, isOtherTalk, isRefund, isWholeRefund } from "./cues.ts";
import { readDialogue, type Utterance } from "./dialogue.ts";
import { labelsWithAmounts, readSentence, type Sentence, type Thing, thingIn } from "./sentence.ts";
import type { Spending } from "./spending.ts";

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

export function readSession(utterances: readonly Utterance[]): Session {
  const { date } = utterances[0]!;
  let spendings: Spending[] = [];
  const changes: Change[] = [];
  /** The expense of the user's last line, if that line was about a single one. */
  let justStated: Spending | null = null;
  /** What the user named before the assistant asked for the amount; its thing may be unknown. */
  let asked: { readonly thing: Thing | null } | null = null;

  for (const [i, { speaker, text }] of utterances.entries()) {
    if (speaker !== "User") continue;
    const reply = utterances[i + 1]?.speaker === "Assistant" ? utterances[i + 1]!.text : "";
    const sentence = readSentence(text);
    const previous = justStated;
    const pending = asked;
    justStated = null;
    asked = null;
    if (!sentence) {
      if (asksForAmount(reply)) asked = { thing: thingIn(text) };
      continue;
    }
    const { shape, dates, amounts, things } = sentence;
    const thing = things[0] ?? null;
    if (dates.length > 0) {
      const change = datedChange(sentence);
      if (change) changes.push(change);
    } else if (pending && !thing && amounts.length === 1) {
      const spending = spendingOf(date, pending.thing ?? labelFor(reply, amounts[0]!), amounts[0]!);
      if (spending) spendings.push(spending);
      justStated = spending;
    } else if (isOtherTalk(shape)) {
    } else if (isCorrection(shape)) {
      const change: Change = { kind: "amount", date, thing, amounts, whole: false };
      if (!thing && previous) spendings = replaceOne(spendings, previous, change);
      else if (thing) {
        const corrected = applyChange(spendings, change);
        if (corrected) spendings = corrected;
        else changes.push(change); // of what an earlier session of this date recorded
      }
    } else {
      const stated = amounts.map((cents, k) => spendingOf(date, things[k] ?? labelFor(reply, cents), cents));
      const known = stated.filter((spending) => spending !== null);
      spendings.push(...known);
      if (stated.length === 1) justStated = known[0] ?? null;
    }
  }
  return { date, spendings, changes };
}

const asksForAmount = (reply: string) =>
  reply.endsWith("?") && /how much|the amount|come to|put down|the price/i.test(reply);

/** A line with a date is about an expense of that day. */
function datedChange({ shape, dates, amounts, things }: Sentence): Change | null {
  const thing = things[0] ?? null;
  const refund = isRefund(shape);
  if (!thing && amounts.length === 0) return null;
  return {
    kind: refund ? "refund" : "amount",
    date: dates[0]!,
    thing,
    amounts,
    whole: refund && amounts.length < 2 && isWholeRefund(shape),
  };
}

const spendingOf = (date: string, thing: Thing | null, cents: number): Spending | null =>
  thing && { date, scene: thing.scene, subscene: thing.subscene, cents, note: thing.words };

/** How the assistant files this amount, in its reply to the line that named it. */
const labelFor = (reply: string, cents: number): Thing | null =>
  labelsWithAmounts(reply).find((labelled) => labelled.cents === cents)?.thing ?? null;

function replaceOne(spendings: readonly Spending[], stated: Spending, change: Change): Spending[] {
  const corrected = applyChange([stated], change)?.[0] ?? stated;
  return spendings.map((spending) => (spending === stated ? corrected : spending));
}
