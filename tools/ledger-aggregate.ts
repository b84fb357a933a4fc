/**
 * ledger_aggregate: a decimal-exact query over the dated amounts in the bank. Not one of the paper's tools.
 *
 * The paper's policy adds five two-decimal numbers right one time in four, before and after training (App. E.1), so sums
 * are better not done in the head. An entry takes part with each of its lines of the form
 *
 *     2024-02-23 | Utilities | Internet | 75.00 | optional note
 *
 * (date, scene, sub-scene, amount). Other lines are ignored; lines that begin like a record but cannot be read are counted
 * and reported, so that nothing is left out silently. Amounts may be negative; sums are exact to the last digit. An amount
 * may itself be worked out, "75.00-12.50" with what came back: it is one amount in every maximum and count.
 */
import { Decimal } from "decimal.js";
import { z } from "zod";
import { type Entry, entriesOf } from "../memory/bank.ts";
import { calendarDate } from "../memory/ingest/dates.ts";
import { defineTool } from "./tool.ts";

interface LedgerLine {
  readonly entry: Entry;
  readonly date: string;
  readonly scene: string;
  readonly subScene: string;
  readonly amount: Decimal;
}

// more significant digits than any ledger needs, so that no sum is ever rounded
const Exact = Decimal.clone({ precision: 60, toExpNeg: -40, toExpPos: 40 });
const NUMBER = String.raw`\d{1,18}(?:\.\d{1,8})?`;
const RECORD = new RegExp(
  String.raw`^\s*(\d{4}-\d{2}-\d{2})\s*\|([^|]*)\|([^|]*)\|\s*([+-]?${NUMBER}(?:\s*[+-]\s*${NUMBER})*)\s*(?:\|.*)?$`,
);
const LOOKS_LIKE_RECORD = /^\s*\d{4}-\d{2}-\d{2}\s*\|/;

const EXPECTED_DAY = "expected a date like 2024-02-23, of a day that there is";
const day = z
  .string()
  // for the JSON schema; told once
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: EXPECTED_DAY, abort: true })
  .refine(isDay, EXPECTED_DAY)
  .optional();

export const ledgerAggregate = defineTool({
  name: "ledger_aggregate",
  description:
    "Exact sum, count, largest or smallest over the lines 'YYYY-MM-DD | scene | sub-scene | amount' in the entries, within dates and scenes, optionally grouped.",
  schema: z.object({
    operation: z.enum(["sum", "count", "max", "min"]).describe("What to compute"),
    from: day.describe("First date, included"),
    to: day.describe("Last date, included"),
    scenes: z.array(z.string()).describe("Only these scenes; all when left out").optional(),
    sub_scene: z.string().describe("Only this sub-scene").optional(),
    group_by: z.enum(["scene", "sub_scene", "date"]).describe("One result per group, largest first").optional(),
  }),
  phases: ["memory", "qa"],
  kind: "read",
  run(world, args) {
    const { lines, unreadable } = readLedger(world.bank);
    const scenes = args.scenes && new Set(args.scenes.map(fold));
    const taken = lines.filter(
      (line) =>
        (args.from === undefined || line.date >= args.from) &&
        (args.to === undefined || line.date <= args.to) &&
        (scenes === undefined || scenes.has(fold(line.scene))) &&
        (args.sub_scene === undefined || fold(args.sub_scene) === fold(line.subScene)),
    );
    const notice = unreadable === 0 ? {} : { unreadable_lines: unreadable };
    const entryIds = [...new Set(taken.map((line) => line.entry.id))];
    const reads = entryIds.map((id, i) => ({ kind: "entry" as const, id, rank: i + 1, score: null }));
    if (args.group_by === undefined) {
      const observation = JSON.stringify({ value: aggregate(args.operation, taken), lines: taken.length, ...notice });
      return { verdict: "valid", observation, world, writes: [], reads };
    }
    const groups = groupLines(taken, args.group_by)
      .map(([key, members]) => ({ key, value: aggregate(args.operation, members)!, lines: members.length }))
      .sort((a, b) => new Exact(b.value).cmp(a.value) || (a.key < b.key ? -1 : 1));
    return {
      verdict: "valid",
      observation: {
        items: groups.map((group) => JSON.stringify(group)),
        render: (shown, omitted) =>
          `{"groups":[${shown.join(",")}],${omitted === 0 ? "" : `"left_out":${omitted},`}${JSON.stringify({ lines: taken.length, ...notice }).slice(1)}`,
      },
      world,
      writes: [],
      reads,
    };
  },
});

/** Whether there is the day that `YYYY-MM-DD` names: no 30 February. */
function isDay(text: string): boolean {
  const [year = "", month = "", date = ""] = text.split("-");
  return calendarDate(year, month, date) !== null;
}

/** Every dated amount in the bank, in bank order. */
function readLedger(bank: Parameters<typeof entriesOf>[0]): { lines: LedgerLine[]; unreadable: number } {
  const lines: LedgerLine[] = [];
  let unreadable = 0;
  for (const entry of entriesOf(bank)) {
    for (const text of entry.content.split(/\r?\n/)) {
      const match = RECORD.exec(text);
      if (!match || !isDay(match[1]!)) {
        if (LOOKS_LIKE_RECORD.test(text)) unreadable++;
        continue;
      }
      const [, date = "", scene = "", subScene = "", amount = ""] = match;
      lines.push({ entry, date, scene: scene.trim(), subScene: subScene.trim(), amount: workedOut(amount) });
    }
  }
  return { lines, unreadable };
}

/** "75.00 - 12.50 + 1" is 63.50. */
function workedOut(amount: string): Decimal {
  const terms = amount.replace(/\s/g, "").match(/[+-]?[\d.]+/g) ?? [];
  return terms.reduce((sum, term) => sum.plus(term), new Exact(0));
}

function aggregate(operation: "sum" | "count" | "max" | "min", lines: readonly LedgerLine[]): string | null {
  const amounts = lines.map((line) => line.amount);
  if (operation === "count") return String(amounts.length);
  if (operation === "sum") return money(amounts.reduce((sum, amount) => sum.plus(amount), new Exact(0)));
  if (amounts.length === 0) return null; // nothing has no largest
  // one by one: a bank can hold more amounts than a call takes arguments
  const better = operation === "max" ? 1 : -1;
  return money(amounts.reduce((best, amount) => (amount.cmp(best) === better ? amount : best)));
}

/** Two decimals as money is written, more only where the amounts have more. */
const money = (amount: Decimal) => amount.toFixed(Math.max(2, amount.decimalPlaces()));

function groupLines(lines: readonly LedgerLine[], by: "scene" | "sub_scene" | "date"): [string, LedgerLine[]][] {
  const groups = new Map<string, LedgerLine[]>();
  for (const line of lines) {
    const key = by === "scene" ? line.scene : by === "date" ? line.date : `${line.scene} / ${line.subScene}`;
    const members = groups.get(key);
    if (members) members.push(line);
    else groups.set(key, [line]);
  }
  return [...groups];
}

const fold = (name: string) => name.trim().toLowerCase();
