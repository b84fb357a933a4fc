/** Phase II: read the question, look up the few entries that hold the answer, and give it. */
import { readSection } from "../prompt-sections.ts";
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";
import { answerFromSpendings, reply } from "./answer-query.ts";
import { viewBank } from "./bank-view.ts";
import { fromAggregate } from "./from-aggregate.ts";
import { fromEntries, noLedger } from "./from-entries.ts";
import { fromSearch } from "./from-search.ts";
import { gap } from "./keep-books.ts";
import { readQuery } from "./read-query.ts";
import { spendingsIn } from "./spendings-in.ts";

export function answerQuestion(turn: ScriptedTurn, question: string): ScriptedReply {
  const query = readQuery(question);
  if (query === null) return { text: "I cannot read this as a question about spending, so I have no answer." };
  const passages = readSection(turn.prompt, "context");
  if (passages !== null)
    return { text: reply(answerFromSpendings(spendingsIn(passages), query), "the passages given") };

  const view = viewBank(turn.exchanges);
  const aggregates =
    turn.tools.has("ledger_aggregate") || turn.exchanges.some(({ name }) => name === "ledger_aggregate");
  const found = aggregates ? fromAggregate(turn.exchanges, query) : fromEntries(view, query);
  const searches = found === noLedger && turn.tools.has("memory_bm25_retrieve");
  const step = searches ? fromSearch(turn.exchanges, question, query) : found;
  if ("text" in step)
    return readSection(turn.prompt, "core_memory")?.includes(gap) ? { text: `${step.text} ${gap}` } : step;
  const calls = step.calls.filter(({ name }) => turn.tools.has(name)).slice(0, view.callsPerTurn);
  return calls.length > 0 ? { calls } : { text: "I could not look up all that the answer needs, so I give none." };
}
