/** Run folders with invented sessions, written by the real writers: what a report is tested on. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJsonl } from "../../../base/jsonl.ts";
import type { EvalContext } from "../../../evals/benchmark.ts";
import { contextLine, createRunFolder, RunConfig, type ScoreLine, writeScores } from "../../../evals/run-folder.ts";
import { type CallRecord, parseRecord, type SessionRecord } from "../../../nodes/session/record.ts";
import { writeHashes } from "../../../nodes/session/write-hashes.ts";
import { section } from "../../../policies/prompt-sections.ts";
import { openRecordLog } from "../../../rollouts/record-log.ts";

export const temporaryFolder = () => mkdtempSync(join(tmpdir(), "umagraph-report-"));

export interface InventedRun {
  readonly config?: Partial<RunConfig>;
  readonly contexts?: readonly EvalContext[];
  readonly records?: readonly SessionRecord[];
  readonly scores?: readonly ScoreLine[];
}

/** Writes `<parent>/<name>` and returns its path. */
export function inventRun(parent: string, name: string, { config, contexts, records, scores }: InventedRun): string {
  const folder = join(parent, name);
  createRunFolder(
    folder,
    RunConfig.parse({
      v: 1,
      umagraph: "0.1.0",
      name,
      created: "2026-01-02T03:04:05.000Z",
      benchmark: { name: "ledger-qa", config: {} },
      variant: { spec: "uma", name: "uma", paper: "UMA" },
      policy: { spec: { name: "some-model" }, name: "some-model", scripted: false },
      toolset: "paper",
      prompts: { name: "default", hash: "00112233aabbccdd" },
      limits: {},
      seed: 7,
      concurrency: 2,
      ...config,
    }),
  );
  const lines = openJsonl(join(folder, "contexts.jsonl"));
  for (const context of contexts ?? []) lines.append(contextLine(context));
  lines.close();
  const log = openRecordLog(folder);
  for (const record of records ?? []) log.append(record);
  void log.close();
  if (scores) writeScores(folder, scores);
  return folder;
}

const base = {
  v: 1,
  run: "run",
  trajectory: 0,
  seed: 7,
  attempt: 1,
  variant: "uma",
  toolset: "paper",
  policy: { name: "some-model", scripted: false, weights: null },
  prompt: "00112233aabbccdd",
  budget: { prompt: 8192, interaction: 8192, turns: 32, calls: 16 },
  truncated: { core: 0, focus: 0, context: 0 },
  calls: [],
  given: [],
  end: "text",
  cut: null,
  lastTurn: null,
  error: null,
  turns: 1,
  tokens: { prompt: 100, completion: 20, interaction: 30, provider: null },
  started: "2026-01-02T03:04:05.000Z",
  ms: 1000,
};

/** The memory session of chunk `k`, reading `chunk`. */
export function memorySession(
  context: string,
  k: number,
  { chunk = `chunk ${k}`, ...rest }: Partial<SessionRecord> & { chunk?: string } = {},
): SessionRecord {
  const core = rest.core ?? { before: "", after: `core after ${k}`, committed: true, kept: null };
  const prompt = `The core so far:\n${section("core_memory", core.before)}\n\n${section("chunk", chunk)}\n\nBring the bank up to date.`;
  return parseRecord({
    ...base,
    id: `${context}/t0/m${k}`,
    context,
    stage: "memory",
    position: k,
    question: null,
    answer: null,
    messages: [
      { role: "system", text: "You keep a long-term memory." },
      { role: "user", text: prompt },
      ...messagesOf(rest.calls ?? []),
      { role: "assistant", text: core.after },
    ],
    ...rest,
    core,
  });
}

/** The QA session of one question. */
export function qaSession(
  context: string,
  question: string,
  { text = `question ${question}`, ...rest }: Partial<SessionRecord> & { text?: string } = {},
): SessionRecord {
  const answer = rest.answer === undefined ? "an answer" : rest.answer;
  return parseRecord({
    ...base,
    id: `${context}/t0/q${question}`,
    context,
    stage: "qa",
    position: 1,
    question,
    core: null,
    messages: [
      { role: "system", text: "You answer a question." },
      { role: "user", text: section("question", text) },
      ...messagesOf(rest.calls ?? []),
      ...(answer === null ? [] : [{ role: "assistant", text: answer }]),
    ],
    ...rest,
    answer,
  });
}

/** One assistant message per turn, with its calls and their observations. */
function messagesOf(calls: readonly CallRecord[]) {
  return [...new Set(calls.map(({ turn }) => turn))].flatMap((turn) => {
    const own = calls.filter((call) => call.turn === turn);
    return [
      { role: "assistant", text: "", calls: own.map(({ id, name, args }) => ({ id, name, args })) },
      ...own.map(({ id, observation }) => ({ role: "tool", text: observation, callId: id })),
    ];
  });
}

let calls = 0;

export const toolCall = (name: string, rest: Partial<CallRecord> = {}): CallRecord => ({
  turn: 0,
  id: `call-${++calls}`,
  name,
  args: {},
  verdict: "valid",
  repaired: false,
  observation: "done",
  tokens: 5,
  ms: 2,
  writes: [],
  reads: [],
  ...rest,
});

type Write = CallRecord["writes"][number];
const write = (plain: Omit<Write, "hash" | "lineage">): Write => ({
  ...plain,
  hash: writeHashes(plain),
  lineage: null,
});

/** memory_add as the executor records it. */
export const addCall = (entry: string, title: string, content: string, chunk: number, rest: Partial<CallRecord> = {}) =>
  toolCall("memory_add", {
    args: { title, content },
    observation: `Added "${title}".`,
    writes: [write({ entry, version: 1, op: "add", before: null, after: { title, content }, chunk })],
    ...rest,
  });

export const updateCall = (
  entry: string,
  before: { title: string; content: string },
  after: { title: string; content: string },
  chunk: number,
  rest: Partial<CallRecord> = {},
) =>
  toolCall("memory_update", {
    args: { title: before.title, content: after.content },
    observation: `Updated "${before.title}".`,
    writes: [write({ entry, version: 2, op: "update", before, after, chunk })],
    ...rest,
  });

export const deleteCall = (entry: string, before: { title: string; content: string }, chunk: number) =>
  toolCall("memory_delete", {
    args: { title: before.title },
    observation: `Deleted "${before.title}".`,
    writes: [write({ entry, version: 3, op: "delete", before, after: null, chunk })],
  });

export const question = (id: string, rest: Partial<EvalContext["questions"][number]> = {}) => ({
  id,
  text: `question ${id}`,
  answer: "gold",
  position: 1,
  category: "sum",
  ...rest,
});

export const score = (context: string, id: string, metrics: ScoreLine["metrics"], rest: Partial<ScoreLine> = {}) => ({
  session: `${context}/t0/q${id}`,
  context,
  question: id,
  category: "sum",
  prediction: "an answer",
  gold: "gold",
  metrics,
  ...rest,
});
