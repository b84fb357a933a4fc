/** Phase II in the style `entries`: one call of `ledger_aggregate`, and the answer with not a word around it. */
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";
import { argumentsFor, type Observation, readAnswer } from "./from-aggregate.ts";
import { readQuery } from "./read-query.ts";

export function answerBriefly({ exchanges, tools }: ScriptedTurn, question: string): ScriptedReply {
  const query = readQuery(question);
  const call = exchanges.findLast(({ name }) => name === "ledger_aggregate");
  if (query && !call && tools.has("ledger_aggregate"))
    return { calls: [{ name: "ledger_aggregate", args: argumentsFor(query) }] };
  return { text: `\\boxed{${(call?.observation && answerIn(call.observation)) ?? "none"}}` };
}

function answerIn(observation: string): string | null {
  try {
    return readAnswer(JSON.parse(observation) as Observation);
  } catch {
    return null;
  }
}
