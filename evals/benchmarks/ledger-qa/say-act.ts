/**
 * The lines of one act: what the user says, and what the assistant answers.
 *
 * The assistant never says anything new. In the full profile it names the category and the amount of every spending; in
 * the micro profile it often just says "Noted.", so the category has to be known from the words.
 */
import type { Act, CorrectAct, EditAct, Entry, RefundAct, SpendAct } from "./acts.ts";
import * as change from "./forms/change.ts";
import type { FormSet } from "./forms/form.ts";
import * as spend from "./forms/spend.ts";
import { formatCents } from "./money.ts";
import { labelOf, type Subscene } from "./taxonomy.ts";
import type { Line, Voice } from "./voice.ts";

export interface Said {
  readonly lines: readonly Line[];
  /** Which of the lines state the act. */
  readonly stating: readonly number[];
}

export interface ActSetting {
  readonly voice: Voice;
  readonly subsceneOf: (id: string) => Subscene;
  /** The next act puts this one right at once, so the user must not confirm it first. */
  readonly correctedNext: boolean;
}

const microReplyShare = 0.6;
const microLabelShare = 0.5;
const confirmShare = 0.15;

const spendForms: Readonly<Record<Exclude<SpendAct["style"], "split">, FormSet>> = {
  single: spend.spendSingle,
  label: spend.spendLabel,
  pair: spend.spendPair,
  list: spend.spendList,
};

export function sayAct(act: Act, setting: ActSetting): Said {
  if (act.kind !== "spend") return sayChange(act, setting);
  return act.style === "split" ? saySplit(act.entries[0]!, setting) : saySpend(act, act.style, setting);
}

function saySpend(act: SpendAct, style: keyof typeof spendForms, setting: ActSetting): Said {
  const { voice } = setting;
  const slots: Record<string, string> = {};
  act.entries.forEach(({ item, cents }, index) => {
    const suffix = index === 0 ? "" : String(index + 1);
    slots[`item${suffix}`] = item;
    slots[`amount${suffix}`] = voice.amount(cents);
  });
  slots.label = labelOf(act.entries[0]!.subscene);
  return { lines: [voice.user(spendForms[style], slots), ...replyToSpending(act.entries, setting)], stating: [0] };
}

function saySplit(entry: Entry, setting: ActSetting): Said {
  const { voice } = setting;
  return {
    lines: [
      voice.user(spend.splitOpening, { item: entry.item }),
      voice.assistant(spend.splitQuestion, {}),
      voice.user(spend.splitAmount, { amount: voice.amount(entry.cents) }),
      ...replyToSpending([entry], setting),
    ],
    stating: [0, 2],
  };
}

function replyToSpending(entries: readonly Entry[], { voice, correctedNext }: ActSetting): Line[] {
  const list = entries.map(({ subscene, cents }) => `${labelOf(subscene)}, ${formatCents(cents)}`).join("; ");
  const slots = { label: labelOf(entries[0]!.subscene), amount: formatCents(entries[0]!.cents), list };
  const named = entries.length > 1 ? spend.acknowledgeMany : spend.acknowledge;
  if (voice.profile === "micro") {
    if (!voice.chance(microReplyShare)) return [];
    return [voice.assistant(voice.chance(microLabelShare) ? named : spend.acknowledgeBriefly, slots)];
  }
  if (entries.length === 1 && !correctedNext && voice.chance(confirmShare))
    return [voice.assistant(spend.askToConfirm, slots), voice.user(spend.confirm, {})];
  return [voice.assistant(named, slots)];
}

function sayChange(act: CorrectAct | EditAct | RefundAct, { voice, subsceneOf }: ActSetting): Said {
  const slots: Record<string, string> = {
    item: act.item,
    date: voice.date(act.date),
    old: voice.amount(act.before),
    label: labelOf(subsceneOf(act.id)),
  };
  if (act.after !== null) {
    slots.new = voice.amount(act.after);
    if (act.kind === "refund") slots.back = voice.amount(act.before - act.after);
    slots.after = formatCents(act.after);
  }
  const [set, reply] = formsOfChange(act);
  const needsOld = act.ambiguous && !(act.kind === "correct" && act.immediate);
  const line = voice.user(set, slots, (form) => !needsOld || form.includes("{old}"));
  const answered = voice.profile === "full" || voice.chance(microReplyShare);
  return { lines: answered ? [line, voice.assistant(reply, slots)] : [line], stating: [0] };
}

function formsOfChange(act: CorrectAct | EditAct | RefundAct): [said: FormSet, reply: FormSet] {
  if (act.kind === "correct")
    return [act.immediate ? change.correctImmediate : change.correctNamed, change.acknowledgeChange];
  if (act.kind === "edit") return [change.edit, change.acknowledgeChange];
  if (act.after === null) return [change.refundAll, change.acknowledgeRemoval];
  return [change.refundPart, change.acknowledgeRefund];
}
