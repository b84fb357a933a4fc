/**
 * Phase I in the style `entries`: one entry per expense, under a title that the dialogue alone gives, so that an edit of an
 * old day is one call.
 *
 *     2024-02-23 Coffee                    2024-02-23 | Dining | Coffee | 4.50
 *     2024-02-23 Coffee 6.10               two coffees on one day: each title ends with the amount as it stands
 *
 * What came back of an amount is written behind it ("4.50-1.20"); `ledger_aggregate` works it out.
 */
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";
import { formatCents } from "./amounts.ts";
import type { Change } from "./apply-change.ts";
import { type Call, viewBank } from "./bank-view.ts";
import type { Session } from "./read-sessions.ts";
import type { Spending } from "./spending.ts";
import { type Scene, type Subscene, sceneOf } from "./taxonomy.ts";

/** The whole core, from the first session on: what there is to know stands in the bank. */
export const entriesCore = "Daily spending.";

/** `sessions`: what the chunk says, null when it is no dialogue. */
export function keepEntries(turn: ScriptedTurn, sessions: readonly Session[] | null): ScriptedReply {
  const seen = seenCalls(turn);
  const calls = (sessions ?? []).flatMap(({ spendings, changes }) => [
    ...adds(spendings).filter((call) => !seen(call)),
    ...changes.flatMap((change) => nextCall(change, seen) ?? []),
  ]);
  const offered = calls.filter(({ name }) => turn.tools.has(name)).slice(0, viewBank(turn.exchanges).callsPerTurn);
  return offered.length > 0 ? { calls: offered } : { text: entriesCore };
}

/** What a call came back with; undefined when it was not made, or not run. */
type Seen = (call: Call) => string | undefined;

function seenCalls({ exchanges }: ScriptedTurn): Seen {
  const made = new Map<string, string>();
  for (const { name, args, observation } of exchanges)
    if (observation !== null && !observation.startsWith("Not run:")) made.set(keyOf({ name, args }), observation);
  return (call) => made.get(keyOf(call));
}

const keyOf = ({ name, args }: Call) => `${name} ${args.title}`;

/** In the order in which they were said. */
function adds(spendings: readonly Spending[]): Call[] {
  return spendings.map((spending) => {
    const { date, subscene, cents } = spending;
    const again = spendings.filter((other) => other.date === date && other.subscene === subscene).length > 1;
    const title = again ? titleWith(date, subscene, cents) : `${date} ${subscene}`;
    return { name: "memory_add", args: { title, content: lineOf(spending, formatCents(cents)) } };
  });
}

const titleWith = (date: string, subscene: Subscene, cents: number) => `${date} ${subscene} ${formatCents(cents)}`;

const lineOf = ({ date, scene, subscene }: { date: string; scene: Scene; subscene: Subscene }, amount: string) =>
  `${date} | ${scene} | ${subscene} | ${amount}`;

/** The next step of an edit or a refund; null when it is done, or cannot be. */
function nextCall(change: Change, seen: Seen): Call | null {
  const { thing, date, kind, whole, amounts } = change;
  if (!thing || (kind === "amount" && amounts.length === 0)) return null;
  const { subscene } = thing;
  const plain = `${date} ${subscene}`;
  const step = (title: string, named: boolean): Call | null => {
    if (kind === "refund" && (whole || amounts.length === 0)) return { name: "memory_delete", args: { title } };
    const former = formerOf(change);
    if (kind === "amount" && former !== undefined) {
      const cents = amounts.find((amount) => amount !== former) ?? former ?? amounts[0]!;
      return update(title, subscene, date, { amount: formatCents(cents), cents: named ? cents : null });
    }
    const look: Call = { name: "memory_key_retrieve", args: { title } };
    const content = seen(look);
    if (content === undefined || isMiss(content)) return look;
    const stands = content.split(" | ").at(-1)!;
    const net = netOf(stands);
    const other = amounts.find((amount) => amount !== net) ?? amounts[0]!;
    return kind === "refund"
      ? update(title, subscene, date, { amount: `${stands}-${formatCents(other)}`, cents: named ? net - other : null })
      : update(title, subscene, date, { amount: formatCents(other), cents: named ? other : null });
  };
  const first = step(plain, false)!;
  const answer = seen(first);
  if (answer === undefined) return first;
  if (!isMiss(answer)) return null;
  // two of them on that day: the line then says which, by the amount that stood
  const former = formerOf(change) ?? (whole ? amounts[0] : undefined) ?? amounts[1];
  if (former === undefined) return null;
  const second = step(titleWith(date, subscene, former), true)!;
  return seen(second) === undefined ? second : null;
}

/** null where the line names one amount only, and undefined where it does not say which of two it was. */
function formerOf({ amounts, former, kind }: Change): number | null | undefined {
  if (former !== undefined) return former;
  if (amounts.length < 2) return null;
  // what comes back is less than what was paid
  return kind === "refund" ? Math.max(...amounts) : undefined;
}

/** `cents`: what the title ends with from now on; null where it names no amount. */
function update(
  title: string,
  subscene: Subscene,
  date: string,
  { amount, cents }: { readonly amount: string; readonly cents: number | null },
): Call {
  const content = lineOf({ date, scene: sceneOf(subscene), subscene }, amount);
  const renamed = cents === null ? {} : { new_title: titleWith(date, subscene, cents) };
  return { name: "memory_update", args: { title, content, ...renamed } };
}

const isMiss = (observation: string) => observation.startsWith("No entry is titled");

/** "4.50-1.20" → 330. */
const netOf = (amount: string): number =>
  amount.split("-").reduce((net, part, i) => {
    const cents = Math.round(Number(part) * 100);
    return i === 0 ? cents : net - cents;
  }, 0);
