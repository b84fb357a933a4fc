/**
 * Two methods on five questions in two contexts, small enough to work every number out by hand.
 *
 *            c1 (horizon 2)        c2 (horizon 10)
 *            q1 sum   q2 max       q1 sum   q2 max   q3 sum
 *   uma em     1        0            1        1      failed
 *   rag em     0        0            1        1        1
 */
import type { EvalContext } from "../../../evals/benchmark.ts";
import {
  addCall,
  deleteCall,
  inventRun,
  memorySession,
  qaSession,
  question,
  score,
  toolCall,
  updateCall,
} from "./invented-run.ts";

export const contexts: readonly EvalContext[] = [
  {
    id: "c1",
    chunks: ["one", "two"],
    facets: { horizon: 2 },
    questions: [question("1"), question("2", { category: "max" })],
  },
  {
    id: "c2",
    chunks: ["three", "four"],
    facets: { horizon: 10 },
    questions: [question("1"), question("2", { category: "max" }), question("3")],
  },
];

const food = { title: "Food", content: "12.50" };
const fuel = { title: "Fuel", content: "30.00" };
const entryRead = { kind: "entry" as const, id: "e1", rank: 1, score: null };
const passageRead = {
  kind: "sub-chunk" as const,
  id: "c0.0",
  rank: 1,
  score: 2,
  span: { chunk: 0, start: 0, end: 3 },
};
const at = (second: number, ms: number) => ({
  started: new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString(),
  ms,
});

const failed = {
  answer: null,
  end: "error" as const,
  error: { boundary: "policy" as const, code: "provider", message: "503 Service Unavailable" },
};

export const umaRecords = [
  memorySession("c1", 0, {
    calls: [addCall("e1", food.title, food.content, 0), addCall("e2", fuel.title, fuel.content, 0)],
    ...at(0, 2_000),
  }),
  memorySession("c1", 1, {
    calls: [
      updateCall("e1", food, { title: "Food", content: "12.50 and 3" }, 1),
      deleteCall("e2", fuel, 1),
      toolCall("memory_update", { verdict: "miss" }),
      toolCall("memory_add", { verdict: "repaired", repaired: true }),
      toolCall("memory_find", { verdict: "invalid" }),
      toolCall("memory_bm25_retrieve", { verdict: "refused" }),
    ],
    core: { before: "core after 0", after: "core after 0", committed: false, kept: "the reply was empty" },
    ...at(1, 2_000),
  }),
  memorySession("c2", 0, { calls: [addCall("e1", "A", "b", 0)], ...at(60, 500) }),
  memorySession("c2", 1, {
    calls: [addCall("e2", "Undone", "never there", 1)],
    core: { before: "core after 0", after: "core after 0", committed: false, kept: "the session ended by error" },
    ...failed,
    ...at(61, 500),
  }),
  qaSession("c1", "1", { calls: [toolCall("memory_key_retrieve", { reads: [entryRead] })] }),
  qaSession("c1", "2", {
    calls: [
      toolCall("memory_key_retrieve", { reads: [entryRead] }),
      toolCall("memory_bm25_retrieve", { reads: [passageRead] }),
    ],
  }),
  qaSession("c2", "1", {
    tokens: { prompt: 100, completion: 20, interaction: 30, provider: { prompt: 400, completion: 25 } },
  }),
  qaSession("c2", "2", { answer: null, end: "budget", lastTurn: "budget" }),
  qaSession("c2", "3", failed),
];

export const umaScores = [
  score("c1", "1", { em: 1, f1: 1 }),
  score("c1", "2", { em: 0, f1: 0.5 }, { category: "max" }),
  score("c2", "1", { em: 1, f1: 1 }),
  score("c2", "2", { em: 1, f1: 1 }, { category: "max" }),
  score("c2", "3", { em: null, f1: null }, { prediction: null }),
];

const rag = { variant: { spec: "rag", name: "rag", paper: "RAG (k = 20)" } };

export const inventUma = (parent: string, name = "uma") =>
  inventRun(parent, name, { contexts, records: umaRecords, scores: umaScores });

export const inventRag = (parent: string, name = "rag") =>
  inventRun(parent, name, {
    config: rag,
    contexts,
    records: [
      ["c1", "1"],
      ["c1", "2"],
      ["c2", "1"],
      ["c2", "2"],
      ["c2", "3"],
    ].map(([context, id]) => qaSession(context!, id!, { variant: "rag", given: [passageRead] })),
    scores: [
      score("c1", "1", { em: 0, f1: 0 }),
      score("c1", "2", { em: 0, f1: 0 }, { category: "max" }),
      score("c2", "1", { em: 1, f1: 1 }),
      score("c2", "2", { em: 1, f1: 1 }, { category: "max" }),
      score("c2", "3", { em: 1, f1: 1 }),
    ],
  });
