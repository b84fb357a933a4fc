/**
 * LoCoMo conversations as contexts with questions (UMA App. E.3): all questions are asked after the last session.
 *
 * What was left out or could not be placed is counted beside the contexts, never dropped unsaid.
 */
import { contentHash } from "../../../base/hash.ts";
import type { EvalContext, Evidence, Question } from "../../benchmark.ts";
import { adversarialChoice } from "./adversarial-choice.ts";
import type { BadGold } from "./known-bad-gold.ts";
import type { LocomoConversation, LocomoRow } from "./read-locomo.ts";
import { type SessionChunk, sessionChunk } from "./session-chunk.ts";

/** The file's category numbers. Several published loaders have them otherwise; the counts (282, 321, 96, 841, 446) tell. */
export const locomoCategories: Readonly<Record<number, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop",
  5: "adversarial",
};
const temporal = 2;
const adversarial = 5;

const temporalHint = "Work out an approximate date from the DATE of the CONVERSATION.";

export interface LocomoQuestion extends Question {
  /** The wrong answer that an adversarial question invites to. */
  readonly adversarialAnswer?: string;
}

export interface LocomoContext extends EvalContext {
  readonly questions: readonly LocomoQuestion[];
}

export interface ContextOptions {
  readonly categories: readonly number[];
  readonly adversarial: "choice" | "as-is";
  readonly temporalHint: boolean;
  /** Questions to leave out. */
  readonly badGold: readonly BadGold[];
  readonly seed: number;
}

export interface LocomoContexts {
  readonly contexts: readonly LocomoContext[];
  /** Evidence that names no turn of its conversation. */
  readonly unplacedEvidence: readonly { readonly question: string; readonly id: string }[];
  readonly leftOut: readonly BadGold[];
}

export function locomoContexts(conversations: readonly LocomoConversation[], options: ContextOptions): LocomoContexts {
  const badGold = new Map(options.badGold.map((entry) => [entry.id, entry]));
  const unplacedEvidence: { question: string; id: string }[] = [];
  const leftOut: BadGold[] = [];

  const contexts = conversations.map((conversation): LocomoContext => {
    const chunks = conversation.sessions.map((session) => sessionChunk(session, conversation.speakers));
    const questions: LocomoQuestion[] = [];
    for (const row of conversation.rows) {
      if (!options.categories.includes(row.category)) continue;
      const id = `${conversation.id}:${row.index}`;
      const bad = badGold.get(id);
      if (bad && (bad.questionHash ?? contentHash(row.question)) === contentHash(row.question)) {
        leftOut.push(bad);
        continue;
      }
      const evidence = row.evidence.flatMap((turn) => placeEvidence(turn, chunks) ?? []);
      const placed = new Set(evidence.map((span) => span.id));
      unplacedEvidence.push(
        ...row.evidence.filter((turn) => !placed.has(turn)).map((turn) => ({ question: id, id: turn })),
      );
      questions.push({
        id,
        ...wording(row, conversation.id, options),
        position: chunks.length - 1,
        category: locomoCategories[row.category]!,
        evidence,
        ...(row.adversarialAnswer === null ? {} : { adversarialAnswer: row.adversarialAnswer }),
      });
    }
    return { id: conversation.id, chunks: chunks.map((chunk) => chunk.text), questions, facets: {} };
  });
  return { contexts, unplacedEvidence, leftOut };
}

function wording(
  row: LocomoRow,
  conversation: string,
  options: ContextOptions,
): { text: string; answer: string | null } {
  const wrong = row.adversarialAnswer;
  if (row.category === adversarial && options.adversarial === "choice" && wrong !== null) {
    const pair = { question: row.question, wrong, right: row.answer };
    return adversarialChoice(pair, options.seed, conversation, row.index);
  }
  const text = row.category === temporal && options.temporalHint ? `${row.question} ${temporalHint}` : row.question;
  return { text, answer: row.answer };
}

function placeEvidence(turn: string, chunks: readonly SessionChunk[]): Evidence | null {
  for (const [chunk, { lines }] of chunks.entries()) {
    const line = lines.get(turn);
    if (line) return { id: turn, chunk, ...line };
  }
  return null;
}
