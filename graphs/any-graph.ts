/** Any compiled graph, whatever its state: what variants hand over and nodes wrap. */
import type { Pregel } from "@langchain/langgraph";

// biome-ignore lint/suspicious/noExplicitAny: the state types differ from graph to graph, and nothing here looks at them
export type AnyGraph = Pregel<any, any, any, any, any, any, any, any, any, any, any>;
