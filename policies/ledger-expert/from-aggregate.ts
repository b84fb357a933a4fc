/** Answers a query with one call of `ledger_aggregate`, where that tool is offered: it reads the days' entries exactly. */
import type { Exchange } from "../scripted-chat-model.ts";
import { parseCents } from "./amounts.ts";
import { reply } from "./answer-query.ts";
import type { Step } from "./bank-view.ts";
import type { Query } from "./read-query.ts";

const operations = { sum: "sum", "top scene": "sum", largest: "max", "busiest date": "count" } as const;
const groups = { "top scene": "scene", "busiest date": "date" } as const;

export function fromAggregate(exchanges: readonly Exchange[], query: Query): Step {
  const call = exchanges.findLast(({ name }) => name === "ledger_aggregate");
  if (!call?.observation) return { calls: [{ name: "ledger_aggregate", args: argumentsFor(query) }] };
  try {
    const answer = readAnswer(JSON.parse(call.observation) as Observation);
    return { text: reply(answer, "the ledger's lines") };
  } catch {
    return { text: `The ledger could not be queried, so I have no answer. (${call.observation.slice(0, 200)})` };
  }
}

export function argumentsFor({ asks, scenes, subscene, range }: Query): Record<string, unknown> {
  return {
    operation: operations[asks],
    ...(range && { from: range.from, to: range.to }),
    ...(scenes.length > 0 && { scenes }),
    ...(subscene && { sub_scene: subscene }),
    ...((asks === "top scene" || asks === "busiest date") && { group_by: groups[asks] }),
  };
}

export interface Observation {
  readonly value?: string | null;
  /** Largest first. */
  readonly groups?: readonly { readonly key: string; readonly value: string }[];
}

export function readAnswer({ value, groups: found }: Observation): string | null {
  if (!found) return value ?? null;
  const most = parseCents(found[0]?.value ?? "");
  const top = found.filter((group) => parseCents(group.value) === most).map(({ key }) => key);
  return top.length === 0 ? null : top.sort().join(", ");
}
