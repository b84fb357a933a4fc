/** One session to the bottom: its calls with arguments and observations, what it did to bank and core, what it answered. */
import type { RunLog } from "../../evals/reports/read-run.ts";
import type { ScoreLine } from "../../evals/run-folder.ts";
import { bankSize, diffBanks, type Entry } from "../../memory/bank.ts";
import { emptyMemory, type Memory } from "../../memory/memory.ts";
import { memoryAfter } from "../../nodes/session/memory-after.ts";
import type { CallRecord, SessionRecord } from "../../nodes/session/record.ts";

type Titled = Pick<Entry, "id" | "title" | "content">;

export interface BankChange {
  readonly added: readonly Titled[];
  readonly updated: readonly { readonly before: Titled; readonly after: Titled }[];
  readonly deleted: readonly Titled[];
  readonly entries: { readonly before: number; readonly after: number };
}

export interface SessionDetail {
  readonly id: string;
  readonly parent: string | null;
  readonly seed: number;
  readonly attempt: number;
  readonly weights: string | null;
  readonly turns: number;
  readonly end: SessionRecord["end"];
  readonly error: SessionRecord["error"];
  /** Token-exact: sequences and trained tokens; null otherwise. */
  readonly trace: { readonly parts: number; readonly breaks: number } | null;
  readonly calls: readonly CallRecord[];
  readonly given: SessionRecord["given"];
  /** By replay of the trajectory's log; null for QA sessions, and where the log lacks an earlier session. */
  readonly bank: BankChange | null;
  /** Why there is no bank change to show. */
  readonly bankMissing: string | null;
  readonly core: SessionRecord["core"];
  readonly question: { readonly id: string; readonly text: string | null; readonly gold: string | null } | null;
  readonly answer: string | null;
  readonly metrics: ScoreLine["metrics"] | null;
}

export function sessionDetail(
  record: SessionRecord,
  { run, scores }: { readonly run: Pick<RunLog, "contexts" | "records">; readonly scores: readonly ScoreLine[] },
): SessionDetail {
  const context = run.contexts.find(({ id }) => id === record.context);
  const question = context?.questions.find(({ id }) => id === record.question);
  const { trace } = record;
  return {
    id: record.id,
    parent: record.parent,
    seed: record.seed,
    attempt: record.attempt,
    weights: record.policy.weights,
    turns: record.turns,
    end: record.end,
    error: record.error,
    trace: trace && { parts: trace.parts.length, breaks: trace.breaks.length },
    calls: record.calls,
    given: record.given,
    ...bankChange(record, run.records),
    core: record.core,
    question:
      record.question === null
        ? null
        : { id: record.question, text: question?.text ?? null, gold: question?.answer ?? null },
    answer: record.answer,
    metrics: scores.find(({ session }) => session === record.id)?.metrics ?? null,
  };
}

/** The bank before and after, folded from the empty one over the sessions that it came from. */
function bankChange(
  record: SessionRecord,
  records: readonly SessionRecord[],
): Pick<SessionDetail, "bank" | "bankMissing"> {
  if (record.stage === "qa") return { bank: null, bankMissing: null };
  if (record.end === "error" || record.end === "cancelled")
    return { bank: null, bankMissing: "the session failed, so it changed nothing" };
  const earlier = sessionsBefore(record, records);
  if (earlier.length < record.position)
    return { bank: null, bankMissing: `the log has ${earlier.length} of the ${record.position} sessions before it` };
  let before: Memory = emptyMemory;
  for (const session of earlier) before = memoryAfter(before, session);
  const after = memoryAfter(before, record);
  const { added, updated, deleted } = diffBanks(before.bank, after.bank);
  return {
    bank: {
      added: added.map(titled),
      updated: updated.map((change) => ({ before: titled(change.before), after: titled(change.after) })),
      deleted: deleted.map(titled),
      entries: { before: bankSize(before.bank), after: bankSize(after.bank) },
    },
    bankMissing: null,
  };
}

/** Along the parents, which may lead into another trajectory; logs of schema 1 have none, there by position. */
function sessionsBefore(record: SessionRecord, records: readonly SessionRecord[]): SessionRecord[] {
  if (record.parent === null) {
    return records
      .filter(
        ({ stage, context, trajectory, position }) =>
          stage === "memory" &&
          context === record.context &&
          trajectory === record.trajectory &&
          position < record.position,
      )
      .sort((a, b) => a.position - b.position);
  }
  const byId = new Map(records.map((session) => [session.id, session]));
  const chain: SessionRecord[] = [];
  for (let at = byId.get(record.parent); at !== undefined; at = at.parent === null ? undefined : byId.get(at.parent)) {
    // a log that was edited into a circle must not hang the terminal
    if (chain.includes(at)) break;
    chain.unshift(at);
  }
  return chain;
}

const titled = ({ id, title, content }: Entry): Titled => ({ id, title, content });
