/** Sampled contexts made by hand: records whose r_tool is given by a list of verdicts, and their scores. */
import type { ScoreLine } from "../../../evals/run-folder.ts";
import { parseRecord, type SessionRecord } from "../../../nodes/session/record.ts";
import type { CallVerdict } from "../../../tools/call.ts";
import type { SampledContext } from "../../../trainers/rewards/session-grid.ts";
import { playing } from "../../support/scripts.ts";
import { throughLoop } from "../../support/sessions.ts";

/** A real record, so that whatever else a record holds is there. */
const { record: plain } = await throughLoop(playing([{ text: "done" }]));

export type Verdict = CallVerdict | readonly [name: string, verdict: CallVerdict, repaired?: boolean];

export function call(verdict: Verdict, index = 0, turn = 0): SessionRecord["calls"][number] {
  const [name, is, repaired] = typeof verdict === "string" ? ["memory_add", verdict, verdict === "repaired"] : verdict;
  const rest = { args: null, observation: "", tokens: 0, ms: 0, writes: [], reads: [] };
  return { turn, id: `call-${turn}-${index}`, name, verdict: is, repaired: repaired ?? is === "repaired", ...rest };
}

export interface Placed {
  readonly context?: string;
  readonly trajectory?: number;
  readonly verdicts?: readonly Verdict[];
  readonly more?: Partial<SessionRecord>;
}

export function memorySession(k: number, { context = "c", trajectory = 0, verdicts = [], more }: Placed = {}) {
  const id = `${context}/t${trajectory}/m${k}`;
  const place = { id, context, trajectory, stage: "memory" as const, position: k, question: null };
  return parseRecord({ ...plain, ...place, calls: verdicts.map((verdict, n) => call(verdict, n)), ...more });
}

export function qaSession(question: string, { context = "c", trajectory = 0, verdicts = [], more }: Placed = {}) {
  const id = `${context}/t${trajectory}/q${question}`;
  const place = {
    id,
    context,
    trajectory,
    stage: "qa" as const,
    position: 1,
    question,
    core: null,
    answer: "an answer",
  };
  return parseRecord({ ...plain, ...place, calls: verdicts.map((verdict, n) => call(verdict, n)), ...more });
}

export const failed: Partial<SessionRecord> = {
  end: "error",
  error: { boundary: "policy", code: "provider", message: "gone" },
  answer: null,
};

export function scoreOf(record: SessionRecord, outcome: number | null, more: Partial<ScoreLine> = {}): ScoreLine {
  const { id, context, question, answer } = record;
  const rest = { category: "", prediction: answer, gold: "a gold", metrics: { exact: outcome } };
  return { session: id, context, question: question!, ...rest, ...more };
}

export function sampledContext(
  records: readonly SessionRecord[],
  scores: readonly ScoreLine[],
  { context = "c", questions = ["0", "1"] }: { context?: string; questions?: readonly string[] } = {},
): SampledContext {
  const asked = questions.map((id) => ({ id, text: `${id}?`, answer: "a gold", position: 1, category: "" }));
  return { context: { id: context, questions: asked }, records, scores };
}

/** Verdicts with this share of valid ones, for 0, .5 and 1. */
const verdictsFor = (r_tool: number): readonly Verdict[] =>
  r_tool === 1 ? ["valid"] : r_tool === 0 ? ["invalid"] : ["valid", "invalid"];

export interface HandTables {
  readonly r_tool_mem: readonly (readonly number[])[];
  readonly r_tool_qa: readonly (readonly number[])[];
  readonly r_outcome: readonly (readonly (number | null)[])[];
}

/** Records and scores with these terms. */
export function sampledFrom({ r_tool_mem, r_tool_qa, r_outcome }: HandTables, context = "c"): SampledContext {
  const memory = r_tool_mem.flatMap((row, i) =>
    row.map((r_tool, k) => memorySession(k, { context, trajectory: i, verdicts: verdictsFor(r_tool) })),
  );
  const answered = r_tool_qa.flatMap((row, i) =>
    row.map((r_tool, j) => {
      const record = qaSession(String(j), { context, trajectory: i, verdicts: verdictsFor(r_tool) });
      return { record, score: scoreOf(record, r_outcome[i]![j]!) };
    }),
  );
  const records = [...memory, ...answered.map(({ record }) => record)];
  const questions = (r_tool_qa[0] ?? []).map((_, j) => String(j));
  return sampledContext(
    records,
    answered.map(({ score }) => score),
    { context, questions },
  );
}

/** algorithms A.21.1: G = 3, N = 2, M = 2. */
export const published = {
  r_tool_mem: [
    [1, 1],
    [0.5, 1],
    [1, 0],
  ],
  r_tool_qa: [
    [1, 1],
    [1, 0.5],
    [0, 1],
  ],
  r_outcome: [
    [1, 0],
    [1, 1],
    [0, 0],
  ],
};
