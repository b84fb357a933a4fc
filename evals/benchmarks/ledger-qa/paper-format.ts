/**
 * The paper's file format: a JSON array of samples with chunks, questions and `metadata.transaction_events`.
 *
 * Its amounts are JSON numbers; they are read by their shortest decimal spelling (22.66, never 22.6599…), and written
 * from ours the same way. Questions are plain text there; `paperQuery` finds category names and dates in it.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, UmaError } from "../../../base/errors.ts";
import { contentHash } from "../../../base/hash.ts";
import type { EvalContext } from "../../benchmark.ts";
import type { LedgerContext } from "./context.ts";
import { type Spending, standing } from "./ledger.ts";
import { toLedgerLine } from "./ledger-lines.ts";
import { answerQuery, countLedger, type Query, type QuestionType, questionTypes } from "./questions.ts";
import { scenes } from "./taxonomy.ts";

const paperSample = z.looseObject({
  task_id: z.string().min(1),
  chunks: z.array(z.string()).min(1),
  questions: z.array(
    z.looseObject({
      qid: z.string(),
      query: z.string(),
      answer: z.string(),
      position: z.int().min(0),
      category: z.string(),
    }),
  ),
  metadata: z.looseObject({
    transaction_events: z.array(
      z.looseObject({
        date: z.iso.date(),
        scene: z.string(),
        subscene: z.string(),
        amount: z.number().nonnegative(),
        description: z.string().optional(),
      }),
    ),
  }),
});
export type PaperSample = z.output<typeof paperSample>;

export function parsePaperFile(text: string, where: string): PaperSample[] {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (cause) {
    throw new UmaError("input", `${where}: expected a JSON array of samples: ${messageOf(cause)}`, { cause });
  }
  const parsed = z.array(paperSample).safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UmaError(
    "input",
    `${where}: not the paper's Ledger-QA format: ${issue!.path.join(".")}: ${issue!.message}`,
    {
      fix: "expected [{ task_id, chunks, questions: [{ qid, query, answer, position, category }], metadata: { transaction_events } }]",
    },
  );
}

export const readPaperFile = (path: string): PaperSample[] => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new UmaError("input", `cannot read ${path}: ${messageOf(cause)}`, { fix: "check the path", cause });
  }
  return parsePaperFile(text, path);
};

export function paperToEvalContext(sample: PaperSample): EvalContext {
  return {
    id: sample.task_id,
    chunks: sample.chunks,
    questions: sample.questions.map(({ qid, query, answer, position, category }) => ({
      id: qid,
      text: query,
      answer,
      position,
      category,
    })),
    facets: { horizon: sample.chunks.length },
  };
}

/** The query behind a question's text: the category names and the dates that it names, in order. */
export function paperQuery(category: string, text: string): Query {
  const type = questionTypes.find((name): name is QuestionType => name === category);
  if (type === undefined)
    throw new UmaError("input", `unknown question category ${JSON.stringify(category)}`, {
      fix: `expected one of ${questionTypes.join(", ")}`,
    });
  // the max_scene template lists all categories as examples
  const named = type === "max_scene" ? [] : scenes.filter((scene) => new RegExp(`\\b${scene}\\b`).test(text));
  return { type, scenes: named, dates: text.match(/\d{4}-\d{2}-\d{2}/g) ?? [] };
}

/** Answers of a sample that its own ledger does not give; [] when all agree. */
export function checkPaperSample(sample: PaperSample): string[] {
  const counted = countLedger(
    sample.metadata.transaction_events.map(
      ({ date, scene, subscene, amount }): Spending => ({ date, scene, subscene, amount: String(amount) }),
    ),
  );
  return sample.questions.flatMap(({ qid, category, query, answer }) => {
    const expected = answerQuery(counted, paperQuery(category, query));
    return answer === expected ? [] : [`${sample.task_id} ${qid}: ${answer} in the file, ${expected} from its ledger`];
  });
}

/** A generated context in the paper's shape; point queries, which the shape's generator lacks, keep our category name. */
export function toPaperSample(context: LedgerContext): PaperSample {
  const hash = contentHash(context.id).slice(0, 8);
  const counting = standing(context.ledger);
  const items = new Map(context.ledger.map((transaction) => [transaction, transaction.item]));
  const total = answerQuery(countLedger(counting), { type: "total_amount", scenes: [], dates: [] });
  const { chunks, questions } = toLedgerLine(context);
  return {
    task_id: `consumption_tracking_${hash}`,
    questions: questions.map(({ text, answer, position, query }, index) => ({
      qid: `synth_${hash}_${index}`,
      query: text,
      answer,
      position,
      category: query.type,
    })),
    chunks,
    metadata: {
      num_sessions: context.sessions.length,
      num_turns: context.sessions.reduce((sum, { lines }) => sum + lines.length, 0),
      num_transactions: counting.length,
      date_range: { start: context.sessions[0]!.date, end: context.sessions.at(-1)!.date },
      scenes: [...scenes],
      total_amount: Number(total),
      transaction_events: [...items].flatMap(([{ date, scene, subscene, amount }, description]) =>
        amount === null ? [] : [{ date, scene, subscene, amount: Number(amount), description }],
      ),
    },
  };
}
