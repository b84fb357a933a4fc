/** One expense, and the line that stands for it in the bank: what `ledger_aggregate` reads too. */
import { formatCents, parseCents } from "./amounts.ts";
import { isSubsceneOf, type Scene, type Subscene } from "./taxonomy.ts";

export interface Spending {
  /** ISO. */
  readonly date: string;
  readonly scene: Scene;
  readonly subscene: Subscene;
  readonly cents: number;
  /** The user's words for it; may be "". */
  readonly note: string;
}

/** `2024-02-23 | Utilities | Internet | 75.00 | internet bill` */
export function toLine({ date, scene, subscene, cents, note }: Spending): string {
  const line = `${date} | ${scene} | ${subscene} | ${formatCents(cents)}`;
  return note === "" ? line : `${line} | ${note.replace(/[|\s]+/g, " ")}`;
}

/** null for a line of any other form. */
export function fromLine(line: string): Spending | null {
  const [date, scene, subscene, amount, ...rest] = line.split("|").map((field) => field.trim());
  if (amount === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date!) || !isSubsceneOf(scene!, subscene!)) return null;
  const cents = parseCents(amount);
  if (cents === null) return null;
  return { date: date!, scene: scene as Scene, subscene: subscene as Subscene, cents, note: rest.join(" ") };
}
