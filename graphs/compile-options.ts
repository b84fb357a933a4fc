/** What a caller may add when a graph is compiled; Studio brings its own checkpointer. */
import type { BaseCheckpointSaver } from "@langchain/langgraph";

export interface CompileOptions {
  readonly checkpointer?: BaseCheckpointSaver;
  /** Stop before these nodes, e.g. "executeTools". */
  readonly interruptBefore?: string[];
}
