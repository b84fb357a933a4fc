/**
 * Turns the acts of one session into a dialogue (UMA App. C.2, stage 2, with templates in the place of a model).
 *
 * What a reader may rely on: the user's lines alone determine the ledger; the assistant never says anything new; the
 * amount of a split spending is the user's next line; nothing stands between a spending and its immediate correction
 * but the assistant's reply.
 */
import type { Rng } from "../../../base/rng.ts";
import type { Act, PlannedSession } from "./acts.ts";
import type { Wording } from "./forms/form.ts";
import * as frame from "./forms/frame.ts";
import { formatCents } from "./money.ts";
import { type Said, sayAct } from "./say-act.ts";
import { sayChat } from "./say-chat.ts";
import type { Subscene } from "./taxonomy.ts";
import { createVoice, type Line, type Voice } from "./voice.ts";

export interface Dialogue {
  readonly lines: readonly Line[];
  /** For each act of the plan: the 0-based lines that state it. */
  readonly told: readonly (readonly number[])[];
}

export interface DialogueOptions extends Wording {
  /** The stream's first session is greeted differently. */
  readonly first: boolean;
  readonly random: Rng;
  /** The sub-scene of a transaction of any session so far. */
  readonly subsceneOf: (id: string) => Subscene;
}

/** Turns of a full session; small talk fills up to the draw, 20 to 50 in all. */
const fullTurns = [21, 50] as const;
/** Micro: at most two exchanges that record nothing. */
const microChatShares = [0.5, 0.2] as const;

export function writeDialogue({ acts }: PlannedSession, options: DialogueOptions): Dialogue {
  const voice = createVoice(options, options.random);
  const said = acts.map((act, index) =>
    sayAct(act, { voice, subsceneOf: options.subsceneOf, correctedNext: isImmediate(acts[index + 1]) }),
  );
  const totals = runningTotals(acts);
  const isFull = voice.profile === "full";
  const opening = isFull ? openDialogue(voice, options.first) : [];
  const closing = isFull ? closeDialogue(voice, totals.at(-1)!) : [];
  const chat = placeChat(voice, acts, chatCount(voice, said, opening.length + closing.length));

  const lines: Line[] = [...opening];
  const forms = new Set<string>();
  const told = said.map(({ lines: own, stating }, index) => {
    for (let i = 0; i < chat[index]!; i++) lines.push(...sayChat(voice, totals[index]!, forms));
    const start = lines.length;
    lines.push(...own);
    return stating.map((line) => start + line);
  });
  for (let i = 0; i < chat[acts.length]!; i++) lines.push(...sayChat(voice, totals[acts.length]!, forms));
  lines.push(...closing);
  return { lines, told };
}

function chatCount(voice: Voice, said: readonly Said[], around: number): number {
  if (voice.profile === "micro") return microChatShares.filter((share) => voice.chance(share)).length;
  const needed = said.reduce((sum, { lines }) => sum + lines.length, around);
  return Math.max(0, Math.floor((voice.random.int(...fullTurns) - needed) / 2));
}

/** How many exchanges come before each act, and after the last: never between a spending and its immediate correction. */
function placeChat(voice: Voice, acts: readonly Act[], count: number): number[] {
  const gaps = [...acts.keys(), acts.length].filter((index) => !isImmediate(acts[index]));
  const placed = Array.from({ length: acts.length + 1 }, () => 0);
  for (let i = 0; i < count; i++) placed[voice.random.pick(gaps)]!++;
  return placed;
}

/** What this session recorded before each act, and at its end, corrections included. */
function runningTotals(acts: readonly Act[]): string[] {
  let cents = 0;
  const totals = ["0.00"];
  for (const act of acts) {
    if (act.kind === "spend") cents += act.entries.reduce((sum, entry) => sum + entry.cents, 0);
    if (act.kind === "correct") cents += act.after - act.before;
    totals.push(formatCents(cents));
  }
  return totals;
}

const isImmediate = (act: Act | undefined) => act?.kind === "correct" && act.immediate;

function openDialogue(voice: Voice, first: boolean): Line[] {
  return [voice.user(first ? frame.firstGreeting : frame.greeting, {}), voice.assistant(frame.greetingReply, {})];
}

function closeDialogue(voice: Voice, total: string): Line[] {
  return [voice.user(frame.farewell, {}), voice.assistant(frame.farewellReply, { total })];
}
