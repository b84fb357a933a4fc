/** Records and truths written by hand, with only what habits look at. */
import type { CallRecord, SessionRecord } from "../../../nodes/session/record.ts";
import type { LedgerTruth, ToldChange, ToldTransaction } from "../../../trainers/habits/ledger/truth.ts";

type Entry = readonly [title: string, content: string];
type Write = CallRecord["writes"][number];

const call = (name: string, args: CallRecord["args"], more: Partial<CallRecord> = {}): CallRecord => ({
  turn: 0,
  id: "c",
  name,
  args,
  verdict: "valid",
  repaired: false,
  observation: "",
  tokens: 0,
  ms: 0,
  writes: [],
  reads: [],
  ...more,
});

const write = (entry: string, op: Write["op"], before: Entry | null, after: Entry | null): Write => {
  const text = (given: Entry | null) => given && { title: given[0], content: given[1] };
  return {
    ...{ entry, op, version: 1, before: text(before), after: text(after) },
    ...{ hash: { before: null, after: null }, lineage: null, chunk: 0 },
  };
};

export const add = (entry: string, [title, content]: Entry) =>
  call("memory_add", { title, content }, { writes: [write(entry, "add", null, [title, content])] });

export const update = (entry: string, before: Entry, [title, content]: Entry) =>
  call(
    "memory_update",
    { title: before[0], content, ...(title !== before[0] && { new_title: title }) },
    { writes: [write(entry, "update", before, [title, content])] },
  );

export const remove = (entry: string, before: Entry) =>
  call("memory_delete", { title: before[0] }, { writes: [write(entry, "delete", before, null)] });

export const look = (title: string, entry: string | null) =>
  call(
    "memory_key_retrieve",
    { title },
    entry === null ? { verdict: "miss" } : { reads: [{ kind: "entry", id: entry, rank: 1, score: null }] },
  );

export const miss = (name: string, title: string) => call(name, { title, content: "" }, { verdict: "miss" });

export const ask = (args: Record<string, unknown>, verdict: CallRecord["verdict"] = "valid") =>
  call("ledger_aggregate", args, { verdict });

export { call };

/** A memory session that read chunk `position`. */
export const kept = (
  position: number,
  calls: readonly CallRecord[],
  more: Partial<SessionRecord> = {},
): SessionRecord => session({ id: `c/t0/m${position}`, stage: "memory", position, calls: [...calls], ...more });

export const answered = (calls: readonly CallRecord[], more: Partial<SessionRecord> = {}): SessionRecord =>
  session({ id: "c/t0/q1", stage: "qa", question: "q1", calls: [...calls], answer: "12.50", core: null, ...more });

const session = (more: Partial<SessionRecord>): SessionRecord => ({
  v: 2,
  id: "",
  run: "r",
  context: "c",
  trajectory: 0,
  stage: "memory",
  position: 0,
  question: null,
  parent: null,
  seed: 0,
  attempt: 1,
  variant: "uma",
  toolset: "ledger",
  policy: { name: "p", scripted: true, weights: null },
  prompt: "",
  budget: { prompt: 1, interaction: 1, turns: 1, calls: 1 },
  truncated: { core: 0, focus: 0, context: 0 },
  messages: [],
  trace: null,
  calls: [],
  given: [],
  core: { before: "", after: "Daily spending.", committed: true, kept: null },
  answer: null,
  end: "text",
  cut: null,
  lastTurn: null,
  error: null,
  turns: 1,
  tokens: { prompt: 1, completion: 1, interaction: 1, provider: null },
  started: "",
  ms: 0,
  ...more,
});

const items: Readonly<Record<string, string>> = {
  Coffee: "a flat white",
  Taxi: "a taxi",
  Rent: "the rent",
  Books: "a novel",
};

/** `said`: cents, the standing amount last. */
export const told = (date: string, subscene: string, ...said: number[]): ToldTransaction => ({
  id: `${date} ${subscene}`,
  date,
  subscene,
  item: items[subscene]!,
  said,
});

export const changed = (date: string, subscene: string, before: number, after: number | null): ToldChange => ({
  id: `${date} ${subscene}`,
  date,
  subscene,
  item: items[subscene]!,
  before,
  after,
});

export const truth = (...sessions: LedgerTruth["sessions"]): LedgerTruth => ({ sessions, queries: new Map() });
