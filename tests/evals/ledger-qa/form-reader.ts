/**
 * A reader of Ledger-QA dialogues for tests: recognises each user line by the published forms, applies the published
 * rules, and ends with a ledger. It sees only the chunks; finding two readings of a line, or a reference that fits no
 * transaction or two, is an error. So it proves that the dialogues alone determine the ledger.
 */
import { amountsIn, datesIn } from "../../../evals/benchmarks/ledger-qa/amount-forms.ts";
import { catalog } from "../../../evals/benchmarks/ledger-qa/forms/catalog.ts";
import { allForms } from "../../../evals/benchmarks/ledger-qa/forms/form.ts";
import { fillers, tails } from "../../../evals/benchmarks/ledger-qa/forms/frame.ts";
import { items } from "../../../evals/benchmarks/ledger-qa/items.ts";
import type { Spending } from "../../../evals/benchmarks/ledger-qa/ledger.ts";
import { labelOf, sceneOf, scenes, subscenes } from "../../../evals/benchmarks/ledger-qa/taxonomy.ts";

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const oneOf = (names: readonly string[]) =>
  [...names]
    .sort((a, b) => b.length - a.length)
    .map(escaped)
    .join("|");

const labels = new Map(subscenes.map((name) => [labelOf(name).toLowerCase(), name]));
const phrases = new Map(
  subscenes.flatMap((name) =>
    [...items[name].micro, ...items[name].full].map((phrase) => [phrase.toLowerCase(), name] as const),
  ),
);
const things = new Map([...phrases, ...labels]);
const numberWord = "[a-z]+(?:-[a-z]+)?";
const amountPattern = `\\$?\\d[\\d,]*(?:\\.\\d+)?(?: (?:dollars|bucks))?|${numberWord}(?: ${numberWord}){0,4}`;
const patterns: Readonly<Record<string, string>> = {
  scene: oneOf(scenes),
  date: "\\d{4}-\\d{2}-\\d{2}|[A-Z][a-z]+ \\d{1,2}, \\d{4}",
  count: "\\d+",
  steps: "\\d+",
};
/** Slots that hold no amount. */
const worded = new Set([...Object.keys(patterns), "item", "label"]);

export interface Reading {
  /** Name in the catalog. */
  readonly set: string;
  readonly form: string;
  readonly slots: Readonly<Record<string, string>>;
}

const recognisers = Object.entries(catalog)
  .filter(([, { speaker, act }]) => speaker === "User" && act !== "ask")
  .flatMap(([set, entry]) =>
    allForms(entry.set).map((form) => ({ set, form, literals: form.toLowerCase().split(/\{\w+\}/) })),
  );

/** A pattern for the form; of all things only those that the text holds. */
function patternOf(form: string, text: string): RegExp {
  const held = (names: Iterable<string>) => oneOf([...names].filter((name) => text.includes(name))) || "(?!)";
  const source = escaped(form).replace(/\\\{(\w+)\\\}/g, (_, slot: string) => {
    const kind = kindOf(slot);
    if (kind === "item") return `(?<${slot}>${held(things.keys())})`;
    if (kind === "label") return `(?<${slot}>${held(labels.keys())})`;
    return `(?<${slot}>${patterns[kind] ?? amountPattern})`;
  });
  return new RegExp(`^${source}$`, "i");
}

const kindOf = (slot: string) => slot.replace(/\d$/, "");

/** All readings of one user line, without the noise around it. */
export function readingsOf(text: string): Reading[] {
  const bare = new Set([text]);
  for (const filler of fillers) if (text.startsWith(filler)) bare.add(text.slice(filler.length));
  for (const stripped of [...bare])
    for (const tail of tails) if (stripped.endsWith(tail)) bare.add(stripped.slice(0, -tail.length));
  const readings = new Map<string, Reading>();
  for (const candidate of bare) {
    const lower = candidate.toLowerCase();
    for (const { set, form, literals } of recognisers) {
      if (!literals.every((part) => lower.includes(part))) continue;
      const match = patternOf(form, lower).exec(candidate);
      if (!match) continue;
      const slots = { ...match.groups };
      // what looks like an amount must be exactly one, else the pattern caught ordinary words
      const money = Object.entries(slots).filter(([slot]) => !worded.has(kindOf(slot)));
      if (money.every(([, value]) => amountsIn(value).length === 1 && isAmountOnly(value)))
        readings.set(JSON.stringify([set, slots]), { set, form, slots });
    }
  }
  return [...readings.values()];
}

/** "twelve fifty" but not "paid twelve fifty": every word must be a number word or a unit. */
function isAmountOnly(value: string): boolean {
  if (/^\$?\d/.test(value)) return true;
  return value
    .split(/[ -]/)
    .every((word) => /^(dollars|bucks)$/.test(word) || amountsIn(`${word} dollars`).length === 1 || word === "hundred");
}

interface Held {
  readonly date: string;
  readonly subscene: string;
  cents: number;
  gone: boolean;
  readonly session: number;
}

export function readLedger(chunks: readonly string[]): Spending[] {
  const held: Held[] = [];
  const cents = (text: string) => amountsIn(text)[0]!;
  const resolve = (slots: Reading["slots"], where: (candidate: Held) => boolean): Held => {
    const subscene = things.get(slots.item!.toLowerCase())!;
    const found = held.filter(
      (candidate) =>
        !candidate.gone &&
        candidate.subscene === subscene &&
        where(candidate) &&
        (slots.old === undefined || candidate.cents === cents(slots.old)),
    );
    if (found.length !== 1) throw new Error(`${found.length} transactions fit ${JSON.stringify(slots)}`);
    return found[0]!;
  };
  chunks.forEach((chunk, session) => {
    let pending: string | null = null;
    let last: Held | null = null;
    for (const line of chunk.split("\n")) {
      const [, date, speaker, text] = /^\[(\d{4}-\d{2}-\d{2})\] (User|Assistant) said, "(.*)"$/.exec(line) ?? [];
      if (text === undefined || date === undefined) throw new Error(`not a turn: ${line}`);
      if (speaker === "Assistant") continue;
      const readings = readingsOf(text).filter(({ set }) => (set === "splitAmount") === (pending !== null));
      if (readings.length !== 1)
        throw new Error(`${readings.length} readings of ${JSON.stringify(text)}: ${JSON.stringify(readings)}`);
      const { set, slots } = readings[0]!;
      const spend = (thing: string, amount: string) => {
        const subscene = things.get(thing.toLowerCase())!;
        last = { date, subscene, cents: cents(amount), gone: false, session };
        held.push(last);
      };
      const today = (candidate: Held) => candidate.session === session;
      const thatDay = (candidate: Held) => candidate.session < session && candidate.date === datesIn(slots.date!)[0];
      switch (set) {
        case "splitOpening":
          pending = slots.item!;
          break;
        case "splitAmount":
          spend(pending!, slots.amount!);
          pending = null;
          break;
        case "spendLabel":
          spend(slots.label!, slots.amount!);
          break;
        case "spendSingle":
        case "spendPair":
        case "spendList":
          for (const suffix of ["", "2", "3"])
            if (slots[`item${suffix}`] !== undefined) spend(slots[`item${suffix}`]!, slots[`amount${suffix}`]!);
          break;
        case "correctImmediate": {
          const target = last as Held | null;
          if (!target || (slots.old !== undefined && target.cents !== cents(slots.old)))
            throw new Error(`nothing to correct: ${text}`);
          target.cents = cents(slots.new!);
          break;
        }
        case "correctNamed":
          resolve(slots, today).cents = cents(slots.new!);
          break;
        case "edit":
          resolve(slots, thatDay).cents = cents(slots.new!);
          break;
        case "refundPart":
          resolve(slots, thatDay).cents -= cents(slots.back!);
          break;
        case "refundAll":
          resolve(slots, thatDay).gone = true;
          break;
        default:
          break;
      }
    }
  });
  return held
    .filter(({ gone }) => !gone)
    .map(({ date, subscene, cents: amount }) => ({
      date,
      scene: sceneOf(subscene as Parameters<typeof sceneOf>[0]),
      subscene,
      amount: `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`,
    }));
}
