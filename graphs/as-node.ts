/**
 * A graph as a node of another graph: mapped state, its own recursion limit, visible in Studio, stopped at breakpoints.
 *
 * A subgraph that is added directly inherits the parent's recursion limit (25 unless set), whatever its own says, and dies
 * on a long stream. A function node that invokes it does not; `subgraphs` keeps it visible in xray views and streams.
 *
 *     new StateGraph(MyState).addNode("memorize", ...asNode(createMaintenanceGraph(deps)))
 */
import { setMaxListeners } from "node:events";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Pregel } from "@langchain/langgraph";
import type { AnyGraph } from "./any-graph.ts";

type StateOf = Record<string, unknown>;

export interface AsNodeOptions<Outer, Inner> {
  /** What of the outer state goes in; by default whatever both states name alike. */
  readonly input?: (outer: Outer) => StateOf;
  /** What of the inner state comes back; by default all of it, of which the outer graph takes the keys it has. */
  readonly output?: (inner: Inner) => StateOf;
  readonly recursionLimit?: number;
}

export function asNode<Outer = StateOf, Inner = StateOf>(graph: AnyGraph, options: AsNodeOptions<Outer, Inner> = {}) {
  const { input = (outer) => sharedWith(graph, outer as StateOf), output = (inner) => inner as StateOf } = options;
  const { recursionLimit = 1_000_000 } = options;
  const node = async (outer: unknown, config: RunnableConfig): Promise<StateOf> => {
    const stops = breakpoints(graph, config);
    expectManyListeners(config);
    const run = { ...config, recursionLimit, ...(stops.length > 0 && { interruptBefore: stops }) };
    return output((await graph.invoke(input(outer as Outer), run)) as Inner);
  };
  // addNode wants its own narrower Pregel type and a mutable list
  const subgraphs = [graph as unknown as Pregel<never, never>] as never[];
  return [node, { subgraphs }] as [typeof node, { subgraphs: never[] }];
}

const sharedWith = (graph: AnyGraph, outer: StateOf) =>
  Object.fromEntries(Object.entries(outer).filter(([key]) => Object.hasOwn(graph.channels, key)));

/** LangGraph hands `interruptBefore` to the outermost graph only; in `configurable` it reaches every graph inside. */
function breakpoints(graph: AnyGraph, config: RunnableConfig): string[] {
  const wanted: unknown = config.configurable?.interruptBefore;
  return Array.isArray(wanted) ? wanted.filter((node) => Object.hasOwn(graph.nodes, node)) : [];
}

/** Every branch of a fan-out listens to the run's signals, once per level; from eleven on, Node would warn of a leak. */
function expectManyListeners(config: RunnableConfig): void {
  const passedOn: unknown = config.configurable?.__pregel_abort_signals;
  for (const signal of [config.signal, ...Object.values(passedOn ?? {})]) {
    if (signal instanceof AbortSignal) setMaxListeners(0, signal);
  }
}
