/**
 * A graph as a node of another graph: mapped state, its own recursion limit, and visible in Studio.
 *
 * A subgraph that is added directly inherits the parent's recursion limit (25 unless set), whatever its own says, and dies
 * on a long stream. A function node that invokes it does not; `subgraphs` keeps it visible in xray views and streams.
 *
 *     new StateGraph(MyState).addNode("memorize", ...asNode(createMaintenanceGraph(deps)))
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Pregel } from "@langchain/langgraph";
import type { AnyGraph } from "./any-graph.ts";

type StateOf = Record<string, unknown>;

export interface AsNodeOptions<Outer, Inner> {
  /** What of the outer state goes in; by default all of it. */
  readonly input?: (outer: Outer) => StateOf;
  /** What of the inner state comes back; by default all of it. */
  readonly output?: (inner: Inner) => StateOf;
  readonly recursionLimit?: number;
}

export function asNode<Outer = StateOf, Inner = StateOf>(graph: AnyGraph, options: AsNodeOptions<Outer, Inner> = {}) {
  const {
    input = (outer) => outer as StateOf,
    output = (inner) => inner as StateOf,
    recursionLimit = 1_000_000,
  } = options;
  const node = async (outer: unknown, config: RunnableConfig): Promise<StateOf> =>
    output((await graph.invoke(input(outer as Outer), { ...config, recursionLimit })) as Inner);
  // addNode wants its own narrower Pregel type and a mutable list
  const subgraphs = [graph as unknown as Pregel<never, never>] as never[];
  return [node, { subgraphs }] as [typeof node, { subgraphs: never[] }];
}
