/** The sessions of one context in their places (UMA §2.3.1): G trajectories × N chunks, and G × M questions. */
import { UmaError } from "../../base/errors.ts";
import type { ContextLine, ScoreLine } from "../../evals/run-folder.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";

/** What sampling leaves of one context: all that rewards and credit rules read. */
export interface SampledContext {
  readonly context: Pick<ContextLine, "id" | "questions">;
  /** In any order; one record per session, the last attempt. */
  readonly records: readonly SessionRecord[];
  readonly scores: readonly ScoreLine[];
}

/** A session's place; null where none was run. */
export type Cells<Cell> = readonly (readonly (Cell | null)[])[];

export interface SessionGrid {
  readonly context: string;
  /** What the rows stand for: i, as the records number them. */
  readonly trajectories: readonly number[];
  /** What the memory columns stand for: k, as the records number them. */
  readonly chunks: readonly number[];
  /** What the QA columns stand for: ids, in the context's order; questions that were never asked are left out. */
  readonly questions: readonly string[];
  /** [G][N] */
  readonly mem: Cells<SessionRecord>;
  /** [G][M] */
  readonly qa: Cells<SessionRecord>;
}

/** Throws `input` for a record of another context, an unknown question, or two sessions in one place. */
export function sessionGrid({ context, records }: SampledContext): SessionGrid {
  const foreign = records.find((record) => record.context !== context.id);
  if (foreign) throw new UmaError("input", `${foreign.id} is not a session of the context "${context.id}"`);
  const memory = records.filter((record) => record.stage === "memory");
  const answering = records.filter((record) => record.stage === "qa");

  const trajectories = ascending(records.map((record) => record.trajectory));
  const chunks = ascending(memory.map((record) => record.position));
  const asked = new Set(answering.map((record) => record.question));
  const questions = context.questions.map((question) => question.id).filter((id) => asked.delete(id));
  for (const unknown of asked) {
    throw new UmaError("input", `the context "${context.id}" has no question "${unknown}", but a session answers it`, {
      fix: "contexts.jsonl and records.jsonl have to be of one run",
    });
  }
  return {
    context: context.id,
    trajectories,
    chunks,
    questions,
    mem: place(memory, trajectories, chunks, (record) => record.position),
    qa: place(answering, trajectories, questions, (record) => record.question!),
  };
}

const ascending = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);

function place<Column>(
  records: readonly SessionRecord[],
  rows: readonly number[],
  columns: readonly Column[],
  columnOf: (record: SessionRecord) => Column,
): Cells<SessionRecord> {
  const rowAt = new Map(rows.map((row, i) => [row, i]));
  const columnAt = new Map(columns.map((column, i) => [column, i]));
  const cells = rows.map(() => columns.map((): SessionRecord | null => null));
  for (const record of records) {
    const row = cells[rowAt.get(record.trajectory)!]!;
    const column = columnAt.get(columnOf(record))!;
    const taken = row[column];
    if (taken) {
      throw new UmaError("input", `two records for one session: ${taken.id} and ${record.id}`, {
        fix: "keep the last attempt of each session, as readRecords does",
      });
    }
    row[column] = record;
  }
  return cells;
}
