/** Answers a query from a search of the raw context, for a memory that holds no ledger. */

import type { Exchange } from "../scripted-chat-model.ts";
import { answerFromSpendings, reply } from "./answer-query.ts";
import type { Step } from "./bank-view.ts";
import type { Query } from "./read-query.ts";
import { spendingsIn } from "./spendings-in.ts";

const tool = "memory_bm25_retrieve";

/** One search with the question's own words; what it does not find is missing from the answer. */
export function fromSearch(exchanges: readonly Exchange[], question: string, query: Query): Step {
  const observation = exchanges.findLast(({ name }) => name === tool)?.observation;
  if (!observation) return { calls: [{ name: tool, args: { query: question } }] };
  return { text: reply(answerFromSpendings(spendingsIn(passagesIn(observation)), query), "the passages found") };
}

function passagesIn(observation: string): string {
  try {
    const { results } = JSON.parse(observation) as { results?: { chunk: number; text: string }[] };
    return (results ?? [])
      .toSorted((a, b) => a.chunk - b.chunk)
      .map(({ text }) => text)
      .join("\n");
  } catch {
    return ""; // a refusal in words
  }
}
