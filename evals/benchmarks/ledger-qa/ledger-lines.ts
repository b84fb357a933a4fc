/**
 * Ledger-QA as JSON lines: one context per line with its chunks, questions and the structured ledger behind them.
 *
 * A file can be loaded back in the place of generating (`--file`); every answer is recomputed from the ledger on the
 * way in, so a damaged or edited file is an error and not a wrong score.
 */
import { z } from "zod";
import { messageOf, UmaError } from "../../../base/errors.ts";
import type { EvalContext } from "../../benchmark.ts";
import { chunkOf, evidenceOf } from "./chunk.ts";
import type { LedgerContext } from "./context.ts";
import { standing } from "./ledger.ts";
import { answerQuery, countLedger, questionTypes } from "./questions.ts";
import { scenes, subscenes } from "./taxonomy.ts";

export const ledgerFormat = "umagraph-ledger-qa-1";

const evidence = z.object({ id: z.string(), chunk: z.int().min(0), start: z.int().min(0), end: z.int().min(0) });
const change = z.object({
  op: z.enum(["record", "correct", "edit", "refund"]),
  session: z.int().min(0),
  lines: z.array(z.int().min(0)),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

export const ledgerLine = z.object({
  format: z.literal(ledgerFormat),
  id: z.string().min(1),
  split: z.enum(["train", "test"]),
  profile: z.enum(["micro", "full"]),
  horizon: z.int().min(1),
  seed: z.int(),
  index: z.int().min(0),
  /** Sessions that a model reworded, and sessions where it tried and was turned down. */
  rewritten: z.object({ accepted: z.int().min(0), rejected: z.int().min(0) }).optional(),
  chunks: z.array(z.string()).min(1),
  questions: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      answer: z.string(),
      position: z.int().min(0),
      query: z.object({
        type: z.enum(questionTypes),
        scenes: z.array(z.enum(scenes)),
        dates: z.array(z.iso.date()),
        subscene: z.enum(subscenes).optional(),
      }),
      evidence: z.array(evidence).optional(),
    }),
  ),
  ledger: z.array(
    z.object({
      id: z.string(),
      date: z.iso.date(),
      scene: z.enum(scenes),
      subscene: z.enum(subscenes),
      item: z.string(),
      amount: z.string().nullable(),
      history: z.array(change),
    }),
  ),
});
export type LedgerLine = z.output<typeof ledgerLine>;

export function toLedgerLine(context: LedgerContext): LedgerLine {
  const { id, split, profile, horizon, seed, index, sessions, ledger } = context;
  return {
    format: ledgerFormat,
    id,
    split,
    profile,
    horizon,
    seed,
    index,
    chunks: sessions.map(chunkOf),
    questions: context.questions.map(({ query, ...question }) => {
      const found = evidenceOf(query, ledger, sessions);
      return {
        id: question.id,
        text: question.text,
        answer: question.answer,
        position: sessions.length - 1,
        query: {
          ...query,
          scenes: [...query.scenes],
          dates: [...query.dates],
        } as LedgerLine["questions"][number]["query"],
        ...(found && { evidence: [...found] }),
      };
    }),
    ledger: ledger.map(({ history, ...transaction }) => ({
      ...transaction,
      history: history.map((told) => ({ ...told, lines: [...told.lines] })),
    })),
  };
}

/** What the benchmark asks. */
export function lineToEvalContext(line: LedgerLine): EvalContext {
  return {
    id: line.id,
    chunks: line.chunks,
    questions: line.questions.map(({ query, ...question }) => ({ ...question, category: query.type })),
    facets: { horizon: line.horizon, profile: line.profile },
  };
}

/** One line of a file; `where` names file and line in the error. */
export function parseLedgerLine(text: string, where: string): LedgerLine {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (cause) {
    throw new UmaError("input", `${where}: expected one JSON object per line: ${messageOf(cause)}`, { cause });
  }
  const parsed = ledgerLine.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UmaError("input", `${where}: not a ${ledgerFormat} line: ${issue!.path.join(".")}: ${issue!.message}`, {
      fix: "write the file with `umagraph generate ledger-qa`",
    });
  }
  const line = parsed.data;
  const counted = countLedger(standing(line.ledger));
  for (const { id, answer, query } of line.questions) {
    const expected = answerQuery(counted, query);
    if (answer !== expected)
      throw new UmaError("input", `${where}: question ${id} has the answer ${answer}, its ledger gives ${expected}`, {
        fix: "the file was changed after it was written; generate it again",
      });
  }
  return line;
}
